/**
 * Differences of hardware counters: the one place that judges wrap, reset and stall.
 *
 * A counter shows only its low bits and starts again at 0 above its range. Going backwards means
 * that it wrapped, or that it was reset; taking a reset for a wrap invents joules, so in doubt
 * nothing is added. Of an energy the reading in doubt is NaN, and the one after it decides: back where
 * it was, nothing is lost; else the accumulated value goes back by one count, by which everyone
 * downstream, a replay too, sees that what was counted in between is not known: docs/reference/coverage.md.
 * @module
 */

/** Facts about a counter that are known before the first reading. */
export interface CounterKind {
  /** Counts after which it starts again at 0: 2^32, `max_energy_range_uj` + 1; Infinity: never. */
  readonly range: number;
  /** A value is given as high × base + low, both exact. @default 2^32 */
  readonly base?: number;
  /**
   * Fastest growth that is physically possible, in counts per second. It holds over the time since
   * the last change, and a second of slack for counters that are published rarely.
   * @default unknown: see `wrapShare`
   */
  readonly maxPerSecond?: number;
  /** Share of the range up to which a step backwards is a wrap, if no rate is known. @default 0.5 */
  readonly wrapShare?: number;
  /** Seconds without change after which the counter is called frozen. @default never */
  readonly stallAfterS?: number;
  /**
   * True if gaps must be visible, as of energies: NaN in doubt and while frozen, and one count back
   * after a restart. False: the value just does not grow there. @default false
   */
  readonly showsGaps?: boolean;
}

/** Results of a counter's update. */
export const STEP = {
  FIRST: 0,
  SAME: 1,
  FORWARD: 2,
  WRAPPED: 3,
  /** Went backwards by less than a wrap: nothing was added. */
  RESET: 4,
  /** Grew faster than is possible: nothing was added. */
  LEAP: 5,
  /** Has not changed for `stallAfterS`; reported once for each time it freezes. */
  STALLED: 6,
  /**
   * Result for a counter that shows its gaps: it counts again, and its value went back by one
   * count.
   */
  RESTARTED: 7,
} as const;

/** See {@link STEP}. */
export type Step = typeof STEP[keyof typeof STEP];

/**
 * Arguments and result of `take`: a number handed from one function to another may be allocated, a
 * number in a typed array never is. All counters share one array, since no call waits.
 */
export const TAKEN = new Float64Array(4);
/** Indices in {@link TAKEN} of a reading's halves, of its time and of the answer. */
export const HIGH = 0, LOW = 1, TIME_S = 2, TOTAL = 3;

/** Counters of some nodes are published once a second. */
const SLACK_S = 1;
/** Time within which a counter that shows its gaps may come back from a glitch, s. */
const MAX_GLITCH_S = 0.25;

/** The counters of one signal, one for each instance; allocates nothing after construction. */
export class Counters {
  /** Result of the last `update`. */
  step: Step = STEP.FIRST;
  readonly #range: number;
  readonly #base: number;
  readonly #rate: number;
  readonly #wrapMost: number;
  readonly #stallAfterS: number;
  readonly #showsGaps: boolean;
  readonly #started: Uint8Array;
  readonly #high: Float64Array;
  readonly #low: Float64Array;
  readonly #first: Float64Array;
  /** Counts since the first reading; kept apart, so that rounding does not add up. */
  readonly #grown: Float64Array;
  readonly #changedS: Float64Array;
  readonly #stalled: Uint8Array;
  /** The reading before a reset or leap, to which a glitch returns. */
  readonly #doubt: Uint8Array;
  readonly #doubtS: Float64Array;
  readonly #oldHigh: Float64Array;
  readonly #oldLow: Float64Array;

  /** @param count Number of instances. */
  constructor(count: number, kind: CounterKind) {
    this.#range = kind.range;
    this.#base = kind.base ?? 4294967296;
    this.#rate = kind.maxPerSecond ?? Infinity;
    this.#wrapMost = this.#range * (kind.wrapShare ?? 0.5);
    this.#stallAfterS = kind.stallAfterS ?? Infinity;
    this.#showsGaps = kind.showsGaps ?? false;
    this.#started = new Uint8Array(count);
    this.#high = new Float64Array(count);
    this.#low = new Float64Array(count);
    this.#first = new Float64Array(count);
    this.#grown = new Float64Array(count);
    this.#changedS = new Float64Array(count);
    this.#stalled = new Uint8Array(count);
    this.#doubt = new Uint8Array(count);
    this.#doubtS = new Float64Array(count);
    this.#oldHigh = new Float64Array(count);
    this.#oldLow = new Float64Array(count);
  }

