/*
 * The entry stub of the one-file executable: runs in the place of Deno's own entry point, makes the
 * bundled program a file in memory, and lets Deno start as `deno run FLAGS THAT_FILE ARGUMENTS`.
 *
 * pack.ts appends [this stub | struct config | flags | script] to a copy of Deno, maps it by the
 * program header that held the ELF notes, and points e_entry here. By then the dynamic linker has
 * done its work, so Deno's libraries are loaded and relocated; nothing of libc is used here, because
 * libc is only initialised by the entry point that comes after us. Nothing is extracted to disk, and
 * no second process is made: 128 starts at once share every page of the file.
 *
 * What it does, in order:
 *   1. With JOULEMARK_RAW_DENO=1 nothing: the file is then plain Deno, a tool chain on any node.
 *   2. Blocks SIGUSR1, on which Deno would open its debugger on a port, and for the verbs that run
 *      an application every signal that is forwarded to it: this only works before Deno's threads
 *      exist. What an application must get back (the mask before that, the ignored signals, the
 *      limit of open files, which Deno raises) goes to the program as its first argument,
 *      --joulemark-inherited=MASK:IGNORED:NOFILE, see src/os/inherited.ts. The kernel's idea of the
 *      command line (ps, /proc/PID/cmdline) stays the user's.
 *   3. Gives Deno an environment of its own: without the variables that change how Deno runs
 *      (DENO_V8_FLAGS, NODE_OPTIONS ...), with a few of ours (no update check, no cache in HOME).
 *      The kernel's copy is not touched: /proc/self/environ is the environment as it came, and
 *      that is what an application is to inherit.
 *   4. Writes the script into a sealed memory file, closed on exec.
 *   5. Builds a new initial stack (arguments, environment, auxiliary vector) and jumps.
 *
 * x86-64 Linux only; needs memfd_create (kernel 3.17). Rebuild: sh airgap/pack/build_stub.sh
 */
typedef unsigned long u64;
typedef long i64;

/* Written by pack.ts right behind the stub. Offsets are from this struct. */
struct config {
  u64 magic;       /* "jmkpack1" */
  u64 entry_delta; /* stub's address - Deno's entry: both move together under ASLR */
  u64 environ_delta; /* stub's address - Deno's pointer to libc's variable `environ` */
  u64 flag_count;
  u64 flags_at; /* NUL-terminated, one behind the other: run, --no-prompt, ... */
  u64 variable_count;
  u64 variables_at; /* likewise: DENO_NO_UPDATE_CHECK=1, ... */
  u64 script_at;
  u64 script_length;
};
extern const struct config config __attribute__((visibility("hidden")));

enum { WRITE = 1, RT_SIGACTION = 13, RT_SIGPROCMASK = 14, CLOSE = 3, FCNTL = 72 };
enum { EXIT_GROUP = 231, PRLIMIT64 = 302, MEMFD_CREATE = 319 };
enum { F_GETFD = 1, F_ADD_SEALS = 1033, F_DUPFD_CLOEXEC = 1030 };
enum { MFD_CLOEXEC = 1, MFD_ALLOW_SEALING = 2, MFD_NOEXEC_SEAL = 8 };
enum { RLIMIT_NOFILE = 7, SIG_BLOCK = 0, SIG_IGN = 1, EINVAL = 22 };
enum { SEAL_EVERYTHING = 0xf }; /* no more seals, no shrinking, no growing, no writing */

static i64 call(i64 number, i64 a, i64 b, i64 c, i64 d) {
  register i64 r10 __asm__("r10") = d;
  i64 result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
                   : "rcx", "r11", "memory");
  return result;
}

static u64 length(const char *text) {
  u64 n = 0;
  while (text[n]) n++;
  return n;
}

static int equal(const char *a, const char *b) {
  while (*a && *a == *b) a++, b++;
  return *a == *b;
}

static int starts(const char *text, const char *prefix) {
  while (*prefix)
    if (*text++ != *prefix++) return 0;
  return 1;
}

