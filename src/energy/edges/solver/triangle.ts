/**
 * Matrices row by row in one array: lower triangles of symmetric ones, and square ones.
 * @module
 */

/** Numbers of the lower triangle of a symmetric matrix, row by row: element (i, j ≤ i). */
export function triangle(i: number): number {
  return i * (i + 1) / 2;
}

/** A square matrix with longer rows. @param old Of rows as long as `stride`. */
export function widened(
  old: Float64Array,
  stride: number,
  wider: number,
): Float64Array<ArrayBuffer> {
  const made = new Float64Array(wider * wider);
  for (let i = 0; i < stride; i++) made.set(old.subarray(i * stride, (i + 1) * stride), i * wider);
  return made;
}
