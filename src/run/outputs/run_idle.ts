/**
 * `run --idle`: the power of an idle node, measured before the command starts or taken from a file,
 * and what the run drew above it. docs/explanation/how-sure.md; keys: docs/reference/formats/report.md.
 * @module
 */
import { rounded } from "../../core/number_format.ts";
import { busySeconds } from "../../energy/totals/cpu_share.ts";
import { IdleMeter, netEnergy } from "../../energy/totals/idle.ts";
import { HASH_APPLICATION } from "../../core/hash.ts";
import { ENERGY_SIGNALS, unsampledS } from "../../core/job_totals.ts";
import type { Host } from "../../core/machine/host.ts";
import type { EnergyKind } from "../../core/region_tree.ts";
import type { Nested, ReportHost } from "../../core/report.ts";
import { monotonicNanoseconds } from "../../os/clock.ts";
import { Batch, type NameTable } from "../../sources/signals/batch.ts";
import { type Baseline, IDLE_KINDS } from "./idle_baseline.ts";
import type { RunView } from "./run_view.ts";

const STAT = "/proc/stat";
/** Counters of 1 ms and of 10 Hz are both seen to change within this. */
const STEP_NS = 5e6;
/** A node that is busier than this was not idle. */
const BUSY_PERCENT = 5;

/** Parts of a run that the measurement needs. */
export interface IdleNode {
  readonly host: Host;
  readonly table: NameTable;
  /** Time of the run in ns. */
  nowNs(): number;
  /** Sleeps until a moment of CLOCK_MONOTONIC; a signal that ends the wait, 0 for none. */
  sleep(untilNs: number): number;
  /** Brings simulated counters to a moment. */
  publish(timeNs: number): void;
  log(line: string): void;
}

/** The idle baseline of one run. */
export class RunIdle {
  readonly #baseline: Baseline;
  readonly #powers = new Map<EnergyKind, number>();
  readonly #absent = new Map<EnergyKind, string>();
  readonly #handles = new Map<EnergyKind, number>();
  #engine: RunView | undefined;
  #lengthS = NaN;
  #busyPercent = NaN;
  #notes: string[] = [];

  constructor(baseline: Baseline) {
    this.#baseline = baseline;
  }

  /** Time that the command has to wait, s. */
  get secondsBefore(): number {
    return this.#baseline.seconds ?? 0;
  }

  /**
   * Requests the energies of the whole run, before its first step, and reads the file.
   *
   * @throws {UsageError} If the file has no baseline of this host.
   */
  attach(engine: RunView, table: NameTable): void {
    this.#engine = engine;
    for (const kind of IDLE_KINDS) {
      const signal = ENERGY_SIGNALS[kind], found = table.resolve(signal);
      if (found.kind === "absent") this.#absent.set(kind, found.reason);
      else if (found.kind === "unknown") this.#absent.set(kind, `no ${signal} here`);
      else this.#handles.set(kind, engine.aggregator.pushSignal(signal, "board", 0));
    }
    const { file } = this.#baseline;
    if (file === undefined) return;
    const found = file.of(engine.host);
    this.#lengthS = found.lengthS;
    for (const kind of this.#handles.keys()) {
      this.#keep(kind, found.powers.get(kind) ?? NaN, `no "${kind} (W)" in ${file.path}`);
    }
  }

