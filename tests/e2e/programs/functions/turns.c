/* Two regions in turns, in two threads and a child, each for so many seconds of CPU time; the program then executes
   itself. Each region has one function. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "joulemark.h"

static double seconds;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

#define FUNCTION(name)                                  \
  __attribute__((noinline, noclone)) void name(void) {  \
    for (volatile long i = 0; i < 2000000; i++);        \
  }
FUNCTION(in_first)
FUNCTION(in_second)

static void *turns(void *none) {
#ifdef AROUND
  joulemark_begin("around");
#endif
  for (double end = now() + seconds; now() < end;) {
    joulemark_begin("first");
    in_first();
    joulemark_end("first");
    joulemark_begin("second");
    in_second();
    joulemark_end("second");
  }
#ifdef AROUND
  joulemark_end("around");
#endif
  return none;
}

int main(int count, char **words) {
  pthread_t thread;
  int child;
  seconds = atof(words[1]);
  child = fork();
  if (child) pthread_create(&thread, NULL, turns, NULL);
  turns(NULL);
  if (!child) return 0;
  pthread_join(thread, NULL);
  waitpid(child, NULL, 0);
  if (count > 2) execl("/proc/self/exe", words[0], words[1], NULL);
  puts("done");
  return 3;
}
