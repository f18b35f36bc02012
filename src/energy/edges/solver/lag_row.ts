/**
 * One interval as the fit sees it at one lag: CPU-seconds of its classes, then what it holds of the
 * columns that powers may depend on beside them.
 * @module
 */
import { grown } from "../../../core/grow.ts";
import type { Columns } from "./columns.ts";
import { BLOCK_ROWS } from "./row_block.ts";
import type { FadedEntries } from "./faded_entries.ts";
import type { RowStore } from "./row_store.ts";
import { LAG_GRID } from "./lag_curve.ts";

/** W per CPU by class, for columns of energy. */
export interface Powers {
  /** The newest ones. */
  readonly now: Float64Array;
  /** Those at the beginning: columns with a part of a power grow with it, so that it has to stay. */
  readonly first: Float64Array;
}

/** The row of a lag; valid until the next one. */
export class LagRow {
  /** Own numbers and amounts: first `classes` of them CPU-seconds of classes, then columns. */
  numbers = new Int32Array(16);
  values = new Float64Array(16);
  classes = 0;
  length = 0;
  readonly #lag: number;

  constructor(lag: number) {
    this.#lag = lag;
  }

  /** Takes row `i`. */
  take(rows: RowStore, i: number, { now, first }: Powers, columns: Columns): void {
    const { carried } = columns;
    const block = rows.block(i);
    const { start, classes, tau, lags, termStart, terms: termOf, termTau, faded } = block;
    const place = i % BLOCK_ROWS;
    const from = start[place];
    const n = start[place + 1] - from;
    const { columnOf, termLags } = rows;
    const terms = columnOf.length > 0 ? termStart[place + 1] - termStart[place] : 0;
    this.#reserve(n + 5 * terms + carried.length);
    for (let k = 0; k < n; k++) {
      this.numbers[k] = classes[from + k];
      this.values[k] = tau[(from + k) * lags + this.#lag];
    }
    this.classes = n;
    let end = n;
    for (let k = 0; k < terms; k++) {
      const at = termStart[place] + k;
      const column = columnOf[termOf[at]] ?? -1;
      if (column < 0) continue;
      const value = termTau[at * termLags + this.#lag];
      const pair = columns.pairOf[termOf[at]];
      if (pair >= 0) {
        const { a, b, victims, causes, all } = columns.pairs[pair];
        const part = value / columns.others;
        const ofA = a < first.length ? part * first[a] : 0;
        const ofB = b < first.length ? part * first[b] : 0;
        end = this.#put(end, n, victims[0], ofA);
        end = this.#put(end, n, victims[1], ofB);
        end = this.#put(end, n, causes[0], ofB);
        end = this.#put(end, n, causes[1], ofA);
        end = this.#put(end, n, all, ofA + ofB);
        continue;
      }
      const order = columns.orderOf[termOf[at]];
      if (order >= 0) {
        const { to, number } = columns.orders[order];
        end = this.#put(end, n, number, to < first.length ? value * first[to] : 0);
        continue;
      }
      this.numbers[end] = column;
      this.values[end++] = value;
    }
    const isLate = block.isLate[place] === 1, lateFrom = place * carried.length * LAG_GRID.length;
    for (let m = 0; m < carried.length; m++) {
      let joules = isLate ? block.lateJ[lateFrom + m * LAG_GRID.length + this.#lag] : 0;
      const shift = (m + 1) * LAG_GRID.length + this.#lag;
      for (let k = 0; k < n && !isLate; k++) {
        const c = this.numbers[k];
        if (c >= now.length) continue;
        joules += now[c] * (tau[(from + k) * lags + shift] - this.values[k]);
      }
      if (faded !== undefined && !isLate) {
        joules += fadedJ(faded, place, m, now) * faded.course(place, m, this.#lag);
      }
      this.numbers[end] = carried[m];
      this.values[end++] = joules;
    }
    this.length = end;
  }

  /** Takes row `i` as power has it that follows the load with one of the constants; −1: at once. */
  takeSlow(rows: RowStore, i: number, constant: number): void {
    const { start, classes, tau, lags, faded } = rows.block(i);
    const place = i % BLOCK_ROWS;
    const from = start[place];
    const n = start[place + 1] - from;
    const rest = faded === undefined || constant < 0 ? 0 : faded.countOf(place);
    this.#reserve(n + rest);
    const shift = (constant + 1) * LAG_GRID.length + this.#lag;
    for (let k = 0; k < n; k++) {
      this.numbers[k] = classes[from + k];
      this.values[k] = tau[(from + k) * lags + shift];
    }
    for (let k = 0; k < rest; k++) {
      const e = faded!.start[place] + k;
      this.numbers[n + k] = faded!.classes[e];
      this.values[n + k] = faded!.amounts[e * faded!.constants + constant] *
        faded!.course(place, constant, this.#lag);
    }
    this.classes = n + rest;
    this.length = n + rest;
  }

  #reserve(entries: number): void {
    if (entries <= this.values.length) return;
    this.values = grown(this.values, entries);
    this.numbers = grown(this.numbers, this.values.length);
  }

  /** Adds to a column that may be there already. @returns Entries. */
  #put(end: number, from: number, number: number, value: number): number {
    for (let k = from; k < end; k++) {
      if (this.numbers[k] !== number) continue;
      this.values[k] += value;
      return end;
    }
    this.numbers[end] = number;
    this.values[end] = value;
    return end + 1;
  }
}

/** What entries without CPU time draw late in a row at the lag 0, J. */
function fadedJ(
  { start, classes, amounts, constants }: FadedEntries,
  place: number,
  m: number,
  watts: Float64Array,
): number {
  let joules = 0;
  for (let e = start[place]; e < start[place + 1]; e++) {
    const c = classes[e];
    if (c < watts.length) joules += watts[c] * amounts[e * constants + m];
  }
  return joules;
}
