/**
 * Lags, and values between those that a fit follows: the curve of fourth degree through five of them,
 * or of second degree through three. Lagrange.
 * @module
 */

/** Lags that are tried, as multiples of the update period (of 10 ms at most). */
export const LAG_GRID: readonly number[] = [-0.5, -0.25, 0, 0.25, 0.5, 0.75, 1];
/** Where the grid is 0. */
export const ZERO_LAG = 2;

/** Lags that a fit follows: enough to distinguish a lag from a time constant, and without such to find it. */
export const FOLLOWED = 5;
export const FOLLOWED_PLAIN = 3;

const nodes = (count: number) => Array.from({ length: count }, (_, k) => k - (count >> 1));
/** Places per step at which the least is looked for. */
const FINE = 40;
const DELTA = 1e-3;

/** What each of so many values counts for at x, in steps from the middle. */
export function weightsAt(x: number, count: number): number[] {
  const all = nodes(count);
  return all.map((node) =>
    all.reduce(
      (product, other) => other === node ? product : product * (x - other) / (node - other),
      1,
    )
  );
}

/** Weights of the slope there. */
export function slopeAt(x: number, count: number): number[] {
  const [low, high] = [weightsAt(x - DELTA, count), weightsAt(x + DELTA, count)];
  return high.map((weight, k) => (weight - low[k]) / (2 * DELTA));
}

interface Place {
  readonly x: number;
  readonly weights: readonly number[];
}

/** By how many values: made when they are wanted, which no start does. */
const PLACES = new Map<number, readonly Place[]>();

function placesOf(count: number): readonly Place[] {
  return PLACES.getOrInsertComputed(
    count,
    () =>
      Array.from({ length: (count - 1) * FINE + 1 }, (_, i) => {
        const x = i / FINE - (count >> 1);
        return { x, weights: weightsAt(x, count) };
      }),
  );
}

/**
 * The curve at a place. It bends upwards: where it would go below both lines through the values on either side,
 * it is these (a value that soars beside equal ones would pull it far below them).
 */
function curveAt(values: readonly number[], { x, weights }: Place): number {
  const at = Math.min(values.length - 2, Math.max(0, Math.floor(x + (values.length >> 1))));
  const part = x + (values.length >> 1) - at;
  const left = at > 0 ? values[at] + part * (values[at] - values[at - 1]) : -Infinity;
  const right = at + 2 < values.length
    ? values[at + 1] - (1 - part) * (values[at + 2] - values[at + 1])
    : -Infinity;
  return Math.max(sum(weights, values), left, right);
}

/** Where a curve has its least value. */
export interface Least {
  readonly x: number;
  readonly value: number;
  /** Second derivative; 0 at an end. */
  readonly bend: number;
  /** First derivative at the lower end; 0 elsewhere. */
  readonly slope: number;
}

/** The curve's least value from a place on. */
export function leastOf(values: readonly number[], fromX = -Infinity): Least {
  const places = placesOf(values.length);
  const curve = places.map((place) => curveAt(values, place));
  const begin = firstFrom(places, fromX);
  let at = begin;
  for (let i = begin + 1; i < curve.length; i++) if (curve[i] < curve[at]) at = i;
  if (at === begin || at === curve.length - 1) {
    const isLow = fromX > places[0].x && at === begin && at < curve.length - 1;
    const slope = isLow ? Math.max(0, curve[at + 1] - curve[at]) * FINE : 0;
    return { x: places[at].x, value: curve[at], bend: 0, slope };
  }
  const [low, mid, high] = [curve[at - 1], curve[at], curve[at + 1]];
  const bend = low - 2 * mid + high;
  if (!(bend > 0)) return { x: places[at].x, value: mid, bend: 0, slope: 0 };
  const part = (low - high) / (2 * bend);
  return {
    x: places[at].x + part / FINE,
    value: mid + part * (high - low) / 4,
    bend: bend * FINE * FINE,
    slope: 0,
  };
}

function firstFrom(places: readonly { x: number }[], fromX: number): number {
  const begin = places.findIndex(({ x }) => x >= fromX);
  return begin < 0 ? places.length - 1 : begin;
}

/**
 * How far values at other places of the curve differ from the value at x, each place as likely as its
 * weight: covariances of the weights of the followed lags, row by row.
 *
 * @param logarithm Of how much less likely a place is than the least one, by what its value is above that.
 */
export function spreadAround(
  values: readonly number[],
  { x, value, fromX }: { x: number; value: number; fromX: number },
  logarithm: (above: number) => number,
): Float64Array {
  const n = values.length;
  const around = weightsAt(x, n);
  const covariance = new Float64Array(n * n);
  let all = 0;
  const places = placesOf(n);
  for (let i = firstFrom(places, fromX); i < places.length; i++) {
    const { weights } = places[i];
    const likely = Math.exp(logarithm(Math.max(0, curveAt(values, places[i]) - value)));
    all += likely;
    for (let k = 0; k < n; k++) {
      for (let l = 0; l < n; l++) {
        covariance[k * n + l] += likely * (weights[k] - around[k]) * (weights[l] - around[l]);
      }
    }
  }
  return all > 0 ? covariance.map((one) => one / all) : covariance;
}

/** Σ weight·value. */
export function sum(weights: readonly number[], values: ArrayLike<number>): number {
  let total = 0;
  for (let k = 0; k < weights.length; k++) total += weights[k] * values[k];
  return total;
}
