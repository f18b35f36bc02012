/**
 * The counter's answer: how much of a piece of time each interval between two boundaries shows.
 *
 * With K(x) the integral of the step response from 0 to x, averaged over the width a of what is not
 * known of a boundary, g(y) = K(y − L − start) − K(y − L − end) is what a piece has shown up to the
 * boundary at y; interval k shows g(y[k + 1]) − g(y[k]). Averaging over a keeps the error at a boundary
 * independent of exposures (Berkson 1950), so that powers are not drawn to the mean.
 * @module
 */
import { lengthened } from "../../core/grow.ts";
import { countUpTo } from "./linear.ts";

/** Response of a counter: the lag alone, or with one of three shapes. Seconds. */
export interface Kernel {
  readonly lagS: number;
  /** Each update is the mean of so long. */
  readonly meanS: number;
  /** First order: it follows with this time constant. */
  readonly orderS: number;
  /** Each update stands for the last so many seconds alone. */
  readonly windowS: number;
  /** Time constant of the load: energy is drawn late. 0: there is none. If it is the first order, the two are equal. */
  readonly loadS: number;
  /** The first order is the load's, and known: the fit does not change it. */
  readonly isKnown?: boolean;
}

/** Names of kinds of answers. */
export type Family = "lag" | "mean" | "first order" | "window";

/** A pure lag. @param loadS Known time constant of the load. */
export function pureLag(lagS: number, loadS = 0): Kernel {
  const pure = { lagS, meanS: 0, orderS: loadS, windowS: 0, loadS };
  return loadS > 0 ? { ...pure, isKnown: true } : pure;
}

/** Family of a response. */
export function familyOf({ meanS, orderS, windowS, isKnown }: Kernel): Family {
  if (isKnown === true) return "lag";
  if (orderS > 0) return "first order";
  return meanS > 0 ? "mean" : windowS > 0 ? "window" : "lag";
}

/** Is the first order the load's, and not known? */
export function isOfLoad({ orderS, loadS, isKnown }: Kernel): boolean {
  return orderS > 0 && orderS === loadS && isKnown !== true;
}

/** Length of its shape, s; 0: it has none. */
export function lengthOf({ meanS, orderS, windowS }: Kernel): number {
  return orderS || meanS || windowS;
}

/**
 * Time before an interval's begin from which it sees power, s: beyond it lies less than 2 % (e⁻⁴)
 * of the response.
 */
export function reachOf({ lagS, meanS, orderS }: Kernel): number {
  return lagS + meanS + 4 * orderS;
}

/** Kernel with the length of its shape times a factor. */
export function longer(kernel: Kernel, factor: number): Kernel {
  return {
    ...kernel,
    meanS: kernel.meanS * factor,
    orderS: kernel.orderS * factor,
    loadS: kernel.loadS * (isOfLoad(kernel) ? factor : 1),
    windowS: kernel.windowS * factor,
  };
}

/** Time constants after which a first order is over: e⁻¹² of it is left. */
const OVER = 12;
/** A window this much shorter than another one is no window: its square is lost in the other's digits. */
const TINY = 1e-3;

/** K(x) for a window of a and a mean of w, or a first order of tau; beyond its support it is x − mean. */
export function ramp(x: number, a: number, w: number, tau: number): number {
  if (x <= 0) return 0;
  if (tau > 0) {
    const mean = a / 2 + tau, far = a + OVER * tau;
    if (x >= far) return x - mean;
    if (a < TINY * tau) return x + tau * Math.expm1(-x / tau);
    return (late(x, tau) - (x > a ? late(x - a, tau) : 0)) / a;
  }
  const low = a < w ? a : w, high = a < w ? w : a, far = a + w;
  if (x >= far) return x - far / 2;
  if (low < TINY * high) return (x * x - (x > high ? (x - high) ** 2 : 0)) / (2 * high);
  const b = x > low ? x - low : 0, c = x > high ? x - high : 0;
  return (x * x * x - b * b * b - c * c * c) / (6 * low * high);
}

/** Q(x) = x²/2 − τx + τ²(1 − e^(−x/τ)). */
function late(x: number, tau: number): number {
  return x * x / 2 - tau * x - tau * tau * Math.expm1(-x / tau);
}

