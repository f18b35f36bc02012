/**
 * The C library through FFI: the only door to the kernel.
 *
 * Deno refuses /proc, /sys and /dev to its own file API unless everything is allowed, so every
 * kernel file is read by libc's `pread`, which needs the FFI permission for libc's path and nothing
 * else. Pointers never appear: addresses are 64-bit integers, memory is peeked and poked by
 * `memcpy`, so path-scoped FFI is enough.
 *
 * Speed: arguments that the fast call path takes are plain numbers for 32-bit parameters and
 * bigints for 64-bit ones; a number handed to a 64-bit parameter costs ten times more.
 * @module
 */
import { AccessError } from "../core/errors.ts";
import { bindWithoutCode, type Call, LIBC_PATHS } from "./bind.ts";

/** A system call by its number, which libc takes first. */
function systemCall<const P extends readonly Deno.NativeType[]>(...parameters: P) {
  return { name: "syscall", parameters: ["i64", ...parameters], result: "i64" } as const;
}

/** A function under a name of our own, which answers a number. */
function named<const P extends readonly Deno.NativeType[]>(name: string, ...parameters: P) {
  return { name, parameters, result: "i32" } as const;
}

/** Each is bound when it is first asked for: no process needs them all. */
const SYMBOLS = {
  open: { parameters: ["buffer", "i32", "i32"], result: "i32" }, // const char*, int flags, mode
  close: { parameters: ["i32"], result: "i32" },
  write: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  read: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  recvmsg: { parameters: ["i32", "u64", "i32"], result: "isize" }, // fd, struct msghdr*, flags
  mkdir: { parameters: ["buffer", "i32"], result: "i32" },
  mkdirat: { parameters: ["i32", "buffer", "i32"], result: "i32" },
  linkat: { parameters: ["i32", "buffer", "i32", "buffer", "i32"], result: "i32" }, // from, to, flags
  symlinkat: { parameters: ["buffer", "i32", "buffer"], result: "i32" }, // target, directory, name
  unlink: { parameters: ["buffer"], result: "i32" },
  rename: { parameters: ["buffer", "buffer"], result: "i32" },
  flock: { parameters: ["i32", "i32"], result: "i32" },
  getpid: { parameters: [], result: "i32" },
  getppid: { parameters: [], result: "i32" },
  getuid: { parameters: [], result: "i32" },
  geteuid: { parameters: [], result: "i32" },
  clockGettime: named("clock_gettime", "i32", "buffer"),
  getrlimit: { parameters: ["i32", "buffer"], result: "i32" },
  setrlimit: { parameters: ["i32", "buffer"], result: "i32" },
  sigmask: named("pthread_sigmask", "i32", "buffer", "buffer"),
  // The system call itself: libc refuses to touch the two signals that it keeps for its threads.
  sigaction: systemCall("i32", "buffer", "u64", "usize"),
  mmap: { parameters: ["u64", "usize", "i32", "i32", "i32", "i64"], result: "u64" },
  peek: { name: "memcpy", parameters: ["buffer", "u64", "usize"], result: "u64" },
  poke: { name: "memcpy", parameters: ["u64", "buffer", "usize"], result: "u64" },
  errnoAddress: { name: "__errno_location", parameters: [], result: "u64" },
  execve: { parameters: ["buffer", "u64", "u64"], result: "i32" },
  fstatat: systemCall("i32", "buffer", "buffer", "i32"),
  // Offsets below 2^32, on the fast path: registers and file starts.
  pread: named("pread64", "i32", "buffer", "u32", "u32"),
  // The same with full offsets.
  preadAt: { name: "pread64", parameters: ["i32", "buffer", "usize", "i64"], result: "isize" },
  pwriteAt: { name: "pwrite64", parameters: ["i32", "buffer", "usize", "i64"], result: "isize" },
  fallocate: { parameters: ["i32", "i32", "i64", "i64"], result: "i32" },
  fsync: { parameters: ["i32"], result: "i32" },
  ftruncate: { parameters: ["i32", "i64"], result: "i32" },
  lseek: { parameters: ["i32", "i64", "i32"], result: "i64" },
  rmdir: { parameters: ["buffer"], result: "i32" },
  openat: { parameters: ["i32", "buffer", "i32", "i32"], result: "i32" }, // directory, name, flags, mode
  openat2: systemCall("i32", "buffer", "buffer", "usize"), // directory, name, struct open_how, its size
  renameat: { parameters: ["i32", "buffer", "i32", "buffer"], result: "i32" },
  unlinkat: { parameters: ["i32", "buffer", "i32"], result: "i32" },
  readlinkat: { parameters: ["i32", "buffer", "buffer", "usize"], result: "isize" },
  readlink: { parameters: ["buffer", "buffer", "usize"], result: "isize" },
  fcntl: { parameters: ["i32", "i32", "i64"], result: "i32" },
  dup2: { parameters: ["i32", "i32"], result: "i32" },
  clockNanosleep: named("clock_nanosleep", "i32", "i32", "buffer", "u64"), // clockid, flags, request, remain
  socketpair: { parameters: ["i32", "i32", "i32", "buffer"], result: "i32" },
  poll: { parameters: ["buffer", "u64", "i32"], result: "i32" },
  ppoll: { parameters: ["buffer", "u64", "buffer", "u64"], result: "i32" },
  ppollMasked: named("ppoll", "buffer", "u64", "buffer", "buffer"),
  getauxval: { parameters: ["u64"], result: "u64" },
  capget: { parameters: ["buffer", "buffer"], result: "i32" }, // header, sets
  capset: { parameters: ["buffer", "buffer"], result: "i32" },
  prctl: { parameters: ["i32", "u64", "u64", "u64", "u64"], result: "i32" },
  schedSetscheduler: named("sched_setscheduler", "i32", "i32", "buffer"),
  schedGetaffinity: named("sched_getaffinity", "i32", "usize", "buffer"),
  schedSetaffinity: named("sched_setaffinity", "i32", "usize", "buffer"),
  timerCreate: systemCall("i32", "buffer", "buffer"),
  // rt_tgsigqueueinfo: process, thread, signal, siginfo_t
  sigqueueThread: systemCall("i32", "i32", "i32", "buffer"),
  seccomp: systemCall("u64", "u64", "buffer"),
  timerSettime: systemCall("i32", "i32", "buffer", "u64"),
  gettid: systemCall(),
  dlsym: { parameters: ["u64", "buffer"], result: "u64" },
  sigactionOf: named("sigaction", "i32", "buffer", "u64"),
  setpriority: { parameters: ["i32", "i32", "i32"], result: "i32" },
  getrusage: { parameters: ["i32", "buffer"], result: "i32" },
  kill: { parameters: ["i32", "i32"], result: "i32" },
  waitpid: { parameters: ["i32", "buffer", "i32"], result: "i32" },
  munmap: { parameters: ["u64", "usize"], result: "i32" },
  // address, size, new size, flags, new address
  mremap: { parameters: ["u64", "usize", "usize", "i32", "u64"], result: "u64" },
  madvise: { parameters: ["u64", "usize", "i32"], result: "i32" },
  // pid, path, file actions, attributes, argv, envp
  posixSpawn: named("posix_spawn", "buffer", "buffer", "u64", "buffer", "u64", "u64"),
  spawnattrInit: named("posix_spawnattr_init", "buffer"),
  spawnattrSetflags: named("posix_spawnattr_setflags", "buffer", "i16"),
  spawnattrSetsigmask: named("posix_spawnattr_setsigmask", "buffer", "buffer"),
  spawnattrSetsigdefault: named("posix_spawnattr_setsigdefault", "buffer", "buffer"),
  getdents: systemCall("i32", "buffer", "usize"),
  pidfdOpen: systemCall("i32", "u32"),
  signalfd: { parameters: ["i32", "buffer", "i32"], result: "i32" },
  memfdCreate: systemCall("buffer", "u32"),
  fstat: systemCall("i32", "buffer"),
  perfEventOpen: systemCall("buffer", "i32", "i32", "i32", "u64"),
} as const satisfies Deno.ForeignLibraryInterface;

