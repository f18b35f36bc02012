/**
 * Sums of weighted products of rows: A = Σ w z zᵀ, c = Σ w z y, q = Σ w y².
 * @module
 */
import { grown } from "../../../core/grow.ts";
import { triangle } from "./triangle.ts";
import { type Known, nonNegative, type Solution } from "./nnls.ts";
import type { WhitenedRows } from "./whitened_rows.ts";

const NONE = new Float64Array(0);
/** Rows whose products are added together: each sum is read and written once for all of them. */
const TOGETHER = 4;

/** The sums of one fit. */
export class NormalSums {
  /** By class. */
  c = new Float64Array(16);
  q = 0;
  /** Rows in it. */
  rows = 0;
  #a = new Float64Array(triangle(16));
  /** Rows whose products are not in `a` yet: weighted values by class, and values. */
  #waiting = 0;
  #z = NONE;
  #wz = NONE;
  /** Classes of these rows, and by class whether it is one. */
  #classes = new Int32Array(0);
  #isIn = new Uint8Array(0);

  /** Packed lower triangle. */
  get a(): Float64Array {
    this.#flush();
    return this.#a;
  }

  /** Adds a filtered row. */
  add(row: WhitenedRows): void {
    if (row.z.length > this.c.length) this.reserve(row.z.length);
    const { values, active, length, weight, y } = row;
    const { c } = this, width = c.length;
    this.q += weight * y * y;
    this.rows++;
    // Rows of few classes have few in common.
    if (2 * length < width) return this.#addAlone(row);
    if (this.#z.length < TOGETHER * width) this.#widen(width);
    const z = this.#z, wz = this.#wz, isIn = this.#isIn, from = this.#waiting * width;
    for (let k = 0; k < length; k++) {
      const i = active[k], value = values[k], weighted = weight * value;
      c[i] += weighted * y;
      z[from + i] = value;
      wz[from + i] = weighted;
      isIn[i] = 1;
    }
    if (++this.#waiting === TOGETHER) this.#flush();
  }

  #addAlone({ values, active, length, weight, y }: WhitenedRows): void {
    this.#flush();
    const a = this.#a, c = this.c;
    for (let k = 0; k < length; k++) {
      const i = active[k], base = i * (i + 1) / 2, weighted = weight * values[k];
      c[i] += weighted * y;
      // Classes ascend, so that all of these are in the lower triangle.
      for (let m = 0; m <= k; m++) a[base + active[m]] += weighted * values[m];
    }
  }

  #widen(width: number): void {
    this.#flush();
    this.#z = new Float64Array(TOGETHER * width);
    this.#wz = new Float64Array(TOGETHER * width);
    this.#classes = new Int32Array(width);
    this.#isIn = new Uint8Array(width);
  }

  #flush(): void {
    if (this.#waiting === 0) return;
    this.#waiting = 0;
    const a = this.#a, z = this.#z, wz = this.#wz, classes = this.#classes, isIn = this.#isIn;
    const width = isIn.length;
    let length = 0;
    for (let i = 0; i < width; i++) if (isIn[i] === 1) classes[length++] = i;
    for (let k = 0; k < length; k++) {
      const i = classes[k], base = i * (i + 1) / 2;
      const w0 = wz[i], w1 = wz[width + i], w2 = wz[2 * width + i], w3 = wz[3 * width + i];
      for (let m = 0; m <= k; m++) {
        const j = classes[m];
        // One by one: sums do not depend on which rows came together.
        let sum = a[base + j] + w0 * z[j];
        sum += w1 * z[width + j];
        sum += w2 * z[2 * width + j];
        a[base + j] = sum + w3 * z[3 * width + j];
      }
    }
    for (let k = 0; k < length; k++) {
      const i = classes[k];
      isIn[i] = 0;
      for (let at = i; at < TOGETHER * width; at += width) z[at] = wz[at] = 0;
    }
  }

  /** Adds other sums. */
  addAll(other: NormalSums): void {
    if (other.c.length > this.c.length) this.reserve(other.c.length);
    const packed = triangle(other.c.length);
    const { a } = this, added = other.a;
    for (let i = 0; i < packed; i++) a[i] += added[i];
    other.#forget();
    for (let i = 0; i < other.c.length; i++) this.c[i] += other.c[i];
    this.q += other.q;
    this.rows += other.rows;
  }

  /** Gives back the room for rows that wait. */
  #forget(): void {
    this.#z = this.#wz = NONE;
  }

  /** Sets all to 0. */
  clear(): void {
    this.a.fill(0);
    this.c.fill(0);
    this.q = 0;
    this.rows = 0;
  }

  /** @param start Classes to hold at 0 at first. @param known See `System`. */
  solve(classes: number, start?: Iterable<number>, known?: Known): Solution {
    if (classes > this.c.length) this.reserve(classes);
    const { a, c, q, rows } = this;
    return nonNegative({ a, c, q, rows, classes, ...known }, start);
  }

  /** Makes room for so many classes. */
  reserve(classes: number): void {
    this.#flush();
    this.c = grown(this.c, classes);
    this.#a = grown(this.#a, triangle(this.c.length));
  }
}
