/* Marks of TAU by the macros of its header, every kind that C++ has. */
#include <TAU.h>
#include <string>
#include <time.h>

static void spin(double seconds) {
  struct timespec a, b;
  clock_gettime(CLOCK_MONOTONIC, &a);
  do clock_gettime(CLOCK_MONOTONIC, &b);
  while ((double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec) < seconds);
}

static void work() {
  TAU_PROFILE("work", "", TAU_USER);
  spin(0.02);
}
static void by_string() {
  std::string name("by string");
  TAU_PROFILE(name, std::string(""), TAU_USER);
  spin(0.01);
}
static void phase() {
  TAU_PHASE("phase", "", TAU_USER);
  spin(0.01);
  work();
}
static void each_time() {
  TAU_DYNAMIC_PROFILE("each", "", TAU_USER);
  spin(0.01);
}

int main(int argc, char **argv) {
  TAU_PROFILE_INIT(argc, argv);
  TAU_PROFILE_SET_NODE(0);
  TAU_PROFILE("main", "", TAU_DEFAULT);
  for (int i = 0; i < 3; i++) work();
  by_string();
  phase();
  each_time();
  each_time();
  TAU_PROFILE_TIMER(timer, "timer", "", TAU_USER);
  TAU_PROFILE_START(timer);
  spin(0.01);
  TAU_PROFILE_STOP(timer);
  TAU_START("plain");
  spin(0.01);
  TAU_STOP("plain");
  TAU_MAPPING(spin(0.01), TAU_USER);
  TAU_REGISTER_EVENT(event, "bytes");
  TAU_EVENT(event, 42.0);
  return 0;
}
