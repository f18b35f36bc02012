/**
 * Formulas of calculated signals, each over all instances and without allocation per tick.
 *
 * @module
 */

/** Longest gap in the readings of a meter that is bridged; over a longer one nothing is added. */
const MAX_GAP_S = 2;
/**
 * One count of this energy, J: a microjoule, as powercap has. After a longer gap it goes back by one, as a counter
 * that was restarted: docs/reference/coverage.md.
 */
const COUNT_J = 1e-6;

type Run = (timeS: number) => void;

/** Pairs in the window. */
const SLOPE_WINDOW = 8;

/**
 * Rate of a counter: the slope of a least-squares line through the last eight readings.
 *
 * As geopm::DerivativeSignal: one pair a tick; NaN with fewer than two pairs or without any spread
 * in time; a NaN stays in the window until it has passed through. A reading before the counter's next update is no
 * pair: it would make steps of the slope.
 *
 * @param periodS Seconds between two updates of the counter. @default 0, not known
 */
export function makeSlope(input: Float64Array, out: Float64Array, periodS = 0): Run {
  const count = out.length;
  const times = new Float64Array(SLOPE_WINDOW * count);
  const values = new Float64Array(SLOPE_WINDOW * count);
  const pairs = new Int32Array(count);
  const newest = new Int32Array(count).fill(-1);
  return (timeS) => {
    for (let i = 0; i < count; i++) {
      const first = i * SLOPE_WINDOW, last = first + newest[i];
      const isOld = pairs[i] > 0 && input[i] === values[last];
      // An update may be late by as much, or may add nothing.
      if (isOld && timeS - times[last] < 2 * periodS) continue;
      newest[i] = (newest[i] + 1) % SLOPE_WINDOW;
      if (pairs[i] < SLOPE_WINDOW) pairs[i]++;
      times[first + newest[i]] = timeS;
      values[first + newest[i]] = input[i];
      const used = pairs[i], oldest = (newest[i] + 1 - used + SLOPE_WINDOW) % SLOPE_WINDOW;
      const t0 = times[first + oldest];
      const y0 = values[first + oldest];
      let sumT = 0;
      let sumY = 0;
      let sumTT = 0;
      let sumTY = 0;
      for (let k = 0; k < used; k++) {
        const at = first + (oldest + k) % SLOPE_WINDOW;
        // Relative to the oldest pair: absolute times and energies would cost digits.
        const t = times[at] - t0;
        const y = values[at] - y0;
        sumT += t;
        sumY += y;
        sumTT += t * t;
        sumTY += t * y;
      }
      const spread = sumTT - (sumT * sumT) / used;
      out[i] = used < 2 || spread === 0 ? NaN : (sumTY - (sumT * sumY) / used) / spread;
    }
  };
}

/**
 * Energy from power: the time integral by the trapezoid rule, from 0 at the first reading.
 *
 * NaN while the meter gives nothing. A short gap is bridged by the straight line. After a long one the energy goes
 * back by one count: what was drawn in it is not known.
 */
export function makeIntegral(power: Float64Array, out: Float64Array): Run {
  const count = out.length;
  const lastW = new Float64Array(count).fill(NaN);
  const lastS = new Float64Array(count).fill(NaN);
  const total = new Float64Array(count);
  /** A meter may be slower than the gap allows when the ticks are: those count as no gap. */
  let tickS = NaN;
  let beforeS = NaN;
  return (timeS) => {
    tickS = timeS - beforeS;
    beforeS = timeS;
    for (let i = 0; i < count; i++) {
      const watts = power[i];
      if (watts !== watts) {
        out[i] = NaN;
        continue;
      }
      const elapsed = timeS - lastS[i];
      if (elapsed > MAX_GAP_S && elapsed > tickS) total[i] -= COUNT_J;
      else if (elapsed > 0) total[i] += ((watts + lastW[i]) / 2) * elapsed;
      lastW[i] = watts;
      lastS[i] = timeS;
      out[i] = total[i];
    }
  };
}

/** Quotient of the growths of two counters since the tick before, times a third signal. */
export function makeRatio(
  [above, below, factor]: readonly Float64Array[],
  out: Float64Array,
): Run {
  const count = out.length;
  const lastAbove = new Float64Array(count).fill(NaN);
  const lastBelow = new Float64Array(count).fill(NaN);
  return () => {
    for (let i = 0; i < count; i++) {
      const delta = below[i] - lastBelow[i];
      // A CPU that slept through the tick has no frequency; the last one stays.
      if (delta > 0) {
        out[i] = ((above[i] - lastAbove[i]) / delta) * (factor === undefined ? 1 : factor[i]);
      } else if (delta !== 0) out[i] = NaN;
      lastAbove[i] = above[i];
      lastBelow[i] = below[i];
    }
  };
}

/** Makes the difference of a whole and its parts, which are summed over their instances. */
export function makeRest(
  [whole, ...parts]: readonly Float64Array[],
  out: Float64Array,
): Run {
  return () => {
    let rest = whole[0];
    for (let k = 0; k < parts.length; k++) {
      const part = parts[k];
      // NaN of an instance makes the rest unknown: leaving it out would count it to the rest.
      for (let i = 0; i < part.length; i++) rest -= part[i];
    }
    out[0] = rest;
  };
}

/** Makes the same difference for counters, from 0 at the first tick that has all of them. */
export function makeCounterRest(inputs: readonly Float64Array[], out: Float64Array): Run {
  const plain = makeRest(inputs, out);
  let first = NaN;
  return (timeS) => {
    plain(timeS);
    if (first !== first) first = out[0];
    out[0] -= first;
  };
}
