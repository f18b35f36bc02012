/**
 * Energies of classes over all domains of a kind and all stretches of a run, with their covariances.
 * @module
 */
import { positive } from "../../core/balance.ts";
import { grown } from "../../core/grow.ts";
import { withoutSum } from "./linear.ts";
import type { Domain } from "./domain.ts";
import { type Choice, type Estimate, MAX_ERROR } from "./estimate.ts";
import { OWN } from "./pieces.ts";

/** Energy of some classes together, J. */
export interface FittedEnergy {
  /** NaN: it cannot be determined. */
  readonly fitJ: number;
  readonly seJ: number;
  /** Energy caused by the class's load, whenever it was drawn, J. */
  readonly causedJ: number;
  /** Seconds of CPUs. */
  readonly cpuS: number;
  /** Power of the domains while all their CPUs were in these classes, W. */
  readonly powerW: number;
  /** Why it cannot be determined. */
  readonly why?: string;
}

/** Energy of some classes, J. */
export interface Total {
  readonly energyJ: number;
  readonly causedJ: number;
  readonly seJ: number;
  readonly cpuS: number;
  /** Main cause of the error. */
  readonly cause: string;
}

/** Relative error of the energy that a class without an entry of its own gets by time. */
const JOINED_ERROR = 0.5;
/** Rounding: a smaller part of the total is no error. */
const NOTHING = 1e-7;
/** Classes that have energies of their own: 2 MiB of covariances. */
const MAX_IDS = 512;

/** Main causes of an error, in words. */
export const CAUSES: Readonly<Record<string, string>> = {
  posterior: "the counter cannot separate the regions",
  blocks: "power varies more than the regions explain",
  edges: "the counter's updates are too coarse for these visits",
  beside: "regions on other CPUs share the counter",
  outside: "most of its time is before the first or after the last update of the counter",
  responses: "the response of the counter is not known",
  joined: "the run has too many short regions",
};

/** Help by cause. */
const HELP: Readonly<Record<string, string>> = {
  "too few changes of the counter": "Run longer.",
  "program and samples are synchronized with the counter": "Use --period 0.005 with --dither on.",
  [CAUSES.posterior]: "Run longer, or vary the order or length of regions.",
  [CAUSES.blocks]: "Run longer.",
  [CAUSES.edges]: "Run longer, or use a shorter --period.",
  [CAUSES.beside]: "Only a counter per core could separate them.",
  [CAUSES.responses]: "Run longer.",
  [CAUSES.joined]: "Use fewer region names at a time.",
};

/** Calls of MPI that each process makes once. */
const ONCE = /^MPI_(Init|Finalize)/;

/** Help for an energy that is not determined, by the reason and the names of the regions. */
export function helpFor(why: string, names: Iterable<string> = []): string | undefined {
  const all = [...names];
  if (why === CAUSES.posterior && all.length > 0 && all.every((name) => ONCE.test(name))) {
    return "A longer run does not help for this call.";
  }
  return / threads share /.test(why) ? "Use as many threads as CPUs, and bind them." : HELP[why];
}

/** Sums of one kind of counters. */
export class RunSum {
  readonly indexOf = new Map<number, number>();
  totalJ = 0;
  /** Units of the domains with lanes. */
  capacity = 0;
  energyJ = new Float64Array(16);
  causedJ = new Float64Array(16);
  seconds = new Float64Array(16);
  /** Joined classes: seconds, and their energy by time. */
  readonly joined = new Map<number, { seconds: number; joules: number }>();
  /** Variances by cause and class. */
  readonly #causes = new Map<string, Float64Array>();
  /** Covariance: of all, and what of it is independent in each stretch; rows of so many. */
  #whole = new Float64Array(256);
  #covariance = new Float64Array(256);
  #width = 16;
  #all: Float64Array | undefined;
  #settled: Float64Array | undefined;
  #stretches = 0;
  /** Standard deviations that all stretches have alike: what the prior decides. */
  #alike = new Float64Array(16);
  /** By choice of the answer: what other answers say, which all stretches have alike. */
  readonly #apart = new Map<Choice, { weight: number; joules: Map<number, number> }[]>();