/** libc's functions as typed above. */
export type Libc = Deno.DynamicLibrary<typeof SYMBOLS>["symbols"];

/** Calls for starting processes and opening libraries: a monitor whose run has begun makes none. */
const STARTING: ReadonlySet<string> = new Set<keyof Libc>([
  ...["dup2", "execve", "fcntl", "getppid", "posixSpawn", "schedSetaffinity"] as const,
  ...["socketpair", "symlinkat", "getauxval", "capget", "capset"] as const,
  ...["spawnattrInit", "spawnattrSetflags", "spawnattrSetsigdefault"] as const,
  ...["getrlimit", "memfdCreate", "signalfd", "spawnattrSetsigmask", "waitpid"] as const,
]);

let opened: Libc | undefined;

/**
 * Opens libc once.
 *
 * @throws {AccessError} If no known path holds it, or FFI is not permitted.
 */
export function libc(): Libc {
  if (opened !== undefined) return opened;
  let cause: unknown;
  for (const path of LIBC_PATHS) {
    try {
      opened = boundOnDemand(path);
      return opened;
    } catch (error) {
      cause ??= error;
    }
  }
  throw new AccessError({
    action: "open the C library",
    target: LIBC_PATHS[0],
    expected: "glibc at one of its usual places and permission to open it",
    found: cause instanceof Error ? cause.message.split("\n")[0] : String(cause),
    remedy: "run the joulemark executable, or give --allow-ffi",
    cause,
  });
}

