/**
 * From readings of a counter to intervals of known energy: the times of its updates.
 *
 * A change seen between two readings lies anywhere between them, unless the counter has a time stamp, or
 * its updates come by a clock: then a line through many windows says when they came.
 * @module
 */
import { clamp, median } from "./linear.ts";
import type { Edges } from "./response.ts";

/** Boundaries between intervals: time y, width a of what is not known of it, value of the counter. */
export interface Boundaries extends Edges {
  readonly valueJ: Float64Array;
  /** By interval: no break in it. */
  readonly isWhole: Uint8Array;
  /** Seconds between updates. */
  readonly periodS: number;
  /** Updates have times of their own: by a clock or by stamps. */
  readonly isClocked: boolean;
  /** By boundary: variance of its clock's line, s²; `undefined`: there is no clock. */
  readonly lineVariance: Float64Array | undefined;
  /** Standard deviation of updates about the clock's line, s; NaN: there is no clock. */
  readonly jitterS: number;
}

/** Fewer changes than this are no counter that can be used. */
const MIN_CHANGES = 8;
/** Changes by at most so many quanta come when a unit is full, not when the counter is updated. */
const QUANTA = 4;
/** A power this many times the median is a break: a restart, a wrap. */
const BREAK = 20;
/** Updates further apart than this many steps have a clock that can be found; at least so many of them. */
const CLOCK_STEPS = 1.5, CLOCK_CHANGES = 32;
/** Window centres that period and phase of the clock are found from, and frequencies at most: gaps may be long. */
const PERIODOGRAM = 512, FREQUENCIES = 8192;
/** A loop with this gain settles in 1/gain = 20 updates; its integral part is damped critically (gain²/4). */
const GAIN = 0.05, INTEGRAL = GAIN * GAIN / 4;
/** Updates of one line: known to a/64, and still short of a clock's drift. */
export const LINE = 128;
/** Rounds of clipping a line into windows and fitting a line to that: the distance halves every few of them. */
const ROUNDS = 60;
/**
 * E v² of the distance v by which a sample is off: it falls between line and update with chance |d|/a, and is then
 * off by an even part of d: E v² = E|d|³/(3a) = (4/3)(2π)^(−1/2) J³/a = .532 J³/a for d ~ N(0, J²).
 */
const OFF = 4 / 3 / Math.sqrt(2 * Math.PI);
/** Jitter limit as part of the window: below it the clock counts as regular. */
const REGULAR = 0.03;
/** A line of 128 updates knows a boundary to a/64 at best. */
const FINEST = 64;

/**
 * Boundaries out of readings.
 *
 * @param periodS Seconds between updates; 0: unknown.
 * @param stampS When each value was taken, on the counter's clock.
 * @returns `undefined`: too few changes.
 */
export function findBoundaries(
  t: Float64Array,
  v: Float64Array,
  periodS: number,
  stampS?: Float64Array,
): Boundaries | undefined {
  const read: number[] = [], up: number[] = [], changes: number[] = [];
  let top = 0;
  for (let i = 0; i < t.length; i++) {
    if (!Number.isFinite(v[i])) continue;
    top = Math.max(top, Math.abs(v[i]));
    const d = v[i] - v[read[read.length - 1] ?? i];
    if (d !== 0) changes.push(read.length);
    if (d > 0) up.push(d);
    read.push(i);
  }
  if (up.length < MIN_CHANGES) return undefined;
  const stepS = median(t.subarray(1).map((x, i) => x - t[i]));
  const incrementJ = median(up);
  const quantumJ = quantum(up, incrementJ, top);
  const gapS = median(changes.slice(1).map((i, k) => t[read[i]] - t[read[changes[k]]]));
  const isSlow = (steps: number) => periodS > steps * stepS;
  const isCoarse = incrementJ <= QUANTA * quantumJ && gapS < 4 * stepS && !isSlow(2);
  const made = isCoarse || (gapS < 1.1 * stepS && !isSlow(0.7))
    ? everyStep(t, v, read, { periodS: Math.min(periodS || stepS, stepS), isCoarse })
    : updates(t, v, read, { changes, gapS, stepS, periodS, stampS });
  const isWhole = new Uint8Array(Math.max(0, made.count - 1));
  const lengths = isWhole.length === 0 ? new Float64Array(0) : lengthsOf(made);
  const growth = lengths.map((_, k) => made.valueJ[k + 1] - made.valueJ[k]);
  const usualW = median(growth.map((e, k) => e / Math.max(lengths[k], 1e-9)));
  for (let k = 0; k < isWhole.length; k++) {
    const most = BREAK * usualW * (lengths[k] + made.periodS) + QUANTA * quantumJ;
    const isGood = growth[k] >= 0 && !made.breaks[k] && lengths[k] > 0 && growth[k] < most;
    isWhole[k] = isGood ? 1 : 0;
  }
  return { ...made, isWhole };
}

