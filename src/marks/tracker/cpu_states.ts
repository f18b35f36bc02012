/**
 * The state of each CPU, as the application's processes last reported it: region, hint, progress, epoch,
 * and the time spent under each hint. geopm_pio_profile(7).
 *
 * CPUs of no process have NaN for everything, and so are left out of every aggregation.
 * @module
 */
import { HINT_COUNT, HINT_UNSET } from "../../core/hints.ts";

/** Last hint of a CPU that was not in use at the previous step. */
const NOT_USED = 255;

/**
 * The states of all CPUs of a node. Arrays are by CPU number.
 *
 * @example
 * ```ts
 * import { PlatformTopology, RegionTracker } from "joulemark";
 *
 * const topology = PlatformTopology.regular({
 *   packages: 1,
 *   coresPerPackage: 2,
 *   threadsPerCore: 1,
 * });
 * const { cpus } = new RegionTracker({ topology, profile: "example" });
 * if (cpus.count !== 2) throw new Error("expected two CPUs");
 * ```
 */
export class CpuStates {
  /** CPUs of the node. */
  readonly count: number;
  /** 1 from the first process on that may run there. */
  readonly used: Uint8Array;
  /** Handle of the region, −1 outside all. */
  readonly region: Int32Array;
  /** Hint of each CPU's region. */
  readonly hint: Uint8Array;
  /** Order of the event that wrote region and hint. */
  readonly written: Float64Array;
  /** Epoch count of the process that last reported one; NaN for none. */
  readonly epoch: Float64Array;
  /** Live processes that may run there. */
  readonly processes: Int32Array;
  /** Work units of the parallel loop, 0 when none was announced. */
  readonly unitsTotal: Float64Array;
  /** Units of work done by each CPU. */
  readonly unitsDone: Float64Array;
  /** Nanoseconds by hint and CPU. */
  readonly hintNs: Float64Array[];
  readonly #lastHint: Uint8Array;
  #lastStepNs = NaN;

  /** States of so many CPUs, all unused. */
  constructor(count: number) {
    this.count = count;
    this.used = new Uint8Array(count);
    this.region = new Int32Array(count).fill(-1);
    this.hint = new Uint8Array(count);
    this.written = new Float64Array(count);
    this.epoch = new Float64Array(count).fill(NaN);
    this.processes = new Int32Array(count);
    this.unitsTotal = new Float64Array(count);
    this.unitsDone = new Float64Array(count);
    this.hintNs = Array.from({ length: HINT_COUNT }, () => new Float64Array(count));
    this.#lastHint = new Uint8Array(count).fill(NOT_USED);
  }

  /** A process begins to use these CPUs. */
  connect(cpus: Int32Array): void {
    for (const cpu of cpus) {
      this.used[cpu] = 1;
      this.processes[cpu]++;
      if (Number.isNaN(this.epoch[cpu])) this.epoch[cpu] = 0;
    }
  }

  /** A process ends; its CPUs stay in use, outside all regions. */
  disconnect(cpus: Int32Array): void {
    for (const cpu of cpus) this.processes[cpu]--;
  }

  /** The only process leaves some CPUs for others; times of hints stay as they are. */
  move(from: Int32Array, to: Int32Array): void {
    for (const cpu of from) {
      if (--this.processes[cpu] > 0 || to.includes(cpu)) continue;
      this.used[cpu] = 0;
      this.epoch[cpu] = NaN;
    }
    this.connect(to);
  }

  /** Resets all CPUs to the state without any process. */
  clear(): void {
    this.used.fill(0);
    this.region.fill(-1);
    this.hint.fill(HINT_UNSET);
    this.written.fill(0);
    this.epoch.fill(NaN);
    this.processes.fill(0);
    this.unitsTotal.fill(0);
    this.unitsDone.fill(0);
    for (const times of this.hintNs) times.fill(0);
    this.#lastHint.fill(NOT_USED);
  }

  /** Last writer wins: an older state than the one written changes nothing. */
  write(cpu: number, region: number, hint: number, order: number): void {
    if (order < this.written[cpu]) return;
    this.written[cpu] = order;
    this.region[cpu] = region;
    this.hint[cpu] = hint;
  }

  /** Announces units of work on CPUs. */
  setUnits(cpus: Int32Array, units: number): void {
    for (const cpu of cpus) this.unitsTotal[cpu] = units;
  }

  /** A unit of work is done. @returns False: the node has no such CPU. */
  unitDone(cpu: number): boolean {
    if (!(cpu >= 0 && cpu < this.count)) return false;
    if (this.unitsTotal[cpu] !== 0) this.unitsDone[cpu]++;
    return true;
  }

  /** Ends the work on CPUs. */
  clearUnits(cpus: Int32Array): void {
    for (const cpu of cpus) this.unitsTotal[cpu] = this.unitsDone[cpu] = 0;
  }

  /**
   * Closes a step: the time since the previous one goes to the hint that each CPU had then.
   * An idle CPU that never saw an epoch has no count any more.
   */
  step(nowNs: number): void {
    const elapsedNs = nowNs - this.#lastStepNs;
    const first = Number.isNaN(elapsedNs);
    for (let cpu = 0; cpu < this.count; cpu++) {
      if (this.used[cpu] === 0) continue;
      const last = this.#lastHint[cpu];
      if (!first && last !== NOT_USED) this.hintNs[last][cpu] += elapsedNs;
      this.#lastHint[cpu] = this.hint[cpu];
      if (this.processes[cpu] === 0 && this.epoch[cpu] === 0) this.epoch[cpu] = NaN;
    }
    this.#lastStepNs = nowNs;
  }
}
