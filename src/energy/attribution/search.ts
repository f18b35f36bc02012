/**
 * Search for the counter's answers that are worth a full fit: classes alone, on a grid of time,
 * over the first intervals.
 * @module
 */
import { cumulated } from "./contexts.ts";
import type { Domain } from "./domain.ts";
import { middle } from "../../core/agg.ts";
import { dot, factor, gram, median, solveFactored, sort } from "./linear.ts";
import { likelyNoise, type Noise, noiseOf, type Stretches, stretchesOf, whiten } from "./model.ts";
import { PIECES_AT_ONCE } from "./pieces.ts";
import { type Family, familyOf, type Kernel, pureLag, reachOf } from "./response.ts";

/** Intervals and classes of the search: it only picks candidates. All other classes are one. */
export const ROWS = 2048, CLASSES = 16;
/** Points of the grid: for 2,048 updates at 40 points each, three times over. */
const MAX_POINTS = 262_144;
/** Fewest rows of a fit. */
export const MIN_ROWS = 24;
/** A counter updated more often than this is fast, s: its first orders are loads that follow late. */
export const FAST_S = 0.005;
/** Before the data: half for the simplest answer, what there is besides alike; shared in a family by its members. */
const WEIGHTS: Record<Family, number> = { lag: 2, "first order": 1, mean: 1, window: 1 };
/** Part-time windows of accelerators' meters, s. */
const WINDOWS_S = [0.005, 0.01, 0.02, 0.025, 0.05, 0.1];
/** A window this much of the period is no part of it. */
const PART_TIME = 0.8;
/** Known accelerators' meters show the mean of a second. */
const DEVICE_MEAN_S = 1;
/** Time constants of loads, s, a factor of two apart: what regulators and fans have. */
const ORDERS_S = [0.00015, 0.0003, 0.0006, 0.0012, 0.0025, 0.005, 0.01, 0.02, 0.04];
/** A counter's own time constant can be told from the load's if it is this much longer. */
const APART = 2;
/** Periods that meters average over, or follow with: meters that are known show up to 10 updates. */
const MEANS = [0.5, 1, 2, 4, 10], FAST_MEANS = [1, 2, 4, 10, 25], OWN_ORDERS = [0.25, 0.5, 1, 2];
/** Maximum lag: two periods, and at least 4 ms; maximum number of steps to it. */
const LAG_PERIODS = 2, LAG_S = 0.004, LAGS = 90;
/** Minima of the pure lag within this of the best (−2 ln L) are refined too; halvings of the step. */
const NEAR_MINIMUM = 60, MINIMA = 3, HALVINGS = 4;
/** Steps that change −2 ln L by less need not be halved. */
const FLAT = 1;
/** A class's power is at least this part of the mean. */
const MIN_POWER = 0.05;

/** A kernel and how well it fits: −2 ln likelihood. */
export interface Candidate {
  readonly kernel: Kernel;
  readonly deviance: number;
}

/** Result of a search. */
export interface Found {
  /** The likeliest first. */
  readonly candidates: readonly Candidate[];
  readonly noise: Noise;
  /** All members of families but the lag, as they were before they moved. */
  readonly shapes: readonly Kernel[];
  /** Powers of classes by the likeliest, W. */
  readonly powers: Float64Array;
}

/** Kernels that are no pure lag. If the load's time constant is known, first orders are the counter's own. */
function shapesOf(periodS: number, isDevice: boolean, loadS?: number): Kernel[] {
  const isFast = periodS <= FAST_S, none = { ...pureLag(0), loadS: loadS ?? 0 };
  const means = (isFast ? FAST_MEANS : MEANS).map((m) => m * periodS);
  if (isDevice && periodS < DEVICE_MEAN_S / 10) means.push(DEVICE_MEAN_S);
  const loads = ORDERS_S.filter((s) => s > periodS / 40 && !(s < APART * loadS!));
  const own = OWN_ORDERS.map((m) => m * periodS).filter((s) => s > ORDERS_S[ORDERS_S.length - 1]);
  const windows = isDevice ? WINDOWS_S.filter((s) => s < PART_TIME * periodS) : [];
  return [
    ...means.map((meanS) => ({ ...none, meanS })),
    ...loads.map((orderS) => ({ ...none, orderS, loadS: loadS ?? orderS })),
    ...own.map((orderS) => ({ ...none, orderS })),
    ...windows.map((windowS) => ({ ...none, windowS })),
  ];
}

