/*
 * System calls and the few functions of libc that the guardian needs, for x86-64 and aarch64.
 * Freestanding: no libc, no variables with static storage. Numbers: arch/x86/entry/syscalls/
 * syscall_64.tbl and include/uapi/asm-generic/unistd.h of the kernel.
 */
typedef unsigned long u64;
typedef long i64;
typedef unsigned int u32;
typedef int i32;
typedef unsigned short u16;
typedef unsigned char u8;

#if defined(__x86_64__)
enum {
  SYS_READ = 0, SYS_WRITE = 1, SYS_CLOSE = 3, SYS_MMAP = 9, SYS_MPROTECT = 10,
  SYS_SIGACTION = 13, SYS_SIGPROCMASK = 14, SYS_NANOSLEEP = 35, SYS_GETPID = 39, SYS_SENDTO = 44,
  SYS_RECVFROM = 45, SYS_SOCKETPAIR = 53, SYS_CLONE = 56, SYS_EXECVE = 59, SYS_WAIT4 = 61,
  SYS_KILL = 62, SYS_FCNTL = 72, SYS_FLOCK = 73, SYS_GETCWD = 79, SYS_GETUID = 102,
  SYS_GETEUID = 107, SYS_GETPPID = 110, SYS_GETPGID = 121, SYS_GETSID = 124,
  SYS_SIGQUEUEINFO = 129, SYS_PRCTL = 157, SYS_CLOCK_GETTIME = 228, SYS_EXIT_GROUP = 231,
  SYS_OPENAT = 257, SYS_MKDIRAT = 258, SYS_FSTATAT = 262, SYS_UNLINKAT = 263, SYS_RENAMEAT = 264,
  SYS_PPOLL = 271, SYS_SIGNALFD4 = 289, SYS_DUP3 = 292, SYS_PIPE2 = 293, SYS_PRLIMIT64 = 302,
  SYS_MEMFD_CREATE = 319, SYS_CAPGET = 125, SYS_CAPSET = 126, SYS_SIGRETURN = 15,
  SYS_SETPRIORITY = 141, SYS_SCHED_SETSCHEDULER = 144, SYS_GETDENTS64 = 217,
  SYS_LANDLOCK_RESTRICT_SELF = 446, SYS_GETRANDOM = 318, SYS_GETTID = 186,
  SYS_TGSIGQUEUEINFO = 297,
  SYS_GETITIMER = 36, SYS_SETITIMER = 38, SYS_STATFS = 137,
  SYS_SCHED_SETATTR = 314, SYS_SCHED_GETATTR = 315, SYS_CLOSE_RANGE = 436,
  SYS_SOCKET = 41, SYS_SENDMSG = 46, SYS_SCHED_GETAFFINITY = 204, SYS_PERF_EVENT_OPEN = 298,
};
enum { STAT_NLINK = 16, STAT_MODE = 24, STAT_UID = 28 }; /* struct stat; st_nlink has 8 bytes */
enum { O_NOFOLLOW = 0400000, O_DIRECTORY = 0200000 };

