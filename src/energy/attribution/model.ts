/**
 * The mixed model of one counter: E = Zθ + ε, θ ~ N(μ, Λ⁻¹), ε ARMA(1, 1) over intervals in order.
 *
 * With whitened X, y: A = XᵀX, c = Xᵀy, q = yᵀy; V = (A/s² + Λ)⁻¹, θ = V(c/s² + Λμ).
 * @module
 */
import {
  dot,
  type Factor,
  factor,
  GramSum,
  inverseDiagonal,
  inverseOf,
  PANEL,
  solveFactored,
} from "./linear.ts";

/** Noise: power that remembers, and errors of boundaries, opposite in neighbours. */
export interface Noise {
  readonly phi: number;
  readonly theta: number;
}

/** Memory of 1 to 50 intervals by errors of boundaries up to almost all of the noise; no pair that cancels itself. */
const NOISES: readonly Noise[] = [0, 0.5, 0.9, 0.98].flatMap((phi) =>
  [0, 0.3, 0.6, 0.8, 0.9, 0.96].filter((theta) => phi === 0 || theta !== phi)
    .map((theta) => ({ phi, theta }))
);
/** Noise with these parameters. */
export function noiseOf(phi: number, theta: number): Noise {
  return NOISES.find((noise) => noise.phi === phi && noise.theta === theta)!;
}

/** Columns that are summed up between two pauses, and noises that are tried. */
export const COLUMNS_AT_ONCE = 32;
const NOISES_AT_ONCE = 4;
/** Innovations of a stretch that depend on its unknown past are left out when noises are compared. */
const WARM_UP = 3;
/**
 * Maximum standard deviation of a family of effects: with more than half the power, powers below 0
 * would be likely.
 */
const MAX_EFFECT = 0.5;
/** A family of effects is as if one of 2 % had been seen before: visits of one region differ by 2 to 3 %. */
const S0 = 0.02;
/** Families start with effects of 10 %. */
const START_EFFECT = 0.1;
/** Without a fit before, s² starts at this part of the squares of the energies. */
const START_NOISE = 0.01;
/** EM ends where a round changes s² and each family's effects by less than these parts. */
const STILL_S2 = 0.001, STILL_EFFECT = 0.01;
/** Whitened columns end where less than this is left, CPU-seconds: a column that is 0 costs nothing. */
const TAIL_S = 1e-9;
/** Rounding: a residual is never less than this part of the energies' squares. */
const NOTHING = 1e-12;

/** Families of columns: a class's own power, effects 1 to 7, and columns whose prior is fixed. */
export const FAMILY = {
  own: 0,
  length: 1,
  age: 2,
  before: 3,
  beforeFirst: 4,
  beside: 5,
  memory: 6,
  time: 7,
  lag: -1,
  common: -2,
  shape: -3,
} as const;

/** Stretches of rows without a break: from, to. */
export type Stretches = readonly (readonly [number, number])[];

/** The places of rows that are used, and their unbroken stretches. */
export function stretchesOf(isUsed: Uint8Array): { at: Int32Array; stretches: Stretches } {
  const at: number[] = [], stretches: [number, number][] = [];
  isUsed.forEach((is, k) => {
    if (is === 0) return;
    if (at.length > 0 && at[at.length - 1] === k - 1) stretches[stretches.length - 1][1]++;
    else stretches.push([at.length, at.length + 1]);
    at.push(k);
  });
  return { at: Int32Array.from(at), stretches };
}

/** f[k] = v[k] − φ v[k − 1] + θ f[k − 1] within each stretch. */
export function whiten(
  v: Float64Array,
  out: Float64Array,
  stretches: Stretches,
  { phi, theta }: Noise,
): void {
  for (const [from, to] of stretches) {
    let last = 0, before = 0;
    for (let k = from; k < to; k++) {
      const x = v[k];
      out[k] = last = x - phi * before + theta * last;
      before = x;
    }
  }
}