static void fail(const char *what) {
  call(WRITE, 2, (i64)what, (i64)length(what), 0);
  call(EXIT_GROUP, 126, 0, 0, 0);
  __builtin_unreachable();
}

/* Read by Deno, by its Node layer and by its telemetry: options, V8 flags, a permission broker,
   certificates, inherited pipes, coverage, logs. */
static int is_hidden(const char *entry) {
  return starts(entry, "DENO_") || starts(entry, "NODE_") || starts(entry, "OTEL_");
}

static char *put_number(char *at, u64 value, u64 base) {
  u64 digit = 1;
  while (value / digit >= base) digit *= base;
  for (; digit > 0; digit /= base) *at++ = "0123456789abcdef"[value / digit % base];
  return at;
}

static char *put_text(char *at, const char *text) {
  while (*text) *at++ = *text++;
  return at;
}

/* Signal n is bit n-1. The same set as FORWARDED in src/os/inherited.ts. */
#define SIGNAL(n) (1ul << ((n) - 1))
#define SIGUSR1_SET SIGNAL(10)
#define FORWARDED_SET \
  (SIGNAL(1) | SIGNAL(2) | SIGNAL(3) | SIGNAL(10) | SIGNAL(12) | SIGNAL(15) | SIGNAL(18))
#define INHERITED "--joulemark-inherited="
enum { INHERITED_SIZE = sizeof INHERITED + 16 + 1 + 16 + 1 + 20 };

/* Does this command line run an application? Others are ended by a signal as any program is. */
static int runs_application(u64 count, char **arguments) {
  return count > 1 && (equal(arguments[1], "run") || equal(arguments[1], "demo"));
}

/* Blocks signals and writes down what was before. */
static void block_signals(u64 set, char *text) {
  u64 mask = 0, ignored = 0;
  u64 limit[2] = {0, 0};
  call(RT_SIGPROCMASK, SIG_BLOCK, (i64)&set, (i64)&mask, 8);
  for (i64 signal = 1; signal <= 64; signal++) {
    u64 action[4] = {0, 0, 0, 0}; /* handler, flags, restorer, mask */
    if (call(RT_SIGACTION, signal, 0, (i64)action, 8) == 0 && action[0] == SIG_IGN)
      ignored |= SIGNAL(signal);
  }
  text = put_text(text, INHERITED);
  text = put_number(text, mask, 16);
  *text++ = ':';
  text = put_number(text, ignored, 16);
  *text++ = ':';
  if (call(PRLIMIT64, 0, RLIMIT_NOFILE, 0, (i64)limit) == 0 && limit[0] != ~0ul)
    text = put_number(text, limit[0], 10);
  else
    *text++ = '-'; /* unlimited: Deno has nothing to raise */
  *text = 0;
}

static void write_all(i64 fd, const char *from, u64 size) {
  while (size > 0) {
    i64 written = call(WRITE, fd, (i64)from, (i64)size, 0);
    if (written <= 0) fail("joulemark: cannot write the program to memory: expected some free memory\n");
    from += written;
    size -= (u64)written;
  }
}

static i64 script_file(const char *base) {
  i64 fd = call(MEMFD_CREATE, (i64) "joulemark", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL, 0, 0);
  if (fd == -EINVAL) /* before 6.3 */
    fd = call(MEMFD_CREATE, (i64) "joulemark", MFD_CLOEXEC | MFD_ALLOW_SEALING, 0, 0);
  if (fd < 0) fail("joulemark: cannot make a memory file: expected memfd_create (Linux 3.17 or newer)\n");
  if (fd < 3) { /* a closed standard stream stays closed */
    i64 moved = call(FCNTL, fd, F_DUPFD_CLOEXEC, 3, 0);
    if (moved < 0) fail("joulemark: cannot make a memory file: expected a free descriptor\n");
    call(CLOSE, fd, 0, 0, 0);
    fd = moved;
  }
  write_all(fd, base + config.script_at, config.script_length);
  call(FCNTL, fd, F_ADD_SEALS, SEAL_EVERYTHING, 0); /* a kernel without seals runs it all the same */
  return fd;
}

