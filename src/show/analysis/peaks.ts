/**
 * The peaks of a distribution: steps of a simulation may be of several kinds, as M. Bareford
 * (2015), figure 1, shows one main peak and two minor ones below it.
 *
 * Peaks are the maxima of the smoothed density, parted by valleys that chance does not explain: the
 * density at the lower of two peaks must exceed that in the valley between them by four standard
 * deviations, else they are one.
 * @module
 */
import { quantile, stepOf, summarize } from "./statistics.ts";

/** One peak, and the values between the valleys beside it. */
export interface Peak {
  readonly at: number;
  readonly deviation: number;
  readonly count: number;
  /** Share of all values. */
  readonly share: number;
}

const POINTS = 512;
const MIN_ERRORS = 4;
/** A peak of fewer values than this share is not worth a name. */
const MIN_SHARE = 0.005;

/** From the lowest on; one for a distribution without valleys, none without values. */
export function peaksOf(values: Float64Array): Peak[] {
  const sorted = values.slice().sort();
  const n = sorted.length;
  if (n === 0) return [];
  const [low, high] = [sorted[0], sorted[n - 1]];
  const width = bandwidth(sorted);
  if (high <= low || width === 0) return [peak(sorted, 0, n, n)];
  const at = Array.from({ length: POINTS }, (_, i) => low + (high - low) * i / (POINTS - 1));
  const density = smoothed(sorted, at, width);
  const tops = at.keys().filter((i) => {
    return density[i] >= (density[i - 1] ?? 0) && density[i] > (density[i + 1] ?? 0);
  }).toArray();
  /** Peaks that stay, and the valley before each of them but the first. */
  const kept: { top: number; valley: number }[] = [];
  for (const top of tops) {
    let valley = 0;
    while (kept.length > 0) {
      const before = kept[kept.length - 1].top;
      valley = lowest(density, before, top);
      const lower = Math.min(density[before], density[top]);
      const deep = density[valley];
      // A sum of bells of height 1 varies by the sum of their squares, 1/√2 of it.
      const chance = Math.sqrt((lower + deep) * Math.SQRT1_2);
      if (lower >= MIN_SHARE * n && lower - deep > MIN_ERRORS * chance) break;
      // They are one: the higher stands for both.
      if (density[before] >= density[top]) {
        valley = -1;
        break;
      }
      kept.pop();
    }
    if (valley >= 0) kept.push({ top, valley });
  }
  const edges = [0, ...kept.slice(1).map(({ valley }) => below(sorted, at[valley])), n];
  return kept.map((_, i) => peak(sorted, edges[i], edges[i + 1], n));
}

/** Index of the minimum density between two indices. */
function lowest(density: Float64Array, from: number, to: number): number {
  let least = from;
  for (let i = from; i <= to; i++) if (density[i] < density[least]) least = i;
  return least;
}

function peak(sorted: Float64Array, from: number, to: number, n: number): Peak {
  const { mean, deviation, count } = summarize(sorted.subarray(from, to));
  return { at: mean, deviation, count, share: count / n };
}

/**
 * Half of B. Silverman's rule (1986), which is made for one peak and hides the second; and no less
 * than the step of what was measured, else whole joules, or means of whole watts, would make a comb.
 */
function bandwidth(sorted: Float64Array): number {
  const { deviation } = summarize(sorted);
  const spread = (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / 1.34;
  const scale = spread > 0 ? Math.min(spread, deviation) : deviation;
  const rule = 0.45 * scale * sorted.length ** -0.2;
  return Math.max(rule, 0.75 * stepOf(sorted));
}

/** Sums of Gaussian bells over places, by counts at the places. */
function smoothed(sorted: Float64Array, at: readonly number[], width: number): Float64Array {
  const step = at[1] - at[0];
  const counts = new Float64Array(POINTS);
  for (const value of sorted) counts[Math.round((value - at[0]) / step)]++;
  const reach = Math.ceil(4 * width / step);
  const bell = Float64Array.from(
    { length: 2 * reach + 1 },
    (_, i) => Math.exp(-(((i - reach) * step / width) ** 2) / 2),
  );
  const density = new Float64Array(POINTS);
  for (let i = 0; i < POINTS; i++) {
    if (counts[i] === 0) continue;
    const first = Math.max(0, i - reach);
    const last = Math.min(POINTS - 1, i + reach);
    for (let k = first; k <= last; k++) density[k] += counts[i] * bell[k - i + reach];
  }
  return density;
}

/** Number of sorted values below a limit. */
function below(sorted: Float64Array, limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