/** Weight of one member of its family before the data. */
export function priorOf(kernel: Kernel, shapes: readonly Kernel[]): number {
  const count = (family: Family) =>
    family === "lag" ? 1 : shapes.filter((shape) => familyOf(shape) === family).length;
  const family = familyOf(kernel);
  let all = 0;
  for (const name of Object.keys(WEIGHTS) as Family[]) if (count(name) > 0) all += WEIGHTS[name];
  return WEIGHTS[family] / count(family) / all;
}

/** Cumulative CPU-seconds of classes on an even grid: a kernel costs a filter, a lag an interpolation. */
class Grid {
  readonly stepS: number;
  readonly startS: number;
  /** By class: its column. */
  readonly columnOf: Int32Array;
  readonly #x: Float64Array[] = [];
  #design = new Float64Array(0);
  /** Columns of a shape, and which it is. */
  readonly #made: Float64Array[] = [];
  #key = "";
  #between: Float64Array | undefined;

  /** An empty grid. */
  constructor(readonly domain: Domain, readonly rows: number, stayS: number) {
    const { boundaries: { yS, periodS }, seconds, classes } = domain;
    // Of a counter that is read less often than it is updated, an interval has several updates.
    const coarse = Math.max(periodS, median(domain.lengthS)) / 8;
    const fine = Math.min(coarse, Math.max(stayS / 4, periodS / 40));
    // Gaps in the readings may be long.
    this.stepS = Math.max(fine, yS[rows] / MAX_POINTS);
    this.startS = -4 * this.stepS;
    const rank = [...seconds.keys()].sort((a, b) => seconds[b] - seconds[a]);
    this.columnOf = new Int32Array(classes);
    rank.forEach((c, k) => this.columnOf[c] = Math.min(k, CLASSES - 1));
  }

  get columns(): number {
    return this.#x.length;
  }

  /** Fills the grid. @param watts By piece: what a fit predicts; one more column. */
  *fill(watts?: Float64Array): Generator<void, void> {
    const { startS, stepS, rows, domain: { boundaries: { yS }, log, classes, pieceClass } } = this;
    const endS = yS[rows] + stepS;
    const grid = { startS, stepS, count: Math.floor((endS - startS) / stepS) + 2 };
    const lists: number[][] = Array.from({ length: Math.min(classes, CLASSES) }, () => []);
    const used: number[] = [];
    for (let i = 0; i < log.count; i++) {
      if (i % PIECES_AT_ONCE === 0) yield;
      if (!(log.startS[i] < endS)) continue;
      lists[this.columnOf[pieceClass[i]]].push(i);
      used.push(i);
    }
    for (const list of lists) {
      this.#x.push(yield* cumulated(log, list, (i) => log.weight[i], grid));
    }
    yield;
    if (watts !== undefined) {
      this.#x.push(yield* cumulated(log, used, (i) => watts[i], grid));
    }
    yield;
    this.#design = new Float64Array(rows * this.columns);
  }

  /** Cumulative answers without the lag. All lags of one shape come together: the last shape is kept. */
  *#shape({ meanS, orderS }: Kernel): Generator<void, readonly Float64Array[]> {
    const key = `${meanS} ${orderS}`;
    if (key === this.#key) return this.#made;
    this.#key = key;
    const between = this.#between ??= new Float64Array(this.#x[0].length);
    for (const [j, x] of this.#x.entries()) {
      yield;
      const out = this.#made[j] ??= new Float64Array(x.length);
      integral(x, this.stepS, orderS, meanS > 0 ? between : out);
      if (meanS > 0) integralOfMean(between, meanS, this.stepS, out);
    }
    return this.#made;
  }

