/**
 * Starting the application with exactly the state that it would have without us, handing this very
 * process over to it, waiting for it, and passing signals on.
 *
 * posix_spawn(3) and execve(2) rather than the runtime's own spawning: that one resets signal
 * masks, leaves the raised limit of open files, and needs an event loop to wait.
 * @module
 */
import { AccessError } from "../core/errors.ts";
import { closeFile, type FileFacts, O, openFile, readText, readWhole, statPath } from "./files.ts";
import { type Inherited, inheritedState, signalBit } from "./inherited.ts";
import { cString, ERRNO, errno, errorText, libc, SYSCALLS } from "./libc.ts";
import { signalSet } from "./signals.ts";

const PROT_READ_WRITE = 3;
const MAP_PRIVATE_ANONYMOUS = 0x22;
const RLIMIT_NOFILE = 7;
const SIG_SETMASK = 2;
const SIG_DFL = 0n;
const SIG_IGN = 1n;
const SPAWN_SETSIGDEF = 0x04;
const SPAWN_SETSIGMASK = 0x08;

/** 127: no such command; 126: found but not executable. What a shell would return. */
export type FindCommand = { path: string } | { status: 126 | 127; reason: string };

/** May this user run a file with these facts? Root may if anybody may. */
function isRunnable({ mode, uid }: FileFacts): boolean {
  if ((mode & 0o170000) !== 0o100000) return false;
  const user = libc().geteuid();
  return (mode & (user === 0 ? 0o111 : user === uid ? 0o100 : 0o011)) !== 0;
}

/** The interpreter of a script, if it is missing: execve(2) cannot run the script. */
function missingInterpreter(path: string): string | undefined {
  const start = new TextDecoder().decode(readWhole(path, 256) ?? new Uint8Array());
  const [, name] = /^#![ \t]*([^ \t\n]+)/.exec(start) ?? [];
  return name === undefined || statPath(name) !== undefined ? undefined : name;
}

/** Looks a command up as execvp(3) does, and as the guardian (command.h). */
export function findCommand(command: string, searchPath: string | undefined): FindCommand {
  const candidates = command.includes("/")
    ? [command]
    : (searchPath ?? "/usr/local/bin:/usr/bin:/bin").split(":").map((d) =>
      `${d || "."}/${command}`
    );
  if (command === "") return { status: 127, reason: '"": command not found' };
  let refused: string | undefined;
  for (const path of candidates) {
    const facts = statPath(path);
    if (facts === undefined) continue;
    const missing = isRunnable(facts) ? missingInterpreter(path) : "";
    if (missing === undefined) return { path };
    refused ??= missing === ""
      ? `${path}: not an executable file`
      : `${path}: interpreter ${missing} not found`;
  }
  if (refused !== undefined) return { status: 126, reason: refused };
  return { status: 127, reason: `${command}: command not found` };
}

/** Strings laid out in memory as `char *argv[]`; the address of the array. */
function stringArray(strings: readonly Uint8Array[]): bigint {
  const total = strings.reduce((n, s) => n + s.length, 0) + (strings.length + 1) * 8;
  const base = libc().mmap(0n, BigInt(total), PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0n);
  const image = new Uint8Array(total);
  const pointers = new DataView(image.buffer);
  let at = (strings.length + 1) * 8;
  strings.forEach((s, i) => {
    pointers.setBigUint64(i * 8, base + BigInt(at), true);
    image.set(s, at);
    at += s.length;
  });
  libc().poke(base, image, BigInt(total));
  return base;
}

/**
 * The environment as this process received it, byte for byte, with some variables set or removed.
 * Names of `changes` map to a value, or to `undefined` for removal.
 */
export function environment(changes: Readonly<Record<string, string | undefined>>): Uint8Array[] {
  const raw = readWhole("/proc/self/environ") ?? new Uint8Array();
  const kept: Uint8Array[] = [];
  let start = 0;
  for (let i = 0; i < raw.length; i++) {
    if (raw[i] !== 0) continue;
    const entry = raw.slice(start, i + 1);
    start = i + 1;
    const equals = entry.indexOf(61);
    const name = new TextDecoder().decode(
      entry.subarray(0, equals < 0 ? entry.length - 1 : equals),
    );
    if (!(name in changes)) kept.push(entry);
  }
  for (const [name, value] of Object.entries(changes)) {
    if (value !== undefined) kept.push(cString(`${name}=${value}`));
  }
  return kept;
}

/** A command, ready to be started. */
export interface Launch {
  readonly path: string;
  readonly args: readonly string[];
  /** @default that of this process */
  readonly env?: readonly Uint8Array[];
  /** @default as this process was started */
  readonly inherited?: Inherited;
}

/** RLIMIT_NOFILE: descriptors are numbers below it. */
export function openFilesLimit(): number {
  return setOpenFiles(NaN);
}

