/*
 * What confines the runtime's threads: the handler of a signal, since landlock, capabilities and no-new-privs
 * belong to threads, and threads of the runtime's own run no code of ours but this. The runtime
 * (src/os/confinement/confine.ts) sends the signal to the thread that runs its program, which sends it to all others.
 */
#include "rights.h"

enum { PR_SET_NO_NEW_PRIVS = 38 };
enum { SIGNAL_OF_CONFINEMENT = 40, SIGINFO_BYTES = 128, SIGINFO_CODE = 8, SIGINFO_PID = 16, SIGINFO_VALUE = 24 };
enum { THREADS_MAX = 512, LATE = 0, DONE = 1, NO_LIST = 2, NOT_ASKED = 1000 };
enum { ONE_THREAD, ALL_THREADS };
#define LATE_NS 100000ul
enum { WAITS = 5 }; /* between two looks, at most */

/* The request for one thread, or for all, and its result: the value of the signal is the address. */
struct confinement {
  i32 what;    /* ONE_THREAD or ALL_THREADS, of a struct crowd */
  i32 ruleset; /* of landlock(7); negative: none */
  i32 keeps;   /* its capabilities, where not 0 */
  i32 state;   /* LATE, DONE, or the error of landlock_restrict_self(2), which is negative; of all threads
                  also NO_LIST: no /proc to find them by, or NOT_ASKED and the error */
};

struct crowd {
  struct confinement wanted; /* of each */
  i32 process, rounds;       /* so many looks at most: those who did not answer by then are late */
  i32 known, own;            /* threads that were asked; this one */
  i32 threads[THREADS_MAX];
  struct confinement asked[THREADS_MAX];
  char entries[2048] __attribute__((aligned(8)));
};

/* Gives up all capabilities, for good, capset(2), and the paths outside of the ruleset. */
static void confine_this(struct confinement *wanted) {
  i64 error = 0;
  call(SYS_PRCTL, PR_SET_NO_NEW_PRIVS, 1, 0, 0);
  if (wanted && wanted->ruleset >= 0) error = call(SYS_LANDLOCK_RESTRICT_SELF, wanted->ruleset, 0, 0, 0);
  if (!wanted || !wanted->keeps) drop_capabilities();
  if (wanted) __atomic_store_n(&wanted->state, error ? (i32)error : DONE, __ATOMIC_RELEASE);
}

/* Which of those asked it is; asked now where it was not. -1: it has ended, or cannot be asked. */
static i32 ask_thread(struct crowd *crowd, i32 thread) {
  i32 i = 0;
  while (i < crowd->known && crowd->threads[i] != thread) i++;
  if (i < crowd->known || i == THREADS_MAX) return i < THREADS_MAX ? i : -1;
  char info[SIGINFO_BYTES];
  struct confinement *asked = &crowd->asked[i];
  for (u64 at = 0; at < sizeof info; at++) info[at] = 0;
  *asked = (struct confinement){ONE_THREAD, crowd->wanted.ruleset, crowd->wanted.keeps, LATE};
  *(i32 *)info = SIGNAL_OF_CONFINEMENT;
  *(i32 *)(info + SIGINFO_CODE) = -1; /* SI_QUEUE */
  *(i32 *)(info + SIGINFO_PID) = crowd->process;
  *(struct confinement **)(info + SIGINFO_VALUE) = asked;
  i64 error = 0;
  if (thread == crowd->own) confine_this(asked);
  else error = call(SYS_TGSIGQUEUEINFO, crowd->process, thread, SIGNAL_OF_CONFINEMENT, (i64)info);
  if (error == -ESRCH) return -1;
  if (error != 0) {
    crowd->wanted.state = (i32)(NOT_ASKED - error);
    return -1;
  }
  crowd->threads[crowd->known++] = thread;
  return i;
}

/* A look at all threads. @returns Whether one is late, or was asked only now. */
static int look_at_threads(struct crowd *crowd) {
  i64 fd = open_at("/proc/self/task", O_RDONLY, 0), size;
  i32 before = crowd->known, seen = 0, late = 0;
  while (fd >= 0 && (size = call(SYS_GETDENTS64, fd, (i64)crowd->entries, sizeof crowd->entries, 0)) > 0) {
    for (i64 at = 0; at < size && crowd->wanted.state == LATE; at += *(u16 *)(crowd->entries + at + 16)) {
      i32 thread = (i32)read_number(crowd->entries + at + 19, 10, 0);
      if (thread == 0) continue;
      seen = 1;
      i32 i = ask_thread(crowd, thread);
      i32 state = i < 0 ? (crowd->known == THREADS_MAX ? LATE : DONE)
                        : __atomic_load_n(&crowd->asked[i].state, __ATOMIC_ACQUIRE);
      if (state < 0) crowd->wanted.state = state;
      late |= state == LATE;
    }
  }
  close_fd(fd);
  if (!seen) crowd->wanted.state = NO_LIST; /* this thread exists */
  return late || crowd->known > before;
}

/* Is one of those that were asked late? It may also have ended, which only a look tells. */
static int is_late(struct crowd *crowd) {
  for (i32 i = 0; i < crowd->known; i++)
    if (__atomic_load_n(&crowd->asked[i].state, __ATOMIC_ACQUIRE) == LATE) return 1;
  return 0;
}

/* Each, until a look finds no thread that is not confined: a thread that a confined one makes is confined. */
static void confine_all(struct crowd *crowd) {
  crowd->own = (i32)call(SYS_GETTID, 0, 0, 0, 0);
  for (i32 round = 1; crowd->wanted.state == LATE; round++) {
    /* The list ends early where a thread of it ends: one look alone may miss some. */
    if (!look_at_threads(crowd) && !look_at_threads(crowd) && crowd->wanted.state == LATE) crowd->wanted.state = DONE;
    if (crowd->wanted.state != LATE || round >= crowd->rounds) break;
    /* By then all have answered, as a rule; a look costs more than the wait. */
    for (i32 waits = 0; waits < WAITS && is_late(crowd); waits++) sleep_ns(LATE_NS);
  }
}

__attribute__((used)) static void confine_thread(int signal, const char *info, const void *context) {
  struct confinement *wanted = info ? *(struct confinement *const *)(info + SIGINFO_VALUE) : 0;
  (void)signal;
  (void)context;
  if (wanted && wanted->what == ALL_THREADS) {
    wanted->state = LATE;
    confine_all((struct crowd *)wanted);
  } else {
    confine_this(wanted);
  }
}

/* Where a handler returns to: the kernel's frame is on the stack. */
void return_from_signal(void) __attribute__((visibility("hidden")));
#if defined(__x86_64__)
__asm__(".text\n"
        ".balign 16\n"
        "return_from_signal:\n"
        "  mov $15, %eax\n"
        "  syscall\n");
#else
__asm__(".text\n"
        ".balign 16\n"
        "return_from_signal:\n"
        "  mov x8, #139\n"
        "  svc #0\n");
#endif
