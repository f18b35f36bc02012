/**
 * Bounds the cost of reading: when the counters take more than a tenth of the period,
 * those of single CPUs are read every n-th tick only, and the report states it.
 * @module
 */

/** Share of the period that reading may take. */
const MAX_PERIOD_SHARE = 0.1;
/** Ticks between two judgements. */
const TICKS_BETWEEN_DECISIONS = 32;
const MAX_TICKS_BETWEEN_READS = 64;

/** Decides how often counters of single CPUs are read. */
export class ReadPace {
  /** Read per-CPU counters every so many ticks. */
  stride = 1;
  readonly #allowedNs: number;
  #sumNs = 0;
  #count = 0;

  /** @param periodS Of the loop. */
  constructor(periodS: number) {
    this.#allowedNs = periodS * 1e9 * MAX_PERIOD_SHARE;
  }

  /** Takes the time of one tick's reading. The first ticks are warm-up. */
  note(ns: number): void {
    this.#sumNs += ns;
    if (++this.#count < TICKS_BETWEEN_DECISIONS) return;
    const mean = this.#sumNs / this.#count;
    this.#sumNs = 0;
    this.#count = 0;
    if (mean > this.#allowedNs && this.stride < MAX_TICKS_BETWEEN_READS) {
      this.stride = Math.min(
        MAX_TICKS_BETWEEN_READS,
        Math.ceil(this.stride * mean / this.#allowedNs),
      );
    }
  }
}
