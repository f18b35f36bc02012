/*
 * One monitor per node and job, by a lock: no rank, no MPI, no message.
 *
 *   BASE/                          mode 0700, this user's: see base.h
 *     JOB/lock                     flock(2), held by the elected guardian and its runtime
 *     JOB/current                  name of the session directory, written when it is complete
 *     JOB/s-PID-TIME/              mode 0700: session file, a ring file per process, launch notes
 *       word                       the elected runtime's answer to the request: see word_of()
 *       request                    a checksum of the elected one's options, for members to compare
 *       task-N                     the number of the process that task N of the launch runs
 *       run.PID                    the process of that number became a command
 *
 * The kernel drops the lock with its holders. What killed ones left is for the next elected
 * runtime to recover and to remove; nothing is removed here.
 */
#include "base.h"

enum { LOCK_SH = 1, LOCK_EX = 2, LOCK_NB = 4 };
enum { KEY_BYTES = 1024, WORD_BYTES = 65536 };
#define WAIT_NS 1000000000ul      /* for another one's session, and its word */
#define STARVED_NS 4000000000ul   /* so much more where its runtime waits for a CPU */
#define LONG_WAIT_NS 600000000000ul /* where its word is that it needs more time */

/* SECOND: this task of the launch has its monitor already; this is another run in it. */
enum role { ELECTED, MEMBER, SECOND, ALONE, FULL };

struct session {
  i64 lock;
  char directory[PATH_BYTES];
  char request[32]; /* a checksum of the options and variables of this run */
  char task[PATH_BYTES]; /* the name of a file for this task of its launch; empty: it has no number */
  const char *problem; /* ALONE: what could not be made, and why */
  i64 error;
};

/* Each ends in NUL, the last one is empty. */
static const char *names_after(const char *name) { return name + length(name) + 1; }

/* Adds the values of those variables that are set, a dash before each. @returns How many are. */
static int add_values(struct text *text, char **environment, const char *names) {
  int found = 0;
  for (; *names; names = names_after(names)) {
    const char *value = variable(environment, names);
    if (!value) continue;
    print(text, "-%s", value);
    found++;
  }
  return found;
}

/* Variables that a launcher gives to all processes of one launch with one value. */
#define LAUNCH_VARIABLES                                                               \
  "PALS_APID\0PMIX_NAMESPACE\0OMPI_MCA_ess_base_jobid\0PMI_JOBID\0HYDRA_JOBID\0MPIRUN_ID\0" \
  "LSF_JSRUN_STEP_ID\0JSM_JSRUN_NAMESPACE\0"
/* The rank of a process in its launch by MPI, and in its launch. */
#define MPI_RANK_VARIABLES "OMPI_COMM_WORLD_RANK\0PMIX_RANK\0PMI_RANK\0PALS_RANKID\0ALPS_APP_PE\0FLUX_TASK_RANK\0"
#define RANK_VARIABLES MPI_RANK_VARIABLES "SLURM_PROCID\0"
/* Further numbers of a task within what is launched. */
#define TASK_VARIABLES "JSM_NAMESPACE_RANK\0LSF_PM_TASKID\0PBS_TASKNUM\0MPIRUN_RANK\0MV2_COMM_WORLD_RANK\0"

/* proc_pid_stat(5): "pid (any name) state ppid ...". @returns From the last parenthesis; 0: the process is gone. */
static const char *stat_of(u64 pid, char stat[512]) {
  char path[48];
  struct text text = text_in(path, sizeof path);
  print(&text, "/proc/%lu/stat", pid);
  if (read_file(path, stat, 512) <= 0) return 0;
  const char *at = stat;
  for (const char *c = stat; *c; c++)
    if (*c == ')') at = c;
  return length(at) < 5 ? 0 : at;
}

/* The name in parentheses and the parent of a process. @returns The parent; 0: it is gone. */
static u64 parent_of(u64 pid, const char **name, char stat[512]) {
  const char *at = stat_of(pid, stat);
  if (!at) return 0;
  if (name) *name = find_char(stat, '(');
  return read_number(at + 4, 10, 0);
}

enum { MAX_LEVELS = 64 };

/* Hydra gives its processes of a node nothing in common but their proxy: the ancestor of that name, else the parent. */
static u64 hydra_proxy(void) {
  char stat[512];
  u64 parent = (u64)call(SYS_GETPPID, 0, 0, 0, 0), pid = parent;
  for (int i = 0; i < MAX_LEVELS && pid > 1; i++) {
    const char *name = 0;
    u64 above = parent_of(pid, &name, stat);
    if (name && (starts(name, "(hydra_pmi_prox") || starts(name, "(pmi_proxy"))) return pid;
    pid = above;
  }
  return parent;
}