  /**
   * Measures the baseline, where no file has it.
   *
   * @returns The signal that ended it, 0 for none.
   */
  prepare(node: IdleNode): number {
    const { seconds } = this.#baseline;
    if (seconds === undefined || this.#handles.size === 0) return 0;
    node.log(`measuring the idle node for ${seconds} s before the command starts`);
    try {
      return this.#measure(node, seconds);
    } catch (error) {
      // The command runs all the same, without a baseline.
      for (const kind of this.#handles.keys()) this.#keep(kind, NaN, (error as Error).message);
      return 0;
    }
  }

  /** Adds gross, idle and net to the application, and the baseline to the host's mapping. */
  addTo(host: ReportHost): void {
    this.#notes = [];
    const { application } = host;
    const sampledS = Number(application["runtime (s)"]) - unsampledS(host);
    const idle: { [key: string]: Nested } = {
      source: this.#baseline.file?.path ??
        (this.#lengthS > 0 ? "measured before the run" : "not measured"),
      ...(Number.isFinite(this.#lengthS) ? { "length (s)": rounded(this.#lengthS) } : {}),
    };
    for (const kind of IDLE_KINDS) {
      const powerW = this.#powers.get(kind);
      const key = `${kind} (W)`;
      if (powerW === undefined) {
        idle[key] = { absent: this.#absent.get(kind) ?? "not measured" };
        continue;
      }
      idle[key] = rounded(powerW);
      const grossJ = this.#engine!.aggregator.sampleRegion(
        this.#handles.get(kind)!,
        HASH_APPLICATION,
      );
      const energy = netEnergy(grossJ, powerW, sampledS);
      if (energy === undefined) continue;
      application[`joulemark-${kind}-energy-gross (J)`] = energy.grossJ;
      application[`joulemark-${kind}-energy-idle (J)`] = energy.idleJ;
      application[`joulemark-${kind}-energy-net (J)`] = energy.netJ;
      if (energy.netJ < 0) {
        this.#notes.push(
          `${kind}: idle power times runtime exceeds the energy of the run, so the net energy is below 0`,
        );
      }
    }
    if (Number.isFinite(this.#busyPercent)) idle["CPUs busy (%)"] = rounded(this.#busyPercent);
    (host.joulemark ??= {}).idle = idle;
  }

  /** Lines for the summary, as of the last report. */
  notes(): string[] {
    if (!(this.#busyPercent > BUSY_PERCENT)) return this.#notes;
    const busy = rounded(this.#busyPercent, 2);
    return [...this.#notes, `the node was not idle before the run: its CPUs were ${busy} % busy`];
  }

  #measure(node: IdleNode, seconds: number): number {
    using batch = new Batch(node.host.topology, node.table);
    const meters = [...this.#handles.keys()].map((kind) => ({
      kind,
      handle: batch.pushSignal(ENERGY_SIGNALS[kind], "board", 0),
      meter: new IdleMeter(),
    }));
    const before = busySeconds(node.host.readText(STAT) ?? "");
    const beginNs = node.nowNs();
    const wakeOffset = monotonicNanoseconds() - beginNs;
    const endNs = beginNs + seconds * 1e9;
    let nowNs = beginNs;
    for (let nextNs = beginNs;; nextNs = Math.min(endNs, Math.max(nextNs, nowNs) + STEP_NS)) {
      const signal = node.sleep(nextNs + wakeOffset);
      if (signal !== 0) return signal;
      nowNs = node.nowNs();
      node.publish(nowNs);
      batch.read(nowNs * 1e-9);
      batch.settle();
      for (const { handle, meter } of meters) meter.add(nowNs * 1e-9, batch.sample(handle));
      if (nowNs >= endNs) break;
    }
    this.#lengthS = (nowNs - beginNs) * 1e-9;
    const after = busySeconds(node.host.readText(STAT) ?? "");
    const busyS = after.reduce((sum, value, cpu) => sum + value - (before[cpu] ?? NaN), 0);
    if (after.length > 0) {
      this.#busyPercent = 100 * busyS / this.#lengthS / node.host.topology.count("cpu");
    }
    for (const { kind, meter } of meters) {
      this.#keep(kind, meter.powerW, `the counter changed ${meter.changes} times in ${seconds} s`);
    }
    return 0;
  }

  #keep(kind: EnergyKind, powerW: number, otherwise: string): void {
    if (Number.isFinite(powerW)) this.#powers.set(kind, powerW);
    else this.#absent.set(kind, otherwise);
  }
}
