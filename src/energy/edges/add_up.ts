/**
 * From the counters of a kind to one figure for a set of classes: a region and all that is nested
 * in it. Package energy is the sum over packages.
 * @module
 */
import type { LackOfFit } from "./causes.ts";
import type { CounterResult, Method } from "./counter_attribution.ts";
import { type FitOutcome, isTold, ONE_OF_MANY, UNCERTAIN, type Untold } from "./fit_outcome.ts";

/** Energy of one class, or of several together, of one kind, J. */
export interface ClassEnergy {
  readonly exactJ: number;
  /** NaN: it cannot be determined. */
  readonly fitJ: number;
  /** NaN: there is none. */
  readonly seJ: number;
  /**
   * Power of the domains while all their CPUs of the application were in the class, W; NaN: never. Domains without
   * such CPUs have no part in it.
   */
  readonly powerW: number;
  /**
   * What the load of these classes caused, at any time of drawing, J; NaN where it cannot be determined. Differs
   * from `fitJ` only where power follows the load late.
   */
  readonly causedJ: number;
  /** CPU-seconds by edges, over the domains of these counters. */
  readonly cpuS: number;
  /** Why it cannot be determined. */
  readonly why?: Untold;
}

/** The results of one counter's fit beside energies. */
export interface CounterFacts {
  readonly index: number;
  /** Classes whose energy cannot be determined here. */
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
  /** What powers depend on beside the region; `undefined`: there is no fit. */
  readonly lack: LackOfFit | undefined;
}

/** One kind of counters. */
export interface KindResult {
  readonly totalJ: number;
  /** Class 0 is `unmarked`, class r + 1 region r; classes that were never seen are 0 J. */
  readonly of: (classIndex: number) => ClassEnergy;
  /** Several classes together, their covariances in the error. */
  readonly sum: (classes: readonly number[]) => ClassEnergy;
  /** CPUs while none of their processes lives, and domains that no process may use. */
  readonly otherCpus: ClassEnergy;
  /** GEOPM's rule by CPU, J. */
  readonly sampledJ: (classIndex: number) => number;
  readonly counters: readonly CounterFacts[];
}

/** Part of a region's sum up to which one counter's untold part is let through. */
const SMALL_PART = 0.1;
/**
 * Part of an energy that goes astray where time between samples is taken to grow evenly: up to 0.8 %
 * of it with visits of 0.2 to 3 ms, in tests/energy/edges/folded_test.ts.
 */
const DIVIDED_ERROR = 0.006;
/** What a share of a number of the fit lacks to all of it, by rounding. */
const WHOLE = 1e-9;
const NO_FIT: Untold = "too few changes of the counter";

/**
 * Adds up counters of one kind.
 *
 * @param unused Class of the energy of a domain that no process may use.
 */
export function addUp(
  parts: readonly { index: number; result: CounterResult; sampledJ: Float64Array }[],
  method: Method,
  unused: number,
): KindResult {
  const results = parts.map((part) => part.result);
  const shares = results.map((result) => new Shared(result, unused));
  const cpus = results.reduce((sum, { cpus }) => sum + cpus, 0);
  const sum = (classes: readonly number[]) => sumOf(shares, classes, { method, cpus });
  let told: readonly CounterFacts[] | undefined;
  return {
    totalJ: results.reduce((sum, { totalJ }) => sum + totalJ, 0),
    of: (c) => sum([c]),
    sum,
    otherCpus: sum([unused]),
    sampledJ: (c) => parts.reduce((sum, { sampledJ }) => sum + (sampledJ[c] ?? 0), 0),
    // Goes through all classes, and not everybody asks.
    get counters() {
      return told ??= method === "fit" ? parts.map(({ index }, k) => facts(index, shares[k])) : [];
    },
  };
}

