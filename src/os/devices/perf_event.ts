/**
 * Counters of the kernel's perf subsystem: perf_event_open(2).
 *
 * struct perf_event_attr, of which we set: type u32 at 0, size u32 at 4, config u64 at 8,
 * read_format u64 at 32, flag bits u64 at 40. A read gives three u64: count, time enabled, time
 * running; the last two differ when events share a hardware counter by turns.
 *
 * A command is counted from its first instruction like this: the event is opened on the process that
 * waits to become it, switched off, with `inherit` and `enable_on_exec`. Its execve(2) switches the
 * event on, and when it is read it adds up the copies of all that the command starts.
 * @module
 */
import { openCounter } from "../confinement/caller_rights.ts";
import { closeFile } from "../files.ts";
import { ERRNO, errno, libc, SYSCALLS } from "../libc.ts";

/** PERF_ATTR_SIZE_VER7. */
const ATTR_BYTES = 128;
const PERF_FORMAT_TIMES = 3n;
const DISABLED = 1n;
const INHERIT = 2n;
const EXCLUDE_KERNEL = 32n;
const ENABLE_ON_EXEC = 4096n;
const INHERIT_THREAD = 1n << 35n;
const PERF_FLAG_FD_CLOEXEC = 8n;
/** PERF_TYPE_SOFTWARE. */
const SOFTWARE = 1;

/** Event to count, and its target. */
export interface PerfEventSpec {
  /** PERF_TYPE_*: 0 hardware, 1 software, else a PMU's `type` file. */
  readonly type: number;
  readonly config: number;
  /** CPU to count on; −1: wherever the process runs. */
  readonly cpu: number;
  /**
   * Counts the command, from its first instruction, with all that it starts; `cpu` is −1 then.
   * @default false: everything on the CPU
   */
  readonly commands?: boolean;
  /** True to leave out events inside the kernel. @default false */
  readonly userOnly?: boolean;
  /** True to leave out what the command starts. @default false */
  readonly alone?: boolean;
  /** True to leave out other processes that the command starts. @default false */
  readonly threadsOnly?: boolean;
}

/**
 * PERF_COUNT_SW_DUMMY of the command alone: the kernel does not exchange its events at a switch to a thread that it
 * started. Counts would go to other events where their order is not that of `PerfSampling.open`.
 */
export const THREADS_KEEP_EVENTS: PerfEventSpec = {
  type: SOFTWARE,
  config: 9,
  cpu: -1,
  commands: true,
  userOnly: true,
  alone: true,
};

/**
 * PERF_COUNT_SW_DUMMY of the command's own threads, opened before all other events: the kernel does not exchange the
 * events of the command with those of a process that it started. Otherwise the time since the last sample would be
 * lost when this process ends, and a command that often starts processes would have no samples. Threads still
 * exchange their events, because each switch then takes less time. Linux before 5.13 refuses this event.
 */
export const PROCESSES_KEEP_EVENTS: PerfEventSpec = {
  type: SOFTWARE,
  config: 9,
  cpu: -1,
  commands: true,
  userOnly: true,
  threadsOnly: true,
};

let commandPid = 0;

/** The process that waits to become the command. @param pid 0: what this thread starts. */
export function countCommand(pid: number): void {
  commandPid = pid;
}

/** The process that {@linkcode countCommand} named. */
export function commandProcess(): number {
  return commandPid;
}

/** Opens a counter, running from now on: its descriptor, or −errno. */
export function openPerfEvent(spec: PerfEventSpec): number {
  const attr = new DataView(new ArrayBuffer(ATTR_BYTES));
  attr.setUint32(0, spec.type, true);
  attr.setUint32(4, ATTR_BYTES, true);
  attr.setBigUint64(8, BigInt(spec.config), true);
  attr.setBigUint64(32, PERF_FORMAT_TIMES, true);
  const flags = (spec.commands === true ? DISABLED | ENABLE_ON_EXEC : 0n) |
    (spec.commands === true && spec.alone !== true ? INHERIT : 0n) |
    (spec.threadsOnly === true ? INHERIT_THREAD : 0n) |
    (spec.userOnly === true ? EXCLUDE_KERNEL : 0n);
  attr.setBigUint64(40, flags, true);
  const bytes = new Uint8Array(attr.buffer);
  return openCounter(undefined, () => {
    const fd = libc().perfEventOpen(
      SYSCALLS.perfEventOpen,
      bytes,
      spec.commands === true ? commandPid : -1,
      spec.cpu,
      -1,
      PERF_FLAG_FD_CLOEXEC,
    );
    return fd >= 0n ? Number(fd) : -(errno() || ERRNO.ENOENT);
  });
}

const words = new Uint32Array(6);
const bytes = new Uint8Array(words.buffer);
const HIGH_WEIGHT = 4294967296;

/** Results of `PerfCounter.read`. */
export const PERF_READ = {
  OK: 0,
  /**
   * Result if no command waits that would switch the event on, or the event had no turn on a
   * hardware counter.
   */
  NEVER_COUNTED: -1,
  /** The count went backwards: nothing was added. */
  BACKWARDS: -2,
} as const;

/** An open counter. */
export class PerfCounter {
  /**
   * Counts since it was opened. If the event had to take turns, the counts of an interval are
   * scaled by the time of the interval over the time that was counted.
   */
  readonly total = new Float64Array(1);
  /** Share of the time that the event was really counted, 0 to 1. */
  share = 0;
  readonly #fd: number;
  readonly #takesTurns: boolean;
  readonly #waits: boolean;
  readonly #last = new Uint32Array(6);

  /** @param spec What `fd` counts: software events take no turns, and those of a command wait for it. */
  constructor(fd: number, spec: PerfEventSpec) {
    this.#fd = fd;
    this.#takesTurns = spec.type !== SOFTWARE;
    this.#waits = spec.commands === true && commandPid > 0;
  }

  /** Reads the counter: one of {@linkcode PERF_READ}, or an errno. */
  read(): number {
    // These descriptors have no offset: pread(2) answers ESPIPE.
    const n = libc().read(this.#fd, bytes, 24n);
    if (n !== 24n) return n < 0n ? errno() || ERRNO.EIO : ERRNO.EIO;
    return this.take(words);
  }

  /** Takes a reading: count, time enabled and time running, the low half of each first. */
  take(reading: Uint32Array): number {
    const last = this.#last;
    const enabled = reading[3] * HIGH_WEIGHT + reading[2];
    const running = reading[5] * HIGH_WEIGHT + reading[4];
    // Before its execve(2) a command has done nothing, and a software event misses nothing: their
    // counts are right, for any times.
    const isRight = enabled === 0 ? this.#waits : !this.#takesTurns;
    if (running === 0 && !isRight) return PERF_READ.NEVER_COUNTED;
    this.share = isRight || running >= enabled ? 1 : running / enabled;
    // By halves: a difference of 64-bit counts is exact, the counts themselves may not be.
    const delta = (reading[1] - last[1]) * HIGH_WEIGHT + (reading[0] - last[0]);
    const elapsed = (reading[3] - last[3]) * HIGH_WEIGHT + (reading[2] - last[2]);
    const counted = (reading[5] - last[5]) * HIGH_WEIGHT + (reading[4] - last[4]);
    for (let i = 0; i < 6; i++) last[i] = reading[i];
    if (delta < 0) return PERF_READ.BACKWARDS;
    const isShort = this.#takesTurns && counted > 0 && counted < elapsed;
    this.total[0] += isShort ? delta * (elapsed / counted) : delta;
    return PERF_READ.OK;
  }

  [Symbol.dispose](): void {
    closeFile(this.#fd);
  }
}