  /** Rows of a kernel: column after column, until the next call. */
  *design(kernel: Kernel): Generator<void, Float64Array> {
    const { rows: n, domain: { boundaries: { yS, aS } } } = this, { lagS, windowS } = kernel;
    const shape = yield* this.#shape(kernel), out = this.#design;
    const ends = this.#places(n + 1, (k) => yS[k] - lagS, (k) => aS[k]);
    const firstS = (k: number) => Math.max(yS[k + 1] - lagS - windowS, yS[k] - lagS);
    const firsts = windowS > 0 ? this.#places(n, firstS, (k) => aS[k + 1]) : undefined;
    shape.forEach((of, j) => {
      let before = until(of, ends, 0);
      for (let k = 0; k < n; k++) {
        const now = until(of, ends, k + 1);
        if (firsts !== undefined) {
          const u = yS[k + 1] - lagS, u0 = yS[k] - lagS;
          const seen = now - until(of, firsts, k);
          out[j * n + k] = seen * (u - u0) / Math.max(u - firstS(k), 1e-9);
        } else out[j * n + k] = now - before;
        before = now;
      }
    });
    return out;
  }

  /** Places of means up to some times: the same ones for all columns. */
  #places(count: number, endS: (k: number) => number, widthS: (k: number) => number): Places {
    const { startS, stepS } = this, last = this.#x[0].length - 2;
    const point = new Int32Array(2 * count), part = new Float64Array(2 * count);
    const lengthS = new Float64Array(count);
    for (let i = 0; i < count; i++) {
      const width = widthS(i), a = Math.max(width, 2 * stepS), c = endS(i) - (width - a) / 2;
      lengthS[i] = a;
      for (let side = 0; side < 2; side++) {
        const f = (c - side * a - startS) / stepS;
        const k = f < 0 ? 0 : f > last ? last : Math.floor(f);
        point[2 * i + side] = k;
        part[2 * i + side] = f < k ? 0 : f > k + 1 ? 1 : f - k;
      }
    }
    return { point, part, lengthS };
  }
}

/** Ends and beginnings of means, one after the other: the point of the grid before each, and how far behind it. */
interface Places {
  readonly point: Int32Array;
  readonly part: Float64Array;
  readonly lengthS: Float64Array;
}

/** The mean of what a cumulative quantity grows by. */
function until(of: Float64Array, { point, part, lengthS }: Places, i: number): number {
  const k = point[2 * i], k0 = point[2 * i + 1];
  const end = of[k] + (of[k + 1] - of[k]) * part[2 * i];
  return (end - (of[k0] + (of[k0 + 1] - of[k0]) * part[2 * i + 1])) / lengthS[i];
}

/** Writes the integral, by the trapezoid, of a quantity or of what follows it with a time constant. */
function integral(x: Float64Array, stepS: number, orderS: number, out: Float64Array): void {
  const q = orderS > 0 ? Math.exp(-stepS / orderS) : 0;
  let sum = 0, before = orderS > 0 ? 0 : x[0];
  for (let k = 1; k < x.length; k++) {
    const now = orderS > 0 ? q * before + (1 - q) / 2 * (x[k] + x[k - 1]) : x[k];
    sum += (now + before) / 2 * stepS;
    out[k] = sum;
    before = now;
  }
}

/** Writes the integral of the mean over so long before, of a quantity whose integral is given. */
function integralOfMean(of: Float64Array, meanS: number, stepS: number, out: Float64Array): void {
  const back = meanS / stepS, whole = Math.ceil(back);
  // All of them lie at the same place between two points.
  const h = whole - back;
  let sum = 0, before = 0;
  for (let k = 1; k < of.length; k++) {
    const j = k - whole;
    const now = (of[k] - (j < 0 ? of[0] : of[j] * (1 - h) + of[j + 1] * h)) / meanS;
    sum += (now + before) / 2 * stepS;
    out[k] = sum;
    before = now;
  }
}

/**
 * Kernels worth a full fit. All are judged on the same rows.
 *
 * @param loadS Time constant of the load, if it is known.
 */
