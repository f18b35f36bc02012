/**
 * Entries of classes that have no CPU time in a row, and of which power that follows the load has something left:
 * with long time constants these are most. All of them fade alike, so that each needs one number a
 * time constant, and the row its course over the lags.
 * @module
 */
import { lengthened } from "../../../core/grow.ts";
import { LAG_GRID, ZERO_LAG } from "./lag_curve.ts";

const LAGS = LAG_GRID.length;

/** Those of some rows. Row k has entries `start[k]` to before `start[k + 1]`. */
export class FadedEntries {
  readonly start: Int32Array<ArrayBuffer>;
  classes: Int32Array<ArrayBuffer>;
  /** CPU-seconds of entry e at the lag 0 and time constant m at `e * constants + m`. */
  amounts: Float32Array<ArrayBuffer>;
  readonly constants: number;
  /** By row: at another lag so many times as much, at `(k * constants + m) * lags + l`. */
  readonly #course: Float32Array;
  /** By time constant: the greatest amount of the row being made. */
  readonly #most: Float32Array;

  /** @param width Numbers of an entry that comes in. @param room For entries. */
  constructor(rows: number, width: number, room: number) {
    this.constants = width / LAGS - 1;
    this.start = new Int32Array(rows + 1);
    this.classes = new Int32Array(room);
    this.amounts = new Float32Array(room * this.constants);
    this.#course = new Float32Array(rows * this.constants * LAGS);
    this.#most = new Float32Array(this.constants);
  }

  /** Begins row k. */
  begin(k: number): void {
    if (k === 0) this.start[0] = 0;
    this.start[k + 1] = this.start[k];
    this.#most.fill(0);
  }

  /**
   * Takes an entry of row k, the last one, if it is such.
   *
   * @param from Where its numbers are in `tau`.
   */
  take(k: number, classIndex: number, tau: Float64Array, from: number): boolean {
    for (let l = 0; l < LAGS; l++) if (tau[from + l] !== 0) return false;
    const e = this.start[k + 1]++, { constants } = this;
    if (e === this.classes.length) this.#grow();
    this.classes[e] = classIndex;
    for (let m = 0; m < constants; m++) {
      const numbers = from + (m + 1) * LAGS, amount = tau[numbers + ZERO_LAG];
      this.amounts[e * constants + m] = amount;
      if (!(amount > this.#most[m])) continue;
      this.#most[m] = amount;
      const to = (k * constants + m) * LAGS;
      for (let l = 0; l < LAGS; l++) this.#course[to + l] = tau[numbers + l] / amount;
    }
    return true;
  }

  /** Entries of row k. */
  countOf(k: number): number {
    return this.start[k + 1] - this.start[k];
  }

  /** So many times as much as at the lag 0 row k's entries have at another one. */
  course(k: number, m: number, lag: number): number {
    return this.#course[(k * this.constants + m) * LAGS + lag];
  }

  /** All numbers of entry e, in row k. */
  numbers(k: number, e: number, tau: Float64Array): Float64Array {
    tau.fill(0, 0, LAGS);
    for (let m = 0; m < this.constants; m++) {
      const amount = this.amounts[e * this.constants + m];
      for (let l = 0; l < LAGS; l++) tau[(m + 1) * LAGS + l] = amount * this.course(k, m, l);
    }
    return tau;
  }

  #grow(): void {
    const room = Math.max(16, 2 * this.classes.length);
    this.classes = lengthened(this.classes, room);
    this.amounts = lengthened(this.amounts, room * this.constants);
  }
}