  /**
   * Takes a reading of instance `i`.
   *
   * @returns The counts without wraps, starting at the first raw value; NaN while in doubt.
   */
  update(i: number, high: number, low: number, timeS: number): number {
    TAKEN[HIGH] = high;
    TAKEN[LOW] = low;
    TAKEN[TIME_S] = timeS;
    this.take(i);
    return TAKEN[TOTAL];
  }

  /** Updates without allocation: halves and time come in {@link TAKEN}, counts go out there. */
  take(i: number): void {
    if (this.#started[i] !== 1) {
      this.#start(i);
      return;
    }
    const high = TAKEN[HIGH];
    const low = TAKEN[LOW];
    const timeS = TAKEN[TIME_S];
    let delta = (high - this.#high[i]) * this.#base + (low - this.#low[i]);
    const most = this.#rate * (timeS - this.#changedS[i] + SLACK_S);
    if (this.#doubt[i] !== 0) {
      // The reading after a reset or leap decides which it was: a value that fits to the reading before
      // was a glitch, and then the difference to that one counts.
      const old = (high - this.#oldHigh[i]) * this.#base + (low - this.#oldLow[i]);
      const isGlitch = old >= 0 && (delta < 0 || old < delta || (this.#showsGaps && old <= most));
      if (isGlitch) delta = old;
      else if (this.#showsGaps) {
        // The same glitch may be seen by several looks.
        if (timeS - this.#doubtS[i] < MAX_GLITCH_S) TAKEN[TOTAL] = NaN;
        else this.#rebase(i);
        return;
      }
      this.#doubt[i] = 0;
    }
    let step: Step = STEP.FORWARD;
    if (delta === 0) {
      step = STEP.SAME;
      if (this.#stalled[i] === 0 && timeS - this.#changedS[i] > this.#stallAfterS) {
        this.#stalled[i] = 1;
        step = STEP.STALLED;
      }
    } else if (this.#stalled[i] !== 0 && this.#showsGaps) {
      // Whether it caught up on what it had missed cannot be known.
      this.#rebase(i);
      return;
    } else if (delta < 0) {
      // NaN if there is no range: that counter never wraps.
      const wrapped = this.#range === Infinity ? NaN : delta + this.#range;
      const mostWrapped = this.#rate === Infinity ? this.#wrapMost : most;
      step = wrapped >= 0 && wrapped <= mostWrapped ? STEP.WRAPPED : STEP.RESET;
      delta = step === STEP.WRAPPED ? wrapped : 0;
    } else if (delta > most) {
      step = STEP.LEAP;
      delta = 0;
    }
    if (step === STEP.RESET || step === STEP.LEAP) {
      this.#doubt[i] = 1;
      this.#doubtS[i] = timeS;
      this.#oldHigh[i] = this.#high[i];
      this.#oldLow[i] = this.#low[i];
    }
    const moved = step !== STEP.SAME && step !== STEP.STALLED;
    if (moved && (this.#doubt[i] === 0 || !this.#showsGaps)) {
      this.#changedS[i] = timeS;
      this.#stalled[i] = 0;
    }
    this.#high[i] = high;
    this.#low[i] = low;
    this.#grown[i] += delta;
    this.step = step;
    TAKEN[TOTAL] = this.#showsGaps && (this.#doubt[i] | this.#stalled[i]) !== 0
      ? NaN
      : this.#first[i] + this.#grown[i];
  }

  /** The value last given of an instance. */
  total(i: number): number {
    return this.#first[i] + this.#grown[i];
  }

  /** The caller found that the source restarted: the next reading adds nothing. */
  restart(i: number): void {
    if (this.#started[i] !== 0) this.#started[i] = 2;
  }

  #start(i: number): void {
    const high = TAKEN[HIGH];
    const low = TAKEN[LOW];
    if (this.#started[i] === 2) {
      this.#started[i] = 1;
      this.#rebase(i);
      return;
    }
    this.#started[i] = 1;
    this.#first[i] = high * this.#base + low;
    this.#high[i] = high;
    this.#low[i] = low;
    this.#changedS[i] = TAKEN[TIME_S];
    this.step = STEP.FIRST;
    TAKEN[TOTAL] = this.#first[i];
  }

  /** Counts from this reading on. What was accumulated stays, less the count of this restart. */
  #rebase(i: number): void {
    this.#high[i] = TAKEN[HIGH];
    this.#low[i] = TAKEN[LOW];
    this.#changedS[i] = TAKEN[TIME_S];
    this.#doubt[i] = 0;
    this.#stalled[i] = 0;
    if (this.#showsGaps) this.#grown[i] -= 1;
    this.step = this.#showsGaps ? STEP.RESTARTED : STEP.FIRST;
    TAKEN[TOTAL] = this.#first[i] + this.#grown[i];
  }
}
