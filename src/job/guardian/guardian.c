/*
 * The guardian: the first code of the executable, started by the kernel before the dynamic linker,
 * the runtime or anything else that can fail. It owns the application.
 *
 * For verbs that run an application (run, demo) it elects the node's monitor (election.h). A process
 * that is not elected becomes the application by execve(2), and no runtime is ever started. The elected
 * guardian forks the application first, parked on a socket, then the runtime, and then does nothing
 * but forward signals, wait, and return the status:
 *
 *   guardian --- application   parked until the runtime sends go, has failed, or 1 s is over
 *            `-- runtime       this same file, entered through the dynamic linker (runtime.h)
 *
 * If the runtime fails, the application runs on and its status is returned, by the same
 * signal where one ended it. If a fork fails, the guardian becomes the application.
 *
 * The block [this code | struct config | flags | variables | texts | code cache | script] is mapped into the
 * executable by airgap/pack, or is a small executable of its own which a run from
 * source starts (image.ts). No variables with static storage: the block is read-only.
 * Rebuild: sh src/job/guardian/build.sh --write
 *
 * Runtime and guardian exchange packets over a socket. From the runtime:
 *   G changes   go: the application may start, with these changes (command.h)
 *   N status    the request is refused: the application never starts
 *   W seconds   it needs more time before the application starts
 *   B           it is alive (expected once a second when the application has ended)
 *   F text      the message if the runtime dies from here on
 *   L permille  its budget, of one core (budget.h); 0: none
 *   D           the application failed, and others of its launch run on: return the status without the report
 *   P pid       is this process of the run, and which rank has it?
 *   Q pid       of which namespace is its number?
 *   Z pid       how did it end, if its parent has not taken its status?
 *   O pid name  the descriptor of a file that a process has mapped, root/PATH, exe, or maps
 * To the runtime, words with blanks between:
 *   S ns        the application was started (CLOCK_MONOTONIC_RAW)
 *   E errno     it could not be executed
 *   K signal    a signal was forwarded, or came when there was no process to forward it to
 *   X code signal ns   the application ended
 *   L           it took more than its budget and has the lowest priority now
 *   O pid errno        0: with the descriptor
 *   P pid member rank  member: 1 of this run, 0 of none or another, 2 its environment is closed to us
 *                      too; the rank where it is of this run and has one
 *   Q pid namespace    the lower half of its inode; 0: it cannot be seen
 *   Z pid status       as in wait(2); without a status: it has not ended, is gone, or is closed to us too
 */
#include "sys.h"

/* Written by image.ts right behind the code. Offsets are from this struct. */
struct config {
  u64 magic; /* "jmkguard" */
  u64 mode;
  i64 entry_delta; /* our address - the runtime's entry: both move together under ASLR */
  u64 flag_count;
  u64 flags_at; /* NUL-terminated, one behind the other: run, --no-prompt, ... */
  u64 variable_count;
  u64 variables_at; /* likewise: DENO_NO_UPDATE_CHECK=1, ... */
  u64 linker_at;
  u64 runtime_at;
  u64 arguments_from; /* which argument of ours is the program's first */
  u64 script_at;
  u64 script_length;
  u64 session_cycles; /* the byte of the session file for "stamps may be cycles" */
  u64 with_value_count;
  u64 with_value_at; /* NUL-terminated: options of run whose value is the next word, --report, ... */
  u64 cache_at;      /* code_cache.h */
  u64 cache_length;  /* 0: none */
  u64 query_cache_at;
  u64 query_cache_length;
  char session[64];   /* the session file */
};
extern const struct config config __attribute__((visibility("hidden")));
enum { MODE_PACKED = 0, MODE_PREPARED = 1, MODE_EXECUTE = 2 };

#include "election.h"
#include "command.h"
#include "runtime.h"
#include "confine.h"
#include "budget.h"
#include "code_cache.h"

enum { AF_UNIX = 1, SOCK_STREAM = 1, SOCK_SEQPACKET = 5, SOCK_CLOEXEC = 02000000 };
enum { SOL_SOCKET = 1, SCM_RIGHTS = 1, NAME_BYTES = 4096 };
enum { SOCK_NONBLOCK = 04000, MSG_NOSIGNAL = 0x4000, MSG_DONTWAIT = 0x40 };
#include "samples.h"
enum { POLLIN = 1, POLLHUP = 16, WNOHANG = 1, WUNTRACED = 2, WCONTINUED = 8 };
enum { SI_USER = 0, SI_QUEUE = -1, SI_KERNEL = 0x80 };
enum { PR_SET_PDEATHSIG = 1, PR_GET_PDEATHSIG = 2, PR_SET_DUMPABLE = 4 };
enum { PACKET_BYTES = 65536, STDERR_BYTES = 8000 };
#define START_NS 1000000000ul    /* the longest wait of the application for the runtime */
#define READY_NS 30000000000ul   /* a runtime without a packet by then is ended */
#define SILENCE_NS 20000000000ul /* likewise when the application has ended */
#define AT_WORK_NS 20000000ul    /* of a CPU in that time: a thousandth */
#define HURRY_NS 5000000000ul    /* what a signal leaves for the report when the application has ended */

#define STACK (8ul << 20)        /* as most systems give it */
#define LEAST_STACK (512ul << 10)

/* Signals that a fault of the runtime's own code raises, and that it handles itself. */
#define FAULTS (SIGNAL(4) | SIGNAL(5) | SIGNAL(6) | SIGNAL(7) | SIGNAL(8) | SIGNAL(11) | SIGNAL(31))
/* The two that glibc keeps for its threads. */
#define THREADS (SIGNAL(32) | SIGNAL(33))
/* By which the runtime confines its threads. */
#define CONFINE SIGNAL(40)

/* What execve(2) keeps, and fork(2) does not. */
struct kept {
  u64 timers[3][4]; /* struct itimerval: interval and time left, seconds and microseconds each */
  u64 scheduling[7]; /* struct sched_attr: its size, policy, flags, ... */
};
enum { RESET_ON_FORK = 1, SCHED_ATTR_BYTES = 48 };

static void look_what_is_kept(struct kept *kept) {
  for (i64 which = 0; which < 3; which++) call(SYS_GETITIMER, which, (i64)kept->timers[which], 0, 0);
  if (call(SYS_SCHED_GETATTR, 0, (i64)kept->scheduling, SCHED_ATTR_BYTES, 0) != 0) kept->scheduling[1] = 0;
}

static void keep(const struct kept *kept) {
  for (i64 which = 0; which < 3; which++)
    if (kept->timers[which][2] || kept->timers[which][3])
      call(SYS_SETITIMER, which, (i64)kept->timers[which], 0, 0);
  if (kept->scheduling[1] & RESET_ON_FORK) call(SYS_SCHED_SETATTR, 0, (i64)kept->scheduling, 0, 0);
}

static void give_away(const struct kept *kept) {
  u64 none[4] = {0, 0, 0, 0};
  for (i64 which = 0; which < 3; which++)
    if (kept->timers[which][2] || kept->timers[which][3]) call(SYS_SETITIMER, which, (i64)none, 0, 0);
}

