/*
 * Starting the runtime in this very process: the program as a file in memory, arguments and an
 * environment of its own, then the dynamic linker, as the kernel would have started it.
 */
enum { MFD_CLOEXEC = 1, MFD_ALLOW_SEALING = 2, MFD_NOEXEC_SEAL = 8 };
enum { SEAL_EVERYTHING = 0xf }; /* no more seals, no shrinking, no growing, no writing */
enum { AT_PHDR = 3, AT_PHENT = 4, AT_PHNUM = 5, AT_PAGESZ = 6, AT_BASE = 7, AT_ENTRY = 9 };
enum { AT_UID = 11, AT_EUID = 12, AT_GID = 13, AT_EGID = 14, AT_SECURE = 23 };
enum { PT_LOAD = 1, PT_INTERP = 3 };
#define RENAMED "JOULEMARK_USER_" /* before the name of a variable that the runtime itself must not see */
/* What elf.ts makes of PT_INTERP, so that the kernel starts us and not the dynamic linker. */
#define PT_HIDDEN_INTERP 0x6a6d6b49u

struct process {
  u64 count; /* arguments */
  char **arguments;
  char **environment;
  u64 *vector; /* the auxiliary vector: pairs of words, 0 last */
  u64 vector_words;
  u64 self; /* where the guardian's first byte is */
};

static u64 auxiliary(const struct process *process, u64 wanted) {
  for (u64 i = 0; i < process->vector_words; i += 2)
    if (process->vector[i] == wanted) return process->vector[i + 1];
  return 0;
}

__attribute__((noreturn)) static void fail(const char *what) {
  say(what, 0, 0, 0);
  leave(126);
}

static i64 script_file(const char *script, u64 size) {
  i64 fd = call(SYS_MEMFD_CREATE, (i64) "joulemark", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL, 0, 0);
  if (fd == -EINVAL) /* before 6.3 */
    fd = call(SYS_MEMFD_CREATE, (i64) "joulemark", MFD_CLOEXEC | MFD_ALLOW_SEALING, 0, 0);
  if (fd < 0) fail("cannot make a memory file: no memfd_create (Linux 3.17 or newer), or no free descriptor");
  fd = above_streams(fd);
  if (fd < 0 || write_all(fd, script, size) != 0)
    fail("cannot write the program to memory: no free memory, or a limit on the size of files (ulimit -f)");
  call(SYS_FCNTL, fd, F_ADD_SEALS, SEAL_EVERYTHING, 0); /* a kernel without seals runs it all the same */
  return fd;
}

static u64 round_up(u64 value, u64 unit) { return (value + unit - 1) / unit * unit; }

/* Elf64_Phdr: p_type 0, p_flags 4, p_offset 8, p_vaddr 16, p_filesz 32, p_memsz 40. */
static u32 word_at(const char *at) { return *(const u32 *)at; }
static u64 long_at(const char *at) { return *(const u64 *)at; }

static int read_at_start(i64 fd, char *into, u64 size) {
  u64 have = 0;
  while (have < size) {
    i64 n = call(SYS_READ, fd, (i64)(into + have), (i64)(size - have), 0);
    if (n == -EINTR) continue;
    if (n <= 0) break;
    have += (u64)n;
  }
  return have >= 64;
}

static i64 map_segment(u64 at, u64 size, i64 protection, i64 flags, i64 fd, u64 offset) {
  return call6(SYS_MMAP, (i64)at, (i64)size, protection, flags | MAP_PRIVATE, fd, (i64)offset);
}

