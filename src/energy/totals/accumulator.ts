/**
 * Running sums, laid out in rows of an array so that thousands of them cost no objects.
 *
 * One row holds sum and weight over all, sum and weight of the running interval, and the result of
 * the last completed interval. A total keeps no weights. geopm::SampleAggregator(3) builds on the
 * same five numbers.
 * @module
 */

/** Numbers in a row. */
export const WIDTH = 5;
const SUM = 0;
const WEIGHT = 1;
const RUNNING_SUM = 2;
const RUNNING_WEIGHT = 3;
/** Place of the last completed interval's result; 0 before there is one. */
export const LAST = 4;

/** Adds growth to a total. */
export function addTotal(rows: Float64Array, at: number, grown: number): void {
  rows[at + SUM] += grown;
  rows[at + RUNNING_SUM] += grown;
}

/** Adds a value that held for some time to an average. */
export function addAverage(rows: Float64Array, at: number, elapsedS: number, value: number): void {
  const weighted = elapsedS * value;
  rows[at + SUM] += weighted;
  rows[at + WEIGHT] += elapsedS;
  rows[at + RUNNING_SUM] += weighted;
  rows[at + RUNNING_WEIGHT] += elapsedS;
}

/** Begins an interval. */
export function enterInterval(rows: Float64Array, at: number): void {
  rows[at + RUNNING_SUM] = 0;
  rows[at + RUNNING_WEIGHT] = 0;
}

/** Completes the running interval. */
export function exitInterval(rows: Float64Array, at: number, average: boolean): void {
  rows[at + LAST] = result(rows[at + RUNNING_SUM], rows[at + RUNNING_WEIGHT], average);
}

/** Result over all: the total, or the mean; a mean without weight is 0. */
export function overall(rows: Float64Array, at: number, average: boolean): number {
  return result(rows[at + SUM], rows[at + WEIGHT], average);
}

function result(sum: number, weight: number, average: boolean): number {
  if (!average) return sum;
  return weight === 0 ? 0 : sum / weight;
}
