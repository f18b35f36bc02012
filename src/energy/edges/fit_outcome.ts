/**
 * From the sums of a fit to energies, their errors, and which of them are reported. docs/how-sure.md.
 * @module
 */
import { mixingCondition } from "./solver/condition.ts";
import type { FitStream } from "./fit_stream.ts";
import type { LackOfFit } from "./causes.ts";
import { UNTESTED, type Untested } from "./untested.ts";
import { lackOf, LEAST_ROWS, likelyModels } from "./lack_of_fit.ts";
import type { ModelFrame } from "./model.ts";
import type { Solution } from "./solver/nnls.ts";
import { dot } from "./uncertainty.ts";

/** Why a class's energy is not reported. */
export type Untold =
  | "too few changes of the counter"
  | "steps keep in step with the counter"
  | "regions keep in step with the counter"
  | "always in the same mix with other regions"
  | "its power would be negative"
  | typeof UNCERTAIN
  | "fewer than half of the regions can be told"
  | "the regions would take more than there is"
  | typeof ONE_OF_MANY
  | typeof NEVER_SHOWN
  | typeof HIDDEN;

/** Why an energy with a large error is not reported. */
export const UNCERTAIN = "uncertain by more than 10 %";

/** Why a class without a row of its own is not reported. */
export const ONE_OF_MANY = "one of many short regions";

/** Why nothing is reported of a region that took time, but by edges no CPU had it. */
export const NEVER_SHOWN = "its CPUs were in other regions all the time";

/** Why an energy by edges is that of a part of a region's time. */
export const HIDDEN = "others share its CPUs";

/** What helps where a figure cannot be determined. */
export const HELP: Readonly<Record<string, string>> = {
  "too few changes of the counter": "a longer run helps",
  "steps keep in step with the counter": "--period 0.005 with --dither on helps",
  "regions keep in step with the counter": "no sampling helps",
  "always in the same mix with other regions": "their sum is told",
  "its power would be negative": "a longer run helps",
  "uncertain by more than 10 %": "a longer run helps, and a shorter --period at 1 ms counters",
  "one of many short regions": "fewer names at a time, or a longer run, would help",
  "fewer than half of the regions can be told": "a longer run helps",
  [HIDDEN]: "bind threads and processes to CPUs",
};

/** One class. */
export interface ClassFit {
  /** J; finite, also where it is not to be reported. */
  readonly energyJ: number;
  /** Standard error in J; NaN: there is none. */
  readonly seJ: number;
  /** `undefined`: it is reported. */
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
  /** What powers depend on beside the region. */
  readonly lack: LackOfFit;
  /**
   * What classes caused beyond what was drawn while CPUs were in them, J, since power follows the load
   * late: adds up to 0.
   */
  readonly beyondJ: Float64Array;
  /** Standard error of what all untold classes took together, J; NaN: there is none. */
  readonly jointSeJ: number;
  /** Why nothing is reported for this counter at all. */
  readonly blocked: Untold | undefined;
  /**
   * Standard error of the sum of some classes, covariances included, J; NaN: there is none.
   *
   * @param parts Of the energy of each of them. @default all
   */
  readonly seOf: (classes: readonly number[], parts?: readonly number[]) => number;
}

/** The counter's results beside the rows. */
export interface FitFrame extends ModelFrame {
  /** Why nothing is tested, where nothing is. */
  readonly untested: Untested;
  /** Changes are not spread evenly over their windows, since samples stay in phase with the counter. */
  readonly inStep: boolean;
  /** Visits and the counter's updates follow one clock. */
  readonly isLocked: boolean;
  /** Energy that the classes are to add up to, J. */
  readonly totalJ: number;
  /** Own numbers of each outermost class and all that is nested in it, where they are several. */
  readonly groups: readonly (readonly number[])[];
  /** By own number: outermost classes that have it alone, with all that is nested in them. */
  readonly alone: Int32Array;
  /** Number that many classes share; −1: none. */
  readonly shared: number;
}

/**
 * Where the counter moves about as often as steps come, errors at boundaries follow its clock and repeat: block
 * sums see two thirds of their variance (error over standard error 1.2, at 1 ms steps of simulated programs).
 */
