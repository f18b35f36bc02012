/** The machines of the second simulation: additive ones, and those that break what the fit assumes. */
import { Attribution } from "../../../src/energy/edges/attribution.ts";
import {
  heavyTailed,
  type OtherModel,
  type OtherRun,
  remembering,
  type Rng,
  runOther,
} from "./_other_node.ts";

export type { OtherModel };

const even = (low: number, high: number) => (_: number, random: Rng) => random.between(low, high);
/** Log-normal around a length: visits of very different lengths. */
const wide = (middle: number) => (_: number, random: Rng) =>
  Math.min(20 * middle, middle * Math.exp(0.7 * random.normal()));
const LOOP_S = [0.003, 0.011, 0.002, 0.007, 0.005];
const loop = (region: number, random: Rng) => LOOP_S[region] * random.between(0.85, 1.15);
const inTurn = (region: number) => (region + 1) % 5;
/** Usually the next one, at times the one after that. */
const mostly = (region: number, random: Rng) => (region + (random.next() < 0.8 ? 1 : 2)) % 5;
/** Regions 1 and 3 are bound by memory. */
const isBound = (region: number) => region === 1 || region === 3;

export const OTHER_MODELS: readonly OtherModel[] = [
  {
    name: "jitter, 2-8 ms",
    additive: true,
    length: even(0.002, 0.008),
    counter: { jitterS: 1e-4 },
  },
  { name: "heavy tails", additive: true, length: wide(0.008), noise: heavyTailed(0.05) },
  { name: "slow noise", additive: true, length: even(0.004, 0.02), noise: remembering(0.05, 1) },
  { name: "fast noise", additive: true, length: wide(0.005), noise: remembering(0.1, 0.002) },
  { name: "drift 15 %", additive: true, length: even(0.002, 0.02), drift: 0.15 },
  {
    name: "coarse, skipping counter",
    additive: true,
    length: even(0.003, 0.015),
    counter: { stepJ: 0.0153, skipped: 0.03 },
  },
  { name: "2 ms at random", additive: true, length: even(0.001, 0.003) },
  { name: "4 processes, 2-30 ms", additive: true, processes: 4, length: even(0.002, 0.03) },
  { name: "loop of five", additive: true, length: loop, next: inTurn },
  { name: "mostly in turn", additive: true, length: wide(0.006), next: mostly },
  {
    name: "two packages, 8 processes",
    additive: true,
    packages: [4, 4],
    processes: 8,
    length: even(0.002, 0.02),
  },
  { name: "1 ms steps", additive: true, length: even(0.002, 0.01), stepS: 0.001 },
  {
    name: "10 Hz, whole joules",
    additive: true,
    length: even(0.005, 0.03),
    counter: { periodS: 0.1, jitterS: 0.001, stepJ: 1, lagS: 0.006 },
  },
  {
    name: "same region: -25 %",
    additive: false,
    processes: 4,
    length: even(0.003, 0.02),
    contention: (r, other) => r === other ? 0.75 : 1,
  },
  {
    name: "beside memory-bound: -15 %",
    additive: false,
    processes: 4,
    length: wide(0.008),
    contention: (_, other) => isBound(other) ? 0.85 : 1,
  },
  {
    name: "same or memory-bound: -5 to -25 %",
    additive: false,
    processes: 4,
    length: even(0.002, 0.03),
    neighbour: (cpu) => (cpu + 1) % 4,
    contention: (r, other) => r === other || isBound(other) ? 0.95 - 0.05 * r : 1,
  },
  {
    name: "first ms: +40 %",
    additive: false,
    length: even(0.001, 0.01),
    visit: (ageS) => ageS < 0.001 ? 1.4 : 1,
  },
  {
    name: "boost decays in 3 ms",
    additive: false,
    length: wide(0.006),
    visit: (ageS) => 1 + 0.3 * Math.exp(-ageS / 0.003),
  },
  {
    name: "long visits draw more",
    additive: false,
    length: even(0.001, 0.03),
    visit: (_, lengthS) => lengthS > 0.012 ? 1.2 : 0.9,
  },
  {
    name: "power by length",
    additive: false,
    length: wide(0.005),
    visit: (_, lengthS, r) => 1 + (r % 2 === 0 ? 0.3 : -0.2) * Math.min(1, lengthS / 0.01),
  },
  {
    name: "inertia 0.3 ms, 2 ms visits",
    additive: false,
    length: even(0.001, 0.003),
    inertiaS: 3e-4,
  },
  { name: "inertia 0.3 ms, loop", additive: false, length: loop, next: inTurn, inertiaS: 3e-4 },
  { name: "inertia 1 ms", additive: false, length: wide(0.006), inertiaS: 1e-3 },
  { name: "inertia 2 ms", additive: false, length: even(0.002, 0.02), inertiaS: 2e-3 },
  {
    name: "inertia 2 ms, 4 processes",
    additive: false,
    processes: 4,
    length: even(0.002, 0.03),
    inertiaS: 2e-3,
  },
];

/** What the fit says of one run. */
export interface OtherOutcome {
  /** By region: error and standard error over the true energy; NaN: not told. */
  readonly error: number[];
  readonly se: number[];
  /** The same of what regions caused. */
  readonly causedError: number[];
  /** True energies, J. */
  readonly drawn: number[];
  readonly causes: readonly string[];
  readonly sumError: number;
  /** Sum of what regions and unmarked caused, over that of what was drawn; NaN: not all is told. */
  readonly causedSum: number;
}

/** Runs a model and attributes its energy. */
export function measureOther(model: OtherModel, seed: number, seconds: number): OtherOutcome {
  return measureRun(runOther(model, seed, seconds), model.counter?.periodS ?? 0.001);
}

/** Attributes the energy of a run. @param periodS About that of the counter's updates. */
export function measureRun(run: OtherRun, periodS: number): OtherOutcome {
  const attribution = new Attribution({
    cpuCount: run.cpus.flat().length,
    method: "fit",
    counters: run.cpus.map((cpus, index) => ({
      kind: "package",
      index,
      cpus,
      updatePeriodS: periodS > 0.02 ? 0.1 : periodS > 0.002 ? 0.01 : 0.001,
    })),
  });
  const stamps = new Float64Array(run.cpus.length).fill(NaN);
  let next = 0;
  for (const { t, joules } of run.steps) {
    for (; next < run.edges.length && run.edges[next].t <= t; next++) {
      const { t: at, cpus, region } = run.edges[next];
      attribution.edge(at, cpus, region);
    }
    attribution.step(t, joules, stamps);
  }
  const result = attribution.result(true).get("package")!;
  const drawn = [...run.drawnJ];
  const error: number[] = [];
  const se: number[] = [];
  const causedError: number[] = [];
  let sum = Math.max(0, result.of(0).exactJ);
  for (let r = 0; r < run.regions; r++) {
    const { exactJ, fitJ, seJ, causedJ } = result.of(r + 1);
    sum += exactJ;
    error.push(fitJ / run.drawnJ[r] - 1);
    se.push(Number.isNaN(fitJ) ? NaN : seJ / run.drawnJ[r]);
    causedError.push(causedJ / run.causedJ[r] - 1);
  }
  return {
    error,
    se,
    causedError,
    drawn,
    causes: result.counters[0].lack?.causes ?? [],
    causedSum: result.sum([0, 1, 2, 3, 4, 5]).causedJ / result.totalJ,
    sumError: Math.abs(sum / result.totalJ - 1),
  };
}
