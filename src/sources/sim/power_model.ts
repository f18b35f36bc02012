/**
 * The power of a simulated node, integrated exactly from edge to edge.
 *
 * A package draws its idle power and, for each of its CPUs, what the CPU's region draws, which a
 * new region reaches by a first-order ramp. The sum is multiplied by 1 + n, where n is a first-order
 * autoregressive noise that is constant within a cell of one RAPL period, and by a slow swing; each
 * visit has a factor of its own. Memory is the same once more. Everything between two edges or cells is a closed formula.
 *
 * Idle power has no owner: as in docs/explanation/aggregation.md it is spread evenly over the CPUs that belong to
 * processes, so the regions of a domain add up to the domain.
 * @module
 */
import { grown } from "../../core/grow.ts";
import { Random } from "../../core/random.ts";
import type { RegionPower, SimSpec } from "./spec.ts";

/** Class of CPUs that belong to no process. */
export const NO_OWNER = 0;
/** Class of CPUs of processes outside all regions. */
export const UNMARKED = 1;
/** Meters of a package. */
export const METER = { package: 0, dram: 1 } as const;
const METERS = 2;

/** The power and energy of the node's domains. Times are ns on one clock and never step back. */
export class PowerModel {
  readonly cpus: number;
  readonly packages: number;
  /** Length of a cell, ns: noise and RAPL registers change at its end. */
  readonly cellNs: number;
  /** Time when the current cell ends, ns. */
  cellEndNs: number;
  /** Energy so far by package and meter, J, as of the last cell or `settle`. */
  readonly energyJ: Float64Array;
  /** Energy of the rest of the board, J. */
  boardJ = 0;
  /** Cycles at base and actual frequency while not halted, by CPU. */
  readonly mperf: Float64Array;
  readonly aperf: Float64Array;
  /** Frequency of each CPU now. */
  readonly hz: Float64Array;
  readonly #spec: SimSpec;
  readonly #random: Random;
  readonly #factor: Float64Array;
  readonly #noise: Float64Array;
  readonly #rho: number;
  readonly #startNs: number;
  readonly #lastNs: Float64Array;
  /** Target power and reached power, by CPU and meter. */
  readonly #target: Float64Array;
  readonly #power: Float64Array;
  readonly #busy: Float64Array;
  readonly #class: Int32Array;
  readonly #owned: Int32Array;
  #ownedAll = 0;
  /** The ramp's decay for the last length of time that was asked for. */
  #decayS = -1;
  #decay = 1;
  /** Energy by class, package and meter; board's rest and CPU-seconds by class and package. */
  #classJ: Float64Array;
  #classRestJ: Float64Array;
  #classS: Float64Array;

  constructor(spec: SimSpec, startNs: number) {
    this.#spec = spec;
    this.packages = spec.packages;
    this.cpus = spec.packages * spec.coresPerPackage * spec.threadsPerCore;
    this.cellNs = spec.raplPeriodS * 1e9;
    this.#startNs = startNs;
    this.cellEndNs = startNs + this.cellNs;
    const meters = this.packages * METERS;
    this.energyJ = new Float64Array(meters);
    this.#random = new Random(spec.seed);
    this.#rho = Math.exp(-spec.raplPeriodS / spec.noiseMemoryS);
    this.#noise = new Float64Array(meters).map(() => spec.noise * this.#random.normal());
    this.#factor = this.#noise.map((n) => Math.max(0, 1 + n));
    // A node that has run for a while: a register of 0 would be one that is switched off.
    this.mperf = new Float64Array(this.cpus).fill(4e11);
    this.aperf = new Float64Array(this.cpus).fill(5e11);
    this.hz = new Float64Array(this.cpus).fill(spec.baseHz / 2);
    this.#lastNs = new Float64Array(this.cpus).fill(startNs);
    this.#target = new Float64Array(this.cpus * METERS);
    this.#power = new Float64Array(this.cpus * METERS);
    this.#busy = new Float64Array(this.cpus);
    this.#class = new Int32Array(this.cpus);
    this.#owned = new Int32Array(this.packages);
    this.#classJ = new Float64Array(16 * meters);
    this.#classRestJ = new Float64Array(16 * this.packages);
    this.#classS = new Float64Array(16 * this.packages);
  }