/** Sets the soft limit of open files; the number it had. */
function setOpenFiles(soft: number): number {
  const limits = new BigUint64Array(2);
  const bytes = new Uint8Array(limits.buffer);
  libc().getrlimit(RLIMIT_NOFILE, bytes);
  const before = Number(limits[0]);
  if (Number.isFinite(soft) && soft !== before) {
    limits[0] = BigInt(soft);
    libc().setrlimit(RLIMIT_NOFILE, bytes);
  }
  return before;
}

/** SIGPIPE, which the runtime ignores, and the two that libc keeps for its threads. */
const RUNTIME_SIGNALS = signalBit(13) | signalBit(32) | signalBit(33);

/** Signals that would reach the application ignored although they were not before we started. */
function wronglyIgnored(inherited: Inherited): bigint {
  return RUNTIME_SIGNALS & ~inherited.ignored;
}

/**
 * Starts a command; its pid.
 *
 * Call it before the monitor changes its own scheduling, timer slack or affinity: the child takes
 * those of the calling thread.
 *
 * @throws {AccessError} If the kernel refuses.
 */
export function spawn(
  { path, args, env = environment({}), inherited = inheritedState() }: Launch,
): number {
  const c = libc();
  const attributes = new Uint8Array(336);
  c.spawnattrInit(attributes);
  c.spawnattrSetflags(attributes, SPAWN_SETSIGDEF | SPAWN_SETSIGMASK);
  c.spawnattrSetsigmask(attributes, signalSet(inherited.blocked));
  c.spawnattrSetsigdefault(attributes, signalSet(wronglyIgnored(inherited)));
  const argv = stringArray(args.map(cString));
  const envp = stringArray(env);
  const pid = new Int32Array(1), pidBytes = new Uint8Array(pid.buffer);
  const raised = setOpenFiles(inherited.openFiles);
  const failed = c.posixSpawn(pidBytes, cString(path), 0n, attributes, argv, envp);
  setOpenFiles(raised);
  if (failed !== 0) throw refusal(path, failed);
  return pid[0];
}

/**
 * Function that starts a program of this project as it was started itself, with further numbers as
 * arguments; `undefined`: there is no such program.
 */
export function starterOf([command, ...args]: readonly string[]) {
  const found = findCommand(command, undefined);
  if (!("path" in found)) return undefined;
  const { path } = found;
  const env = environment({});
  return (...numbers: readonly number[]): number => {
    return spawn({ path, args: [command, ...args, ...numbers.map(String)], env });
  };
}

/**
 * Becomes the command: same pid, as if this program had never run. Returns only by throwing.
 *
 * @throws {AccessError} If the kernel refuses; the state is then restored.
 */
export function handOver(
  { path, args, env = environment({}), inherited = inheritedState() }: Launch,
): never {
  const c = libc();
  const argv = stringArray(args.map(cString));
  const envp = stringArray(env);
  const name = cString(path);
  const raised = setOpenFiles(inherited.openFiles);
  const before = new Uint8Array(128);
  for (let n = 1; n <= 64; n++) {
    if ((wronglyIgnored(inherited) & signalBit(n)) !== 0n) disposition(n, SIG_DFL);
    else if ((inherited.ignored & signalBit(n)) !== 0n) disposition(n, SIG_IGN);
  }
  c.sigmask(SIG_SETMASK, signalSet(inherited.blocked), before);
  c.execve(name, argv, envp);
  const failed = errno();
  c.sigmask(SIG_SETMASK, before, new Uint8Array(128));
  setOpenFiles(raised);
  throw refusal(path, failed);
}

function disposition(signal: number, handler: bigint): void {
  // The kernel's struct sigaction: handler, flags, restorer, mask.
  const action = new Uint8Array(32);
  new DataView(action.buffer).setBigUint64(0, handler, true);
  libc().sigaction(SYSCALLS.sigaction, signal, action, 0n, 8n);
}

function refusal(path: string, number: number): AccessError {
  return new AccessError({
    action: "run",
    target: path,
    found: errorText(number),
    cause: number,
  });
}

/** Sets the calling thread's signal mask. */
export function setSignalMask(set: bigint): void {
  libc().sigmask(SIG_SETMASK, signalSet(set), new Uint8Array(128));
}

const status = new Int32Array(1);
const statusBytes = new Uint8Array(status.buffer);
const WNOHANG = 1;

/** End of a child, as a shell reports it: 128 + N for signal N. */
export interface Ended {
  readonly code: number;
  readonly signal: number;
}

