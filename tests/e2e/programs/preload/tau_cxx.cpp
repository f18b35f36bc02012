/* TAU's C++ objects, as the macros of its header make them: TAU_PROFILE, TAU_PHASE and kin. */
#include <cstddef>
#include <string>

#define WEAK __attribute__((weak))
WEAK void tauCreateFI(void **, const char *, const char *, unsigned long, const char *);
WEAK void tauCreateFI(void **, const char *, const std::string &, unsigned long, const char *);
WEAK void tauCreateFI(void **, const std::string &, const char *, unsigned long, const char *);
WEAK void tauCreateFI(void **, const std::string &, const std::string &, unsigned long,
                      const char *);
WEAK void tauCreateFI_signalSafe(void **, const std::string &, const char *, unsigned long,
                                 const char *);
extern "C" {
WEAK void Tau_lite_start_timer(void *, int);
WEAK void Tau_lite_stop_timer(void *);
WEAK void Tau_start(const char *);
WEAK void Tau_stop(const char *);
WEAK void Tau_start_timer(void *, int, int);
WEAK int Tau_stop_timer(void *, int);
WEAK void Tau_global_stop(void);
WEAK void Tau_stop_current_timer(void);
WEAK int Tau_create_task(void);
WEAK void Tau_pure_start_task(const char *, int);
WEAK void Tau_pure_stop_task(const char *, int);
WEAK void *Tau_get_function_info(const char *, const char *, unsigned long, const char *);
}

/* Started where it is made, stopped where its block ends, by an exception too. */
struct Wrapper {
  void *timer;
  explicit Wrapper(void *timer, int phase = 0) : timer(timer) {
    if (timer) Tau_lite_start_timer(timer, phase);
  }
  ~Wrapper() {
    if (timer) Tau_lite_stop_timer(timer);
  }
};

static const char *const GROUP = "TAU_USER";

static void by_text() {
  static void *timer;
  if (!timer) tauCreateFI(&timer, "by text", "void ()", 1, GROUP);
  Wrapper object(timer);
}

static void by_string(int number) {
  static void *timer;
  if (!timer) tauCreateFI(&timer, std::string("a name that no short string holds, in C++"), "", 1, GROUP);
  Wrapper object(timer);
  if (number == 1) throw number;
}

static void by_strings() {
  static void *timer;
  if (!timer) tauCreateFI(&timer, std::string("short"), std::string("int"), 1, GROUP);
  Wrapper object(timer, 1);
  by_text();
}

static void of_type() {
  static void *timer;
  if (!timer) tauCreateFI(&timer, "of a type", std::string("int"), 1, GROUP);
  Wrapper object(timer);
}

static void each_time(int number) {
  void *timer = NULL;
  tauCreateFI_signalSafe(&timer, std::string("each [") + std::to_string(number) + "]", "", 1, GROUP);
  Wrapper object(timer);
}

int main() {
  if (!Tau_start) return 3;
  for (int i = 0; i < 3; i++) {
    by_text();
    try {
      by_string(i);
    } catch (int) {
    }
    by_strings();
    of_type();
  }
  each_time(1);
  each_time(2);
  void *profiler = Tau_get_function_info("profiler", "", 1, GROUP);
  Tau_start_timer(profiler, 0, 0);
  Tau_stop_timer(profiler, 0);
  Tau_start("innermost");
  Tau_global_stop();
  Tau_start("innermost");
  Tau_stop_current_timer();
  /* A task is of no thread: what it does may cross what the thread does. */
  int task = Tau_create_task();
  Tau_pure_start_task("task", task);
  Tau_start("beside");
  Tau_pure_stop_task("task", task);
  Tau_stop("beside");
  Tau_pure_start_task("of this thread", 0);
  Tau_pure_stop_task("of this thread", 0);
  return 0;
}