/**
 * Called again and again, so code is compiled for them: to bind one takes 200 µs then, and a call 0.03 once
 * V8 has compiled the caller, too. Any other is bound in 10 µs, and a call takes 0.4 (bind.ts).
 */
const FREQUENT_CALLS: ReadonlySet<string> = new Set<keyof Libc>([
  ...["open", "close", "read", "write", "pread", "preadAt", "pwriteAt"] as const,
  ...["fstat", "fstatat", "getdents", "clockGettime", "clockNanosleep"] as const,
  ...["poll", "ppoll", "timerSettime", "peek"] as const,
]);
/** Number of calls that cost as much as compiling code: it is compiled then. */
const CALLS_BEFORE_CODE = 400;

/**
 * The functions as properties. The prototype is asked for what the object does not have: it binds the
 * function and leaves it as the object's own property, so that calls through it are on the fast path.
 */
function boundOnDemand(path: string): Libc {
  openedPath = path;
  const onDemand = new Proxy({}, {
    get(_, name) {
      if (!isCall(name)) return undefined;
      bindSeldom(libc, [name]);
      return libc[name];
    },
  });
  const libc: Libc = Object.create(onDemand);
  // What reads errno is there before the first call that may fail: to bind it then would change errno.
  errnoAt = libc.errnoAddress();
  libc.peek;
  return libc;
}

function isCall(name: string | symbol): name is keyof Libc {
  return Object.hasOwn(SYMBOLS, name);
}

let openedPath = "";
/** May code still be compiled? */
let compiles = true;
/** Names of those with code. */
const compiled = new Set<string>();

function setCall(libc: Libc, name: keyof Libc, value: unknown): void {
  Object.defineProperty(libc, name, { value, enumerable: true, configurable: true });
}

/** Binds some without code, as the object's own properties. */
function bindSeldom(libc: Libc, names: readonly (keyof Libc)[]): void {
  const wanted = Object.fromEntries(names.map((name) => [name, SYMBOLS[name]]));
  const symbols = bindWithoutCode(openedPath, wanted);
  for (const name of names) {
    const call = symbols[name] as Call;
    // Between a call and its errno nothing may be bound, and peek is there.
    const counts = FREQUENT_CALLS.has(name) && name !== "peek";
    setCall(libc, name, counts ? counted(libc, name, call) : call);
  }
}

function counted(libc: Libc, name: keyof Libc, call: Call): Call {
  let left = CALLS_BEFORE_CODE;
  return (...values) => {
    if (--left === 0 && compiles) compile(libc, [name]);
    return call(...values);
  };
}

/** Compiles code for calls. */
function compile(libc: Libc, names: readonly (keyof Libc)[]): void {
  const wanted = Object.fromEntries(names.map((name) => [name, SYMBOLS[name]]));
  try {
    const symbols: Record<string, unknown> = Deno.dlopen(openedPath, wanted).symbols;
    for (const name of names) {
      compiled.add(name);
      setCall(libc, name, symbols[name]);
    }
  } catch {
    // No more permitted, or the loader knows it by another name, which a confined process may not open.
    compiles = false;
  }
}

/** Binds what a running monitor may still call: libc is not opened again once that is not permitted. */
export function bindForRunning(): void {
  const all = libc(), names = Object.keys(SYMBOLS) as (keyof Libc)[];
  bindSeldom(all, names.filter((name) => !STARTING.has(name) && !Object.hasOwn(all, name)));
}

/** Compiles code for frequent calls, if they will be; from here on there is no more of it. */
export function compileForRunning(often: boolean): void {
  const names = [...FREQUENT_CALLS] as (keyof Libc)[];
  if (often) compile(libc(), names.filter((name) => !compiled.has(name)));
  compiles = false;
}

