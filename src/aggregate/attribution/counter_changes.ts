/**
 * When a counter really moved: from readings at steps to changes with a window before them.
 *
 * The counter changed somewhere between the step before and the one that saw it; where its update
 * period is known to be shorter than a step, within one period before, since it changes at every
 * one. A time that comes with the reading (`stamp`) says when exactly, on a clock of its own.
 * Readings are unwrapped already; what falls or leaps anyway, is NaN or stands still for long
 * begins anew: no interval reaches over it. docs/how-sure.md.
 * @module
 */

/** What is known about a counter beforehand. */
export interface ChangeOptions {
  /** Seconds between two updates. @default found from the first changes */
  readonly updatePeriodS?: number;
  /** Readings come with a time. @default false */
  readonly stamped?: boolean;
  /** No domain draws more; what grows faster is no energy, W. @default 1e5 */
  readonly mostW?: number;
}

/** What a reading was. */
export const CHANGE = { NONE: 0, SEEN: 1, BREAK: 2 } as const;

/** Changes from which the update period and the clock of stamps are judged. */
export const WARM_UP = 16;
const STAMP_BLOCKS = 9;
/** An interval this many times as long as the usual one is a stall. */
const STALL = 20;
const LEAST_STALL_S = 1;
/** Steps to judge by whether they keep in step with the counter, and how far off is chance. */
const LEAST_SHORT = 500;
const OFF_SHARE = 0.03;

/** Finds the changes of one counter. Allocates nothing after construction. */
export class CounterChanges {
  /** The last change: time, window before it, and value. */
  timeS = NaN;
  windowS = NaN;
  valueJ = NaN;
  /** Energy from the first reading to the last, over breaks as far as it was sane. */
  totalJ = 0;
  /** Readings so far that had a value, and the time of the first and last of them. */
  readings = 0;
  firstS = NaN;
  lastS = NaN;
  /** Seconds between two updates; NaN until `WARM_UP` changes were seen. */
  updatePeriodS = NaN;
  /** Changes seen, and times that the counter began anew. */
  changes = 0;
  breaks = 0;
  /** Steps shorter than the update period, those that saw a change, and those that should have. */
  #short = 0;
  #shortSeen = 0;
  #shortExpected = 0;
  /** Power beyond the first leap is judged against the usual one. */
  readonly #options: ChangeOptions;
  readonly #mostW: number;
  /** Energy up to the beginning of the present stretch, and the reading there. */
  #mendedJ = 0;
  #stretchJ = NaN;
  #lastJ = NaN;
  #stepS = NaN;
  #changedS = NaN;
  /** The last reading was followed by a break: the next change only begins. */
  #broken = true;
  readonly #gaps = new Float64Array(WARM_UP);
  readonly #steps = new Float64Array(WARM_UP);
  #usualS = NaN;
  readonly #least = new Float64Array(STAMP_BLOCKS).fill(NaN);
  readonly #sorted = new Float64Array(STAMP_BLOCKS);
  #blockLeast = Infinity;
  #inBlock = 0;
  #blocks = 0;
  #lastStampS = NaN;

  constructor(options: ChangeOptions = {}) {
    this.#options = options;
    this.#mostW = options.mostW ?? 1e5;
  }

