/**
 * Sums of weighted products of rows: A = Σ w z zᵀ, c = Σ w z y, q = Σ w y².
 * @module
 */
import { grown } from "../../../core/grow.ts";
import { triangle } from "./triangle.ts";
import { type Known, nonNegative, type Solution } from "./nnls.ts";
import type { WhitenedRows } from "./whitened_rows.ts";

/** The sums of one fit. */
export class NormalSums {
  /** Packed lower triangle, and by class. */
  a = new Float64Array(triangle(16));
  c = new Float64Array(16);
  q = 0;
  /** Rows in it. */
  rows = 0;

  /** Adds a filtered row. */
  add(row: WhitenedRows): void {
    if (row.z.length > this.c.length) this.reserve(row.z.length);
    const { values, active, length, weight, y } = row;
    const { a, c } = this;
    for (let k = 0; k < length; k++) {
      const i = active[k];
      const wz = weight * values[k];
      const base = triangle(i);
      c[i] += wz * y;
      // Classes ascend, so that all of these are in the lower triangle.
      for (let m = 0; m <= k; m++) a[base + active[m]] += wz * values[m];
    }
    this.q += weight * y * y;
    this.rows++;
  }

  /** Adds other sums. */
  addAll(other: NormalSums): void {
    if (other.c.length > this.c.length) this.reserve(other.c.length);
    const packed = triangle(other.c.length);
    for (let i = 0; i < packed; i++) this.a[i] += other.a[i];
    for (let i = 0; i < other.c.length; i++) this.c[i] += other.c[i];
    this.q += other.q;
    this.rows += other.rows;
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
    this.c = grown(this.c, classes);
    this.a = grown(this.a, triangle(this.c.length));
  }
}
