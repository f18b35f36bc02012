/*
 * A library that is built like TAU's own: its functions call one another by the names that programs
 * call, and the first of them begins a timer of its own around all. It counts what it is asked for.
 */
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

struct Timer {
  std::string name;
  int starts = 0, stops = 0;
};
/* Never destroyed: they are told of at the very end. */
static std::vector<Timer *> &timers = *new std::vector<Timer *>, &open_timers = *new std::vector<Timer *>;

static Timer *timer_of(const std::string &name) {
  for (Timer *timer : timers)
    if (timer->name == name) return timer;
  timers.push_back(new Timer{name});
  return timers.back();
}

extern "C" {
void Tau_start_timer(void *, int, int);
int Tau_stop_timer(void *, int);
void Tau_pure_start_task(const char *, int);
void Tau_pure_stop_task(const char *, int);
void Tau_pure_start(const char *);
void Tau_pure_stop(const char *);
void Tau_stop_current_timer(void);
void *Tau_get_function_info(const char *, const char *, unsigned long, const char *);
int Tau_get_thread(void) { return 0; }

static void top_level() {
  static bool begun;
  if (begun) return;
  begun = true;
  Tau_pure_start_task(".TAU application", 0);
}
const char *Tau_profile_get_name(void *handle) { return ((Timer *)handle)->name.c_str(); }
void Tau_start_timer(void *handle, int, int) {
  top_level();
  ((Timer *)handle)->starts++;
  open_timers.push_back((Timer *)handle);
}
int Tau_stop_timer(void *handle, int) {
  ((Timer *)handle)->stops++;
  open_timers.pop_back();
  return 0;
}
void Tau_lite_start_timer(void *handle, int phase) { Tau_start_timer(handle, phase, Tau_get_thread()); }
void Tau_lite_stop_timer(void *handle) { Tau_stop_timer(handle, Tau_get_thread()); }
void *Tau_get_function_info(const char *name, const char *, unsigned long, const char *) {
  return timer_of(name);
}
void Tau_pure_start_task(const char *name, int task) {
  Tau_start_timer(Tau_get_function_info(name, "", 1, ""), 0, task);
}
void Tau_pure_stop_task(const char *name, int task) {
  Tau_stop_timer(Tau_get_function_info(name, "", 1, ""), task);
}
void Tau_pure_start(const char *name) { Tau_pure_start_task(name, Tau_get_thread()); }
void Tau_pure_stop(const char *name) { Tau_pure_stop_task(name, Tau_get_thread()); }
void Tau_start(const char *name) { Tau_pure_start(name); }
void Tau_stop(const char *name) { Tau_pure_stop(name); }
void Tau_stop_current_timer(void) { Tau_stop_timer(open_timers.back(), 0); }
void Tau_global_stop(void) { Tau_stop_current_timer(); }
int Tau_create_task(void) { return 7; }
}

void tauCreateFI(void **handle, const std::string &name, const std::string &, unsigned long,
                 const char *) {
  *handle = timer_of(name);
}
void tauCreateFI(void **handle, const std::string &name, const char *type, unsigned long group,
                 const char *group_name) {
  tauCreateFI(handle, name, std::string(type), group, group_name);
}
void tauCreateFI(void **handle, const char *name, const char *type, unsigned long group,
                 const char *group_name) {
  tauCreateFI(handle, std::string(name), std::string(type), group, group_name);
}
void tauCreateFI(void **handle, const char *name, const std::string &type, unsigned long group,
                 const char *group_name) {
  tauCreateFI(handle, std::string(name), type, group, group_name);
}
void tauCreateFI_signalSafe(void **handle, const std::string &name, const char *type,
                            unsigned long group, const char *group_name) {
  tauCreateFI(handle, name, type, group, group_name);
}

__attribute__((destructor)) static void tell() {
  for (Timer *timer : timers) printf("%s: %d %d\n", timer->name.c_str(), timer->starts, timer->stops);
}