static i64 call6(i64 number, i64 a, i64 b, i64 c, i64 d, i64 e, i64 f) {
  register i64 r10 __asm__("r10") = d;
  register i64 r8 __asm__("r8") = e;
  register i64 r9 __asm__("r9") = f;
  i64 result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

/* Goes to a program's entry point with the stack that it expects. rdx 0: no function to call at
   its end (System V ABI, process initialisation). */
__attribute__((noreturn)) static void jump(u64 entry, u64 *stack) {
  __asm__ volatile("mov %0, %%rsp\n\t"
                   "xor %%ebp, %%ebp\n\t"
                   "xor %%edx, %%edx\n\t"
                   "jmp *%1"
                   :
                   : "r"(stack), "r"(entry)
                   : "memory");
  __builtin_unreachable();
}

/* Invariant TSC, CPUID 8000_0007h EDX bit 8: what the kernel calls constant_tsc and nonstop_tsc. */
static int counter_never_stops(void) {
  u32 a = 0x80000000, b, c = 0, d;
  __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
  if (a < 0x80000007) return 0;
  a = 0x80000007;
  c = 0;
  __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
  return (d >> 8) & 1;
}
#define CLOCK_SOURCE "tsc"

/* rdi: the stack as it came; rsi: our address. Then rsp as required by C. */
__asm__(".section .text.start,\"ax\"\n"
        ".globl _start\n"
        "_start:\n"
        "  mov %rsp, %rdi\n"
        "  lea _start(%rip), %rsi\n"
        "  and $-16, %rsp\n"
        "  call guardian_main\n"
        "  hlt\n");

#elif defined(__aarch64__)
enum {
  SYS_READ = 63, SYS_WRITE = 64, SYS_CLOSE = 57, SYS_MMAP = 222, SYS_MPROTECT = 226,
  SYS_SIGACTION = 134, SYS_SIGPROCMASK = 135, SYS_NANOSLEEP = 101, SYS_GETPID = 172,
  SYS_SENDTO = 206, SYS_RECVFROM = 207, SYS_SOCKETPAIR = 199, SYS_CLONE = 220, SYS_EXECVE = 221,
  SYS_WAIT4 = 260, SYS_KILL = 129, SYS_FCNTL = 25, SYS_FLOCK = 32, SYS_GETCWD = 17,
  SYS_GETUID = 174, SYS_GETEUID = 175, SYS_GETPPID = 173, SYS_GETPGID = 155, SYS_GETSID = 156,
  SYS_SIGQUEUEINFO = 138, SYS_PRCTL = 167, SYS_CLOCK_GETTIME = 113, SYS_EXIT_GROUP = 94,
  SYS_OPENAT = 56, SYS_MKDIRAT = 34, SYS_FSTATAT = 79, SYS_UNLINKAT = 35, SYS_RENAMEAT = 38,
  SYS_PPOLL = 73, SYS_SIGNALFD4 = 74, SYS_DUP3 = 24, SYS_PIPE2 = 59, SYS_PRLIMIT64 = 261,
  SYS_MEMFD_CREATE = 279, SYS_CAPGET = 90, SYS_CAPSET = 91, SYS_SIGRETURN = 139,
  SYS_SETPRIORITY = 140, SYS_SCHED_SETSCHEDULER = 119, SYS_GETDENTS64 = 61,
  SYS_LANDLOCK_RESTRICT_SELF = 446, SYS_GETRANDOM = 278, SYS_GETTID = 178,
  SYS_TGSIGQUEUEINFO = 240,
  SYS_GETITIMER = 102, SYS_SETITIMER = 103, SYS_STATFS = 43,
  SYS_SCHED_SETATTR = 274, SYS_SCHED_GETATTR = 275, SYS_CLOSE_RANGE = 436,
  SYS_SOCKET = 198, SYS_SENDMSG = 211, SYS_SCHED_GETAFFINITY = 123, SYS_PERF_EVENT_OPEN = 241,
};
enum { STAT_NLINK = 20, STAT_MODE = 16, STAT_UID = 24 };
enum { O_NOFOLLOW = 0100000, O_DIRECTORY = 040000 };

static i64 call6(i64 number, i64 a, i64 b, i64 c, i64 d, i64 e, i64 f) {
  register i64 x8 __asm__("x8") = number;
  register i64 x0 __asm__("x0") = a;
  register i64 x1 __asm__("x1") = b;
  register i64 x2 __asm__("x2") = c;
  register i64 x3 __asm__("x3") = d;
  register i64 x4 __asm__("x4") = e;
  register i64 x5 __asm__("x5") = f;
  __asm__ volatile("svc #0"
                   : "+r"(x0)
                   : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                   : "memory");
  return x0;
}

/* x0 0: no function to call at the program's end. */
__attribute__((noreturn)) static void jump(u64 entry, u64 *stack) {
  register u64 to __asm__("x16") = entry;
  __asm__ volatile("mov sp, %0\n\t"
                   "mov x0, #0\n\t"
                   "mov x29, #0\n\t"
                   "mov x30, #0\n\t"
                   "br %1"
                   :
                   : "r"(stack), "r"(to)
                   : "memory", "x0");
  __builtin_unreachable();
}

static int counter_never_stops(void) { return 1; } /* guaranteed by the architecture */
#define CLOCK_SOURCE "arch_sys_counter"

__asm__(".section .text.start,\"ax\"\n"
        ".globl _start\n"
        "_start:\n"
        "  mov x0, sp\n"
        "  adr x1, _start\n"
        "  bl guardian_main\n"
        "  brk #0\n");
#else
#error "the guardian knows x86-64 and aarch64"
#endif

static i64 call(i64 number, i64 a, i64 b, i64 c, i64 d) { return call6(number, a, b, c, d, 0, 0); }

enum { EPERM = 1, ENOENT = 2, ESRCH = 3, EINTR = 4, E2BIG = 7, ENOEXEC = 8, EAGAIN = 11, ENOMEM = 12 };
enum { EACCES = 13, EEXIST = 17, ENOTDIR = 20, EINVAL = 22, ENFILE = 23, EMFILE = 24, ETXTBSY = 26 };
enum { ENODEV = 19, EFBIG = 27, ENOSPC = 28, EROFS = 30, ENAMETOOLONG = 36, ELOOP = 40 };
enum { ETIMEDOUT = 110, ESTALE = 116, EDQUOT = 122 };
enum { AT_FDCWD = -100, AT_SYMLINK_NOFOLLOW = 0x100, AT_EMPTY_PATH = 0x1000, AT_REMOVEDIR = 0x200 };
enum { STAT_MODIFIED = 88 }; /* seconds and nanoseconds, 8 bytes each */
enum { O_RDONLY = 0, O_WRONLY = 1, O_RDWR = 2, O_CREAT = 0100, O_EXCL = 0200, O_CLOEXEC = 02000000 };
enum { O_NONBLOCK = 04000 };
enum { F_GETFD = 1, F_SETFD = 2, F_ADD_SEALS = 1033, F_DUPFD_CLOEXEC = 1030, FD_CLOEXEC = 1 };
enum { PROT_READ = 1, PROT_WRITE = 2, PROT_EXEC = 4 };
enum { MAP_PRIVATE = 2, MAP_FIXED = 0x10, MAP_ANONYMOUS = 0x20 };
enum { S_IFMT = 0170000, S_IFREG = 0100000, S_IFDIR = 0040000, S_IFLNK = 0120000, S_IFIFO = 0010000 };

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

static const char *find_char(const char *text, char wanted) {
  for (; *text; text++)
    if (*text == wanted) return text;
  return 0;
}

static void copy(char *to, const char *from, u64 size) {
  for (u64 i = 0; i < size; i++) to[i] = from[i];
}

/* The compiler calls these for large initialisers. */
__attribute__((used)) void *memset(void *to, int value, u64 size) {
  for (u64 i = 0; i < size; i++) ((volatile char *)to)[i] = (char)value;
  return to;
}
__attribute__((used)) void *memcpy(void *to, const void *from, u64 size) {
  for (u64 i = 0; i < size; i++) ((volatile char *)to)[i] = ((const char *)from)[i];
  return to;
}

/* A text that is being made: what does not fit is cut off, and it always ends in NUL. */
struct text {
  char *at;
  char *end; /* the last byte, for the NUL */
};

static struct text text_in(char *buffer, u64 size) {
  *buffer = 0;
  return (struct text){buffer, buffer + size - 1};
}

static void add(struct text *text, const char *more) {
  while (*more && text->at < text->end) *text->at++ = *more++;
  *text->at = 0;
}

static void add_number(struct text *text, u64 value, u64 base) {
  u64 digit = 1;
  char one[2] = {0, 0};
  while (value / digit >= base) digit *= base;
  for (; digit > 0; digit /= base) {
    one[0] = "0123456789abcdef"[value / digit % base];
    add(text, one);
  }
}

/* Adds a text as printf(3) makes it: of %s, %lu, %lo and %lx. */
__attribute__((format(printf, 2, 3))) static void print(struct text *text, const char *form, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, form);
  for (; *form; form++) {
    char one[2] = {*form, 0};
    if (*form != '%') {
      add(text, one);
    } else if (*++form == 's') {
      add(text, __builtin_va_arg(list, const char *));
    } else {
      form++;
      add_number(text, __builtin_va_arg(list, u64), *form == 'u' ? 10 : *form == 'o' ? 8 : 16);
    }
  }
  __builtin_va_end(list);
}

