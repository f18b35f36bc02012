/**
 * From the counters of a kind to one figure a region: package energy is the sum over packages.
 * @module
 */
import type { CounterResult, Method } from "./counter_attribution.ts";
import { ONE_OF_MANY, type Untold } from "./fit_outcome.ts";

/** One class's energy of one kind, J. */
export interface ClassEnergy {
  readonly exactJ: number;
  /** NaN: it cannot be told. */
  readonly fitJ: number;
  /** NaN: there is none. */
  readonly seJ: number;
  /** Why it cannot be told. */
  readonly why?: Untold;
}

/** What one counter's fit says beside energies. */
export interface CounterFacts {
  readonly index: number;
  /** Classes that cannot be told here. */
  readonly untold: readonly number[];
  /** What they took together, and its standard error, J. */
  readonly jointJ: number;
  readonly jointSeJ: number;
  readonly condition: number;
  readonly lagS: number;
  readonly lagSeS: number;
  readonly updatePeriodS: number;
  readonly intervals: number;
  readonly changes: number;
  readonly breaks: number;
}

/** One kind of counters. */
export interface KindResult {
  readonly totalJ: number;
  /** Class 0 is `unmarked`, class r + 1 region r; classes that were never seen are 0 J. */
  readonly of: (classIndex: number) => ClassEnergy;
  /** GEOPM's rule by CPU, J. */
  readonly sampledJ: (classIndex: number) => number;
  readonly counters: readonly CounterFacts[];
}

/** Part of a region's sum up to which one counter's untold part is let through. */
const SMALL_PART = 0.1;
const NO_FIT: Untold = "too few changes of the counter";

/** Adds up counters of one kind. */
export function addUp(
  parts: readonly { index: number; result: CounterResult; sampledJ: Float64Array }[],
  method: Method,
): KindResult {
  const results = parts.map((part) => part.result);
  return {
    totalJ: results.reduce((sum, { totalJ }) => sum + totalJ, 0),
    of: (c) => classEnergy(results, c, method),
    sampledJ: (c) => parts.reduce((sum, { sampledJ }) => sum + (sampledJ[c] ?? 0), 0),
    counters: method === "fit" ? parts.map(({ index, result }) => facts(index, result)) : [],
  };
}

/** One class in one counter. */
interface Part {
  readonly exactJ: number;
  readonly energyJ: number;
  readonly seJ: number;
  readonly why?: Untold;
}

function partOf(result: CounterResult, c: number): Part {
  const exactJ = c < result.exactJ.length ? result.exactJ[c] : 0;
  const seconds = c < result.seconds.length ? result.seconds[c] : 0;
  // A domain in which the application has no CPU is unmarked as a whole; so is what nobody was in.
  if (result.allS === 0) {
    const energyJ = c === 0 ? result.totalJ : 0;
    return { exactJ: energyJ, energyJ, seJ: 0 };
  }
  if (seconds === 0) return { exactJ, energyJ: 0, seJ: 0 };
  const own = result.fitOf(c);
  const fit = own < 0 ? undefined : result.fit?.classes[own];
  if (fit === undefined) return { exactJ, energyJ: exactJ, seJ: NaN, why: NO_FIT };
  const isShared = fit.untold === ONE_OF_MANY;
  return { exactJ, energyJ: isShared ? exactJ : fit.energyJ, seJ: fit.seJ, why: fit.untold };
}

function classEnergy(results: readonly CounterResult[], c: number, method: Method): ClassEnergy {
  let exactJ = 0;
  let sum = 0;
  let variance = 0;
  let untoldJ = 0;
  let why: Untold | undefined;
  for (const result of results) {
    const part = partOf(result, c);
    exactJ += part.exactJ;
    const energyJ = Math.max(0, part.energyJ);
    sum += energyJ;
    variance += part.seJ * part.seJ;
    if (part.why === undefined) continue;
    untoldJ += Math.max(energyJ, part.exactJ);
    why ??= part.why;
  }
  if (method === "exact") return { exactJ, fitJ: NaN, seJ: NaN };
  const seJ = Math.sqrt(variance);
  if (why !== undefined && !(untoldJ <= SMALL_PART * sum && Number.isFinite(seJ))) {
    return { exactJ, fitJ: NaN, seJ, why };
  }
  return { exactJ, fitJ: sum, seJ };
}

function facts(index: number, result: CounterResult): CounterFacts {
  const { fit, seconds } = result;
  const untold: number[] = [];
  let toldJ = 0;
  for (let c = 0; c < seconds.length; c++) {
    if (!(seconds[c] > 0)) continue;
    const part = partOf(result, c);
    if (part.why === undefined) toldJ += part.energyJ;
    else untold.push(c);
  }
  return {
    index,
    untold,
    jointJ: untold.length === 0 ? 0 : Math.max(0, result.totalJ - toldJ),
    jointSeJ: fit?.jointSeJ ?? NaN,
    condition: fit?.condition ?? NaN,
    lagS: fit?.lagS ?? NaN,
    lagSeS: fit?.lagSeS ?? NaN,
    updatePeriodS: result.updatePeriodS,
    intervals: fit?.intervals ?? 0,
    changes: result.changes,
    breaks: result.breaks,
  };
}