const CLOSE = 1.5;
/** The part of the change by the lack of fit that stays uncertain. */
const ABOUT = 0.25;
const LEAST_INTERVALS = 96;
const PER_CLASS = 4;
const MOST_ERROR = 0.1;
const FEW: Untold = "fewer than half of the regions can be told";
const OVER: Untold = "the regions would take more than there is";
/** Standard errors, or share of the total, by which the reported sum may be above the total. */
const MOST_OVER = 3;
const MOST_OVER_SHARE = 0.02;

/** Takes the result; the stream can go on. */
export function fitOutcome(stream: FitStream, classes: number, frame: FitFrame): FitOutcome {
  const { models, plain } = likelyModels(stream, classes, frame);
  const [{ model: best }] = models;
  const energies = new Float64Array(classes);
  let sum = 0;
  for (let c = 0; c < classes; c++) {
    // What had no time of the run is no part of its sum: a window may reach before it.
    if (!(frame.seconds[c] > 0)) continue;
    for (const { model, weight } of models) energies[c] += weight * model.energies[c];
    sum += energies[c];
  }
  const scale = sum > 0 ? frame.totalJ / sum : 0;
  const beyondJ = new Float64Array(classes);
  for (const { model, weight } of models) {
    for (let c = 0; c < classes; c++) beyondJ[c] -= scale * weight * model.carriedJ[c];
  }
  // Energy cut off at the ends of the run belongs to no class.
  const cutJ = beyondJ.reduce((sum, joules) => sum + joules, 0);
  const allS = frame.seconds.reduce((sum, s) => sum + s, 0);
  for (let c = 0; c < classes && allS > 0; c++) beyondJ[c] -= cutJ * frame.seconds[c] / allS;
  const errorOf = (weights: Float64Array): number => {
    const joules = dot(weights, energies);
    // What the scale adds or takes may belong to the ends of the run alone.
    let variance = (joules * (scale - 1)) ** 2;
    for (const { model, doubt } of models) {
      const apart = dot(weights, model.energies) - joules;
      variance += doubt * (model.variance(weights) + apart * apart) * scale * scale;
    }
    if (frame.isClose) variance *= CLOSE;
    // Where powers are not so many watts a region, what takes its place is about right at best.
    variance += (ABOUT * scale * (joules - dot(weights, plain.energies))) ** 2;
    return Math.sqrt(variance);
  };
  const seOf = (some: readonly number[], parts?: readonly number[]): number => {
    const weights = new Float64Array(classes);
    some.forEach((c, i) => weights[c] = parts?.[i] ?? 1);
    const seJ = errorOf(weights);
    return Number.isFinite(seJ) ? seJ : NaN;
  };
  const middle = best.solution;
  const reason = counterReason(stream, frame, stream.store.classCount);
  const list: ClassFit[] = [];
  for (let c = 0; c < classes; c++) {
    const seJ = seOf([c]);
    const energyJ = energies[c] * scale;
    const untold = judge(c, { energyJ, seJ, middle, frame, reason });
    list.push({
      energyJ: frame.seconds[c] > 0 ? energyJ : 0,
      seJ,
      ...(untold === undefined ? {} : { untold }),
    });
  }
  const some = list.flatMap((fit, c) => fit.untold === undefined ? [c] : []);
  const jointSeJ = some.length === list.length ? 0 : seOf(some);
  const isSure = (group: readonly number[]): boolean => {
    if (group.length === 1) return list[group[0]].untold === undefined;
    const energyJ = group.reduce((sum, c) => sum + list[c].energyJ, 0);
    return reason === undefined && isTold(energyJ, seOf(group));
  };
  const { isGuess } = best;
  let counted = 0, sure = 0;
  const count = (group: readonly number[], times: number) => {
    const is = isSure(group);
    // A class with little time does not decide about the others.
    if (is || group.some((c) => !isGuess[c])) counted += times;
    if (is) sure += times;
  };
  frame.alone.forEach((times, c) => times > 0 && count([c], times));
  for (const group of frame.groups) count(group, 1);
  const isFew = 2 * sure < counted;
  const { told, blocked } = tell(list, { frame, jointSeJ, reason: isFew ? reason ?? FEW : reason });
  const { shares } = stream.lags[stream.middle];
  return {
    classes: told,
    seOf,
    blocked,
    lagS: models.reduce((sum, { model, weight }) => sum + weight * model.lag.lagS, 0),
    lagSeS: Math.sqrt(best.lag.variance),
    lack: lackOf(models, untestedOf(stream, frame)),
    beyondJ,
    condition: mixingCondition(
      shares.m,
      shares.stride,
      onlyClasses(shares.d, stream.store.isColumn, classes),
    ),
    intervals: stream.taken,
    filter: stream.filter,
    // Where nothing is reported, all classes are unidentifiable together, and their sum is the counter's.
    jointSeJ: told.some((fit) => fit.untold === undefined) ? jointSeJ : 0,
  };
}