  /** The package of a CPU: regular numbering, hyperthreads last. */
  packageOf(cpu: number): number {
    const cores = this.packages * this.#spec.coresPerPackage;
    return Math.floor((cpu % cores) / this.#spec.coresPerPackage);
  }

  /** Ends the current cell: energies are then those of its end. */
  endCell(): void {
    this.settle(this.cellEndNs);
    this.cellEndNs += this.cellNs;
    const { noise, drift, driftPeriodS } = this.#spec;
    if (noise === 0 && drift === 0) return;
    const fresh = noise * Math.sqrt(1 - this.#rho * this.#rho);
    const phase = (this.cellEndNs - this.#startNs) * 1e-9 / driftPeriodS;
    const swing = drift * Math.sin(2 * Math.PI * phase);
    for (let m = 0; m < this.#noise.length; m++) {
      this.#noise[m] = this.#rho * this.#noise[m] + fresh * this.#random.normal();
      this.#factor[m] = Math.max(0, 1 + this.#noise[m]) * (1 + swing);
    }
  }

  /** Brings every CPU to a moment of the current cell. */
  settle(ns: number): void {
    for (let cpu = 0; cpu < this.cpus; cpu++) this.#advance(cpu, ns);
  }

  /** A CPU changes its class. @param factor Of this visit. */
  change(ns: number, cpu: number, to: number, power: Required<RegionPower>, factor: number): void {
    const from = this.#class[cpu];
    const taken = from === NO_OWNER && to !== NO_OWNER;
    if (taken || (from !== NO_OWNER && to === NO_OWNER)) {
      // Idle power is shared differently from here on.
      this.settle(ns);
      this.#owned[this.packageOf(cpu)] += taken ? 1 : -1;
      this.#ownedAll += taken ? 1 : -1;
    } else this.#advance(cpu, ns);
    this.#grow(to);
    this.#class[cpu] = to;
    this.#target[cpu * METERS + METER.package] = power.watts * factor;
    this.#target[cpu * METERS + METER.dram] = power.dramWatts * factor;
    this.#busy[cpu] = power.busy;
    this.hz[cpu] = power.hz;
  }

  /** Energy of a class by package and meter, J. */
  classEnergyJ(index: number, pkg: number, meter: number): number {
    return this.#classJ[(index * this.packages + pkg) * METERS + meter] ?? 0;
  }

  /** Part of a class in the energy of the rest of the board, J. */
  classRestJ(index: number, pkg: number): number {
    return this.#classRestJ[index * this.packages + pkg] ?? 0;
  }

  /** CPU-seconds of a class on a package. */
  classSeconds(index: number, pkg: number): number {
    return this.#classS[index * this.packages + pkg] ?? 0;
  }

  /** Energy of the whole node, J. */
  nodeJ(): number {
    let sum = this.boardJ;
    for (let m = 0; m < this.energyJ.length; m++) sum += this.energyJ[m];
    return sum;
  }

  #advance(cpu: number, ns: number): void {
    const seconds = (ns - this.#lastNs[cpu]) * 1e-9;
    if (seconds <= 0) return;
    this.#lastNs[cpu] = ns;
    const spec = this.#spec;
    const pkg = this.packageOf(cpu);
    const index = this.#class[cpu];
    const inPackage = spec.coresPerPackage * spec.threadsPerCore;
    // If a CPU has no owner, its idle power has none.
    const owned = this.#owned[pkg];
    const share = owned === 0 ? 1 / inPackage : index === NO_OWNER ? 0 : 1 / owned;
    for (let meter = 0; meter < METERS; meter++) {
      const at = cpu * METERS + meter;
      const idle = meter === METER.package ? spec.idleW : spec.dramIdleW;
      const drawn = this.#draw(at, seconds) + idle * share * seconds;
      const joules = drawn * this.#factor[pkg * METERS + meter];
      this.energyJ[pkg * METERS + meter] += joules;
      this.#classJ[(index * this.packages + pkg) * METERS + meter] += joules;
    }
    const all = this.#ownedAll;
    const ofBoard = all === 0 ? 1 / this.cpus : index === NO_OWNER ? 0 : 1 / all;
    this.boardJ += spec.boardW * ofBoard * seconds;
    this.#classRestJ[index * this.packages + pkg] += spec.boardW * ofBoard * seconds;
    this.#classS[index * this.packages + pkg] += seconds;
    this.mperf[cpu] += this.#busy[cpu] * spec.baseHz * seconds;
    this.aperf[cpu] += this.#busy[cpu] * this.hz[cpu] * seconds;
  }

  /** Joules of one CPU over a time, and the power it reaches: ∫ T + (P − T) e^(−t/τ). */
  #draw(at: number, seconds: number): number {
    const target = this.#target[at];
    const above = this.#power[at] - target;
    const tau = this.#spec.rampS;
    if (above === 0 || tau === 0) {
      this.#power[at] = target;
      return target * seconds;
    }
    if (seconds !== this.#decayS) {
      this.#decayS = seconds;
      this.#decay = Math.exp(-seconds / tau);
    }
    // Below a microwatt the ramp has arrived.
    const left = above * this.#decay;
    this.#power[at] = Math.abs(left) < 1e-6 ? target : target + left;
    return target * seconds + (above - (this.#power[at] - target)) * tau;
  }

  #grow(index: number): void {
    if ((index + 1) * this.packages <= this.#classS.length) return;
    this.#classJ = grown(this.#classJ);
    this.#classRestJ = grown(this.#classRestJ);
    this.#classS = grown(this.#classS);
    this.#grow(index);
  }
}