/** Lengths of intervals between the middles of their boundaries, s. */
export function lengthsOf({ count, yS, aS }: Edges): Float64Array {
  const out = new Float64Array(Math.max(0, count - 1));
  for (let k = 0; k < out.length; k++) out[k] = yS[k + 1] - aS[k + 1] / 2 - (yS[k] - aS[k] / 2);
  return out;
}

/**
 * Minimum difference between distinct increments, J; differences beyond the digits of a double do
 * not count.
 */
function quantum(up: number[], incrementJ: number, top: number): number {
  const sorted = Float64Array.from([0, ...up]).sort();
  const least = Math.max(1e-6 * incrementJ, 8 * Number.EPSILON * top);
  let found = Infinity;
  for (let i = 1; i < sorted.length; i++) {
    const d = sorted[i] - sorted[i - 1];
    if (d > least && d < found) found = d;
  }
  return found < Infinity ? found : sorted[1];
}

type Made = Omit<Boundaries, "isWhole"> & { breaks: boolean[] };

/**
 * Every reading is a boundary: the counter moves more often than it is read, or in large units. If the units are
 * small, a counter that did not move was not updated, and that reading is no boundary.
 */
function everyStep(
  t: Float64Array,
  v: Float64Array,
  read: readonly number[],
  { periodS, isCoarse }: { periodS: number; isCoarse: boolean },
): Made {
  const isStill = (k: number) => k > 0 && k < read.length && v[read[k]] === v[read[k - 1]];
  const at: number[] = [], aS: number[] = [], breaks: boolean[] = [];
  let isBroken = false;
  read.forEach((i, k) => {
    isBroken ||= k > 0 && i - read[k - 1] > 1;
    if (!isCoarse && isStill(k)) return;
    if (at.length > 0) breaks.push(isBroken);
    isBroken = false;
    at.push(i);
    // If it stands still from here on, its last update was anywhere in the step.
    aS.push(!isCoarse && k > 0 && isStill(k + 1) ? t[i] - t[read[k - 1]] : periodS);
  });
  return {
    count: at.length,
    yS: Float64Array.from(at, (i) => t[i]),
    aS: Float64Array.from(aS),
    valueJ: Float64Array.from(at, (i) => v[i]),
    breaks,
    periodS,
    isClocked: false,
    lineVariance: undefined,
    jitterS: NaN,
  };
}

/**
 * Boundaries at changes, each in the window between two readings. A missing reading makes a window longer; if
 * readings are missing for longer than a period, updates are.
 */