/** Why nothing was tested; `undefined`: it was. */
function untestedOf(stream: FitStream, frame: FitFrame): Untested | undefined {
  if (frame.isUntested) return frame.untested;
  if (stream.counted < LEAST_ROWS) return UNTESTED.few;
  return stream.columns.list.length > 0 ? undefined : frame.untested;
}

/** The rules for a whole domain instance. */
function tell(
  list: ClassFit[],
  { frame, jointSeJ, reason }: { frame: FitFrame; jointSeJ: number; reason: Untold | undefined },
): { told: readonly ClassFit[]; blocked: Untold | undefined } {
  const seen = list.filter((_, c) => frame.seconds[c] > 0);
  const told = seen.filter((fit) => fit.untold === undefined);
  const toldJ = told.reduce((sum, fit) => sum + fit.energyJ, 0);
  const overJ = toldJ - frame.totalJ;
  // Errors are underestimated where most regions cannot be determined.
  if (reason !== undefined) return { told: allUntold(list, frame, reason), blocked: reason };
  if (!(overJ > 0) || told.length === seen.length) return { told: list, blocked: undefined };
  if (overJ > Math.max(MOST_OVER * jointSeJ, MOST_OVER_SHARE * frame.totalJ)) {
    return { told: allUntold(list, frame, OVER), blocked: OVER };
  }
  // Unreported classes took no visible energy: the others cannot take more than the total.
  const scaled = list.map((fit): ClassFit =>
    fit.untold === undefined ? { ...fit, energyJ: fit.energyJ * frame.totalJ / toldJ } : fit
  );
  return { told: scaled, blocked: undefined };
}

function allUntold(list: ClassFit[], frame: FitFrame, untold: Untold): ClassFit[] {
  return list.map((fit, c): ClassFit => frame.seconds[c] > 0 ? { untold, ...fit } : fit);
}

/** Why nothing can be reported for a counter. */
function counterReason(stream: FitStream, frame: FitFrame, classes: number): Untold | undefined {
  const needed = Math.max(LEAST_INTERVALS, PER_CLASS * classes);
  if (stream.counted < needed) return "too few changes of the counter";
  if (frame.inStep) return "steps keep in step with the counter";
  return frame.isLocked ? "regions keep in step with the counter" : undefined;
}

function judge(c: number, of: {
  energyJ: number;
  seJ: number;
  middle: Solution;
  frame: FitFrame;
  reason: Untold | undefined;
}): Untold | undefined {
  const { middle, frame } = of;
  // Who had no CPU time drew nothing, for certain.
  if (!(frame.seconds[c] > 0)) return undefined;
  if (of.reason !== undefined) return of.reason;
  if (c === frame.shared) return ONE_OF_MANY;
  if (middle.factor.inseparable.has(c)) return "always in the same mix with other regions";
  if (middle.held.has(c)) return "its power would be negative";
  return isTold(of.energyJ, of.seJ) ? undefined : UNCERTAIN;
}

/** Is an energy known well enough to be reported? */
export function isTold(energyJ: number, seJ: number): boolean {
  return energyJ > 0 && seJ <= MOST_ERROR * energyJ;
}

function onlyClasses(d: Float64Array, isColumn: Uint8Array, count: number): Float64Array {
  return d.slice(0, count).map((s, i) => isColumn[i] === 1 ? 0 : s);
}
