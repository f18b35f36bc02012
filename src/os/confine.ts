/**
 * Confinement of this process by the kernel, once its counters are open: no new privileges, no
 * capabilities, no path but those of its readers and outputs, and no system call that it does not need
 * any more. Not of the application, which is a child of the guardian.
 *
 * Capabilities, no-new-privs and landlock belong to threads: capset(2), prctl(2) and
 * landlock_restrict_self(2) act on the calling one, and the runtime has threads of its own. So a signal
 * goes to each thread, whose handler is code of the guardian (src/guardian/confine.h). seccomp(2)
 * reaches all threads by SECCOMP_FILTER_FLAG_TSYNC.
 * @module
 */
import { closeFile, listDirectory, statOpen, statPath } from "./files.ts";
import {
  isWritten,
  landlockVersion,
  makeRuleset,
  type OpenPlace,
  openPlaces,
  type Places,
  withoutLandlock,
} from "./landlock.ts";
import { ERRNO, errno, errorText, libc, LIBC_PATHS, SYSCALLS } from "./libc.ts";

const ARM = Deno.build.arch === "aarch64";
/** The signal that guardian.c leaves unblocked for this: CONFINE. */
const SIGNAL = 40;
const SIG_IGN = 1n;
const SA_SIGINFO = 4n,
  SA_RESTORER = 0x04000000n,
  SA_RESTART = 0x10000000n,
  SA_ONSTACK = 0x08000000n;
const PR_SET_NO_NEW_PRIVS = 38;
const SET_MODE_FILTER = 1n, TSYNC = 1n;
const AUDIT_ARCH = ARM ? 0xc00000b7 : 0xc000003e;
/** Numbers of the x32 ABI of x86-64 begin here: the same calls by other numbers. */
const X32 = 0x40000000;
const ALLOW = 0x7fff0000, REFUSE_EPERM = 0x00050001;
const PROT_READ_WRITE = 3, MAP_PRIVATE_ANONYMOUS = 0x22;
const AF_UNIX = 1;
/** The handler runs when its thread runs: at once, but for a loaded machine. The next tick looks again. */
const ROUNDS = 20;
const ROUND_NS = 100_000;
/** Ticks after which a thread is no more waited for; it is confined all the same if it ever runs. */
const LOOKS = 400;

/** Calls that no part of a running monitor makes: [x86-64, aarch64] of asm/unistd.h. */
const REFUSED: Readonly<Record<string, readonly [number, number]>> = {
  execve: [59, 221],
  execveat: [322, 281],
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  bpf: [321, 280],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  unshare: [272, 97],
  setns: [308, 268],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  userfaultfd: [323, 282],
  open_by_handle_at: [304, 265],
  setuid: [105, 146],
  setresuid: [117, 147],
  reboot: [169, 142],
};
const SOCKET = ARM ? 198 : 41;
/** Calls that a process makes no more that has opened all it ever needs. */
const OPENING: readonly (readonly [number, number])[] = [
  ...[[2, 56], [257, 56], [437, 437], [85, 56], [304, 265]] as const, // open, openat, openat2, creat
  ...[[42, 203], [41, 198], [53, 199]] as const, // connect, socket, socketpair
  ...[[87, 35], [263, 35], [82, 38], [264, 38], [316, 276]] as const, // unlink, rename
  ...[[83, 34], [258, 34], [90, 53], [268, 53], [92, 54], [260, 54]] as const, // mkdir, chmod, chown
  ...[[62, 129], [234, 131], [200, 130]] as const, // kill, tgkill, tkill
];

/** What is in force; a reason where something is not. */
export interface Confinement {
  /** Every thread: no new privileges, and no capability in effect. */
  readonly privileges: "none" | string;
  /** Every thread: system calls by a filter. */
  readonly calls: "filtered" | string;
  /** Every thread: which files may still be opened. */
  readonly paths: "none" | PathLimits | string;
}

/** Which paths may still be opened, as the kernel names them; all that is below them too. */
export interface PathLimits {
  readonly by: string;
  readonly read: readonly string[];
  readonly written: readonly string[];
}

