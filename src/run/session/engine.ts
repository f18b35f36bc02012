/**
 * The engine of live runs and replays: events and samples in, report, trace, event log
 * and recording out. No clock and no hardware here.
 *
 * Step k, at time t: `read(t)` takes the counters; then every event up to t is emitted to `events`;
 * then `settle()` closes the step. A live loop reads at t, drains the rings once more a tick later,
 * and settles only then, so that every event up to t is known. docs/explanation/aggregation.md.
 * @module
 */
import { buildReportHost, makeFields } from "../../energy/totals/build_report.ts";
import { buildTree } from "../../energy/totals/build_tree.ts";
import { MANDATORY_SIGNALS, ReportSignals } from "../../energy/totals/report_signals.ts";
import { Coverage, type Known } from "../../energy/totals/coverage.ts";
import { SampleAggregator } from "../../energy/totals/sample_aggregator.ts";
import { type Agent, MONITOR } from "../../core/agent.ts";
import type { Finding } from "../../core/finding.ts";
import { HASH_UNMARKED } from "../../core/hash.ts";
import { hostTotals, stillFacts, totalsToNested } from "../../core/job_totals.ts";
import { type PathEnergies, type RunTree, treeToNested } from "../../core/region_tree.ts";
import { type Nested, present, type Report, type ReportHost } from "../../core/report.ts";
import { parseSignalList } from "../../core/signal_list.ts";
import type { PlatformTopology } from "../../core/machine/topology.ts";
import type { TraceHeader } from "../../formats/trace/header.ts";
import type { PageFunctions, TimelineFile } from "../../show/page/data.ts";
import type { Opener, OpenOutput } from "../outputs/output.ts";
import type { SampledFunctions } from "../outputs/sampled_functions.ts";
import type { ReportExtras, ReportPlace, RunView } from "../outputs/run_view.ts";
import type { FunctionsNow } from "../../marks/rings/answers.ts";
import type { RegionTracker } from "../../marks/tracker/tracker.ts";
import { isTrackerSignal } from "../../marks/tracker/tracker_signals.ts";
import { Batch, type NameTable, signalOf } from "../../sources/signals/batch.ts";
import { eventListeners } from "../../core/events/event_listeners.ts";
import { OrderedEvents } from "../../marks/tracker/ordered_events.ts";

/** Parts that an engine is made from. */
export interface EngineOptions {
  /** Domains of the node. */
  readonly topology: PlatformTopology;
  /** Takes the events. */
  readonly tracker: RegionTracker;
  /** Names; the tracker's own signals are among them. */
  readonly table: NameTable;
  /** Name of the host. */
  readonly host: string;
  /** Cleaned: see {@linkcode profileName}. */
  readonly profile: string;
  /** Start time as in `Start Time`. */
  readonly startTime: string;
  /** Written in every header: `3.1.0+joulemark.X.Y.Z`. */
  readonly version: string;
  /** Further observer of the run. @default {@linkcode MONITOR} */
  readonly agent?: Agent;
  /** The agent's policy, as the report prints it. @default "{}" */
  readonly policy?: string;
  /** `SIGNAL[@domain],…` @default none */
  readonly reportSignals?: string;
  /** Traces, logs, recordings, in the order in which they ask for signals. @default none */
  readonly outputs?: readonly Opener[];
}

const takesSamples = ({ sample, idlesWithoutMarks }: OpenOutput) => {
  return sample !== undefined && idlesWithoutMarks !== true;
};
const NOWHERE: ReportPlace = { path: undefined, rankOf: () => undefined };

/** From the step that finds the end to the update after the loop. */
export const AFTER_LOOP_S = 1e-6;
/** A step that is longer may be in several regions, each for long. */
const LONG_STEP_S = 0.25;

