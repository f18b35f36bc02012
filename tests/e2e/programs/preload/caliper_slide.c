/* The program of Caliper's first slides: a plain iteration stays open where its phase ends. */
#include <stdint.h>
#include <time.h>

uint64_t cali_create_attribute(const char *, int, int) __attribute__((weak));
void cali_begin_string_byname(const char *, const char *) __attribute__((weak));
void cali_set_int(uint64_t, int) __attribute__((weak));
void cali_end_byname(const char *) __attribute__((weak));

static void work(void) {
  struct timespec t = {0, 5000000};
  nanosleep(&t, NULL);
}

int main(void) {
  if (!cali_create_attribute) return 3;
  cali_begin_string_byname("phase", "init");
  work();
  cali_end_byname("phase");
  cali_begin_string_byname("phase", "loop");
  uint64_t iteration = cali_create_attribute("iteration", 2, 0);
  for (int i = 0; i < 3; i++) {
    cali_set_int(iteration, i);
    work();
  }
  cali_end_byname("phase");
  cali_begin_string_byname("phase", "output");
  work();
  cali_end_byname("phase");
  return 0;
}
