/*
 * The application: what it is, what its environment becomes, and how this process turns into it
 * with exactly the signal mask, dispositions and limits that it would have without us.
 */
struct inherited {
  u64 blocked; /* signal N is bit N-1 */
  u64 ignored;
  u64 open_files; /* soft limit; ~0: leave it */
  u64 file_size[2]; /* soft and hard limit, bytes */
};

#define SIGNAL(n) (1ul << ((n) - 1))
enum { SIG_BLOCK = 0, SIG_UNBLOCK = 1, SIG_SETMASK = 2, SIG_DFL = 0, SIG_IGN = 1 };
enum { SIGHUP = 1, SIGINT = 2, SIGQUIT = 3, SIGKILL = 9, SIGUSR1 = 10, SIGPIPE = 13, SIGTERM = 15 };
enum { SIGCHLD = 17, SIGCONT = 18, SIGTSTP = 20, SIGTTIN = 21, SIGTTOU = 22, SIGXFSZ = 25, SIGWINCH = 28 };
enum { RLIMIT_CPU = 0, RLIMIT_FSIZE = 1, RLIMIT_DATA = 2, RLIMIT_STACK = 3, RLIMIT_CORE = 4 };
enum { RLIMIT_NPROC = 6, RLIMIT_NOFILE = 7, RLIMIT_AS = 9 };

static void get_limit(i64 which, u64 limit[2]) {
  limit[0] = limit[1] = ~0ul;
  call(SYS_PRLIMIT64, 0, which, 0, (i64)limit);
}

static u64 disposition(i64 signal) {
  u64 action[4] = {0, 0, 0, 0}; /* handler, flags, restorer, mask */
  call(SYS_SIGACTION, signal, 0, (i64)action, 8);
  return action[0];
}

static void set_disposition(i64 signal, u64 handler) {
  u64 action[4] = {handler, 0, 0, 0};
  call(SYS_SIGACTION, signal, (i64)action, 0, 8);
}

static u64 set_mask(i64 how, u64 set) {
  u64 before = 0;
  call(SYS_SIGPROCMASK, how, (i64)&set, (i64)&before, 8);
  return before;
}

static struct inherited look_around(void) {
  struct inherited state = {0, 0, 0, {0, 0}};
  u64 limit[2];
  state.blocked = set_mask(SIG_BLOCK, 0);
  for (i64 signal = 1; signal <= 64; signal++)
    if (disposition(signal) == SIG_IGN) state.ignored |= SIGNAL(signal);
  get_limit(RLIMIT_NOFILE, limit);
  state.open_files = limit[0];
  get_limit(RLIMIT_FSIZE, state.file_size);
  return state;
}

/* Files of ours may be as large as the hard limit lets them, and one that is too large is an error and no signal. */
static void allow_files(const struct inherited *state) {
  u64 limit[2] = {state->file_size[1], state->file_size[1]};
  set_disposition(SIGXFSZ, SIG_IGN);
  if (state->file_size[0] != limit[0]) call(SYS_PRLIMIT64, 0, RLIMIT_FSIZE, (i64)limit, 0);
}

/* As it was: for the application. */
static void restore_files(const struct inherited *state) {
  if (!(state->ignored & SIGNAL(SIGXFSZ))) set_disposition(SIGXFSZ, SIG_DFL);
  if (state->file_size[0] != state->file_size[1]) call(SYS_PRLIMIT64, 0, RLIMIT_FSIZE, (i64)state->file_size, 0);
}

/* MASK:IGNORED:NOFILE, two sets in hex and a number or "-"; src/os/inherited.ts reads it. */
static void add_inherited(struct text *text, const struct inherited *state) {
  print(text, "%lx:%lx:", state->blocked, state->ignored);
  if (state->open_files == ~0ul) add(text, "-");
  else add_number(text, state->open_files, 10);
}

enum { COMMAND_BYTES = 4352 };

/* The next file that a command may be, in the directories of a list: execvp(3). 0: there is none. */
static int next_candidate(const char **list, const char *command, char *path) {
  struct text text = text_in(path, COMMAND_BYTES);
  char one[2] = {0, 0};
  if (!*list) return 0;
  if (!**list || **list == ':') add(&text, ".");
  for (; **list && **list != ':'; ++*list) {
    one[0] = **list;
    add(&text, one);
  }
  *list = **list ? *list + 1 : 0;
  print(&text, "/%s", command);
  return 1;
}