/** Has a child ended? Does not block. */
export function reap(pid: number): Ended | undefined {
  const r = libc().waitpid(pid, statusBytes, WNOHANG);
  if (r === 0) return undefined;
  if (r < 0) {
    // Another process reaped it, or it never was ours: ended without a status.
    return errno() === ERRNO.ECHILD ? { code: 0, signal: 0 } : undefined;
  }
  return endedBy(status[0]);
}

/** Waits for a child's end, asleep. */
export function waitFor(pid: number): Ended {
  for (;;) {
    if (libc().waitpid(pid, statusBytes, 0) === pid) return endedBy(status[0]);
    if (errno() === ERRNO.ECHILD) return { code: 0, signal: 0 };
  }
}

/** The result of waitpid(2). */
function endedBy(word: number): Ended {
  const signal = word & 0x7f;
  return signal === 0 ? { code: (word >> 8) & 0xff, signal: 0 } : { code: 128 + signal, signal };
}

const PR_SET_PDEATHSIG = 1;
const SIGTERM = 15;

/** Makes this process end when its parent does. */
export function endWithParent(): void {
  libc().prctl(PR_SET_PDEATHSIG, BigInt(SIGTERM), 0n, 0n, 0n);
}

/** A descriptor that becomes readable when the process ends, or −1 on kernels before 5.3. */
export function openPidfd(pid: number): number {
  return Number(libc().pidfdOpen(SYSCALLS.pidfdOpen, pid, 0));
}

/** Is a process there? One that ended and waits for its parent counts as gone. */
export function isAlive(pid: number): boolean {
  if (libc().kill(pid, 0) !== 0 && errno() === ERRNO.ESRCH) return false;
  const status = readText(`/proc/${pid}/status`) ?? "";
  // The number may be one of another process's threads by now.
  return /^State:\t[^ZX]/m.test(status) && status.includes(`\nTgid:\t${pid}\n`);
}

/** Bit of a process's flags: it is the kernel's, and has no environment. */
const PF_KTHREAD = 0x00200000;

/** Is a process one of the kernel's own threads? */
export function isKernelThread(pid: number): boolean {
  // state, parent, group, session, terminal, its group, flags
  return (Number(statFields(pid)?.[6]) & PF_KTHREAD) !== 0;
}

/** Fields after the name in a process's stat: proc(5); `undefined`: the process is gone. */
export function statFields(pid: number): string[] | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(")") + 2).trim().split(" ");
}

/** The CPU that a thread runs on or ran on last, its run time, and the time that it waited for a CPU, ns. */
export interface ThreadPlace {
  readonly cpu: number;
  readonly ranNs: number;
  readonly waitedNs: number;
}

/**
 * The place of a thread of a process: proc_pid_stat(5), and schedstats of the kernel's documentation. `undefined`: it
 * is gone, or its number is that of another PID namespace.
 */
export function threadPlace(process: number, thread: number): ThreadPlace | undefined {
  const directory = `/proc/${process}/task/${thread}`;
  const fields = readText(`${directory}/stat`)?.replace(/^.*\)/s, "").trim().split(" ");
  const [ranNs = NaN, waitedNs = NaN] =
    readText(`${directory}/schedstat`)?.split(" ").map(Number) ?? [];
  return fields === undefined ? undefined : { cpu: Number(fields[36]), ranNs, waitedNs };
}

/** Sends a signal; false when the process does not exist. */
export function sendSignal(pid: number, signal: number): boolean {
  return libc().kill(pid, signal) === 0;
}

/**
 * Makes the kernel end this process before the application if memory runs out:
 * proc_pid_oom_score_adj(5).
 */
export function goFirstWithoutMemory(): void {
  const fd = openFile("/proc/self/oom_score_adj", O.WRONLY);
  if (fd < 0) return;
  const text = new TextEncoder().encode("1000");
  libc().write(fd, text, BigInt(text.length));
  closeFile(fd);
}

/** Maximum size of files that a process may write, bytes; Infinity: any. */
export function fileSizeLimit(pid: number): number {
  const found = /^Max file size\s+(\d+)/m.exec(readText(`/proc/${pid}/limits`) ?? "")?.[1];
  return found === undefined ? Infinity : Number(found);
}

/** By how much the monotonic clocks of a process are ahead of ours, ns: time_namespaces(7). */
export function clockAheadNs(pid: number): bigint {
  const own = ownOffsetNs ??= namespaceOffsetNs("self") ?? 0n;
  return (namespaceOffsetNs(`${pid}`) ?? own) - own;
}

let ownOffsetNs: bigint | undefined;

function namespaceOffsetNs(pid: string): bigint | undefined {
  const text = readText(`/proc/${pid}/timens_offsets`) ?? "";
  const [, seconds, rest] = /^monotonic +(-?\d+) +(\d+)$/m.exec(text) ?? [];
  return seconds === undefined ? undefined : BigInt(seconds) * 1_000_000_000n + BigInt(rest);
}
