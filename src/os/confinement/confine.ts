/**
 * Confinement of this process by the kernel, once its counters are open: no new privileges, no
 * capabilities, no path but those of its readers and outputs, and no system call that it does not need
 * any more. Not of the application, which is a child of the guardian.
 *
 * Capabilities, no-new-privs and landlock belong to threads: capset(2), prctl(2) and
 * landlock_restrict_self(2) act on the calling one, and the runtime has threads of its own. So a signal
 * goes to each thread, whose handler is code of the guardian (src/job/guardian/confine.h). seccomp(2)
 * reaches all threads by SECCOMP_FILTER_FLAG_TSYNC.
 * @module
 */
import { closeFile, statOpen } from "../files.ts";
import type { ConfineCode } from "../inherited.ts";
import {
  isWritten,
  landlockVersion,
  makeRuleset,
  type OpenPlace,
  openPlaces,
  type Places,
  withoutLandlock,
} from "./landlock.ts";
import { bindMore } from "../bind.ts";
import { addressOf, ERRNO, errno, errorText, libc, SYSCALLS } from "../libc.ts";

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
const FPROG_WORDS = 4;
const ALLOW = 0x7fff0000, REFUSE_EPERM = 0x00050001;
const AF_UNIX = 1;
/**
 * Number of rounds. The handler runs when its thread runs: at once, except on a loaded machine. The
 * next tick looks again.
 */
const ROUNDS = 4;
/** After this time no thread is waited for; it is confined all the same if it ever runs. */
const MAX_LATE_MS = 10_000;
const SETTLE_STEP_MS = 25;

/** Calls that no part of a running monitor makes: [x86-64, aarch64] of asm/unistd.h. */
const REFUSED: readonly (readonly [number, number])[] = [
  [59, 221], // execve
  [322, 281], // execveat
  [101, 117], // ptrace
  [310, 270], // process_vm_readv
  [311, 271], // process_vm_writev
  [321, 280], // bpf
  [165, 40], // mount
  [166, 39], // umount2
  [155, 41], // pivot_root
  [161, 51], // chroot
  [272, 97], // unshare
  [308, 268], // setns
  [425, 425], // io_uring_setup
  [426, 426], // io_uring_enter
  [427, 427], // io_uring_register
  [175, 105], // init_module
  [313, 273], // finit_module
  [176, 106], // delete_module
  [246, 104], // kexec_load
  [320, 294], // kexec_file_load
  [248, 217], // add_key
  [249, 218], // request_key
  [250, 219], // keyctl
  [323, 282], // userfaultfd
  [304, 265], // open_by_handle_at
  [105, 146], // setuid
  [117, 147], // setresuid
  [169, 142], // reboot
];
const SOCKET = ARM ? 198 : 41;
/** Calls that a process makes no more that has opened all it ever needs. */
const OPENING: readonly (readonly [number, number])[] = [
  ...[[2, 56], [257, 56], [437, 437], [85, 56], [304, 265]] as const, // open, openat, openat2, creat
  ...[[42, 203], [41, 198], [53, 199]] as const, // connect, socket, socketpair
  ...[[87, 35], [263, 35], [82, 38], [264, 38], [316, 276]] as const, // unlink, rename
  ...[[86, 37], [265, 37], [88, 36], [266, 36], [133, 33], [259, 33]] as const, // link, symlink, mknod
  ...[[83, 34], [258, 34], [90, 53], [268, 53], [92, 54], [260, 54]] as const, // mkdir, chmod, chown
  ...[[62, 129], [234, 131], [200, 130]] as const, // kill, tgkill, tkill
];

/** Restrictions in force; a reason for each that is not. */
export interface Confinement {
  /** Every thread: no new privileges, and no capability in effect. */
  readonly privileges: "none" | string;
  /** Every thread: system calls by a filter. */
  readonly calls: "filtered" | string;
  /** Every thread: which files may still be opened. */
  readonly paths: "none" | PathLimits | string;
}

/** Paths that may still be opened, as the kernel names them, with everything below them. */
export interface PathLimits {
  readonly by: string;
  readonly read: readonly string[];
  readonly written: readonly string[];
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

