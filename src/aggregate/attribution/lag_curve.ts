/**
 * Lags, and what lies between those that a fit follows: the curve of fourth degree through five of them,
 * or of second degree through three. Lagrange.
 * @module
 */

/** Lags that are tried, as multiples of the update period (of 10 ms at most). */
export const LAG_GRID: readonly number[] = [-0.5, -0.25, 0, 0.25, 0.5, 0.75, 1];
/** Where the grid is 0. */
export const ZERO_LAG = 2;

/** Lags that a fit follows: enough to tell a lag from a time constant, and without such to find it. */
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

const placesOf = (count: number) =>
  Array.from({ length: (count - 1) * FINE + 1 }, (_, i) => {
    const x = i / FINE - (count >> 1);
    return { x, weights: weightsAt(x, count) };
  });
const PLACES = new Map([FOLLOWED, FOLLOWED_PLAIN].map((count) => [count, placesOf(count)]));

/** The curve's least value, where it is, and its second derivative there; that is 0 at an end. */
export function leastOf(values: readonly number[]): { x: number; value: number; bend: number } {
  let at = 0;
  const places = PLACES.get(values.length)!;
  const curve = places.map(({ weights }) => sum(weights, values));
  for (let i = 1; i < curve.length; i++) if (curve[i] < curve[at]) at = i;
  if (at === 0 || at === curve.length - 1) return { x: places[at].x, value: curve[at], bend: 0 };
  const [low, mid, high] = [curve[at - 1], curve[at], curve[at + 1]];
  const bend = low - 2 * mid + high;
  if (!(bend > 0)) return { x: places[at].x, value: mid, bend: 0 };
  const part = (low - high) / (2 * bend);
  return {
    x: places[at].x + part / FINE,
    value: mid + part * (high - low) / 4,
    bend: bend * FINE * FINE,
  };
}

/**
 * How far what lies on other places of the curve differs from what lies at x, each place as likely as its
 * value says: covariances of the weights of the followed lags, row by row.
 *
 * @param logarithm Of how much less likely a place is than the least one, by what its value is above that.
 */
export function spreadAround(
  values: readonly number[],
  { x, value }: { x: number; value: number },
  logarithm: (above: number) => number,
): Float64Array {
  const n = values.length;
  const around = weightsAt(x, n);
  const covariance = new Float64Array(n * n);
  let all = 0;
  for (const { weights } of PLACES.get(n)!) {
    const likely = Math.exp(logarithm(Math.max(0, sum(weights, values) - value)));
    all += likely;
    for (let k = 0; k < n; k++) {
      for (let l = 0; l < n; l++) {
        covariance[k * n + l] += likely * (weights[k] - around[k]) * (weights[l] - around[l]);
      }
    }
  }
  return covariance.map((one) => one / all);
}

/** Σ weight·value. */
export function sum(weights: readonly number[], values: ArrayLike<number>): number {
  let total = 0;
  for (let k = 0; k < weights.length; k++) total += weights[k] * values[k];
  return total;
}
