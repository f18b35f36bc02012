/**
 * Confinement of this process by the kernel, once its counters are open: no new privileges, no
 * capabilities, and no system call that it does not need any more. Not of the application, which is a
 * child of the guardian.
 *
 * Capabilities and no-new-privs belong to threads: capset(2) and prctl(2) act on the calling one, and
 * the runtime has threads of its own. So a signal goes to each thread, whose handler is code of the
 * guardian (src/guardian/confine.h). seccomp(2) reaches all threads by SECCOMP_FILTER_FLAG_TSYNC.
 * @module
 */
import { listDirectory, readText, statPath } from "./files.ts";
import { libc, LIBC_PATHS, SYSCALLS } from "./libc.ts";

const ARM = Deno.build.arch === "aarch64";
/** The signal that guardian.c leaves unblocked for this: CONFINE. */
const SIGNAL = 40;
const SA_RESTORER = 0x04000000n, SA_RESTART = 0x10000000n, SA_ONSTACK = 0x08000000n;
const PR_SET_NO_NEW_PRIVS = 38;
const SET_MODE_FILTER = 1n, TSYNC = 1n;
const AUDIT_ARCH = ARM ? 0xc00000b7 : 0xc000003e;
/** Numbers of the x32 ABI of x86-64 begin here: the same calls by other numbers. */
const X32 = 0x40000000;
const ALLOW = 0x7fff0000, REFUSE_EPERM = 0x00050001;
const PROT_READ_WRITE = 3, MAP_PRIVATE_ANONYMOUS = 0x22;
const AF_UNIX = 1;
/** The handler runs when its thread runs: at once, but for a loaded machine. */
const ROUNDS = 200;
const ROUND_NS = 100_000;

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
  /** Which files may still be opened. */
  readonly paths: string;
}

/** Where the code of the guardian lies in this process; 0 where it does not. */
export interface ConfineCode {
  readonly handler: bigint;
  readonly restorer: bigint;
}

/**
 * Confines all threads of this process, for good.
 *
 * @param directories Where files will still be written: where root needs a capability for that, it
 * keeps them.
 */
export function confine(
  { handler, restorer }: ConfineCode,
  directories: readonly string[],
): Confinement {
  const c = libc();
  if (c.prctl(PR_SET_NO_NEW_PRIVS, 1n, 0n, 0n, 0n) !== 0) {
    const reason = "no_new_privs is unknown to this kernel";
    return { privileges: reason, calls: reason, paths: pathsState() };
  }
  // First, since the filter takes the right to no call that this needs.
  const foreign = directories.find((directory) => !isWritable(directory));
  const privileges = foreign !== undefined
    ? `kept: ${foreign} is another user's, and outputs go there`
    : handler === 0n
    ? "kept: the runtime was started without the guardian's code"
    : dropCapabilities(handler, restorer);
  return { privileges, calls: filterCalls(), paths: pathsState() };
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
    const reason = "no_new_privs is unknown to this kernel";
    return { privileges: reason, calls: reason, paths: pathsState() };
  }
  const privileges = c.geteuid() !== 0 ? "none" : becomeUser(id);
  const calls = filterCalls(OPENING);
  return { privileges, calls, paths: calls === "filtered" ? "none" : pathsState() };
}

const CREATE_RULESET = 444;
const RULESET_VERSION = 1;

/**
 * Why paths are not restricted. A process in a domain of landlock(7) may look into no process outside of
 * it: `/proc/PID/maps` and `environ` of the job's processes would be closed, by which it is known whose
 * session a directory is and which process a note means.
 */
export function pathsState(): string {
  // landlock_create_ruleset(NULL, 0, LANDLOCK_CREATE_RULESET_VERSION): the version that there is.
  const version = libc().tgkill(BigInt(CREATE_RULESET), 0, 0, RULESET_VERSION);
  return version > 0n
    ? "not restricted: landlock would close /proc of the job's processes"
    : "not restricted: this kernel has no landlock";
}

/** Can this user write there without a capability? By owner and mode; a group may allow more. */
function isWritable(directory: string): boolean {
  const facts = statPath(directory);
  return facts === undefined || facts.uid === libc().geteuid() || (facts.mode & 0o002) !== 0 ||
    libc().geteuid() !== 0;
}

function dropCapabilities(handler: bigint, restorer: bigint): string {
  const c = libc();
  const action = new BigUint64Array([
    ...[handler, SA_RESTART | SA_ONSTACK | (ARM ? 0n : SA_RESTORER), restorer, 0n],
  ]);
  const bytes = new Uint8Array(action.buffer);
  if (c.sigaction(SYSCALLS.sigaction, SIGNAL, bytes, 0n, 8n) !== 0n) return "no handler";
  const pid = c.getpid();
  const sent = new Set<string>();
  for (let round = 0; round < ROUNDS; round++) {
    const threads = listDirectory("/proc/self/task");
    for (const tid of threads) {
      if (sent.has(tid)) continue;
      sent.add(tid);
      c.tgkill(SYSCALLS.tgkill, pid, Number(tid), SIGNAL);
    }
    if (threads.every(isWithoutCapabilities)) return "none";
    pause();
  }
  return "a thread of the runtime did not answer";
}

function isWithoutCapabilities(tid: string): boolean {
  const status = readText(`/proc/self/task/${tid}/status`);
  // A thread that has ended has none.
  return status === undefined ||
    (/^CapEff:\s*0+$/m.test(status) && /^NoNewPrivs:\s*1$/m.test(status));
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
