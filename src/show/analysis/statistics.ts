/**
 * Means, deviations, quantiles and the normal distribution.
 * @module
 */

/** Summary of a list of numbers. All values are NaN for an empty list. */
export interface Summary {
  readonly count: number;
  readonly sum: number;
  readonly mean: number;
  /** Standard deviation of a sample, n − 1; NaN for one number. */
  readonly deviation: number;
  readonly min: number;
  readonly max: number;
  readonly median: number;
}

/** Sums in two passes, so that a long list of like numbers loses no digits. */
export function summarize(values: ArrayLike<number>): Summary {
  const sorted = Float64Array.from(values).sort();
  const count = sorted.length;
  if (count === 0) {
    return { count, sum: 0, mean: NaN, deviation: NaN, min: NaN, max: NaN, median: NaN };
  }
  const sum = sorted.reduce((total, value) => total + value, 0);
  const mean = sum / count;
  const squares = sorted.reduce((total, value) => total + (value - mean) ** 2, 0);
  const deviation = count === 1 ? NaN : Math.sqrt(squares / (count - 1));
  const [min, max] = [sorted[0], sorted[count - 1]];
  return { count, sum, mean, deviation, min, max, median: quantile(sorted, 0.5) };
}

/** Quantile of sorted values, between neighbours in proportion. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  if (sorted.length === 0) return NaN;
  const at = share * (sorted.length - 1);
  const low = Math.floor(at);
  const rest = at - low;
  return rest === 0 ? sorted[low] : sorted[low] + rest * (sorted[low + 1] - sorted[low]);
}

/** Means of whole numbers over more nodes than this look like any number. */
const MAX_PARTS = 64;
/** Logs have six decimals. */
const DECIMAL = 1e-6;

/**
 * Smallest step between values that are means of whole numbers: 1, or 1/3 for means over 3 nodes;
 * 0: they are no such means.
 */
export function stepOf(values: Float64Array): number {
  for (let parts = 1; parts <= MAX_PARTS; parts++) {
    const off = (value: number) => Math.abs(value * parts - Math.round(value * parts));
    if (values.every((value) => off(value) <= DECIMAL * parts)) return 1 / parts;
  }
  return 0;
}

/** Median absolute deviation, scaled to the σ of a normal distribution. */
export function robustDeviation(values: ArrayLike<number>, median: number): number {
  const away = Float64Array.from(values, (value) => Math.abs(value - median)).sort();
  return 1.4826 * quantile(away, 0.5);
}

/** Density of a normal distribution. */
export function normalDensity(x: number, mean: number, deviation: number): number {
  const z = (x - mean) / deviation;
  return Math.exp(-z * z / 2) / (deviation * Math.sqrt(2 * Math.PI));
}

/** Share of a normal distribution below x. */
export function normalShare(x: number, mean: number, deviation: number): number {
  return (1 + erf((x - mean) / (deviation * Math.SQRT2))) / 2;
}

/** Abramowitz and Stegun, 7.1.26: to 1.5e-7. */
function erf(x: number): number {
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const series =
    ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
  const value = 1 - series * Math.exp(-x * x);
  return x < 0 ? -value : value;
}
