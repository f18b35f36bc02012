/**
 * Energies drawn in this run, and their covariance.
 *
 * σ_kr = Z_kr p_r / Σ_s Z_ks p_s divides interval k among classes; D is all of a column's
 * CPU-seconds by the class that they were drawn in. T = σᵀE + (D − σᵀZ)θ = σᵀE + Hθ: sums are the
 * counter's for any θ, except at the ends; if an interval holds one class, the result does not
 * depend on the model.
 * @module
 */
import { LINE } from "./clock.ts";
import type { Contexts } from "./contexts.ts";
import type { Columns, Domain } from "./domain.ts";
import { addPairs, dividedCovariance, pairWatts } from "./interplay.ts";
import { clamp, dot, PANEL, product, quadratic, sandwich } from "./linear.ts";
import { stretchesOf, whiten } from "./model.ts";
import { DIVIDED, OWN } from "./pieces.ts";
import { isOfLoad, type Kernel, longer, pureLag } from "./response.ts";
import { LENGTH_STEP, type Solution } from "./solve.ts";

/** Part of the power that is not known of a time that no interval shows: power noise. */
const BEYOND = 0.03;
/** Blocks of rows whose scores show noise that remembers longer than the filter; rows of a block at least. */
const BLOCKS = 40, MIN_BLOCKS = 8, BLOCK_ROWS = 24;
/** Columns between two pauses. */
const SLICE = 4;
/** Pieces between two pauses. */
const PAUSE = 512;
/** Minimum power in the shares, as part of the maximum power. */
const MIN_POWER = 0.02;

/** Energies of classes, J, and their covariance by its parts, J². */
export interface Energies {
  readonly energyJ: Float64Array;
  readonly covariance: Float64Array;
  /** Variances by class: what they come from. */
  readonly parts: Readonly<Record<Part, Float64Array>>;
  /** Energy caused by a class: D of the columns' own classes, J. */
  readonly causedJ: Float64Array;
}

/** Parts of the covariance. */
export type Part = "posterior" | "blocks" | "edges" | "beside" | "outside";

/** D: joules of column j drawn in class r, row after row; of lag and shape too. */
function* drawn(
  domain: Domain,
  contexts: Contexts,
  solution: Solution,
): Generator<void, Float64Array> {
  const { kernel, scale, fit: { theta } } = solution, p = theta.length, { classes } = domain;
  const width = contexts.columns.width, d = new Float64Array(classes * p);
  const put = (of: Float64Array, add: (at: number, x: number, j: number) => void) => {
    for (let c = 0; c < classes; c++) {
      for (let j = 0; j < width; j++) add(c * p + j, of[c * width + j] * scale[j], j);
    }
  };
  put(yield* drawnSeconds(domain, contexts, kernel), (at, x) => d[at] = x);
  if (isOfLoad(kernel)) {
    const later = yield* drawnSeconds(domain, contexts, longer(kernel, LENGTH_STEP));
    put(later, (at, x, j) => {
      const c = Math.floor(at / p);
      d[c * p + p - 1] += (x - d[at]) * theta[j] / Math.log(LENGTH_STEP);
    });
  }
  return d;
}

/** Energy caused by each class, whenever it was drawn: a column's seconds in its own class, J. */
function* caused(
  domain: Domain,
  contexts: Contexts,
  { kernel, scale, fit: { theta } }: Solution,
  { d, drawnJ }: { d: Float64Array; drawnJ: Float64Array },
): Generator<void, Float64Array> {
  if (!(kernel.loadS > 0)) return drawnJ;
  const { width } = contexts.columns, p = theta.length;
  const own = yield* drawnSeconds(domain, contexts, pureLag(0));
  const beyondJ = drawnJ.map((_, c) => {
    let sum = 0;
    for (let j = 0; j < width; j++) {
      const isPair = contexts.columns.classes[j] < 0;
      if (!isPair) sum += (own[c * width + j] * scale[j] - d[c * p + j]) * theta[j];
    }
    return sum;
  });
  // Energy cut off at the ends of the run belongs to no class.
  const cutJ = beyondJ.reduce((s, x) => s + x, 0), { seconds } = domain;
  const all = seconds.reduce((s, x) => s + x, 0);
  return drawnJ.map((joules, c) => joules + beyondJ[c] - cutJ * seconds[c] / all);
}

