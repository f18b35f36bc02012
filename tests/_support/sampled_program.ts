/**
 * A simulated program of functions whose joules are known, and its samples.
 *
 * Eight kinds of phases, the same on all CPUs, mix functions differently; visits have a gamma distribution. Power of a
 * function is its own, with 3 % of noise that remembers for 50 ms. Samples are whole periods of CPU time apart.
 * @module
 */
import { Random } from "../../src/core/random.ts";
import { countUpTo } from "../../src/energy/attribution/linear.ts";
import {
  addSample,
  type SampledDomain,
  spreadSample,
} from "../../src/energy/attribution/sampled.ts";

/** Lengths of visits: 0.2–1 s, 5–100 ms, 0.1–20 ms, 0.05–0.5 ms; `steady`: 0.1–5 ms without phases. */
export type VisitKind = "stays" | "long" | "mixed" | "short" | "steady";

/** Settings of a program. */
export interface SampledSettings {
  readonly functions: number;
  readonly hz: number;
  readonly kind: VisitKind;
  readonly seed: number;
  /** `node`: a change each 100 ms, whole joules. @default "rapl": 5 ms */
  readonly counter?: "rapl" | "node";
  readonly seconds?: number;
  readonly cpus?: number;
  /** Readings are 3 to 7 ms apart. @default false: 5 ms */
  readonly isDithered?: boolean;
  /** Part of the time that CPUs wait, at 3 W. @default 0 */
  readonly off?: number;
}

/** What the estimator gets, and the true joules by function. */
export interface SampledProgram {
  readonly domain: SampledDomain;
  readonly truthJ: Float64Array;
  readonly idleJ: number;
}

const LENGTHS_S: Readonly<Record<VisitKind, readonly [number, number]>> = {
  stays: [0.2, 1],
  long: [5e-3, 0.1],
  mixed: [1e-4, 2e-2],
  short: [5e-5, 5e-4],
  steady: [1e-4, 5e-3],
};
const GRID_S = 1e-3, MEAN_W = 10, OFF_W = 3, NOISE = 0.03, MEMORY = 50;

