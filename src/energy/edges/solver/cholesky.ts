/**
 * Systems of normal equations: symmetric, positive, in packed lower triangles.
 *
 * The matrix is scaled to a unit diagonal first, so that a pivot is the share of a class's own
 * variation that no class before it explains. Golub, Van Loan: "Matrix Computations", 4.2.
 * @module
 */
import { triangle } from "./triangle.ts";

/** Added to the unit diagonal. */
const RIDGE = 1e-12;
/** A pivot below this: the class cannot be separated from those before it. */
const LEAST_PIVOT = 1e-10;
/** Part of a class in a combination that vanishes, from which on the class belongs to it. */
const PART = 1e-3;

/** The factor of some classes' system. */
export class Cholesky {
  /** The classes, in order of the rows; those without a sound pivot are left out. */
  readonly members: number[] = [];
  /** Classes that cannot be separated from each other, those left out among them. */
  readonly inseparable = new Set<number>();
  readonly #scale: Float64Array;
  readonly #factor: Float64Array;
  readonly #work: Float64Array;

  /** Logarithm of the determinant of the members' system. */
  logDeterminant = 0;

  /**
   * @param a Packed lower triangle. @param wanted Classes, each with a diagonal above 0.
   * @param isColumn Numbers that are no classes: without a sound pivot they are only left out.
   */
  constructor(a: Float64Array, wanted: readonly number[], isColumn?: Uint8Array) {
    const n = wanted.length;
    this.#scale = new Float64Array(n);
    this.#factor = new Float64Array(triangle(n));
    this.#work = new Float64Array(n);
    const l = this.#factor;
    for (const c of wanted) {
      const i = this.members.length;
      const scale = 1 / Math.sqrt(a[triangle(c) + c]);
      const row = triangle(i);
      for (let j = 0; j < i; j++) {
        const d = this.members[j];
        const value = c > d ? a[triangle(c) + d] : a[triangle(d) + c];
        let sum = value * scale * this.#scale[j];
        const other = triangle(j);
        for (let k = 0; k < j; k++) sum -= l[row + k] * l[other + k];
        l[row + j] = sum / l[other + j];
      }
      let pivot = 1 + RIDGE;
      for (let k = 0; k < i; k++) pivot -= l[row + k] * l[row + k];
      if (!(pivot >= LEAST_PIVOT)) {
        if (isColumn?.[c] !== 1) this.#nameCombination(i, c);
        continue;
      }
      l[row + i] = Math.sqrt(pivot);
      this.#scale[i] = scale;
      this.logDeterminant += Math.log(pivot) - 2 * Math.log(scale);
      this.members.push(c);
    }
  }

  /**
   * Solves for the members.
   *
   * @param b By class. @param x By class; only the members' are written.
   */
  solve(b: Float64Array, x: Float64Array): void {
    const n = this.members.length;
    const l = this.#factor;
    const w = this.#work;
    for (let i = 0; i < n; i++) {
      let sum = b[this.members[i]] * this.#scale[i];
      const row = triangle(i);
      for (let k = 0; k < i; k++) sum -= l[row + k] * w[k];
      w[i] = sum / l[row + i];
    }
    this.#back(n);
    for (let i = 0; i < n; i++) x[this.members[i]] = w[i] * this.#scale[i];
  }

  #back(n: number): void {
    const l = this.#factor;
    const w = this.#work;
    for (let i = n - 1; i >= 0; i--) {
      w[i] /= l[triangle(i) + i];
      const row = triangle(i);
      for (let k = 0; k < i; k++) w[k] -= l[row + k] * w[i];
    }
  }

  /** Finds which classes make up the combination that a bad pivot stands for. */
  #nameCombination(i: number, c: number): void {
    this.inseparable.add(c);
    const row = triangle(i);
    for (let k = 0; k < i; k++) this.#work[k] = this.#factor[row + k];
    this.#back(i);
    for (let k = 0; k < i; k++) {
      if (Math.abs(this.#work[k]) > PART) this.inseparable.add(this.members[k]);
    }
  }
}
