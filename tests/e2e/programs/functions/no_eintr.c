/* Many waits that a signal would end with EINTR, beside work in the same thread; says which signals it has. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>

static volatile double sink;

__attribute__((noinline, noclone)) void heavy(long n) {
  double sum = 0;
  for (long i = 0; i < n; i++) sum += (double)i * 0.5;
  sink = sum;
}

int main(int count, char **words) {
  long waits = count > 1 ? atol(words[1]) : 100000, interrupted = 0;
  int set = epoll_create1(0);
  struct epoll_event event;
  for (long i = 0; i < waits; i++) {
    struct timespec brief = {0, 1000};
    int result = 0;
    errno = 0;
    switch (i % 3) {
    case 0: result = poll(0, 0, 0); break;
    case 1: result = nanosleep(&brief, 0); break;
    default: result = epoll_wait(set, &event, 1, 0);
    }
    if (result < 0 && errno == EINTR) interrupted++;
    if (i % 10 == 0) heavy(100000);
  }
  printf("interrupted %ld\n", interrupted);
  puts("done");
  return 3;
}