enum launch { NO_LAUNCH, BY_STEP, BY_MPI };

/*
 * Which `run`s on a node belong together: those of one launch, by a scheduler's step or by MPI. This one may belong to
 * none, as each run in a batch script. Variables: srun(1), pbsdsh(1B), blaunch(1), flux-run(1), PMIx and Hydra.
 */
static enum launch launch_key(char **environment, struct text *key) {
  const char *slurm = variable(environment, "SLURM_JOB_ID"), *step = variable(environment, "SLURM_STEP_ID");
  const char *task = variable(environment, "PBS_TASKNUM");
  int found = 0;
  if (!slurm) slurm = variable(environment, "SLURM_JOBID");
  if (!step) step = variable(environment, "SLURM_STEPID");
  if (slurm && step) {
    print(key, "slurm-%s-%s", slurm, step);
    /* Several of Slurm's nodes may be one machine; on any other the number changes nothing. */
    if (!add_values(key, environment, "SLURM_NODEID\0")) add(key, "-0");
    found = 1;
  } else if (variable(environment, "FLUX_TASK_RANK") && variable(environment, "FLUX_JOB_ID")) {
    add(key, "flux");
    found = add_values(key, environment, "FLUX_JOB_ID\0");
  } else if (task && read_number(task, 10, 0) > 1) { /* 0 and 1 are the numbers of the job's script */
    add(key, "pbs");
    found = add_values(key, environment, "PBS_JOBID\0");
  } else if (variable(environment, "LSF_PM_TASKID")) {
    add(key, "lsf");
    found = add_values(key, environment, "LSB_JOBID\0LSB_JOBINDEX\0");
  } else {
    add(key, "mpi");
  }
  int launches = add_values(key, environment, LAUNCH_VARIABLES);
  if (!launches && variable(environment, "PMI_RANK") && variable(environment, "MPI_LOCALNRANKS")) {
    print(key, "-hydra-%lu", hydra_proxy());
    launches = 1;
  }
  return launches ? BY_MPI : found ? BY_STEP : NO_LAUNCH;
}

/* A key as a file name: letters, digits, dots and dashes, at most 100; longer ones end in FNV-1a. */
static void add_file_name(struct text *path, const char *key) {
  u64 size = length(key);
  u32 hash = 0x811c9dc5;
  char one[2] = {0, 0};
  for (u64 i = 0; i < size && (size <= 100 || i < 80); i++) {
    char c = key[i];
    int plain = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                c == '.' || c == '-';
    one[0] = plain ? c : '_';
    add(path, one);
  }
  if (size <= 100) return;
  for (u64 i = 0; i < size; i++) hash = (hash ^ (u8)key[i]) * 0x01000193;
  print(path, "-%lx", (u64)hash);
}

static int links(i64 fd) {
  char stat[256];
  return has_stat(fd, "", stat, AT_EMPTY_PATH) && *(u32 *)(stat + STAT_NLINK) > 0;
}

/* A file that appears whole or not at all. */
static i64 replace_file(const char *directory, const char *slash_name, const char *bytes, u64 size) {
  char path[PATH_BYTES], fresh[PATH_BYTES];
  join(path, directory, slash_name);
  join(fresh, path, ".new");
  call(SYS_UNLINKAT, AT_FDCWD, (i64)fresh, 0, 0);
  i64 error = write_new(fresh, bytes, size);
  if (error < 0) return error;
  return call(SYS_RENAMEAT, AT_FDCWD, (i64)fresh, AT_FDCWD, (i64)path);
}

/* Announces this pid to the monitor, which stays the same through execve(2). */
static void note_launch(const char *directory) {
  char path[PATH_BYTES];
  struct text text = text_in(path, sizeof path);
  print(&text, "%s/run.%lu", directory, (u64)call(SYS_GETPID, 0, 0, 0, 0));
  call(SYS_UNLINKAT, AT_FDCWD, (i64)path, 0, 0);
  write_new(path, "", 0);
}

/* The session that the holder of the lock has made; 0 where it has not yet. */
static int current_session(const char *job, char *directory) {
  char path[PATH_BYTES], name[64];
  join(path, job, "/current");
  i64 size = read_file(path, name, sizeof name);
  if (size < 4 || !starts(name, "s-") || find_char(name, '/')) return 0;
  if (name[size - 1] == '\n') name[size - 1] = 0;
  join(directory, job, "/");
  join(path, directory, name);
  copy(directory, path, PATH_BYTES);
  return is_private(directory);
}

