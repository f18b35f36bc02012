/**
 * A node with known power: it follows edges of regions on CPUs and keeps a tree laid out like `/`
 * whose counters move as real ones do. Nothing in it is a measurement, and the tree is marked so.
 *
 * Pure: times and the writer are arguments. docs/reference/simulated-node.md describes model and tree.
 * @module
 */
import { HINT_UNKNOWN } from "../../core/hints.ts";
import { Captures } from "./captures.ts";
import { NumberFile } from "./number_file.ts";
import { PM_COLUMNS, PmCounterFiles } from "./pm_counter_files.ts";
import { METER, NO_OWNER, PowerModel, UNMARKED } from "./power_model.ts";
import { PowercapFiles } from "./powercap_files.ts";
import { Random } from "../../core/random.ts";
import { regionPower } from "./region_power.ts";
import { ENERGY_UNIT_J, PLATFORM_UNIT_J, RegisterFiles } from "./registers.ts";
import type { RegionPower, SimSpec } from "./spec.ts";
import { writeStaticTree } from "./static_tree.ts";
import { Temperatures } from "./temperatures.ts";
import type { TreeWriter } from "./tree_writer.ts";
import type { ClassTruth, DomainTruth, ShownCounters, SimTruth } from "./truth.ts";

const RAW_RANGE = 4294967296;
const OFF: Required<RegionPower> = { watts: 0, dramWatts: 0, busy: 0, hz: 8e8 };

/** One simulated node. Times are ns on one clock; what steps back counts as now. */
export class SimulatedNode {
  readonly cpus: number;
  /** Age of what RAPL registers show, and of what pm_counters show, seconds. */
  readonly raplLagS: number;
  readonly pmLagS: number;
  readonly #writer: TreeWriter;
  readonly #startNs: number;
  readonly #wallUs: number;
  readonly #model: PowerModel;
  readonly #visits: Random;
  readonly #registers: RegisterFiles;
  readonly #rapl: Captures;
  readonly #pm: Captures;
  readonly #pmCells: number;
  /** The last values of the registers, by package and meter, and the platform's. */
  readonly #startRaw: Float64Array;
  readonly #pmNow = new Float64Array(PM_COLUMNS);
  readonly #pmJoules = new Float64Array(PM_COLUMNS);
  readonly #pmWatts = new Float64Array(PM_COLUMNS);
  readonly #raplNow: Float64Array;
  readonly #temperatures: Temperatures;
  readonly #frequencies: NumberFile[] = [];
  readonly #writtenHz: Float64Array;
  readonly #classes = new Map<string, number>();
  readonly #powers: Required<RegionPower>[];
  #powercap: PowercapFiles | undefined;
  #pmFiles: PmCounterFiles | undefined;
  #nowNs: number;
  #cells = 0;
  #raplShown = 0;
  #pmShown = 0;
  #visit = { ns: NaN, index: -1, factor: 1 };
  #lateEdges = 0;

