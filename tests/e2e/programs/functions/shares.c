/* Three quarters of the CPU time are in heavy(), one quarter in light(), both below work(). */
#include <stdio.h>
#include <stdlib.h>

static volatile double sink;

__attribute__((noinline, noclone)) void heavy(long n) {
  double sum = 0;
  for (long i = 0; i < n; i++) sum += (double)i * 0.5;
  sink = sum;
}

__attribute__((noinline, noclone)) void light(long n) {
  double sum = 0;
  for (long i = 0; i < n; i++) sum += (double)i * 0.25;
  sink = sum;
}

__attribute__((noinline, noclone)) void work(int rounds) {
  for (int i = 0; i < rounds; i++) {
    heavy(600000);
    light(200000);
  }
  sink += 1;
}

int main(int count, char **words) {
  work(count > 1 ? atoi(words[1]) : 1500);
  puts("done");
  return 3;
}