/* Maps the dynamic linker as the kernel does (fs/binfmt_elf.c, load_elf_interp). */
static u64 load_linker(const char *path, u64 page, u64 *base) {
  char header[2048];
  i64 fd = open_at(path, O_RDONLY, 0);
  if (fd < 0 || !read_at_start(fd, header, sizeof header))
    fail("cannot start the runtime: there is no dynamic linker of glibc");
  u64 entry = long_at(header + 24), headers = long_at(header + 32), top = 0;
  u16 count = *(u16 *)(header + 56);
  if (headers + count * 56ul > sizeof header) fail("cannot start the runtime: the dynamic linker is not as expected");
  for (u16 i = 0; i < count; i++) {
    const char *at = header + headers + i * 56;
    if (word_at(at) == PT_LOAD && long_at(at + 16) + long_at(at + 40) > top) top = long_at(at + 16) + long_at(at + 40);
  }
  i64 place = map_segment(0, round_up(top, page), 0, MAP_ANONYMOUS, -1, 0);
  if (place < 0 && place > -4096) fail("cannot start the runtime: no address space is left for the dynamic linker");
  for (u16 i = 0; i < count; i++) {
    const char *at = header + headers + i * 56;
    if (word_at(at) != PT_LOAD) continue;
    u32 flags = word_at(at + 4);
    u64 offset = long_at(at + 8), address = long_at(at + 16), file = long_at(at + 32), memory = long_at(at + 40);
    u64 low = address / page * page, behind = address - low;
    i64 protection = (flags & 4 ? PROT_READ : 0) | (flags & 2 ? PROT_WRITE : 0) | (flags & 1 ? PROT_EXEC : 0);
    if (map_segment((u64)place + low, file + behind, protection, MAP_FIXED, fd, offset - behind) < 0)
      fail("cannot start the runtime: the dynamic linker cannot be mapped");
    if (memory <= file) continue;
    u64 zero = (u64)place + address + file, next = round_up(zero, page);
    if (flags & 2)
      for (char *p = (char *)zero; p < (char *)next; p++) *p = 0;
    u64 end = round_up((u64)place + address + memory, page);
    if (end > next) map_segment(next, end - next, protection, MAP_FIXED | MAP_ANONYMOUS, -1, 0);
  }
  close_fd(fd);
  *base = (u64)place;
  return (u64)place + entry;
}

/* Gives the program its PT_INTERP back, which the dynamic linker looks for. By AT_PHDR: the table may
   have been moved since elf.ts wrote it. */
static void show_interpreter(const struct process *process, u64 page) {
  char *table = (char *)auxiliary(process, AT_PHDR);
  u64 count = auxiliary(process, AT_PHNUM), size = auxiliary(process, AT_PHENT);
  for (u64 i = 0; i < count; i++) {
    char *at = table + i * size;
    if (word_at(at) != PT_HIDDEN_INTERP) continue;
    u64 start = (u64)at / page * page, bytes = round_up((u64)at + 4, page) - start;
    if (call(SYS_MPROTECT, (i64)start, (i64)bytes, PROT_READ | PROT_WRITE, 0) != 0)
      fail("cannot start the runtime: its program headers cannot be changed");
    *(u32 *)at = PT_INTERP;
    call(SYS_MPROTECT, (i64)start, (i64)bytes, PROT_READ, 0);
  }
}

/* Read by the runtime, by its Node layer and by its telemetry: options, V8 flags, a permission
   broker, certificates, inherited pipes, coverage, logs. */
static int is_hidden(const char *entry) {
  return starts(entry, RENAMED) || starts(entry, "DENO_") || starts(entry, "NODE_") || starts(entry, "OTEL_");
}

/*
 * Variables that only the application gets. The runtime reads ~/.npmrc and ends if it is not valid
 * or not a file, so its home does not exist. Its dynamic linker and its libc would obey the
 * application's settings: ld.so(8).
 */
static int is_renamed(const char *entry) {
  return starts(entry, "HOME=") || starts(entry, "LD_") || starts(entry, "GLIBC_TUNABLES=") || starts(entry, "MALLOC_");
}

