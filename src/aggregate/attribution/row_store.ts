/**
 * Intervals as sparse rows, waiting to be fitted.
 *
 * Classes are renumbered by first appearance. Where there are more than the fit takes, those with
 * the most CPU time keep numbers of their own; another one has that of the nearest class around it,
 * and what is in none shares one. A class gets its own number once it has a good part of the CPU time. So cost and memory do not grow with names.
 * @module
 */
import { grown, lengthened } from "../../core/grow.ts";

/** Classes that a fit can hold, the shared one included. */
export const MOST_CLASSES = 64;
/** Share of the CPU time below which a class of too many has no number of its own. */
const LEAST_SHARE = 1e-3;
/** Numbers that classes get without asking after the limit was set. */
const FREE_CLASSES = MOST_CLASSES / 2;
/** Share of the CPU time so far with which a later class gets one. */
const LATE_SHARE = 1 / 128;

/** Room for entries that is kept when a store is emptied. */
const KEPT_ENTRIES = 1024;

/** What a row says beside exposures. */
export interface Interval {
  readonly energyJ: number;
  readonly lengthS: number;
  /** It does not follow the row before it. */
  readonly fresh: boolean;
  /** When the step was that saw its beginning. */
  readonly beginS: number;
}

/** A queue of sparse rows. Row i has entries `start[i]` to before `start[i + 1]`. */
export class RowStore {
  rows = 0;
  start = new Int32Array(64);
  /** J, s, and 1 where the row does not follow the one before it. */
  energyJ = new Float64Array(64);
  lengthS = new Float64Array(64);
  fresh = new Int32Array(64);
  /** When the step was that saw the row's beginning. */
  beginS = new Float64Array(64);
  classes = new Int32Array(256);
  /** CPU-seconds of entry e at lag l at `e * lags + l`; behind the lags the same for each time constant. */
  tau: Float64Array;
  readonly lags: number;
  /** Exposures to terms of row i: entries `termStart[i]` to before `termStart[i + 1]`, by plain lags. */
  termStart = new Int32Array(64);
  terms = new Int32Array(64);
  termTau = new Float64Array(64);
  termLags = 0;
  /** Number of each term that is a column; −1: it is none. */
  columnOf = new Int32Array(0);
  /** Numbers that are columns, not classes. */
  isColumn = new Uint8Array(16);
  columns = 0;
  /** Own number of each class that came in; −1: not seen. */
  fitOf = new Int32Array(16).fill(-1);
  /** Numbers given out, those of columns included. */
  count = 0;
  /** Number of the class that the rest shares; −1: there is none. */
  shared = -1;
  #limited = false;
  /** Place of the lag that CPU time is counted at. */
  readonly #timeLag: number;
  /** CPU-seconds so far, and those of each class that has no number of its own. */
  #seconds = 0;
  #lateS = new Float64Array(0);
  #isOwn = new Uint8Array(16);
  /** By own number: place of the entry in the row being made + 1. */
  #place = new Int32Array(16);

  readonly #parentOf: ((raw: number) => number) | undefined;

  /**
   * @param timeLag Place of the lag that CPU time is counted at.
   * @param parentOf Class that a class is nested in, at most 0 for none: where there is no number
   * left, a class has that of the nearest class around it that has one.
   */
  constructor(lags: number, timeLag = 0, parentOf?: (raw: number) => number) {
    this.#parentOf = parentOf;
    this.lags = lags;
    this.#timeLag = timeLag;
    this.tau = new Float64Array(256 * lags);
  }

  /** Entries held. */
  get entries(): number {
    return this.start[this.rows];
  }

