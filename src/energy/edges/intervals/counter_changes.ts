/**
 * Moments at which a counter moved: from readings at steps to changes with a window before them.
 *
 * The counter changed somewhere between the step before and the one that saw it; if its update
 * period is known to be shorter than a step, within one period before, because it changes at every
 * update. A time that comes with the reading (`stamp`) gives the exact moment, on a clock of its
 * own. Readings are unwrapped already; a counter that still falls or leaps, is NaN or does not
 * change for long restarts: no interval reaches over it. The first changes wait until the update
 * period and the clock of the stamps can be judged by them, so that none is lost.
 * docs/explanation/how-sure.md.
 * @module
 */
import { CoarseCounter } from "./coarse_counter.ts";

/** Facts about a counter that are known beforehand. */
export interface ChangeOptions {
  /** Seconds between two updates. @default found from the first changes */
  readonly updatePeriodS?: number;
  /** Readings come with a time. @default false */
  readonly stamped?: boolean;
  /** Maximum power of a domain, W: faster growth is no energy. @default 1e5 */
  readonly mostW?: number;
}

/** Kinds of changes. */
export const CHANGE = { NONE: 0, SEEN: 1, BREAK: 2 } as const;

/** Changes from which the update period and the clock of stamps are judged. */
const WARM_UP = 16;
const STAMP_BLOCKS = 9;
/** An interval this many times as long as the usual one is a stall. */
const STALL = 20;
const MIN_STALL_S = 1;
/** Maximum number of waiting changes, the first reading included. */
export const MAX_WAITING_CHANGES = WARM_UP + 1;

/** Changes that wait; places are numbers modulo {@linkcode MAX_WAITING_CHANGES}. */
interface Waiting {
  readonly timeS: Float64Array;
  /** Length of the step that saw it; Infinity: it is the first reading. */
  readonly stepS: Float64Array;
  readonly valueJ: Float64Array;
  /** NaN: none that serves. */
  readonly stampS: Float64Array;
  readonly begins: Uint8Array;
}