static u64 read_number(const char *text, u64 base, const char **end) {
  u64 value = 0;
  for (;; text++) {
    u64 digit = *text >= '0' && *text <= '9'   ? (u64)(*text - '0')
                : *text >= 'a' && *text <= 'f' ? (u64)(*text - 'a' + 10)
                                               : 99;
    if (digit >= base) break;
    value = value * base + digit;
  }
  if (end) *end = text;
  return value;
}

static const char *error_text(i64 number) {
  switch (number) {
    case EPERM: return "Operation not permitted";
    case ENOENT: return "No such file or directory";
    case E2BIG: return "Argument list too long";
    case ENOEXEC: return "Exec format error";
    case EAGAIN: return "Resource temporarily unavailable";
    case ENOMEM: return "Cannot allocate memory";
    case EACCES: return "Permission denied";
    case ENOTDIR: return "Not a directory";
    case EINVAL: return "Invalid argument";
    case ENFILE: return "Too many open files in system";
    case EMFILE: return "Too many open files";
    case ETXTBSY: return "Text file busy";
    case EFBIG: return "File too large";
    case ENOSPC: return "No space left on device";
    case EROFS: return "Read-only file system";
    case ENAMETOOLONG: return "File name too long";
    case ELOOP: return "Too many levels of symbolic links";
    case EDQUOT: return "Disk quota exceeded";
  }
  return "an error of the system";
}

