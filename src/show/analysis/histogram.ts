/**
 * Histograms, cumulative distributions, and the normal distribution that fits them.
 * @module
 */
import { normalShare, quantile, stepOf, summarize } from "./statistics.ts";

/** Equal bins over the range of the values. */
export interface Histogram {
  readonly low: number;
  readonly width: number;
  readonly counts: Float64Array;
}

const MAX_BINS = 100;
const FEWEST_BINS = 5;

/**
 * Bins as wide as D. Freedman and P. Diaconis (1981) advise: 2 IQR / ∛n. Where half of the values
 * are equal, as with counters of whole joules, √n bins.
 */
export function histogram(values: Float64Array, bins?: number): Histogram {
  const sorted = values.slice().sort();
  const [low, high] = [sorted[0] ?? 0, sorted.at(-1) ?? 0];
  if (high <= low) return { low, width: 0, counts: Float64Array.of(sorted.length) };
  const spread = quantile(sorted, 0.75) - quantile(sorted, 0.25);
  const advised = spread > 0
    ? (high - low) / (2 * spread / Math.cbrt(sorted.length))
    : Math.sqrt(sorted.length);
  const count = bins ?? Math.min(MAX_BINS, Math.max(FEWEST_BINS, Math.ceil(advised)));
  const step = bins === undefined ? stepOf(sorted) : 0;
  if (step > 0) return evenBins(sorted, step, count);
  const counts = new Float64Array(count);
  const width = (high - low) / count;
  for (const value of sorted) counts[Math.min(count - 1, Math.floor((value - low) / width))]++;
  return { low, width, counts };
}

/** Bins of values in steps hold equally many steps each, else they would show a comb. */
function evenBins(sorted: Float64Array, step: number, most: number): Histogram {
  const low = sorted[0];
  const at = (value: number) => Math.round((value - low) / step);
  const steps = at(sorted[sorted.length - 1]) + 1;
  const each = Math.ceil(steps / most);
  const counts = new Float64Array(Math.ceil(steps / each));
  for (const value of sorted) counts[Math.floor(at(value) / each)]++;
  return { low: low - step / 2, width: each * step, counts };
}

/** A normal distribution. */
export interface NormalFit {
  readonly mean: number;
  readonly deviation: number;
  /** Maximum distance of the two cumulative distributions: Kolmogorov and Smirnov's D. */
  readonly distance: number;
}

/** By mean and deviation, and how well that describes the values. */
export function fitNormal(values: Float64Array): NormalFit {
  const { mean, deviation, count } = summarize(values);
  const sorted = values.slice().sort();
  let distance = deviation > 0 ? 0 : NaN;
  for (let i = 0; i < count && deviation > 0; i++) {
    const expected = normalShare(sorted[i], mean, deviation);
    distance = Math.max(distance, expected - i / count, (i + 1) / count - expected);
  }
  return { mean, deviation, distance };
}

/** Points of the cumulative distribution: a value and the share of values up to it. */
export interface Cumulative {
  readonly values: Float64Array;
  readonly shares: Float64Array;
}

const MAX_POINTS = 500;

/** At most 500 points, evenly spaced in share, both ends among them. */
export function cumulative(values: Float64Array): Cumulative {
  const sorted = values.slice().sort();
  const n = sorted.length;
  const points = Math.min(n, MAX_POINTS);
  const at = Array.from({ length: points }, (_, i) => {
    return points === 1 ? n - 1 : Math.round(i * (n - 1) / (points - 1));
  });
  return {
    values: Float64Array.from(at, (i) => sorted[i]),
    shares: Float64Array.from(at, (i) => (i + 1) / n),
  };
}
