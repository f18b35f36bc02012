/*
 * Functions without a mark: nested, in threads, in a child, left by exceptions and long jumps, jumping
 * into one another at their ends. Prints, by its own clock, the time in solve().
 */
#include <csetjmp>
#include <cstdio>
#include <ctime>
#include <thread>
#include <sys/wait.h>
#include <unistd.h>

static double now() {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC_RAW, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
static void spin(double seconds) {
  double until = now() + seconds;
  while (now() < until) continue;
}

static jmp_buf place;
#define PLAIN extern "C" __attribute__((noinline))
PLAIN int inner(int n) {
  spin(0.005);
  return n + 1;
}
PLAIN int solve(int n) {
  int sum = 0;
  for (int i = 0; i < 3; i++) sum += inner(n + i);
  spin(0.01);
  return sum;
}
PLAIN void throws(int n) {
  inner(n);
  if (n % 2) throw n;
  spin(0.001);
}
PLAIN void jumps(int n) {
  spin(0.001);
  if (n) longjmp(place, 1);
  __asm__ volatile("" ::: "memory");
}
PLAIN int last(int n) {
  spin(0.002);
  return n;
}
PLAIN int goes_on(int n) {
  spin(0.002);
  return last(n + 1);
}
PLAIN int recursive(int n) {
  /* By a pointer, lest the compiler puts one call into the other. */
  int (*volatile self)(int) = recursive;
  int deeper = n > 0 ? self(n - 1) : 0;
  spin(0.0005);
  return deeper + 1;
}
PLAIN void leaves(void) {
  spin(0.001);
  fflush(stdout);
  _exit(0);
}

int main() {
  double begun = now();
  int sum = 0;
  for (int i = 0; i < 4; i++) sum += solve(i);
  double took = now() - begun;
  for (int i = 0; i < 6; i++) {
    try {
      throws(i);
    } catch (int n) {
      sum += n;
    }
  }
  for (volatile int i = 0; i < 3; i = i + 1) {
    if (!setjmp(place)) jumps(1);
  }
  sum += goes_on(1) + recursive(3);
  std::thread other([&] { for (int i = 0; i < 5; i++) inner(i); });
  other.join();
  if (fork() == 0) {
    solve(1);
    leaves();
  }
  wait(nullptr);
  printf("%d %.6f\n", sum, took);
  leaves();
}