struct guard {
  const struct process *process;
  struct inherited inherited;
  struct session session;
  struct command command;
  int has_command; /* demo gets its command from its runtime */
  i64 application, runtime; /* pids; 0: ended, or never was */
  i64 go, executed;         /* to the parked application; its errno, or its end, from there */
  i64 socket, errors, signals;
  int started, refused, said_go, stopping, leader, never_ran;
  int elevated; /* the file has rights that the caller has not: rights.h */
  i64 code, signal; /* how the application ended */
  u64 start_ns;     /* when the application was let go, CLOCK_MONOTONIC_RAW */
  u64 began_ns, start_by, ready_by, hear_by; /* CLOCK_MONOTONIC, 0: no such limit */
  u64 heard_cpu_ns, silent_cpu_ns; /* CPU time of the runtime at its last word, and at the last look since */
  struct budget budget;
  char *environ; /* room for that of one process, once it is requested */
  u64 stderr_size;
  char stderr_text[STDERR_BYTES + 1];
  char last_words[512];
  const char *killed; /* why this guardian ended the runtime; 0: it did not */
  const char *outer;  /* the session of a run that this one is inside of; 0: none */
};

/* ---- what prevents a runtime ---- */

/* The hard limit, up to which the soft one can be raised, or the soft one as it is. */
enum { SOFT = 64 };

static int limited_to(const char *what, i64 which, u64 least, const char *ask, struct text *text) {
  u64 limit[2];
  int soft = (which & SOFT) != 0;
  which &= ~SOFT;
  get_limit(which, limit);
  if (soft) limit[1] = limit[0];
  if (limit[1] >= least) return 0;
  print(text, "%s is limited to ", what);
  int bytes = which == RLIMIT_AS || which == RLIMIT_DATA || which == RLIMIT_FSIZE || which == RLIMIT_STACK;
  int small = bytes && limit[1] < 1ul << 20;
  print(text, "%lu%s%s",
        !bytes ? limit[1] : small ? limit[1] >> 10 : limit[1] >> 20,
        !bytes ? "; " : small ? " kB; " : " MB; ", ask);
  return 1;
}

/* The limit, or what is missing, that explains why the runtime did not come up. */
static int find_obstacle(struct text *text) {
  char place[PATH_BYTES], stat[256];
  if (limited_to("the address space (ulimit -v)", RLIMIT_AS, ~0ul,
                 "ask for none (h_vmem, pvmem: unlimited)", text) ||
      limited_to("the data segment (ulimit -d)", RLIMIT_DATA, 2ul << 30, "ask for 2 GB or more", text) ||
      limited_to("the stack (ulimit -s)", RLIMIT_STACK, LEAST_STACK, "ask for 8 MB", text) ||
      limited_to("the number of open files (ulimit -n)", RLIMIT_NOFILE, 32, "ask for 64 or more", text) ||
      limited_to("the size of files (ulimit -f)", RLIMIT_FSIZE, 4ul << 20, "ask for 4 MB or more", text))
    return 1;
  if (!has_stat(AT_FDCWD, "/proc/self/status", stat, 0)) {
    add(text, "there is no /proc; mount it");
    return 1;
  }
  if (call(SYS_GETCWD, (i64)place, sizeof place, 0, 0) == -ENOENT) {
    add(text, "the working directory was removed; start from one that exists");
    return 1;
  }
  return limited_to("the number of processes (ulimit -u)", RLIMIT_NPROC, 64, "ask for 128 or more", text);
}

/*
 * Finds an obstacle that certainly prevents a verb without an application from starting: no parent
 * could say why it ended. The limits are the measured minimums of its start.
 */
static int find_start_obstacle(struct text *text) {
  char place[PATH_BYTES], stat[256];
  if (!has_stat(AT_FDCWD, "/proc/self/fd", stat, 0)) {
    add(text, "there is no /proc; mount it");
    return 1;
  }
  if (call(SYS_GETCWD, (i64)place, sizeof place, 0, 0) == -ENOENT) {
    add(text, "the working directory was removed; start from one that exists");
    return 1;
  }
  return limited_to("the address space (ulimit -v)", RLIMIT_AS | SOFT, 31ul << 30, "ask for none", text) ||
         limited_to("the data segment (ulimit -d)", RLIMIT_DATA | SOFT, 501ul << 20, "ask for 2 GB or more", text) ||
         limited_to("the stack (ulimit -s)", RLIMIT_STACK | SOFT, LEAST_STACK, "ask for 8 MB", text) ||
         limited_to("the number of open files (ulimit -n)", RLIMIT_NOFILE, 16, "ask for 64 or more", text) ||
         limited_to("the size of files (ulimit -f)", RLIMIT_FSIZE | SOFT, config.script_length, "ask for 4 MB or more", text);
}

static const char *find_text(const char *text, const char *wanted) {
  for (; *text; text++)
    if (starts(text, wanted)) return text;
  return 0;
}

/* What the runtime printed in its distress: the message of a panic, else the first line; without
   colours and rulers. Ends the line in place. */
static const char *reason_given(struct guard *guard) {
  const char *panic = find_text(guard->stderr_text, "panicked at ");
  const char *line = panic ? find_char(panic, '\n') : guard->stderr_text;
  if (!line) line = panic;
  for (char *c = guard->stderr_text; *c; c++)
    if (*c != '\n' && (*c < ' ' || *c == 127)) *c = ' ';
  while (*line == '\n' || *line == ' ' || *line == '=') line++;
  char *end = (char *)find_char(line, '\n');
  if (end) *end = 0;
  return line;
}

/* Where the report of a session is: from the elected one's word (command.h), else by the process that makes it. */
static void add_report(const char *directory, struct text *text) {
  char path[PATH_BYTES], *word = map_memory(WORD_BYTES);
  join(path, directory, "/word");
  i64 size = word ? read_file(path, word, WORD_BYTES) : 0;
  for (const char *at = word + 1; at < word + size; at = after(at)) {
    if (word[0] != 'G' || *at != 'r') continue;
    add(text, at + 1);
    return;
  }
  const char *name = directory; /* JOB/s-PID-TIME */
  for (const char *at = name; (at = find_char(at, '/')); at++) name = at;
  print(text, "the report of process %lu", starts(name, "/s-") ? read_number(name + 3, 10, 0) : 0);
}

static void add_outer(struct guard *guard, struct text *text) {
  if (!guard->outer) return;
  add(text, "; its processes are in ");
  add_report(guard->outer, text);
}

/* What a run leaves of the variable that it does not measure by: that of a run around it. */
static const char *without_session(struct guard *guard) { return guard->outer ? "" : "-JOULEMARK_SESSION"; }

static void say_unmeasured(struct guard *guard, i64 signal) {
  char why[512 + PATH_BYTES];
  struct text text = text_in(why, sizeof why);
  if (!find_obstacle(&text)) {
    const char *line = reason_given(guard);
    add(&text, guard->killed ? "the monitor was ended: " : "the runtime ended ");
    if (guard->killed) {
      add(&text, guard->killed);
    } else if (signal > 0) {
      print(&text, "by signal %lu", (u64)signal);
    } else {
      add(&text, "before it was ready");
    }
    if (!guard->killed && *line) {
      print(&text, ": %s", line);
    } else if (!guard->killed && signal > 0) {
      add(&text, " (no memory, or no more threads allowed?)");
    }
  }
  add_outer(guard, &text);
  say(guard->started ? "the command ran unmeasured: " : "the command runs unmeasured: ", why, 0, 0);
}

/* ---- the two children ---- */

static i64 fork_process(void) { return call6(SYS_CLONE, SIGCHLD, 0, 0, 0, 0, 0); }