  /** Appends a row. @param length Entries in `classes` and `tau`. */
  push(
    row: { count: number; classes: Int32Array; tau: Float64Array },
    { energyJ, lengthS, fresh, beginS }: Interval,
  ): void {
    const i = this.rows;
    if (i + 2 > this.start.length) {
      this.start = grown(this.start, i + 2);
      this.energyJ = grown(this.energyJ, i + 2);
      this.lengthS = grown(this.lengthS, i + 2);
      this.fresh = grown(this.fresh, i + 2);
      this.beginS = grown(this.beginS, i + 2);
    }
    const from = this.start[i];
    const most = from + row.count;
    if (most > this.classes.length) this.classes = grown(this.classes, most);
    if (most * this.lags > this.tau.length) this.tau = grown(this.tau, most * this.lags);
    let end = from;
    for (let k = 0; k < row.count; k++) {
      const c = this.#own(row.classes[k], row.tau[k * this.lags + this.#timeLag]);
      let at = this.#place[c] - 1;
      const isNew = at < from;
      if (isNew) {
        at = end++;
        this.#place[c] = at + 1;
        this.classes[at] = c;
      }
      for (let l = 0; l < this.lags; l++) {
        const more = row.tau[k * this.lags + l];
        if (isNew) this.tau[at * this.lags + l] = more;
        else this.tau[at * this.lags + l] += more;
      }
    }
    for (let e = from; e < end; e++) this.#place[this.classes[e]] = 0;
    this.start[i + 1] = end;
    this.energyJ[i] = energyJ;
    this.lengthS[i] = lengthS;
    this.fresh[i] = fresh ? 1 : 0;
    this.beginS[i] = beginS;
    this.rows++;
  }

  /** CPU-seconds in the rows held, by own number. */
  seconds(): Float64Array {
    const seconds = new Float64Array(this.count);
    for (let e = 0; e < this.entries; e++) {
      seconds[this.classes[e]] += this.tau[e * this.lags + this.#timeLag];
    }
    return seconds;
  }

  /** Adds exposures to terms to the last row. */
  pushTerms(
    { count, classes, tau, width }: {
      count: number;
      classes: Int32Array;
      tau: Float64Array;
      width: number;
    },
  ): void {
    const i = this.rows - 1;
    this.termLags = width;
    if (i + 2 > this.termStart.length) this.termStart = grown(this.termStart, this.start.length);
    let end = i === 0 ? 0 : this.termStart[i];
    this.termStart[i] = end;
    if (end + count > this.terms.length) this.terms = grown(this.terms, end + count);
    const most = this.terms.length * width;
    if (most > this.termTau.length) this.termTau = lengthened(this.termTau, most);
    for (let k = 0; k < count; k++) {
      // Once columns are chosen, the other terms are nobody's.
      if (this.columnOf.length > 0 && !(this.columnOf[classes[k]] >= 0)) continue;
      let isAny = false;
      for (let l = 0; l < width; l++) {
        const value = tau[k * width + l];
        this.termTau[end * width + l] = value;
        if (value > 0) isAny = true;
      }
      if (isAny) this.terms[end++] = classes[k];
    }
    this.termStart[i + 1] = end;
  }

  /** Numbers that are classes. */
  get classCount(): number {
    return this.count - this.columns;
  }

  /** A number for a column. */
  addColumn(): number {
    const number = this.#number();
    if (number >= this.isColumn.length) this.isColumn = grown(this.isColumn, number + 1);
    this.isColumn[number] = 1;
    this.columns++;
    return number;
  }

  /** Whether a class has a number of its own. */
  hasOwn(raw: number): boolean {
    return raw < this.#isOwn.length && this.#isOwn[raw] === 1;
  }

  /** Drops all rows, and the room of many; numbers stay. */
  clear(): void {
    this.rows = 0;
    this.start[0] = 0;
    if (this.terms.length > KEPT_ENTRIES) {
      this.terms = new Int32Array(KEPT_ENTRIES);
      this.termTau = new Float64Array(KEPT_ENTRIES * this.termLags);
      this.termStart = new Int32Array(64);
    }
    if (this.classes.length <= KEPT_ENTRIES) return;
    this.classes = new Int32Array(KEPT_ENTRIES);
    this.tau = new Float64Array(KEPT_ENTRIES * this.lags);
    this.start = new Int32Array(64);
    this.fresh = new Int32Array(64);
    this.energyJ = new Float64Array(64);
    this.lengthS = new Float64Array(64);
    this.beginS = new Float64Array(64);
  }

  /**
   * From here on there are at most {@linkcode MOST_CLASSES} numbers. Where there are more now, the
   * classes with the most CPU time keep theirs and the others share one.
   */
  limit(): void {
    const again = this.#limited;
    this.#limited = true;
    if (again || this.classCount < MOST_CLASSES || this.columns > 0) return;
    const seconds = this.seconds();
    const all = seconds.reduce((sum, s) => sum + s, 0);
    const kept = [...seconds.keys()].filter((c) => seconds[c] >= LEAST_SHARE * all)
      .sort((a, b) => seconds[b] - seconds[a]).slice(0, MOST_CLASSES - 1);
    const isKept = new Uint8Array(this.count);
    for (const old of kept) isKept[old] = 1;
    const moved = new Int32Array(this.count).fill(kept.length);
    kept.forEach((old, rank) => moved[old] = rank);
    this.shared = kept.length;
    this.count = kept.length + 1;
    this.#lateS = new Float64Array(this.fitOf.length);
    const before = this.fitOf.slice();
    for (let raw = 0; raw < before.length; raw++) {
      const old = before[raw];
      if (old < 0 || isKept[old] === 1) continue;
      const around = this.#around(raw, (c) => before[c] >= 0 && isKept[before[c]] === 1);
      if (around > 0) moved[old] = moved[before[around]];
      this.#lateS[raw] = seconds[old];
    }
    for (let raw = 0; raw < before.length; raw++) {
      if (before[raw] >= 0) this.fitOf[raw] = moved[before[raw]];
    }
    for (let raw = 0; raw < before.length; raw++) {
      if (before[raw] >= 0 && isKept[before[raw]] === 1) this.#setOwn(raw);
    }
    this.#rewrite(moved);
  }

  /** The nearest class around one that is as wanted; 0: none. */
  #around(raw: number, isWanted: (raw: number) => boolean): number {
    const parentOf = this.#parentOf;
    if (parentOf === undefined) return 0;
    let at = parentOf(raw);
    while (at > 0 && !isWanted(at)) at = parentOf(at);
    return Math.max(0, at);
  }

