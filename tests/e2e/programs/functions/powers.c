/* Visits of 5 to 55 ms for so many seconds. Marks tell a simulated node the power; functions are sampled. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "joulemark.h"

static volatile double sink;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

#define FUNCTION(name)                                              \
  __attribute__((noinline, noclone)) void name(double seconds) {    \
    joulemark_begin(#name);                                         \
    double x = 1;                                                   \
    for (double end = now() + seconds; now() < end;)                \
      for (int i = 0; i < 5000; i++) x = x * 1.0000001 + 1e-9;      \
    sink = x;                                                       \
    joulemark_end(#name);                                           \
  }
FUNCTION(heavy)
FUNCTION(light)
FUNCTION(middle)

__attribute__((noinline, noclone)) void both(double seconds) {
  heavy(seconds);
  light(seconds / 2);
  sink += 1;
}

int main(int count, char **words) {
  unsigned random = 1;
  for (double end = now() + (count > 1 ? atof(words[1]) : 8); now() < end;) {
    random = random * 1103515245 + 12345;
    double seconds = 0.005 + 0.05 * ((random >> 16) % 1000) / 1000.0;
    if ((random >> 8) % 3) both(seconds);
    else middle(seconds);
  }
  puts("done");
  return 3;
}