  /**
   * @param places What it still needs. If root needs a capability to write an output, it keeps them.
   * @param keeps Why it keeps them in any case.
   */
  constructor(code: ConfineCode, places: Places, keeps?: string) {
    if (libc().prctl(PR_SET_NO_NEW_PRIVS, 1n, 0n, 0n, 0n) !== 0) {
      this.calls = this.#failure = NO_PRIVILEGES_UNKNOWN;
      this.#open = NO_PATHS + this.calls;
      return;
    }
    const { places: open, error } = openPlaces(places);
    const foreign = open.find((place) => isWritten(place) && !isOurs(place.fd))?.path;
    this.#kept = keeps;
    if (foreign !== undefined) this.#kept ??= `${foreign} is another user's, and outputs go there`;
    const version = landlockVersion();
    // Without a rule for each place the report could not be written.
    const ruleset = version <= 0
      ? -ERRNO.ENOENT
      : error !== 0
      ? -error
      : makeRuleset(version, open);
    this.#open = version <= 0
      ? NO_PATHS + withoutLandlock(version)
      : ruleset < 0
      ? `${NO_PATHS}no ruleset (${errorText(-ruleset)})`
      : { version, places: open };
    for (const { fd } of open) closeFile(fd);
    if (code.handler === 0n) {
      this.#failure = WITHOUT_CODE;
      closeFile(ruleset);
    } else this.#threads = new ThreadConfiner(code, ruleset, this.#kept !== undefined);
    this.goOn();
    // Not before: it would be one more thing that a thread may be late for.
    this.calls = filterCalls();
  }

