/**
 * Aggregation of a signal's instances to one value at a wider domain: geopm::Agg(3).
 *
 * NaN means "not available": every function but `select_first` leaves NaN operands out, and nothing
 * left gives NaN.
 * @module
 */

/** GEOPM's aggregation functions. */
export const AGGREGATIONS = [
  "sum",
  "average",
  "median",
  "integer_bitwise_or",
  "logical_and",
  "logical_or",
  "region_hash",
  "region_hint",
  "min",
  "max",
  "stddev",
  "select_first",
  "expect_same",
] as const;

/** Name of an aggregation function. */
export type Aggregation = (typeof AGGREGATIONS)[number];

/** Region hash of a scope whose CPUs disagree or are outside every region. */
export const HASH_UNMARKED = 0x725e8066;
/** Region hint of a scope whose CPUs disagree. */
const HINT_UNKNOWN = 1;

/**
 * Aggregates `values[indices[0]], values[indices[1]], …` without allocating (except for `median`).
 *
 * @param values Values of all instances of the signal's own domain; NaN: not available.
 * @param indices Indices of the instances inside the wider one.
 */
export function aggregate(
  kind: Aggregation,
  values: Float64Array,
  indices: Int32Array,
): number {
  switch (kind) {
    case "sum":
      return sum(values, indices);
    case "average":
      return sum(values, indices) / count(values, indices);
    case "min":
    case "max":
      return extreme(values, indices, kind === "max");
    case "region_hash":
      return common(values, indices, HASH_UNMARKED);
    case "region_hint":
      return common(values, indices, HINT_UNKNOWN);
    case "expect_same":
      return common(values, indices, NaN);
    case "select_first":
      return indices.length === 0 ? 0 : values[indices[0]];
    case "integer_bitwise_or":
      return bitwiseOr(values, indices);
    case "logical_and":
    case "logical_or":
      return logical(values, indices, kind === "logical_and");
    case "stddev":
      return stddev(values, indices);
    case "median":
      return median(values, indices);
  }
}

function count(values: Float64Array, indices: Int32Array): number {
  let n = 0;
  for (let i = 0; i < indices.length; i++) if (values[indices[i]] === values[indices[i]]) n++;
  return n;
}

function sum(values: Float64Array, indices: Int32Array): number {
  let total = 0;
  let n = 0;
  for (let i = 0; i < indices.length; i++) {
    const v = values[indices[i]];
    if (v !== v) continue;
    total += v;
    n++;
  }
  return n === 0 ? NaN : total;
}

function extreme(values: Float64Array, indices: Int32Array, largest: boolean): number {
  let best = NaN;
  for (let i = 0; i < indices.length; i++) {
    const v = values[indices[i]];
    if (v !== v) continue;
    if (best !== best || (largest ? v > best : v < best)) best = v;
  }
  return best;
}

function common(values: Float64Array, indices: Int32Array, otherwise: number): number {
  let first = NaN;
  for (let i = 0; i < indices.length; i++) {
    const v = values[indices[i]];
    if (v !== v) continue;
    if (first !== first) first = v;
    else if (v !== first) return otherwise;
  }
  return first;
}

function bitwiseOr(values: Float64Array, indices: Int32Array): number {
  // Two halves, since JavaScript's own operator works on 32 bits.
  let low = 0;
  let high = 0;
  let n = 0;
  for (let i = 0; i < indices.length; i++) {
    const v = values[indices[i]];
    if (v !== v) continue;
    const whole = Math.trunc(v);
    low |= whole % 4294967296;
    high |= Math.floor(whole / 4294967296);
    n++;
  }
  return n === 0 ? NaN : high * 4294967296 + (low >>> 0);
}

function logical(values: Float64Array, indices: Int32Array, all: boolean): number {
  let n = 0;
  let set = 0;
  for (let i = 0; i < indices.length; i++) {
    const v = values[indices[i]];
    if (v !== v) continue;
    n++;
    if (v !== 0) set++;
  }
  if (n === 0) return NaN;
  return (all ? set === n : set > 0) ? 1 : 0;
}

function stddev(values: Float64Array, indices: Int32Array): number {
  const n = count(values, indices);
  if (n === 0) return NaN;
  if (n === 1) return 0;
  const mean = sum(values, indices) / n;
  let squares = 0;
  for (let i = 0; i < indices.length; i++) {
    const v = values[indices[i]];
    if (v === v) squares += (v - mean) * (v - mean);
  }
  return Math.sqrt(squares / (n - 1));
}

function median(values: Float64Array, indices: Int32Array): number {
  const kept: number[] = [];
  for (let i = 0; i < indices.length; i++) {
    const v = values[indices[i]];
    if (v === v) kept.push(v);
  }
  return middle(kept.sort((a, b) => a - b));
}

/** The middle of sorted numbers; NaN: there are none. */
export function middle(sorted: ArrayLike<number>): number {
  const n = sorted.length;
  return n === 0 ? NaN : (sorted[(n - 1) >> 1] + sorted[n >> 1]) / 2;
}