/** CPU-seconds of columns by class; energy of a load that follows late falls into later stays of the lane. */
function* drawnSeconds(
  domain: Domain,
  { columns }: Contexts,
  kernel: Kernel,
): Generator<void, Float64Array> {
  const { log } = domain, { own } = columns;
  const isLate = kernel.loadS > 0, piecesOf = new Map<number, number[]>();
  const seconds = new DrawnSeconds(domain, columns, kernel.loadS);
  for (let i = 0; i < own; i++) {
    if (i % PAUSE === 0) yield;
    const lane = log.stayLane[log.stay[i]];
    if (!isLate || lane === DIVIDED) seconds.add(i, log.endS[i] - log.startS[i]);
    else piecesOf.getOrInsertComputed(lane, () => []).push(i);
  }
  for (const pieces of piecesOf.values()) {
    pieces.sort((i, j) => log.startS[i] - log.startS[j]);
    seconds.begin(pieces[0]);
    for (let k = 0; k < pieces.length; k += PAUSE) {
      yield;
      seconds.follow(pieces, k, Math.min(k + PAUSE, pieces.length));
    }
    seconds.end();
  }
  return seconds.of;
}

/** CPU-seconds of columns by class, while they are added up. */
class DrawnSeconds {
  /** Row after row: a class's seconds of each column. */
  readonly of: Float64Array;
  /** Seconds of each column that are not drawn yet: dq/dt = x − q/τ, and q/τ is drawn by the class then. */
  readonly #waiting: Float64Array;
  #last = 0;
  #untilS = 0;

  constructor(readonly domain: Domain, readonly columns: Columns, readonly tau: number) {
    this.of = new Float64Array(domain.classes * columns.width);
    this.#waiting = new Float64Array(columns.width);
  }

  /** A piece draws for some seconds. */
  add(i: number, seconds: number): void {
    const { of, columns: { begin, column, value, width } } = this;
    const row = this.domain.pieceClass[i] * width;
    for (let k = begin[i]; k < begin[i + 1]; k++) of[row + column[k]] += seconds * value[k];
  }

  /** The first piece of a lane. */
  begin(i: number): void {
    this.#last = this.domain.pieceClass[i];
    this.#untilS = this.domain.log.startS[i];
  }

  /** Pieces of a lane, in order of time. */
  follow(pieces: readonly number[], from: number, to: number): void {
    const { domain: { log, pieceClass }, columns: { begin, column, value } } = this;
    const waiting = this.#waiting;
    for (let at = from; at < to; at++) {
      const i = pieces[at];
      // Time between two stays of a lane belongs to the first.
      if (log.startS[i] > this.#untilS) this.#draw(log.startS[i] - this.#untilS);
      this.#last = pieceClass[i];
      this.#untilS = log.endS[i];
      const seconds = this.#untilS - log.startS[i], leftS = this.#draw(seconds);
      this.add(i, seconds - leftS);
      for (let k = begin[i]; k < begin[i + 1]; k++) waiting[column[k]] += leftS * value[k];
    }
  }

  /** A lane has no more pieces: what is drawn later is the last one's. */
  end(): void {
    this.#draw(Infinity);
  }

  /** The last class draws for some seconds. @returns Seconds of a load that are left then. */
  #draw(seconds: number): number {
    const { of, tau } = this, waiting = this.#waiting, { length } = waiting;
    const part = -Math.expm1(-seconds / tau), row = this.#last * length;
    for (let j = 0; j < length; j++) {
      const drawn = waiting[j] * part;
      of[row + j] += drawn;
      waiting[j] -= drawn;
    }
    return part * tau;
  }
}

