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
    for (let i = 0; i < count; i++) values[newest * count + i] = input[i];
    for (let i = 0; i < count; i++) {
      const t0 = times[oldest];
      const y0 = values[oldest * count + i];
      let sumT = 0;
      let sumY = 0;
      let sumTT = 0;
      let sumTY = 0;
      for (let k = 0; k < pairs; k++) {
        const at = (oldest + k) % SLOPE_WINDOW;
        // Relative to the oldest pair: absolute times and energies would cost digits.
        const t = times[at] - t0;
        const y = values[at * count + i] - y0;
        sumT += t;
        sumY += y;
        sumTT += t * t;
        sumTY += t * y;
      }
      const spread = sumTT - (sumT * sumT) / pairs;
      out[i] = pairs < 2 || spread === 0 ? NaN : (sumTY - (sumT * sumY) / pairs) / spread;
    }
  };
}
