/**
 * Two sets of repeats compared: is the second one larger than the first one by more than is allowed?
 *
 * Student's test over the runs, one-sided; the null hypothesis is an increase of just what is
 * allowed. Of two sets of one size it has na + nb - 2 degrees of freedom, and then stays right where
 * one set varies more than the other; of sets of two sizes B. Welch's (1947). A permutation of the
 * same statistic finds less: 88 % instead of 91 % of + 3 % in 5 and 5 runs that vary by 1 %, since
 * of the 252 ways to deal the values only two are rare enough.
 * @module
 */
import { summarize, type Summary } from "./statistics.ts";
import { studentQuantile, studentShare } from "./student.ts";

/**
 * The gate raises an alarm at this p. Below one in a hundred, so that 2,000 comparisons without a
 * difference show no more than one in a hundred either.
 */
export const ALARM_P = 0.0075;
/** Share of the interval of a change. */
const INTERVAL_SHARE = 0.95;
/** In so many of the cases a detectable increase raises an alarm. */
const FOUND_SHARE = 0.9;
/** With fewer runs of a set the variation of runs is not known. */
export const MIN_RUNS = 3;
/** Runs of each set that a user is advised to make. */
export const ADVISED_RUNS = 5;
/** Means that differ by rounding alone are equal. */
const EQUAL = 1e-12;

/** The comparison of two sets. */
export interface Difference {
  readonly a: Summary;
  readonly b: Summary;
  /** Mean of b over mean of a, less 1. */
  readonly change: number;
  /** Bounds of the change, 95 %; NaN where a set is a single run. */
  readonly low: number;
  readonly high: number;
  /** The probability of these values by chance, if b is no larger than allowed; NaN: too few runs. */
  readonly p: number;
  /** Deviation of a run from the mean of its set, relative; NaN where both are single runs. */
  readonly noise: number;
  /** An increase over what is allowed that is found in 9 of 10 cases, with so many runs. */
  readonly detectable: number;
  readonly detectableRuns: readonly [a: number, b: number];
}

/** @param maxIncrease Allowed increase of b over a, 0.03 for 3 %. */
export function difference(
  a: readonly number[],
  b: readonly number[],
  maxIncrease = 0,
): Difference {
  const [sa, sb] = [summarize(a), summarize(b)];
  const noise = pooledNoise(sa, sb);
  const isEnough = Math.min(a.length, b.length) >= MIN_RUNS;
  const runs = isEnough ? [a.length, b.length] as const : [ADVISED_RUNS, ADVISED_RUNS] as const;
  const allowed = summarize(b.map((value) => value / (1 + maxIncrease)));
  return {
    ...{ a: sa, b: sb, change: sb.mean / sa.mean - 1, ...interval(sa, sb), noise },
    p: isEnough ? 1 - studentShare(studentT(sa, allowed), degreesOf(sa, allowed)) : NaN,
    detectable: detectable(noise, runs) * (1 + maxIncrease),
    detectableRuns: runs,
  };
}

/** p of a difference in either direction, for many comparisons beside each other; NaN: too few. */
export function eitherWayP(a: readonly number[], b: readonly number[]): number {
  if (Math.min(a.length, b.length) < MIN_RUNS) return NaN;
  const [sa, sb] = [summarize(a), summarize(b)];
  return 2 * (1 - studentShare(Math.abs(studentT(sa, sb)), degreesOf(sa, sb)));
}

/** p of many comparisons, corrected by S. Holm (1979): the chance of a false one stays what it was. */
export function holm(ps: readonly number[]): number[] {
  const known = [...ps.keys()].filter((i) => !Number.isNaN(ps[i])).sort((i, j) => ps[i] - ps[j]);
  const corrected = ps.map(() => NaN);
  let most = 0;
  known.forEach((i, rank) => {
    most = Math.max(most, Math.min(1, ps[i] * (known.length - rank)));
    corrected[i] = most;
  });
  return corrected;
}

function studentT(a: Summary, b: Summary): number {
  const apart = b.mean - a.mean;
  if (Math.abs(apart) <= EQUAL * Math.abs(a.mean)) return 0;
  return apart / Math.sqrt(a.deviation ** 2 / a.count + b.deviation ** 2 / b.count);
}

function degreesOf(a: Summary, b: Summary): number {
  const [va, vb] = [a.deviation ** 2 / a.count, b.deviation ** 2 / b.count];
  if (a.count === b.count || va + vb === 0) return a.count + b.count - 2;
  return (va + vb) ** 2 / (va ** 2 / (a.count - 1) + vb ** 2 / (b.count - 1));
}

function interval(a: Summary, b: Summary): { low: number; high: number } {
  if (a.count < 2 || b.count < 2) return { low: NaN, high: NaN };
  // Of a quotient, to first order.
  const ratio = b.mean / a.mean;
  const [ra, rb] = [a.deviation / a.mean, b.deviation / b.mean];
  const se = Math.abs(ratio) * Math.sqrt(ra ** 2 / a.count + rb ** 2 / b.count);
  const away = se * studentQuantile((1 + INTERVAL_SHARE) / 2, degreesOf(a, b));
  return { low: ratio - 1 - away, high: ratio - 1 + away };
}

function pooledNoise(a: Summary, b: Summary): number {
  const degrees = a.count + b.count - 2;
  if (degrees < 1) return NaN;
  const squares = [a, b].reduce((sum, { count, deviation, mean }) => {
    return sum + (count - 1) * (deviation / mean) ** 2;
  }, 0);
  return Math.sqrt(squares / degrees);
}

function detectable(noise: number, [a, b]: readonly [number, number]): number {
  const degrees = a + b - 2;
  const away = studentQuantile(1 - ALARM_P, degrees) + studentQuantile(FOUND_SHARE, degrees);
  return noise * Math.sqrt(1 / a + 1 / b) * away;
}