/* 1 when all came, 0 when the other side closed before, or reading fails. */
static int receive(i64 fd, char *into, u64 size) {
  for (u64 have = 0; have < size;) {
    i64 n = call(SYS_READ, fd, (i64)(into + have), (i64)(size - have), 0);
    if (n == -EINTR) continue;
    if (n <= 0) return 0;
    have += (u64)n;
  }
  return 1;
}

/* Variables that name the process that is to act on them, the one that started as this guardian: sd_listen_fds(3),
   sd_watchdog_enabled(3). They name this process now. */
static void rename_process(struct command *command, u64 guardian) {
  static const char names[] = "LISTEN_PID\0WATCHDOG_PID\0";
  char changes[128];
  struct text text = text_in(changes, sizeof changes);
  for (const char *name = names; *name; name = names_after(name)) {
    const char *value = variable(command->environment, name);
    if (!value || read_number(value, 10, 0) != guardian) continue;
    print(&text, "=%s=%lu", name, (u64)call(SYS_GETPID, 0, 0, 0, 0));
    text.at++;
  }
  if (text.at == changes) return;
  char *kept = map_memory(sizeof changes); /* the environment goes on to point to it */
  if (!kept) return;
  copy(kept, changes, sizeof changes);
  apply_changes(command, kept, (u64)(text.at - changes));
}

/* In the application's process: waits to be let go, then becomes the command. Where nothing can be
   reported any more it starts unchanged: a request that is refused ends this process by a signal. */
__attribute__((noreturn)) static void application(struct guard *guard, i64 go, i64 executed) {
  u32 size = 0;
  char *changes = 0;
  restore_files(&guard->inherited);
  if (guard->elevated) drop_capabilities();
  if (receive(go, (char *)&size, 4) && (changes = map_memory(size + 1)) && receive(go, changes, size))
    apply_changes(&guard->command, changes, size);
  else if (!guard->has_command)
    leave(0);
  rename_process(&guard->command, (u64)call(SYS_GETPPID, 0, 0, 0, 0));
  u32 error = (u32)become(&guard->command, &guard->inherited);
  write_all(executed, (const char *)&error, 4);
  leave(error == ENOENT ? 127 : 126);
}

/* The most that the hard limits allow, for the runtime alone. */
static void raise_limits(void) {
  static const u8 which[] = {RLIMIT_CPU, RLIMIT_FSIZE, RLIMIT_DATA, RLIMIT_NPROC, RLIMIT_AS};
  u64 limit[2];
  get_limit(RLIMIT_STACK, limit);
  if (limit[0] < STACK) {
    limit[0] = limit[1] < STACK ? limit[1] : STACK;
    call(SYS_PRLIMIT64, 0, RLIMIT_STACK, (i64)limit, 0);
  }
  for (u64 i = 0; i < sizeof which; i++) {
    get_limit(which[i], limit);
    if (limit[0] == limit[1]) continue;
    limit[0] = limit[1];
    call(SYS_PRLIMIT64, 0, which[i], (i64)limit, 0);
  }
}

enum { FOUND_BYTES = 1024 };

/* Descriptors of the application beside the standard streams, as numbers with commas: the runtime closes those that it has
   no use for (src/os/inherited.ts), and no program that it starts gets them. One that has no room is closed here. */
static void list_inherited(const i64 *own, int count, char *found) {
  char entries[2048] __attribute__((aligned(8)));
  struct text text = text_in(found, FOUND_BYTES);
  i64 list = open_at("/proc/self/fd", O_RDONLY | O_DIRECTORY, 0), size;
  while (list >= 0 && (size = call(SYS_GETDENTS64, list, (i64)entries, sizeof entries, 0)) > 0) {
    for (i64 at = 0; at < size; at += *(u16 *)(entries + at + 16)) {
      i64 fd = (i64)read_number(entries + at + 19, 10, 0);
      int is_own = fd <= 2 || fd == list;
      for (int i = 0; i < count; i++) is_own |= fd == own[i];
      if (is_own) continue;
      if (text.end - text.at < 24) {
        close_fd(fd);
        continue;
      }
      if (config.mode != MODE_EXECUTE) call(SYS_FCNTL, fd, F_SETFD, FD_CLOEXEC, 0);
      if (*found) add(&text, ",");
      add_number(&text, (u64)fd, 10);
    }
  }
  close_fd(list);
}

__attribute__((noreturn)) static void runtime(struct guard *guard, i64 socket, i64 errors, const char *cache) {
  char extra[PATH_BYTES + FOUND_BYTES + 256], found[FOUND_BYTES];
  struct text text = text_in(extra, sizeof extra);
  i64 own[] = {socket, errors, guard->session.lock};
  list_inherited(own, sizeof own / sizeof *own, found);
  /* Messages go to standard error as it was; what the runtime itself prints in distress does not. */
  i64 messages = call(SYS_FCNTL, 2, F_DUPFD_CLOEXEC, 3, 0);
  call(SYS_DUP3, errors, 2, 0, 0);
  close_fd(errors);
  raise_limits();
  /* Where memory runs out the application is to be the last to go. */
  i64 score = open_at("/proc/self/oom_score_adj", O_WRONLY, 0);
  if (score >= 0) write_all(score, "1000", 4);
  close_fd(score);
  if (config.mode == MODE_EXECUTE) {
    call(SYS_FCNTL, socket, F_SETFD, 0, 0);
    call(SYS_FCNTL, guard->session.lock, F_SETFD, 0, 0);
    if (messages >= 0) call(SYS_FCNTL, messages, F_SETFD, 0, 0);
  }
  add(&text, "--joulemark-inherited=");
  add_inherited(&text, &guard->inherited);
  text.at++;
  *text.at = 0;
  print(&text, "--joulemark-guardian=%lu:", (u64)socket);
  if (messages >= 0) add_number(&text, (u64)messages, 10);
  else add(&text, "-");
  print(&text, ":%lu:%lu:", (u64)guard->session.lock, (u64)guard->application);
  /* Addresses hold where this very image goes on. */
  print(&text, "%lu:%lu:%s:%s",
        config.mode == MODE_EXECUTE ? 0 : (u64)confine_thread,
        config.mode == MODE_EXECUTE ? 0 : (u64)return_from_signal, found, guard->session.directory);
  set_mask(SIG_SETMASK, ~(FAULTS | THREADS | CONFINE));
  start_runtime(guard->process, 0, extra, 2, cache);
}

/* It never starts. Never pid 0, which would be our whole process group. */
static void end_application(struct guard *guard) {
  if (guard->application > 0) call(SYS_KILL, guard->application, SIGKILL, 0, 0);
}

/* ---- the conversation ---- */

static void tell_runtime(struct guard *guard, char kind, u64 a, u64 b, u64 c, int numbers) {
  char line[96], first[2] = {kind, 0};
  if (!guard->runtime) return;
  struct text text = text_in(line, sizeof line);
  add(&text, first);
  for (int i = 0; i < numbers; i++) {
    print(&text, " %lu", i == 0 ? a : i == 1 ? b : c);
  }
  call6(SYS_SENDTO, guard->socket, (i64)line, text.at - line, MSG_NOSIGNAL | MSG_DONTWAIT, 0, 0);
}