  /** Tests whether threads that were late are confined by now. To be called until it returns that it is done. */
  goOn(): boolean {
    if (this.#threads !== undefined) this.#failure = this.#threads.wait();
    return this.#failure !== LATE_THREAD;
  }

  /** Waits until all threads are confined, 10 s at most. @returns False if one is late then. */
  async settle(): Promise<boolean> {
    while (!this.goOn()) await new Promise((resolve) => setTimeout(resolve, SETTLE_STEP_MS));
    return !this.#failure?.startsWith(LATE_THREAD);
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
 * thread (glibc's setresuid(2) reaches all of them, and leaves no capability if root was), and a
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
  return facts === undefined || (facts.mode & (facts.uid === own ? 0o200 : 0o002)) !== 0;
}

/** struct crowd of confine.h, in 32-bit words. */
const WORDS = { ruleset: 1, keeps: 2, state: 3, process: 4, rounds: 5 };
const CROWD_BYTES = 32 + 512 * (4 + 16) + 2048;
const ALL_THREADS = 1;
const STATE = { late: 0, done: 1, noList: 2, notAsked: 1000 };
/** siginfo_t in 32-bit words: signal, error, code, then process, user, value. */
const SIGINFO_WORDS = 32, INFO = { code: 2, process: 4, value: 6 };
const SI_QUEUE = -1;

const LATE_THREAD = "a thread of the runtime did not answer";
/** Threads answer there: a late one may still do so when no one waits any more. */
const crowd = new Int32Array(CROWD_BYTES / 4);
const crowdBytes = new Uint8Array(crowd.buffer);

/** All threads, by the handler on this one, which signals the others. */
class ThreadConfiner {
  readonly #info = new Int32Array(SIGINFO_WORDS);
  readonly #infoBytes = new Uint8Array(this.#info.buffer);
  #state: string | undefined = LATE_THREAD;
  readonly #sinceMs = performance.now();

  /** @param ruleset Negative: none. Closed when all is done. */
  constructor({ handler, restorer }: ConfineCode, ruleset: number, keeps: boolean) {
    const info = this.#info, address = addressOf(crowdBytes);
    crowd[0] = ALL_THREADS;
    crowd[WORDS.ruleset] = ruleset;
    crowd[WORDS.keeps] = keeps ? 1 : 0;
    crowd[WORDS.process] = Deno.pid;
    crowd[WORDS.rounds] = ROUNDS;
    info[0] = SIGNAL;
    info[INFO.code] = SI_QUEUE;
    info[INFO.process] = Deno.pid;
    info[INFO.value] = Number(address & 0xffff_ffffn);
    info[INFO.value + 1] = Number(address >> 32n);
    const flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK | (ARM ? 0n : SA_RESTORER);
    if (!handle(handler, flags, restorer)) this.#state = "no handler";
  }

  /** @returns What is not as it should be; {@linkcode LATE_THREAD}: not yet. */
  wait(): string | undefined {
    if (this.#state !== LATE_THREAD) return this.#state;
    const c = libc(), number = SYSCALLS.sigqueueThread, process = crowd[WORDS.process];
    // The signal of this very thread is handled when the call returns.
    const done = c.sigqueueThread(
      number,
      process,
      Number(c.gettid(SYSCALLS.gettid)),
      SIGNAL,
      this.#infoBytes,
    );
    const error = done === 0n ? 0 : errno(), state = crowd[WORDS.state];
    crowd[WORDS.rounds] = 1;
    if (error !== 0) this.#state = `a thread cannot be asked: ${errorText(error)}`;
    else if (state < 0) this.#state = `a thread refused: ${errorText(-state)}`;
    else if (state === STATE.noList) this.#state = "no /proc to find the threads by";
    else if (state > STATE.notAsked) {
      this.#state = `a thread cannot be asked: ${errorText(state - STATE.notAsked)}`;
    } else if (state === STATE.done) this.#end();
    else if (performance.now() - this.#sinceMs > MAX_LATE_MS) {
      this.#state = `${LATE_THREAD} in time`;
    }
    return this.#state;
  }

  #end(): void {
    this.#state = undefined;
    closeFile(crowd[WORDS.ruleset]);
    handle(SIG_IGN, 0n, 0n);
  }
}

function handle(handler: bigint, flags: bigint, restorer: bigint): boolean {
  const action = new Uint8Array(new BigUint64Array([handler, flags, restorer, 0n]).buffer);
  return libc().sigaction(SYSCALLS.sigaction, SIGNAL, action, 0n, 8n) === 0n;
}

const USER_SYMBOLS = {
  setgroups: { parameters: ["usize", "u64"], result: "i32" }, // count, list
  setresgid: { parameters: ["u32", "u32", "u32"], result: "i32" },
  setresuid: { parameters: ["u32", "u32", "u32"], result: "i32" },
} as const satisfies Deno.ForeignLibraryInterface;

function becomeUser(id: number): string {
  const calls = bindMore(USER_SYMBOLS);
  if (calls === undefined) return "kept: no C library at a usual place";
  const { setgroups, setresgid, setresuid } = calls;
  const isDone = setgroups(0n, 0n) === 0 && setresgid(id, id, id) === 0 &&
    setresuid(id, id, id) === 0;
  return isDone ? "none" : "kept: this user may not become another one";
}

/** A filter of seccomp(2): classic BPF over struct seccomp_data {nr, arch, ip, args}. */
function filterCalls(more: readonly (readonly [number, number])[] = []): string {
  const which = ARM ? 1 : 0, tests = REFUSED.length + more.length;
  // struct sock_fprog: length, address; behind it struct sock_filter: code, jumps where true and false, value
  const program = new Uint32Array(FPROG_WORDS + 2 * (tests + 10));
  const bytes = new Uint8Array(program.buffer);
  let at = FPROG_WORDS;
  const put = (code: number, whenTrue: number, whenFalse: number, value: number) => {
    program[at++] = code | whenTrue << 16 | whenFalse << 24;
    program[at++] = value;
  };
  put(0x20, 0, 0, 4); // the architecture
  put(0x15, 1, 0, AUDIT_ARCH);
  put(0x06, 0, 0, REFUSE_EPERM);
  put(0x20, 0, 0, 0); // the number
  // To the last instruction: past the other tests and what follows them.
  if (!ARM) put(0x35, tests + 4, 0, X32);
  let left = tests;
  for (const call of REFUSED) put(0x15, left-- + 3, 0, call[which]);
  for (const call of more) put(0x15, left-- + 3, 0, call[which]);
  put(0x15, 0, 2, SOCKET);
  put(0x20, 0, 0, 16); // its first argument: only sockets on this node
  put(0x15, 0, 1, AF_UNIX);
  put(0x06, 0, 0, ALLOW);
  put(0x06, 0, 0, REFUSE_EPERM);
  program[0] = (at - FPROG_WORDS) / 2;
  const address = addressOf(bytes) + BigInt(4 * FPROG_WORDS);
  program[2] = Number(address & 0xffff_ffffn);
  program[3] = Number(address >> 32n);
  const set = libc().seccomp(SYSCALLS.seccomp, SET_MODE_FILTER, TSYNC, bytes);
  return set === 0n ? "filtered" : "this kernel takes no filter of system calls";
}