  /**
   * Takes the reading of a step.
   *
   * @param stampS When the source took it, on its own clock; NaN: it does not tell.
   * @returns One of {@linkcode CHANGE}. `BREAK` comes with a change that begins a new stretch.
   */
  observe(timeS: number, valueJ: number, stampS = NaN): number {
    const stepS = timeS - this.#stepS;
    if (stepS <= 0) return CHANGE.NONE;
    this.#stepS = timeS;
    if (!Number.isFinite(valueJ)) {
      this.#broken = true;
      return CHANGE.NONE;
    }
    this.readings++;
    if (this.readings === 1) {
      this.firstS = timeS;
      this.#stretchJ = this.#lastJ = valueJ;
      this.lastS = this.#changedS = timeS;
      return CHANGE.NONE;
    }
    const growth = valueJ - this.#lastJ;
    const elapsedS = timeS - this.lastS;
    const last = this.#lastJ;
    this.lastS = timeS;
    this.#compare(stepS, growth !== 0);
    if (growth === 0) return CHANGE.NONE;
    this.#lastJ = valueJ;
    const gapS = timeS - this.#changedS;
    this.#changedS = timeS;
    // A second of slack: what is read late was drawn over a longer time.
    if (growth < 0 || growth > this.#mostW * (elapsedS + 1)) {
      this.#mendedJ += last - this.#stretchJ;
      this.#stretchJ = valueJ;
      this.totalJ = this.#mendedJ;
      this.#broken = true;
      return CHANGE.NONE;
    }
    this.totalJ = this.#mendedJ + (valueJ - this.#stretchJ);
    if (gapS > LEAST_STALL_S && gapS > STALL * this.#usualS) this.#broken = true;
    // The energy may be real, but no power of this interval was.
    if (growth > this.#mostW * gapS) this.#broken = true;
    this.changes++;
    this.#learn(gapS, stepS);
    return this.#change(timeS, stepS, valueJ, stampS);
  }

  /**
   * Do steps keep in step with the counter's own updates? Then changes do not lie evenly in their
   * windows. Even ones are seen by a step in proportion to its length.
   */
  get inStep(): boolean {
    const p = this.#shortExpected / this.#short;
    const off = Math.abs(this.#shortSeen - this.#shortExpected);
    return this.#short >= LEAST_SHORT &&
      off > OFF_SHARE * this.#short + 5 * Math.sqrt(this.#short * p * (1 - p));
  }

  #compare(stepS: number, seen: boolean): void {
    // Only where the window is about as long as the step is there anything to see.
    const period = this.updatePeriodS;
    if (!(stepS < 2 * period && stepS > period / 4)) return;
    this.#short++;
    if (seen) this.#shortSeen++;
    this.#shortExpected += Math.min(1, stepS / period);
  }

  #change(timeS: number, stepS: number, valueJ: number, stampS: number): number {
    let t = timeS;
    // Before the period is known, all of the step may have seen it.
    const known = this.updatePeriodS;
    let windowS = known < stepS ? known : stepS;
    if (this.#options.stamped === true) {
      const moved = this.#moved(timeS, stampS);
      // A clock that was set, or a stamp that is none: the step serves.
      const far = Math.max(4 * stepS, 2 * (known > 0 ? known : stepS));
      if (Math.abs(timeS - moved) <= far) {
        t = moved;
        windowS = 0;
      } else if (moved === moved) this.#forgetClock();
    }
    const broken = this.#broken || !(t > this.timeS);
    this.#broken = false;
    this.timeS = t;
    this.windowS = windowS;
    this.valueJ = valueJ;
    if (!broken) return CHANGE.SEEN;
    this.breaks++;
    return CHANGE.BREAK;
  }

  /** The update period: as told, unless the counter moves more rarely than that. */
  #learn(gapS: number, stepS: number): void {
    if (this.#usualS === this.#usualS) return;
    this.#gaps[this.changes - 1] = gapS;
    this.#steps[this.changes - 1] = stepS;
    if (this.changes < WARM_UP) return;
    this.#usualS = this.#gaps.sort()[WARM_UP >> 1];
    const stepUsual = this.#steps.sort()[WARM_UP >> 1];
    const told = this.#options.updatePeriodS ?? NaN;
    this.updatePeriodS = this.#usualS <= 1.5 * Math.max(stepUsual, told) ? told : this.#usualS;
    // Only seen at steps: a period below the step cannot be found, and need not be.
    if (!(told > 0)) this.updatePeriodS = this.#usualS;
  }

  /**
   * The stamp on the clock of the steps. Each block of changes has one that was read soonest after
   * its stamp; the median of the last blocks is robust against readings that came late.
   */
  #moved(timeS: number, stampS: number): number {
    if (!(stampS > this.#lastStampS || this.#lastStampS !== this.#lastStampS)) return NaN;
    this.#lastStampS = stampS;
    const behind = timeS - stampS;
    if (behind < this.#blockLeast) this.#blockLeast = behind;
    if (++this.#inBlock === WARM_UP) {
      this.#least[this.#blocks++ % STAMP_BLOCKS] = this.#blockLeast;
      this.#blockLeast = Infinity;
      this.#inBlock = 0;
    }
    if (this.#blocks === 0) return NaN;
    const n = Math.min(this.#blocks, STAMP_BLOCKS);
    this.#sorted.fill(Infinity);
    for (let i = 0; i < n; i++) this.#sorted[i] = this.#least[i];
    this.#sorted.sort();
    return stampS + this.#sorted[n >> 1];
  }

  #forgetClock(): void {
    this.#blocks = 0;
    this.#inBlock = 0;
    this.#blockLeast = Infinity;
    this.#lastStampS = NaN;
  }
}
