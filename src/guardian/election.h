/*
 * One monitor per node and job, by a lock: no rank, no MPI, no message.
 *
 *   BASE/                          mode 0700, this user's: see base.h
 *     JOB/lock                     flock(2), held by the elected guardian and its runtime
 *     JOB/current                  name of the session directory, written when it is complete
 *     JOB/s-PID-TIME/              mode 0700: session file, a ring file per process, launch notes
 *       word                       the elected runtime's answer to the request: see word_of()
 *       run.PID                    the process of that number became a command
 *
 * The kernel drops the lock with its holders. What killed ones left is for the next elected
 * runtime to recover and to remove; nothing is removed here.
 */
#include "base.h"

enum { LOCK_SH = 1, LOCK_EX = 2, LOCK_NB = 4 };
enum { KEY_BYTES = 1024, WORD_BYTES = 65536 };
#define WAIT_NS 1000000000ul      /* for another one's session, and its word */
#define LONG_WAIT_NS 600000000000ul /* where its word is that it needs more time */

enum role { ELECTED, MEMBER, ALONE, FULL };

struct session {
  i64 lock;
  char directory[PATH_BYTES];
  const char *problem; /* ALONE: what could not be made, and why */
  i64 error;
};

/* Variables that the launcher of an MPI program gives to all of its processes with one value. */
static const char *mpi_launch(char **environment) {
  const char *found = variable(environment, "PALS_APID");
  if (!found) found = variable(environment, "PMIX_NAMESPACE");
  if (!found) found = variable(environment, "OMPI_MCA_ess_base_jobid");
  if (!found) found = variable(environment, "PMI_JOBID");
  if (!found) found = variable(environment, "HYDRA_JOBID");
  if (!found) found = variable(environment, "MPIRUN_ID");
  return found;
}

/*
 * Which `run`s on a node belong together: those of one user, one scheduler job and step, or one MPI
 * launch. 0 where the environment names neither. Variables: srun(1), qsub(1B), bsub(1), flux-run(1),
 * PMIx and Hydra.
 */
static int job_key(char **environment, struct text *key) {
  const char *job = variable(environment, "SLURM_JOB_ID");
  const char *launch = mpi_launch(environment);
  if (!job) job = variable(environment, "SLURM_JOBID");
  if (job) {
    const char *step = variable(environment, "SLURM_STEP_ID");
    /* Several of Slurm's nodes may be one machine; on any other the number changes nothing. */
    const char *node = variable(environment, "SLURM_NODEID");
    add(key, "slurm-");
    add(key, job);
    add(key, "-");
    add(key, step ? step : "batch");
    add(key, "-");
    add(key, node ? node : "0");
    return 1;
  }
  if ((job = variable(environment, "FLUX_JOB_ID"))) {
    add(key, "flux-");
    add(key, job);
    return 1;
  }
  if ((job = variable(environment, "PBS_JOBID"))) {
    add(key, "pbs-");
    add(key, job);
  } else if ((job = variable(environment, "LSB_JOBID"))) {
    const char *index = variable(environment, "LSB_JOBINDEX");
    add(key, "lsf-");
    add(key, job);
    add(key, "-");
    add(key, index ? index : "0");
  }
  if (job) {
    add(key, "-");
    add(key, launch ? launch : "batch");
    return 1;
  }
  if (launch) {
    add(key, "mpi-");
    add(key, launch);
    return 1;
  }
  if (!variable(environment, "PMI_RANK") || !variable(environment, "MPI_LOCALNRANKS")) return 0;
  /* Hydra gives its processes of a node nothing in common but their proxy. */
  add(key, "mpi-hydra-");
  add_number(key, (u64)call(SYS_GETPPID, 0, 0, 0, 0), 10);
  return 1;
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
  add(path, "-");
  add_number(path, hash, 16);
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
  add(&text, directory);
  add(&text, "/run.");
  add_number(&text, (u64)call(SYS_GETPID, 0, 0, 0, 0), 10);
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

static i64 make_session(const char *job, char *directory, const struct config *config) {
  char name[96], file[PATH_BYTES], session[64];
  struct text text = text_in(name, sizeof name);
  add(&text, "/s-");
  add_number(&text, (u64)call(SYS_GETPID, 0, 0, 0, 0), 10);
  add(&text, "-");
  add_number(&text, clock_ns(CLOCK_MONOTONIC_RAW), 10);
  join(directory, job, name);
  i64 error = make_private(directory);
  if (error != 0) return error;
  copy(session, config->session, sizeof session);
  session[config->session_cycles] = (char)counter_is_steady();
  join(file, directory, "/session");
  error = write_new(file, session, sizeof session);
  if (error != 0) return error;
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
  add(&path, base.path);
  add(&path, "/");
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
      session->error = -make_session(job, session->directory, config);
      if (session->error == 0) {
        session->lock = lock;
        return ELECTED;
      }
      call(SYS_UNLINKAT, AT_FDCWD, (i64)lock_path, 0, 0);
      call(SYS_UNLINKAT, AT_FDCWD, (i64)session->directory, AT_REMOVEDIR, 0);
      call(SYS_UNLINKAT, AT_FDCWD, (i64)job, AT_REMOVEDIR, 0);
      close_fd(lock);
      return FULL;
    }
    close_fd(lock);
    if (current_session(job, session->directory)) return MEMBER;
    if (clock_ns(CLOCK_MONOTONIC) > until) {
      session->problem = "a session of this node's monitor within 1 s";
      session->error = ENOENT;
      return ALONE;
    }
    sleep_ns(1000000);
  }
}

static enum role elect(struct session *session, char **environment, const struct config *config,
                       int of_its_own) {
  char key_text[KEY_BYTES];
  struct text key = text_in(key_text, sizeof key_text);
  session->lock = -1;
  session->problem = "a private directory for the run in /dev/shm, /run/user or /tmp";
  if (of_its_own || !job_key(environment, &key)) {
    add(&key, "own-");
    add_number(&key, (u64)call(SYS_GETPID, 0, 0, 0, 0), 10);
    add(&key, "-");
    add_number(&key, clock_ns(CLOCK_MONOTONIC_RAW), 10);
  }
  i64 error = 0;
  for (int place = 0; place < PLACES; place++) {
    enum role role = elect_in(session, place, key_text, config);
    if (role != FULL) return role;
    if (place == 0) error = session->error; /* of the place that is meant for it */
  }
  session->error = error;
  return ALONE;
}

/* The session that an outer `run` put into the environment, while its monitor lives. */
static int join_outer(char **environment, struct session *session) {
  const char *outer = variable(environment, "JOULEMARK_SESSION");
  if (!outer || *outer != '/' || length(outer) >= PATH_BYTES - 8 || !is_private(outer)) return 0;
  char path[PATH_BYTES];
  copy(session->directory, outer, length(outer) + 1);
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
  return !free;
}

/*
 * Waits for the elected runtime's word on the request: `G` and changes of the environment (good),
 * `N` and a status (refused), `W` (needs more time). Returns its size; 0 where none came in time.
 */
static i64 word_of(const char *directory, char *word) {
  char path[PATH_BYTES];
  join(path, directory, "/word");
  u64 start = clock_ns(CLOCK_MONOTONIC);
  for (u64 limit = WAIT_NS;;) {
    i64 size = read_file(path, word, WORD_BYTES);
    if (size > 0 && word[0] != 'W') return size;
    if (size > 0) limit = LONG_WAIT_NS;
    if (clock_ns(CLOCK_MONOTONIC) - start > limit || !is_private(directory)) return 0;
    sleep_ns(1000000);
  }
}
