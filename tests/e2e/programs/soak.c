/* Marks for so many seconds: threads that come and go, nested regions, some names. */
#include "joulemark.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

static void *work(void *argument) {
  char name[32];
  (void)argument;
  for (int i = 0; i < 200; i++) {
    snprintf(name, sizeof name, "region %d", i % 17);
    joulemark_begin("outer");
    joulemark_begin(name);
    for (double end = now() + 1e-4; now() < end;)
      ;
    joulemark_end(name);
    joulemark_end("outer");
  }
  return 0;
}

int main(int count, char **arguments) {
  double end = now() + (count > 1 ? atof(arguments[1]) : 1);
  while (now() < end) {
    pthread_t threads[3];
    struct timespec pause = {0, 200000000};
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    nanosleep(&pause, 0);
  }
  return 0;
}
