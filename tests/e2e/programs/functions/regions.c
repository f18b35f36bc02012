/* heavy() in the region solve, three quarters of the CPU time, and light() in the region rest. */
#include <stdio.h>
#include "joulemark.h"

static volatile double sink;

__attribute__((noinline, noclone)) void heavy(long n) {
  for (long i = 0; i < n; i++) sink = sink * 1.0000001 + 1;
}

__attribute__((noinline, noclone)) void light(long n) {
  for (long i = 0; i < n; i++) sink = sink * 1.0000001 + 2;
}

int main(void) {
  joulemark_begin("main");
  for (int k = 0; k < 10; k++) {
    joulemark_begin("solve");
    heavy(24000000);
    joulemark_end("solve");
    joulemark_begin("rest");
    light(8000000);
    joulemark_end("rest");
  }
  joulemark_end("main");
  puts("done");
  return 3;
}