/** Pieces of time, in any order. */
export interface Spans {
  readonly count: number;
  readonly startS: Float64Array;
  readonly endS: Float64Array;
}

/** Parts of pieces in intervals: those of piece i are begin[i] up to begin[i + 1]. */
export interface Parts {
  readonly begin: Int32Array;
  readonly interval: Int32Array;
  /** Seconds. */
  readonly partS: Float64Array;
  /** Seconds of each piece that intervals show only behind the last boundary. */
  readonly afterS: Float64Array;
}

/** The boundaries of intervals: the counter was updated evenly somewhere in (y − a, y]. */
export interface Edges {
  readonly count: number;
  readonly yS: Float64Array;
  readonly aS: Float64Array;
}

/** Room for parts, used again: there are millions. */
export interface Room {
  interval: Int32Array<ArrayBuffer>;
  partS: Float64Array<ArrayBuffer>;
}

/** A kernel at the boundaries of a counter. */
export interface Answer {
  readonly kernel: Kernel;
  readonly edges: Edges;
  /** By boundary: its time without the lag, and the end of a piece from which on it shows all of the piece. */
  readonly u: Float64Array;
  readonly done: Float64Array;
  /**
   * Terms of a first order, when both ends of a piece are behind a window: K(x) = x − a/2 − τ + w
   * e^(−x/τ), w = τ²(e^(a/τ) − 1)/a. From boundary to boundary the exponentials of all pieces fade
   * alike.
   */
  readonly behind: { readonly fading: Float64Array; readonly weight: Float64Array } | undefined;
  /** Weights of a window, by boundary. */
  readonly factor: Float64Array | undefined;
}

/** The answer of a kernel at boundaries, made once for all pieces. */
export function prepared(edges: Edges, kernel: Kernel): Answer {
  if (kernel.windowS > 0) return preparedWindow(edges, kernel);
  const { lagS, meanS, orderS } = kernel, n = edges.count, { aS } = edges;
  const u = new Float64Array(n), done = new Float64Array(n);
  let top = -Infinity;
  for (let k = 0; k < n; k++) {
    u[k] = edges.yS[k] - lagS;
    done[k] = top = Math.max(top, u[k] - aS[k] - meanS - OVER * orderS);
  }
  const behind = orderS > 0 ? behindWindows(u, aS, orderS) : undefined;
  return { kernel, edges, u, done, behind, factor: undefined };
}

/**
 * Parts of pieces that the intervals between boundaries show.
 *
 * @param room Memory for the parts; valid until it is used again. @default a new one
 */
export function respond(spans: Spans, answer: Answer, room?: Room): Parts {
  const parts = shown(spans, answer, room);
  return answer.factor === undefined ? parts : inWindows(spans, parts, answer.factor);
}

