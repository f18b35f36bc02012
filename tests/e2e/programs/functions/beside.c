/* The main thread computes in regions; another thread without annotations computes beside it. */
#include <pthread.h>
#include <stdio.h>
#include "joulemark.h"

static volatile double sink, other;
static volatile int over;

__attribute__((noinline, noclone)) void in_main(long n) {
  double sum = 0;
  for (long i = 0; i < n; i++) sum += (double)i * 0.5;
  sink = sum;
}

__attribute__((noinline, noclone)) void in_worker(void) {
  double sum = 0;
  while (!over) sum += 0.25;
  other = sum;
}

static void *work(void *none) {
  in_worker();
  return none;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  for (int i = 0; i < 60; i++) {
    joulemark_begin(i % 2 ? "odd" : "even");
    in_main(30000000);
    joulemark_end(i % 2 ? "odd" : "even");
  }
  over = 1;
  pthread_join(thread, 0);
  puts("done");
  return 3;
}
