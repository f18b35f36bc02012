/* The first thread takes turns with others for 0.2 s, then computes for 0.3 s; prints the CPU time of all. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>

static volatile double sink;

static double time_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

__attribute__((noinline, noclone)) void alone(double until) {
  while (time_of(CLOCK_THREAD_CPUTIME_ID) < until)
    for (int i = 0; i < 100000; i++) sink = i * 0.5;
}

static void *turns(void *unused) {
  while (time_of(CLOCK_THREAD_CPUTIME_ID) < 0.05) {
    for (int i = 0; i < 2000000; i++) sink = i * 0.5;
    sched_yield();
  }
  return unused;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(threads + i, 0, turns, 0);
  turns(0);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  alone(0.35);
  printf("%.4f\n", time_of(CLOCK_PROCESS_CPUTIME_ID));
  return 3;
}