/* May stamps be cycles? Only where the kernel itself keeps time by a counter that never stops. */
static int counter_is_steady(void) {
  char source[64];
  i64 n = read_file("/sys/devices/system/clocksource/clocksource0/current_clocksource", source,
                    sizeof source);
  if (n <= 0) return 0;
  if (source[n - 1] == '\n') source[n - 1] = 0;
  return equal(source, CLOCK_SOURCE) && counter_never_stops();
}

static i64 write_in(const char *directory, const char *slash_name, const char *bytes, u64 size) {
  char path[PATH_BYTES];
  join(path, directory, slash_name);
  return write_new(path, bytes, size);
}

/* Notes that this process is the one of its task. 0: another process is, and still runs. */
static int take_task(const struct session *session) {
  char path[PATH_BYTES], own[32], other[32];
  if (!*session->task) return 1;
  join(path, session->directory, session->task);
  struct text text = text_in(own, sizeof own);
  add_number(&text, (u64)call(SYS_GETPID, 0, 0, 0, 0), 10);
  if (write_new(path, own, length(own)) == 0 || read_file(path, other, sizeof other) <= 0) return 1;
  i64 pid = (i64)read_number(other, 10, 0);
  if (pid > 0 && !equal(own, other) && call(SYS_KILL, pid, 0, 0, 0) != -ESRCH) return 0;
  replace_file(session->directory, session->task, own, length(own));
  return 1;
}

/* Has the elected one the options of this run? What cannot be read is not compared. */
static int has_same_request(const struct session *session) {
  char path[PATH_BYTES], other[32];
  join(path, session->directory, "/request");
  return read_file(path, other, sizeof other) <= 0 || equal(other, session->request);
}

static i64 make_session(const char *job, struct session *made, const struct config *config) {
  char name[96], session[64], *directory = made->directory;
  struct text text = text_in(name, sizeof name);
  print(&text, "/s-%lu-%lu", (u64)call(SYS_GETPID, 0, 0, 0, 0), clock_ns(CLOCK_MONOTONIC_RAW));
  join(directory, job, name);
  i64 error = make_private(directory);
  if (error != 0) return error;
  copy(session, config->session, sizeof session);
  session[config->session_cycles] = (char)counter_is_steady();
  error = write_in(directory, "/session", session, sizeof session);
  if (error == 0) error = write_in(directory, "/request", made->request, length(made->request));
  if (error != 0) return error;
  take_task(made);
  add(&text, "\n");
  return replace_file(job, "/current", name + 1, length(name + 1));
}

/* Becomes the monitor's guardian, or a member of an existing session, in one of the places. FULL: it
   cannot be there, for `session->error`. */
