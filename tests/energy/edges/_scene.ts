/** Small hand-made runs: edges and readings as a test writes them down. */
import {
  Attribution,
  type AttributionResult,
  type CounterSpec,
} from "../../../src/energy/edges/attribution.ts";

/** What a scene may be told. */
export interface Scene {
  readonly cpuCount?: number;
  readonly counters?: readonly CounterSpec[];
  readonly method?: "exact" | "fit";
  readonly stepS?: number;
  readonly seconds: number;
  /** Edges in order of time; the first ones make CPUs belong to a process. */
  readonly edges: readonly { t: number; cpus: readonly number[]; region: number }[];
  /** Readings at a step, one for each counter. */
  readonly read: (t: number, k: number) => readonly number[];
}

/** One package of four CPUs, updated every millisecond. */
export const PACKAGE: CounterSpec = {
  kind: "package",
  index: 0,
  cpus: [0, 1, 2, 3],
  updatePeriodS: 0.001,
};

/** Plays a scene to its end. */
export function play(scene: Scene): AttributionResult {
  const { cpuCount = 4, counters = [PACKAGE], method = "fit", stepS = 0.005 } = scene;
  const attribution = new Attribution({ cpuCount, counters, method });
  const stamps = new Float64Array(counters.length).fill(NaN);
  let next = 0;
  for (let k = 0; k * stepS <= scene.seconds + 1e-12; k++) {
    const t = k * stepS;
    for (; next < scene.edges.length && scene.edges[next].t <= t; next++) {
      const { cpus, region } = scene.edges[next];
      attribution.edge(scene.edges[next].t, cpus, region);
    }
    attribution.step(t, Float64Array.from(scene.read(t, k)), stamps);
  }
  return attribution.result(true);
}

/** Regions in turn on all four CPUs, with these lengths in seconds. */
export function loop(seconds: number, lengths: readonly number[]) {
  const cpus = [0, 1, 2, 3];
  const edges: { t: number; cpus: readonly number[]; region: number }[] = [
    { t: 0, cpus, region: -1 },
  ];
  let t = 0;
  for (let k = 0; t < seconds; k++) {
    edges.push({ t, cpus, region: k % lengths.length });
    t += lengths[k % lengths.length];
  }
  return edges;
}

/** Energy up to a time of regions in turn with powers in W, seen once a millisecond. */
export function energyOf(lengths: readonly number[], watts: readonly number[], lagS = 0.0003) {
  const period = lengths.reduce((a, b) => a + b);
  const perPeriod = lengths.reduce((sum, s, i) => sum + s * watts[i], 0);
  return (t: number): number => {
    const y = Math.max(0, Math.floor((t - lagS) / 0.000977) * 0.000977);
    const whole = Math.floor(y / period);
    let left = y - whole * period;
    let joules = whole * perPeriod;
    for (let i = 0; i < lengths.length && left > 0; i++) {
      joules += Math.min(left, lengths[i]) * watts[i];
      left -= lengths[i];
    }
    return joules;
  };
}