  /** A stretch of the run begins. */
  begin(): void {
    this.#stretches++;
  }

  /** Adds a stretch of one domain. */
  add(domain: Domain, estimate: Estimate): void {
    const { ids, seconds, joinedS, classes: n } = domain,
      { energyJ, causedJ, covariance, priorLeft } = estimate;
    this.totalJ += domain.facts.totalJ;
    this.#all = this.#settled = undefined;
    const at = ids.map((id) => this.#place(id));
    for (let c = 0; c < n; c++) {
      const i = at[c];
      this.energyJ[i] += energyJ[c];
      this.causedJ[i] += causedJ[c];
      this.seconds[i] += seconds[c];
      this.#alike[i] += Math.sqrt(Math.max(0, priorLeft[c] * covariance[c * n + c]));
      const left = Math.sqrt(1 - priorLeft[c]);
      for (let r = 0; r < n; r++) {
        const place = i * this.#width + at[r], of = covariance[c * n + r];
        this.#whole[place] += of;
        this.#covariance[place] += left * Math.sqrt(1 - priorLeft[r]) * of;
      }
      if (estimate.refusal !== undefined) this.#cause(estimate.refusal, i, covariance[c * n + c]);
      for (const [name, of] of Object.entries(estimate.parts)) this.#cause(name, i, of[c]);
      for (const { weight, joules } of estimate.apart) {
        this.#cause("responses", i, weight * joules[c] ** 2);
      }
    }
    if (estimate.choice !== undefined) {
      const sums = this.#apart.getOrInsertComputed(
        estimate.choice,
        () => estimate.apart.map(({ weight }) => ({ weight, joules: new Map<number, number>() })),
      );
      estimate.apart.forEach(({ joules }, k) => {
        const sum = sums[k].joules;
        at.forEach((i, c) => sum.set(i, (sum.get(i) ?? 0) + joules[c]));
      });
    }
    const shared = ids.indexOf(OWN.joined);
    const join = (id: number, s: number, joules: number) => {
      const sum = this.joined.getOrInsertComputed(id, () => ({ seconds: 0, joules: 0 }));
      sum.seconds += s;
      sum.joules += joules;
    };
    for (const [id, s] of joinedS) join(id, s, energyJ[shared] * s / seconds[shared]);
    ids.forEach((id, c) => !this.indexOf.has(id) && join(id, seconds[c], energyJ[c]));
  }

  /** Classes of the caller. */
  get ids(): number[] {
    return [...new Set([...this.indexOf.keys(), ...this.joined.keys()])].filter((id) => id >= 0)
      .sort((a, b) => a - b);
  }

  /** Some classes together, whether that is determined or not. */
  total(classes: readonly number[]): Total {
    let energyJ = 0, causedJ = 0, cpuS = 0, joinedJ = 0;
    const at: number[] = [], shared = this.indexOf.get(OWN.joined) ?? -1;
    // Classes without an entry have parts of what the joined one has in the end.
    const settled = shared >= 0 && this.energyJ[shared] > 0
      ? this.#energies()[shared] / this.energyJ[shared]
      : 1;
    for (const id of new Set(classes)) {
      const i = this.indexOf.get(id), joined = this.joined.get(id);
      if (i !== undefined) {
        at.push(i);
        const drawnJ = this.#energies()[i];
        energyJ += drawnJ;
        // What was caused changes with what was drawn, so that both add up to the counter's energy.
        causedJ += this.causedJ[i] + drawnJ - this.energyJ[i];
        cpuS += this.seconds[i];
      }
      if (joined === undefined) continue;
      joinedJ += joined.joules * settled;
      cpuS += joined.seconds;
    }
    const joinedVariance = (JOINED_ERROR * joinedJ) ** 2;
    const variance = this.#variance(at) + joinedVariance;
    const seJ = variance > (NOTHING * this.totalJ) ** 2 ? Math.sqrt(variance) : 0;
    let cause = "joined", most = joinedVariance;
    for (const [name, of] of this.#causes) {
      const part = at.reduce((s, i) => s + (of[i] ?? 0), 0);
      if (part > most) [cause, most] = [name, part];
    }
    return { energyJ: energyJ + joinedJ, causedJ: causedJ + joinedJ, seJ, cpuS, cause };
  }

