/**
 * Differences of hardware counters: the one place that judges wrap, reset and stall.
 *
 * A counter shows only its low bits and starts again at 0 above its range. Going backwards means
 * that it wrapped, or that it was reset; taking a reset for a wrap invents joules, so in doubt the
 * accumulated value stays as it is and the caller counts a trouble.
 * @module
 */

/** What is known about a counter before the first reading. */
export interface CounterKind {
  /** Counts after which it starts again at 0: 2^32, `max_energy_range_uj` + 1; Infinity: never. */
  readonly range: number;
  /** A value is given as high × base + low, both exact. @default 2^32 */
  readonly base?: number;
  /**
   * Fastest growth that is physically possible, in counts per second; a second of slack is added.
   * @default unknown: see `wrapShare`
   */
  readonly maxPerSecond?: number;
  /** Share of the range up to which a step backwards is a wrap, where no rate is known. @default 0.5 */
  readonly wrapShare?: number;
  /** Seconds without change after which the counter is called frozen. @default never */
  readonly stallAfterS?: number;
}

/** What the last update of a counter was. */
export const STEP = {
  FIRST: 0,
  SAME: 1,
  FORWARD: 2,
  WRAPPED: 3,
  /** Went backwards by less than a wrap: nothing was added. */
  RESET: 4,
  /** Grew faster than is possible: nothing was added. */
  LEAP: 5,
  /** Has not changed for `stallAfterS`; told once for each time it freezes. */
  STALLED: 6,
} as const;

/** See {@link STEP}. */
export type Step = typeof STEP[keyof typeof STEP];

/**
 * What `take` reads and writes: a number handed from one function to another may be allocated, a
 * number in a typed array never is. One for all counters, since nothing here waits.
 */
export const TAKEN = new Float64Array(4);
/** Where in {@link TAKEN} the halves of a reading, its time and the answer stand. */
export const HIGH = 0, LOW = 1, TIME_S = 2, TOTAL = 3;

/** The counters of one signal, one for each instance; allocates nothing after construction. */
export class Counters {
  /** What the last `update` found. */
  step: Step = STEP.FIRST;
  readonly #range: number;
  readonly #base: number;
  readonly #rate: number;
  readonly #wrapMost: number;
  readonly #stallAfterS: number;
  readonly #started: Uint8Array;
  readonly #high: Float64Array;
  readonly #low: Float64Array;
  readonly #first: Float64Array;
  /** Counts since the first reading; kept apart, so that rounding does not add up. */
  readonly #grown: Float64Array;
  readonly #timeS: Float64Array;
  readonly #changedS: Float64Array;
  readonly #stalled: Uint8Array;
  /** The reading before a reset or leap, to which a glitch returns. */
  readonly #doubt: Uint8Array;
  readonly #oldHigh: Float64Array;
  readonly #oldLow: Float64Array;

  /** @param count Number of instances. */
  constructor(count: number, kind: CounterKind) {
    this.#range = kind.range;
    this.#base = kind.base ?? 4294967296;
    this.#rate = kind.maxPerSecond ?? Infinity;
    this.#wrapMost = this.#range * (kind.wrapShare ?? 0.5);
    this.#stallAfterS = kind.stallAfterS ?? Infinity;
    this.#started = new Uint8Array(count);
    this.#high = new Float64Array(count);
    this.#low = new Float64Array(count);
    this.#first = new Float64Array(count);
    this.#grown = new Float64Array(count);
    this.#timeS = new Float64Array(count);
    this.#changedS = new Float64Array(count);
    this.#stalled = new Uint8Array(count);
    this.#doubt = new Uint8Array(count);
    this.#oldHigh = new Float64Array(count);
    this.#oldLow = new Float64Array(count);
  }

  /**
   * Takes a reading of instance `i`.
   *
   * @returns The counts without wraps, starting at the first raw value.
   */
  update(i: number, high: number, low: number, timeS: number): number {
    TAKEN[HIGH] = high;
    TAKEN[LOW] = low;
    TAKEN[TIME_S] = timeS;
    this.take(i);
    return TAKEN[TOTAL];
  }

  /** The same without allocation: halves and time come in {@link TAKEN}, counts go out there. */
  take(i: number): void {
    if (this.#started[i] !== 1) {
      this.#start(i);
      return;
    }
    const high = TAKEN[HIGH];
    const low = TAKEN[LOW];
    const timeS = TAKEN[TIME_S];
    let delta = (high - this.#high[i]) * this.#base + (low - this.#low[i]);
    if (this.#doubt[i] !== 0) {
      // The reading after a reset or leap tells which it was: a value that fits better to the
      // reading before was a glitch, and then the smaller difference counts.
      this.#doubt[i] = 0;
      const old = (high - this.#oldHigh[i]) * this.#base + (low - this.#oldLow[i]);
      if (old >= 0 && (delta < 0 || old < delta)) delta = old;
    }
    const elapsed = timeS - this.#timeS[i];
    let step: Step = STEP.FORWARD;
    if (delta === 0) {
      step = STEP.SAME;
      if (this.#stalled[i] === 0 && timeS - this.#changedS[i] > this.#stallAfterS) {
        this.#stalled[i] = 1;
        step = STEP.STALLED;
      }
    } else if (delta < 0) {
      // NaN where there is no range: that counter never wraps.
      const wrapped = this.#range === Infinity ? NaN : delta + this.#range;
      const most = this.#rate === Infinity ? this.#wrapMost : this.#rate * (elapsed + 1);
      step = wrapped >= 0 && wrapped <= most ? STEP.WRAPPED : STEP.RESET;
      delta = step === STEP.WRAPPED ? wrapped : 0;
    } else if (delta > this.#rate * (elapsed + 1)) {
      step = STEP.LEAP;
      delta = 0;
    }
    if (step === STEP.RESET || step === STEP.LEAP) {
      this.#doubt[i] = 1;
      this.#oldHigh[i] = this.#high[i];
      this.#oldLow[i] = this.#low[i];
    }
    if (step !== STEP.SAME && step !== STEP.STALLED) {
      this.#changedS[i] = timeS;
      this.#stalled[i] = 0;
    }
    this.#high[i] = high;
    this.#low[i] = low;
    this.#timeS[i] = timeS;
    this.#grown[i] += delta;
    this.step = step;
    TAKEN[TOTAL] = this.#first[i] + this.#grown[i];
  }

  /** Told from outside that the source restarted: the next reading adds nothing. */
  restart(i: number): void {
    if (this.#started[i] !== 0) this.#started[i] = 2;
    this.#doubt[i] = 0;
  }

  #start(i: number): void {
    const high = TAKEN[HIGH];
    const low = TAKEN[LOW];
    // After a restart the accumulated value stays: only the base is new.
    if (this.#started[i] === 0) this.#first[i] = high * this.#base + low;
    this.#started[i] = 1;
    this.#high[i] = high;
    this.#low[i] = low;
    this.#timeS[i] = TAKEN[TIME_S];
    this.#changedS[i] = TAKEN[TIME_S];
    this.step = STEP.FIRST;
    TAKEN[TOTAL] = this.#first[i] + this.#grown[i];
  }
}
