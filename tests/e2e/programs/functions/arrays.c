/* All CPU time is in heavy(), below frames with arrays. */
#include <stdio.h>

static volatile double sink;

__attribute__((noinline, noclone)) void heavy(const volatile double *values) {
  double sum = 0;
  for (long i = 0; i < 600000000; i++) sum += values[i % 64];
  sink = sum;
}

__attribute__((noinline, noclone)) void work(void) {
  volatile double values[64] = {0};
  values[3] = 1;
  heavy(values);
  sink += values[3];
}

int main(void) {
  volatile char name[40] = "main";
  work();
  if (name[0] == 'm') puts("done");
  return 3;
}
