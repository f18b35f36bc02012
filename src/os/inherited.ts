/**
 * State that this process was started with, so that started programs get exactly the same.
 *
 * The runtime ignores SIGPIPE and raises the soft limit of open files before our first line runs,
 * and the guardian blocks signals before the runtime's threads exist. So the guardian records the
 * original state, and passes the record as a first hidden argument. Without a guardian it is made
 * here from the state that can still be seen.
 * @module
 */
import {
  closeFile,
  type FileFacts,
  listDirectory,
  O,
  openFile,
  readText,
  removeTree,
  statOpen,
} from "./files.ts";
import { libc } from "./libc.ts";

/**
 * The hidden argument: `--joulemark-inherited=MASK:IGNORED:NOFILE[:HANDLER:RETURN[:LAID]]`: two sets in hex, a
 * number, and for a verb without an application the addresses of the guardian's code (confine.h) and the directory of
 * what it laid for the start (code_cache.h).
 */
const INHERITED_FLAG = "--joulemark-inherited=";

/** State that the application must find. Signal sets have bit N−1 for signal N. */
export interface Inherited {
  blocked: bigint;
  ignored: bigint;
  /** Soft limit of open files; NaN: leave as it is. */
  openFiles: number;
}

const SIGPIPE = 13;
const F_SETFD = 2, CLOEXEC = 1n;
/** Signals that continue or stop a process, or that it ignores by default: signal(7). */
const HARMLESS = new Set([17, 18, 19, 20, 21, 22, 23, 28]);

/** May this signal end the program that it is sent to? */
export function mayEnd(signal: number): boolean {
  return !HARMLESS.has(signal);
}

/** One signal as a set. */
export function signalBit(signal: number): bigint {
  return 1n << BigInt(signal - 1);
}

/** Address of the guardian's code in this process; 0: none. */
export interface ConfineCode {
  readonly handler: bigint;
  readonly restorer: bigint;
}

let code: ConfineCode = { handler: 0n, restorer: 0n };

/** By which this process confines its threads, if it has no application. */
export function confineCode(): ConfineCode {
  return code;
}

let laid: string | undefined;

/**
 * Removes the guardian's files for the start of a verb without an application, once they have been
 * read.
 */
export function removeLaid(): void {
  if (laid !== undefined) removeTree(laid);
  laid = undefined;
}

/** Reads the hidden argument; `undefined` when it is not one or is garbled. */
export function parseInherited(argument: string): Inherited | undefined {
  if (!argument.startsWith(INHERITED_FLAG)) return undefined;
  const match = /^([0-9a-f]{1,16}):([0-9a-f]{1,16}):(\d+|-)(?::(\d+):(\d+)(?::(\/.*))?)?$/s.exec(
    argument.slice(INHERITED_FLAG.length),
  );
  if (match === null) return undefined;
  laid = match[6];
  if (match[4] !== undefined) code = { handler: BigInt(match[4]), restorer: BigInt(match[5]) };
  return {
    blocked: BigInt("0x" + match[1]),
    ignored: BigInt("0x" + match[2]),
    openFiles: match[3] === "-" ? NaN : Number(match[3]),
  };
}

/**
 * The state as far as it can still be seen without the guardian: the runtime ignores SIGPIPE itself,
 * so whether it was ignored before is taken from the parent, like the limit it raised.
 */
export function guessInherited(): Inherited {
  const own = readText("/proc/self/status") ?? "";
  const parent = libc().getppid();
  const above = readText(`/proc/${parent}/status`) ?? "";
  const limits = readText(`/proc/${parent}/limits`) ?? "";
  const ignored = set(own, "SigIgn") & ~signalBit(SIGPIPE) |
    (set(above, "SigIgn") & signalBit(SIGPIPE));
  const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
  return {
    blocked: set(own, "SigBlk"),
    ignored,
    openFiles: soft === undefined ? NaN : Number(soft),
  };
}

function set(status: string, key: string): bigint {
  const match = new RegExp(`^${key}:\\s*([0-9a-f]+)`, "m").exec(status);
  return match === null ? 0n : BigInt("0x" + match[1]);
}

let current: Inherited | undefined;

/** Remembers what the guardian handed over. */
export function setInherited(state: Inherited): void {
  current = state;
}

/**
 * State that this process was started with: from the guardian, else as far as can still be seen.
 */
export function inheritedState(): Inherited {
  return current ??= guessInherited();
}

/** Did a guardian record the state before the runtime changed it? */
export function inheritedIsExact(): boolean {
  return current !== undefined;
}

/**
 * Lets descriptors of the application go: who waits for the end of a pipe, or for a lock, waits for processes that
 * use it. They become the empty file, as do copies that the runtime made of its streams.
 *
 * @param kept Descriptors of this process, standard error among them.
 * @param isNeeded An output goes there.
 */
export function releaseInherited(
  inherited: readonly number[],
  kept: readonly number[],
  isNeeded: (fd: number, facts: FileFacts) => boolean,
): void {
  const free = new Set<string>();
  for (const fd of [0, 1, ...inherited]) {
    const facts = statOpen(fd);
    if (facts !== undefined && !isNeeded(fd, facts)) free.add(fileOf(facts));
  }
  const nowhere = openFile("/dev/null", O.RDWR);
  if (nowhere < 0) return;
  for (const name of listDirectory("/proc/self/fd")) {
    const fd = Number(name), facts = fd === nowhere ? undefined : statOpen(fd);
    if (facts !== undefined && free.has(fileOf(facts)) && !kept.includes(fd)) {
      libc().dup2(nowhere, fd);
      if (fd > 2) libc().fcntl(fd, F_SETFD, CLOEXEC);
    }
  }
  if (nowhere > 2) closeFile(nowhere);
}

function fileOf({ device, inode }: FileFacts): string {
  return `${device}:${inode}`;
}
