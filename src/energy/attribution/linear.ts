/**
 * Dense linear algebra of the mixed model. Matrices are column after column if they hold rows of
 * a design, and row after row if they are square.
 * @module
 */
import { middle } from "../../core/agg.ts";

/** Rows of a panel: 128 columns of it fit into 64 KiB of cache, and take less than 1 ms. */
export const PANEL = 64;
/** Rows of a square matrix between two pauses: with 128 columns at most 0.5 ms. */
const PART = 24;
/** Numbers that are sorted, and merged, between two pauses. */
const RUN = 8192;

/** XᵀX of a matrix of `count` columns of `rows` numbers. */
export function gram(x: Float64Array, rows: number, count: number): Float64Array {
  const out = new GramSum(count);
  for (let from = 0; from < rows; from += PANEL) {
    out.add(x, rows, from, Math.min(rows, from + PANEL));
  }
  return out.whole();
}

/** XᵀX, panel by panel: columns that are 0 in a panel cost nothing there. */
export class GramSum {
  readonly #out: Float64Array;
  readonly #used: Int32Array;

  constructor(readonly count: number) {
    this.#out = new Float64Array(count * count);
    this.#used = new Int32Array(count + 4);
  }

  /** Adds some rows of columns, each of which has so many numbers. */
  add(x: Float64Array, stride: number, from: number, to: number): void {
    const { count } = this, out = this.#out, used = this.#used;
    let n = 0;
    for (let j = 0; j < count; j++) {
      const o = j * stride;
      let k = from;
      while (k < to && x[o + k] === 0) k++;
      if (k < to) used[n++] = j;
    }
    for (let i = 0; i < n; i += 2) {
      const isPair = i + 1 < n;
      const a = used[i], b = isPair ? used[i + 1] : a;
      for (let j = i; j < n; j += 4) {
        const c = used[j], d = used[Math.min(j + 1, n - 1)];
        const e = used[Math.min(j + 2, n - 1)], f = used[Math.min(j + 3, n - 1)];
        let ac = 0, ad = 0, ae = 0, af = 0, bc = 0, bd = 0, be = 0, bf = 0;
        const oa = a * stride, ob = b * stride;
        const oc = c * stride, od = d * stride, oe = e * stride, of = f * stride;
        for (let k = from; k < to; k++) {
          const xa = x[oa + k], xb = x[ob + k];
          const xc = x[oc + k], xd = x[od + k], xe = x[oe + k], xf = x[of + k];
          ac += xa * xc;
          ad += xa * xd;
          ae += xa * xe;
          af += xa * xf;
          bc += xb * xc;
          bd += xb * xd;
          be += xb * xe;
          bf += xb * xf;
        }
        out[a * count + c] += ac;
        if (j + 1 < n) out[a * count + d] += ad;
        if (j + 2 < n) out[a * count + e] += ae;
        if (j + 3 < n) out[a * count + f] += af;
        if (!isPair) continue;
        out[b * count + c] += bc;
        if (j + 1 < n) out[b * count + d] += bd;
        if (j + 2 < n) out[b * count + e] += be;
        if (j + 3 < n) out[b * count + f] += bf;
      }
    }
  }

  /** The sum with both triangles. It is complete: nothing may be added any more. */
  whole(): Float64Array {
    const { count } = this, out = this.#out;
    for (let i = 0; i < count; i++) {
      for (let j = i + 1; j < count; j++) out[j * count + i] = out[i * count + j];
    }
    return out;
  }
}

/** Product of two runs of numbers. */
export function dot(a: Float64Array, b: Float64Array, n = a.length, i = 0, j = 0): number {
  let s = 0, t = 0, u = 0, v = 0, k = 0;
  for (; k + 3 < n; k += 4) {
    s += a[i + k] * b[j + k];
    t += a[i + k + 1] * b[j + k + 1];
    u += a[i + k + 2] * b[j + k + 2];
    v += a[i + k + 3] * b[j + k + 3];
  }
  for (; k < n; k++) s += a[i + k] * b[j + k];
  return s + t + u + v;
}

/** vᵀMv of a square matrix. */
export function quadratic(m: Float64Array, v: Float64Array): number {
  const n = v.length;
  let sum = 0;
  for (let i = 0; i < n; i++) if (v[i] !== 0) sum += v[i] * dot(m, v, n, i * n);
  return sum;
}

/** The inverse of the lower triangle L of M = LLᵀ, positive definite; and ln|M|. */
export interface Factor {
  readonly n: number;
  /** Row after row, 0 above the diagonal. */
  readonly inverse: Float64Array;
  readonly logDet: number;
}

