/**
 * Intervals as sparse rows, waiting to be fitted.
 *
 * Classes are renumbered by first appearance. Where there are more than the fit takes, those with
 * the most CPU time keep numbers of their own and the rest share one; a class of the rest gets its
 * own number once it has a good part of the CPU time. So cost and memory do not grow with names.
 * @module
 */
import { grown } from "../../core/grow.ts";

/** Classes that a fit can hold, the shared one included. */
export const MOST_CLASSES = 64;
/** Share of the CPU time below which a class of too many has no number of its own. */
const LEAST_SHARE = 1e-3;
/** Numbers that classes get without asking after the limit was set. */
const FREE_CLASSES = MOST_CLASSES / 2;
/** Share of the CPU time so far with which a later class gets one. */
const LATE_SHARE = 1 / 128;

/** A queue of sparse rows. Row i has entries `start[i]` to before `start[i + 1]`. */
export class RowStore {
  rows = 0;
  start = new Int32Array(64);
  /** J, s, and 1 where the row does not follow the one before it. */
  energyJ = new Float64Array(64);
  lengthS = new Float64Array(64);
  fresh = new Int32Array(64);
  classes = new Int32Array(256);
  /** CPU-seconds of entry e at lag l at `e * lags + l`. */
  tau: Float64Array;
  readonly lags: number;
  /** Own number of each class that came in; −1: not seen. */
  fitOf = new Int32Array(16).fill(-1);
  /** Numbers given out. */
  count = 0;
  /** Number of the class that the rest shares; −1: there is none. */
  shared = -1;
  #limited = false;
  /** Place of the lag that CPU time is counted at. */
  readonly #timeLag: number;
  /** CPU-seconds so far, and those of each class that shares a number. */
  #seconds = 0;
  #sharedS = new Float64Array(0);
  /** By own number: place of the entry in the row being made + 1. */
  #place = new Int32Array(16);

  /** @param timeLag Place of the lag that CPU time is counted at. */
  constructor(lags: number, timeLag = 0) {
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
    energyJ: number,
    lengthS: number,
    fresh: boolean,
  ): void {
    const i = this.rows;
    if (i + 2 > this.start.length) {
      this.start = grown(this.start, i + 2);
      this.energyJ = grown(this.energyJ, i + 2);
      this.lengthS = grown(this.lengthS, i + 2);
      this.fresh = grown(this.fresh, i + 2);
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
    this.rows++;
  }

  /** Drops all rows; numbers stay. */
  clear(): void {
    this.rows = 0;
    this.start[0] = 0;
  }

  /**
   * From here on there are at most {@linkcode MOST_CLASSES} numbers. Where there are more now, the
   * classes with the most CPU time keep theirs and the others share one.
   */
  limit(): void {
    const again = this.#limited;
    this.#limited = true;
    if (again || this.count < MOST_CLASSES) return;
    const seconds = new Float64Array(this.count);
    let all = 0;
    for (let e = 0; e < this.entries; e++) {
      const s = this.tau[e * this.lags + this.#timeLag];
      seconds[this.classes[e]] += s;
      all += s;
    }
    const kept = [...seconds.keys()].filter((c) => seconds[c] >= LEAST_SHARE * all)
      .sort((a, b) => seconds[b] - seconds[a]).slice(0, MOST_CLASSES - 1);
    const moved = new Int32Array(this.count).fill(kept.length);
    kept.forEach((old, rank) => moved[old] = rank);
    this.shared = kept.length;
    this.count = kept.length + 1;
    this.#sharedS = new Float64Array(this.fitOf.length);
    for (let raw = 0; raw < this.fitOf.length; raw++) {
      const old = this.fitOf[raw];
      if (old < 0) continue;
      this.fitOf[raw] = moved[old];
      if (moved[old] === this.shared) this.#sharedS[raw] = seconds[old];
    }
    this.#rewrite(moved);
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
    const known = this.fitOf[raw];
    if (known >= 0 && known !== this.shared) return known;
    if (this.shared < 0) {
      if (!this.#limited || this.count < FREE_CLASSES) return this.#give(raw);
      this.shared = this.#number();
    }
    if (raw >= this.#sharedS.length) this.#sharedS = grown(this.#sharedS, raw + 1);
    this.#sharedS[raw] += seconds;
    const large = this.#sharedS[raw] >= LATE_SHARE * this.#seconds;
    if (large && this.count < MOST_CLASSES) return this.#give(raw);
    return this.fitOf[raw] = this.shared;
  }

  #give(raw: number): number {
    return this.fitOf[raw] = this.#number();
  }

  #number(): number {
    const own = this.count++;
    if (own >= this.#place.length) this.#place = grown(this.#place, own + 1);
    return own;
  }
}