/* Lets the application start. measured: it is to mark, for the session. */
static void let_go(struct guard *guard, const char *changes, u64 size, int measured) {
  char own[PATH_BYTES + 64], *all;
  struct text text = text_in(own, sizeof own);
  if (guard->started) return;
  guard->started = 1;
  guard->start_by = 0;
  add(&text, measured ? "=JOULEMARK_SESSION=" : without_session(guard));
  if (measured) add(&text, guard->session.directory);
  u32 total = (u32)(size + (u64)(text.at - own) + 1);
  if (!(all = map_memory(total + 4))) size = 0, all = own, total = 0;
  copy(all, (const char *)&total, 4);
  if (total > 0) {
    copy(all + 4, changes, size);
    copy(all + 4 + size, own, (u64)(text.at - own) + 1);
  }
  guard->start_ns = clock_ns(CLOCK_MONOTONIC_RAW);
  for (u64 sent = 0; sent < total + 4ul;) {
    i64 n = call6(SYS_SENDTO, guard->go, (i64)(all + sent), (i64)(total + 4ul - sent), MSG_NOSIGNAL, 0, 0);
    if (n == -EINTR) continue;
    if (n <= 0) break;
    sent += (u64)n;
  }
  close_fd(guard->go);
  guard->go = -1;
}

/* The value of a variable in a text of entries that end in NUL, if it is a number of some digits. */
static int find_rank(const char *entries, const char *end, const char *name, u64 *rank) {
  u64 size = length(name);
  for (const char *at = entries; at < end; at = after(at)) {
    const char *rest;
    if (!starts(at, name) || at[size] != '=') continue;
    *rank = read_number(at + size + 1, 10, &rest);
    return rest > at + size + 1 && rest < at + size + 11 && !*rest;
  }
  return 0;
}

/* Is it in the environment that a process belongs to the session? */
static int is_member(struct guard *guard, const char *entries, const char *end) {
  static const char name[] = "JOULEMARK_SESSION=";
  for (const char *at = entries; at < end; at = after(at))
    if (starts(at, name) && equal(at + sizeof name - 1, guard->session.directory)) return 1;
  return 0;
}

/* Session and rank are in the environment of a process, which the runtime may not read once it is
   confined. It gets no more than that, and only for processes of its own run. */
static void answer_process(struct guard *guard, u64 pid) {
  enum { ENVIRON_BYTES = 1 << 20 };
  if (!guard->environ) guard->environ = map_memory(ENVIRON_BYTES);
  char path[48], *buffer = guard->environ;
  struct text text = text_in(path, sizeof path);
  print(&text, "/proc/%lu/environ", pid);
  i64 length_read = buffer ? read_file(path, buffer, ENVIRON_BYTES) : -ENOMEM;
  const char *end = buffer + (length_read > 0 ? length_read : 0);
  u64 member = length_read < 0 ? 2 : (u64)is_member(guard, buffer, end), rank = 0;
  int found = 0;
  for (const char *name = RANK_VARIABLES; *name && !found; name = names_after(name))
    found = find_rank(buffer, end, name, &rank);
  tell_runtime(guard, 'P', pid, member, rank, member == 1 && found ? 3 : 2);
}

/* Which namespace the number of a process is of, which the runtime may not see either. */
static void answer_namespace(struct guard *guard, u64 pid) {
  char path[48], stat[256] __attribute__((aligned(8)));
  struct text text = text_in(path, sizeof path);
  print(&text, "/proc/%lu/ns/pid", pid);
  tell_runtime(guard, 'Q', pid, has_stat(AT_FDCWD, path, stat, 0) ? *(const u32 *)(stat + 8) : 0, 0, 2);
}

/* The status is the last field of stat. To whom the kernel hides it, it shows 0, and hides the namespaces too. */
static void answer_status(struct guard *guard, u64 pid) {
  char path[48], stat[512], facts[256] __attribute__((aligned(8)));
  struct text text = text_in(path, sizeof path);
  print(&text, "/proc/%lu/ns/user", pid);
  const char *at = stat_of(pid, stat), *last = at;
  int is_known = at && starts(at, ") Z ") && has_stat(AT_FDCWD, path, facts, 0);
  for (; is_known && *at; at++)
    if (*at == ' ') last = at + 1;
  tell_runtime(guard, 'Z', pid, is_known ? read_number(last, 10, 0) : 0, 0, is_known ? 2 : 1);
}

/*
 * Opens what a process has mapped, which the runtime may not reach once it is confined: "PID root/PATH", as that
 * process sees it, "PID exe" or "PID maps". The descriptor goes with the answer (SCM_RIGHTS, unix(7)).
 */
static void answer_open(struct guard *guard, const char *words) {
  char path[NAME_BYTES + 32], line[64], stat[256] __attribute__((aligned(8)));
  u64 pid = read_number(words, 10, &words);
  struct text text = text_in(path, sizeof path);
  print(&text, "/proc/%lu/%s", pid, *words ? words + 1 : "");
  i64 fd = starts(words, " root/") || equal(words, " exe") || equal(words, " maps") ? open_at(path, O_RDONLY | O_NONBLOCK, 0) : -EACCES;
  if (fd >= 0 && (!has_stat(fd, "", stat, AT_EMPTY_PATH) || (*(u32 *)(stat + STAT_MODE) & S_IFMT) != S_IFREG)) {
    close_fd(fd);
    fd = -EACCES;
  }
  text = text_in(line, sizeof line);
  print(&text, "O %lu %lu", pid, fd < 0 ? (u64)-fd : 0);
  /* struct iovec; struct cmsghdr and a descriptor; struct msghdr. */
  u64 content[2] = {(u64)line, (u64)(text.at - line)};
  u64 rights[3] = {20, SOL_SOCKET | (u64)SCM_RIGHTS << 32, (u64)(u32)fd};
  u64 message[7] = {0, 0, (u64)content, 1, fd < 0 ? 0 : (u64)rights, fd < 0 ? 0 : sizeof rights, 0};
  call(SYS_SENDMSG, guard->socket, (i64)message, MSG_NOSIGNAL | MSG_DONTWAIT, 0);
  close_fd(fd);
}

/* The time in which the runtime waits for a CPU is no wait for the runtime. Moves the application's start by it,
   and that of the launch's other commands. */
static int wait_longer(struct guard *guard, u64 now) {
  u64 starved = guard->runtime ? waited_for_cpu_ns(guard->runtime) : 0;
  u64 start_by = guard->began_ns + START_NS + (starved < STARVED_NS ? starved : STARVED_NS);
  if (start_by <= now) return 0;
  guard->start_by = start_by;
  replace_file(guard->session.directory, "/word", "W", 1);
  return 1;
}

/* Its next word is to come before long. */
static void hear_within(struct guard *guard) {
  guard->hear_by = clock_ns(CLOCK_MONOTONIC) + SILENCE_NS;
  guard->heard_cpu_ns = guard->silent_cpu_ns = cpu_time_of(guard->runtime);
}

/*
 * Without a word for so long: does it still work, on a machine where it gets little time? Then it has
 * used some of a CPU since the last look, and not as much as would be too long for it alone.
 */
static int is_at_work(struct guard *guard) {
  u64 used = cpu_time_of(guard->runtime), since = used - guard->silent_cpu_ns;
  guard->silent_cpu_ns = used;
  return !guard->stopping && since > AT_WORK_NS && used - guard->heard_cpu_ns < SILENCE_NS;
}