/**
 * One node's run: events and samples in, report and outputs out. Names are checked when it is made.
 *
 * @example
 * ```ts
 * import { buildCatalogue, Engine, openHost, PlatformTopology, RegionTracker } from "joulemark";
 *
 * const topology = PlatformTopology.regular({
 *   packages: 1,
 *   coresPerPackage: 2,
 *   threadsPerCore: 1,
 * });
 * const tracker = new RegionTracker({ topology, profile: "example" });
 * const table = buildCatalogue({ host: openHost(""), readers: [], application: [tracker] });
 * using engine = new Engine({
 *   topology,
 *   tracker,
 *   table,
 *   host: "node01",
 *   profile: "example",
 *   startTime: "2024-10-24T08:00:00.000000000+0000",
 *   version: "3.1.0",
 * });
 * const process = engine.events.start(0, 4711, [0, 1]);
 * for (const timeS of [0, 1]) {
 *   engine.read(timeS);
 *   engine.settle();
 * }
 * engine.events.shutdown(1.5, process);
 * engine.read(2);
 * engine.settle(true);
 * if (engine.report().application["runtime (s)"] !== 1.5) throw new Error("expected 1.5 s");
 * ```
 */
export class Engine implements RunView {
  /** Regions, times and counts from events. */
  readonly tracker: RegionTracker;
  /** Domains of the node. */
  readonly topology: PlatformTopology;
  /** Names that signals are found by. */
  readonly table: NameTable;
  /** Further observer of the run. */
  readonly agent: Agent;
  /** The agent's policy, as the report prints it. */
  readonly policy: string;
  /** The signals of each sample. */
  readonly batch: Batch;
  /** Sampled totals by region. */
  readonly aggregator: SampleAggregator;
  /** Coverage of values: the part of the time and of the packages. */
  readonly coverage: Coverage;
  /** Seconds by region before a long step. */
  #beforeLong: Float64Array | undefined;
  #longFromS = NaN;
  readonly header: TraceHeader;
  /** Receiver of events: in order of time, and after the last settled sample. */
  readonly events: OrderedEvents;
  /** Samples settled. */
  steps = 0;
  readonly #options: EngineOptions;
  readonly #reportSignals: ReportSignals;
  readonly #epochHandle: number;
  readonly #stickerHandle: number;
  readonly #outputs: OpenOutput[] = [];
  /** Outputs that take data gathered by the kernel. */
  readonly #taking: readonly OpenOutput[];
  /** Names that the user asked for. */
  readonly #asked: readonly string[];
  readonly #sample: (handle: number) => number;
  #wasFinished = false;
  #generation: number;