  #setOwn(raw: number): void {
    if (raw >= this.#isOwn.length) this.#isOwn = grown(this.#isOwn, raw + 1);
    this.#isOwn[raw] = 1;
  }

  /** Renumbers the rows, adding up what now has one number. */
  #rewrite(moved: Int32Array): void {
    const { lags } = this;
    let end = 0;
    let begin = this.start[0];
    for (let i = 0; i < this.rows; i++) {
      const stop = this.start[i + 1];
      const from = end;
      for (let e = begin; e < stop; e++) {
        const c = moved[this.classes[e]];
        let at = this.#place[c] - 1;
        const isNew = at < from;
        if (isNew) {
          at = end++;
          this.#place[c] = at + 1;
          this.classes[at] = c;
        }
        for (let l = 0; l < lags; l++) {
          const more = this.tau[e * lags + l];
          if (isNew) this.tau[at * lags + l] = more;
          else this.tau[at * lags + l] += more;
        }
      }
      for (let e = from; e < end; e++) this.#place[this.classes[e]] = 0;
      begin = stop;
      this.start[i + 1] = end;
    }
  }

  #own(raw: number, seconds: number): number {
    if (raw >= this.fitOf.length) this.fitOf = grown(this.fitOf, raw + 1, -1);
    this.#seconds += seconds;
    if (raw < this.#isOwn.length && this.#isOwn[raw] === 1) return this.fitOf[raw];
    if (this.shared < 0) {
      if (!this.#limited || this.classCount < FREE_CLASSES) return this.#give(raw);
      this.shared = this.#number();
    }
    if (raw >= this.#lateS.length) this.#lateS = grown(this.#lateS, raw + 1);
    this.#lateS[raw] += seconds;
    const large = this.#lateS[raw] >= LATE_SHARE * this.#seconds;
    if (large && this.classCount < MOST_CLASSES) return this.#give(raw);
    if (this.fitOf[raw] >= 0) return this.fitOf[raw];
    const around = this.#around(raw, (c) => c < this.#isOwn.length && this.#isOwn[c] === 1);
    return this.fitOf[raw] = around > 0 ? this.fitOf[around] : this.shared;
  }

  #give(raw: number): number {
    this.#setOwn(raw);
    return this.fitOf[raw] = this.#number();
  }

  #number(): number {
    const own = this.count++;
    if (own >= this.#place.length) this.#place = grown(this.#place, own + 1);
    return own;
  }
}