function shown(spans: Spans, answer: Answer, room?: Room): Parts {
  const { kernel: { meanS, orderS }, edges: { count: n, aS }, u, done, behind } = answer;
  const begin = new Int32Array(spans.count + 1), afterS = new Float64Array(spans.count);
  let interval = room?.interval ?? new Int32Array(0), partS = room?.partS ?? new Float64Array(0);
  // The next piece often begins where one ends: K at that moment is the same.
  let sharedS = NaN, sharedFrom = 0, sharedTo = 0, shared = new Float64Array(64);
  let used = 0, first = countUpTo(u, spans.startS[0]), whole = countUpTo(done, spans.endS[0]);
  for (let i = 0; i < spans.count; i++) {
    const s = spans.startS[i], e = spans.endS[i], length = e - s;
    first = walkUpTo(u, s, first);
    whole = Math.max(first, walkBelow(done, e, whole));
    const last = Math.min(whole, n - 1);
    if (used + last - first + 1 > interval.length) {
      const size = 2 * interval.length + last - first + 1024;
      interval = lengthened(interval, size);
      partS = lengthened(partS, size);
    }
    const to = Math.min(whole, n), isShared = s === sharedS, from = isShared ? sharedFrom : 0;
    const lengthPart = orderS > 0 ? Math.expm1(-length / orderS) : 0;
    let before = 0, begun = to, direct = to, left = NaN;
    if (to - first > shared.length) shared = lengthened(shared, 2 * (to - first));
    for (let k = first; k <= last; k++) {
      let g = length;
      if (behind !== undefined) left *= behind.fading[k];
      if (behind !== undefined && k < whole && u[k] - e >= aS[k]) {
        if (left !== left) {
          left = Math.exp(-(u[k] - e) / orderS);
          direct = Math.min(direct, k);
        }
        // As in `ramp`, nothing is left of a begin that is over.
        const isOver = u[k] - s >= aS[k] + OVER * orderS;
        g = length + behind.weight[k] * left * (isOver ? -1 : lengthPart);
        g = g < 0 ? 0 : g > length ? length : g;
      } else if (k < whole) {
        const x = u[k], a = aS[k];
        const ofStart = isShared && k >= from && k < sharedTo
          ? shared[k - from]
          : ramp(x - s, a, meanS, orderS);
        // What is written lies before what is still to be read.
        let ofEnd = 0;
        if (x > e) {
          if (begun === to) begun = k;
          ofEnd = ramp(x - e, a, meanS, orderS);
          shared[k - begun] = ofEnd;
        }
        g = ofStart - ofEnd;
        g = g < 0 ? 0 : g > length ? length : g;
      }
      if (k > 0 && g !== before) {
        interval[used] = k - 1;
        partS[used++] = g - before;
      }
      before = g;
    }
    sharedS = e;
    sharedFrom = begun;
    sharedTo = Math.min(to, direct);
    afterS[i] = length - before;
    begin[i + 1] = used;
  }
  if (room !== undefined) Object.assign(room, { interval, partS });
  return { begin, interval, partS, afterS };
}

/** By boundary: the part of an exponential that is left of the boundary before, and w. */
function behindWindows(u: Float64Array, aS: Float64Array, tau: number) {
  return {
    fading: u.map((at, k) => k === 0 ? 1 : Math.exp(-(at - u[k - 1]) / tau)),
    weight: aS.map((a) => a < TINY * tau ? tau : tau * tau * Math.expm1(a / tau) / a),
  };
}

/** Number of sorted values that are at most x, from a near guess. */
function walkUpTo(sorted: Float64Array, x: number, guess: number): number {
  let k = guess;
  while (k < sorted.length && sorted[k] <= x) k++;
  while (k > 0 && sorted[k - 1] > x) k--;
  return k;
}

/** Number of sorted values that are below x, from a near guess. */
function walkBelow(sorted: Float64Array, x: number, guess: number): number {
  let k = guess;
  while (k < sorted.length && sorted[k] < x) k++;
  while (k > 0 && sorted[k - 1] >= x) k--;
  return k;
}

/** Each interval shows what lies within the window before its end, as if all of it were like that. */
function preparedWindow({ count, yS, aS }: Edges, kernel: Kernel): Answer {
  const y = new Float64Array(2 * count - 1), a = new Float64Array(2 * count - 1);
  y[0] = yS[0];
  a[0] = aS[0];
  const factor = new Float64Array(count);
  for (let k = 1; k < count; k++) {
    y[2 * k - 1] = Math.max(yS[k] - kernel.windowS, yS[k - 1]);
    y[2 * k] = yS[k];
    a[2 * k - 1] = a[2 * k] = aS[k];
    factor[k - 1] = (yS[k] - yS[k - 1]) / Math.max(yS[k] - y[2 * k - 1], 1e-9);
  }
  const edges = { count: y.length, yS: y, aS: a };
  return { ...prepared(edges, pureLag(kernel.lagS)), factor };
}

/** Parts of the windows alone: even intervals are those before a window. */
function inWindows(spans: Spans, parts: Parts, factor: Float64Array): Parts {
  const begin = new Int32Array(spans.count + 1), { interval, partS } = parts;
  let used = 0;
  for (let i = 0; i < spans.count; i++) {
    for (let k = parts.begin[i]; k < parts.begin[i + 1]; k++) {
      if ((interval[k] & 1) === 0) continue;
      const at = interval[k] >> 1;
      partS[used] = partS[k] * factor[at];
      interval[used++] = at;
    }
    begin[i + 1] = used;
  }
  return { begin, interval, partS, afterS: parts.afterS };
}