/** Where the code of the guardian lies in this process; 0 where it does not. */
export interface ConfineCode {
  readonly handler: bigint;
  readonly restorer: bigint;
}

const NO_PRIVILEGES_UNKNOWN = "no_new_privs is unknown to this kernel";
const NO_PATHS = "not restricted: ";
const WITHOUT_CODE = "the runtime was started without the guardian's code";

/** Confines all threads of this process, for good. */
export class Confiner implements Confinement {
  readonly calls: string;
  readonly #kept: string | undefined;
  readonly #open: string | { readonly version: number; readonly places: readonly OpenPlace[] };
  readonly #threads: ThreadConfiner | undefined;
  #failure: string | undefined;

  /** @param places What it still needs. Where root needs a capability to write an output, it keeps them. */
  constructor(code: ConfineCode, places: Places) {
    if (libc().prctl(PR_SET_NO_NEW_PRIVS, 1n, 0n, 0n, 0n) !== 0) {
      this.calls = this.#failure = NO_PRIVILEGES_UNKNOWN;
      this.#open = NO_PATHS + this.calls;
      return;
    }
    const open = openPlaces(places);
    const foreign = open.find((place) => isWritten(place) && !isOurs(place.fd))?.path;
    if (foreign !== undefined) this.#kept = `${foreign} is another user's, and outputs go there`;
    const version = landlockVersion();
    const ruleset = version > 0 ? makeRuleset(version, open) : -ERRNO.ENOENT;
    this.#open = version <= 0
      ? NO_PATHS + withoutLandlock(version)
      : ruleset < 0
      ? `${NO_PATHS}no ruleset (${errorText(-ruleset)})`
      : { version, places: open };
    for (const { fd } of open) closeFile(fd);
    if (code.handler === 0n) {
      this.#failure = WITHOUT_CODE;
      closeFile(ruleset);
    } else this.#threads = new ThreadConfiner(code, ruleset, foreign !== undefined);
    this.goOn();
    // Not before: it would be one more thing that a thread may be late for.
    this.calls = filterCalls();
  }

