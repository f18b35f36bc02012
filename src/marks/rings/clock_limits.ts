/**
 * Upper limits of counts that processes write themselves: a count above one per nanosecond of the
 * process's life is refused.
 * @module
 */
import { rawNanoseconds } from "../../os/clock.ts";

/** Receives what is left out, in words. */
export type Refuse = (what: string) => void;

/** Clocks of two processors, and of two looks, differ by less. */
const MARGIN_NS = 1e9;
/** The limit of threads that run at one time, for any number of threads: Linux has 8192 CPUs at most. */
const CPUS_MAX = 8192;

/** Limits of one process. */
export class ClockLimits {
  /**
   * Start of the process by its own file, ns since the origin; not before the start of the machine.
   */
  startNs = 0;
  #allowedNs = 0;
  readonly #originNs: number;
  readonly #refuse: Refuse;
  /** Kinds that were refused already: each is named once. */
  readonly #named = new Set<string>();

  /** @param originNs CLOCK_MONOTONIC_RAW that counts as 0. */
  constructor(originNs: bigint, refuse: Refuse) {
    this.#originNs = Number(originNs);
    this.#refuse = refuse;
  }

  /** A count of all threads together: the new one, or if no clock gets so far the one before. */
  next(before: number, count: number, kind: string): number {
    return count === before || this.allows(count, kind, CPUS_MAX) ? count : before;
  }

  /** Can it be so many by now? @param times That may go on at one time: threads, nested visits. */
  allows(count: number, kind: string, times = 1): boolean {
    const most = Math.max(1, times);
    // The clock is read only if its last value is not enough.
    if (count <= this.#allowedNs * most) return true;
    const now = rawNanoseconds();
    const elapsedNs = Math.min(now, Math.max(0, now - this.#originNs - this.startNs));
    this.#allowedNs = elapsedNs + MARGIN_NS;
    if (count <= this.#allowedNs * most) return true;
    if (!this.#named.has(kind)) {
      this.#named.add(kind);
      const seconds = (elapsedNs / 1e9).toPrecision(3);
      this.#refuse(
        `${count.toPrecision(3)} ${kind} in ${seconds} s left out: no clock gets so far`,
      );
    }
    return false;
  }
}
