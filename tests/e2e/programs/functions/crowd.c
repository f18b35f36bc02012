/* More threads than CPUs, each in a region and in one inside it. */
#include <pthread.h>
#include <stdlib.h>
#include "joulemark.h"

static volatile double sink;

__attribute__((noinline, noclone)) static void work(long n) {
  double sum = 0;
  for (long i = 0; i < n; i++) sum += (double)i * 0.5;
  sink = sum;
}

static void *run(void *none) {
  for (int i = 0; i < 20; i++) {
    joulemark_begin("outer");
    work(30000000);
    joulemark_begin("inner");
    work(20000000);
    joulemark_end("inner");
    joulemark_end("outer");
  }
  return none;
}

int main(int count, char **arguments) {
  pthread_t threads[256];
  int n = count > 1 ? atoi(arguments[1]) : 3;
  if (n > 256) n = 256;
  for (int i = 0; i < n; i++) pthread_create(&threads[i], NULL, run, NULL);
  for (int i = 0; i < n; i++) pthread_join(threads[i], NULL);
  return 3;
}
