/**
 * Lower triangles of symmetric matrices, row by row in one array.
 * @module
 */

/** Numbers of the lower triangle of a symmetric matrix, row by row: element (i, j ≤ i). */
export function triangle(i: number): number {
  return i * (i + 1) / 2;
}