/* The program gets those by other names, and gives them back (src/os/home.ts). 0: there is no memory for them. */
static u64 *put_renamed(u64 *at, char **environment) {
  u64 bytes = 1;
  for (char **entry = environment; *entry; entry++)
    if (is_renamed(*entry)) bytes += length(*entry) + sizeof RENAMED;
  char *memory = map_memory(bytes);
  struct text text = {memory, memory + bytes - 1};
  for (char **entry = environment; memory && *entry; entry++) {
    if (!is_renamed(*entry)) continue;
    *at++ = (u64)text.at;
    print(&text, "%s%s", RENAMED, *entry);
    text.at++;
  }
  return at;
}

/* Addresses of adjacent texts, without those that begin like `except`. */
static u64 *put_list(u64 *at, const char *text, u64 count, const char *except) {
  for (; count > 0; count--) {
    if (!except || !starts(text, except)) *at++ = (u64)text;
    text += length(text) + 1;
  }
  return at;
}

/* plain: the file is to be Deno and nothing else. extra: hidden arguments, one behind the other. cache: the
   variable that names Deno's directory, where it has one. */
__attribute__((noreturn)) static void start_runtime(const struct process *process, int plain, const char *extra,
                                                    u64 extra_count, const char *cache) {
  const char *base = (const char *)&config;
  u64 page = auxiliary(process, AT_PAGESZ);
  if (page == 0) page = 4096;
  char path[32];
  struct text text = text_in(path, sizeof path);
  int packed = !plain && config.mode == MODE_PACKED;
  if (packed) {
    print(&text, "/proc/self/fd/%lu", (u64)script_file(base + config.script_at, config.script_length));
  }
  u64 variables = 0;
  while (process->environment[variables]) variables++;
  u64 words = config.flag_count + extra_count + process->count + config.variable_count + variables +
              process->vector_words + 10;
  /* The new stack is below the old one, which keeps the strings. */
  u64 image[words + 2];
  u64 *top = (u64 *)(((u64)image + 15) & ~15ul); /* the ABI requires 16 */
  u64 *at = top;
  at++; /* the count, below */
  if (config.mode == MODE_EXECUTE) {
    for (u64 i = 0; i < config.arguments_from; i++) *at++ = (u64)process->arguments[i];
    at = put_list(at, extra, extra_count, 0);
    for (u64 i = config.arguments_from; i < process->count; i++) *at++ = (u64)process->arguments[i];
    *at = 0;
    i64 error = -call(SYS_EXECVE, (i64)(base + config.runtime_at), (i64)(top + 1), (i64)process->environment, 0);
    say_refused(base + config.runtime_at, error);
    leave(126);
  }
  if (packed) {
    *at++ = (u64) "deno"; /* Deno behaves by its name in some versions; ours is free */
    at = put_list(at, base + config.flags_at, config.flag_count, cache ? "--no-code-cache" : 0);
    *at++ = (u64)path;
  } else {
    *at++ = (u64)process->arguments[0];
  }
  at = put_list(at, extra, extra_count, 0);
  for (u64 i = 1; i < process->count; i++) *at++ = (u64)process->arguments[i];
  *top = (u64)(at - top) - 1;
  *at++ = 0;
  if (!plain) at = put_list(at, base + config.variables_at, config.variable_count, cache ? "DENO_DIR=" : 0);
  if (cache) *at++ = (u64)cache;
  for (char **entry = process->environment; *entry; entry++)
    if (plain || !(is_hidden(*entry) || is_renamed(*entry))) *at++ = (u64)*entry;
  if (!plain) {
    at = put_renamed(at, process->environment);
    *at++ = (u64) "HOME=/proc/self/none";
  }
  *at++ = 0;
  show_interpreter(process, page);
  u64 linker_base, entry = process->self - config.entry_delta;
  u64 linker = load_linker(base + config.linker_at, page, &linker_base);
  for (u64 i = 0; i < process->vector_words; i += 2) {
    u64 key = process->vector[i], value = process->vector[i + 1];
    *at++ = key;
    *at++ = key == AT_BASE ? linker_base : key == AT_ENTRY ? entry : value;
  }
  jump(linker, top);
}