/* The directories in which a command is looked for; 0: its name is a path. */
static const char *search_list(const char *command, char **environment) {
  const char *list = find_char(command, '/') ? 0 : variable(environment, "PATH");
  return list || find_char(command, '/') ? list : "/usr/local/bin:/usr/bin:/bin";
}

static int has_right_to_run(const char *path) {
  char stat[256];
  return has_stat(AT_FDCWD, path, stat, 0) && (*(u32 *)(stat + STAT_MODE) & S_IFMT) == S_IFREG &&
         (*(u32 *)(stat + STAT_MODE) & 0111);
}

/* The first file that a command may be; 0 where there is none that anybody can execute. */
static int find_command(const char *command, char **environment, char *path) {
  const char *list = search_list(command, environment);
  if (!*command || length(command) >= 4096) return 0;
  if (!list) {
    copy(path, command, length(command) + 1);
    return has_right_to_run(path);
  }
  while (next_candidate(&list, command, path))
    if (has_right_to_run(path)) return 1;
  return 0;
}

/* The next of adjacent texts. */
static const char *after(const char *text) { return text + length(text) + 1; }

static int names_same(const char *entry, const char *change) {
  while (*change && *change != '=' && *entry == *change) entry++, change++;
  return *entry == '=' && (*change == '=' || !*change);
}

/*
 * Changes are texts one behind the other, of two letters' meaning at most:
 *   pPATH          the file to execute          aARGUMENT   one of all its arguments, in order
 *   rPATH          the report of the run, which members name
 *   =NAME=VALUE    set                          -NAME       removed
 *   :NAME=VALUE    put before the old value, with a colon (;NAME=VALUE: with a semicolon)
 *   ?NAME=VALUE    set where it is unset or empty
 */
struct command {
  const char *path;
  const char *name, *search; /* where further files of that name are looked for; 0: nowhere */
  char **arguments;
  char **environment;
};

static int is_variable(char tag) {
  return tag == '=' || tag == '-' || tag == ':' || tag == ';' || tag == '?';
}

/* 0 where there is no memory. */
static int apply_changes(struct command *command, const char *changes, u64 size) {
  const char *end = changes + size;
  u64 count = 0, arguments = 0, variables = 0, bytes = 0;
  for (const char *at = changes; at < end; at = after(at)) {
    count++;
    if (*at == 'a') arguments++;
  }
  for (char **entry = command->environment; *entry; entry++) {
    variables++;
    bytes += length(*entry);
  }
  char *memory = map_memory((count + variables + arguments + 4) * 8 + bytes + size + count * 2);
  if (!memory) return 0;
  char **list = (char **)memory;
  char **out = list;
  if (arguments > 0) {
    for (const char *at = changes; at < end; at = after(at))
      if (*at == 'a') *out++ = (char *)at + 1;
    *out++ = 0;
    command->arguments = list;
  }
  for (const char *at = changes; at < end; at = after(at))
    if (*at == 'p') command->path = at + 1, command->search = 0;
  char **environment = out;
  char *text = memory + (count + variables + arguments + 4) * 8;
  for (char **entry = command->environment; *entry; entry++) {
    int kept = 1;
    for (const char *at = changes; at < end; at = after(at)) {
      if (!is_variable(*at) || !names_same(*entry, at + 1)) continue;
      if (*at == '?' && *(find_char(*entry, '=') + 1)) continue;
      kept = 0;
    }
    if (kept) *out++ = *entry;
  }
  for (const char *at = changes; at < end; at = after(at)) {
    if (!is_variable(*at) || *at == '-') continue;
    const char *old = 0;
    for (char **entry = command->environment; *entry; entry++)
      if (names_same(*entry, at + 1)) old = find_char(*entry, '=') + 1;
    if (*at == '?' && old && *old) continue;
    if ((*at == ':' || *at == ';') && old && *old) {
      const char *value = find_char(at, '=') + 1;
      u64 value_size = length(value);
      if (starts(old, value) && (!old[value_size] || old[value_size] == *at)) {
        copy(text, at + 1, (u64)(value - at) - 1); /* it is in the value already */
        *out++ = text;
        text += value - at - 1;
        copy(text, old, length(old) + 1);
        text += length(old) + 1;
        continue;
      }
      u64 own = length(at + 1);
      copy(text, at + 1, own);
      text[own] = *at;
      *out++ = text;
      text += own + 1;
      copy(text, old, length(old) + 1);
      text += length(old) + 1;
      continue;
    }
    *out++ = (char *)at + 1;
  }
  *out = 0;
  command->environment = environment;
  return 1;
}