  /** @param at Where its clock begins, and what a wall clock shows then, µs since 1970. */
  constructor(
    readonly spec: SimSpec,
    writer: TreeWriter,
    at: { startNs?: number; wallUs?: number } = {},
  ) {
    this.#writer = writer;
    this.#startNs = this.#nowNs = at.startNs ?? 0;
    this.#wallUs = at.wallUs ?? 1_700_000_000_000_000;
    this.#model = new PowerModel(spec, this.#startNs);
    this.cpus = this.#model.cpus;
    const random = new Random(spec.seed + 1);
    this.raplLagS = spec.raplLagS ?? random.uniform(0, 0.0006);
    this.pmLagS = spec.pmLagS ?? random.uniform(0, 0.006);
    this.#visits = new Random(spec.seed + 2);
    this.#registers = new RegisterFiles(spec, this.cpus, writer);
    const meters = spec.packages * 2;
    this.#startRaw = new Float64Array(meters + 1).map((_, i) =>
      spec.startJ === undefined
        ? random.below(RAW_RANGE)
        : spec.startJ / (i === meters ? PLATFORM_UNIT_J : ENERGY_UNIT_J[i % 2])
    );
    this.#raplNow = new Float64Array(meters + 1);
    const cellNs = this.#model.cellNs;
    this.#rapl = new Captures(cellNs, this.raplLagS * 1e9, this.#startNs, meters + 1);
    this.#pmCells = Math.max(1, Math.round(1e9 / spec.pmHz / cellNs));
    this.#pm = new Captures(this.#pmCells * cellNs, this.pmLagS * 1e9, this.#startNs, PM_COLUMNS);
    this.#temperatures = new Temperatures(spec, writer);
    this.#writtenHz = new Float64Array(this.cpus);
    this.#powers = [OFF, regionPower(spec, undefined)];
  }

  /** Writes the whole tree as it is in the beginning. */
  layOut(): void {
    const { spec } = this;
    const model = this.#model;
    writeStaticTree(spec, this.#writer, this.cpus, (cpu) => model.packageOf(cpu));
    this.#temperatures.layOut();
    for (let cpu = 0; cpu < this.cpus; cpu++) {
      const path = `/sys/devices/system/cpu/cpu${cpu}/cpufreq/scaling_cur_freq`;
      const file = new NumberFile(this.#writer, path);
      file.make(model.hz[cpu] / 1000);
      this.#writtenHz[cpu] = model.hz[cpu];
      this.#frequencies.push(file);
    }
    if (spec.preset !== "cray") {
      const raw = new Float64Array(spec.packages * 2).map((_, i) => this.#raw(i, 0));
      this.#powercap = new PowercapFiles(spec, this.#writer, raw);
      this.#showClocks();
      this.#showRapl(0);
      this.#registers.layOut();
    }
    if (spec.preset !== "rapl") {
      this.#pmFiles = new PmCounterFiles(spec, this.#writer, this.#wallUs);
    }
  }

  /**
   * A CPU enters a region, at its exact time; edges come in order of time.
   *
   * @param name `undefined`: outside all regions of its process.
   */
  edge(timeNs: number, cpu: number, name: string | undefined, hint = HINT_UNKNOWN): void {
    this.#change(timeNs, cpu, name === undefined ? UNMARKED : this.#classOf(name, hint));
  }

  /** A CPU belongs to no process any more, as in the beginning. */
  leave(timeNs: number, cpu: number): void {
    this.#change(timeNs, cpu, NO_OWNER);
  }

  /** Brings every counter to what it shows at a moment, and writes what changed. */
  publish(timeNs: number): void {
    const ns = Math.max(timeNs, this.#nowNs);
    this.#advance(ns);
    this.#model.settle(ns);
    this.#showFrequencies();
    if (this.spec.preset !== "cray") {
      const moment = this.#rapl.seen(ns);
      this.#showClocks();
      if (moment !== this.#raplShown) this.#showRapl(moment);
      this.#raplShown = moment;
      for (let cpu = 0; cpu < this.cpus; cpu++) {
        this.#registers.writeClocks(cpu);
        this.#registers.writeEnergies(cpu);
      }
    }
    const moment = this.#pm.seen(ns);
    if (moment !== this.#pmShown) this.#showPm(moment);
    this.#pmShown = moment;
  }

  /** Energies that the counters show since the last publication, as a reader's totals would be. */
  shown(): ShownCounters {
    const rapl = (column: number) => {
      if (this.#raplShown === 0) return 0;
      const unit = ENERGY_UNIT_J[column & 1];
      const start = this.#startRaw[column];
      const now = start + this.#rapl.value(this.#raplShown, column) / unit;
      return (Math.floor(now) - Math.floor(start)) * unit;
    };
    const packages = Array.from({ length: this.#model.packages }, (_, pkg) => pkg);
    const moment = this.#pmShown;
    return {
      packageJ: packages.map((pkg) => rapl(pkg * 2)),
      dramJ: packages.map((pkg) => rapl(pkg * 2 + 1)),
      nodeJ: moment === 0 ? 0 : Math.floor(this.#pm.value(moment, 0)),
      nodeStampS: (this.#wallUs + (this.#pm.takenNs(moment) - this.#startNs) / 1000) * 1e-6,
    };
  }

  /** Exact energies up to the last edge or publication. */
  truth(): SimTruth {
    const model = this.#model;
    model.settle(this.#nowNs);
    const packages = Array.from({ length: model.packages }, (_, pkg) => pkg);
    const domain = (joules: number, of: (index: number) => ClassTruth): DomainTruth => ({
      joules,
      regions: new Map([...this.#classes].map(([name, index]) => [name, of(index)])),
      unmarked: of(UNMARKED),
      unowned: of(NO_OWNER),
    });
    const meter = (which: number) =>
      packages.map((pkg) =>
        domain(model.energyJ[pkg * 2 + which], (index) => ({
          joules: model.classEnergyJ(index, pkg, which),
          cpuSeconds: model.classSeconds(index, pkg),
        }))
      );
    const sum = (of: (pkg: number) => number) => packages.reduce((n, pkg) => n + of(pkg), 0);
    return {
      seconds: (this.#nowNs - this.#startNs) * 1e-9,
      package: meter(METER.package),
      dram: meter(METER.dram),
      node: domain(model.nodeJ(), (index) => ({
        joules: sum((pkg) =>
          model.classEnergyJ(index, pkg, METER.package) +
          model.classEnergyJ(index, pkg, METER.dram) + model.classRestJ(index, pkg)
        ),
        cpuSeconds: sum((pkg) => model.classSeconds(index, pkg)),
      })),
      lateEdges: this.#lateEdges,
    };
  }

  #classOf(name: string, hint: number): number {
    const index = this.#classes.getOrInsert(name, this.#powers.length);
    this.#powers[index] ??= regionPower(this.spec, name, hint);
    return index;
  }

  #change(timeNs: number, cpu: number, index: number): void {
    if (!(cpu >= 0 && cpu < this.cpus)) return;
    if (timeNs < this.#nowNs) this.#lateEdges++;
    const ns = Math.max(timeNs, this.#nowNs);
    this.#advance(ns);
    const visit = this.#visit;
    // CPUs that enter together are one visit.
    if (visit.ns !== ns || visit.index !== index) {
      visit.ns = ns;
      visit.index = index;
      visit.factor = Math.max(0, 1 + this.spec.visitNoise * this.#visits.normal());
    }
    this.#model.change(ns, cpu, index, this.#powers[index], visit.factor);
  }

  /** Ends all cells up to a moment, and takes what the counters will show. */
  #advance(ns: number): void {
    const model = this.#model;
    while (model.cellEndNs <= ns) {
      model.endCell();
      this.#cells++;
      this.#raplNow.set(model.energyJ);
      this.#raplNow[this.#raplNow.length - 1] = model.nodeJ();
      this.#rapl.take(this.#raplNow);
      if (this.#cells % this.#pmCells !== 0) continue;
      this.#pmNow.fill(0);
      for (let pkg = 0; pkg < model.packages; pkg++) {
        this.#pmNow[1] += model.energyJ[pkg * 2 + METER.package];
        this.#pmNow[2] += model.energyJ[pkg * 2 + METER.dram];
        const joules = model.energyJ[pkg * 2 + METER.package];
        this.#temperatures.follow(pkg, joules, this.#pmCells * model.cellNs * 1e-9);
      }
      this.#pmNow[0] = model.nodeJ();
      this.#pm.take(this.#pmNow);
    }
    this.#nowNs = ns;
  }

  /** Value of a register of 32 bits. @param column Package and meter, or the platform. */
  #raw(column: number, moment: number): number {
    const platform = column === this.#startRaw.length - 1;
    const unit = platform ? PLATFORM_UNIT_J : ENERGY_UNIT_J[column % 2];
    const joules = moment === 0 ? 0 : this.#rapl.value(moment, column);
    return Math.floor(this.#startRaw[column] + joules / unit) % RAW_RANGE;
  }

  #showRapl(moment: number): void {
    for (let column = 0; column < this.#startRaw.length - 1; column++) {
      const raw = this.#raw(column, moment);
      const pkg = column >> 1;
      for (let cpu = 0; cpu < this.cpus; cpu++) {
        if (this.#model.packageOf(cpu) === pkg) this.#registers.setEnergy(cpu, column & 1, raw);
      }
      this.#powercap?.write(pkg, column & 1, raw);
    }
    if (!this.spec.psys) return;
    const raw = this.#raw(this.#startRaw.length - 1, moment);
    for (let cpu = 0; cpu < this.cpus; cpu++) this.#registers.setPlatformEnergy(cpu, raw);
  }

  #showClocks(): void {
    const model = this.#model;
    const tsc = 1e12 + Math.floor((this.#nowNs - this.#startNs) * 1e-9 * this.spec.baseHz);
    for (let cpu = 0; cpu < this.cpus; cpu++) {
      const { hz, mperf, aperf } = model;
      this.#registers.setClocks(cpu, tsc, mperf[cpu], aperf[cpu], hz[cpu]);
      const celsius = this.#temperatures.celsius(model.packageOf(cpu));
      this.#registers.setTemperature(cpu, celsius - (cpu % 3), celsius);
    }
  }

  #showFrequencies(): void {
    for (let cpu = 0; cpu < this.#frequencies.length; cpu++) {
      const hz = this.#model.hz[cpu];
      if (hz === this.#writtenHz[cpu]) continue;
      this.#writtenHz[cpu] = hz;
      this.#frequencies[cpu].write(hz / 1000);
    }
  }

  #showPm(moment: number): void {
    this.#temperatures.show();
    const seconds = 1 / this.spec.pmHz;
    for (let column = 0; column < PM_COLUMNS; column++) {
      const joules = this.#pm.value(moment, column);
      const before = moment > 1 ? this.#pm.value(moment - 1, column) : 0;
      this.#pmJoules[column] = joules;
      this.#pmWatts[column] = (joules - before) / seconds;
    }
    const stampUs = this.#wallUs + (this.#pm.takenNs(moment) - this.#startNs) / 1000;
    this.#pmFiles?.publish(moment, this.#pmJoules, this.#pmWatts, stampUs);
  }
}
