/**
 * Lags, and what lies between those that a fit follows: the curve of fourth degree through five of them. Lagrange.
 * @module
 */

/** Lags that are tried, as multiples of the update period (of 10 ms at most). */
export const LAG_GRID: readonly number[] = [-0.5, -0.25, 0, 0.25, 0.5, 0.75, 1];
/** Where the grid is 0. */
export const ZERO_LAG = 2;

/** Lags that a fit follows, and the place of the one in the middle. */
export const FOLLOWED = 5;
export const MIDDLE = 2;

const NODES = Array.from({ length: FOLLOWED }, (_, k) => k - MIDDLE);
/** Places per step at which the least is looked for. */
const FINE = 40;
const DELTA = 1e-3;

/** What each of the values counts for at x, in steps from the middle. */
export function weightsAt(x: number): number[] {
  return NODES.map((node) =>
    NODES.reduce(
      (product, other) => other === node ? product : product * (x - other) / (node - other),
      1,
    )
  );
}

/** Weights of the slope there. */
export function slopeAt(x: number): number[] {
  const [low, high] = [weightsAt(x - DELTA), weightsAt(x + DELTA)];
  return high.map((weight, k) => (weight - low[k]) / (2 * DELTA));
}

const PLACES = Array.from({ length: 2 * MIDDLE * FINE + 1 }, (_, i) => {
  const x = i / FINE - MIDDLE;
  return { x, weights: weightsAt(x) };
});

/** The curve's least value, where it is, and its second derivative there; that is 0 at an end. */
export function leastOf(values: readonly number[]): { x: number; value: number; bend: number } {
  let at = 0;
  const curve = PLACES.map(({ weights }) => sum(weights, values));
  for (let i = 1; i < curve.length; i++) if (curve[i] < curve[at]) at = i;
  if (at === 0 || at === curve.length - 1) return { x: PLACES[at].x, value: curve[at], bend: 0 };
  const [low, mid, high] = [curve[at - 1], curve[at], curve[at + 1]];
  const bend = low - 2 * mid + high;
  if (!(bend > 0)) return { x: PLACES[at].x, value: mid, bend: 0 };
  const part = (low - high) / (2 * bend);
  return {
    x: PLACES[at].x + part / FINE,
    value: mid + part * (high - low) / 4,
    bend: bend * FINE * FINE,
  };
}

/** Σ weight·value. */
export function sum(weights: readonly number[], values: ArrayLike<number>): number {
  let total = 0;
  for (let k = 0; k < weights.length; k++) total += weights[k] * values[k];
  return total;
}