function updates(t: Float64Array, v: Float64Array, read: readonly number[], of: {
  /** Places in `read`. */
  changes: readonly number[];
  gapS: number;
  stepS: number;
  periodS: number;
  stampS: Float64Array | undefined;
}): Made {
  const { changes, gapS, stepS, stampS } = of;
  const periodS = gapS > CLOCK_STEPS * stepS || !(of.periodS > 0) ? gapS : of.periodS;
  const at = changes.map((k) => read[k]), n = at.length;
  const hi = Float64Array.from(at, (i) => t[i]);
  const lo = Float64Array.from(
    changes,
    (k) => Math.max(t[read[k - 1]], periodS > 0 ? t[read[k]] - periodS : -1e300),
  );
  const breaks = changes.slice(1).map((to, j) => {
    for (let k = changes[j] + 1; k <= to; k++) {
      if (read[k] - read[k - 1] > 1 && t[read[k]] - t[read[k - 1]] > periodS) return true;
    }
    return false;
  });
  const base = {
    count: n,
    valueJ: Float64Array.from(at, (i) => v[i]),
    breaks,
    lineVariance: undefined,
    jitterS: NaN,
  };
  if (stampS !== undefined) {
    let offset = Infinity;
    for (const i of at) offset = Math.min(offset, t[i] - stampS[i]);
    const yS = Float64Array.from(at, (i) => stampS[i] + offset);
    return { ...base, yS, aS: new Float64Array(n), periodS, isClocked: true };
  }
  if (!(gapS > CLOCK_STEPS * stepS && n > CLOCK_CHANGES)) {
    return { ...base, yS: hi, aS: hi.map((x, k) => x - lo[k]), periodS, isClocked: false };
  }
  const apart = hi.subarray(1).map((x, k) => x - hi[k]);
  const middle = median(apart), usual = apart.filter((x) => x < CLOCK_STEPS * middle);
  const { numbers, periodS: counted } = count(
    lo,
    hi,
    usual.reduce((s, x) => s + x, 0) / usual.length,
  );
  return { ...base, ...clock(numbers, lo, hi), periodS: counted, isClocked: true };
}

/** Numbers of the updates seen, and the period: a periodogram gives period and phase, a loop follows them. */
function count(lo: Float64Array, hi: Float64Array, aboutS: number) {
  const middle = lo.map((x, k) => (x + hi[k]) / 2);
  const m = middle.slice(0, PERIODOGRAM).map((x) => x - middle[0]);
  const spectrum = (f: number): [number, number] => {
    let re = 0, im = 0;
    for (let k = 0; k < m.length; k++) {
      re += Math.cos(2 * Math.PI * f * m[k]);
      im += Math.sin(2 * Math.PI * f * m[k]);
    }
    return [re, im];
  };
  // A quarter of the resolution of the span, around the mean distance that was seen.
  const step = Math.max(0.25 / Math.max(m[m.length - 1], 4 * aboutS), 1 / aboutS / FREQUENCIES);
  let best = -1, frequency = 1 / aboutS;
  for (let f = 0.85 / aboutS; f < 1.18 / aboutS; f += step) {
    const [re, im] = spectrum(f), power = Math.hypot(re, im);
    if (power > best) [best, frequency] = [power, f];
  }
  const periodS = 1 / frequency, [re, im] = spectrum(frequency);
  let at = middle[0] + Math.atan2(im, re) / (2 * Math.PI) * periodS, drift = 0, n = 0;
  const numbers = new Float64Array(middle.length);
  for (let j = 1; j < middle.length; j++) {
    const gone = Math.max(1, Math.round((middle[j] - at) / (periodS + drift)));
    n += gone;
    const expected = at + gone * (periodS + drift);
    const off = clamp(middle[j] - expected, -periodS / 2, periodS / 2);
    at = expected + GAIN * off;
    drift += INTEGRAL * off / gone;
    numbers[j] = n;
  }
  return { numbers, periodS: (middle[middle.length - 1] - middle[0]) / n };
}

