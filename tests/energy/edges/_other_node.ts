/**
 * A second simulated node for tests of the fit, which shares no code with `src/sources/sim/`: power on a fine
 * grid of time, so that contention, boost, inertia and powers that depend on the visit's length are
 * each one line, and what each region drew and caused is a plain sum.
 */

/** What a node, its program and its counter are like. Times in s, powers in W. */
export interface OtherModel {
  readonly name: string;
  /** Power is so many watts a region and nothing else, noise aside. */
  readonly additive: boolean;
  /** One process on all CPUs, or one a CPU. @default 1 */
  readonly processes?: number;
  /** CPUs of each of the packages. @default [4] */
  readonly packages?: readonly number[];
  /** Length of the next visit. */
  readonly length: (region: number, random: Rng) => number;
  /** The region after this one. @default any other one */
  readonly next?: (region: number, random: Rng) => number;
  /** Factor of a CPU's power, by its region and that of its neighbour (−1: outside all). */
  readonly contention?: (region: number, neighbour: number) => number;
  /** The neighbour of a CPU. @default the CPU beside it */
  readonly neighbour?: (cpu: number) => number;
  /** Factor of a CPU's power, by its region and those of all CPUs of its package, its own included. */
  readonly crowd?: (region: number, regions: Int32Array) => number;
  /** Factor by the age of the visit, its length, and what else is known of it. */
  readonly visit?: (ageS: number, lengthS: number, region: number, more: OtherVisit) => number;
  /** Factor of a package's power above idle, anew at each grid point. */
  readonly chip?: (random: Rng) => (chip: OtherChip) => number;
  /** Time constant with which power follows the load. @default 0 */
  readonly inertiaS?: number;
  /** The same while it falls. @default inertiaS */
  readonly fallS?: number;
  /** Part of the power that follows late. @default 1 */
  readonly lateShare?: number;
  /** Relative noise of a package's power, anew at each grid point. @default a first-order memory of 30 ms, 3 % */
  readonly noise?: (random: Rng) => () => number;
  /** Relative, of each visit. @default 0.02 */
  readonly visitNoise?: number;
  /** Relative rise from the beginning to the end. @default 0 */
  readonly drift?: number;
  readonly counter?: Partial<OtherCounter>;
  /** Step of the monitor. @default 0.005 */
  readonly stepS?: number;
}

/** What is known of a visit beside its age. */
export interface OtherVisit {
  /** Region before it; -1: none. */
  readonly previous: number;
  /** Part of the run that is over. */
  readonly share: number;
}

/** A package at a grid point. */
export interface OtherChip {
  /** Region of each of its CPUs. */
  readonly regions: Int32Array;
  /** Power at the grid point before, W. */
  watts: number;
  readonly gridS: number;
}

/** A counter and how it is late, coarse and unreliable. */
export interface OtherCounter {
  readonly periodS: number;
  /** Moves each update by up to so much. */
  readonly jitterS: number;
  readonly stepJ: number;
  /** Share of updates that do not happen. */
  readonly skipped: number;
  /** Greatest lag; each run has one from 0 to it. */
  readonly lagS: number;
}

const RAPL: OtherCounter = {
  periodS: 0.000983,
  jitterS: 0.00002,
  stepJ: 61e-6,
  skipped: 0,
  lagS: 0.0006,
};
const GRID_S = 0.00005;
const REGIONS = 5;
const IDLE_W = 12;

/** Uniform and normal numbers by a seed: "sfc32" of PractRand. */
export class Rng {
  #a: number;
  #b: number;
  #c: number;
  #n = 1;

  constructor(seed: number) {
    this.#a = seed | 0;
    this.#b = Math.floor(seed / 4294967296) | 0;
    this.#c = 0x5eed;
    for (let i = 0; i < 16; i++) this.next();
  }

  /** From 0 to below 1. */
  next(): number {
    const t = (this.#a + this.#b + this.#n++) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + t | 0;
    return (t >>> 0) / 4294967296;
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.next();
  }

  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
  }
}

/** Noise that remembers for some time. */
export function remembering(share: number, memoryS: number) {
  return (random: Rng) => {
    const rho = Math.exp(-GRID_S / memoryS);
    const fresh = share * Math.sqrt(1 - rho * rho);
    let n = share * random.normal();
    return () => n = rho * n + fresh * random.normal();
  };
}

