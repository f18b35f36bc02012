/**
 * Steps that are not like the others, in groups: restart dumps every so many steps, as M. Bareford
 * (2015), section 4.1, found them by eye.
 *
 * The body of a distribution may have several peaks, and a counter that is published ten times a
 * second makes short steps alternate between nothing and a whole quantum: only steps beyond 6
 * robust deviations and twice the median form a group of their own.
 * @module
 */
import { quantile, robustDeviation, summarize, type Summary } from "./statistics.ts";

/** Steps of like size, apart from the rest. */
export interface OutlierGroup extends Summary {
  /** Mean over the mean of the body. */
  readonly factor: number;
  /** Most common distance of two of them in steps; 0: they come at no fixed distance. */
  readonly every: number;
}

/** A distribution taken apart. */
export interface Grouped {
  readonly body: Summary;
  /** Values of the body. */
  readonly bodyValues: Float64Array;
  /** From the smallest on. */
  readonly groups: readonly OutlierGroup[];
  /** Everything above this is no part of the body. */
  readonly limit: number;
}

/** Robust deviations, and times the median. */
const MIN_ROBUST_DEVIATIONS = 6;
const MIN_MEDIANS = 2;
/** Two values further apart than this factor belong to different groups. */
const GAP = 1.6;
/** Distances count as one where this share of them is equal. */
const REGULAR = 0.6;

/**
 * @param values By step; one that is not known is in no group.
 * @param labels Steps of the values. @default their numbers
 */
export function groupOutliers(values: Float64Array, labels?: readonly number[]): Grouped {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort();
  const median = quantile(sorted, 0.5);
  // Where most steps see no change of the counter, what it changes by is no outlier.
  const usual = median > 0 ? median : quantile(sorted, 0.9);
  const limit = Math.max(
    median + MIN_ROBUST_DEVIATIONS * robustDeviation(sorted, median),
    MIN_MEDIANS * usual,
  );
  const bodyValues = values.filter((value) => value <= limit);
  const body = summarize(bodyValues);
  const far = [...values.keys()].filter((i) => values[i] > limit)
    .sort((a, b) => values[a] - values[b]);
  const groups: number[][] = [];
  for (const i of far) {
    const group = groups.at(-1);
    if (group !== undefined && values[i] <= GAP * values[group.at(-1)!]) group.push(i);
    else groups.push([i]);
  }
  return {
    body,
    bodyValues,
    limit,
    groups: groups.map((members) => {
      const summary = summarize(members.map((i) => values[i]));
      const steps = members.map((i) => labels?.[i] ?? i).sort((a, b) => a - b);
      return { ...summary, factor: summary.mean / body.mean, every: spacing(steps) };
    }),
  };
}

function spacing(steps: readonly number[]): number {
  if (steps.length < 3) return 0;
  const counts = new Map<number, number>();
  for (let i = 1; i < steps.length; i++) {
    const distance = steps[i] - steps[i - 1];
    counts.set(distance, (counts.get(distance) ?? 0) + 1);
  }
  const [distance, count] = [...counts].sort((a, b) => b[1] - a[1])[0];
  return count >= REGULAR * (steps.length - 1) ? distance : 0;
}