/** Energies and covariance of one fit, over all intervals that its kernel sees whole. */
export function* energiesOf(
  domain: Domain,
  contexts: Contexts,
  solution: Solution,
): Generator<void, Energies> {
  const { classes: n, energyJ, lengthS, intervals, meanW } = domain;
  const { fit, kernel, z, scale, moves, powers } = solution, { theta, v } = fit, p = theta.length;
  const width = contexts.columns.width, { pairs } = contexts;
  const d = yield* drawn(domain, contexts, solution);
  const watts = pairs && pairWatts(pairs, solution, width - pairs.list.length - 1);
  if (pairs !== undefined && watts !== undefined) {
    // Pairs' own columns have no seconds in classes.
    addPairs(d, pairs, watts, powers);
  }
  const { at } = stretchesOf(solution.isWhole), rows = at.length;
  // Shares of classes, row after row.
  const own = new Float64Array(n);
  let greatest = meanW;
  for (let c = 0; c < n; c++) greatest = Math.max(greatest, theta[c] * meanW);
  for (let c = 0; c < n; c++) own[c] = Math.max(theta[c] * meanW, MIN_POWER * greatest);
  const shares = new Float64Array(rows * n);
  for (let k = 0; k < rows; k++) {
    let all = 0;
    for (let c = 0; c < n; c++) all += shares[k * n + c] = z[c * intervals + at[k]] * own[c];
    for (let c = 0; c < n; c++) shares[k * n + c] /= Math.max(all, 1e-300);
    if (k % PAUSE === 0) yield;
  }
  const e = Float64Array.from(at, (k) => energyJ[k]), seen = new Float64Array(n * p);
  const column = new Float64Array(rows);
  for (let j = 0; j < p; j++) {
    const factor = j < width ? scale[j] : 1, o = j < width ? j * intervals : 0;
    const of = j < width ? z : moves[j - width];
    if (j % SLICE === 0) yield;
    for (let k = 0; k < rows; k++) column[k] = of[o + at[k]] * factor;
    for (let k = 0; k < rows; k++) {
      const x = column[k];
      if (x === 0) continue;
      e[k] -= x * theta[j];
      for (let c = 0; c < n; c++) seen[c * p + j] += shares[k * n + c] * x;
    }
  }
  const isWindow = kernel.windowS > 0;
  // Most of an interval is not in the reading of a window: then T = Dθ.
  const h = isWindow ? d : d.map((x, i) => x - seen[i]);
  const energy = product(h, theta, n, p, 1);
  if (!isWindow) {
    for (let k = 0; k < rows; k++) {
      for (let c = 0; c < n; c++) energy[c] += shares[k * n + c] * energyJ[at[k]];
    }
  }
  yield;
  let meanS = 0;
  for (const k of solution.rows.at) meanS += lengthS[k] / solution.rows.length;
  const posterior = sandwich(h, v, n, p);
  const blocks = yield* blockCovariance(solution, h, n, posterior);
  yield;
  const bounds = { at, e, shares, meanS };
  const edges = isWindow
    ? unseen(domain, solution, bounds)
    : yield* boundaryCovariance(domain, solution, bounds);
  yield;
  const beside = pairs === undefined || watts === undefined
    ? new Float64Array(n * n)
    : dividedCovariance(domain, solution, pairs, watts);
  const outside = new Float64Array(n * n);
  for (let c = 0; c < n && !isWindow; c++) {
    let inside = 0, all = 0;
    for (let k = 0; k < rows; k++) inside += z[c * intervals + at[k]] * meanW;
    for (let r = 0; r < n; r++) all += d[r * p + c];
    outside[c * n + c] = (BEYOND * Math.max(all - inside, 0) * Math.max(theta[c], 0)) ** 2;
  }
  const parts = { posterior, blocks, edges, beside, outside };
  const covariance = new Float64Array(n * n);
  for (const part of Object.values(parts)) part.forEach((x, i) => covariance[i] += x);
  const diagonals = Object.fromEntries(
    Object.entries(parts).map(([name, of]) => [name, diagonal(of, n)]),
  ) as Record<Part, Float64Array>;
  const scaled = scaledToSum(domain, energy, covariance);
  return {
    ...scaled,
    parts: diagonals,
    causedJ: yield* caused(domain, contexts, solution, { d, drawnJ: scaled.energyJ }),
  };
}

function diagonal(of: Float64Array, n: number): Float64Array {
  return Float64Array.from({ length: n }, (_, c) => of[c * n + c]);
}

/**
 * Does the noise add up as the model says? Scores of blocks of rows, g_B = H V Σ x r/s², show noise that remembers
 * longer than the filter: max(0, Σ g_B g_Bᵀ B/(B − 1) − H V (A/s²) V Hᵀ), with the correlations of the posterior.
 */
