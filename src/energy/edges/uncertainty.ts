/**
 * Variances of energies: the disagreement of a run's blocks, the parts inside intervals and beyond
 * the first and last of them. docs/how-sure.md, "How sure".
 *
 * Every class is one weight of a sum, so that any set of classes has its variance, covariances
 * included: a region and all that is nested in it, or the remainder after the reported ones.
 * @module
 */
import { triangle } from "./solver/triangle.ts";
import type { FitStream } from "./fit_stream.ts";
import { rowTimes, type Solution } from "./solver/nnls.ts";

/** Part of its power that a class may draw more or less in one interval than it usually does. */
const LIKELY_PART = 0.1;

/** The same of unmarked time: starting, waiting and having ended are not of one power. */
const UNMARKED_PART = 0.2;

/** What a unit of a column gives to a class: amounts of one column add up to all of it. */
export interface Given {
  readonly number: number;
  readonly to: number;
  readonly amount: number;
}

/** Where the powers of classes stand for energy: T = b + (S − M)π + what is taken at the mean. */
export interface Reach {
  /** W per CPU by class: the solution's, and the mean for what it does not know. */
  readonly power: Float64Array;
  /** 1 where the power is a guess. */
  readonly isGuess: Uint8Array;
  /** S: CPU-seconds that the power stands for. */
  readonly seconds: Float64Array;
  /** CPU-seconds beyond the intervals, and the part of them taken at the mean power. */
  readonly outsideS: Float64Array;
  readonly atMeanS: Float64Array;
  readonly meanW: number;
  /** What columns give to classes. */
  readonly given: readonly Given[];
}

/** Variances of sums of classes in J², the lag's own error left out. */
export class Variances {
  readonly #stream: FitStream;
  readonly #solution: Solution;
  readonly #reach: Reach;
  readonly #classes: number;
  /** ψ of every block, by class. */
  readonly #between: readonly Float64Array[];
  readonly #s2: number;
  readonly #correction: number;
  readonly #boundaryJ2: number;

  constructor(stream: FitStream, solution: Solution, reach: Reach) {
    const { influence, counted: n } = stream;
    const unknowns = solution.factor.members.length;
    this.#stream = stream;
    this.#solution = solution;
    this.#reach = reach;
    this.#classes = reach.power.length;
    this.#between = this.#blocks();
    const count = this.#between.length;
    const freedom = n / Math.max(1, n - unknowns);
    this.#correction = (count / Math.max(1, count - 1)) * freedom;
    this.#s2 = solution.rss / Math.max(1, n) * freedom;
    this.#boundaryJ2 = Math.max(0, -influence.products / Math.max(1, influence.pairs));
  }

