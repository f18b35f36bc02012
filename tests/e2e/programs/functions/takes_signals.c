/*
 * Uses every real-time signal of its own, in one of several ways. The sampler must give way, and the program must see
 * what it would see alone.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

static volatile double sink;
static volatile sig_atomic_t seen;

__attribute__((noinline, noclone)) void heavy(long n) {
  double sum = 0;
  for (long i = 0; i < n; i++) sum += (double)i * 0.5;
  sink = sum;
}

static void count(int number) {
  (void)number;
  seen++;
}

/* Handlers for all, each raised. */
static int handlers(void) {
  for (int n = SIGRTMIN; n <= SIGRTMAX; n++) {
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_handler = count;
    if (sigaction(n, 0, &before) != 0 || before.sa_handler != SIG_DFL) return 10;
    if (n % 2 == 0 ? signal(n, count) != SIG_DFL : sigaction(n, &action, 0) != 0) return 11;
    raise(n);
  }
  heavy(200000000);
  return seen == SIGRTMAX - SIGRTMIN + 1 ? 0 : 12;
}

/* A thread blocks everything, works, and waits for one signal: nothing else comes. */
static void *waits(void *result) {
  sigset_t all;
  int number = 0;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, 0);
  heavy(200000000);
  kill(getpid(), SIGUSR1);
  sigwait(&all, &number);
  *(int *)result = number;
  return 0;
}

static int waiting(void) {
  sigset_t all;
  pthread_t thread;
  int number = 0;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, 0);
  pthread_create(&thread, 0, waits, &number);
  pthread_join(thread, 0);
  return number == SIGUSR1 ? 0 : 20;
}

/* All by a descriptor. */
static int descriptor(void) {
  struct signalfd_siginfo info;
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, 0);
  heavy(200000000);
  int fd = signalfd(-1, &all, 0);
  kill(getpid(), SIGUSR2);
  return read(fd, &info, sizeof info) == sizeof info && info.ssi_signo == SIGUSR2 ? 0 : 30;
}

/* One real-time signal after the other, blocked and waited for. */
static int one_by_one(void) {
  for (int n = SIGRTMIN; n <= SIGRTMAX; n++) {
    sigset_t one;
    siginfo_t info;
    union sigval value = {n};
    sigemptyset(&one);
    sigaddset(&one, n);
    sigprocmask(SIG_BLOCK, &one, 0);
    heavy(4000000);
    sigqueue(getpid(), n, value);
    if (sigwaitinfo(&one, &info) != n || info.si_value.sival_int != n) return 40;
  }
  return 0;
}

int main(int argc, char **argv) {
  const char *way = argc > 1 ? argv[1] : "";
  int wrong = 50;
  if (strcmp(way, "handlers") == 0) wrong = handlers();
  if (strcmp(way, "waiting") == 0) wrong = waiting();
  if (strcmp(way, "descriptor") == 0) wrong = descriptor();
  if (strcmp(way, "one-by-one") == 0) wrong = one_by_one();
  /* Nobody handles it: it ends the program as it would alone. */
  if (strcmp(way, "killed") == 0) {
    heavy(50000000);
    for (int n = SIGRTMAX; n >= SIGRTMIN; n--) if (n == SIGRTMAX - 5) raise(n);
  }
  if (wrong != 0) return wrong;
  puts("done");
  return 3;
}
