/* Computes for 0.9 s on one CPU, and starts a child process that ends at once after each 3 ms. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile double sink;

static double cpu_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

__attribute__((noinline, noclone)) void parent(double until) {
  while (cpu_time() < until)
    for (int i = 0; i < 20000; i++) sink = i * 0.5;
}

int main(void) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
  for (int i = 1; i <= 300; i++) {
    parent(i * 0.003);
    pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, 0, 0);
  }
  puts("done");
  return 3;
}