/** Numbers of system calls: [x86-64, aarch64] of asm/unistd.h. */
const NUMBERS = {
  getdents64: [217n, 61n],
  pidfdOpen: [434n, 434n],
  openat2: [437n, 437n],
  newfstatat: [262n, 79n],
  fstat: [5n, 80n],
  perfEventOpen: [298n, 241n],
  sigaction: [13n, 134n],
  memfdCreate: [319n, 279n],
  timerCreate: [222n, 107n],
  timerSettime: [223n, 110n],
  gettid: [186n, 178n],
  sigqueueThread: [297n, 240n],
  seccomp: [317n, 277n],
} as const;

const MACHINE = Deno.build.arch === "aarch64" ? 1 : 0;
/** System call numbers of this architecture, as bigints for the fast path. */
export const SYSCALLS = Object.fromEntries(
  Object.entries(NUMBERS).map(([name, numbers]) => [name, numbers[MACHINE]]),
) as Readonly<Record<keyof typeof NUMBERS, bigint>>;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * A NUL-terminated string for libc.
 *
 * @throws {AccessError} If the text holds a NUL, which no path can.
 */
export function cString(text: string): Uint8Array<ArrayBuffer> {
  if (text.includes("\0")) {
    throw new AccessError({ action: "use", target: text, expected: "a path without NUL" });
  }
  return encoder.encode(text + "\0");
}

/** Text up to the first NUL, or all of it. */
export function fromBytes(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return decoder.decode(end < 0 ? bytes : bytes.subarray(0, end));
}

const errnoWord = new Int32Array(1);
const errnoBytes = new Uint8Array(errnoWord.buffer);
let errnoAt = 0n;

/**
 * errno of the last libc call on this thread: good for messages. If it steers control flow the
 * caller repeats the call, since the runtime may have made system calls in between.
 */
export function errno(): number {
  libc().peek(errnoBytes, errnoAt, 4n);
  return errnoWord[0];
}

/** May a call that opens by name be repeated after this errno? Also after what the runtime left there. */
export function isPassing(number: number): boolean {
  return number === 0 || number === ERRNO.EINTR || number === ERRNO.EAGAIN;
}

/** Numbers of errno(3) that steer control flow here. */
export const ERRNO = {
  EPERM: 1,
  ENOENT: 2,
  ESRCH: 3,
  EINTR: 4,
  EIO: 5,
  ECHILD: 10,
  EAGAIN: 11,
  EACCES: 13,
  EEXIST: 17,
  ENODEV: 19,
  ENOTDIR: 20,
  EISDIR: 21,
  EINVAL: 22,
  ENFILE: 23,
  EMFILE: 24,
  ENOSPC: 28,
  EROFS: 30,
  ENOSYS: 38,
  ELOOP: 40,
  ETIMEDOUT: 110,
  EDQUOT: 122,
} as const;

const TEXTS: Record<number, string> = {
  1: "Operation not permitted",
  2: "No such file or directory",
  3: "No such process",
  4: "Interrupted",
  5: "Input/output error",
  6: "No such device or address",
  7: "Argument list too long",
  8: "Exec format error",
  11: "Resource temporarily unavailable",
  12: "Out of memory",
  13: "Permission denied",
  16: "Device or resource busy",
  17: "File exists",
  18: "Invalid cross-device link",
  19: "No such device",
  20: "Not a directory",
  21: "Is a directory",
  22: "Invalid argument",
  23: "Too many open files in system",
  24: "Too many open files",
  26: "Text file busy",
  27: "File too large",
  28: "No space left on device",
  29: "Illegal seek",
  30: "Read-only file system",
  32: "Broken pipe",
  36: "File name too long",
  37: "No locks available",
  38: "Function not implemented",
  40: "Too many levels of symbolic links",
  61: "No data available",
  95: "Operation not supported",
  98: "Address already in use",
  99: "Cannot assign requested address",
  107: "Transport endpoint is not connected",
  108: "Cannot send after transport endpoint shutdown",
  110: "no answer in time",
  112: "Host is down",
  113: "No route to host",
  116: "Stale file handle",
  121: "Remote I/O error",
  122: "Disk quota exceeded",
  126: "Required key not available",
  127: "Key has expired",
};

/** The text that strerror(3) gives, for the numbers that files and devices produce. */
export function errorText(number: number): string {
  return TEXTS[number] ?? `error ${number}`;
}

/** Address of bytes: memcpy(3) of none returns it. The caller keeps them. */
export function addressOf(bytes: Uint8Array<ArrayBuffer>): bigint {
  return libc().peek(bytes, 0n, 0n);
}
