/**
 * Spread of a region's time over processes, as a report has it under `across processes:`, and the
 * way there and back.
 *
 * Times are those of GEOPM's `runtime (s)`: between outermost entry and exit, whose mean is the
 * report's own value. They are kept in buckets of 2 %, so that those of many hosts add up in any
 * order. Layout: docs/reference/formats/report.md.
 * @module
 */
import { rounded } from "./number_format.ts";
import { regionName } from "./region_tree.ts";
import { bucketsOf, bucketsText, isMapping, type Nested, numberOf } from "./report.ts";

/** Each bucket begins 2 % above the one before; bucket 0 begins at 1 ns, −1 is no time at all. */
const LOG_WIDTH = Math.log(1.02);
const NO_TIME = -1;
const DIGITS = 7;

/** One region over the processes of a host or job. Times in s. */
export interface ProcessSpread {
  readonly region: string;
  /** Processes, those that never were in the region included: their time is 0. */
  readonly processes: number;
  readonly meanS: number;
  /** Standard deviation of a sample, n − 1. */
  readonly deviationS: number;
  readonly leastS: number;
  readonly mostS: number;
  /** Names of these processes: `rank 3`, `process 4711`, or a host's name. */
  readonly least: string;
  readonly most: string;
  /** Processes by bucket of time. */
  readonly buckets: ReadonlyMap<number, number>;
}

/** One process's time in a region. */
export interface ProcessTime {
  readonly pid: number;
  readonly timeNs: number;
}

/** Bucket of a time. */
export function timeBucket(timeS: number): number {
  return timeS >= 1e-9 ? Math.floor(Math.log(timeS * 1e9) / LOG_WIDTH) : NO_TIME;
}

/** Middle of a bucket, s. */
export function bucketMiddleS(bucket: number): number {
  return bucket < 0 ? 0 : Math.exp((bucket + 0.5) * LOG_WIDTH) * 1e-9;
}

/**
 * Time that a share of the processes do not exceed, within 1 %.
 *
 * @param share 0 to 1.
 */
export function spreadQuantileS(spread: ProcessSpread, share: number): number {
  const { buckets, processes, leastS, mostS } = spread;
  let below = 0;
  for (const bucket of [...buckets.keys()].sort((a, b) => a - b)) {
    below += buckets.get(bucket)!;
    if (below >= share * processes) return Math.min(mostS, Math.max(leastS, bucketMiddleS(bucket)));
  }
  return mostS;
}

/**
 * The spread of one region; the first of equal times is named.
 *
 * @param nameOf A process for people.
 */
export function processSpread(
  region: string,
  times: readonly ProcessTime[],
  nameOf: (pid: number) => string,
): ProcessSpread {
  const buckets = new Map<number, number>();
  let least = times[0], most = times[0], sumNs = 0;
  for (const time of times) {
    sumNs += time.timeNs;
    if (time.timeNs < least.timeNs) least = time;
    if (time.timeNs > most.timeNs) most = time;
    const bucket = timeBucket(time.timeNs * 1e-9);
    buckets.set(bucket, (buckets.get(bucket) ?? 0) + 1);
  }
  const meanNs = sumNs / times.length;
  const squares = times.reduce((sum, { timeNs }) => sum + (timeNs - meanNs) ** 2, 0);
  return {
    region,
    processes: times.length,
    meanS: meanNs * 1e-9,
    deviationS: times.length > 1 ? Math.sqrt(squares / (times.length - 1)) * 1e-9 : 0,
    leastS: least.timeNs * 1e-9,
    mostS: most.timeNs * 1e-9,
    least: nameOf(least.pid),
    most: nameOf(most.pid),
    buckets,
  };
}

/** Spreads as printed under `joulemark:`. */
export function spreadsToNested(spreads: readonly ProcessSpread[]): Nested {
  return spreads.map((spread) => ({
    region: spread.region,
    processes: spread.processes,
    "mean (s)": digits(spread.meanS),
    "deviation (s)": digits(spread.deviationS),
    "least (s)": digits(spread.leastS),
    "least in": spread.least,
    "most (s)": digits(spread.mostS),
    "most in": spread.most,
    times: bucketsText([...spread.buckets].sort(([a], [b]) => a - b)),
  }));
}

/** Spreads of a report; what is none is left out. */
export function spreadsFromNested(nested: Nested | undefined): ProcessSpread[] {
  if (!Array.isArray(nested)) return [];
  return nested.flatMap((row) => {
    if (!isMapping(row)) return [];
    const number = (key: string) => numberOf(row[key]);
    const processes = number("processes");
    if (!(processes > 0) || !Number.isFinite(number("mean (s)"))) return [];
    return [{
      region: regionName(String(row.region ?? "")),
      processes,
      buckets: bucketsOf(row.times),
      meanS: number("mean (s)"),
      deviationS: number("deviation (s)"),
      leastS: number("least (s)"),
      mostS: number("most (s)"),
      least: String(row["least in"] ?? "-"),
      most: String(row["most in"] ?? "-"),
    }];
  });
}

function digits(value: number): number {
  return rounded(value, DIGITS);
}