/* Addresses of texts that stand one behind the other. */
static u64 *put_list(u64 *at, const char *text, u64 count) {
  for (; count > 0; count--) {
    *at++ = (u64)text;
    text += length(text) + 1;
  }
  return at;
}

__attribute__((noreturn)) static void jump(u64 entry, u64 *stack, u64 linker_fini) {
  __asm__ volatile("mov %0, %%rsp\n\t"
                   "xor %%ebp, %%ebp\n\t"
                   "jmp *%1"
                   :
                   : "r"(stack), "r"(entry), "d"(linker_fini)
                   : "memory");
  __builtin_unreachable();
}

/* stack: as the kernel laid it out: count, arguments, 0, environment, 0, auxiliary vector.
   linker_fini: what the dynamic linker handed over in rdx and Deno's entry passes to libc. */
__attribute__((used, noreturn)) void stub_main(u64 *stack, u64 linker_fini, u64 self) {
  const char *base = (const char *)&config;
  u64 entry = self - config.entry_delta;
  u64 argument_count = stack[0];
  char **arguments = (char **)(stack + 1);
  char **environment = arguments + argument_count + 1;

  char **after = environment;
  for (; *after; after++)
    if (equal(*after, "JOULEMARK_RAW_DENO=1")) jump(entry, stack, linker_fini);
  u64 *vector = (u64 *)(after + 1);
  u64 vector_words = 2;
  while (vector[vector_words - 2]) vector_words += 2;

  /* The program has started itself anew: signals are as it wants them, the argument is there. */
  int is_again = argument_count > 1 && starts(arguments[1], INHERITED);
  char inherited[INHERITED_SIZE];
  if (!is_again)
    block_signals(runs_application(argument_count, arguments) ? FORWARDED_SET : SIGUSR1_SET, inherited);
  char path[32];
  *put_number(put_text(path, "/proc/self/fd/"), (u64)script_file(base), 10) = 0;
  /* The new stack lies below the old one, which keeps the strings. A variable-length array moves rsp
     first: older kernels grow the stack for an access only near rsp. */
  u64 words = 1 + 1 + config.flag_count + 2 + argument_count + 1 + config.variable_count +
              (u64)(after - environment) + 1 + vector_words;
  u64 image[words + 2];
  u64 *top = (u64 *)(((u64)image + 15) & ~15ul); /* the ABI wants 16 */
  u64 *at = top;
  at++; /* the count, below */
  *at++ = (u64) "deno"; /* Deno behaves by its name in some versions; ours is free */
  at = put_list(at, base + config.flags_at, config.flag_count);
  *at++ = (u64)path;
  if (!is_again) *at++ = (u64)inherited;
  for (u64 i = 1; i < argument_count; i++) *at++ = (u64)arguments[i];
  *top = (u64)(at - top) - 1;
  *at++ = 0;
  /* libc keeps a pointer to the list as it came; Deno reads the variables through that. */
  **(u64 ***)(self - config.environ_delta) = at;
  at = put_list(at, base + config.variables_at, config.variable_count);
  for (char **entry = environment; *entry; entry++)
    if (!is_hidden(*entry)) *at++ = (u64)*entry;
  *at++ = 0;
  for (u64 i = 0; i < vector_words; i++) *at++ = vector[i];
  jump(entry, top, linker_fini);
}

/* rdi: the stack as it came; rsi: the linker's rdx; rdx: where we are. Then rsp as C wants it. */
__asm__(".section .text.start,\"ax\"\n"
        ".globl _start\n"
        "_start:\n"
        "  mov %rsp, %rdi\n"
        "  mov %rdx, %rsi\n"
        "  lea _start(%rip), %rdx\n"
        "  call stub_main\n"
        "  hlt\n");