/** Does work in parts at once. */
export function atOnce<T>(work: Generator<void, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** Cholesky's factor, inverted, in parts: all that is asked of M comes from L⁻¹. M is overwritten. */
export function* factor(m: Float64Array, n: number): Generator<void, Factor> {
  let logDet = 0;
  for (let i = 0; i < n; i++) {
    if (i % PART === PART - 1) yield;
    for (let j = 0; j <= i; j++) {
      const s = m[i * n + j] - dot(m, m, j, i * n, j * n);
      if (j < i) m[i * n + j] = s / m[j * n + j];
      else {
        // Rounding alone can make it 0: a column that depends on others then has only its prior.
        m[i * n + i] = Math.sqrt(Math.max(s, 1e-14 * m[i * n + i], Number.MIN_VALUE));
        logDet += 2 * Math.log(m[i * n + i]);
      }
    }
  }
  const inverse = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    if (i % PART === PART - 1) yield;
    const o = i * n;
    for (let k = 0; k < i; k++) {
      const l = m[o + k];
      if (l === 0) continue;
      const q = k * n;
      for (let j = 0; j <= k; j++) inverse[o + j] -= l * inverse[q + j];
    }
    const d = 1 / m[o + i];
    for (let j = 0; j < i; j++) inverse[o + j] *= d;
    inverse[o + i] = d;
  }
  return { n, inverse, logDet };
}

/** M⁻¹v. */
export function solveFactored({ n, inverse }: Factor, v: Float64Array): Float64Array {
  const out = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    const s = dot(inverse, v, i + 1, i * n);
    for (let j = 0; j <= i; j++) out[j] += inverse[i * n + j] * s;
  }
  return out;
}

/** The diagonal of M⁻¹. */
export function inverseDiagonal({ n, inverse }: Factor): Float64Array {
  const out = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) out[j] += inverse[i * n + j] ** 2;
  }
  return out;
}

/** M⁻¹, in parts. */
export function* inverseOf({ n, inverse }: Factor): Generator<void, Float64Array> {
  const out = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    if (i % PART === PART - 1) yield;
    for (let j = 0; j <= i; j++) {
      const s = inverse[i * n + j], o = j * n, q = i * n;
      if (s !== 0) { for (let k = 0; k <= j; k++) out[o + k] += s * inverse[q + k]; }
    }
  }
  for (let j = 0; j < n; j++) for (let k = 0; k < j; k++) out[k * n + j] = out[j * n + k];
  return out;
}

/** A·B·Aᵀ of a matrix of `rows` rows of n numbers and a square one. */
export function sandwich(a: Float64Array, b: Float64Array, rows: number, n: number): Float64Array {
  const ab = product(a, b, rows, n, n);
  const out = new Float64Array(rows * rows);
  for (let r = 0; r < rows; r++) {
    for (let s = 0; s <= r; s++) {
      out[r * rows + s] = out[s * rows + r] = dot(ab, a, n, r * n, s * n);
    }
  }
  return out;
}

/** A·B, row after row: `rows` × `n` times `n` × `columns`. */
export function product(
  a: Float64Array,
  b: Float64Array,
  rows: number,
  n: number,
  columns: number,
): Float64Array {
  const out = new Float64Array(rows * columns);
  for (let r = 0; r < rows; r++) {
    for (let k = 0; k < n; k++) {
      const s = a[r * n + k];
      if (s === 0) continue;
      const o = r * columns, q = k * columns;
      for (let j = 0; j < columns; j++) out[o + j] += s * b[q + j];
    }
  }
  return out;
}

/** The middle of some numbers; NaN: there are none. */
export function median(of: ArrayLike<number>): number {
  return middle(Float64Array.from(of).sort());
}

/** Sorts numbers in parts: short runs, which are then merged. They are overwritten. */
export function* sort(numbers: Float64Array): Generator<void, Float64Array> {
  const n = numbers.length;
  for (let from = 0; from < n; from += RUN) {
    numbers.subarray(from, from + RUN).sort();
    yield;
  }
  let from = numbers, to = n > RUN ? new Float64Array(n) : numbers;
  for (let length = RUN; length < n; length *= 2) {
    for (let first = 0; first < n; first += 2 * length) {
      const second = Math.min(first + length, n), end = Math.min(second + length, n);
      let i = first, j = second;
      for (let k = first; k < end; k++) {
        if (k % RUN === 0) yield;
        to[k] = i < second && (j === end || from[i] <= from[j]) ? from[i++] : from[j++];
      }
    }
    [from, to] = [to, from];
  }
  return from;
}

/** Number of sorted values that are at most x. */
export function countUpTo(sorted: Float64Array, x: number): number {
  let from = 0, to = sorted.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (sorted[middle] <= x) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** x, kept between two limits. */
export function clamp(x: number, low: number, high: number): number {
  return x < low ? low : x > high ? high : x;
}

/**
 * J C Jᵀ of a covariance of energies, with J = I − x1ᵀ and x the shares of the energy: the sum of all has no error.
 */
export function withoutSum(of: Float64Array, energyJ: Float64Array): Float64Array {
  const n = energyJ.length, all = energyJ.reduce((s, x) => s + Math.max(0, x), 0);
  if (!(all > 0)) return of;
  const sums = new Float64Array(n);
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) sums[j] += of[i * n + j];
  const whole = sums.reduce((s, x) => s + x, 0),
    x = energyJ.map((joules) => Math.max(0, joules) / all);
  return of.map((v, k) => {
    const i = Math.floor(k / n), j = k % n;
    return v - x[i] * sums[j] - x[j] * sums[i] + x[i] * x[j] * whole;
  });
}
