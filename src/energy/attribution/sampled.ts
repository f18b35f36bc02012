/**
 * Powers of classes whose time is known from samples alone: moments between power and counts in bands of time.
 * docs/explanation/energy-of-functions.md has the equations.
 *
 * A regression on counts is wrong by the error of the counts: each sample is paired with itself. Those pairs are
 * taken off, as the next sample on the same thread says how many of them are real.
 * @module
 */
import {
  atOnce,
  countUpTo,
  dot,
  factor,
  gram,
  inverseOf,
  product,
  solveFactored,
} from "./linear.ts";

/** Intervals of a counter without a break between them, and the samples in them. */
export interface SampledStretch {
  /** By interval. */
  readonly energyJ: Float64Array;
  readonly lengthS: Float64Array;
  /** By interval: CPU time of all threads, s, by {@linkcode spreadSample}. */
  readonly busyS: Float64Array;
  /** By sample: interval, class, and the CPU time that it stands for, s. */
  readonly interval: Int32Array;
  readonly classOf: Int32Array;
  readonly seconds: Float64Array;
  /** By sample: 1 for each second one of its thread. */
  readonly isOdd: Uint8Array;
  /** CPU time by class and interval, one class after the other, by {@linkcode addSample}. It is large, and used once. */
  classS(): Float64Array;
}

/** All that is known of the classes of a counter's domain. */
export interface SampledDomain {
  /** Number of classes, without the time in which no lane runs. */
  readonly classes: number;
  /** CPUs that are at work at most: what they do not use is the time that is not running. */
  readonly lanes: number;
  readonly periodS: number;
  /** By class: CPU time of the whole run, s, and the variance of it that has other causes than drawing, s². */
  readonly timeS: Float64Array;
  readonly timeVariance: Float64Array;
  /** Length of the whole run, s, and the counter's energy of it, J. */
  readonly runS: number;
  readonly totalJ: number;
  readonly stretches: readonly SampledStretch[];
  /** By class and class: samples of the one with a next sample in the other, on the same thread. */
  readonly next: Float64Array;
}

/** Shortest series of a band: below it its noise is not known. */
const BAND_LEAST = 16;
/** A stay that is less likely is one sample's: between two samples nothing is known of it. */
const STAY_LEAST = 0.01, STAY_MOST = 0.98;
/** Power of a class at least, as a part of the mean. */
const POWER_LEAST = 0.05;
const ROUNDS = 6;
/** Power of the resolved share of a band in its weight. */
const RESOLVE = 8;
/** Part of a band's own noise in its matrix, at most: the rest is its mean in the counts' shape. */
const OWN_NOISE = 0.5;
/** Part on the diagonal of the noise: no combination of classes is free of it. */
const DIAGONAL = 0.02;
/** Powers that are unknown are in the counts' error as well: their variance so far counts twice. */
const HIDDEN = 2;
/**
 * Standard deviations of powers that are tried, as parts of the mean power, and the usual one. Few data cannot say
 * that all powers are alike, so none is smaller.
 */
const SPREADS = [0.2, 0.25, 0.3, 0.4, 0.5], USUAL_SPREAD = 0.25, SPREAD_WEIGHT = 2;
/**
 * Time that is not running draws anything from nothing to the mean, and so the mean of what runs may be anything above
 * it: both spread by the mean power.
 */
const IDLE_SPREAD = 1;
/** Error of the power of that time, as a part of the mean power, whatever the data say. */
const IDLE_ERROR = 0.02;
/** Fewer samples are too few. */
const SAMPLES_LEAST = 30;

/** Reasons why an energy is not determined. */
export const SAMPLED_CAUSES = {
  rare: "too few samples",
  short: "its visits are too short for this rate of samples",
  alike: "no phase of the program separates this function from others",
  counter: "too few changes of the counter",
} as const;

/** A band: sums over its intervals. */
interface Band {
  /** 1 / (2^(j+1)): the part of a sample's own pair in it. */
  readonly part: number;
  /** By stretch: energies and counts, column after column. */
  readonly rows: { readonly u: Float64Array; readonly z: Float64Array; readonly count: number }[];
  count: number;
}

/** Powers of classes, their covariances, and energies of any parts of them. */
export class SampledPowers {
  readonly #domain: SampledDomain;
  /** Classes, and the time that is not running where there is some. */
  readonly #n: number;
  readonly #timeS: Float64Array;
  readonly #drawn: Float64Array;
  readonly #samples: Float64Array;
  readonly #stay: Float64Array;
  readonly #meanW: number;
  #delta: Float64Array;
  #covariance: Float64Array;
  /** Spread of the prior by class, W. */
  #prior: Float64Array;
  readonly isKnown: boolean;