export function* search(
  domain: Domain,
  { noise = noiseOf(0, 0.6), watts, loadS }: {
    noise?: Noise;
    watts?: Float64Array;
    loadS?: number;
  },
): Generator<void, Found> {
  const { boundaries: { periodS, yS }, facts: { isDevice }, log } = domain;
  const n = Math.min(ROWS, domain.intervals);
  const lengths = log.stayEndS.subarray(0, log.stays).map((end, s) => end - log.stayStartS[s]);
  yield;
  const stayS = middle(yield* sort(lengths));
  const grid = new Grid(domain, n, stayS);
  yield* grid.fill(watts);
  const step = Math.min(periodS / 8, Math.max(stayS / 2, periodS / 40));
  const top = periodS > FAST_S ? LAG_PERIODS * periodS : Math.max(LAG_PERIODS * periodS, LAG_S);
  const shapes = shapesOf(periodS, isDevice, loadS).filter((k) => reachOf(k) + top < yS[n] / 4);
  const lags = evenly(top, step).map((lagS) => pureLag(lagS, loadS));
  const reach = Math.max(...[lags[0], ...shapes].map(reachOf)) + top;
  let rows = stretchesOf(domain.since(reach, n));
  if (rows.at.length < MIN_ROWS) rows = stretchesOf(domain.since(0, n));
  yield;
  const judge = new Judge(domain, grid, rows, watts !== undefined);
  yield;
  const best = function* (kernels: readonly Kernel[]): Generator<void, number> {
    const scores: number[] = [];
    for (const kernel of kernels) {
      scores.push(yield* judge.score(kernel, noise));
      yield;
    }
    return indexOfLeast(scores);
  };
  let scores: number[] = [], at = 0;
  for (let round = 0; round < 2; round++) {
    scores = [];
    for (const lag of lags) {
      scores.push(yield* judge.score(lag, noise));
      yield;
    }
    at = indexOfLeast(scores);
    const next = yield* judge.noise(lags[at], noise);
    if (next === noise) break;
    noise = next;
  }
  const refine = function* (kernel: Kernel): Generator<void, Candidate> {
    let found = { kernel, deviance: yield* judge.score(kernel, noise) };
    for (let half = 0, d = step; half < HALVINGS; half++, d /= 2) {
      const { kernel: { lagS: aroundS }, deviance: before } = found;
      let isFlat = true;
      for (const wanted of [aroundS - d, aroundS + d]) {
        const lagS = wanted < 0 && aroundS > 0 ? 0 : wanted;
        if (lagS < 0 || lagS > top + periodS) continue;
        const moved = { ...kernel, lagS }, deviance = yield* judge.score(moved, noise);
        yield;
        isFlat &&= Math.abs(deviance - before) < FLAT;
        if (deviance < found.deviance) found = { kernel: moved, deviance };
      }
      if (isFlat) break;
    }
    return found;
  };
  const least = scores[at];
  const minima = lags.filter((_, j) =>
    j !== at && scores[j] < least + NEAR_MINIMUM && (j === 0 || scores[j] <= scores[j - 1]) &&
    (j === lags.length - 1 || scores[j] <= scores[j + 1])
  );
  const candidates: Candidate[] = [];
  for (const lag of [lags[at], ...minima.slice(0, MINIMA)]) candidates.push(yield* refine(lag));
  for (const shape of shapes) {
    // The data nearly fix the mean delay: a shape begins where its mean delay is the same; a window
    // may lie anywhere.
    const starts = shape.windowS > 0
      ? evenly(top, shape.windowS / 2)
      : [Math.max(0, lags[at].lagS + lags[at].orderS - shape.meanS / 2 - shape.orderS)];
    const kernels = starts.map((lagS) => ({ ...shape, lagS }));
    candidates.push(yield* refine(kernels[yield* best(kernels)]));
  }
  candidates.sort((a, b) => a.deviance - b.deviance || 0);
  const powers = yield* judge.powers(candidates[0].kernel, noise);
  const ofClasses = Float64Array.from(
    grid.columnOf,
    (j) => Math.max(powers[j], MIN_POWER) * domain.meanW,
  );
  return { candidates, noise, shapes, powers: ofClasses };
}

/** Index of the minimum. */
function indexOfLeast(of: readonly number[]): number {
  return of.reduce((best, x, k) => x < of[best] ? k : best, 0);
}

/** Numbers from 0 to `top`; no more than so many. */
function evenly(top: number, step: number): number[] {
  const count = Math.floor(top / step + 0.5) + 1;
  if (count <= LAGS) return Array.from({ length: count }, (_, k) => k * step);
  return Array.from({ length: LAGS }, (_, k) => top * k / (LAGS - 1));
}

