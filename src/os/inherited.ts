/**
 * What this process was started with, so that the application can be given exactly that.
 *
 * The runtime ignores SIGPIPE and raises the soft limit of open files before our first line runs,
 * and we need some signals blocked in every thread, which only works before the threads exist. So
 * the executable's entry stub records the original state, blocks those signals, and passes the
 * record as a first hidden argument. Where there is no stub, `run` executes itself once more with
 * the same argument, made here from what is left to see.
 * @module
 */
import { readText } from "./files.ts";
import { libc } from "./libc.ts";

/** The hidden argument: `--joulemark-inherited=MASK:IGNORED:NOFILE`, two sets in hex, a number. */
export const INHERITED_FLAG = "--joulemark-inherited=";

/** State that the application must find. Signal sets have bit N−1 for signal N. */
export interface Inherited {
  blocked: bigint;
  ignored: bigint;
  /** Soft limit of open files; NaN: leave as it is. */
  openFiles: number;
}

/** Signals that are forwarded to the application, as signal(7) numbers them. */
export const FORWARDED = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGUSR1: 10,
  SIGUSR2: 12,
  SIGTERM: 15,
  SIGCONT: 18,
} as const;

const SIGPIPE = 13;

/** The set of the forwarded signals. */
export const FORWARDED_SET = Object.values(FORWARDED).reduce((set, n) => set | signalBit(n), 0n);

/** One signal as a set. */
export function signalBit(signal: number): bigint {
  return 1n << BigInt(signal - 1);
}

/** Reads the hidden argument; `undefined` when it is not one or is garbled. */
export function parseInherited(argument: string): Inherited | undefined {
  if (!argument.startsWith(INHERITED_FLAG)) return undefined;
  const match = /^([0-9a-f]{1,16}):([0-9a-f]{1,16}):(\d+|-)$/.exec(
    argument.slice(INHERITED_FLAG.length),
  );
  if (match === null) return undefined;
  return {
    blocked: BigInt("0x" + match[1]),
    ignored: BigInt("0x" + match[2]),
    openFiles: match[3] === "-" ? NaN : Number(match[3]),
  };
}

/** The hidden argument for a state. */
export function formatInherited(state: Inherited): string {
  const files = Number.isFinite(state.openFiles) ? String(state.openFiles) : "-";
  return `${INHERITED_FLAG}${state.blocked.toString(16)}:${state.ignored.toString(16)}:${files}`;
}

/**
 * The state as far as it can still be seen without the stub: the runtime ignores SIGPIPE itself,
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

/** Are the forwarded signals blocked in every thread of this process? */
export function signalsAreBlocked(): boolean {
  return (set(readText("/proc/self/status") ?? "", "SigBlk") & FORWARDED_SET) === FORWARDED_SET;
}

function set(status: string, key: string): bigint {
  const match = new RegExp(`^${key}:\\s*([0-9a-f]+)`, "m").exec(status);
  return match === null ? 0n : BigInt("0x" + match[1]);
}

let current: Inherited | undefined;

/** Remembers what the stub handed over. */
export function setInherited(state: Inherited): void {
  current = state;
}

/** What this process was started with: from the stub, else as far as can still be seen. */
export function inheritedState(): Inherited {
  return current ??= guessInherited();
}

/** Did the stub, or our own second start, record the state before the threads existed? */
export function inheritedIsExact(): boolean {
  return current !== undefined;
}
