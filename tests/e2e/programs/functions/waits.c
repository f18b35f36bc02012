/* Asleep for 1 s in waits(); a thread waits in reads() until main() has computed for a while. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int ends[2];
static volatile double sink;

__attribute__((noinline, noclone)) void waits(void) {
  for (int i = 0; i < 20; i++) usleep(50000);
}

__attribute__((noinline, noclone)) void reads(int fd) {
  char c;
  while (read(fd, &c, 1) == 1) sink += 1;
}

static void *reader(void *unused) {
  reads(ends[0]);
  return unused;
}

int main(void) {
  pthread_t thread;
  if (pipe(ends) != 0) return 1;
  pthread_create(&thread, NULL, reader, NULL);
  waits();
  for (long i = 0; i < 100000000; i++) sink = i * 0.5;
  close(ends[1]);
  pthread_join(thread, NULL);
  puts("done");
  return 3;
}
