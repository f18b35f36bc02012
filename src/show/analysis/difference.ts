/**
 * Two sets of repeats compared: is the second one larger than the first one by more than is allowed?
 *
 * Student's test over the logarithms of the runs: an interval of a ratio cannot reach -100 %, and -50 % and +100 %
 * are equally far. Of two samples of one size it has na + nb - 2 degrees of freedom, and then stays right if one
 * set varies more than the other; of samples of two sizes B. Welch's (1947). Of blocks, which have one run of each
 * set, it is the paired test with n - 1 degrees: a slow change of the node cancels. One level holds for the
 * interval and for the verdict.
 * @module
 */
import { normalShare, summarize, type Summary } from "./statistics.ts";
import { studentQuantile, studentShare } from "./student.ts";

/**
 * Level of the interval, two-sided. Above 98 %, so that of 2,000 comparisons without a difference no more than one
 * in a hundred is worse.
 */
export const LEVEL = 0.985;
/** A detectable change is found in so many of the cases. */
const FOUND_SHARE = 0.9;
/** Minimum number of runs per set: with fewer the variation of runs is not known. */
export const MIN_RUNS = 3;
/** Runs of each set that a user is advised to make. */
const ADVISED_RUNS = 5;
/** Runs of a set up to which the number needed is looked for. */
const MAX_NEEDED = 1000;
/** Logarithms that differ by rounding alone are equal. */
const EQUAL = 1e-12;

/** Options of a comparison of sets. */
export interface DifferenceOptions {
  /** Allowed increase of b over a, 0.03 for 3 %. @default 0 */
  readonly maxIncrease?: number;
  /** Level of the interval, two-sided. @default {LEVEL} */
  readonly level?: number;
  /** Welch's test for sets of one size too. @default false */
  readonly welch?: boolean;
  /** Change that the number of runs is looked for. @default 0.05 */
  readonly detect?: number;
  /** Run number i of both sets is in block i. @default false: two samples */
  readonly blocks?: boolean;
}

/** The comparison of two sets; NaN: not known, as of a set with a value that is not above 0. */
export interface Difference {
  /** The mean is the geometric one. */
  readonly a: Summary;
  readonly b: Summary;
  /** Mean of b over mean of a, less 1. */
  readonly change: number;
  /** Bounds of the change; NaN where a set is a single run. */
  readonly low: number;
  readonly high: number;
  /** The probability of these values by chance, if b is no larger than allowed; NaN: too few runs. */
  readonly p: number;
  /** Standard deviation of a run's logarithm; of blocks without their common part; NaN: single runs. */
  readonly noise: number;
  /** A change that is found in 9 of 10 cases, with so many runs. */
  readonly detectable: number;
  readonly detectableRuns: readonly [a: number, b: number];
  /** Runs of each set that find `detect` in 9 of 10 cases. */
  readonly neededRuns: number;
}

/** Compares two sets. */
export function difference(
  a: readonly number[],
  b: readonly number[],
  { maxIncrease = 0, level = LEVEL, welch = false, detect = 0.05, blocks = false }:
    DifferenceOptions = {},
): Difference {
  const design = blocks ? inBlocks(a, b) : twoSamples(a, b, welch);
  const { apart, se, degrees, noise } = design;
  const isEnough = Math.min(a.length, b.length) >= MIN_RUNS;
  const away = Math.min(a.length, b.length) < 2 ? NaN : se * quantileOf(level, degrees);
  const over = close(apart - Math.log1p(maxIncrease));
  const t = over === 0 ? 0 : over / se;
  return {
    a: withLogMean(a),
    b: withLogMean(b),
    change: Math.expm1(apart),
    low: Math.expm1(apart - away),
    high: Math.expm1(apart + away),
    p: isEnough ? 1 - studentShare(t, degrees) : NaN,
    noise,
    // Both take longer than the rest, and a session asks for neither.
    get detectable() {
      const runs = ADVISED_RUNS;
      return Math.expm1(isEnough ? se * foundAt(degrees, level) : detectable(design, runs, level));
    },
    detectableRuns: isEnough ? [a.length, b.length] : [ADVISED_RUNS, ADVISED_RUNS],
    get neededRuns() {
      return neededRuns(design, Math.log1p(detect), level);
    },
  };
}

/** Design of the comparison of logarithms, also with more runs. */
interface Design {
  /** Mean of b less mean of a. */
  readonly apart: number;
  readonly se: number;
  readonly degrees: number;
  readonly noise: number;
  /** Degrees of freedom of so many runs a set. */
  degreesOf(runs: number): number;
}

