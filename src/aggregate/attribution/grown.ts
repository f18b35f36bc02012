/**
 * Arrays that grow by doubling: numbers by class, before anyone knows how many classes there are.
 * @module
 */

/** A copy at least as long as asked for, zero (or `fill`) beyond the old length. */
export function grown(old: Float64Array, length: number, fill = 0): Float64Array<ArrayBuffer> {
  const longer = new Float64Array(Math.max(16, length, old.length * 2));
  longer.set(old);
  if (fill !== 0) longer.fill(fill, old.length);
  return longer;
}

/** The same for whole numbers. */
export function grownInts(old: Int32Array, length: number, fill = 0): Int32Array<ArrayBuffer> {
  const longer = new Int32Array(Math.max(16, length, old.length * 2));
  longer.set(old);
  if (fill !== 0) longer.fill(fill, old.length);
  return longer;
}

/** Numbers of the lower triangle of a symmetric matrix, row by row: element (i, j ≤ i). */
export function triangle(i: number): number {
  return i * (i + 1) / 2;
}
