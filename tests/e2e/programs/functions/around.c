/* An outer region that only waits, and in it an inner one that computes. */
#include <stdio.h>
#include <unistd.h>
#include "joulemark.h"

static volatile double sink;

__attribute__((noinline, noclone)) void work(long n) {
  double sum = 0;
  for (long i = 0; i < n; i++) sum += (double)i * 0.5;
  sink = sum;
}

int main(void) {
  joulemark_begin("outer");
  for (int i = 0; i < 60; i++) {
    joulemark_begin("inner");
    work(30000000);
    joulemark_end("inner");
    usleep(1000);
  }
  joulemark_end("outer");
  puts("done");
  return 3;
}