function inBlocks(a: readonly number[], b: readonly number[]): Design {
  const apart = summarize(b.map((value, i) => logarithm(value) - logarithm(a[i])));
  const { count, deviation } = apart;
  return {
    apart: close(apart.mean),
    se: deviation / Math.sqrt(count),
    degrees: count - 1,
    noise: count < 2 ? NaN : deviation / Math.SQRT2,
    degreesOf: (runs) => runs - 1,
  };
}

function twoSamples(a: readonly number[], b: readonly number[], welch: boolean): Design {
  const [la, lb] = [a, b].map((values) => summarize(values.map(logarithm)));
  const [va, vb] = [la.deviation ** 2, lb.deviation ** 2];
  const share = welch && va + vb > 0 ? (va + vb) ** 2 / (va ** 2 + vb ** 2) : 2;
  return {
    apart: close(lb.mean - la.mean),
    se: Math.sqrt(va / la.count + vb / lb.count),
    degrees: degreesOf(la, lb, welch),
    noise: pooled(la, lb),
    degreesOf: (runs) => share * (runs - 1),
  };
}

/** Summary with the geometric mean. */
function withLogMean(values: readonly number[]): Summary {
  return { ...summarize(values), mean: Math.exp(summarize(values.map(logarithm)).mean) };
}

/** p of a difference in either direction, for many comparisons beside each other; NaN: too few. */
export function eitherWayP({ p }: Pick<Difference, "p">): number {
  return 2 * Math.min(p, 1 - p);
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

function logarithm(value: number): number {
  return value > 0 ? Math.log(value) : NaN;
}

function close(apart: number): number {
  return Math.abs(apart) <= EQUAL ? 0 : apart;
}

const quantiles = new Map<string, number>();

/** Quantiles of whole degrees are kept: a benchmark and a region table ask for few of them, often. */
function quantileOf(level: number, degrees: number): number {
  const quantile = () => studentQuantile((1 + level) / 2, degrees);
  if (!Number.isInteger(degrees)) return quantile();
  return quantiles.getOrInsertComputed(`${degrees} ${level}`, quantile);
}

function degreesOf(a: Summary, b: Summary, welch: boolean): number {
  const [va, vb] = [a.deviation ** 2 / a.count, b.deviation ** 2 / b.count];
  if (a.count === b.count && !welch || va + vb === 0) return a.count + b.count - 2;
  return (va + vb) ** 2 / (va ** 2 / (a.count - 1) + vb ** 2 / (b.count - 1));
}

function pooled(a: Summary, b: Summary): number {
  const degrees = a.count + b.count - 2;
  if (degrees < 1) return NaN;
  const squares = [a, b].reduce((sum, { count, deviation }) => {
    return sum + (count < 2 ? 0 : (count - 1) * deviation ** 2);
  }, 0);
  return Math.sqrt(squares / degrees);
}

/** Difference of logarithms that is found often enough by so many runs of each set. */
function detectable({ noise, degreesOf }: Design, runs: number, level: number): number {
  return noise * Math.sqrt(2 / runs) * foundAt(degreesOf(runs), level);
}

function neededRuns(design: Design, apart: number, level: number): number {
  if (Number.isNaN(design.noise)) return NaN;
  let [low, high] = [MIN_RUNS, MAX_NEEDED];
  if (detectable(design, high, level) > apart) return Infinity;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (detectable(design, middle, level) > apart) low = middle + 1;
    else high = middle;
  }
  return low;
}

const found = new Map<string, number>();

/** Standard errors that a difference has to be, for Student's noncentral t to exceed the quantile often enough. */
function foundAt(degrees: number, level: number): number {
  return found.getOrInsertComputed(`${degrees} ${level}`, () => {
    const quantile = quantileOf(level, degrees);
    let [low, high] = [0, 4 * quantile + 10];
    for (let i = 0; i < 40; i++) {
      const middle = (low + high) / 2;
      if (shareAbove(quantile, degrees, middle) < FOUND_SHARE) low = middle;
      else high = middle;
    }
    return (low + high) / 2;
  });
}

const STEPS = 400;

/**
 * Share of Student's noncentral t above a value: the mean of the normal distribution over what the standard error of
 * so many degrees of freedom may be, by Simpson's rule.
 */
function shareAbove(value: number, degrees: number, apart: number): number {
  const spread = 1 / Math.sqrt(2 * degrees);
  const from = Math.max(1e-9, 1 - 10 * spread), width = (1 + 10 * spread - from) / STEPS;
  let sum = 0, all = 0;
  for (let i = 0; i <= STEPS; i++) {
    const s = from + i * width;
    const weight = (i === 0 || i === STEPS ? 1 : i % 2 === 1 ? 4 : 2) *
      Math.exp((degrees - 1) * Math.log(s) - degrees * (s * s - 1) / 2);
    sum += weight * normalShare(apart - value * s, 0, 1);
    all += weight;
  }
  return sum / all;
}