/** Runs a program. */
export function sampledProgram(settings: SampledSettings): SampledProgram {
  const { functions: n, hz, kind, seed, counter = "rapl", off = 0 } = settings;
  const { seconds: endS = 60, cpus = 8, isDithered = false } = settings;
  const random = new Random(seed), [least, most] = LENGTHS_S[kind];
  const between = (low: number, high: number) =>
    Math.exp(random.uniform(Math.log(low), Math.log(high)));
  const share = normalized(dirichlet(random, new Array(n).fill(0.7)).map((s) => s + 0.1 / n));
  const watts = share.map(() => MEAN_W * random.uniform(0.6, 1.6));
  const visitS = share.map(() => between(least, most));
  const phases = kind === "steady" ? 1 : 8;
  const mixes = Array.from({ length: phases }, () => {
    const mix = phases === 1 ? share : dirichlet(random, share.map((s) => Math.max(s * 12, 0.02)));
    const waits = off === 0 ? 0 : Math.min(0.95, off * random.uniform(0.3, 1.7));
    return [...mix.map((s) => s * (1 - waits)), waits];
  });
  visitS.push(between(least, most));
  watts.push(OFF_W);
  const ends: { atS: number; mix: number[] }[] = [];
  for (let t = 0; t < endS;) {
    t += phases === 1 ? endS : Math.exp(Math.log(0.5) + 0.8 * random.normal());
    ends.push({ atS: Math.min(t, endS), mix: mixes[random.below(phases)] });
  }
  const bins = Math.round(endS / GRID_S), tau = new Float64Array(bins * (n + 1));
  const next = new Float64Array(n * n), timeS = new Float64Array(n);
  interface Sample {
    readonly atS: number;
    readonly of: number;
    readonly isOdd: number;
    fromS: number;
    toS: number;
  }
  const samples: Sample[] = [];
  const busy = new Float64Array(bins);
  for (let cpu = 0; cpu < cpus; cpu++) {
    let t = 0, untilS = random.uniform(0, 1 / hz), last: Sample | undefined, odd = 0;
    for (const { atS, mix } of ends) {
      const rates = mix.map((s, f) => s / visitS[f]), chances = cumulative(rates);
      while (t < atS) {
        const f = drawn(random, chances);
        const length = Math.min(
          visitS[f] / 2 * (exponential(random) + exponential(random)),
          atS - t,
        );
        spread(tau, n + 1, f, t, t + length);
        if (f < n) {
          timeS[f] += length;
          let runS = length, at = t;
          for (; runS >= untilS; untilS = 1 / hz) {
            [runS, at] = [runS - untilS, at + untilS];
            const sample = { atS: at, of: f, isOdd: odd ^= 1, fromS: at, toS: at };
            samples.push(sample);
            spreadSample(last?.atS ?? NaN, at, 1 / hz, (from, to, share) => {
              const each = share / hz / (to - from);
              spread(busy, 1, 0, Math.max(0, from), to, each);
            });
            if (last !== undefined) {
              next[last.of * n + f] += 0.5;
              next[f * n + last.of] += 0.5;
              if (last.of === f && at - last.atS < 1.5 / hz) {
                [sample.fromS, last.toS] = [last.atS, at];
              }
            }
            last = sample;
          }
          untilS -= runS;
        }
        t += length;
      }
    }
  }
  const joules = new Float64Array(bins + 1), truthJ = new Float64Array(n + 1);
  const keeps = Math.exp(-1 / MEMORY);
  for (let k = 0, noise = 0; k < bins; k++) {
    noise = keeps * noise + NOISE * Math.sqrt(1 - keeps * keeps) * random.normal();
    joules[k + 1] = joules[k];
    for (let f = 0; f <= n; f++) {
      const j = tau[k * (n + 1) + f] * watts[f] * (1 + noise);
      joules[k + 1] += j;
      truthJ[f] += j;
    }
  }
  const step = counter === "rapl" ? 5 : 100, cuts = [0];
  for (let at = 0; at + step + 2 < bins;) {
    cuts.push(at += isDithered ? step - 2 + random.below(5) : step);
  }
  const rows = cuts.length - 1;
  const power = joules[bins] / endS, blurS = counter === "rapl" ? 0.5e-3 : 2.5e-3;
  const seen = cuts.map((at) => {
    const value = joules[at] + random.uniform(-blurS, blurS) * power;
    return counter === "rapl" ? value : Math.floor(value);
  });
  const edges = Float64Array.from(cuts, (at) => at * GRID_S);
  const kept = samples.filter(({ atS }) => atS < edges[rows]).sort((a, b) => a.atS - b.atS);
  return {
    truthJ: truthJ.subarray(0, n),
    idleJ: truthJ[n],
    domain: {
      classes: n,
      lanes: cpus,
      periodS: 1 / hz,
      timeS: timesOf(kept, n, hz),
      timeVariance: new Float64Array(n),
      runS: endS,
      totalJ: joules[bins],
      next,
      stretches: [{
        energyJ: Float64Array.from({ length: rows }, (_, k) => seen[k + 1] - seen[k]),
        lengthS: Float64Array.from({ length: rows }, (_, k) => edges[k + 1] - edges[k]),
        busyS: Float64Array.from(
          { length: rows },
          (_, k) => busy.subarray(cuts[k], cuts[k + 1]).reduce((sum, s) => sum + s, 0),
        ),
        interval: Int32Array.from(kept, ({ atS }) => countUpTo(edges, atS) - 1),
        classOf: Int32Array.from(kept, ({ of }) => of),
        seconds: new Float64Array(kept.length).fill(1 / hz),
        isOdd: Uint8Array.from(kept, ({ isOdd }) => isOdd),
        classS() {
          const all = new Float64Array(n * rows);
          for (const { of, fromS, atS, toS } of samples) {
            addSample(all, edges, { first: of * rows, fromS, atS, toS }, 1 / hz);
          }
          return all;
        },
      }],
    },
  };
}

function timesOf(samples: readonly { of: number }[], n: number, hz: number): Float64Array {
  const times = new Float64Array(n);
  for (const { of } of samples) times[of] += 1 / hz;
  return times;
}

function spread(
  tau: Float64Array,
  width: number,
  f: number,
  fromS: number,
  toS: number,
  each = 1,
): void {
  const last = tau.length / width - 1;
  for (let t = fromS; t < toS;) {
    const k = Math.min(last, Math.floor(t / GRID_S + 1e-9)), end = Math.min(toS, (k + 1) * GRID_S);
    tau[k * width + f] += each * (Math.max(end, t) - t);
    t = end > t ? end : toS;
  }
}

function exponential(random: Random): number {
  return -Math.log(1 - random.uniform());
}

/** Marsaglia and Tsang; below 1 by a power of a uniform number. */
function gamma(random: Random, shape: number): number {
  if (shape < 1) return gamma(random, shape + 1) * (1 - random.uniform()) ** (1 / shape);
  const d = shape - 1 / 3, c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = random.normal(), v = (1 + c * x) ** 3;
    if (v <= 0) continue;
    if (Math.log(1 - random.uniform()) < x * x / 2 + d - d * v + d * Math.log(v)) return d * v;
  }
}

function dirichlet(random: Random, shapes: readonly number[]): number[] {
  return normalized(shapes.map((shape) => gamma(random, shape)));
}

function normalized(x: readonly number[]): number[] {
  const all = x.reduce((sum, v) => sum + v, 0);
  return x.map((v) => v / all);
}

function cumulative(x: readonly number[]): Float64Array {
  let sum = 0;
  const out = Float64Array.from(x, (v) => sum += v);
  return out.map((v) => v / sum);
}

function drawn(random: Random, chances: Float64Array): number {
  const x = random.uniform();
  let low = 0, high = chances.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (chances[middle] > x) high = middle;
    else low = middle + 1;
  }
  return low;
}
