/* Functions with frame pointers, and some that need none. Without tables for unwinding. */
#include <stdio.h>
#include <stdlib.h>

static volatile double sink;

/* Short, so that it is often sampled where its frame begins or ends. */
__attribute__((noinline)) double brief(double x) {
  __asm__ volatile("");
  return x * x + 1;
}

__attribute__((noinline)) double often(long n) {
  double sum = 0;
  __asm__ volatile("");
  for (long i = 0; i < n; i++) sum += brief(i);
  return sum;
}

__attribute__((noinline)) double bare(long n) {
  double sum = 0;
  __asm__ volatile("");
  for (long i = 1; i < n; i++) sum += 1.0 / i;
  return sum;
}

static double (*volatile by_pointer)(long) = bare;

__attribute__((noinline)) double direct(long n) { return bare(n) + 1; }
__attribute__((noinline)) double indirect(long n) { return by_pointer(n) + 1; }

int main(void) {
  for (int i = 0; i < 40; i++) sink += often(4000000) + direct(4000000) + indirect(4000000);
  puts("done");
  return 3;
}