static void hear_runtime(struct guard *guard, char *packet) {
  for (;;) {
    i64 size = call6(SYS_RECVFROM, guard->socket, (i64)packet, PACKET_BYTES - 1, MSG_DONTWAIT, 0, 0);
    if (size == -EINTR) continue;
    if (size <= 0) return;
    packet[size] = 0;
    u64 now = clock_ns(CLOCK_MONOTONIC);
    if (packet[0] == 'G' && !guard->said_go) {
      guard->said_go = 1;
      guard->ready_by = 0;
      replace_file(guard->session.directory, "/word", packet, (u64)size);
      if (guard->started) tell_runtime(guard, 'S', guard->start_ns, 0, 0, 1);
      else let_go(guard, packet + 1, (u64)size - 1, 1);
    } else if (packet[0] == 'N' && !guard->started) {
      guard->refused = 1;
      guard->code = (i64)read_number(packet + 1, 10, 0);
      if (guard->code > 128) guard->signal = guard->code - 128;
      replace_file(guard->session.directory, "/word", packet, (u64)size);
      end_application(guard);
      guard->start_by = guard->ready_by = 0;
    } else if (packet[0] == 'W' && !guard->started) {
      u64 more = read_number(packet + 1, 10, 0) * 1000000000ul;
      replace_file(guard->session.directory, "/word", packet, (u64)size);
      guard->start_by = now + more;
      guard->ready_by = now + more + READY_NS;
    } else if (packet[0] == 'P') {
      answer_process(guard, read_number(packet + 1, 10, 0));
      continue;
    } else if (packet[0] == 'Q') {
      answer_namespace(guard, read_number(packet + 1, 10, 0));
      continue;
    } else if (packet[0] == 'Z') {
      answer_status(guard, read_number(packet + 1, 10, 0));
      continue;
    } else if (packet[0] == 'O') {
      answer_open(guard, packet + 1);
      continue;
    } else if (packet[0] == 'D' && !guard->application) {
      guard->runtime = 0; /* it goes on, and is not waited for */
      return;
    } else if (packet[0] == 'F') {
      struct text text = text_in(guard->last_words, sizeof guard->last_words);
      add(&text, packet + 1);
    } else if (packet[0] == 'L') {
      set_budget(&guard->budget, read_number(packet + 1, 10, 0));
    }
    guard->budget.heard_ns = now;
    if (guard->hear_by && !guard->stopping) hear_within(guard);
  }
}

static void hear_errors(struct guard *guard) {
  char rest[512];
  for (;;) {
    u64 room = STDERR_BYTES - guard->stderr_size;
    char *into = room > 0 ? guard->stderr_text + guard->stderr_size : rest;
    i64 n = call(SYS_READ, guard->errors, (i64)into, (i64)(room > 0 ? room : sizeof rest), 0);
    if (n == -EINTR) continue;
    if (n <= 0) return;
    if (room > 0) guard->stderr_size += (u64)n;
    guard->stderr_text[guard->stderr_size] = 0;
  }
}

/* The application's own errno, or that it was executed: the socket closes then. */
static void hear_executed(struct guard *guard) {
  u32 error = 0;
  i64 n = call(SYS_READ, guard->executed, (i64)&error, 4, 0);
  if (n == -EINTR || n == -EAGAIN) return;
  close_fd(guard->executed);
  guard->executed = -1;
  if (n == 4) {
    guard->never_ran = 1;
    say_refused(guard->command.path, error);
    tell_runtime(guard, 'E', error, 0, 0, 1);
  } else if (guard->started) {
    tell_runtime(guard, 'S', guard->start_ns, 0, 0, 1);
  }
}

/* ---- signals ---- */

/* Did the terminal send it to the application's process group too? */
static int both_got_it(struct guard *guard, i64 signal, i64 code) {
  if (code != SI_KERNEL) return 0;
  if (signal != SIGINT && signal != SIGQUIT && signal != SIGTSTP && signal != SIGTTIN &&
      signal != SIGTTOU && signal != SIGWINCH && signal != SIGHUP && signal != SIGCONT)
    return 0;
  if (signal == SIGHUP && guard->leader) return 0; /* a hang-up goes to the leader alone */
  return call(SYS_GETPGID, guard->application, 0, 0, 0) == call(SYS_GETPGID, 0, 0, 0, 0);
}

/*
 * Was it sent by the application itself, or by what it started? Then to the whole process group, which
 * the application belongs to or does not, or to its parent: it is not to get it by us.
 */
static int is_its_own(struct guard *guard, u64 sender) {
  char stat[512];
  for (int i = 0; i < MAX_LEVELS && sender > 1; i++) {
    if (sender == (u64)guard->application) return 1;
    sender = parent_of(sender, 0, stat);
  }
  return 0;
}

static void forward(struct guard *guard, const char *info) {
  i64 signal = *(const u32 *)info, code = *(const i32 *)(info + 8);
  if (signal == SIGCHLD && code > 0) return; /* our own children */
  if (code == SI_USER && *(const u32 *)(info + 12) == (u32)call(SYS_GETPID, 0, 0, 0, 0)) return;
  if (signal == SIGPIPE && code == SI_KERNEL) return;
  if (guard->application) {
    if (!both_got_it(guard, signal, code) && !(code <= 0 && is_its_own(guard, *(const u32 *)(info + 12)))) {
      if (code == SI_QUEUE) {
        u64 queued[16] = {0}; /* siginfo_t: signal, errno, code, then pid, uid, value */
        char *to = (char *)queued;
        *(i32 *)to = (i32)signal;
        *(i32 *)(to + 8) = SI_QUEUE;
        copy(to + 16, info + 12, 8);
        copy(to + 24, info + 48, 8);
        call(SYS_SIGQUEUEINFO, guard->application, signal, (i64)queued, 0);
      } else {
        call(SYS_KILL, guard->application, signal, 0, 0);
      }
    }
  } else if (signal == SIGTERM || signal == SIGINT || signal == SIGHUP || signal == SIGQUIT) {
    /* Only the report is still to come: soon, or not at all. */
    if (guard->stopping && guard->runtime) call(SYS_KILL, guard->runtime, SIGKILL, 0, 0);
    guard->stopping = 1;
    guard->hear_by = clock_ns(CLOCK_MONOTONIC) + HURRY_NS;
  }
  tell_runtime(guard, 'K', (u64)signal, 0, 0, 1);
}

static void hear_signals(struct guard *guard) {
  char info[128] __attribute__((aligned(8)));
  for (;;) {
    i64 n = call(SYS_READ, guard->signals, (i64)info, sizeof info, 0);
    if (n == -EINTR) continue;
    if (n != sizeof info) return;
    forward(guard, info);
  }
}

/* Stops like the application did at a terminal, so that the shell has its prompt back; goes on when
   the shell continues it. */
static void stop_like(struct guard *guard, i64 signal) {
  if (signal != SIGTSTP && signal != SIGTTIN && signal != SIGTTOU) return;
  if (call(SYS_GETPGID, guard->application, 0, 0, 0) != call(SYS_GETPGID, 0, 0, 0, 0)) return;
  u64 ignored = disposition(signal) == SIG_IGN;
  if (ignored) set_disposition(signal, SIG_DFL);
  call(SYS_KILL, call(SYS_GETPID, 0, 0, 0, 0), signal, 0, 0);
  set_mask(SIG_UNBLOCK, SIGNAL(signal)); /* here it stops */
  set_mask(SIG_BLOCK, SIGNAL(signal));
  if (ignored) set_disposition(signal, SIG_IGN);
}