/** Noise whose filter leaves the smallest residual. */
export function* likelyNoise(e: Float64Array, stretches: Stretches): Generator<void, Noise> {
  const f = new Float64Array(e.length);
  let best = NOISES[0], least = Infinity;
  for (const [i, noise] of NOISES.entries()) {
    if (i % NOISES_AT_ONCE === 0) yield;
    whiten(e, f, stretches, noise);
    const rest = f.subarray(WARM_UP), sum = dot(rest, rest);
    if (sum < least) [least, best] = [sum, noise];
  }
  return best;
}

/** Sums of products of whitened columns: the last one is the energies. */
interface Whitened {
  readonly noise: Noise;
  readonly more: readonly Float64Array[];
  readonly products: Float64Array;
}

/** Some whitened rows, column after column, each with {@linkcode PANEL} numbers. Valid until the next panel. */
export interface Panel {
  readonly from: number;
  readonly to: number;
  readonly x: Float64Array;
}

/** The rows of a fit: some intervals of a design. Columns are in their own units; a fit scales them. */
export class Rows {
  readonly length: number;
  /** 1/√(d/d̄) by row: noise grows with the length of an interval. */
  readonly weights: Float64Array;
  readonly y: Float64Array;
  #whitened: Whitened | undefined;

  /** @param z Column after column, `stride` intervals each. */
  constructor(
    readonly z: Float64Array,
    readonly stride: number,
    readonly columns: number,
    readonly energyJ: Float64Array,
    lengthS: Float64Array,
    readonly at: Int32Array,
    readonly stretches: Stretches,
  ) {
    const n = this.length = at.length;
    let mean = 0;
    for (let k = 0; k < n; k++) mean += lengthS[at[k]] / n;
    this.weights = new Float64Array(n);
    this.y = new Float64Array(n);
    for (let k = 0; k < n; k++) {
      this.weights[k] = 1 / Math.sqrt(lengthS[at[k]] / mean);
      this.y[k] = energyJ[at[k]] * this.weights[k];
    }
  }

  /** Whitened columns, and further ones over all intervals, some rows at a time: all rows at once take much memory. */
  *panels(noise: Noise, more: readonly Float64Array[] = []): Generator<Panel> {
    const { length: n, columns, z, stride } = this, width = columns + more.length;
    const x = new Float64Array(PANEL * width);
    // The filter of each column: its last row before whitening and after it.
    const before = new Float64Array(width), last = new Float64Array(width);
    const isFirst = new Uint8Array(n);
    for (const [from] of this.stretches) isFirst[from] = 1;
    for (let from = 0; from < n; from += PANEL) {
      const to = Math.min(n, from + PANEL);
      for (let j = 0; j < width; j++) {
        const isMore = j >= columns, of = isMore ? more[j - columns] : z;
        const at = { from, to, offset: isMore ? 0 : j * stride, out: j * PANEL };
        this.#whiten(of, at, noise, { x, before, last, j, isFirst });
      }
      yield { from, to, x };
    }
  }

