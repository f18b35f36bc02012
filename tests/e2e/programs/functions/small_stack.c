/* A thread and the first one have a stack for signals that is as small as it may be, and never use it. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { LEAST = 2048 };
static volatile double sink;

__attribute__((noinline, noclone)) void heavy(long n) {
  double sum = 0;
  for (long i = 0; i < n; i++) sum += (double)i * 0.5;
  sink = sum;
}

static void *work(void *bytes) {
  stack_t stack;
  memset(&stack, 0, sizeof stack);
  stack.ss_sp = bytes;
  stack.ss_size = LEAST;
  heavy(50000000);
  /* Where the kernel refuses so small a stack there is none. */
  sigaltstack(&stack, 0);
  heavy(200000000);
  stack.ss_flags = SS_DISABLE;
  sigaltstack(&stack, 0);
  heavy(50000000);
  return 0;
}

int main(void) {
  static char stacks[2][LEAST];
  pthread_t thread;
  pthread_create(&thread, 0, work, stacks[0]);
  work(stacks[1]);
  pthread_join(thread, 0);
  puts("done");
  return 3;
}
