/* A function that is put into another one, twice. */
#include <stdio.h>

static volatile double sink;

static inline __attribute__((always_inline)) double half(double x) {
  return x * 0.5 + sink;
}

static inline __attribute__((always_inline)) double twice(long n) {
  double sum = 0;
  for (long i = 0; i < n; i++) sum += half((double)i);
  return sum;
}

__attribute__((noinline, noclone)) void outer(long n) {
  sink = twice(n);
  sink = twice(n / 2);
}

int main(void) {
  for (int i = 0; i < 300; i++) outer(1000000);
  puts("done");
  return 3;
}