  /** Whitens some rows of a column. */
  #whiten(
    of: Float64Array,
    { from, to, offset, out }: { from: number; to: number; offset: number; out: number },
    { phi, theta }: Noise,
    filter: {
      x: Float64Array;
      before: Float64Array;
      last: Float64Array;
      j: number;
      isFirst: Uint8Array;
    },
  ): void {
    const { at, weights } = this, { x, j, isFirst } = filter;
    let before = filter.before[j], last = filter.last[j];
    let k = from;
    if (before === 0 && last === 0) {
      while (k < to && of[offset + at[k]] === 0) k++;
      x.fill(0, out, out + k - from);
    }
    for (; k < to; k++) {
      if (isFirst[k] === 1) before = last = 0;
      const now = of[offset + at[k]] * weights[k];
      last = now - phi * before + theta * last;
      // What is left of a stay that is over.
      if (now === 0 && before === 0 && Math.abs(last) < TAIL_S) last = 0;
      x[out + k - from] = last;
      before = now;
    }
    filter.before[j] = before;
    filter.last[j] = last;
  }

  /** Sums of whitened columns, of further ones over all intervals, and of the energies. */
  *whitened(noise: Noise, more: readonly Float64Array[]): Generator<void, Whitened> {
    const last = this.#whitened;
    if (last?.noise === noise && last.more === more) return last;
    const sum = new GramSum(this.columns + more.length + 1);
    for (const { from, to, x } of this.panels(noise, [...more, this.energyJ])) {
      yield;
      sum.add(x, PANEL, 0, to - from);
    }
    return this.#whitened = { noise, more, products: sum.whole() };
  }

  /** Weighted residual: y − Xθ. */
  *residual(
    theta: Float64Array,
    scale: Float64Array,
    more: readonly Float64Array[],
  ): Generator<void, Float64Array> {
    const e = this.y.slice(), { z, stride, at, weights } = this;
    const sum = new Float64Array(e.length);
    for (let j = 0; j < this.columns; j++) {
      if (j % COLUMNS_AT_ONCE === 0) yield;
      const factor = theta[j] * scale[j], o = j * stride;
      if (factor === 0) continue;
      for (let k = 0; k < e.length; k++) sum[k] += factor * z[o + at[k]];
    }
    more.forEach((column, j) => {
      const factor = theta[this.columns + j];
      for (let k = 0; k < e.length; k++) sum[k] += factor * column[at[k]];
    });
    for (let k = 0; k < e.length; k++) e[k] -= sum[k] * weights[k];
    return e;
  }
}

/** Prior knowledge of a fit's columns. */
export interface Priors {
  readonly families: Int8Array;
  /** Standard deviations of columns with a fixed prior, by family. */
  readonly fixed: Readonly<Record<number, number>>;
}

/** Standard deviations by family of effects. */
export type Effects = ReadonlyMap<number, number>;

/** A fitted model. */
export interface Fit {
  readonly theta: Float64Array;
  /** Posterior covariance, row after row. */
  readonly v: Float64Array;
  readonly s2: number;
  readonly noise: Noise;
  readonly effects: Effects;
  readonly a: Float64Array;
  /** Weighted residuals. */
  readonly e: Float64Array;
  /** −2 ln likelihood. */
  readonly deviance: number;
}

/** Normal equations: A, c, q of N rows. */
export interface Sums {
  readonly a: Float64Array;
  readonly c: Float64Array;
  readonly q: number;
  readonly n: number;
}

/** Result of the EM rounds. */
export interface Solved {
  readonly theta: Float64Array;
  readonly root: Factor;
  readonly s2: number;
  readonly effects: Map<number, number>;
  readonly deviance: number;
  /** Would more rounds give the same? */
  readonly isSettled: boolean;
}

/**
 * EM for s² and the families' standard deviations: σ² ← (S₀² + Σ (u² + V))/(1 + n), which belongs to the penalty
 * S₀²/σ² + ln σ² in −2 ln likelihood.
 */