/* ---- ends ---- */

static void end_runtime(struct guard *guard, const char *why) {
  guard->killed = why;
  call(SYS_KILL, guard->runtime, SIGKILL, 0, 0);
}

static void watch_budget(struct guard *guard) {
  enum verdict verdict = judge(&guard->budget, guard->runtime);
  if (verdict == LOWERED) tell_runtime(guard, 'L', 0, 0, 0, 0);
  if (verdict == STUCK) end_runtime(guard, "it used more CPU time than its budget, and did not answer for 10 s");
}

static void application_ended(struct guard *guard, u32 status) {
  u64 now = clock_ns(CLOCK_MONOTONIC_RAW);
  guard->application = 0;
  guard->budget.look_by = 0; /* the final report has a budget of its own */
  if (guard->refused) return;
  guard->signal = status & 0x7f;
  guard->code = guard->signal ? 128 + guard->signal : (status >> 8) & 0xff;
  if (guard->executed >= 0) hear_executed(guard);
  tell_runtime(guard, 'X', (u64)guard->code, (u64)guard->signal, now, 3);
  hear_within(guard);
}

static void runtime_ended(struct guard *guard, u32 status, char *packet) {
  hear_runtime(guard, packet); /* its last packets are still there */
  hear_errors(guard);
  guard->runtime = 0;
  guard->hear_by = guard->ready_by = guard->budget.look_by = 0;
  if (guard->refused) return;
  if (!guard->started && !guard->has_command) {
    guard->refused = 1; /* a demo without its runtime is nothing */
    guard->code = 1;
    end_application(guard);
  }
  if (!guard->said_go) {
    say_unmeasured(guard, status & 0x7f);
    if (guard->application) let_go(guard, 0, 0, 0);
  } else if (status != 0 && !guard->never_ran) {
    char how[128];
    struct text text = text_in(how, sizeof how);
    if (guard->killed) {
      print(&text, "by its guardian: %s", guard->killed);
    } else {
      const char *how_it_ended = status & 0x7f ? "signal" : "status";
      print(&text, "%s %lu", how_it_ended, (u64)(status & 0x7f ? status & 0x7f : (status >> 8) & 0xff));
    }
    say(guard->application ? "the monitor ended (" : "the monitor ended before its report was left (", how,
        guard->application ? "); the command goes on unmeasured" : ")",
        guard->last_words);
  }
}

static void hear_children(struct guard *guard, char *packet) {
  for (;;) {
    u32 status = 0;
    i64 pid = call(SYS_WAIT4, -1, (i64)&status, WNOHANG | WUNTRACED | WCONTINUED, 0);
    if (pid == -EINTR) continue;
    if (pid <= 0) return;
    int stopped = (status & 0xff) == 0x7f, continued = status == 0xffff;
    if (pid == guard->application) {
      if (stopped) stop_like(guard, (status >> 8) & 0xff);
      else if (!continued) application_ended(guard, status);
    } else if (pid == guard->runtime && !stopped && !continued) {
      runtime_ended(guard, status, packet);
    }
  }
}

/* As the application ended: our parent sees the same status. */
__attribute__((noreturn)) static void end_like(struct guard *guard) {
  if (guard->signal) {
    call(SYS_PRCTL, PR_SET_DUMPABLE, 0, 0, 0); /* one core file is enough */
    if (guard->signal != SIGKILL) set_disposition(guard->signal, SIG_DFL);
    call(SYS_KILL, call(SYS_GETPID, 0, 0, 0, 0), guard->signal, 0, 0);
    set_mask(SIG_UNBLOCK, SIGNAL(guard->signal));
  }
  leave(guard->code);
}

static u64 sooner(u64 a, u64 b) { return !a ? b : !b ? a : a < b ? a : b; }

static void watch(struct guard *guard) {
  char *packet = map_memory(PACKET_BYTES);
  char spare[2048];
  if (!packet) packet = spare; /* longer packets are cut: what they change is lost, the rest goes on */
  while (guard->application || guard->runtime) {
    struct {
      i32 fd;
      u16 events, got;
    } polls[4] = {{(i32)guard->signals, POLLIN, 0},
                  {guard->runtime ? (i32)guard->socket : -1, POLLIN, 0},
                  {guard->runtime ? (i32)guard->errors : -1, POLLIN, 0},
                  {(i32)guard->executed, POLLIN, 0}};
    u64 now = clock_ns(CLOCK_MONOTONIC), time[2] = {0, 0};
    u64 next = sooner(sooner(guard->start_by, guard->budget.look_by), sooner(guard->ready_by, guard->hear_by));
    if (next > now) time[0] = (next - now) / 1000000000ul, time[1] = (next - now) % 1000000000ul;
    call6(SYS_PPOLL, (i64)polls, 4, next ? (i64)time : 0, 0, 8, 0);
    if (guard->runtime) hear_runtime(guard, packet);
    if (guard->runtime) hear_errors(guard);
    if (guard->executed >= 0) hear_executed(guard);
    hear_signals(guard);
    hear_children(guard, packet);
    /* An end of the socket without a process's end is no news: its process is asked. */
    now = clock_ns(CLOCK_MONOTONIC);
    if (guard->start_by && now >= guard->start_by && guard->has_command && !wait_longer(guard, now)) {
      replace_file(guard->session.directory, "/word", "", 0); /* the others wait no longer either */
      let_go(guard, 0, 0, 1);
    }
    if (guard->budget.look_by && now >= guard->budget.look_by && guard->runtime) watch_budget(guard);
    if (guard->ready_by && now >= guard->ready_by && guard->runtime) {
      guard->ready_by = 0;
      end_runtime(guard, "it was not ready in time");
    }
    if (guard->hear_by && now >= guard->hear_by && guard->runtime && is_at_work(guard)) {
      guard->hear_by = now + SILENCE_NS;
    } else if (guard->hear_by && now >= guard->hear_by && guard->runtime) {
      /* In a call to a file server that hangs, no signal ends it: then the wait ends without its end. */
      if (guard->killed) {
        runtime_ended(guard, SIGKILL, packet);
      } else {
        end_runtime(guard, "it did not answer in time");
        guard->hear_by = now + HURRY_NS;
      }
    }
  }
}

/* ---- the beginning ---- */

/* Without memory for the changes it runs as it is. */
__attribute__((noreturn)) static void run_in_place(struct guard *guard, const char *changes, u64 size) {
  apply_changes(&guard->command, changes, size);
  i64 error = become(&guard->command, &guard->inherited);
  say_refused(guard->command.path, error);
  leave(error == ENOENT ? 127 : 126);
}

__attribute__((noreturn)) static void run_unmeasured(struct guard *guard, const char *why, i64 error) {
  char reason[2 * PATH_BYTES + 128];
  struct text text = text_in(reason, sizeof reason);
  if (!find_obstacle(&text)) {
    print(&text, "expected %s, found: %s", why, error_text(error));
    if (error == EAGAIN) add(&text, "; ask for more processes (pids.max, ulimit -u)");
    if (error == EROFS || error == EACCES)
      add(&text, "; make one of them writable for this user (in a container: mount a tmpfs there)");
  }
  add_outer(guard, &text);
  say("the command runs unmeasured: ", reason, 0, 0);
  const char *change = without_session(guard);
  run_in_place(guard, change, length(change) + 1);
}

