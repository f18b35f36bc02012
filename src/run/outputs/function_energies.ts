/**
 * Energies of functions: readings of the node's counters beside the samples of stacks.
 * docs/explanation/energy-of-functions.md.
 * @module
 */
import { grown } from "../../core/grow.ts";
import type { EnergyKind } from "../../core/region_tree.ts";
import { type Boundaries, findBoundaries } from "../../energy/attribution/clock.ts";
import { MAX_CLASSES } from "../../energy/attribution/domain.ts";
import { countUpTo } from "../../energy/attribution/linear.ts";
import {
  addSample,
  addSpan,
  SampledPowers,
  type SampledStretch,
  spreadSample,
} from "../../energy/attribution/sampled.ts";
import {
  type ClassTimes,
  type SampledEnergy,
  SampledSum,
  WaitingPowers,
} from "../../energy/attribution/sampled_sum.ts";
import type { FunctionData, LeafClasses } from "../../profile/function_data.ts";
import type { SampleSeen } from "../../profile/profile.ts";
import { type EnergyCounter, findCounters } from "./energy_counters.ts";
import type { HeldRegions } from "./held_regions.ts";
import type { RunView } from "./run_view.ts";

/** Classes of functions: those with energies of their own, and one of the others in each region. */
export const MAX_LEAVES = MAX_CLASSES - 1;
/** More samples (40 MB), or readings, leave out every second block of time. */
const SAMPLES_MOST = 1 << 21, READINGS_MOST = 1 << 16;
/** Length of such a block, s. */
const BLOCK_S = 30;
/** The most CPUs at work at a time are those of this time, in sampling periods. */
const BUSY_PERIODS = 40;
/** Longer parts of a block are no next sample of a thread. */
const NEXT_PERIODS = 1.5;
/** Totals that differ more are not of the same time. */
const SAME_TOTAL = 0.1;
/** Share of a function's time among those that have no energies of their own. */
const JOINED_SHARE = 0.01;

/** Time of a function by leaf, s. */
export type LeafTimes = readonly (readonly [leaf: number, seconds: number])[];

/** Parts of what is in regions. */
export type RegionShares = readonly (readonly [region: number, share: number])[];

/** Energies of one component. */
export interface ComponentEnergies {
  readonly kind: EnergyKind;
  readonly totalJ: number;
  /** Energy of packages that the command did not run on, J. */
  readonly otherCpusJ: number;
  /** Energy while the CPUs that the command uses waited, and their time, s. */
  readonly waiting: SampledEnergy;
  readonly waitingS: number;
  /** Energy of a function, by the time it had in each class. */
  own(times: LeafTimes): SampledEnergy;
  /** Energy of a function with all that it calls, and of a share of the time that threads waited in regions. */
  sum(times: LeafTimes, waits?: RegionShares): SampledEnergy;
}

/** One counter's powers, and the share of each leaf's time on its CPUs. */
interface Domain {
  readonly powers: SampledPowers;
  readonly shares: Float64Array;
}

/** Gathers readings and samples. */
export class FunctionEnergies {
  readonly #run: RunView;
  readonly #counters: readonly EnergyCounter[];
  /** Time of the run's zero by the samples' clock, ns. */
  readonly #originNs: number;
  #readings = 0;
  #readingS = new Float64Array(1024);
  readonly #values: Float64Array[];
  #samples = 0;
  #sampleS = new Float64Array(1024);
  #cpu = new Int32Array(1024);
  #thread = new Int32Array(1024);
  #node = new Int32Array(1024);
  /** Each block with a number that this divides is kept. */
  #stride = 1;
  /** Readings at the begin and end of the command: times and values; NaN: none so far. */
  #beginS = NaN;
  #endS = NaN;
  readonly #beginValues: Float64Array;
  readonly #endValues: Float64Array;
  #isEnded = false;

  /** @returns `undefined`: no counter serves. @param originNs NaN: the recording does not know it. */
  static open(run: RunView, originNs: number): FunctionEnergies | undefined {
    const counters = findCounters(run).filter(({ kind }) => kind !== "gpu");
    if (counters.length === 0 || !Number.isFinite(originNs)) return undefined;
    return new FunctionEnergies(run, counters, originNs);
  }