  /** Variance of the sum of classes, each with its weight. */
  of(weights: Float64Array): number {
    const { influence } = this.#stream;
    const n = this.#classes;
    // gᵀ = weightsᵀ (S − M), through A⁻¹.
    const h = this.#held(weights);
    const g = new Float64Array(n);
    this.#solution.factor.solve(h, g);
    let blocks = 0;
    for (const psi of this.#between) blocks += dot(weights, psi) ** 2;
    let model = this.#boundaryJ2 * square(influence.moved, weights);
    for (const i of this.#solution.factor.members) model += this.#s2 * h[i] * g[i];
    // What is known beforehand draws a column to nothing.
    const { ridge } = this.#solution;
    let drawn = 0;
    for (const i of this.#solution.factor.members) {
      if (ridge[i] > 0) drawn += this.#s2 * ridge[i] * g[i] * g[i];
    }
    // The variance by residuals, that for a class that is rare, and the prior.
    const seen = Math.max(blocks, this.#each(weights, g)) * this.#correction + drawn;
    const likely = LIKELY_PART ** 2 * square(influence.mixed, weights) +
      UNMARKED_PART ** 2 * square(influence.unmarked, weights);
    const noise = Math.max(seen, model, likely);
    return noise + this.#inside(weights) + this.#beyond(weights, h);
  }

  /** weightsᵀ (S − M), by class. */
  #held(weights: Float64Array): Float64Array {
    const { shares } = this.#stream.lags[this.#stream.middle];
    const h = new Float64Array(this.#classes);
    for (let j = 0; j < h.length; j++) h[j] = weights[j] * this.#reach.seconds[j];
    for (let r = 0; r < h.length; r++) {
      if (weights[r] === 0) continue;
      const row = r * shares.stride;
      for (let j = 0; j < h.length; j++) h[j] -= weights[r] * shares.m[row + j];
    }
    for (const { number, to, amount } of this.#reach.given) h[number] += weights[to] * amount;
    return h;
  }

  /** ψ of every block, by class: G(c − Aπ) + second terms. */
  #blocks(): Float64Array[] {
    const { shares } = this.#stream.lags[this.#stream.middle];
    const { factor, power } = this.#solution;
    const classes = this.#classes;
    const { seconds } = this.#reach;
    const left = new Float64Array(classes);
    const x = new Float64Array(classes);
    return this.#stream.influence.blocks.map(({ sums, second }) => {
      const known = Math.min(classes, sums.c.length);
      left.fill(0);
      x.fill(0);
      const part = power.subarray(0, known);
      for (let i = 0; i < known; i++) left[i] = sums.c[i] - rowTimes(sums.a, i, part);
      factor.solve(left, x);
      const psi = new Float64Array(classes);
      for (let i = 0; i < classes; i++) {
        let sum = (i < second.length ? second[i] : 0) + seconds[i] * x[i];
        const row = i * shares.stride;
        for (let j = 0; j < classes; j++) sum -= shares.m[row + j] * x[j];
        psi[i] = sum;
      }
      for (const { number, to, amount } of this.#reach.given) psi[to] += amount * x[number];
      return psi;
    });
  }

  /** Σ over intervals of (weights·ψ_k)² = gᵀU g + 2 gᵀW weights + weightsᵀV weights. */
  #each(weights: Float64Array, g: Float64Array): number {
    const { u, uv, vv, stride } = this.#stream.influence;
    let sum = square(u, g) + square(vv, weights);
    for (let i = 0; i < Math.min(stride, g.length); i++) {
      if (g[i] === 0) continue;
      let row = 0;
      for (let r = 0; r < Math.min(stride, weights.length); r++) {
        row += uv[i * stride + r] * weights[r];
      }
      sum += 2 * g[i] * row;
    }
    return Math.max(0, sum);
  }

  /** Noise inside intervals that no share can see. */
  #inside(weights: Float64Array): number {
    const { influence, theta } = this.#stream;
    let sum = -square(influence.insideBoth, weights);
    for (let c = 0; c < weights.length; c++) sum += weights[c] ** 2 * influence.inside[c];
    return Math.max(0, sum) * this.#s2 * (1 - theta) ** 2;
  }

  /** Noise beyond the intervals, and powers that are guesses: those are uncertain by all of them. */
  #beyond(weights: Float64Array, h: Float64Array): number {
    const { influence, taken } = this.#stream;
    const { shares } = this.#stream.lags[this.#stream.middle];
    const { power, isGuess, outsideS, atMeanS, meanW } = this.#reach;
    let inS = 0;
    for (let c = 0; c < this.#classes; c++) inS += shares.d[c];
    // Seconds of the domain for one CPU-second, and the noise of a second of it.
    const perCpu = inS > 0 ? influence.lengthS / inS : 0;
    const noise = this.#s2 * influence.lengthS / Math.max(1, taken);
    let sum = 0;
    for (let c = 0; c < weights.length; c++) {
      if (isGuess[c] === 1) sum += (h[c] * power[c]) ** 2;
      const atPowerJ = LIKELY_PART * power[c] * (outsideS[c] - atMeanS[c]);
      const w2 = weights[c] ** 2;
      sum += w2 * (noise * perCpu * outsideS[c] + atPowerJ ** 2 + (atMeanS[c] * meanW) ** 2);
    }
    return sum;
  }
}

/** Sum over classes, each with its weight. */
export function dot(weights: Float64Array, values: Float64Array): number {
  let sum = 0;
  for (let c = 0; c < weights.length; c++) sum += weights[c] * values[c];
  return sum;
}

/** xᵀ P x, P packed; elements beyond it are 0. */
function square(packed: Float64Array, x: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < x.length && triangle(i) < packed.length; i++) {
    if (x[i] === 0) continue;
    const base = triangle(i);
    let row = packed[base + i] * x[i] / 2;
    for (let j = 0; j < i; j++) row += packed[base + j] * x[j];
    sum += 2 * x[i] * row;
  }
  return sum;
}
