/**
 * A stretch of intervals as sparse rows, in arrays of its own: a store of them grows without copies,
 * and what was taken is let go while the rest still waits. Amounts have 24 bits: errors of 1e-7 of an
 * exposure, which sums of energies do not see (`shares.ts`).
 * @module
 */

import { lengthened } from "../../../core/grow.ts";
import { FadedEntries } from "./faded_entries.ts";
import { LAG_GRID } from "./lag_curve.ts";

/** Rows of a block. */
export const BLOCK_ROWS = 128;
/** A new block has room for so much more than the one before it used. */
const SPARE = 1.1;

/** Room of a block: entries of classes, and of terms. */
export interface Room {
  readonly entries: number;
  readonly terms: number;
  readonly faded: number;
}

/** Exposures to terms that come in: term k at lag l at `k * width + l`. */
export interface TermExposures {
  readonly count: number;
  readonly classes: Int32Array;
  readonly tau: Float64Array;
  readonly width: number;
}

const NONE = new Float32Array(0);

/** Rows in a row. Row k of it has entries `start[k]` to before `start[k + 1]`, and so have terms. */
export class RowBlock {
  readonly start = new Int32Array(BLOCK_ROWS + 1);
  readonly termStart = new Int32Array(BLOCK_ROWS + 1);
  classes: Int32Array<ArrayBuffer>;
  /** CPU-seconds of entry e at lag l at `e * lags + l`; behind the lags the same for each time constant. */
  tau: Float32Array<ArrayBuffer>;
  terms: Int32Array<ArrayBuffer>;
  /** Exposures to terms, by plain lags. */
  termTau: Float32Array<ArrayBuffer>;
  /** By row, J that power draws late, a number a lag for each time constant; and 1 where that is known. */
  lateJ = NONE;
  readonly isLate = new Uint8Array(BLOCK_ROWS);
  /** Numbers of an entry. */
  lags: number;
  /** Entries without any CPU time, where responses are kept. */
  faded: FadedEntries | undefined;

  constructor(lags: number, termLags: number, room: Room) {
    this.lags = lags;
    if (lags > LAG_GRID.length) this.faded = new FadedEntries(BLOCK_ROWS, lags, room.faded);
    this.classes = new Int32Array(room.entries);
    this.tau = new Float32Array(room.entries * lags);
    this.terms = new Int32Array(room.terms);
    this.termTau = new Float32Array(room.terms * termLags);
  }

  /** Room of a block like this one, of which so many rows are used. */
  like(rows: number): Room {
    const share = SPARE * BLOCK_ROWS / Math.max(1, rows);
    return {
      entries: Math.ceil(this.start[rows] * share),
      terms: Math.ceil(this.termStart[rows] * share),
      faded: Math.ceil((this.faded?.start[rows] ?? 0) * share),
    };
  }

  /** Keeps so many of the first numbers of each entry, and no entry without CPU time. */
  narrow(lags: number): void {
    const { tau, lags: before } = this, entries = this.classes.length;
    if (lags >= before) return;
    const kept = new Float32Array(entries * lags);
    for (let e = 0; e < entries; e++) {
      for (let l = 0; l < lags; l++) kept[e * lags + l] = tau[e * before + l];
    }
    this.tau = kept;
    this.lags = lags;
    this.faded = undefined;
  }

  /** Makes room for so many entries. */
  reserve(entries: number): void {
    if (entries <= this.classes.length) return;
    const most = Math.max(entries, 2 * this.classes.length);
    this.classes = lengthened(this.classes, most);
    this.tau = lengthened(this.tau, most * this.lags);
  }

  /** Takes what the power of row `at` draws late, beside what it has of it where it goes on. */
  addLate(at: number, lateJ: Float64Array | undefined, goesOn: boolean): void {
    this.isLate[at] = lateJ === undefined ? 0 : 1;
    if (lateJ === undefined) return;
    const width = lateJ.length;
    if (this.lateJ.length === 0) this.lateJ = new Float32Array(BLOCK_ROWS * width);
    for (let k = 0, to = at * width; k < width; k++, to++) {
      this.lateJ[to] = goesOn ? this.lateJ[to] + lateJ[k] : lateJ[k];
    }
  }

  /**
   * Adds exposures to terms to row `at`, the last one. @returns How many of them are kept.
   *
   * @param columnOf Number of each term that is a column; empty before columns are chosen.
   */
  addTerms(
    at: number,
    { count, classes, tau, width }: TermExposures,
    columnOf: Int32Array,
  ): number {
    const from = at === 0 ? 0 : this.termStart[at];
    this.reserveTerms(from + count, width);
    const { terms, termTau } = this;
    let end = from;
    for (let k = 0; k < count; k++) {
      // Once columns are chosen, the other terms are not needed.
      if (columnOf.length > 0 && !(columnOf[classes[k]] >= 0)) continue;
      let isAny = false;
      for (let l = 0; l < width; l++) {
        const value = tau[k * width + l];
        termTau[end * width + l] = value;
        if (value > 0) isAny = true;
      }
      if (isAny) terms[end++] = classes[k];
    }
    this.termStart[at] = from;
    this.termStart[at + 1] = end;
    return end - from;
  }

  /** The same where the row was extended: those that it has get more. */
  extendTerms(
    at: number,
    { count, classes, tau, width }: TermExposures,
    columnOf: Int32Array,
  ): number {
    const from = this.termStart[at], before = this.termStart[at + 1];
    let end = before;
    this.reserveTerms(end + count, width);
    const { terms, termTau } = this;
    for (let k = 0; k < count; k++) {
      if (columnOf.length > 0 && !(columnOf[classes[k]] >= 0)) continue;
      let place = from;
      while (place < end && terms[place] !== classes[k]) place++;
      const isNew = place === end;
      if (isNew) terms[end++] = classes[k];
      for (let l = 0; l < width; l++) {
        const value = tau[k * width + l];
        if (isNew) termTau[place * width + l] = value;
        else termTau[place * width + l] += value;
      }
    }
    this.termStart[at + 1] = end;
    return end - before;
  }

  /** The same of terms. */
  reserveTerms(terms: number, termLags: number): void {
    if (terms <= this.terms.length && terms * termLags <= this.termTau.length) return;
    const most = Math.max(terms, 2 * this.terms.length);
    this.terms = lengthened(this.terms, most);
    this.termTau = lengthened(this.termTau, most * termLags);
  }
}
