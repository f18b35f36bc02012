/**
 * The monitor's clockwork: sleeps to an absolute moment, and wakes for signals and ended children.
 *
 * One ppoll(2) does all three, so that the loop needs no event loop, misses no signal and notices
 * the application's end within microseconds.
 * @module
 */
import { monotonicNanoseconds } from "./clock.ts";
import { closeFile } from "./files.ts";
import { FORWARDED_SET } from "./inherited.ts";
import { libc } from "./libc.ts";

const SFD_NONBLOCK_CLOEXEC = 0o2004000;
const POLLIN = 1;
/** struct signalfd_siginfo */
const SIGINFO_BYTES = 128;
/** si_code of signals that the terminal sent, to us and to the application alike. */
const SI_KERNEL = 0x80;

const PR_SET_TIMERSLACK = 29;
const SCHED_FIFO = 1;

/** Why a wait ended. */
export type Wake = "time" | "signal" | "ended";

/** See the module. */
export class Waiter {
  readonly #signals: number;
  readonly #polls = new DataView(new ArrayBuffer(16));
  readonly #pollBytes = new Uint8Array(this.#polls.buffer);
  readonly #spec = new Int32Array(4);
  readonly #specBytes = new Uint8Array(this.#spec.buffer);
  readonly #info = new Uint8Array(SIGINFO_BYTES);
  readonly #infoView = new DataView(this.#info.buffer);

  /** @param pidfd Readable when the child ended, −1 for none. */
  constructor(pidfd: number) {
    const set = new Uint8Array(128);
    new DataView(set.buffer).setBigUint64(0, FORWARDED_SET, true);
    this.#signals = libc().signalfd(-1, set, SFD_NONBLOCK_CLOEXEC);
    this.#polls.setInt32(0, this.#signals, true);
    this.#polls.setInt16(4, POLLIN, true);
    this.watch(pidfd);
  }

  /** Watches another child; −1: none. */
  watch(pidfd: number): void {
    this.#polls.setInt32(8, pidfd, true);
    this.#polls.setInt16(12, POLLIN, true);
  }

  /** Sleeps until a moment of CLOCK_MONOTONIC, unless something happens before. */
  until(ns: number): Wake {
    const left = ns - monotonicNanoseconds();
    const wait = left > 0 ? left : 0;
    this.#spec[0] = Math.floor(wait / 1e9);
    this.#spec[2] = wait % 1e9;
    const ready = libc().ppoll(this.#pollBytes, 2n, this.#specBytes, 0n);
    if (ready <= 0) return "time";
    if ((this.#polls.getInt16(6, true) & POLLIN) !== 0) return "signal";
    return "ended";
  }

  /**
   * The next signal that arrived, 0 for none. `fromTerminal` in the result means that the
   * application, which shares our process group, has received it as well.
   */
  nextSignal(): { signal: number; fromTerminal: boolean } | undefined {
    const n = libc().read(this.#signals, this.#info, BigInt(SIGINFO_BYTES));
    if (n !== BigInt(SIGINFO_BYTES)) return undefined;
    return {
      signal: this.#infoView.getUint32(0, true),
      fromTerminal: this.#infoView.getInt32(8, true) === SI_KERNEL,
    };
  }

  [Symbol.dispose](): void {
    closeFile(this.#signals);
  }
}

/** How the sampling thread got scheduled. */
export type Scheduling = "fifo" | "nice" | "plain";

/**
 * Makes this thread wake on time: timer slack of 1 ns, real-time class where allowed, else the
 * highest nice level that is. The lowest real-time priority suffices to precede all ordinary work.
 */
export function wakeOnTime(): Scheduling {
  const c = libc();
  c.prctl(PR_SET_TIMERSLACK, 1n, 0n, 0n, 0n);
  const priority = new Int32Array([1]);
  if (c.schedSetscheduler(0, SCHED_FIFO, new Uint8Array(priority.buffer)) === 0) return "fifo";
  return c.setpriority(0, 0, -20) === 0 ? "nice" : "plain";
}