static enum role elect_in(struct session *session, int place, const char *key_text,
                          const struct config *config) {
  struct base base;
  char job[PATH_BYTES], lock_path[PATH_BYTES];
  if (!find_base(&base, place)) {
    session->error = base.error;
    return FULL;
  }
  struct text path = text_in(job, sizeof job);
  print(&path, "%s/", base.path);
  add_file_name(&path, key_text);
  join(lock_path, job, "/lock");
  for (u64 until = clock_ns(CLOCK_MONOTONIC) + WAIT_NS;;) {
    i64 error = make_private(job);
    i64 lock = error < 0 ? error : open_at(lock_path, O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
    if (lock == -ENOENT) continue; /* a monitor that ended took the directory with it just now */
    if (lock < 0) {
      session->error = -lock;
      return FULL;
    }
    lock = above_streams(lock);
    if (call(SYS_FLOCK, lock, LOCK_EX | LOCK_NB, 0, 0) == 0) {
      if (!links(lock)) { /* removed by the one that held it */
        close_fd(lock);
        continue;
      }
      if (*base.squatted) say(base.squatted, "; ", base.path, " is used instead");
      session->error = -make_session(job, session, config);
      if (session->error == 0) {
        session->lock = lock;
        return ELECTED;
      }
      call(SYS_UNLINKAT, AT_FDCWD, (i64)lock_path, 0, 0);
      static const char made[] = "/session\0/request\0/current\0";
      for (const char *file = made; *file; file = names_after(file)) {
        char path[PATH_BYTES];
        join(path, session->directory, file);
        call(SYS_UNLINKAT, AT_FDCWD, (i64)path, 0, 0);
      }
      call(SYS_UNLINKAT, AT_FDCWD, (i64)session->directory, AT_REMOVEDIR, 0);
      call(SYS_UNLINKAT, AT_FDCWD, (i64)job, AT_REMOVEDIR, 0);
      close_fd(lock);
      return FULL;
    }
    close_fd(lock);
    if (current_session(job, session->directory)) return take_task(session) ? MEMBER : SECOND;
    if (clock_ns(CLOCK_MONOTONIC) > until) {
      session->problem = "a session of this node's monitor within 1 s";
      session->error = ENOENT;
      return ALONE;
    }
    sleep_ns(1000000);
  }
}

/* In the first place that can have it. */
static enum role elect_by(struct session *session, const char *key, const struct config *config) {
  i64 error = 0;
  for (int place = 0; place < PLACES; place++) {
    enum role role = elect_in(session, place, key, config);
    if (role != FULL) return role;
    if (place == 0) error = session->error; /* of the place that is meant for it */
  }
  session->error = error;
  return ALONE;
}

/* A run that belongs to a launch shares its monitor. Any other run has a monitor of its own: each in a batch script, a
   second one in a task, and one inside of a run, by the name of that one's session. */
static enum role elect(struct session *session, char **environment, const struct config *config, int of_its_own) {
  char key_text[KEY_BYTES], task[KEY_BYTES];
  struct text key = text_in(key_text, sizeof key_text), number = text_in(task, sizeof task);
  session->lock = -1;
  session->problem = "a private directory for the run in /dev/shm, /run/user or /tmp";
  *session->task = 0;
  enum launch launch = of_its_own ? NO_LAUNCH : launch_key(environment, &key);
  if (launch != NO_LAUNCH) {
    const char *outer = variable(environment, "JOULEMARK_SESSION");
    if (outer) {
      add(&key, "-in");
      for (const char *at = outer; (at = find_char(at, '/')); at++) outer = at;
      add(&key, outer);
    }
    /* In a batch script all processes have the variable of Slurm, with one value: it numbers tasks of steps alone. */
    int numbers = add_values(&number, environment, launch == BY_STEP ? RANK_VARIABLES : MPI_RANK_VARIABLES);
    if (numbers + add_values(&number, environment, TASK_VARIABLES) > 0) {
      struct text name = text_in(session->task, sizeof session->task);
      add(&name, "/task");
      add_file_name(&name, task);
    }
    enum role role = elect_by(session, key_text, config);
    if (role != SECOND) return role;
    *session->task = 0;
  }
  key = text_in(key_text, sizeof key_text);
  print(&key, "own-%lu-%lu", (u64)call(SYS_GETPID, 0, 0, 0, 0), clock_ns(CLOCK_MONOTONIC_RAW));
  return elect_by(session, key_text, config);
}

/* The session that an outer `run` put into the environment, while its monitor lives; else 0. */
static const char *outer_session(char **environment) {
  const char *outer = variable(environment, "JOULEMARK_SESSION");
  if (!outer || *outer != '/' || length(outer) >= PATH_BYTES - 8 || !is_private(outer)) return 0;
  char path[PATH_BYTES];
  u64 end = length(outer);
  while (outer[end] != '/') end--;
  copy(path, outer, end);
  path[end] = 0;
  struct text text = {path + end, path + sizeof path - 1};
  add(&text, "/lock");
  i64 lock = open_at(path, O_RDONLY | O_NOFOLLOW, 0);
  if (lock < 0) return 0;
  /* The monitor lives as long as its lock is held. */
  int free = call(SYS_FLOCK, lock, LOCK_SH | LOCK_NB, 0, 0) == 0;
  close_fd(lock);
  return free ? 0 : outer;
}

/*
 * Waits for the elected runtime's word on the request: `G` and changes of the environment (good),
 * `N` and a status (refused), `W` (waits for a CPU), `W` and seconds (needs more time), nothing (its command
 * did not wait longer). Returns its size; 0 where none came in time.
 */
static i64 word_of(const char *directory, char *word) {
  char path[PATH_BYTES];
  join(path, directory, "/word");
  u64 start = clock_ns(CLOCK_MONOTONIC);
  for (;;) {
    i64 size = read_file(path, word, WORD_BYTES);
    if (size > 0 && word[0] != 'W') return size;
    u64 limit = size > 1 ? LONG_WAIT_NS : size > 0 ? WAIT_NS + STARVED_NS : WAIT_NS;
    if (clock_ns(CLOCK_MONOTONIC) - start > limit || !is_private(directory)) return 0;
    sleep_ns(1000000);
  }
}
