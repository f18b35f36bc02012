/**
 * Rows of watts, filtered so that what is left of the noise is about independent from row to row.
 *
 * Power remembers (φ), and an error at a boundary has opposite signs in the two intervals beside it
 * (θ), so the residuals of a fit are about ARMA(1, 1). Both sides of every row go through the
 * inverse filter f_k = v_k − φ v_{k−1} + θ f_{k−1}. Box, Jenkins: "Time Series Analysis", 3.4;
 * generalised least squares after Cochrane and Orcutt, 1949.
 * @module
 */
import { grown, lengthened } from "../../../core/grow.ts";
import type { LagRow } from "./lag_row.ts";
import type { RowStore } from "./row_store.ts";

/** The filters that are tried: φ, θ. The first is none. */
export const FILTERS: readonly (readonly [phi: number, theta: number])[] = [
  [0, 0],
  [0, 0.35],
  [0, 0.7],
  [0.5, 0],
  [0.5, 0.35],
  [0.9, 0],
  [0.9, 0.35],
  [0.9, 0.7],
  [0.98, 0.6],
  [0.98, 0.9],
];
/** Rows after a beginning that still hold what the filter does not know. */
const DROPPED = 3;
/** Parts of a filtered row whose sum to come is a smaller share of its CPUs are left out. */
const NOTHING = 1e-5;

/** One filter at one lag; the filtered row is in its fields until the next one. */
export class WhitenedRows {
  /** Whether the row counts. */
  counts = false;
  /** Filtered power, W. */
  y = 0;
  /** Filtered CPUs by class, and the classes for which they are not 0, ascending. */
  z = new Float64Array(16);
  active = new Int32Array(16);
  length = 0;
  /** Filtered CPUs of the active classes, in their order. */
  values = new Float64Array(16);
  /** Weight: the interval's length over the mean length so far. */
  weight = 0;
  readonly #phi: number;
  readonly #theta: number;
  #isActive = new Uint8Array(16);
  #since = 0;
  #rows = 0;
  #seconds = 0;
  #lastY = 0;
  /** The row before, unfiltered. */
  #lastClasses = new Int32Array(16);
  #lastZ = new Float64Array(16);
  #lastLength = 0;
  /** CPUs of the row before. */
  #cpus = 0;

  constructor([phi, theta]: readonly [number, number]) {
    this.#phi = phi;
    this.#theta = theta;
  }

  /** Takes row `i`, as a lag has it. */
  take(rows: RowStore, i: number, row: LagRow): void {
    if (rows.count > this.z.length) this.#grow(rows.count);
    const lengthS = rows.lengthS[i];
    this.#seconds += lengthS;
    this.#rows++;
    this.weight = lengthS * this.#rows / this.#seconds;
    if (rows.fresh[i] === 1) this.#begin();
    const y = rows.energyJ[i] / lengthS;
    this.#decay();
    this.y = y - this.#phi * this.#lastY + this.#theta * (this.#since === 0 ? 0 : this.y);
    if (this.#phi !== 0) {
      for (let k = 0; k < this.#lastLength; k++) {
        this.#add(this.#lastClasses[k], -this.#phi * this.#lastZ[k]);
      }
    }
    this.#current(row, lengthS);
    for (let k = 0; k < this.length; k++) this.values[k] = this.z[this.active[k]];
    this.#lastY = y;
    this.#since++;
    this.counts = this.#since > DROPPED;
  }

  #begin(): void {
    for (let k = 0; k < this.length; k++) {
      this.z[this.active[k]] = 0;
      this.#isActive[this.active[k]] = 0;
    }
    this.length = 0;
    this.#lastLength = 0;
    this.#lastY = 0;
    this.#since = 0;
  }

  #decay(): void {
    const theta = this.#theta;
    const least = NOTHING * (1 - theta) * this.#cpus;
    let kept = 0;
    for (let k = 0; k < this.length; k++) {
      const c = this.active[k];
      const z = this.z[c] * theta;
      if (z > least || z < -least) {
        this.z[c] = z;
        this.active[kept++] = c;
      } else {
        this.z[c] = 0;
        this.#isActive[c] = 0;
      }
    }
    this.length = kept;
  }

  #current(row: LagRow, lengthS: number): void {
    const n = row.length;
    if (n > this.#lastZ.length) {
      this.#lastZ = grown(this.#lastZ, n);
      this.#lastClasses = grown(this.#lastClasses, n);
    }
    this.#cpus = 0;
    for (let k = 0; k < n; k++) {
      const c = row.numbers[k];
      const z = row.values[k] / lengthS;
      this.#lastClasses[k] = c;
      this.#lastZ[k] = z;
      if (k < row.classes) this.#cpus += z;
      if (z !== 0) this.#add(c, z);
    }
    this.#lastLength = n;
  }

  #add(c: number, z: number): void {
    this.z[c] += z;
    if (this.#isActive[c] === 1) return;
    this.#isActive[c] = 1;
    let at = this.length++;
    for (; at > 0 && this.active[at - 1] > c; at--) this.active[at] = this.active[at - 1];
    this.active[at] = c;
  }

  #grow(classes: number): void {
    this.z = grown(this.z, classes);
    this.active = grown(this.active, this.z.length);
    this.values = grown(this.values, this.z.length);
    this.#isActive = lengthened(this.#isActive, this.z.length);
  }
}