function* blockCovariance(
  solution: Solution,
  h: Float64Array,
  n: number,
  posterior: Float64Array,
): Generator<void, Float64Array> {
  const { fit, rows, moves, scale } = solution, { theta, v, s2, noise, a } = fit, p = theta.length;
  const { length, columns: width } = rows, r = new Float64Array(length);
  whiten(fit.e, r, rows.stretches, noise);
  const hv = product(h, v, n, p, p);
  const count = Math.min(BLOCKS, Math.max(MIN_BLOCKS, Math.floor(length / BLOCK_ROWS)));
  const seen = new Float64Array(n), score = new Float64Array(p);
  const endOf = (block: number) => Math.floor((block + 1) * length / count);
  let block = 0;
  for (const { from, to, x } of rows.panels(noise, moves)) {
    yield;
    for (let k = from; k < to;) {
      const end = Math.min(to, endOf(block));
      for (let j = 0; j < p; j++) {
        const factor = (j < width ? scale[j] : 1) / s2;
        score[j] += dot(x, r, end - k, j * PANEL + k - from, k) * factor;
      }
      k = end;
      if (end < endOf(block)) continue;
      block++;
      for (let c = 0; c < n; c++) seen[c] += dot(hv, score, p, c * p) ** 2 * count / (count - 1);
      score.fill(0);
    }
  }
  const size = new Float64Array(n);
  for (let c = 0; c < n; c++) {
    const expected = quadratic(a, hv.slice(c * p, c * p + p)) / s2;
    size[c] = Math.sqrt(Math.max(seen[c] - expected, 0) / Math.max(posterior[c * n + c], 1e-300));
  }
  return posterior.map((x, i) => x * size[Math.floor(i / n)] * size[i % n]);
}

/** Rows of the energies: intervals, their residuals, shares of classes, and their mean length. */
interface Bounds {
  readonly at: Int32Array;
  readonly e: Float64Array;
  readonly shares: Float64Array;
  readonly meanS: number;
}

/** Energy that no reading of a part-time window holds: Σ σσᵀ (d/d̄) s² W/U. */
function unseen(
  { classes: n, lengthS, boundaries }: Domain,
  { fit, kernel }: Solution,
  bounds: Bounds,
) {
  const out = new Float64Array(n * n), { at, shares, meanS } = bounds;
  at.forEach((k, row) => {
    const variance = lengthS[k] / meanS * fit.s2 * kernel.windowS / boundaries.periodS;
    addOuter(out, shares, row * n, variance, n);
  });
  return out;
}

/**
 * Noise inside of intervals, Σ v (diag σ − σσᵀ), v = (d/d̄) s² (1 − θ_MA)²; what boundaries' errors move, β Σ ψψᵀ,
 * ψ = (σ_k − σ_{k−1})(e_k − e_{k−1})/2; and a line of the clock, which is off for all its boundaries alike.
 */
function* boundaryCovariance(
  domain: Domain,
  { fit }: Solution,
  bounds: Bounds,
): Generator<void, Float64Array> {
  const { classes: n, lengthS, energyJ, boundaries: { lineVariance } } = domain;
  const { at, e, shares, meanS } = bounds,
    out = new Float64Array(n * n),
    moved = new Float64Array(n);
  const edges = new Float64Array(n * n), lines = new Map<number, Float64Array>();
  const keep = (1 - fit.noise.theta) ** 2 * fit.s2 / meanS;
  for (let row = 0; row < at.length; row++) {
    if (row % PAUSE === 0) yield;
    const k = at[row], v = lengthS[k] * keep;
    for (let c = 0; c < n; c++) out[c * n + c] += v * shares[row * n + c];
    addOuter(out, shares, row * n, -v, n);
    if (row === 0 || at[row - 1] !== k - 1) continue;
    const half = (e[row] - e[row - 1]) / 2;
    for (let c = 0; c < n; c++) moved[c] = shares[row * n + c] - shares[row * n - n + c];
    addOuter(edges, moved, 0, half * half, n);
    if (lineVariance === undefined) continue;
    const line = lines.getOrInsertComputed(Math.floor(k / LINE), () => new Float64Array(n));
    const joules = energyJ[k] / lengthS[k] * Math.sqrt(lineVariance[k]);
    for (let c = 0; c < n; c++) line[c] += moved[c] * joules;
  }
  const beta = boundaryPart(e.map((x, row) => x / Math.sqrt(lengthS[at[row]])), at, fit.noise.phi);
  for (let i = 0; i < out.length; i++) out[i] += beta * edges[i];
  for (const line of lines.values()) addOuter(out, line, 0, 1, n);
  return out;
}

/** Adds factor · x xᵀ; most of x is 0. */
function addOuter(
  out: Float64Array,
  x: Float64Array,
  from: number,
  factor: number,
  n: number,
): void {
  for (let i = 0; i < n; i++) {
    const a = x[from + i] * factor;
    if (a === 0) continue;
    for (let j = 0; j < n; j++) out[i * n + j] += a * x[from + j];
  }
}

