/**
 * The monitor's clockwork: sleeps to an absolute moment, and wakes for the guardian's packets and for
 * the application's end.
 *
 * One ppoll(2) does all three, so that the loop needs no event loop, misses no packet and notices
 * the application's end within microseconds.
 * @module
 */
import { monotonicNanoseconds } from "./clock.ts";
import { listDirectory } from "./files.ts";
import { libc } from "./libc.ts";
import type { NewNames } from "./new_names.ts";
import { POLLIN } from "./poll.ts";

const PR_SET_TIMERSLACK = 29;
const SCHED_OTHER = 0;
const SCHED_FIFO = 1;
const RLIMIT_RTPRIO = 14;

/** Why a wait ended; `time`: it is over, or a signal came. */
export type Wake = "time" | "message" | "ended";

/** Sleeps until a moment, a packet, or a process's end. */
export class Waiter {
  readonly #polls = new DataView(new ArrayBuffer(16));
  readonly #pollBytes = new Uint8Array(this.#polls.buffer);
  readonly #spec = new Int32Array(4);
  readonly #specBytes = new Uint8Array(this.#spec.buffer);

  /**
   * @param messages Readable when there is a packet, −1 for none.
   * @param pidfd Readable when the process ended, −1 for none.
   */
  constructor(messages: number, pidfd: number) {
    this.#watch(0, messages);
    this.#watch(1, pidfd);
  }

  /** Watches another process; −1: none. */
  watchProcess(pidfd: number): void {
    this.#watch(1, pidfd);
  }

  /** Wakes for packets no more: the other side is gone. */
  ignoreMessages(): void {
    this.#watch(0, -1);
  }

  #watch(i: number, fd: number): void {
    this.#polls.setInt32(8 * i, fd, true);
    this.#polls.setInt16(8 * i + 4, POLLIN, true);
  }

  /**
   * Sleeps until a moment of CLOCK_MONOTONIC, unless something happens before.
   *
   * @param nowNs That clock, read just before.
   * @param names It ends for new ones, too.
   */
  until(ns: number, nowNs: number = monotonicNanoseconds(), names?: NewNames): Wake {
    const left = ns - nowNs;
    const wait = left > 0 ? left : 0;
    this.#spec[0] = Math.floor(wait / 1e9);
    this.#spec[2] = wait % 1e9;
    const mask = names?.mask;
    const ready = mask === undefined
      ? libc().ppoll(this.#pollBytes, 2n, this.#specBytes, 0n)
      : libc().ppollMasked(this.#pollBytes, 2n, this.#specBytes, mask);
    if (ready <= 0) return "time";
    if (this.#polls.getInt16(6, true) !== 0) return "message";
    return "ended";
  }
}

/** Scheduling of the sampling thread. */
export type Scheduling = "fifo" | "nice" | "plain";

/**
 * Makes this thread wake on time: timer slack of 1 ns, real-time class if allowed, else the
 * highest nice level that is. The lowest real-time priority suffices to precede all ordinary work.
 */
export function wakeOnTime(): Scheduling {
  const c = libc();
  c.prctl(PR_SET_TIMERSLACK, 1n, 0n, 0n, 0n);
  // The right to come back to it, when the capability for it has been given up: setrlimit(2).
  const limit = new BigUint64Array([1n, 1n]);
  mayReturn = c.setrlimit(RLIMIT_RTPRIO, new Uint8Array(limit.buffer)) === 0;
  levelHelpers(-20);
  if (schedule(SCHED_FIFO, 1)) return "fifo";
  isNice = c.setpriority(0, 0, -20) === 0;
  return isNice ? "nice" : "plain";
}

/**
 * The nice level of this process's other threads, which make machine code of what runs often. Beside a
 * program of a thousand threads they come to nothing otherwise, and the loop goes on without it, at
 * several times the cost. If that may not be it stays as it is.
 */
function levelHelpers(level: number): void {
  for (const name of listDirectory("/proc/self/task")) {
    const id = Number(name);
    if (id > 0 && id !== Deno.pid) libc().setpriority(0, id, level);
  }
}

let isNice = false;

let mayReturn = false;

/**
 * Leaves the real-time class for work that takes its time, and comes back to it. In that class a
 * thread that computes keeps every other one from its CPU. If there is no way back it stays.
 */
export function atLeisure<T>(scheduling: string, work: () => T): T {
  if (scheduling !== "fifo" || !mayReturn) return work();
  schedule(SCHED_OTHER, 0);
  try {
    return work();
  } finally {
    schedule(SCHED_FIFO, 1);
  }
}

/**
 * Nothing has to be on time any more, and what is left is ordinary work. No less than that: the command
 * has ended, its user waits, and on a node that others fill a lower level is a hundredth of a CPU.
 */
export function yieldToOthers(): void {
  schedule(SCHED_OTHER, 0);
  levelHelpers(0);
  if (isNice) libc().setpriority(0, 0, 0);
}

function schedule(policy: number, priority: number): boolean {
  const parameter = new Int32Array([priority]);
  return libc().schedSetscheduler(0, policy, new Uint8Array(parameter.buffer)) === 0;
}