function* solveEm(
  { a, c, q, n }: Sums,
  { families, fixed }: Priors,
  start: { s2: number; effects: Effects; rounds: number },
): Generator<void, Solved> {
  const p = c.length, effects = new Map(start.effects);
  const all = [...new Set(families)].filter((f) => f > 0).sort((x, y) => x - y);
  for (const f of all) if (!effects.has(f)) effects.set(f, START_EFFECT);
  const lambda = new Float64Array(p), b = new Float64Array(p), m = new Float64Array(p * p);
  let s2 = start.s2, theta: Float64Array = b, root: Factor | undefined, rss = 0, fallen = 0;
  let isSettled = false;
  for (let round = 0; round < start.rounds; round++) {
    yield;
    fallen = 0;
    for (let j = 0; j < p; j++) {
      const f = families[j];
      lambda[j] = f === FAMILY.own ? 1 : 1 / (f < 0 ? fixed[f] : effects.get(f)!) ** 2;
      b[j] = c[j] / s2 + (f === FAMILY.own ? lambda[j] : 0);
    }
    for (let i = 0; i < m.length; i++) m[i] = a[i] / s2;
    for (let j = 0; j < p; j++) m[j * p + j] += lambda[j];
    root = yield* factor(m, p);
    theta = solveFactored(root, b);
    const v = inverseDiagonal(root);
    let linear = 0, square = 0, free = p;
    for (let j = 0; j < p; j++) {
      linear += c[j] * theta[j];
      square += theta[j] * dot(a, theta, p, j * p);
      // tr(AV)/s² = p − tr(ΛV)
      free -= lambda[j] * v[j];
      fallen += lambda[j] * (theta[j] - (families[j] === FAMILY.own ? 1 : 0)) ** 2;
    }
    rss = Math.max(q - 2 * linear + square, NOTHING * q);
    const next = rss / Math.max(n - free, n / 4);
    isSettled = Math.abs(next / s2 - 1) < STILL_S2;
    for (const f of all) {
      let sum = S0 * S0, count = 1;
      for (let j = 0; j < p; j++) {
        if (families[j] !== f) continue;
        sum += theta[j] ** 2 + v[j];
        count++;
      }
      const effect = Math.min(MAX_EFFECT, Math.sqrt(sum / count));
      isSettled &&= Math.abs(effect / effects.get(f)! - 1) < STILL_EFFECT;
      effects.set(f, effect);
    }
    s2 = next;
    if (isSettled) break;
  }
  let deviance = n * Math.log(s2) + rss / s2 + fallen + root!.logDet;
  for (let j = 0; j < p; j++) deviance -= Math.log(lambda[j]);
  for (const f of all) {
    const variance = effects.get(f)! ** 2;
    deviance += S0 * S0 / variance + Math.log(variance);
  }
  return { theta, root: root!, s2, effects, deviance, isSettled };
}

/**
 * Fits rows: EM, then the noise is chosen again.
 *
 * @param scale By column of the rows: joules if its coefficient is 1.
 * @param more Further columns in joules, over all intervals of the design.
 */
export function* fitRows(
  rows: Rows,
  { scale, more, priors }: {
    scale: Float64Array;
    more: readonly Float64Array[];
    priors: Priors;
  },
  start: { noise: Noise; effects: Effects; s2?: number; filters: number; rounds: number },
): Generator<void, Fit> {
  let { noise, effects, s2 = NaN } = start;
  for (let filter = 0;; filter++) {
    const w = yield* rows.whitened(noise, more);
    const sums = scaled(w, rows.length, scale, scale.length + more.length);
    yield;
    if (!(s2 > 0)) s2 = START_NOISE * sums.q / rows.length;
    const solved = yield* solveEm(sums, priors, { s2, effects, rounds: start.rounds });
    yield;
    const e = yield* rows.residual(solved.theta, scale, more);
    yield;
    const next = yield* likelyNoise(e, rows.stretches);
    ({ s2, effects } = solved);
    const isLast = filter + 1 === start.filters || (next === noise && solved.isSettled);
    if (isLast) {
      const { theta, deviance } = solved, v = yield* inverseOf(solved.root);
      return { theta, v, s2, noise, effects, a: sums.a, e, deviance };
    }
    noise = next;
  }
}

/** Normal equations of scaled columns; further ones have joules already. */
function scaled({ products }: Whitened, n: number, scale: Float64Array, p: number): Sums {
  const a = new Float64Array(p * p), c = new Float64Array(p), q = products[products.length - 1];
  const of = (j: number) => j < scale.length ? scale[j] : 1;
  for (let i = 0; i < p; i++) {
    const o = i * (p + 1), unit = of(i);
    for (let j = 0; j < p; j++) a[i * p + j] = products[o + j] * unit * of(j);
    c[i] = products[o + p] * unit;
  }
  return { a, c, q, n };
}