/**
 * β: how much of the mean square of half the difference of neighbours' residuals is the boundary's own error. Residuals
 * are power that remembers (variance p, φ) plus errors of two boundaries (b each, opposite in neighbours): c₀ = p + 2b,
 * c₁ = φp − b, hence b = (φc₀ − c₁)/(1 + 2φ); half the difference has (c₀ − c₁)/2.
 */
function boundaryPart(e: Float64Array, at: Int32Array, phi: number): number {
  const c0 = dot(e, e) / e.length;
  let c1 = 0, count = 0;
  for (let k = 1; k < e.length; k++) {
    if (at[k] !== at[k - 1] + 1) continue;
    c1 += e[k] * e[k - 1];
    count++;
  }
  c1 /= Math.max(1, count);
  return clamp(2 * (phi * c0 - c1) / ((1 + 2 * phi) * Math.max(c0 - c1, 1e-300)), 0, 1);
}

/**
 * Sums are the counter's difference. What is missing lies at the two ends: if no lane lives there it is of
 * `outside`, else of all others by their energies. Cov ← J Cov Jᵀ, J = I − x1ᵀ; the scaling is not sure itself.
 */
function scaledToSum(
  { ids, classes: n, facts }: Domain,
  energy: Float64Array,
  covariance: Float64Array,
) {
  const sum = energy.reduce((s, x) => s + x, 0);
  if (facts.isLost || !(sum > 0)) return { energyJ: energy, covariance };
  const missingJ = facts.totalJ - sum, at = ids.indexOf(OWN.outside);
  const alive = at < 0 ? 1 : facts.alive;
  const inside = energy.map((x, c) => c === at ? 0 : Math.max(x, 0)),
    all = inside.reduce((s, x) => s + x, 0);
  const x = inside.map((s) => alive > 0 && all > 0 ? alive * s / all : 0);
  if (at >= 0) x[at] = 1 - alive;
  const energyJ = energy.map((s, c) => s + missingJ * x[c]);
  // What must be taken out of a covariance so that the sum has no error.
  const project = (m: Float64Array) => {
    const columns = new Float64Array(n);
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) columns[j] += m[i * n + j];
    const whole = columns.reduce((s, v) => s + v, 0);
    return m.map((v, i) => {
      const r = Math.floor(i / n), c = i % n;
      return v - x[r] * columns[c] - x[c] * columns[r] + x[r] * x[c] * whole;
    });
  };
  const doubt = new Float64Array(n * n);
  for (let c = 0; c < n; c++) {
    doubt[c * n + c] = (missingJ * (c === at ? 1 - alive : alive) * x[c]) ** 2;
  }
  const moved = project(covariance);
  project(doubt).forEach((v, i) => moved[i] += v);
  return { energyJ, covariance: moved };
}

/**
 * Are program and samples in step with the updates? Then an update never falls evenly into its window: edges are uneven
 * modulo the period (over a quarter would have to move), and the energy that boundaries are off by depends on the
 * samples' phase (variance between phases over that inside them above 20).
 */
export function isLocked({ boundaries, log }: Domain, { fit, rows }: Solution): boolean {
  const { at } = rows, { isClocked, periodS, yS } = boundaries;
  if (isClocked || at.length < 512) return false;
  const phaseOf = (t: number) => Math.min(PHASES - 1, Math.floor(((t / periodS) % 1) * PHASES));
  const stays = new Float64Array(PHASES);
  for (let s = 0; s < log.stays; s++) stays[phaseOf(log.stayStartS[s])] += 1 / log.stays;
  let uneven = 0;
  for (const part of stays) uneven += Math.abs(part - 1 / PHASES) / 2;
  const sums = new Float64Array(PHASES), counts = new Float64Array(PHASES);
  let all = 0, square = 0, count = 0;
  for (let k = 1; k < at.length; k++) {
    if (at[k] !== at[k - 1] + 1) continue;
    const off = fit.e[k - 1] / rows.weights[k - 1] - fit.e[k] / rows.weights[k];
    const phase = phaseOf(yS[at[k]]);
    sums[phase] += off;
    counts[phase]++;
    all += off;
    square += off * off;
    count++;
  }
  let between = -all * all / count;
  sums.forEach((s, k) => between += counts[k] > 0 ? s * s / counts[k] : 0);
  const inside = square - all * all / count - between;
  return uneven > 0.25 && between / (PHASES - 1) / (inside / (count - PHASES)) > 20;
}

/** Phases of a period that edges and samples are counted by. */
const PHASES = 16;