/* Is the first line of a file a text? What the kernel cannot execute is a shell's then, as for execvp(3). */
static int is_text(const char *path) {
  char first[256];
  i64 fd = open_at(path, O_RDONLY | O_NONBLOCK, 0);
  i64 size = fd < 0 ? -1 : call(SYS_READ, fd, (i64)first, sizeof first, 0);
  close_fd(fd);
  for (i64 i = 0; i < size && first[i] != '\n'; i++)
    if (!first[i]) return 0;
  return size >= 0;
}

static void become_script(const struct command *command, const char *path) {
  u64 count = 0;
  while (command->arguments[count]) count++;
  char **list = (char **)map_memory((count + 3) * 8);
  if (!list || !is_text(path)) return;
  list[0] = "/bin/sh";
  list[1] = (char *)path;
  for (u64 i = 1; i < count; i++) list[i + 1] = command->arguments[i];
  call(SYS_EXECVE, (i64)list[0], (i64)list, (i64)command->environment, 0);
}

static i64 execute(const struct command *command, const char *path) {
  i64 error = call(SYS_EXECVE, (i64)path, (i64)command->arguments, (i64)command->environment, 0);
  if (error == -ENOEXEC) become_script(command, path);
  return error;
}

/* In each directory of the list, as execvp(3): a file that this user may not execute, or whose interpreter is missing,
   does not end the search. */
static i64 execute_found(const struct command *command) {
  char path[COMMAND_BYTES];
  i64 result = -ENOENT;
  for (const char *list = command->search; next_candidate(&list, command->name, path);) {
    i64 error = execute(command, path);
    if (error == -EACCES) result = error;
    else if (error != -ENOENT && error != -ENOTDIR && error != -ESTALE && error != -ENODEV && error != -ETIMEDOUT)
      return error;
  }
  return result;
}

/* Returns only when the kernel refuses: the error. */
static i64 become(const struct command *command, const struct inherited *state) {
  if (state->ignored & SIGNAL(SIGCHLD)) set_disposition(SIGCHLD, SIG_IGN);
  restore_files(state);
  u64 before = set_mask(SIG_SETMASK, state->blocked);
  i64 error = command->search ? execute_found(command) : execute(command, command->path);
  set_mask(SIG_SETMASK, before);
  return -error;
}

/* Writes the interpreter of a script, as its first line names it; 0: the file has none. */
static int find_interpreter(const char *path, char *name, u64 size) {
  char first[256];
  i64 fd = open_at(path, O_RDONLY | O_NONBLOCK, 0);
  i64 have = fd < 0 ? -1 : call(SYS_READ, fd, (i64)first, sizeof first, 0);
  close_fd(fd);
  i64 at = 2;
  u64 length = 0;
  if (have < 3 || first[0] != '#' || first[1] != '!') return 0;
  while (at < have && (first[at] == ' ' || first[at] == '\t')) at++;
  for (; at < have && length + 1 < size; at++) {
    if (first[at] == ' ' || first[at] == '\t' || first[at] == '\n' || !first[at]) break;
    name[length++] = first[at];
  }
  name[length] = 0;
  return length > 0;
}

static void say_refused(const char *path, i64 error) {
  char line[1024];
  char interpreter[256];
  struct text text = text_in(line, sizeof line);
  print(&text, "cannot run \"%s\": ", path);
  if (error == ENOENT && find_interpreter(path, interpreter, sizeof interpreter)) {
    print(&text, "interpreter \"%s\" not found", interpreter);
  } else {
    add(&text, error_text(error));
  }
  say(line, 0, 0, 0);
}
