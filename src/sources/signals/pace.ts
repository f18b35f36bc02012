/**
 * Schedule of counter readings. The cost of reading is bounded: when the counters take more than a
 * tenth of the period, those of single CPUs are read every n-th tick only, and the report states
 * it. Pure.
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

/** The dither of a sample's time, as a part of the period, either way: docs/explanation/how-sure.md. */
const dither = (periodNs: number): number => periodNs > 2e6 ? 0.25 : 0.5;

/** Times of samples: one a period. */
export class Schedule {
  #nextNs: number;
  readonly #random: () => number;

  /**
   * @param nowNs When the first one is.
   * @param random From 0 to 1, dithers samples, so that no loop of the application stays in phase with them; it does
   * not add up. 0.5: none.
   */
  constructor(nowNs: number, random: () => number) {
    [this.#nextNs, this.#random] = [nowNs, random];
  }

  /** Time when the next sample is due, ns; counts samples whose time has passed. */
  next(nowNs: number, periodNs: number, counts: { missed: number }): number {
    const behind = nowNs - (this.#nextNs += periodNs);
    if (behind > 0) {
      // After a late step the next one keeps its distance: late events come in between.
      const skipped = Math.floor(behind / periodNs + 0.5) + 1;
      counts.missed += skipped;
      this.#nextNs += skipped * periodNs;
    }
    return this.#nextNs + periodNs * dither(periodNs) * (2 * this.#random() - 1);
  }

  /**
   * Sleep went on beyond the one that was due next, on purpose, until a moment: those that were due are past.
   *
   * @param counts Counts them. @default they do not count
   */
  pass(nowNs: number, periodNs: number, counts?: { steps: number; sleptThrough: number }): void {
    const passed = Math.max(0, Math.floor((nowNs - this.#nextNs) / periodNs));
    this.#nextNs += passed * periodNs;
    if (counts === undefined) return;
    counts.steps += passed;
    counts.sleptThrough += passed;
  }
}
