/* A handler that works half of the time, above what it interrupted. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

static volatile double sink;

static __attribute__((noinline, noclone)) void in_handler(long n) {
  double sum = 0;
  for (long i = 0; i < n; i++) sum += (double)i * 0.5;
  sink = sum;
}

static void handler(int number) {
  (void)number;
  in_handler(4000000);
}

static __attribute__((noinline, noclone)) void outside(long n) {
  double sum = 0;
  for (long i = 0; i < n; i++) sum += (double)i * 0.25;
  sink += sum;
}

int main(void) {
  struct sigaction action;
  struct itimerval every = {{0, 10000}, {0, 10000}};
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(SIGPROF, &action, 0);
  setitimer(ITIMER_PROF, &every, 0);
  for (int i = 0; i < 60; i++) outside(10000000);
  puts("done");
  return 3;
}