  /** Some classes together, as far as that is determined. */
  sum(classes: readonly number[]): FittedEnergy {
    const { energyJ, causedJ, seJ, cpuS, cause } = this.total(classes);
    if (cpuS === 0) return { fitJ: 0, causedJ: 0, seJ: 0, cpuS, powerW: NaN };
    const powerW = this.capacity * energyJ / cpuS;
    if (energyJ > 0 && seJ <= MAX_ERROR * energyJ) {
      return { fitJ: energyJ, causedJ, seJ, cpuS, powerW };
    }
    return { fitJ: NaN, causedJ: NaN, seJ, cpuS, powerW: NaN, why: CAUSES[cause] ?? cause };
  }

  /**
   * Energies of which none is below 0: an estimate below its error is so by chance, and those that it depends on
   * have the difference by their covariance.
   */
  #energies(): Float64Array {
    if (this.#settled !== undefined) return this.#settled;
    const n = this.indexOf.size, all = this.#all ??= this.#total();
    const energies = this.energyJ.slice(0, n);
    for (let i = 0; i < n; i++) {
      const variance = all[i * n + i];
      if (!(variance > 0)) continue;
      const moreJ = positive(energies[i], Math.sqrt(variance)) - energies[i];
      if (moreJ === 0) continue;
      for (let j = 0; j < n; j++) energies[j] += moreJ * all[i * n + j] / variance;
    }
    return this.#settled = energies;
  }

  #variance(at: readonly number[]): number {
    const all = this.#all ??= this.#total(), n = this.indexOf.size;
    let sum = 0;
    for (const i of at) for (const j of at) sum += all[i * n + j];
    return sum;
  }

  /** Covariance of all classes: independent stretches, what all have alike, and other answers. */
  #total(): Float64Array {
    const n = this.indexOf.size, width = this.#width, out = new Float64Array(n * n);
    const isOne = this.#stretches === 1, of = isOne ? this.#whole : this.#covariance;
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) {
        const own = of[i * width + j], size = Math.sqrt(of[i * width + i] * of[j * width + j]);
        // What is alike has the correlations of the rest.
        const correlation = i === j ? 1 : size > 0 ? own / size : 0;
        out[i * n + j] = own + (isOne ? 0 : correlation * this.#alike[i] * this.#alike[j]);
      }
    }
    for (const parts of this.#apart.values()) {
      for (const { weight, joules } of parts) {
        for (const [i, a] of joules) for (const [j, b] of joules) out[i * n + j] += weight * a * b;
      }
    }
    return isOne ? out : withoutSum(out, this.energyJ.subarray(0, n));
  }

  #cause(name: string, i: number, variance: number): void {
    let of = this.#causes.get(name) ?? new Float64Array(16);
    if (i >= of.length) of = grown(of, i + 1);
    of[i] += variance;
    this.#causes.set(name, of);
  }

  /** The place of a class; of those beyond what there is room for, that of the joined one. */
  #place(id: number): number {
    const known = this.indexOf.get(id);
    if (known !== undefined) return known;
    if (this.indexOf.size >= MAX_IDS && id !== OWN.joined) return this.#place(OWN.joined);
    const made = this.indexOf.size;
    this.indexOf.set(id, made);
    if (made === this.#width) {
      const width = 2 * this.#width;
      this.#whole = wider(this.#whole, this.#width, width);
      this.#covariance = wider(this.#covariance, this.#width, width);
      this.#width = width;
      this.energyJ = grown(this.energyJ, width);
      this.causedJ = grown(this.causedJ, width);
      this.seconds = grown(this.seconds, width);
      this.#alike = grown(this.#alike, width);
    }
    return made;
  }
}

function wider(of: Float64Array, from: number, to: number): Float64Array<ArrayBuffer> {
  const out = new Float64Array(to * to);
  for (let i = 0; i < from; i++) out.set(of.subarray(i * from, (i + 1) * from), i * to);
  return out;
}