  /**
   * Checks every name, and opens the outputs.
   *
   * @throws {UsageError} If a list of signals cannot be read, or a signal is not possible there.
   * @throws {UnknownNameError} If no source knows a name.
   */
  constructor(options: EngineOptions) {
    this.#options = options;
    const { topology, tracker, table, version, startTime, profile, host } = options;
    this.agent = options.agent ?? MONITOR;
    [this.topology, this.tracker, this.table] = [topology, tracker, table];
    this.policy = options.policy ?? "{}";
    this.header = { version, startTime, profile, host, agent: this.agent.name };
    this.batch = new Batch(topology, table);
    this.aggregator = new SampleAggregator(this.batch);
    this.coverage = new Coverage(this.batch);
    const reported = parseSignalList(options.reportSignals ?? "", "report signal");
    this.#reportSignals = new ReportSignals(this.aggregator, {
      exists: (name) => this.#exists(name),
      count: (domain) => topology.count(domain),
      user: reported,
      isDerived: (name) => this.batch.isDerived(name),
      unit: (name) => signalOf(table, name)?.row.unit,
      constant: (name, domain, index) => {
        const behavior = this.batch.behavior(name);
        // A label that is one number for the node, as PM_VERSION is, and no word for where a CPU is.
        const isNumber = behavior === "label" && signalOf(table, name)?.row.agg === "expect_same";
        if (behavior !== "constant" && !isNumber) return undefined;
        const handle = this.batch.pushSignal(name, domain, index);
        return () => this.batch.sample(handle);
      },
      coverage: this.coverage,
    });
    this.#epochHandle = this.batch.pushSignal("EPOCH_COUNT", "board", 0);
    this.#stickerHandle = this.#exists("CPUINFO::FREQ_STICKER")
      ? this.batch.pushSignal("CPUINFO::FREQ_STICKER", "board", 0)
      : -1;
    this.agent.init?.({
      pushSignal: (name, domain, index) => this.batch.pushSignal(name, domain, index),
      count: (domain) => topology.count(domain),
    });
    this.#sample = (handle) => this.batch.sample(handle);
    this.#generation = tracker.generation;
    for (const open of options.outputs ?? []) {
      const output = open(this);
      if (output !== undefined) this.#outputs.push(output);
    }
    this.#taking = this.#outputs.filter(({ take }) => take !== undefined);
    const asked = this.#outputs.flatMap((output) => output.asked ?? []);
    this.#asked = [...reported.map((request) => request.name), ...asked];
    this.events = new OrderedEvents(
      tracker,
      eventListeners(this.#outputs.map((output) => output.events)),
    );
    for (const output of this.#outputs) output.begin?.();
  }

  /** The host, as the report names it. */
  get host(): string {
    return this.#options.host;
  }

  /** Samples are to be dithered: an output requires it. */
  get wantsDither(): boolean {
    return this.#outputs.some((output) => output.wantsDither === true);
  }

  /**
   * Nested visits are to be recorded in their order: an output requires it, or none sums up by path. Without
   * order they come at any rate, but their energy is told by times between samples instead of edges.
   */
  get wantsOrder(): boolean {
    const wanted = this.#outputs.map(({ order }) => order);
    return wanted.includes("kept") || !wanted.includes("folded");
  }

  /**
   * True if a sample without annotations equals the one before: nothing is read, and no output
   * wants it.
   */
  get hasNothingToSample(): boolean {
    return this.batch.readsNothing && this.agent.step === undefined &&
      !this.#outputs.some(takesSamples);
  }

  /** Files that outputs open while the run goes on. */
  get reads(): string[] {
    return this.#outputs.flatMap(({ reads }) => reads ?? []);
  }

  /** Notes of the outputs. */
  notes(): Finding[] {
    return this.#outputs.flatMap((output) => output.notes?.() ?? []);
  }

  /**
   * Outputs take what the kernel gathered.
   *
   * @param knownS All events up to here were handed on.
   * @param wakeNs Next step of the loop, CLOCK_MONOTONIC in ns.
   * @returns When the next of them does so, by the same clock.
   */
  take(nowNs: number, knownS: number, wakeNs: number): number {
    let nextNs = Infinity;
    for (const output of this.#taking) {
      nextNs = Math.min(nextNs, output.take!(nowNs, knownS, wakeNs));
    }
    return nextNs;
  }

  /** Hands what outputs gathered to the kernel. */
  flush(): void {
    for (const output of this.#outputs) output.flush?.();
  }

  /** Takes the place of a sample while no process of the run is alive. */
  idle(timeS: number): void {
    for (const output of this.#outputs) output.idle?.(timeS);
  }

  /**
   * The run is over: outputs write what they leave.
   *
   * @param isQuick Without what takes long: the run must end soon.
   */
  finish(isQuick = false): void {
    for (const output of this.#outputs) output.finish?.(isQuick);
  }

  /** The report is made: outputs that show it get it. */
  reported(report: Report, place: ReportPlace = NOWHERE): void {
    for (const output of this.#outputs) output.document?.(report, place);
  }

  /** The report of the time so far is made, of a run that a signal may end. */
  cutOff(report: Report, place: ReportPlace): void {
    for (const output of this.#outputs) output.cutOff?.(report, place);
  }

  /**
   * The run over time as of the last sample; `undefined`: no output gathers it.
   *
   * @ignore
   */
  timeline(report: Report, rankOf?: ReportPlace["rankOf"]): TimelineFile | undefined {
    return this.#outputs.find((output) => output.timeline !== undefined)?.timeline?.(
      report,
      rankOf,
    );
  }

  /**
   * Energies that a process used since a moment, by signal, J.
   *
   * @ignore
   */
  energiesSince(process: number, fromS: number): { [signal: string]: number } {
    const output = this.#outputs.find(({ energiesSince }) => energiesSince !== undefined);
    return output?.energiesSince?.(process, fromS) ?? {};
  }

  /**
   * Samples of functions since the last question of a process.
   *
   * @ignore
   */
  functionsSince(asker: string): FunctionsNow | { readonly absent: string } {
    const output = this.#outputs.find(({ functionsSince }) => functionsSince !== undefined);
    return output?.functionsSince?.(asker) ??
      { absent: "start the command by joulemark run --functions" };
  }

  /** Reads the counters of the next step. */
  read(timeS: number): void {
    this.#noteLong(timeS);
    this.batch.read(timeS);
  }

  /** A step at which no counter was read: nothing is known since the one before. */
  lose(timeS: number): void {
    this.#noteLong(timeS);
    this.batch.lose(timeS);
  }

  /** Notes a long step, whose events are still to come: they show the regions that it was in. */
  #noteLong(timeS: number): void {
    this.#longFromS = this.batch.timeS;
    const isLong = timeS - this.#longFromS > LONG_STEP_S;
    this.#beforeLong = isLong ? this.tracker.meanTimes() : undefined;
  }

  /** Seconds by hash of the step that is settled; `undefined`: it was not long. */
  #regionSeconds(): Map<number, number> | undefined {
    const beforeNs = this.#beforeLong;
    if (beforeNs === undefined) return undefined;
    this.#beforeLong = undefined;
    const { tracker: { table } } = this, nowNs = this.tracker.meanTimes();
    const took = new Map<number, number>();
    let unmarkedS = this.batch.timeS - this.#longFromS;
    for (let region = 0; region < nowNs.length; region++) {
      const seconds = (nowNs[region] - (beforeNs[region] ?? 0)) * 1e-9;
      if (table.first(region) !== region || !(seconds > 0)) continue;
      unmarkedS -= seconds;
      took.set(table.hash(region), seconds);
    }
    return unmarkedS > 0 ? took.set(HASH_UNMARKED, unmarkedS) : took;
  }

  /** A step right after the one before: the counters have the same values. */
  hold(timeS: number): void {
    this.batch.hold(timeS);
  }

  /**
   * Closes the step that was read: every event up to its time has been emitted.
   *
   * The step that first finds every process ended has its row of the trace, as in GEOPM's loop,
   * which ends there; later ones have none.
   *
   * @param last The loop has ended: this step writes no row of the trace.
   */
  settle(last = false): void {
    const wasFinished = this.#wasFinished;
    const { finished } = this.tracker;
    this.#wasFinished = finished;
    const timeS = this.batch.timeS;
    this.events.closeStep(timeS);
    this.tracker.step(timeS);
    this.batch.settle();
    this.#restart();
    this.aggregator.update();
    this.coverage.step(this.#regionSeconds(), finished && wasFinished);
    if (this.#stickerHandle >= 0) {
      const sticker = this.batch.sample(this.#stickerHandle);
      if (sticker === sticker) this.#reportSignals.stickerHz = sticker;
    }
    this.agent.step?.(this.#sample);
    const isLast = last || (finished && wasFinished);
    const ends = finished && !wasFinished;
    for (const output of this.#outputs) output.sample?.(timeS, isLast, ends);
    this.steps++;
  }

  /**
   * Closes the step that was read as the one that first finds every process ended, and makes the
   * update after the loop: a moment later, with the same counters, without a row.
   */
  settleEnd(): void {
    const { timeS } = this.batch;
    this.settle();
    this.batch.hold(timeS + AFTER_LOOP_S);
    this.settle(true);
  }

  /** The host's section as of the last step. Changes nothing, so it serves checkpoints too. */
  report(extras: ReportExtras = {}): ReportHost {
    const adders = this.#outputs.filter((output) => output.addToRegion !== undefined);
    const host = buildReportHost({
      host: this.#options.host,
      regions: this.tracker.regions(),
      signals: this.#reportSignals,
      epochCount: this.batch.sample(this.#epochHandle),
      runtimeS: this.tracker.runtimeS,
      startupS: this.tracker.startupS,
      overheadS: this.tracker.overheadS,
      memoryKib: extras.memoryKib ?? 0,
      networkBytes: extras.networkBytes ?? 0,
      agent: this.agent,
      joulemark: extras.joulemark,
      pick: extras.pick,
      addToRegion: (fields, region) => {
        for (const output of adders) output.addToRegion!(fields, region);
      },
    });
    for (const output of this.#outputs) {
      output.addTo?.(host, extras.partial === true, extras.isQuick);
    }
    const tree = extras.isQuick === true ? undefined : this.tree();
    for (const output of this.#outputs) output.takeTree?.(host, tree);
    makeFields(host);
    if (host.joulemark !== undefined && tree !== undefined) {
      host.joulemark.tree = treeToNested(tree);
    }
    return host;
  }

  /**
   * Regions by path as of the last report; `undefined`: none was marked.
   *
   * @ignore
   */
  tree(): RunTree | undefined {
    const { paths, regionPaths } = this.tracker;
    const processes = Math.max(1, this.tracker.markingCount), groups = this.tracker.groups();
    const { energies } = this, isFolded = (path: number) => regionPaths.isFolded(path);
    const processesOf = (path: number) => groups.sizeOfName(paths.name(path));
    const { stats } = regionPaths;
    return buildTree({ paths, stats, processes, processesOf, energies, isFolded });
  }

  /**
   * Functions in their stacks; `undefined`: no output has them.
   *
   * @ignore
   */
  get functions(): PageFunctions | undefined {
    return this.#outputs.find((output) => output.functions !== undefined)?.functions;
  }

  /**
   * Path of the page; `undefined`: no output writes one.
   *
   * @ignore
   */
  get pagePath(): string | undefined {
    return this.#outputs.find((output) => output.pagePath !== undefined)?.pagePath;
  }

  /**
   * Samples of functions, for outputs that are opened later; `undefined`: no output takes them.
   *
   * @ignore
   */
  get sampledFunctions(): SampledFunctions | undefined {
    return this.#outputs.find((output) => output.sampledFunctions !== undefined)?.sampledFunctions;
  }

  /**
   * Energies of paths as they are known so far.
   *
   * @ignore
   */
  get energies(): PathEnergies | undefined {
    return this.#outputs.find((output) => output.energies !== undefined)?.energies;
  }

  /** A whole report around sections of one or more hosts. */
  document(hosts: ReportHost[], joulemark?: { [key: string]: Nested }): Report {
    const peaksW = this.#outputs.find((output) => output.peaksW !== undefined)?.peaksW;
    for (const host of hosts) {
      if (host.joulemark === undefined) continue;
      // The longest part comes last. A host of another engine has its totals already.
      const { tree, totals = totalsToNested(hostTotals(host, peaksW)), ...facts } = host.joulemark;
      host.joulemark = { totals, ...facts, ...(tree === undefined ? {} : { tree }) };
    }
    const { version, startTime, profile, agent } = this.header;
    return {
      version,
      startTime,
      profile,
      agent,
      policy: this.policy,
      header: this.agent.reportHeader?.() ?? {},
      ...(joulemark === undefined ? {} : { joulemark }),
      hosts,
    };
  }

  /** Figures of the application that do not cover all of it, by their key: docs/reference/coverage.md. */
  gaps(): Map<string, Known> {
    const gaps = this.#reportSignals.gaps();
    for (const output of this.#outputs) {
      for (const [key, known] of output.gaps?.() ?? []) gaps.set(key, known);
    }
    return gaps;
  }

  /** Signals of which no counter changed in the whole run, and why nothing is known of them. */
  get stillCounters(): ReadonlyMap<string, string> {
    return this.coverage.still;
  }

  /**
   * Source of every signal of the report and trace, or the reason that it is absent; for
   * `joulemark:`.
   */
  sources(): { [signal: string]: Nested } {
    const sources: { [signal: string]: Nested } = {};
    const names = [...MANDATORY_SIGNALS, ...this.batch.columns.map((column) => column.name)];
    for (const name of [...names, ...this.#asked]) {
      if (isTrackerSignal(name) || name in sources) continue;
      const resolved = this.#options.table.resolve(name);
      if (resolved.kind === "absent") sources[name] = { absent: resolved.reason };
      if (resolved.kind !== "offered" && resolved.kind !== "derived") continue;
      const { quality, source, note } = resolved.signal;
      sources[name] = present({
        quality,
        source,
        note,
        ...stillFacts(this.stillCounters.get(name)),
      });
    }
    return sources;
  }

  /** Closes the sources. */
  [Symbol.dispose](): void {
    this.batch[Symbol.dispose]();
  }

  /** A process that marks replaced the command: totals, trace and event log begin with it. */
  #restart(): void {
    if (this.tracker.generation === this.#generation) return;
    this.#generation = this.tracker.generation;
    if (this.steps === 0) return;
    this.aggregator.restart();
    this.coverage.restart();
    for (const output of this.#outputs) output.restart?.();
  }

  #exists(name: string): boolean {
    return signalOf(this.#options.table, name) !== undefined;
  }
}

/**
 * A profile name as GEOPM takes it: line ends and double quotes go, and nothing left is `default`.
 * geopmlaunch(1), `--geopm-profile`.
 */
export function profileName(text: string): string {
  return text.replaceAll(/[\n"]/g, "") || "default";
}