/** Some classes in one counter. */
interface Part {
  exactJ: number;
  energyJ: number;
  seJ: number;
  /** What was caused beyond that, J. */
  beyondJ: number;
  seconds: number;
  /** CPU-seconds of the same energy, which its power is over. */
  powerS: number;
  why?: Untold;
}

/** The classes of one counter, of which several may have one number in the fit. */
class Shared {
  /** By class: its number in the fit, and the class whose time was divided; −1: none. */
  readonly #own: Int32Array;
  readonly #around: Int32Array;
  /** CPU-seconds by own number of the fit. */
  readonly #ownS: Float64Array;
  /** Energy by exact edges of all that was divided, by the class whose time it was, J; empty: nothing was. */
  readonly #dividedJ: Float64Array;
  readonly #one: Part = {
    exactJ: 0,
    energyJ: 0,
    seJ: 0,
    beyondJ: 0,
    seconds: 0,
    powerS: 0,
    why: undefined,
  };

  constructor(readonly result: CounterResult, readonly unused: number) {
    const { seconds, exactJ } = result, classes = seconds.length;
    const own = this.#own = new Int32Array(classes);
    const around = this.#around = new Int32Array(classes);
    let numbers = 0, outer = 0;
    for (let c = 0; c < classes; c++) {
      numbers = Math.max(numbers, 1 + (own[c] = result.fitOf(c)));
      outer = Math.max(outer, 1 + (around[c] = result.foldedIn(c)));
    }
    const ownS = this.#ownS = new Float64Array(numbers);
    const dividedJ = this.#dividedJ = new Float64Array(outer);
    for (let c = 0; c < classes; c++) {
      if (own[c] >= 0) ownS[own[c]] += seconds[c];
      if (around[c] >= 0) dividedJ[around[c]] += exactJ[c];
    }
  }

  /** One class: what `part` says of it alone, and valid until the next call, since there may be very many. */
  one(c: number): Readonly<Part> {
    const { result } = this;
    const { fit } = result, isUsed = result.cpus > 0;
    const isKnown = c < result.exactJ.length;
    const is = this.#one;
    is.exactJ = !isUsed ? (c === this.unused ? result.totalJ : 0) : isKnown ? result.exactJ[c] : 0;
    is.energyJ = !isUsed ? is.exactJ : 0;
    is.seJ =
      is.beyondJ =
      is.seconds =
      is.powerS =
        0;
    is.why = undefined;
    const seconds = isKnown ? result.seconds[c] : 0;
    if (!isUsed || !(seconds > 0)) return is;
    is.seconds = seconds;
    is.powerS = c === 0 ? seconds + result.leadS : seconds;
    if (fit === undefined) {
      [is.energyJ, is.seJ, is.why] = [is.exactJ, NaN, NO_FIT];
      return is;
    }
    const own = this.#own[c];
    const share = own < 0 ? 0 : Math.min(1, seconds / this.#ownS[own]);
    if (own >= 0) is.beyondJ = seconds / this.#ownS[own] * (fit.beyondJ[own] ?? 0);
    if (own >= 0 && share > 1 - WHOLE) {
      const { energyJ, seJ, untold } = fit.classes[own];
      is.energyJ = untold === ONE_OF_MANY ? is.exactJ : energyJ;
      is.seJ = seJ;
      is.why = untold;
    } else {
      const whole = own < 0 ? 0 : fit.classes[own].energyJ;
      // Outside of all intervals: as uncertain as it is large.
      is.energyJ = own < 0 ? is.exactJ : share * whole;
      const variance = own < 0
        ? is.exactJ * is.exactJ
        : (Math.min(share, 1 - share) * whole) ** 2 / 4 + (share * fit.classes[own].seJ) ** 2;
      is.seJ = Math.sqrt(variance);
      is.why = fit.blocked ??
        (own >= 0 && share < 1 - WHOLE
          ? ONE_OF_MANY
          : isTold(is.energyJ, is.seJ)
          ? undefined
          : UNCERTAIN);
    }
    if (this.#dividedJ.length > 0) is.seJ = Math.hypot(is.seJ, this.#oneDividedSeJ(c));
    return is;
  }

  /** Some classes together. */
  part(classes: readonly number[]): Readonly<Part> {
    const { result } = this;
    if (result.cpus === 0) {
      const energyJ = classes.includes(this.unused) ? result.totalJ : 0;
      return { exactJ: energyJ, energyJ, seJ: 0, seconds: 0, powerS: 0, beyondJ: 0 };
    }
    let exactJ = 0;
    let seconds = 0;
    const parts = new Map<number, number>();
    for (const c of classes) {
      exactJ += c < result.exactJ.length ? result.exactJ[c] : 0;
      const s = c < result.seconds.length ? result.seconds[c] : 0;
      if (!(s > 0)) continue;
      seconds += s;
      const own = this.#own[c];
      parts.set(own, (parts.get(own) ?? 0) + (own < 0 ? result.exactJ[c] : s / this.#ownS[own]));
    }
    // A class without CPU time drew nothing, for certain.
    if (seconds === 0) return { exactJ, energyJ: 0, seJ: 0, seconds, powerS: 0, beyondJ: 0 };
    let beyondJ = 0;
    for (const [own, part] of parts) {
      if (own >= 0) beyondJ += part * (result.fit?.beyondJ[own] ?? 0);
    }
    const fitted = this.#fitted(exactJ, parts);
    return {
      exactJ,
      seconds,
      powerS: classes.includes(0) ? seconds + result.leadS : seconds,
      beyondJ,
      ...fitted,
      seJ: Math.hypot(fitted.seJ, this.#dividedSeJ(classes)),
    };
  }

  /** What `#dividedSeJ` is for one class, since there may be very many. */
  #oneDividedSeJ(c: number): number {
    const { exactJ } = this.result, around = this.#around[c];
    if (around < 0) return 0;
    const beside = Math.max(0, this.#dividedJ[around] - exactJ[c]);
    return DIVIDED_ERROR * Math.abs(Math.min(exactJ[c], beside));
  }

  /** The uncertainty of classes without edges, with that of the energy beside them. */
  #dividedSeJ(classes: readonly number[]): number {
    if (this.#dividedJ.length === 0) return 0;
    const { exactJ } = this.result;
    const inside = new Map<number, number>();
    for (const c of classes) {
      const around = c < exactJ.length ? this.#around[c] : -1;
      if (around < 0) continue;
      inside.set(around, (inside.get(around) ?? 0) + exactJ[c]);
    }
    let variance = 0;
    for (const [around, joules] of inside) {
      const beside = Math.max(0, this.#dividedJ[around] - joules);
      variance += (DIVIDED_ERROR * Math.min(joules, beside)) ** 2;
    }
    return Math.sqrt(variance);
  }

  #fitted(
    exactJ: number,
    parts: Map<number, number>,
  ): { energyJ: number; seJ: number; why?: Untold } {
    const { fit } = this.result;
    if (fit === undefined) return { energyJ: exactJ, seJ: NaN, why: NO_FIT };
    // What was in no interval goes by CPU time, and is as uncertain as it is large.
    const outsideJ = parts.get(-1) ?? 0;
    parts.delete(-1);
    const owns = [...parts.keys()];
    const shares = owns.map((own) => Math.min(1, parts.get(own)!));
    if (owns.length === 1 && shares[0] > 1 - WHOLE && outsideJ === 0) {
      const { energyJ, seJ, untold } = fit.classes[owns[0]];
      const isShared = untold === ONE_OF_MANY;
      return { energyJ: isShared ? exactJ : energyJ, seJ, ...(untold && { why: untold }) };
    }
    let energyJ = outsideJ;
    let variance = outsideJ * outsideJ;
    owns.forEach((own, i) => {
      const whole = fit.classes[own].energyJ;
      energyJ += shares[i] * whole;
      // Which of those that share a number drew it is not known.
      if (shares[i] <= 1 - WHOLE) {
        variance += (Math.min(shares[i], 1 - shares[i]) * whole) ** 2 / 4;
      }
    });
    const seJ = Math.sqrt(variance + fittedSeJ(fit, owns, shares) ** 2);
    if (fit.blocked !== undefined) return { energyJ, seJ, why: fit.blocked };
    if (owns.length === 1 && shares[0] < 1 - WHOLE) return { energyJ, seJ, why: ONE_OF_MANY };
    return isTold(energyJ, seJ) ? { energyJ, seJ } : { energyJ, seJ, why: UNCERTAIN };
  }
}

/** Standard error of parts of some numbers of a fit; that of one alone is known already. */
function fittedSeJ(fit: FitOutcome, owns: readonly number[], parts: readonly number[]): number {
  if (owns.length === 0) return 0;
  return owns.length === 1 ? parts[0] * fit.classes[owns[0]].seJ : fit.seOf(owns, parts);
}

function sumOf(
  counters: readonly Shared[],
  classes: readonly number[],
  { method, cpus }: { method: Method; cpus: number },
): ClassEnergy {
  let exactJ = 0;
  let sum = 0;
  let variance = 0;
  let untoldJ = 0;
  let seconds = 0;
  let powerS = 0;
  let beyondJ = 0;
  let why: Untold | undefined;
  /** Of domains in which the application has no CPU. */
  let besideJ = 0;
  for (const counter of counters) {
    const part = classes.length === 1 ? counter.one(classes[0]) : counter.part(classes);
    if (counter.result.cpus === 0) besideJ += part.exactJ;
    exactJ += part.exactJ;
    seconds += part.seconds;
    powerS += part.powerS;
    // What is a little below 0 here is too much elsewhere: only with it is the sum that of the counters.
    const { energyJ } = part;
    beyondJ += part.beyondJ;
    sum += energyJ;
    variance += part.seJ * part.seJ;
    if (part.why === undefined) continue;
    untoldJ += Math.max(Math.abs(energyJ), part.exactJ);
    why ??= part.why;
  }
  const powerOf = (joules: number) => seconds > 0 ? cpus * (joules - besideJ) / powerS : NaN;
  if (method === "exact") {
    return { exactJ, fitJ: NaN, seJ: NaN, causedJ: NaN, powerW: powerOf(exactJ), cpuS: seconds };
  }
  const seJ = Math.sqrt(variance);
  if (why !== undefined && !(untoldJ <= SMALL_PART * sum && Number.isFinite(seJ))) {
    return { exactJ, fitJ: NaN, seJ, causedJ: NaN, powerW: powerOf(exactJ), cpuS: seconds, why };
  }
  return { exactJ, fitJ: sum, seJ, causedJ: sum + beyondJ, powerW: powerOf(sum), cpuS: seconds };
}

function facts(index: number, counter: Shared): CounterFacts {
  const { result } = counter;
  const { fit, seconds } = result;
  const untold: number[] = [];
  let toldJ = 0;
  for (let c = 0; c < seconds.length; c++) {
    if (!(seconds[c] > 0)) continue;
    const part = counter.one(c);
    if (part.why === undefined) toldJ += part.energyJ;
    else untold.push(c);
  }
  return {
    index,
    untold,
    jointJ: untold.length === 0 ? 0 : result.totalJ - toldJ,
    jointSeJ: fit?.jointSeJ ?? NaN,
    condition: fit?.condition ?? NaN,
    lagS: fit?.lagS ?? NaN,
    lagSeS: fit?.lagSeS ?? NaN,
    updatePeriodS: result.updatePeriodS,
    intervals: fit?.intervals ?? 0,
    changes: result.changes,
    breaks: result.breaks,
    lack: fit?.lack,
  };
}