  private constructor(run: RunView, counters: readonly EnergyCounter[], originNs: number) {
    [this.#run, this.#counters, this.#originNs] = [run, counters, originNs];
    this.#values = counters.map(() => new Float64Array(1024));
    this.#beginValues = new Float64Array(counters.length);
    this.#endValues = new Float64Array(counters.length);
  }

  /** A sample of a stack. */
  sample({ timeNs, cpu, thread, node }: SampleSeen): void {
    const timeS = (timeNs - this.#originNs) / 1e9;
    if (!this.#keeps(timeS)) return;
    const i = this.#samples++;
    if (i === this.#sampleS.length) {
      this.#sampleS = grown(this.#sampleS);
      this.#cpu = grown(this.#cpu);
      this.#thread = grown(this.#thread);
      this.#node = grown(this.#node);
    }
    this.#sampleS[i] = timeS;
    this.#cpu[i] = cpu;
    this.#thread[i] = thread;
    this.#node[i] = node;
    if (this.#samples === SAMPLES_MOST) this.#thin();
  }

  /** Counters were read. @param isEnd The command has ended. */
  step(timeS: number, isEnd: boolean): void {
    if (this.#isEnded) return;
    this.#isEnded = isEnd;
    const { batch, tracker: { zeroS } } = this.#run, values = this.#endValues;
    for (let k = 0; k < values.length; k++) values[k] = batch.sample(this.#counters[k].handle);
    this.#endS = timeS;
    if (Number.isNaN(this.#beginS) || !(timeS > zeroS)) {
      this.#beginS = timeS;
      this.#beginValues.set(values);
    }
    if (!this.#keeps(timeS)) return;
    const i = this.#readings++;
    if (i === this.#readingS.length) {
      this.#readingS = grown(this.#readingS);
      this.#values.forEach((of, k) => this.#values[k] = grown(of));
    }
    this.#readingS[i] = timeS;
    for (let k = 0; k < values.length; k++) this.#values[k][i] = values[k];
    if (this.#readings === READINGS_MOST) this.#thin();
  }

  #keeps(timeS: number): boolean {
    return this.#stride === 1 || Math.floor(timeS / BLOCK_S) % this.#stride === 0;
  }

  /** Every second block goes. */
  #thin(): void {
    this.#stride *= 2;
    let kept = 0;
    for (let i = 0; i < this.#samples; i++) {
      if (!this.#keeps(this.#sampleS[i])) continue;
      for (const  of of[this.#sampleS, this.#cpu, this.#thread, this.#node]) of[kept] = of[i];
      kept++;
    }
    this.#samples = kept;
    kept = 0;
    for (let i = 0; i < this.#readings; i++) {
      if (!this.#keeps(this.#readingS[i])) continue;
      for (const of of [this.#readingS, ...this.#values]) of[kept] = of[i];
      kept++;
    }
    this.#readings = kept;
  }

  /** Share of the samples that are of threads without any sample in a region. */
  unmarkedShare(isInRegion: (node: number) => boolean): number {
    const marked = new Set<number>();
    for (let i = 0; i < this.#samples; i++) {
      if (isInRegion(this.#node[i])) marked.add(this.#thread[i]);
    }
    let count = 0;
    for (let i = 0; i < this.#samples; i++) if (!marked.has(this.#thread[i])) count++;
    return count / this.#samples;
  }

  /** Energies by component. */
  finish(data: FunctionData, leaves: LeafClasses, regions: HeldRegions): ComponentEnergies[] {
    const { energies } = this.#run;
    const kinds = [...new Set(this.#counters.map(({ kind }) => kind))]
      .filter((kind) => energies === undefined || energies.kinds.includes(kind));
    if (Number.isNaN(this.#beginS) || this.#samples === 0) return [];
    const samples = this.#classed(data, leaves);
    return kinds.flatMap((kind) => {
      const at = this.#counters.flatMap((counter, k) => counter.kind === kind ? [k] : []);
      const counted = at.map((k) => this.#endValues[k] - this.#beginValues[k]);
      const sum = counted.reduce((all, joules) => all + joules, 0);
      if (!(sum > 0)) return [];
      const told = energies?.totalJ(kind) ?? sum;
      const scale = Math.abs(told / sum - 1) < SAME_TOTAL ? told / sum : 1;
      const domains: Domain[] = [];
      let otherCpusJ = 0;
      at.forEach((k, i) => {
        const domain = this.#domain(k, counted[i] * scale, { data, leaves, samples });
        if (domain === undefined) otherCpusJ += counted[i] * scale;
        else domains.push(domain);
      });
      return [new Component(kind, { totalJ: sum * scale, otherCpusJ, domains, leaves, regions })];
    });
  }

  /** Leaves, times and neighbours of all samples. */
  #classed({ costs, periodNs }: FunctionData, leaves: LeafClasses): Classed {
    const weightS = new Map<number, number>();
    for (const { node, ns, samples } of costs) {
      if (samples > 0) weightS.set(node, ns / samples / 1e9);
    }
    const n = this.#samples, count = leaves.count, periodS = periodNs / 1e9;
    const classOf = new Int32Array(n), isOdd = new Uint8Array(n);
    const seconds = new Float64Array(n), beforeS = new Float64Array(n);
    const fromS = this.#sampleS.slice(0, n), toS = fromS.slice();
    const next = new Float64Array(count * count);
    const last = new Map<number, number>();
    for (let i = 0; i < n; i++) {
      const thread = this.#thread[i], before = last.get(thread) ?? -1;
      last.set(thread, i);
      const leaf = classOf[i] = leaves.of(this.#node[i]);
      seconds[i] = weightS.get(this.#node[i]) ?? 0;
      beforeS[i] = before < 0 ? NaN : this.#sampleS[before];
      isOdd[i] = before < 0 ? 0 : 1 - isOdd[before];
      if (before < 0 || leaf < 0 || classOf[before] < 0) continue;
      if (this.#sampleS[i] - this.#sampleS[before] > NEXT_PERIODS * periodS) continue;
      next[classOf[before] * count + leaf] += 0.5;
      next[leaf * count + classOf[before]] += 0.5;
      if (leaf !== classOf[before]) continue;
      fromS[i] = this.#sampleS[before];
      toS[before] = this.#sampleS[i];
    }
    return { classOf, isOdd, seconds, beforeS, fromS, toS, next };
  }

  /** A counter's domain; `undefined`: the command did not run on its CPUs. */
  #domain(k: number, totalJ: number, { data, leaves, samples }: Sources): Domain | undefined {
    const { cpus, updatePeriodS = 0 } = this.#counters[k], inside = new Set(cpus);
    const { count } = leaves, { classOf, seconds } = samples;
    const here: number[] = [], keptS = new Float64Array(count), allS = keptS.slice();
    for (let i = 0; i < this.#samples; i++) {
      if (classOf[i] < 0) continue;
      allS[classOf[i]] += seconds[i];
      if (!inside.has(this.#cpu[i])) continue;
      keptS[classOf[i]] += seconds[i];
      here.push(i);
    }
    if (here.length === 0) return undefined;
    const shares = keptS.map((s, c) => allS[c] > 0 ? s / allS[c] : 1);
    const periodS = data.periodNs / 1e9, runS = this.#endS - this.#beginS;
    const lanes = this.#lanes(here, seconds, periodS);
    const stretches = this.#stretches(k, { here, updatePeriodS, periodS, samples, count });
    const powers = new SampledPowers({
      classes: count,
      lanes: Math.min(lanes, cpus.length),
      periodS,
      timeS: leaves.timeS.map((s, c) => s * shares[c]),
      timeVariance: leaves.briefS.map((s, c) => (s * shares[c]) ** 2 / 3),
      runS,
      totalJ,
      stretches,
      next: samples.next,
    });
    return { powers, shares };
  }

  /** CPUs at work at a time, at most. */
  #lanes(here: readonly number[], seconds: Float64Array, periodS: number): number {
    const windowS = BUSY_PERIODS * periodS, busy = new Map<number, number>();
    for (const i of here) {
      const window = Math.floor(this.#sampleS[i] / windowS);
      busy.set(window, (busy.get(window) ?? 0) + seconds[i]);
    }
    let most = 0;
    for (const s of busy.values()) most = Math.max(most, s / windowS);
    return Math.max(1, Math.round(most));
  }

  /** Intervals of a counter, cut where readings or values are missing. */
  #stretches(k: number, domain: {
    readonly here: readonly number[];
    readonly updatePeriodS: number;
    readonly periodS: number;
    readonly samples: Classed;
    readonly count: number;
  }): SampledStretch[] {
    const out: SampledStretch[] = [], from = this.#beginS;
    let first = 0;
    while (first < this.#readings && this.#readingS[first] < from) first++;
    for (let i = first + 1; i <= this.#readings; i++) {
      const isBreak = i === this.#readings ||
        Math.floor(this.#readingS[i] / BLOCK_S) - Math.floor(this.#readingS[i - 1] / BLOCK_S) > 1;
      if (!isBreak) continue;
      const t = this.#readingS.subarray(first, i), v = this.#values[k].subarray(first, i);
      first = i;
      const boundaries = findBoundaries(t, v, domain.updatePeriodS);
      if (boundaries !== undefined) this.#cut(boundaries, domain, out);
    }
    return out;
  }

  #cut(
    boundaries: Boundaries,
    { here, periodS, samples, count: classes }: {
      readonly here: readonly number[];
      readonly periodS: number;
      readonly samples: Classed;
      readonly count: number;
    },
    out: SampledStretch[],
  ): void {
    const { count, yS, aS, valueJ, isWhole } = boundaries;
    for (let k = 0; k + 1 < count; k++) {
      if (isWhole[k] === 0) continue;
      const first = k;
      while (k + 2 < count && isWhole[k + 1] === 1) k++;
      const edges = Float64Array.from(
        { length: k + 2 - first },
        (_, i) => yS[first + i] - aS[first + i] / 2,
      );
      const rows = edges.length - 1, busyS = new Float64Array(rows);
      const interval: number[] = [], of: number[] = [], near: number[] = [];
      const nearS = NEXT_PERIODS * periodS;
      for (const i of here) {
        const atS = this.#sampleS[i], seconds = samples.seconds[i];
        if (atS < edges[0] - nearS || atS > edges[rows] + nearS) continue;
        near.push(i);
        spreadSample(samples.beforeS[i], atS, periodS, (fromS, toS, share) => {
          addSpan(busyS, edges, [fromS, toS], seconds * share);
        });
        const row = countUpTo(edges, atS) - 1;
        if (row < 0 || row >= rows) continue;
        interval.push(row);
        of.push(i);
      }
      out.push({
        energyJ: Float64Array.from({ length: rows }, (_, i) => {
          return valueJ[first + i + 1] - valueJ[first + i];
        }),
        lengthS: Float64Array.from({ length: rows }, (_, i) => edges[i + 1] - edges[i]),
        busyS,
        interval: Int32Array.from(interval),
        classOf: Int32Array.from(of, (i) => samples.classOf[i]),
        seconds: Float64Array.from(of, (i) => samples.seconds[i]),
        isOdd: Uint8Array.from(of, (i) => samples.isOdd[i]),
        classS: () => {
          const all = new Float64Array(classes * rows), { fromS, toS, classOf, seconds } = samples;
          for (const i of near) {
            const times = { fromS: fromS[i], atS: this.#sampleS[i], toS: toS[i] };
            addSample(all, edges, { first: classOf[i] * rows, ...times }, seconds[i]);
          }
          return all;
        },
      });
    }
  }
}

/**
 * Samples by number: leaf, parity in its thread, CPU time, the time of the one before there, and the times of those
 * beside it with the same leaf.
 */
interface Classed {
  readonly classOf: Int32Array;
  readonly isOdd: Uint8Array;
  readonly seconds: Float64Array;
  readonly beforeS: Float64Array;
  readonly fromS: Float64Array;
  readonly toS: Float64Array;
  readonly next: Float64Array;
}

interface Sources {
  readonly data: FunctionData;
  readonly leaves: LeafClasses;
  readonly samples: Classed;
}

/** Sources of a component's energies. */
interface ComponentSources {
  readonly totalJ: number;
  readonly otherCpusJ: number;
  readonly domains: readonly Domain[];
  readonly leaves: LeafClasses;
  readonly regions: HeldRegions;
}

class Component implements ComponentEnergies {
  readonly totalJ: number;
  readonly otherCpusJ: number;
  readonly waiting: SampledEnergy;
  readonly waitingS: number;
  readonly #domains: readonly Domain[];
  readonly #leaves: LeafClasses;
  readonly #sum: SampledSum;
  /** By region: times of all its classes, and the part of them that threads waited. */
  readonly #whole: readonly ClassTimes[];

  constructor(
    readonly kind: EnergyKind,
    { totalJ, otherCpusJ, domains, leaves, regions }: ComponentSources,
  ) {
    [this.totalJ, this.otherCpusJ] = [totalJ, otherCpusJ];
    [this.#domains, this.#leaves] = [domains, leaves];
    const powers = domains.map((domain) => domain.powers);
    const whole = this.#whole = this.#wholes(regions);
    const meanW = Math.max(0, ...powers.map((of) => of.meanW));
    const idleW = Math.min(...powers.map((of) => Math.max(0, of.powerW(of.idle))));
    const waiting = new WaitingPowers(regions.count - 1, meanW, idleW);
    this.#sum = new SampledSum(
      [...powers, waiting],
      whole,
      totalJ - otherCpusJ,
      regions.sums(kind),
    );
    this.waitingS = powers.reduce((sum, { idleS }) => sum + idleS, 0);
    this.waiting = this.sum([], whole.map((_, region) => [region, 1] as const));
  }

  /**
   * Times by region: by domain, and there by class, the time that is not running last; then that time of each region,
   * whose power may be an unusual one.
   */
  #wholes(regions: HeldRegions): ClassTimes[] {
    const { count, timeS, regionOf } = this.#leaves, cpuS = new Float64Array(regions.count);
    for (let c = 0; c < count; c++) cpuS[regionOf(c)] += timeS[c];
    const last = this.#domains.length * (count + 1);
    const whole = Array.from({ length: regions.count }, () => {
      return new Float64Array(last + regions.count - 1);
    });
    const allIdleS = this.#domains.reduce((sum, { powers }) => sum + powers.idleS, 0);
    this.#domains.forEach(({ powers, shares }, d) => {
      const first = d * (count + 1), idle = first + powers.idle, hereS = cpuS.map(() => 0);
      for (let c = 0; c < count; c++) {
        const g = regionOf(c);
        whole[g][first + c] = timeS[c] * shares[c];
        hereS[g] += timeS[c] * shares[c];
      }
      // Threads wait on the CPUs that they run on; of a region without a sample these are not known.
      const waitS = cpuS.map((s, g) => {
        if (g === 0) return 0;
        const share = s > 0 ? hereS[g] / s : powers.idleS / Math.max(allIdleS, Number.MIN_VALUE);
        return Math.max(0, regions.threadS(g) - s) * share;
      });
      // More threads than CPUs wait for each other.
      const all = waitS.reduce((sum, s) => sum + s, 0);
      const part = all > powers.idleS ? powers.idleS / all : 1;
      whole.forEach((times, g) => {
        times[idle] = waitS[g] * part;
        if (g > 0) times[last + g - 1] += waitS[g] * part;
      });
      whole[0][idle] = Math.max(0, powers.idleS - all);
    });
    return whole;
  }

  own(times: LeafTimes): SampledEnergy {
    const energy = this.sum(times), { separate } = this.#leaves;
    const all = times.reduce((sum, [, s]) => sum + s, 0);
    const joined = times.reduce((sum, [leaf, s]) => leaf < separate ? sum : sum + s, 0);
    if (joined <= JOINED_SHARE * all) return energy;
    const why = `only the ${separate} functions with most time have energies`;
    return Object.assign({}, energy, { why });
  }

  sum(times: LeafTimes, waits: RegionShares = []): SampledEnergy {
    const parts = new Map<number, ClassTimes>(), { count, regionOf } = this.#leaves;
    const of = (region: number) =>
      parts.getOrInsertComputed(region, () => new Float64Array(this.#whole[0].length));
    this.#domains.forEach(({ powers, shares }, d) => {
      const first = d * (count + 1);
      for (const [leaf, s] of times) of(regionOf(leaf))[first + leaf] += s * shares[leaf];
      const idle = first + powers.idle;
      for (const [g, share] of waits) of(g)[idle] += share * this.#whole[g][idle];
    });
    const last = this.#domains.length * (count + 1) - 1;
    for (const [g, share] of waits) if (g > 0) of(g)[last + g] += share * this.#whole[g][last + g];
    return this.#sum.energy(parts, this.#cause(times));
  }

  /** The reason of the class with most time, in the domain where it had most of it. */
  #cause(times: LeafTimes): string {
    const [first, ...others] = this.#domains;
    if (first === undefined) return "";
    if (times.length === 0) return first.powers.cause(first.powers.idle);
    const [leaf] = times.reduce((a, b) => b[1] > a[1] ? b : a);
    const most = others.reduce((a, b) => b.shares[leaf] > a.shares[leaf] ? b : a, first);
    return most.powers.cause(leaf);
  }
}