  constructor(domain: SampledDomain) {
    this.#domain = domain;
    const { classes, lanes, runS, timeS, timeVariance, totalJ } = domain;
    const n = this.#n = classes + 1;
    const busyS = timeS.reduce((sum, s) => sum + s, 0), idleS = Math.max(0, lanes * runS - busyS);
    this.#timeS = Float64Array.of(...timeS, idleS);
    this.#meanW = totalJ / (busyS + idleS);
    this.#samples = new Float64Array(n);
    const { drawn, keptS } = this.#count();
    this.#drawn = drawn.map((v, c) => {
      const rest = timeVariance[c] ?? 0;
      return keptS[c] > 0 ? v * this.#timeS[c] / keptS[c] + rest : rest;
    });
    this.#stay = new Float64Array(n);
    this.#delta = new Float64Array(n);
    this.#prior = new Float64Array(n).fill(USUAL_SPREAD * this.#meanW);
    this.#covariance = new Float64Array(n * n);
    for (let c = 0; c < n; c++) this.#covariance[c * n + c] = this.#prior[c] ** 2;
    this.isKnown = this.#fit();
  }

  /** Samples by class, seconds that they stand for, and the variance of that by which ones were drawn. */
  #count(): { drawn: Float64Array; keptS: Float64Array } {
    const n = this.#n, drawn = new Float64Array(n), keptS = new Float64Array(n);
    const most = new Float64Array(n);
    for (const { interval, classOf, seconds, isOdd } of this.#domain.stretches) {
      const cells = new Map<number, number>();
      for (let i = 0; i < interval.length; i++) {
        const c = classOf[i], key = interval[i] * n + c;
        this.#samples[c]++;
        keptS[c] += seconds[i];
        most[c] += seconds[i] ** 2;
        cells.set(key, (cells.get(key) ?? 0) + (isOdd[i] === 1 ? seconds[i] : -seconds[i]));
      }
      for (const [key, s] of cells) drawn[key % n] += s * s;
    }
    return { drawn: drawn.map((v, c) => Math.min(v, most[c])), keptS };
  }

  #fit(): boolean {
    const n = this.#n, bands = this.#bands();
    if (bands.length === 0) return false;
    const { near, between } = this.#selfPairs();
    const own = near.map((v, k) => (v + between[k]) / 2);
    const sums = bands.map((band) => sumsOf(band, n));
    let sigma = USUAL_SPREAD;
    for (let round = 0; round < ROUNDS; round++) {
      const b = new Float64Array(n * n), c = new Float64Array(n), s = new Float64Array(n * n);
      let parts = 0, isUsed = false;
      bands.forEach((band, j) => {
        const { gram: a, moment } = sums[j], { part, count } = band;
        const all = trace(a, n);
        const reliable = 1 - part * trace(own, n) / all;
        const doubt = 2 * Math.sqrt(2 / (count * Math.min(n, this.#domain.lanes)));
        if (!(all > 0) || reliable <= doubt) return;
        const { variance, noise } = noiseOf(band, this.#delta, n);
        const unresolved = Math.min(1, part * trace(near, n) / all);
        const weight = reliable / variance * (1 - unresolved) ** RESOLVE;
        if (!(weight > 0) || !Number.isFinite(weight)) return;
        isUsed = true;
        let hidden = 0;
        for (let r = 0; r < n; r++) {
          const known = Math.min(Math.max(this.#covariance[r * n + r], 0), this.#prior[r] ** 2);
          hidden += HIDDEN * part * near[r * n + r] * known / count;
        }
        const mine = OWN_NOISE * Math.min(1, count / (count + 4 * n)), more = 1 + 2 / count;
        const shape = (1 - mine) * trace(noise, n) / all + hidden;
        for (let k = 0; k < n * n; k++) {
          b[k] += weight * (a[k] - part * own[k]);
          s[k] += weight * weight * (mine * noise[k] + shape * a[k]) * more;
        }
        for (let r = 0; r < n; r++) c[r] += weight * moment[r];
        parts += weight * part;
      });
      if (!isUsed) return false;
      const least = 1e-12 * trace(s, n) / n;
      for (let r = 0; r < n; r++) s[r * n + r] = s[r * n + r] * (1 + DIAGONAL) + least;
      // How long visits below a period are is not in the samples.
      const apart = near.map((v, k) => parts * (v - between[k]) / 2);
      const blur = product(apart, transposed(apart, n), n, n, n);
      for (let k = 0; k < n * n; k++) s[k] += blur[k] * (sigma * this.#meanW) ** 2;
      sigma = this.#posterior(b, c, s);
    }
    return this.#delta.every(Number.isFinite) && this.#covariance.every(Number.isFinite);
  }

  /** Powers given the moments c = Bδ with noise S. @returns The spread that is most likely. */
  #posterior(b: Float64Array, c: Float64Array, s: Float64Array): number {
    const n = this.#n, noise = atOnce(factor(s, n)), whitened = new Float64Array(n * n);
    for (let j = 0; j < n; j++) {
      const column = solveFactored(noise, Float64Array.from({ length: n }, (_, i) => b[i * n + j]));
      for (let i = 0; i < n; i++) whitened[i * n + j] = column[i];
    }
    const turned = transposed(b, n), j = product(turned, whitened, n, n, n);
    const h = product(turned, solveFactored(noise, c), n, n, 1);
    for (let r = 0; r < n; r++) {
      for (let q = 0; q < r; q++) j[r * n + q] = j[q * n + r] = (j[r * n + q] + j[q * n + r]) / 2;
    }
    let best = { likelihood: -Infinity, spread: NaN, prior: this.#prior, known: noise };
    for (const spread of SPREADS) {
      const prior = new Float64Array(n).fill(spread * this.#meanW), busy = n - 1;
      prior[busy] = IDLE_SPREAD * this.#meanW;
      const m = j.slice(), variance = prior[0] ** 2;
      for (let r = 0; r < n; r++) m[r * n + r] += 1 / prior[r] ** 2;
      // What all that runs has in common, by the formula of Sherman and Morrison.
      const common = (IDLE_SPREAD * this.#meanW) ** 2, whole = variance + busy * common;
      for (let r = 0; r < busy; r++) {
        for (let q = 0; q < busy; q++) m[r * n + q] -= common / variance / whole;
      }
      const logs = (busy - 1) * Math.log(variance) + Math.log(whole);
      const known = atOnce(factor(m, n));
      const likelihood = (dot(h, solveFactored(known, h)) - known.logDet - logs) / 2 -
        SPREAD_WEIGHT * Math.log(spread / USUAL_SPREAD) ** 2;
      if (likelihood > best.likelihood) best = { likelihood, spread, prior, known };
    }
    this.#prior = best.prior;
    this.#covariance = atOnce(inverseOf(best.known));
    this.#delta = solveFactored(best.known, h);
    this.#hold();
    return best.spread;
  }

  /** The energies of all classes together are the counter's. */
  #hold(): void {
    const n = this.#n, t = this.#timeS, v = this.#covariance;
    const along = product(v, t, n, n, 1), all = dot(t, along);
    if (!(all > 0)) return;
    const rest = dot(t, this.#delta) / all;
    for (let r = 0; r < n; r++) {
      this.#delta[r] -= along[r] * rest;
      for (let q = 0; q < n; q++) v[r * n + q] -= along[r] * along[q] / all;
    }
  }

  /** Differences of neighbouring sums at every scale: noise with memory is nearly independent in them. */
  #bands(): Band[] {
    const n = this.#n, { lanes, stretches, classes } = this.#domain, bands: Band[] = [];
    for (const stretch of stretches) {
      const { energyJ, lengthS, busyS } = stretch;
      let count = energyJ.length;
      let u: Float64Array = energyJ.map((joules, k) => joules - this.#meanW * lanes * lengthS[k]);
      let z: Float64Array = new Float64Array(count * n);
      const idle = classes * count;
      for (let k = 0; k < count; k++) z[idle + k] = lanes * lengthS[k] - busyS[k];
      z.set(stretch.classS());
      for (let j = 0; count >= BAND_LEAST; j++) {
        const half = count >> 1, band = bands[j] ??= { part: 2 ** -(j + 1), rows: [], count: 0 };
        const [sumU, apartU] = halved(u, count, 1), [sumZ, apartZ] = halved(z, count, n);
        band.rows.push({ u: apartU, z: apartZ, count: half });
        band.count += half;
        [u, z, count] = [sumU, sumZ, half];
      }
    }
    return bands;
  }

  /**
   * Pairs of samples with themselves, s²: as the next sample says, and as it is between two samples if lengths
   * of visits are exponential.
   */
  #selfPairs(): { near: Float64Array; between: Float64Array } {
    const n = this.#n, { classes, periodS, next } = this.#domain;
    const all = this.#samples.reduce((sum, count) => sum + count, 0);
    const h = new Float64Array(n * n),
      left = new Float64Array(n),
      ends = new Float64Array(n).fill(1);
    for (let r = 0; r < classes; r++) {
      let seen = 0;
      for (let q = 0; q < classes; q++) seen += next[r * classes + q];
      const count = this.#samples[r], share = count / all;
      const own = seen > 0 ? next[r * classes + r] / seen : share;
      const stay = this.#stay[r] = Math.min(STAY_MOST, Math.max(0, (own - share) / (1 - share)));
      const between = stay > STAY_LEAST ? 2 * (1 - Math.sqrt(stay)) / -Math.log(stay) : 0;
      // A visit of several samples has half of one at either end, which makes half a pair.
      ends[r] = 1 - stay / 2;
      left[r] = Math.max(0, (1 - Math.max(between, stay)) / (1 - stay));
      for (let q = 0; q < classes; q++) {
        h[r * n + q] = -(seen > 0 ? count * next[r * classes + q] / seen : 0);
      }
      h[r * n + r] += count;
    }
    const near = new Float64Array(n * n), between = new Float64Array(n * n), t2 = periodS ** 2;
    for (let r = 0; r < n; r++) {
      for (let q = 0; q < n; q++) {
        near[r * n + q] = t2 * Math.sqrt(ends[r] * ends[q]) * (h[r * n + q] + h[q * n + r]) / 2;
        between[r * n + q] = near[r * n + q] * Math.sqrt(left[r] * left[q]);
      }
    }
    return { near, between };
  }

  /** Power of a class, W. */
  powerW(r: number): number {
    return this.#meanW + this.#delta[r];
  }

  /** Number of the class of time that is not running. */
  get idle(): number {
    return this.#n - 1;
  }

  /** CPU time of lanes that is not running, s. */
  get idleS(): number {
    return this.#timeS[this.idle];
  }

  /** Samples of a class, and whether their next ones are elsewhere. */
  cause(r: number): string {
    if (!this.isKnown) return SAMPLED_CAUSES.counter;
    if (r !== this.idle && this.#samples[r] < SAMPLES_LEAST) return SAMPLED_CAUSES.rare;
    const isShort = r !== this.idle && this.#stay[r] < 2 * STAY_LEAST;
    return isShort ? SAMPLED_CAUSES.short : SAMPLED_CAUSES.alike;
  }

  /** CPU time of a class in this domain, s. */
  seconds(r: number): number {
    return this.#timeS[r];
  }

  /** Minimum power of a class, W. */
  floorW(_r: number): number {
    return POWER_LEAST * this.#meanW;
  }

  /** Spread of a class's power before the data, W. */
  priorW(r: number): number {
    return this.#prior[r];
  }

  /** Classes, and the time that is not running. */
  get size(): number {
    return this.#n;
  }

  /** Energy of the counter in the run, J. */
  get totalJ(): number {
    return this.#domain.totalJ;
  }

  /** Mean power, J per s of a lane. */
  get meanW(): number {
    return this.#meanW;
  }

  /** Covariances of powers times seconds by class, W. */
  spread(seconds: Float64Array): Float64Array {
    return product(this.#covariance, seconds, this.#n, this.#n, 1);
  }

  /** Variance of the energy of some seconds of a class, J², by the error of this time at a power. */
  timeVariance(r: number, seconds: number, powerW: number): number {
    if (!(seconds > 0)) return 0;
    if (r === this.idle) return (IDLE_ERROR * this.#meanW * seconds) ** 2;
    return seconds / this.#timeS[r] * this.#drawn[r] * powerW ** 2;
  }
}

/** ZᵀZ and Zᵀu of a band. */
function sumsOf({ rows }: Band, n: number): { gram: Float64Array; moment: Float64Array } {
  const all = new Float64Array(n * n), moment = new Float64Array(n);
  for (const { u, z, count } of rows) {
    const one = gram(z, count, n);
    for (let k = 0; k < n * n; k++) all[k] += one[k];
    for (let r = 0; r < n; r++) moment[r] += dot(z, u, count, r * count, 0);
  }
  return { gram: all, moment };
}

/** Variance of what powers leave of a band, and of its moments. */
function noiseOf(
  { rows, count: k }: Band,
  delta: Float64Array,
  n: number,
): { variance: number; noise: Float64Array } {
  const noise = new Float64Array(n * n), mean = new Float64Array(n);
  let squares = 0;
  for (const { u, z, count } of rows) {
    const rest = u.slice(), scores = z.slice();
    for (let r = 0; r < n; r++) {
      const o = r * count;
      if (delta[r] !== 0) { for (let i = 0; i < count; i++) rest[i] -= delta[r] * z[o + i]; }
    }
    for (let i = 0; i < count; i++) squares += rest[i] * rest[i];
    for (let r = 0; r < n; r++) {
      const o = r * count;
      for (let i = 0; i < count; i++) mean[r] += scores[o + i] *= rest[i];
    }
    const one = gram(scores, count, n);
    for (let i = 0; i < n * n; i++) noise[i] += one[i];
  }
  for (let r = 0; r < n; r++) {
    for (let q = 0; q < n; q++) noise[r * n + q] -= mean[r] * mean[q] / k;
  }
  return { variance: squares / k, noise };
}

/** Sums and differences of neighbours, over √2, of columns. */
function halved(x: Float64Array, count: number, columns: number): [Float64Array, Float64Array] {
  const half = count >> 1, sum = new Float64Array(half * columns), apart = sum.slice();
  for (let c = 0; c < columns; c++) {
    for (let i = 0; i < half; i++) {
      const a = x[c * count + 2 * i], b = x[c * count + 2 * i + 1];
      sum[c * half + i] = (a + b) * Math.SQRT1_2;
      apart[c * half + i] = (a - b) * Math.SQRT1_2;
    }
  }
  return [sum, apart];
}

function trace(m: Float64Array, n: number): number {
  let sum = 0;
  for (let r = 0; r < n; r++) sum += m[r * n + r];
  return sum;
}

function transposed(m: Float64Array, n: number): Float64Array {
  return m.map((_, k) => m[(k % n) * n + Math.floor(k / n)]);
}

/**
 * Spreads some CPU time evenly over the intervals of a span.
 *
 * @param first Where the intervals begin in what it is added to.
 */
export function addSpan(
  into: Float64Array,
  edges: Float64Array,
  [fromS, toS]: readonly [number, number],
  seconds: number,
  first = 0,
): void {
  const rate = seconds / (toS - fromS), rows = edges.length - 1;
  let k = Math.max(0, countUpTo(edges, fromS) - 1);
  for (; k < rows && edges[k] < toS; k++) {
    const s = Math.min(toS, edges[k + 1]) - Math.max(fromS, edges[k]);
    if (s > 0) into[first + k] += rate * s;
  }
}

/** A sample: where its class begins in the times, and its own time beside those of samples of the same class. */
export interface PlacedSample {
  readonly first: number;
  /** Time of the sample before on the thread, if that is near and of the same class, else of this one. */
  readonly fromS: number;
  readonly atS: number;
  /** Time of the next sample, likewise. */
  readonly toS: number;
}

/**
 * Adds the CPU time of a sample to its class: half of it since the sample before, half until the next one. Between two
 * samples of the same class the thread was in it all the time: a count of samples would have an error there, by how
 * the period fits into the intervals.
 */
export function addSample(
  into: Float64Array,
  edges: Float64Array,
  { first, fromS, atS, toS }: PlacedSample,
  seconds: number,
): void {
  const row = countUpTo(edges, atS) - 1;
  for (const span of [[fromS, atS], [atS, toS]] as const) {
    if (span[1] > span[0]) addSpan(into, edges, span, seconds / 2, first);
    else if (row >= 0 && row < edges.length - 1) into[first + row] += seconds / 2;
  }
}

/** Pieces that the time between two samples is cut into where the thread slept in it. */
const PIECES = 8;

/**
 * When the CPU time of a sample was: since the one before on its thread. Where the thread slept between them, the sleep
 * began after any part of the period: at x it has begun with chance x / period, and is over if it began before x − sleep.
 *
 * @param beforeS Time of the sample before; NaN: there is none.
 * @param periodS CPU time between samples.
 * @param add Gets parts: from, to, and the share of the CPU time.
 */
export function spreadSample(
  beforeS: number,
  atS: number,
  periodS: number,
  add: (fromS: number, toS: number, share: number) => void,
): void {
  const gapS = atS - beforeS, sleepS = gapS - periodS;
  if (!(sleepS > periodS / PIECES)) {
    return add(gapS > 0 ? beforeS : atS - periodS, atS, 1);
  }
  // A long sleep has a period at either end.
  const isLong = gapS > 2 * periodS, lengthS = (isLong ? 2 * periodS : gapS) / PIECES;
  const shares = Array.from({ length: PIECES }, (_, i) => {
    const x = (i + 0.5) * lengthS + (isLong && i >= PIECES / 2 ? gapS - 2 * periodS : 0);
    return 1 - (Math.min(periodS, x) - Math.max(0, x - sleepS)) / periodS;
  });
  const all = shares.reduce((sum, share) => sum + share, 0);
  shares.forEach((share, i) => {
    const x = i * lengthS + (isLong && i >= PIECES / 2 ? gapS - 2 * periodS : 0);
    add(beforeS + x, beforeS + x + lengthS, share / all);
  });
}