/** Scores of kernels, each made once. */
class Judge {
  readonly #scores = new Map<string, number>();
  readonly #weights: Float64Array;
  readonly #y: Float64Array;
  /** A weighted column; whitened columns and readings: of the last fit. */
  readonly #column: Float64Array;
  readonly #x: Float64Array;
  readonly #whiteY: Float64Array;

  constructor(
    readonly domain: Domain,
    readonly grid: Grid,
    readonly rows: { at: Int32Array; stretches: Stretches },
    readonly isPredicted: boolean,
  ) {
    const { lengthS, energyJ } = domain;
    let mean = 0;
    for (let k = 0; k < grid.rows; k++) mean += lengthS[k] / grid.rows;
    this.#weights = Float64Array.from(rows.at, (k) => 1 / Math.sqrt(lengthS[k] / mean));
    this.#y = Float64Array.from(rows.at, (k, r) => energyJ[k] * this.#weights[r]);
    this.#column = new Float64Array(rows.at.length);
    this.#x = new Float64Array(rows.at.length * grid.columns);
    this.#whiteY = new Float64Array(rows.at.length);
  }

  *score(kernel: Kernel, noise: Noise): Generator<void, number> {
    const { lagS, meanS, orderS, windowS } = kernel;
    const key = [lagS.toFixed(7), meanS, orderS, windowS, noise.phi, noise.theta].join();
    const known = this.#scores.get(key) ?? (yield* this.#fit(kernel, noise)).deviance;
    this.#scores.set(key, known);
    return known;
  }

  /** Likely noise of what a kernel leaves. */
  *noise(kernel: Kernel, noise: Noise): Generator<void, Noise> {
    const { theta, z } = yield* this.#fit(kernel, noise), e = this.#y.slice();
    theta.forEach((watts, j) => {
      const column = this.#weighted(z, j);
      for (let k = 0; k < e.length; k++) e[k] -= column[k] * watts;
    });
    return yield* likelyNoise(e, this.rows.stretches);
  }

  /** In units of the mean power. */
  *powers(kernel: Kernel, noise: Noise): Generator<void, Float64Array> {
    return (yield* this.#fit(kernel, noise)).theta;
  }

  /** A column of a design, in joules at the mean power. */
  #weighted(z: Float64Array, j: number): Float64Array {
    const { grid: { rows }, rows: { at }, domain: { meanW } } = this, column = this.#column;
    for (let k = 0; k < at.length; k++) {
      column[k] = z[j * rows + at[k]] * this.#weights[k] * meanW;
    }
    return column;
  }

  *#fit(
    kernel: Kernel,
    noise: Noise,
  ): Generator<void, { theta: Float64Array; z: Float64Array; deviance: number }> {
    const { grid: { columns: p }, rows: { at, stretches } } = this;
    const n = at.length, z = yield* this.grid.design(kernel), x = this.#x, y = this.#whiteY;
    whiten(this.#y, y, stretches, noise);
    for (let j = 0; j < p; j++) {
      whiten(this.#weighted(z, j), x.subarray(j * n, j * n + n), stretches, noise);
    }
    const a = gram(x, n, p), q = dot(y, y);
    const c = Float64Array.from({ length: p }, (_, j) => dot(x, y, n, j * n));
    // The prediction has the powers in it already.
    const mu = new Float64Array(p).fill(this.isPredicted ? 0 : 1);
    if (this.isPredicted) mu[p - 1] = 1;
    let s2 = q * 0.01 / n, theta: Float64Array = mu;
    for (let round = 0; round < 2; round++) {
      const m = a.map((s) => s / s2), b = c.map((s, j) => s / s2 + mu[j]);
      for (let j = 0; j < p; j++) m[j * p + j] += 1;
      theta = solveFactored(yield* factor(m, p), b);
      let rss = q;
      for (let j = 0; j < p; j++) rss += theta[j] * (dot(a, theta, p, j * p) - 2 * c[j]);
      s2 = Math.max(rss, 1e-12 * q) / n;
    }
    return { theta, z, deviance: n * Math.log(s2) };
  }
}

/** Candidates of a family. */
export function ofFamily(candidates: readonly Candidate[], family: Family): Kernel[] {
  return candidates.filter(({ kernel }) => familyOf(kernel) === family).map(({ kernel }) => kernel);
}
