/* A known workload for counters: 60,000 pages touched, 1,500 sleeps, and 3 s of CPU. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAGES = 60000, SLEEPS = 1500 };

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void work(void) {
  long page = sysconf(_SC_PAGESIZE);
  char *memory = mmap(NULL, (size_t)PAGES * (size_t)page, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) exit(1);
  madvise(memory, (size_t)PAGES * (size_t)page, MADV_NOHUGEPAGE);
  for (long i = 0; i < PAGES; i++) memory[i * page] = 1;
  struct timespec nap = {0, 100000};
  for (int i = 0; i < SLEEPS; i++) nanosleep(&nap, NULL);
  volatile double sum = 0;
  while (seconds() < 3.0)
    for (int i = 0; i < 100000; i++) sum += i;
}

/* Half of it in a child, which the counters must follow. */
int main(void) {
  pid_t child = fork();
  work();
  if (child == 0) return 0;
  int status;
  waitpid(child, &status, 0);
  return status == 0 ? 0 : 1;
}
