/**
 * From the sums of a fit to energies, their errors, and what can be told. docs/how-sure.md.
 * @module
 */
import { mixingCondition } from "./condition.ts";
import type { FitStream } from "./fit_stream.ts";
import type { Solution } from "./nnls.ts";
import { LAG_GRID } from "./selection.ts";
import { variances } from "./uncertainty.ts";

/** Why a class's energy is not told. */
export type Untold =
  | "too few changes of the counter"
  | "steps keep in step with the counter"
  | "always in the same mix with other regions"
  | "its power would be negative"
  | "uncertain by more than 10 %"
  | "fewer than half of the regions can be told"
  | "the regions would take more than there is"
  | typeof ONE_OF_MANY;

/** Why a class without a row of its own is not told. */
export const ONE_OF_MANY = "one of many short regions";

/** One class. */
export interface ClassFit {
  /** J; finite, also where it is not to be told. */
  readonly energyJ: number;
  /** Standard error in J; NaN: there is none. */
  readonly seJ: number;
  /** `undefined`: it is told. */
  readonly untold?: Untold;
}

/** A whole domain instance. */
export interface FitOutcome {
  /** By own number of the rows. */
  readonly classes: readonly ClassFit[];
  /** Seconds that the counter shows things late, and its standard error. */
  readonly lagS: number;
  readonly lagSeS: number;
  readonly condition: number;
  /** Intervals, and those of them that were filtered. */
  readonly intervals: number;
  readonly filter: number;
  /** Standard error of what all untold classes took together, J; NaN: there is none. */
  readonly jointSeJ: number;
}

/** What the counter says beside the rows. */
export interface FitFrame {
  /** Unit of the lags in seconds, and mean window before a change. */
  readonly lagUnitS: number;
  readonly windowS: number;
  /** Changes do not lie evenly in their windows, since steps keep in step with the counter. */
  readonly inStep: boolean;
  /** Energy that the classes are to add up to, J. */
  readonly totalJ: number;
  /** CPU-seconds of each class in the whole run, by own number. */
  readonly seconds: Float64Array;
  /** Number that many classes share; −1: none. */
  readonly shared: number;
}

const LEAST_INTERVALS = 96;
const PER_CLASS = 4;
const MOST_ERROR = 0.1;
const FEW: Untold = "fewer than half of the regions can be told";
const OVER: Untold = "the regions would take more than there is";
/** Standard errors, or share of the total, by which what is told may be above the total. */
const MOST_OVER = 3;
const MOST_OVER_SHARE = 0.02;
/** The lag's distribution inside the window is not quite even. */
const WINDOW_SHARE = 0.05;

/** Takes the result; the stream can go on. */
export function fitOutcome(stream: FitStream, classes: number, frame: FitFrame): FitOutcome {
  const solutions = stream.solve(classes);
  const middle = solutions[1];
  const lag = bestLag(stream, solutions, frame.lagUnitS);
  const at = [0, 1, 2].map((k) => energiesAt(stream, k, solutions[k], frame.seconds));
  const energies = new Float64Array(classes);
  const slope = new Float64Array(classes);
  const { x, stepS } = lag;
  let sum = 0;
  for (let c = 0; c < classes; c++) {
    const [low, mid, high] = [at[0][c], at[1][c], at[2][c]];
    const bend = (low - 2 * mid + high) / 2;
    energies[c] = mid + x * (high - low) / 2 + x * x * bend;
    slope[c] = ((high - low) / 2 + 2 * x * bend) / stepS;
    sum += energies[c];
  }
  const scale = sum > 0 ? frame.totalJ / sum : 0;
  const v = variances(stream, middle, classes);
  const lagVariance = lag.variance + (WINDOW_SHARE * frame.windowS) ** 2;
  const error = (variance: number, g: number) =>
    Math.sqrt(variance + g * g * lagVariance) * Math.abs(scale);
  const list: ClassFit[] = [];
  for (let c = 0; c < classes; c++) {
    const seJ = error(v.single[c], slope[c]);
    const energyJ = energies[c] * scale;
    const untold = judge(c, { energyJ, seJ, middle, stream, frame, scale });
    list.push({
      energyJ: frame.seconds[c] > 0 ? energyJ : 0,
      seJ: Number.isFinite(seJ) ? seJ : NaN,
      ...(untold === undefined ? {} : { untold }),
    });
  }
  const some = list.flatMap((fit, c) => fit.untold === undefined ? [c] : []);
  const jointSlope = some.reduce((g, c) => g + slope[c], 0);
  const jointSeJ = some.length === list.length ? 0 : error(v.sumOf(some), jointSlope);
  const told = tell(list, frame, jointSeJ);
  const { shares } = stream.lags[1];
  return {
    classes: told,
    lagS: lag.lagS,
    lagSeS: Math.sqrt(lag.variance),
    condition: mixingCondition(shares.m, shares.stride, shares.d.subarray(0, classes)),
    intervals: stream.taken,
    filter: stream.filter,
    // Where nothing is told, all is untold together, and its sum is the counter's.
    jointSeJ: told.some((fit) => fit.untold === undefined) ? jointSeJ : 0,
  };
}

