/* Four threads, two thirds of the time in heavy(); then, if asked for, many that end before their first sample. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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

static void *worker(void *number) {
  if ((long)number % 2) heavy(300000000);
  else light(150000000);
  return 0;
}

static double own_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void *brief(void *nothing) {
  (void)nothing;
  while (own_time() < 0.002) heavy(1000);
  return 0;
}

int main(int count, char **words) {
  pthread_t threads[4];
  for (long i = 0; i < 4; i++) pthread_create(threads + i, 0, worker, (void *)i);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
  for (int i = count > 1 ? atoi(words[1]) : 0; i > 0; i--) {
    pthread_create(threads, 0, brief, 0);
    pthread_join(threads[0], 0);
  }
  puts("done");
  return 3;
}
