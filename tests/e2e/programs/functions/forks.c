/* Many processes, one after the other, each with a little work. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile double sink;

__attribute__((noinline, noclone)) void child(long n) {
  double sum = 0;
  for (long i = 0; i < n; i++) sum += (double)i * 0.5;
  sink = sum;
}

int main(int count, char **words) {
  for (int i = count > 1 ? atoi(words[1]) : 500; i > 0; i--) {
    if (fork() == 0) {
      child(6000000);
      _exit(0);
    }
    wait(0);
  }
  puts("done");
  return 3;
}