/* Says once for each kind of request where the processes of such members are. */
static void say_shared(struct guard *guard) {
  char line[2 * PATH_BYTES], said[64];
  struct text name = text_in(said, sizeof said), text = text_in(line, sizeof line);
  print(&name, "/said-%s", guard->session.request);
  if (write_in(guard->session.directory, said, "", 0) == -EEXIST) return;
  add(&text, "this run belongs to a launch that is measured already, with other options: its processes are in ");
  add_report(guard->session.directory, &text);
  say(line, 0, 0, 0);
}

/* Has a runtime check the request of this run, which is not that of the launch. A wrong one ends here. */
static void check_request(struct guard *guard) {
  static const u64 CHECK_NS = 30000000000ul;
  char extra[256];
  struct text text = text_in(extra, sizeof extra);
  u64 until = clock_ns(CLOCK_MONOTONIC) + CHECK_NS;
  add(&text, "--joulemark-inherited=");
  add_inherited(&text, &guard->inherited);
  text.at++;
  *text.at = 0;
  add(&text, "--joulemark-check");
  i64 child = fork_process(), ended = 0;
  if (child == 0) {
    raise_limits();
    start_runtime(guard->process, 0, extra, 2, 0);
  }
  u32 status = 0;
  while (child > 0 && (ended = call(SYS_WAIT4, child, (i64)&status, WNOHANG, 0)) != child) {
    if (ended < 0 && ended != -EINTR) return;
    if (clock_ns(CLOCK_MONOTONIC) > until) call(SYS_KILL, child, SIGKILL, 0, 0);
    sleep_ns(1000000);
  }
  /* 2: a wrong request; 0: what was asked for is no run, such as help. */
  i64 code = (status >> 8) & 0xff;
  if (child > 0 && (status & 0x7f) == 0 && (code == 2 || code == 0)) leave(code);
}

__attribute__((noreturn)) static void become_member(struct guard *guard) {
  int differs = !has_same_request(&guard->session);
  if (differs) check_request(guard);
  char *word = map_memory(WORD_BYTES + PATH_BYTES);
  if (!word) run_in_place(guard, "-JOULEMARK_SESSION", sizeof "-JOULEMARK_SESSION");
  i64 size = word_of(guard->session.directory, word);
  if (size > 0 && word[0] == 'N' && !differs) leave((i64)read_number(word + 1, 10, 0));
  if (size <= 0 || word[0] != 'G') {
    size = 1;
    word[1] = 0;
  }
  if (differs) say_shared(guard);
  offer_samples(guard->session.directory);
  note_launch(guard->session.directory);
  struct text text = {word + size, word + size + PATH_BYTES - 1};
  print(&text, "=JOULEMARK_SESSION=%s", guard->session.directory);
  run_in_place(guard, word + 1, (u64)(text.at - word));
}

/* Closes all descriptors but these and standard error: who waits for the end of a pipe, or for a lock, waits for
   processes that use it. */
static void close_others(const i64 *kept, int count) {
  char entries[2048] __attribute__((aligned(8)));
  for (i64 from = 0;;) {
    i64 next = from <= 2 ? 2 : ~0u;
    for (int i = 0; i < count; i++)
      if (kept[i] >= from && kept[i] < next) next = kept[i];
    if (next > from && call(SYS_CLOSE_RANGE, from, next == ~0u ? next : next - 1, 0, 0) != 0) break;
    if (next == ~0u) return;
    from = next + 1;
  }
  /* A kernel before 5.9. */
  i64 list = open_at("/proc/self/fd", O_RDONLY | O_DIRECTORY, 0), size;
  while (list >= 0 && (size = call(SYS_GETDENTS64, list, (i64)entries, sizeof entries, 0)) > 0) {
    for (i64 at = 0; at < size; at += *(u16 *)(entries + at + 16)) {
      i64 fd = (i64)read_number(entries + at + 19, 10, 0);
      int keeps = fd == 2 || fd == list || entries[at + 19] == '.';
      for (int i = 0; i < count; i++) keeps |= fd == kept[i];
      if (!keeps) close_fd(fd);
    }
  }
  close_fd(list);
}

__attribute__((noreturn)) static void guard_application(struct guard *guard) {
  i32 go[2], executed[2], sockets[2], errors[2];
  u64 all = ~0ul;
  i64 error;
  if ((error = call(SYS_SOCKETPAIR, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, (i64)go)) != 0 ||
      (error = call(SYS_PIPE2, (i64)executed, O_CLOEXEC | O_NONBLOCK, 0, 0)) != 0 ||
      (error = call(SYS_SOCKETPAIR, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, (i64)sockets)) != 0 ||
      (error = call(SYS_PIPE2, (i64)errors, O_CLOEXEC | O_NONBLOCK, 0, 0)) != 0)
    run_unmeasured(guard, "free descriptors", -error);
  for (int i = 0; i < 2; i++) {
    go[i] = (i32)above_streams(go[i]);
    executed[i] = (i32)above_streams(executed[i]);
    sockets[i] = (i32)above_streams(sockets[i]);
    errors[i] = (i32)above_streams(errors[i]);
  }
  set_mask(SIG_SETMASK, ~0ul);
  i32 death = 0;
  struct kept kept = {{{0}}, {0}};
  look_what_is_kept(&kept);
  call(SYS_PRCTL, PR_GET_PDEATHSIG, (i64)&death, 0, 0);
  guard->application = fork_process();
  if (guard->application < 0) {
    set_mask(SIG_SETMASK, guard->inherited.blocked);
    run_unmeasured(guard, "another process", -guard->application);
  }
  if (guard->application == 0) {
    close_fd(go[0]);
    close_fd(executed[0]);
    close_fd(sockets[0]);
    close_fd(sockets[1]);
    /* A process that requested to be killed with its parent still is. */
    if (death == SIGKILL) call(SYS_PRCTL, PR_SET_PDEATHSIG, SIGKILL, 0, 0);
    keep(&kept);
    application(guard, go[1], executed[1]);
  }
  /* The session is the caller's, who could exchange what is read there as code. */
  char variable[PATH_BYTES];
  const char *cache =
      guard->elevated ? 0 : make_cache_directory(guard->session.directory, config.cache_length, variable);
  guard->runtime = fork_process();
  if (guard->runtime == 0) {
    close_fd(go[0]);
    close_fd(go[1]);
    close_fd(executed[0]);
    close_fd(executed[1]);
    close_fd(sockets[0]);
    close_fd(errors[0]);
    set_disposition(SIGCHLD, SIG_DFL);
    runtime(guard, sockets[1], errors[1], cache);
  }
  close_fd(go[1]);
  close_fd(executed[1]);
  close_fd(sockets[1]);
  close_fd(errors[1]);
  guard->go = go[0];
  guard->executed = executed[0];
  guard->socket = sockets[0];
  guard->errors = errors[0];
  if (guard->runtime < 0) {
    error = guard->runtime;
    end_application(guard); /* we take its place */
    call(SYS_WAIT4, guard->application, 0, 0, 0);
    run_unmeasured(guard, "another process", -error);
  }
  /* While the runtime gets ready to look for it. */
  if (cache) lay_code_cache(cache, config.cache_at, config.cache_length);
  give_away(&kept);
  if (disposition(SIGCHLD) != SIG_DFL) set_disposition(SIGCHLD, SIG_DFL);
  guard->signals = above_streams(call(SYS_SIGNALFD4, -1, (i64)&all, 8, O_CLOEXEC | O_NONBLOCK));
  const i64 own[] = {guard->signals, guard->go, guard->executed, guard->socket, guard->errors, guard->session.lock};
  close_others(own, sizeof own / sizeof *own);
  guard->leader = call(SYS_GETSID, 0, 0, 0, 0) == call(SYS_GETPID, 0, 0, 0, 0);
  guard->began_ns = clock_ns(CLOCK_MONOTONIC);
  if (guard->has_command) guard->start_by = guard->began_ns + START_NS / 2; /* a first look, before others of the launch give up */
  guard->ready_by = guard->began_ns + READY_NS;
  watch(guard);
  end_like(guard);
}

