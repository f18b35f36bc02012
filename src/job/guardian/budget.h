/*
 * What the runtime may take of a core while the application runs. It keeps itself within its budget
 * (src/core/budget.ts, session/monitor.ts); here that is watched from outside, by the CPU clock of its
 * process, which needs no file.
 *
 * In a window of ten seconds it may use twice its budget. A runtime that uses that up is lowered, for
 * the rest of the run: each of its threads leaves the real-time class for nice level 19, where the
 * kernel gives it 1.5 % of a core that another program wants. One that uses it up again and has not
 * sent a packet for ten seconds is in an endless loop, and is ended: its checkpoint and
 * its journal stay.
 */
enum { PRIO_PROCESS = 0, NICE_LEAST = 19, SCHED_OTHER = 0, RLIMIT_RTPRIO = 14 };
enum { OVER = 2 }; /* so many times its budget */
#define WINDOW_NS 10000000000ul
#define LOOK_NS 1000000000ul
#define STUCK_NS 10000000000ul /* without a word */
#define START_UNJUDGED_NS 1500000000ul /* of the start, which has a budget of its own */

struct budget {
  u64 permille; /* of a core; 0: none given */
  u64 look_by;  /* CLOCK_MONOTONIC, 0: never */
  u64 window_ns, used_ns; /* where this window began: CLOCK_MONOTONIC, and CPU time by then */
  u64 heard_ns; /* the last packet */
  int lowered;
};

/* clockid_t of a process: include/linux/posix-timers_types.h, CPUCLOCK_SCHED. 0: it is gone. */
static u64 cpu_time_of(i64 pid) { return clock_ns(~pid * 8 | 2); }

/* How long its main thread was ready to run without a CPU, the second number of /proc/PID/schedstat
   (kernel: Documentation/scheduler/sched-stats.rst). 0: unknown. */
static u64 waited_for_cpu_ns(i64 pid) {
  char path[40], numbers[96];
  struct text text = text_in(path, sizeof path);
  print(&text, "/proc/%lu/schedstat", (u64)pid);
  i64 size = read_file(path, numbers, sizeof numbers - 1);
  if (size <= 0) return 0;
  numbers[size] = 0;
  const char *second = find_char(numbers, ' ');
  return second ? read_number(second + 1, 10, 0) : 0;
}

static void set_budget(struct budget *budget, u64 permille) {
  budget->permille = permille;
  budget->window_ns = 0;
  budget->look_by = permille ? clock_ns(CLOCK_MONOTONIC) + START_UNJUDGED_NS : 0;
}

/* struct linux_dirent64: d_ino 8, d_off 8, d_reclen 2, d_type 1, d_name. New threads have what the one
   has that makes them, so a second look finds those that came meanwhile. */
static void lower_threads(i64 pid) {
  char path[40], entries[2048] __attribute__((aligned(8)));
  struct text text = text_in(path, sizeof path);
  print(&text, "/proc/%lu/task", (u64)pid);
  u64 none[2] = {0, 0};
  call(SYS_PRLIMIT64, pid, RLIMIT_RTPRIO, (i64)none, 0);
  i64 fd = open_at(path, O_RDONLY, 0), size;
  while (fd >= 0 && (size = call(SYS_GETDENTS64, fd, (i64)entries, sizeof entries, 0)) > 0) {
    for (i64 at = 0; at < size; at += *(u16 *)(entries + at + 16)) {
      i64 tid = (i64)read_number(entries + at + 19, 10, 0);
      i32 priority = 0;
      if (tid == 0) continue;
      call(SYS_SCHED_SETSCHEDULER, tid, SCHED_OTHER, (i64)&priority, 0);
      call(SYS_SETPRIORITY, PRIO_PROCESS, tid, NICE_LEAST, 0);
    }
  }
  close_fd(fd);
}

enum verdict { WITHIN, LOWERED, STUCK };

/* To be asked when look_by has come. */
static enum verdict judge(struct budget *budget, i64 pid) {
  u64 now = clock_ns(CLOCK_MONOTONIC), used = cpu_time_of(pid);
  budget->look_by = now + LOOK_NS;
  u64 most = WINDOW_NS / 1000 * budget->permille * OVER;
  int over = budget->window_ns && used - budget->used_ns > most;
  if (!over && budget->window_ns && now - budget->window_ns < WINDOW_NS) return WITHIN;
  budget->window_ns = now;
  budget->used_ns = used;
  if (!over) return WITHIN;
  if (budget->lowered) return now - budget->heard_ns > STUCK_NS ? STUCK : WITHIN;
  budget->lowered = 1;
  lower_threads(pid);
  lower_threads(pid);
  return LOWERED;
}
