/**
 * Rate of a counter: the slope of a least-squares line through the last eight readings.
 *
 * As geopm::DerivativeSignal: one pair a tick; NaN with fewer than two pairs or without any spread
 * in time; a NaN stays in the window until it has passed through.
 * @module
 */

/** Pairs in the window. */
export const SLOPE_WINDOW = 8;

/** Makes the calculation for all instances of one signal. */
export function makeSlope(input: Float64Array, out: Float64Array): (timeS: number) => void {
  const count = out.length;
  const times = new Float64Array(SLOPE_WINDOW);
  const values = new Float64Array(SLOPE_WINDOW * count);
  let pairs = 0;
  let newest = -1;
  return (timeS) => {
    newest = (newest + 1) % SLOPE_WINDOW;
    if (pairs < SLOPE_WINDOW) pairs++;
    times[newest] = timeS;
    const oldest = (newest + 1 - pairs + SLOPE_WINDOW) % SLOPE_WINDOW;
    for (let i = 0; i < count; i++) {
      values[newest * count + i] = input[i];
      out[i] = slope(times, values, { pairs, oldest, count, i });
    }
  };
}

interface Window {
  readonly pairs: number;
  readonly oldest: number;
  readonly count: number;
  readonly i: number;
}

function slope(times: Float64Array, values: Float64Array, w: Window): number {
  if (w.pairs < 2) return NaN;
  const t0 = times[w.oldest];
  const y0 = values[w.oldest * w.count + w.i];
  let sumT = 0;
  let sumY = 0;
  let sumTT = 0;
  let sumTY = 0;
  for (let k = 0; k < w.pairs; k++) {
    const at = (w.oldest + k) % SLOPE_WINDOW;
    // Relative to the oldest pair: absolute times and energies would cost digits.
    const t = times[at] - t0;
    const y = values[at * w.count + w.i] - y0;
    sumT += t;
    sumY += y;
    sumTT += t * t;
    sumTY += t * y;
  }
  const spread = sumTT - (sumT * sumT) / w.pairs;
  return spread === 0 ? NaN : (sumTY - (sumT * sumY) / w.pairs) / spread;
}