/** Times of updates from the windows that they were seen in, as boundaries. */
function clock(numbers: Float64Array, lo: Float64Array, hi: Float64Array) {
  const n = lo.length, line = new Float64Array(n), lineVariance = new Float64Array(n);
  for (let i = 0; i < n; i += LINE) {
    const from = Math.max(0, Math.min(i, n - LINE)), to = Math.min(n, i + LINE);
    fitLine(numbers, lo, hi, { from, to, line, lineVariance });
  }
  const a = lo.map((x, k) => Math.max(hi[k] - x, 1e-6));
  const meanA = a.reduce((s, x) => s + x, 0) / n;
  const off = line.map((x, k) => Math.abs(x - clamp(x, lo[k], hi[k])));
  const most = quantile(off, 0.98);
  const jitterS = Math.cbrt(off.reduce((s, x) => s + Math.min(x, most) ** 2, 0) / n * meanA / OFF);
  const yS = new Float64Array(n), aS = new Float64Array(n);
  for (let k = 0; k < n; k++) {
    let at = clamp(line[k], lo[k], hi[k]), variance = lineVariance[k], finest = a[k] / FINEST;
    if (jitterS < REGULAR * meanA) finest = meanA / FINEST;
    else {
      const l = (lo[k] - line[k]) / jitterS, h = (hi[k] - line[k]) / jitterS;
      if (l > 4 || h < -4) variance = (a[k] / 8) ** 2;
      else {
        // Mean and variance of N(line, J²) cut at the window.
        const z = Math.max(below(h) - below(l), 1e-12), pl = density(l), ph = density(h);
        const mean = (pl - ph) / z;
        at = clamp(line[k] + jitterS * mean, lo[k], hi[k]);
        variance += jitterS ** 2 * clamp(1 + (l * pl - h * ph) / z - mean * mean, 0, 1);
      }
    }
    aS[k] = Math.sqrt(12 * clamp(variance, Math.min(finest ** 2, a[k] ** 2 / 12), a[k] ** 2 / 12));
    yS[k] = at + aS[k] / 2;
  }
  return { yS, aS, lineVariance, jitterS };
}

/** The line through some updates that keeps as near to all their windows as it can. */
function fitLine(numbers: Float64Array, lo: Float64Array, hi: Float64Array, of: {
  from: number;
  to: number;
  line: Float64Array;
  lineVariance: Float64Array;
}): void {
  const { from, to, line, lineVariance } = of, n = to - from;
  let mean = 0, sxx = 0;
  for (let k = from; k < to; k++) mean += numbers[k] / n;
  for (let k = from; k < to; k++) sxx += (numbers[k] - mean) ** 2;
  const clipped = new Float64Array(n), fitted = new Float64Array(n);
  for (let k = 0; k < n; k++) clipped[k] = (lo[from + k] + hi[from + k]) / 2;
  for (let round = 0; round < ROUNDS; round++) {
    let sum = 0, moment = 0;
    for (let k = 0; k < n; k++) {
      sum += clipped[k];
      moment += (numbers[from + k] - mean) * clipped[k];
    }
    const slope = moment / Math.max(sxx, 1e-300);
    for (let k = 0; k < n; k++) {
      fitted[k] = sum / n + (numbers[from + k] - mean) * slope;
      clipped[k] = clamp(fitted[k], lo[from + k], hi[from + k]);
    }
  }
  // All offsets between these keep the line in all windows: the middle, and their range squared over 12.
  let low = -Infinity, high = Infinity;
  for (let k = 0; k < n; k++) {
    low = Math.max(low, lo[from + k] - fitted[k]);
    high = Math.min(high, hi[from + k] - fitted[k]);
  }
  const offset = low < high ? (low + high) / 2 : 0;
  for (let k = 0; k < n; k++) {
    line[from + k] = fitted[k] + offset;
    lineVariance[from + k] = Math.max(0, high - low) ** 2 / 12;
  }
}

function quantile(of: Float64Array, part: number): number {
  const sorted = of.slice().sort(), at = part * (sorted.length - 1), k = Math.floor(at);
  return sorted[k] + (at - k) * (sorted[Math.min(k + 1, sorted.length - 1)] - sorted[k]);
}

function density(x: number): number {
  return Math.exp(-x * x / 2) / Math.sqrt(2 * Math.PI);
}

/** The normal distribution, by the series φ(x)(x + x³/3 + x⁵/15 + …), which is quick up to 6 or so. */
function below(x: number): number {
  if (x > 8) return 1;
  if (x < -8) return 0;
  let term = x, sum = x;
  for (let k = 3; Math.abs(term) > 1e-17 * Math.abs(sum); k += 2) sum += term *= x * x / k;
  return 0.5 + density(x) * sum;
}