/* One line on standard error, in one write. */
static void say(const char *a, const char *b, const char *c, const char *d) {
  char line[1024];
  struct text text = text_in(line, sizeof line - 1);
  print(&text, "joulemark: %s", a);
  if (b) add(&text, b);
  if (c) add(&text, c);
  if (d) add(&text, d);
  *text.at++ = '\n';
  if (call(SYS_WRITE, 2, (i64)line, text.at - line, 0) < 0) call(SYS_WRITE, 2, (i64)line, text.at - line, 0);
}

__attribute__((noreturn)) static void leave(i64 status) {
  for (;;) call(SYS_EXIT_GROUP, status, 0, 0, 0);
}

static i64 open_at(const char *path, i64 flags, i64 mode) {
  for (;;) {
    i64 fd = call(SYS_OPENAT, AT_FDCWD, (i64)path, flags | O_CLOEXEC, mode);
    if (fd != -EINTR) return fd;
  }
}

static void close_fd(i64 fd) {
  if (fd >= 0) call(SYS_CLOSE, fd, 0, 0, 0);
}

/* Above the standard streams, so that one that was closed stays closed. */
static i64 above_streams(i64 fd) {
  if (fd < 0 || fd > 2) return fd;
  i64 moved = call(SYS_FCNTL, fd, F_DUPFD_CLOEXEC, 3, 0);
  close_fd(fd);
  return moved;
}

/* 0, or a negative error. */
static i64 write_all(i64 fd, const char *from, u64 size) {
  while (size > 0) {
    i64 written = call(SYS_WRITE, fd, (i64)from, (i64)size, 0);
    if (written == -EINTR) continue;
    if (written <= 0) return written < 0 ? written : -ENOSPC;
    from += written;
    size -= (u64)written;
  }
  return 0;
}

/* The beginning of a small file as a text; its length, or a negative error. */
static i64 read_file(const char *path, char *into, u64 size) {
  i64 fd = open_at(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
  if (fd < 0) return fd;
  u64 have = 0;
  while (have < size - 1) {
    i64 n = call(SYS_READ, fd, (i64)(into + have), (i64)(size - 1 - have), 0);
    if (n == -EINTR) continue;
    if (n <= 0) break;
    have += (u64)n;
  }
  close_fd(fd);
  into[have] = 0;
  return (i64)have;
}

static u64 clock_ns(i64 clock) {
  u64 time[2] = {0, 0};
  call(SYS_CLOCK_GETTIME, clock, (i64)time, 0, 0);
  return time[0] * 1000000000ul + time[1];
}
enum { CLOCK_REALTIME = 0, CLOCK_MONOTONIC = 1, CLOCK_MONOTONIC_RAW = 4 };

static void sleep_ns(u64 ns) {
  u64 time[2] = {0, ns};
  call(SYS_NANOSLEEP, (i64)time, 0, 0, 0);
}

static const char *variable(char **environment, const char *name) {
  u64 size = length(name);
  for (; *environment; environment++)
    if (starts(*environment, name) && (*environment)[size] == '=') return *environment + size + 1;
  return 0;
}

static char *map_memory(u64 size) {
  i64 at = call6(SYS_MMAP, 0, (i64)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return at < 0 && at > -4096 ? 0 : (char *)at;
}