/** Finds the changes of one counter. Allocates nothing after construction. */
export class CounterChanges {
  /** The change that `next()` gave: time, window before it, and value. */
  timeS = NaN;
  windowS = NaN;
  valueJ = NaN;
  /** Energy from the first reading to the last, over breaks as far as it was sane. */
  totalJ = 0;
  /** Readings so far that had a value, and the time of the last of them. */
  readings = 0;
  lastS = NaN;
  /** Seconds between two updates; NaN until `WARM_UP` changes were seen, or `settle()`. */
  updatePeriodS = NaN;
  /** Changes seen, and the number of restarts of the counter. */
  changes = 0;
  breaks = 0;
  /** Power beyond the first leap is judged against the usual one. */
  readonly #options: ChangeOptions;
  readonly #mostW: number;
  /** Energy up to the beginning of the present stretch, and the reading there. */
  #earlierJ = 0;
  #stretchJ = NaN;
  #lastJ = NaN;
  #stepS = NaN;
  #changedS = NaN;
  /** The last reading was followed by a break: the next change only begins. */
  #broken = true;
  readonly #gaps = new Float64Array(WARM_UP);
  readonly #steps = new Float64Array(WARM_UP);
  readonly #coarse: CoarseCounter;
  /** The last boundary. */
  #takenS = NaN;
  #takenJ = NaN;
  #usualS = NaN;
  #usualStepS = NaN;
  readonly #least = new Float64Array(STAMP_BLOCKS).fill(NaN);
  readonly #sorted = new Float64Array(STAMP_BLOCKS);
  #blockLeast = Infinity;
  #inBlock = 0;
  #blocks = 0;
  #lastStampS = NaN;
  readonly #waiting: Waiting = {
    timeS: new Float64Array(MAX_WAITING_CHANGES),
    stepS: new Float64Array(MAX_WAITING_CHANGES),
    valueJ: new Float64Array(MAX_WAITING_CHANGES),
    stampS: new Float64Array(MAX_WAITING_CHANGES),
    begins: new Uint8Array(MAX_WAITING_CHANGES),
  };
  #first = 0;
  #last = 0;
  /** The first reading was no boundary: the change after it begins. */
  #isUnbegun = false;

  constructor(options: ChangeOptions = {}) {
    this.#options = options;
    this.#mostW = options.mostW ?? 1e5;
    this.#coarse = new CoarseCounter(options.updatePeriodS ?? NaN);
  }

  /**
   * Takes the reading of a step; `next()` gives what it changed.
   *
   * @param stampS When the source took it, on its own clock; NaN: unknown.
   */
  observe(timeS: number, valueJ: number, stampS = NaN): void {
    const stepS = timeS - this.#stepS;
    if (stepS <= 0) return;
    this.#stepS = timeS;
    if (!Number.isFinite(valueJ)) {
      this.#broken = true;
      return;
    }
    this.readings++;
    if (this.readings === 1) {
      this.#stretchJ = this.#lastJ = valueJ;
      this.lastS = this.#changedS = timeS;
      this.#wait(timeS, Infinity, valueJ, stampS);
      return;
    }
    const growth = valueJ - this.#lastJ;
    const elapsedS = timeS - this.lastS;
    const last = this.#lastJ;
    this.lastS = timeS;
    const { paceS } = this.#coarse;
    const isDue = paceS > 0 && timeS - this.#takenS >= paceS && valueJ > this.#takenJ;
    if (growth === 0 && !isDue) return;
    this.#lastJ = valueJ;
    const gapS = timeS - this.#changedS;
    if (growth !== 0) this.#changedS = timeS;
    // A second of slack: what is read late was drawn over a longer time.
    if (growth < 0 || growth > this.#mostW * (elapsedS + 1)) {
      this.#earlierJ += last - this.#stretchJ;
      this.#stretchJ = valueJ;
      this.totalJ = this.#earlierJ;
      this.#broken = true;
      return;
    }
    this.totalJ = this.#earlierJ + (valueJ - this.#stretchJ);
    if (gapS > MIN_STALL_S && gapS > STALL * this.#usualS) this.#broken = true;
    // The energy may be real, but no power of this interval was.
    if (growth > this.#mostW * gapS) this.#broken = true;
    this.changes++;
    if (paceS === 0) this.#judgeUnit(growth, gapS, stepS);
    else if (!isDue && !this.#broken) return;
    this.#learn(gapS, stepS);
    this.#takenS = timeS;
    this.#takenJ = valueJ;
    this.#wait(timeS, stepS, valueJ, stampS);
  }

  /**
   * The next change, in its fields, as soon as the update period is known.
   *
   * @returns One of {@linkcode CHANGE}: `NONE` if none is left; `BREAK` begins a new stretch.
   */
  next(): number {
    while (this.#first !== this.#last && this.updatePeriodS > 0) {
      const change = this.#change(this.#first++ % MAX_WAITING_CHANGES);
      if (change !== CHANGE.NONE) return change;
    }
    return CHANGE.NONE;
  }

  /** Earliest time that a change which waits may have been at; Infinity: none waits. */
  get waitingSinceS(): number {
    if (this.#first === this.#last) return Infinity;
    const at = this.#first % MAX_WAITING_CHANGES;
    const stepS = this.#waiting.stepS[at];
    return stepS === Infinity ? -Infinity : this.#waiting.timeS[at] - stepS;
  }

  /** Nothing more can be waited for: the period is judged by the changes that there are. */
  settle(): void {
    if (this.updatePeriodS > 0 || this.changes === 0) return;
    const n = this.changes;
    // The first gap begins at the first reading, not at a change.
    const gaps = this.#gaps.slice(1, n).sort();
    const stepS = this.#steps.slice(0, n).sort()[n >> 1];
    this.#judge(gaps.length > 0 ? gaps[gaps.length >> 1] : stepS, stepS);
    if (this.#blocks === 0 && this.#inBlock > 0) this.#endBlock();
  }

  /**
   * Judges the unit of a counter. Only a counter with a stated update at each step may be coarse: a
   * slow one has whole joules too.
   */
  #judgeUnit(growthJ: number, gapS: number, stepS: number): void {
    const statedS = this.#options.updatePeriodS ?? NaN;
    if (this.#broken || !(statedS <= 1.5 * stepS)) return;
    this.#coarse.observe(growthJ, gapS, stepS);
    if (this.#coarse.paceS > 0 && this.updatePeriodS > 0) this.updatePeriodS = statedS;
  }

  #wait(timeS: number, stepS: number, valueJ: number, stampS: number): void {
    const at = this.#last++ % MAX_WAITING_CHANGES;
    const waiting = this.#waiting;
    waiting.timeS[at] = timeS;
    waiting.stepS[at] = stepS;
    waiting.valueJ[at] = valueJ;
    waiting.stampS[at] = this.#options.stamped === true ? this.#clock(timeS, stampS) : NaN;
    waiting.begins[at] = this.#broken ? 1 : 0;
    this.#broken = false;
  }

  #change(at: number): number {
    const waiting = this.#waiting;
    const timeS = waiting.timeS[at];
    const stepS = waiting.stepS[at];
    const isFirst = stepS === Infinity;
    let t = timeS;
    const known = this.updatePeriodS;
    let windowS = known < stepS ? known : stepS;
    if (this.#options.stamped === true) {
      const moved = this.#moved(waiting.stampS[at]);
      // A clock that was set, or a stamp that is none: the step serves.
      const far = Math.max(isFirst ? 0 : 4 * stepS, 2 * known);
      if (Math.abs(timeS - moved) <= far) {
        t = moved;
        windowS = 0;
      } else if (moved === moved) this.#forgetClock();
    }
    // The first reading shows an update of up to one period ago: too far to serve if steps are
    // shorter than that.
    if (isFirst && windowS > this.#usualStepS) {
      this.#isUnbegun = true;
      return CHANGE.NONE;
    }
    // Those that came before it was known to be coarse.
    const isSoon = t - this.timeS < this.#coarse.paceS - stepS / 2;
    if (isSoon && waiting.begins[at] === 0 && !this.#isUnbegun) return CHANGE.NONE;
    const broken = waiting.begins[at] === 1 || this.#isUnbegun || !(t > this.timeS);
    this.#isUnbegun = false;
    this.timeS = t;
    this.windowS = windowS;
    this.valueJ = waiting.valueJ[at];
    if (!broken) return CHANGE.SEEN;
    this.breaks++;
    return CHANGE.BREAK;
  }

  /** The update period: as given, unless the counter moves more rarely than that. */
  #learn(gapS: number, stepS: number): void {
    if (this.#usualS === this.#usualS) return;
    this.#gaps[this.changes - 1] = gapS;
    this.#steps[this.changes - 1] = stepS;
    if (this.changes < WARM_UP) return;
    this.#usualS = this.#gaps.sort()[WARM_UP >> 1];
    this.#judge(this.#usualS, this.#steps.sort()[WARM_UP >> 1]);
  }

  #judge(usualS: number, stepS: number): void {
    const statedS = this.#options.updatePeriodS ?? NaN;
    // Only seen at steps: a period below the step cannot be found, and need not be.
    this.#usualStepS = stepS;
    if (this.#coarse.paceS > 0) {
      this.updatePeriodS = statedS;
      return;
    }
    const isAsStated = statedS > 0 && usualS <= 1.5 * Math.max(stepS, statedS);
    this.updatePeriodS = isAsStated ? statedS : usualS;
  }

  /**
   * The offset of the stamps' clock. Each block of changes has one that was read soonest after
   * its stamp; the median of the last blocks is robust against readings that came late.
   *
   * @returns The stamp, NaN if it is none.
   */
  #clock(timeS: number, stampS: number): number {
    if (!(stampS > this.#lastStampS || this.#lastStampS !== this.#lastStampS)) return NaN;
    this.#lastStampS = stampS;
    const behind = timeS - stampS;
    if (behind < this.#blockLeast) this.#blockLeast = behind;
    if (++this.#inBlock === WARM_UP) this.#endBlock();
    return stampS;
  }

  #endBlock(): void {
    this.#least[this.#blocks++ % STAMP_BLOCKS] = this.#blockLeast;
    this.#blockLeast = Infinity;
    this.#inBlock = 0;
  }

  /** The stamp on the clock of the steps. */
  #moved(stampS: number): number {
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