  /** Looks whether threads that were late are confined by now. To be called until it says that it is done. */
  goOn(): boolean {
    if (this.#threads !== undefined) this.#failure = this.#threads.wait();
    return this.#failure !== LATE;
  }

  get privileges(): string {
    const reason = this.#kept ?? this.#failure;
    return reason === undefined ? "none" : `kept: ${reason}`;
  }

  get paths(): PathLimits | string {
    if (typeof this.#open === "string") return this.#open;
    if (this.#failure !== undefined) return NO_PATHS + this.#failure;
    const { version, places } = this.#open;
    const names = (written: boolean) => {
      return places.filter((place) => isWritten(place) === written).map(({ path }) => path);
    };
    return { by: `landlock ${version}`, read: names(false), written: names(true) };
  }
}

/**
 * Confines a process that has opened all it ever needs: user and groups that own nothing, in every
 * thread (glibc's setresuid(2) reaches all of them, and leaves no capability where root was), and a
 * filter that also refuses to open, to connect, to remove and to kill.
 *
 * @param id Of the user and the group.
 */
export function confineToOpenFiles(id: number): Confinement {
  const c = libc();
  if (c.prctl(PR_SET_NO_NEW_PRIVS, 1n, 0n, 0n, 0n) !== 0) {
    const reason = NO_PRIVILEGES_UNKNOWN;
    return { privileges: reason, calls: reason, paths: NO_PATHS + reason };
  }
  const privileges = c.geteuid() !== 0 ? "none" : becomeUser(id);
  const calls = filterCalls(OPENING);
  return { privileges, calls, paths: calls === "filtered" ? "none" : NO_PATHS + calls };
}

/** May this user write there without a capability? By owner and mode; a group may allow more. */
function isOurs(fd: number): boolean {
  const own = libc().geteuid(), facts = own === 0 ? statOpen(fd) : undefined;
  return facts === undefined || facts.uid === own || (facts.mode & 0o002) !== 0;
}

const WANTED_WORDS = 4, WANTED_BYTES = 16, DONE = 2;
const THREADS_MAX = 1024;
const SIZE = BigInt(WANTED_BYTES * THREADS_MAX);
/** siginfo_t: signal, error, code, then pid, user, value. */
const SIGINFO_BYTES = 128, CODE_AT = 8, PID_AT = 16, VALUE_AT = 24;
const SI_QUEUE = -1;

const LATE = "a thread of the runtime did not answer";

/**
 * Each thread by a signal, until a look at them all finds no one who has not done as wanted: a thread
 * that a confined one makes is confined.
 */
class ThreadConfiner {
  /** struct confinement of confine.h for each thread: ruleset, keeps, done, unused; and where it lies. */
  readonly #wanted = new Int32Array(THREADS_MAX * WANTED_WORDS);
  readonly #base: bigint;
  readonly #sent: string[] = [];
  readonly #info = new DataView(new ArrayBuffer(SIGINFO_BYTES));
  #state: string | undefined = LATE;
  #looks = 0;

  /** @param ruleset Negative: none. Closed when all is done. */
  constructor({ handler, restorer }: ConfineCode, ruleset: number, keeps: boolean) {
    const c = libc(), wanted = this.#wanted, info = this.#info;
    for (let at = 0; at < wanted.length; at += WANTED_WORDS) {
      wanted[at] = ruleset;
      wanted[at + 1] = keeps ? 1 : 0;
    }
    this.#base = c.mmap(0n, SIZE, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0n);
    c.poke(this.#base, bytesOf(wanted), SIZE);
    info.setInt32(0, SIGNAL, true);
    info.setInt32(CODE_AT, SI_QUEUE, true);
    info.setInt32(PID_AT, c.getpid(), true);
    const flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK | (ARM ? 0n : SA_RESTORER);
    if (!handle(handler, flags, restorer)) this.#state = "no handler";
  }

  /** @returns What is not as it should be; {@linkcode LATE}: not yet. */
  wait(): string | undefined {
    const rounds = this.#looks++ === 0 ? ROUNDS : 1;
    for (let round = 0; round < rounds && this.#state === LATE; round++) {
      const threads = listDirectory("/proc/self/task");
      // This one is there: without a list nobody knows who else is.
      if (threads.length === 0) this.#state = "no /proc to find the threads by";
      let isNew = false;
      for (const tid of threads) if (!this.#sent.includes(tid)) isNew = this.#send(tid);
      if (this.#state !== LATE) break;
      // The signal of this very thread is handled by now.
      libc().peek(bytesOf(this.#wanted), this.#base, BigInt(this.#sent.length * WANTED_BYTES));
      const states = threads.map((tid) => this.#answerOf(tid));
      const error = states.find((state) => state < 0);
      if (error !== undefined) this.#state = `a thread refused: ${errorText(-error)}`;
      else if (!isNew && !states.includes(0)) this.#end();
      else if (!isNew && round + 1 < rounds) pause();
    }
    if (this.#looks === LOOKS && this.#state === LATE) this.#state = `${LATE} in time`;
    return this.#state;
  }

  #send(tid: string): true {
    const c = libc(), [info, n] = [this.#info, this.#sent.length];
    if (n === THREADS_MAX) return true;
    info.setBigUint64(VALUE_AT, this.#base + BigInt(n * WANTED_BYTES), true);
    const pid = info.getInt32(PID_AT, true);
    const number = SYSCALLS.sigqueueThread;
    const done = c.sigqueueThread(number, pid, Number(tid), SIGNAL, bytesOf(info));
    const error = done === 0n ? 0 : errno();
    if (error === 0) this.#sent.push(tid);
    // One that has ended need not be asked.
    else if (error !== ERRNO.ESRCH) this.#state = `a thread cannot be asked: ${errorText(error)}`;
    return true;
  }

  /** 0: none yet; 1: done; −errno. */
  #answerOf(tid: string): number {
    const n = this.#sent.indexOf(tid);
    return n < 0 ? 0 : this.#wanted[n * WANTED_WORDS + DONE];
  }

  /** The words to threads stay where they are: one that is about to end may still be on its way there. */
  #end(): void {
    this.#state = undefined;
    closeFile(this.#wanted[0]);
    handle(SIG_IGN, 0n, 0n);
  }
}

function bytesOf({ buffer }: { readonly buffer: ArrayBuffer }): Uint8Array<ArrayBuffer> {
  return new Uint8Array(buffer);
}

function handle(handler: bigint, flags: bigint, restorer: bigint): boolean {
  const action = new Uint8Array(new BigUint64Array([handler, flags, restorer, 0n]).buffer);
  return libc().sigaction(SYSCALLS.sigaction, SIGNAL, action, 0n, 8n) === 0n;
}

const pauseSpec = new Int32Array([0, 0, ROUND_NS, 0]);

function pause(): void {
  libc().clockNanosleep(1, 0, new Uint8Array(pauseSpec.buffer), 0n);
}

const USER_SYMBOLS = {
  setgroups: { parameters: ["usize", "u64"], result: "i32" }, // count, list
  setresgid: { parameters: ["u32", "u32", "u32"], result: "i32" },
  setresuid: { parameters: ["u32", "u32", "u32"], result: "i32" },
} as const satisfies Deno.ForeignLibraryInterface;

function becomeUser(id: number): string {
  const path = LIBC_PATHS.find((path) => statPath(path) !== undefined);
  if (path === undefined) return "kept: no C library at a usual place";
  const { setgroups, setresgid, setresuid } = Deno.dlopen(path, USER_SYMBOLS).symbols;
  const isDone = setgroups(0n, 0n) === 0 && setresgid(id, id, id) === 0 &&
    setresuid(id, id, id) === 0;
  return isDone ? "none" : "kept: this user may not become another one";
}

/**
 * The least of it, for a process that opens files of the kernel's as long as it runs and needs its rights
 * for that: no new privileges, and the filter, in every thread.
 *
 * @returns "filtered", or why not.
 */
export function confineCalls(): string {
  const hasNone = libc().prctl(PR_SET_NO_NEW_PRIVS, 1n, 0n, 0n, 0n) === 0;
  return hasNone ? filterCalls() : NO_PRIVILEGES_UNKNOWN;
}

/** A filter of seccomp(2): classic BPF over struct seccomp_data {nr, arch, ip, args}. */
function filterCalls(more: readonly (readonly [number, number])[] = []): string {
  const numbers = [...Object.values(REFUSED), ...more].map((pair) => pair[ARM ? 1 : 0]);
  const program: [code: number, whenTrue: number, whenFalse: number, value: number][] = [
    [0x20, 0, 0, 4], // the architecture
    [0x15, 1, 0, AUDIT_ARCH],
    [0x06, 0, 0, REFUSE_EPERM],
    [0x20, 0, 0, 0], // the number
  ];
  const tests = numbers.length;
  // To the last instruction: past the other tests and what follows them.
  if (!ARM) program.push([0x35, tests + 4, 0, X32]);
  numbers.forEach((number, i) => program.push([0x15, tests - i + 3, 0, number]));
  program.push(
    [0x15, 0, 2, SOCKET],
    [0x20, 0, 0, 16], // its first argument: only sockets on this node
    [0x15, 0, 1, AF_UNIX],
    [0x06, 0, 0, ALLOW],
    [0x06, 0, 0, REFUSE_EPERM],
  );
  const instructions = new DataView(new ArrayBuffer(program.length * 8));
  program.forEach(([code, whenTrue, whenFalse, value], i) => {
    instructions.setUint16(i * 8, code, true);
    instructions.setUint8(i * 8 + 2, whenTrue);
    instructions.setUint8(i * 8 + 3, whenFalse);
    instructions.setUint32(i * 8 + 4, value, true);
  });
  const c = libc();
  const size = BigInt(instructions.byteLength);
  const at = c.mmap(0n, size, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0n);
  c.poke(at, new Uint8Array(instructions.buffer), size);
  const list = new DataView(new ArrayBuffer(16)); // struct sock_fprog: length, address
  list.setUint16(0, program.length, true);
  list.setBigUint64(8, at, true);
  const set = c.seccomp(SYSCALLS.seccomp, SET_MODE_FILTER, TSYNC, new Uint8Array(list.buffer));
  c.munmap(at, size);
  return set === 0n ? "filtered" : "this kernel takes no filter of system calls";
}