/** Noise that is small, and now and then large for some milliseconds. */
export function heavyTailed(share: number) {
  return (random: Rng) => {
    let left = 0;
    let n = 0;
    return () => {
      if (left-- > 0) return n;
      left = Math.floor(random.between(20, 200));
      // Student's t with three degrees of freedom.
      const chi = (random.normal() ** 2 + random.normal() ** 2 + random.normal() ** 2) / 3;
      return n = Math.max(-0.5, Math.min(2, share * random.normal() / Math.sqrt(chi)));
    };
  };
}

/** One edge: CPUs of a process come to a region. */
export interface OtherEdge {
  readonly t: number;
  readonly cpus: readonly number[];
  readonly region: number;
}

/** One run. */
export interface OtherRun {
  readonly cpus: readonly (readonly number[])[];
  readonly edges: readonly OtherEdge[];
  /** Steps of the monitor, and the counters' values at each. */
  readonly steps: readonly { readonly t: number; readonly joules: Float64Array }[];
  /** J that were drawn while CPUs were in a region, and that its load caused. */
  readonly drawnJ: Float64Array;
  readonly causedJ: Float64Array;
  readonly regions: number;
}

/** Runs a model. */
export function runOther(model: OtherModel, seed: number, seconds: number): OtherRun {
  const random = new Rng(seed);
  const packages = model.packages ?? [4];
  const cpus: number[][] = [];
  let all = 0;
  for (const count of packages) cpus.push(Array.from({ length: count }, () => all++));
  const watts = Array.from({ length: REGIONS }, (_, r) => 10 + 12.5 * r).sort(() =>
    random.next() - 0.5
  );
  const { visits, edges } = program(model, { random, all, seconds });
  const grid = Math.ceil(seconds / GRID_S);
  const drawnJ = new Float64Array(REGIONS);
  const causedJ = new Float64Array(REGIONS);
  const joules = packages.map(() => new Float64Array(grid + 1));
  const noise = packages.map(() => (model.noise ?? remembering(0.03, 0.03))(random));
  const at = new Int32Array(all);
  const power = new Float64Array(all);
  const riseS = model.inertiaS ?? 0;
  const fallS = model.fallS ?? riseS;
  const keepOf = (constantS: number) => constantS > 0 ? Math.exp(-GRID_S / constantS) : 0;
  const [rising, falling] = [keepOf(riseS), keepOf(fallS)];
  const late = model.lateShare ?? 1;
  const neighbour = model.neighbour ?? ((cpu) => cpu ^ 1);
  const packageOf = cpus.flatMap((list, p) => list.map(() => p));
  const beside = Array.from({ length: all }, (_, cpu) => neighbour(cpu));
  const now: Visit[] = visits.map((list) => list[0]);
  const factor = packages.map(() => 1);
  const chipFactor = packages.map(() => 1);
  const sum = new Float64Array(packages.length);
  const chips = packages.map((count) => ({
    regions: new Int32Array(count),
    watts: 0,
    gridS: GRID_S,
  }));
  const placeIn = cpus.flatMap((list) => list.map((_, i) => i));
  const chipOf = packages.map(() => model.chip?.(random));
  for (let g = 0; g < grid; g++) {
    const t = g * GRID_S;
    for (let p = 0; p < packages.length; p++) {
      factor[p] = 1 + noise[p]() + (model.drift ?? 0) * (t / seconds - 0.5);
      sum[p] = 0;
    }
    for (let c = 0; c < all; c++) {
      const list = visits[c];
      while (list[at[c]].end <= g && at[c] + 1 < list.length) at[c]++;
      now[c] = list[at[c]];
      chips[packageOf[c]].regions[placeIn[c]] = now[c].region;
    }
    for (let p = 0; p < packages.length; p++) chipFactor[p] = chipOf[p]?.(chips[p]) ?? 1;
    for (let c = 0; c < all; c++) {
      const { region, begin, end, factor: own, previous } = now[c];
      let target = watts[region] * own * chipFactor[packageOf[c]];
      if (model.contention !== undefined) {
        target *= model.contention(region, now[beside[c]]?.region ?? -1);
      }
      if (model.visit !== undefined) {
        const more = { previous, share: t / seconds };
        target *= model.visit((g - begin) * GRID_S, (end - begin) * GRID_S, region, more);
      }
      if (model.crowd !== undefined) {
        target *= model.crowd(region, chips[packageOf[c]].regions);
      }
      // Exactly within the grid: ∫ target + (power − target)·e^(−t/T) dt.
      const isRising = target > power[c];
      const keep = isRising ? rising : falling;
      const above = keep === 0 || g === 0 ? 0 : power[c] - target;
      power[c] = target + keep * above;
      const constantS = isRising ? riseS : fallS;
      const drawn = target + late * above * (1 - keep) * constantS / GRID_S;
      const scale = factor[packageOf[c]] * GRID_S;
      const idle = IDLE_W * scale;
      drawnJ[region] += drawn * scale + idle;
      causedJ[region] += target * scale + idle;
      sum[packageOf[c]] += drawn * scale + idle;
    }
    for (let p = 0; p < packages.length; p++) {
      joules[p][g + 1] = joules[p][g] + sum[p];
      chips[p].watts = sum[p] / GRID_S;
    }
  }
  const steps = readings(model, { joules, random, seconds });
  return { cpus, edges, steps, drawnJ, causedJ, regions: REGIONS };
}

