/* A function below itself: so deep as asked for, and work at the bottom. */
#include <stdio.h>
#include <stdlib.h>

static volatile double sink;

__attribute__((noinline, noclone)) double bottom(long n) {
  double sum = 0;
  for (long i = 0; i < n; i++) sum += (double)i * 0.5;
  sink = sum;
  return sum;
}

__attribute__((noinline, noclone)) double down(long depth) {
  volatile char room[32];
  room[0] = (char)depth;
  if (depth == 0) return bottom(1000000);
  return down(depth - 1) + room[0];
}

int main(int count, char **words) {
  double sum = 0;
  for (int i = 0; i < 700; i++) sum += down(count > 1 ? atol(words[1]) : 20);
  puts(sum == 0 ? "none" : "done");
  return 3;
}