/* "-" stands for a stream. */
static int is_option(const char *word) { return word[0] == '-' && word[1]; }

static int takes_value(const char *word) {
  const char *option = (const char *)&config + config.with_value_at;
  for (u64 i = 0; i < config.with_value_count; i++, option = after(option))
    if (equal(word, option)) return 1;
  return 0;
}

/* Where the command begins: at the first word that is neither an option nor the value of one, or behind
   "--" before any; 0: there is none. The runtime looks for it in the same way (core/option.ts). */
static u64 find_end(const struct process *process, u64 from) {
  for (u64 i = from; i < process->count; i++) {
    const char *word = process->arguments[i];
    if (equal(word, "--")) return i + 1 < process->count ? i + 1 : 0;
    if (!is_option(word)) return i;
    if (takes_value(word) && i + 1 < process->count && !is_option(process->arguments[i + 1])) i++;
  }
  return 0;
}

/* Is the command to run several times? Then each of its runs is a process of its own, with a guardian. */
static int is_repeated(const struct process *process, u64 from, u64 end) {
  for (u64 i = from; i < end; i++)
    if (equal(process->arguments[i], "--repeat") || starts(process->arguments[i], "--repeat=")) return 1;
  return 0;
}

static u32 sum_text(u32 sum, const char *text) {
  for (; *text; text++) sum = (sum ^ (u8)*text) * 0x01000193;
  return (sum ^ '\n') * 0x01000193;
}

/* A checksum of what a run is asked for, by words in their order and by variables in any. */
static void sum_request(const struct process *process, u64 from, u64 end, char *sum) {
  u32 words = 0x811c9dc5, variables = 0;
  for (u64 i = from; i < end; i++) words = sum_text(words, process->arguments[i]);
  for (char **entry = process->environment; *entry; entry++)
    if ((starts(*entry, "JOULEMARK_") && !starts(*entry, "JOULEMARK_SESSION=")) || starts(*entry, "GEOPM_") ||
        starts(*entry, "CALI_"))
      variables += sum_text(0x811c9dc5, *entry);
  struct text text = text_in(sum, 32);
  add_number(&text, (u64)words << 32 | variables, 16);
}

/* Does a verb read counters of this machine? Only such a one has a use for capabilities. */
static int reads_counters(const char *verb) {
  return equal(verb, "run") || find_char(verb, '/') || equal(verb, "demo") || equal(verb, "read") || equal(verb, "sample") ||
         equal(verb, "monitor") || equal(verb, "top") || equal(verb, "doctor") || equal(verb, "capture");
}

/* A verb without an application: a signal ends it as any program. SIGUSR1 is blocked before the
   runtime's threads exist: it would open its debugger on a port. */
__attribute__((noreturn)) static void start_verb(const struct process *process, int is_query) {
  char extra[320 + PATH_BYTES], why[256], directory[PATH_BYTES], variable[PATH_BYTES];
  struct text reason = text_in(why, sizeof why);
  if (find_start_obstacle(&reason)) {
    say("cannot start: ", why, 0, 0);
    leave(1);
  }
  struct text text = text_in(extra, sizeof extra);
  struct inherited state = look_around();
  set_mask(SIG_BLOCK, SIGNAL(SIGUSR1));
  set_mask(SIG_UNBLOCK, CONFINE);
  add(&text, "--joulemark-inherited=");
  add_inherited(&text, &state);
  if (config.mode != MODE_EXECUTE) {
    print(&text, ":%lu:%lu", (u64)confine_thread, (u64)return_from_signal);
  }
  *directory = 0;
  const char *cache = is_query ? lay_query_cache(directory, variable) : 0;
  if (*directory) {
    print(&text, ":%s", directory);
  }
  start_runtime(process, 0, extra, 1, cache);
}

__attribute__((used, noreturn)) void guardian_main(u64 *stack, u64 self) {
  struct process process = {stack[0], (char **)(stack + 1), 0, 0, 2, self};
  process.environment = process.arguments + process.count + 1;
  char **last = process.environment;
  while (*last) last++;
  process.vector = (u64 *)(last + 1);
  while (process.vector[process.vector_words - 2]) process.vector_words += 2;

  u64 first = config.mode == MODE_EXECUTE ? config.arguments_from : 1;
  const char *raw = variable(process.environment, "JOULEMARK_RAW_DENO");
  if (raw && equal(raw, "1") && config.mode == MODE_PACKED && !auxiliary(&process, AT_SECURE))
    start_runtime(&process, 1, 0, 0, 0);
  const char *verb = process.count > first ? process.arguments[first] : "";
  int elevated = auxiliary(&process, AT_SECURE) != 0;
  if (elevated && is_set_id(&process))
    fail("cannot start: the executable has a set-user-ID or set-group-ID bit, and your command would get its rights. "
         "Remove the bit with chmod ug-s; \"joulemark doctor\" shows other ways to the counters");
  if (elevated && reads_counters(verb)) lower_capabilities();
  else if (elevated) drop_capabilities();
  int demo = equal(verb, "demo");
  u64 at = equal(verb, "run") ? find_end(&process, first + 1) : 0;
  if (is_repeated(&process, first + 1, at)) at = 0;
  if (find_char(verb, '/')) at = first; /* joulemark ./app */
  char path[COMMAND_BYTES];
  if (!demo && (at == 0 || !find_command(process.arguments[at], process.environment, path))) {
    if (config.mode == MODE_EXECUTE) leave(127); /* who started us has looked it up */
    start_verb(&process, equal(verb, "query") && !elevated);
  }
  char memory[sizeof(struct guard)] __attribute__((aligned(16)));
  for (u64 i = 0; i < sizeof memory; i++) memory[i] = 0;
  struct guard *guard = (struct guard *)memory;
  guard->process = &process;
  guard->has_command = !demo;
  guard->elevated = elevated;
  const char *name = demo ? 0 : process.arguments[at];
  guard->command = (struct command){path, name, demo ? 0 : search_list(name, process.environment),
                                    process.arguments + at, process.environment};
  guard->executed = guard->go = -1;
  guard->inherited = look_around();
  allow_files(&guard->inherited);
  guard->outer = outer_session(process.environment);
  sum_request(&process, first + 1, at, guard->session.request);
  enum role role = elect(&guard->session, process.environment, &config, demo);
  if (role == MEMBER) become_member(guard);
  if (role == ELECTED) guard_application(guard);
  if (demo) start_verb(&process, 0);
  run_unmeasured(guard, guard->session.problem, guard->session.error);
}