interface Visit {
  readonly region: number;
  /** Grid points. */
  readonly begin: number;
  readonly end: number;
  readonly factor: number;
  readonly previous: number;
}

function program(
  model: OtherModel,
  { random, all, seconds }: { random: Rng; all: number; seconds: number },
): { visits: Visit[][]; edges: OtherEdge[] } {
  const processes = model.processes ?? 1;
  const next = model.next ??
    ((region, rng) => (region + 1 + Math.floor(rng.next() * (REGIONS - 1))) % REGIONS);
  const visits: Visit[][] = [];
  const edges: OtherEdge[] = [];
  for (let p = 0; p < processes; p++) {
    const cpus = Array.from({ length: all / processes }, (_, i) => p * (all / processes) + i);
    edges.push({ t: 0, cpus, region: -1 });
    const list: Visit[] = [];
    let region = Math.floor(random.next() * REGIONS);
    let previous = -1;
    for (let g = 0; g * GRID_S < seconds;) {
      const length = Math.max(1, Math.round(model.length(region, random) / GRID_S));
      edges.push({ t: g * GRID_S, cpus, region });
      const factor = 1 + (model.visitNoise ?? 0.02) * random.normal();
      list.push({ region, begin: g, end: g + length, factor, previous });
      g += length;
      previous = region;
      region = next(region, random);
    }
    for (let i = 0; i < cpus.length; i++) visits.push(list);
  }
  return { visits, edges: edges.sort((a, b) => a.t - b.t) };
}

function readings(
  model: OtherModel,
  { joules, random, seconds }: { joules: Float64Array[]; random: Rng; seconds: number },
) {
  const counter = { ...RAPL, ...model.counter };
  const stepS = model.stepS ?? 0.005;
  const shown = joules.map((list) => {
    const lagS = random.between(0, counter.lagS);
    let update = random.between(-counter.periodS, 0);
    let value = 0;
    return (t: number) => {
      for (; update <= t; update += counter.periodS) {
        if (random.next() < counter.skipped) continue;
        const moved = update + random.between(-counter.jitterS, counter.jitterS);
        const x = Math.min(list.length - 1, Math.max(0, (moved - lagS) / GRID_S));
        const g = Math.min(list.length - 2, Math.floor(x));
        const exact = list[g] + (x - g) * (list[g + 1] - list[g]);
        value = Math.floor(exact / counter.stepJ) * counter.stepJ;
      }
      return value;
    };
  });
  const steps: { t: number; joules: Float64Array }[] = [];
  for (let k = 0; k * stepS <= seconds; k++) {
    const t = k === 0 ? 0 : (k + random.between(-0.25, 0.25)) * stepS;
    if (t > seconds) break;
    steps.push({ t, joules: Float64Array.from(shown, (read) => read(t)) });
  }
  return steps;
}
