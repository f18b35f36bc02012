/**
 * The condition number of a small dense matrix: how much worse errors may come out than they went in.
 * @module
 */

/**
 * Condition in the 1-norm of Σ σ τᵀ D⁻¹, the matrix that mixes regions within intervals: 1 where each
 * interval holds one class. For information; Infinity for a singular one.
 *
 * @param m Row-major by `stride`. @param d CPU-seconds by class; classes without any are left out.
 */
export function mixingCondition(m: Float64Array, stride: number, d: Float64Array): number {
  const seen: number[] = [];
  for (let i = 0; i < Math.min(stride, d.length); i++) if (d[i] > 0) seen.push(i);
  const n = seen.length;
  if (n === 0) return NaN;
  const lu = new Float64Array(n * n);
  let norm = 0;
  for (let j = 0; j < n; j++) {
    let column = 0;
    for (let i = 0; i < n; i++) {
      const value = m[seen[i] * stride + seen[j]] / d[seen[j]];
      lu[i * n + j] = value;
      column += Math.abs(value);
    }
    norm = Math.max(norm, column);
  }
  const order = decompose(lu, n);
  if (order === undefined) return Infinity;
  let inverse = 0;
  const x = new Float64Array(n);
  for (let j = 0; j < n; j++) {
    solveUnit(lu, n, order, j, x);
    let column = 0;
    for (let i = 0; i < n; i++) column += Math.abs(x[i]);
    inverse = Math.max(inverse, column);
  }
  return norm * inverse;
}

/** LU with row exchanges, in place. @returns Row order, `undefined` for a singular matrix. */
function decompose(a: Float64Array, n: number): number[] | undefined {
  const order = Array.from({ length: n }, (_, i) => i);
  for (let k = 0; k < n; k++) {
    let best = k;
    for (let i = k + 1; i < n; i++) {
      if (Math.abs(a[order[i] * n + k]) > Math.abs(a[order[best] * n + k])) best = i;
    }
    [order[k], order[best]] = [order[best], order[k]];
    const pivotRow = order[k] * n;
    if (!(Math.abs(a[pivotRow + k]) > 1e-14)) return undefined;
    for (let i = k + 1; i < n; i++) {
      const row = order[i] * n;
      const factor = a[row + k] / a[pivotRow + k];
      a[row + k] = factor;
      if (factor === 0) continue;
      for (let j = k + 1; j < n; j++) a[row + j] -= factor * a[pivotRow + j];
    }
  }
  return order;
}

/** Column `j` of the inverse. */
function solveUnit(lu: Float64Array, n: number, order: number[], j: number, x: Float64Array): void {
  for (let i = 0; i < n; i++) {
    const row = order[i] * n;
    let sum = order[i] === j ? 1 : 0;
    for (let k = 0; k < i; k++) sum -= lu[row + k] * x[k];
    x[i] = sum;
  }
  for (let i = n - 1; i >= 0; i--) {
    const row = order[i] * n;
    let sum = x[i];
    for (let k = i + 1; k < n; k++) sum -= lu[row + k] * x[k];
    x[i] = sum / lu[row + i];
  }
}