/** The rules for a whole domain instance. */
function tell(list: ClassFit[], frame: FitFrame, jointSeJ: number): ClassFit[] {
  const seen = list.filter((_, c) => frame.seconds[c] > 0);
  const told = seen.filter((fit) => fit.untold === undefined);
  const toldJ = told.reduce((sum, fit) => sum + fit.energyJ, 0);
  const overJ = toldJ - frame.totalJ;
  // Errors are underrated where most classes cannot be told.
  if (2 * told.length < seen.length) return allUntold(list, frame, FEW);
  if (!(overJ > 0) || told.length === seen.length) return list;
  if (overJ > Math.max(MOST_OVER * jointSeJ, MOST_OVER_SHARE * frame.totalJ)) {
    return allUntold(list, frame, OVER);
  }
  // What is not told took nothing that can be seen: the others do not take more than there is.
  return list.map((fit): ClassFit =>
    fit.untold === undefined ? { ...fit, energyJ: fit.energyJ * frame.totalJ / toldJ } : fit
  );
}

function allUntold(list: ClassFit[], frame: FitFrame, untold: Untold): ClassFit[] {
  return list.map((fit, c): ClassFit => frame.seconds[c] > 0 ? { untold, ...fit } : fit);
}

function judge(c: number, of: {
  energyJ: number;
  seJ: number;
  middle: Solution;
  stream: FitStream;
  frame: FitFrame;
  scale: number;
}): Untold | undefined {
  const { middle, stream, frame } = of;
  // Who had no CPU time drew nothing, for certain.
  if (!(frame.seconds[c] > 0)) return undefined;
  const needed = Math.max(LEAST_INTERVALS, PER_CLASS * middle.power.length);
  if (stream.counted < needed) return "too few changes of the counter";
  if (frame.inStep) return "steps keep in step with the counter";
  if (c === frame.shared) return ONE_OF_MANY;
  if (middle.factor.inseparable.has(c)) return "always in the same mix with other regions";
  if (middle.held.has(c)) return "its power would be negative";
  if (!(of.energyJ > 0) || !(of.seJ <= MOST_ERROR * of.energyJ)) {
    return "uncertain by more than 10 %";
  }
  return undefined;
}

/** T = b + (D − M)π and π times what lies in no interval, by class. */
function energiesAt(
  stream: FitStream,
  k: number,
  { power }: Solution,
  seconds: Float64Array,
): Float64Array {
  const { shares } = stream.lags[k];
  const out = new Float64Array(power.length);
  shares.energies(power, out);
  let allJ = 0;
  let allS = 0;
  for (let c = 0; c < out.length; c++) {
    allJ += shares.b[c];
    allS += shares.d[c];
  }
  for (let c = 0; c < out.length; c++) {
    const rest = Math.max(0, seconds[c] - shares.d[c]);
    // A power found on less time than it would be used for is worth nothing: the mean serves.
    out[c] += rest * (rest < shares.d[c] ? power[c] : allS > 0 ? allJ / allS : 0);
  }
  return out;
}

/** Vertex of the parabola through the three residual sums, in steps from the middle. */
function bestLag(
  stream: FitStream,
  solutions: readonly Solution[],
  unitS: number,
): { lagS: number; variance: number; x: number; stepS: number } {
  const stepS = (LAG_GRID[1] - LAG_GRID[0]) * unitS;
  const widest = (LAG_GRID[LAG_GRID.length - 1] - LAG_GRID[0]) * unitS;
  const most = widest * widest / 12;
  const [low, mid, high] = solutions.map((solution) => solution.rss);
  const bend = low - 2 * mid + high;
  const middleS = LAG_GRID[stream.lags[1].lag] * unitS;
  if (!(bend > 0)) {
    const x = mid <= low && mid <= high ? 0 : low < high ? -1 : 1;
    return { lagS: middleS + x * stepS, variance: most, x, stepS };
  }
  const x = Math.min(1, Math.max(-1, (low - high) / (2 * bend)));
  const s2 = mid / Math.max(1, stream.counted);
  const variance = Math.min(most, 2 * s2 * stepS * stepS / bend);
  return { lagS: middleS + x * stepS, variance, x, stepS };
}
