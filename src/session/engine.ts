/**
 * The crank that live runs and replays turn alike: events and samples in, report, trace, event log
 * and recording out. No clock and no hardware here.
 *
 * Step k, at time t: `read(t)` takes the counters; then every event up to t is told to `events`;
 * then `settle()` closes the step. A live loop reads at t, drains the rings once more a tick later,
 * and settles only then, so that every event up to t is known. docs/aggregation.md.
 * @module
 */
import { buildReportHost } from "../aggregate/build_report.ts";
import { MANDATORY_SIGNALS, ReportSignals } from "../aggregate/report_signals.ts";
import { SampleAggregator } from "../aggregate/sample_aggregator.ts";
import { type Agent, MONITOR } from "../core/agent.ts";
import type { Domain } from "../core/domain.ts";
import type { Nested, Report, ReportHost } from "../core/report.ts";
import type { SignalFormat } from "../core/signal.ts";
import { parseSignalList } from "../core/signal_list.ts";
import type { PlatformTopology } from "../core/topology.ts";
import { EventLogWriter } from "../formats/event_log.ts";
import {
  columnName,
  DEFAULT_COLUMNS,
  type TraceColumn,
  TraceWriter,
} from "../formats/trace/trace.ts";
import type { LineSink, TraceHeader } from "../formats/trace/header.ts";
import type { RegionTracker } from "../regions/tracker.ts";
import { isTrackerSignal } from "../regions/tracker_signals.ts";
import { Batch, type NameTable } from "../signals/batch.ts";
import type { StepListener } from "../signals/step_listener.ts";
import { RunAttribution } from "../outputs/attribution.ts";
import type { ReportExtras, RunView } from "../outputs/run_view.ts";
import type { AttributionMode } from "../core/attribution_mode.ts";
import { OrderedEvents } from "./ordered_events.ts";

/** What an engine is made from. */
export interface EngineOptions {
  readonly topology: PlatformTopology;
  readonly tracker: RegionTracker;
  /** Names; the tracker's own signals are among them. */
  readonly table: NameTable;
  readonly host: string;
  /** Cleaned: see {@linkcode profileName}. */
  readonly profile: string;
  /** As `Start Time` has it. */
  readonly startTime: string;
  /** Stands in every header: `3.1.0+joulemark.X.Y.Z`. */
  readonly version: string;
  /** @default {@linkcode MONITOR} */
  readonly agent?: Agent;
  /** @default "{}" */
  readonly policy?: string;
  /** `SIGNAL[@domain],…` @default none */
  readonly reportSignals?: string;
  /** `SIGNAL[@domain],…` @default none */
  readonly traceSignals?: string;
  readonly trace?: LineSink;
  /** Least seconds between two rows of the trace. @default every step */
  readonly tracePeriodS?: number;
  readonly eventLog?: LineSink;
  readonly recorder?: StepListener;
  /** How energies of regions are told beside GEOPM's. @default "sampled" */
  readonly attribution?: AttributionMode;
}

/** Regions of a report of a run that goes on: its cost must not grow with names. */
const PARTIAL_REGIONS = 1000;

/** See the module. Made before the first step; every name is checked here. */
export class Engine implements RunView {
  readonly tracker: RegionTracker;
  readonly batch: Batch;
  readonly aggregator: SampleAggregator;
  /** Where events go: in order of time, and after the last settled step. */
  readonly events: OrderedEvents;
  /** Energies of regions beside GEOPM's; `undefined`: not asked for, or no counter serves. */
  readonly attribution: RunAttribution | undefined;
  /** Steps settled. */
  steps = 0;
  readonly #options: EngineOptions;
  readonly #agent: Agent;
  readonly #reportSignals: ReportSignals;
  readonly #epochHandle: number;
  readonly #stickerHandle: number;
  readonly #columns: TraceColumn[] = [];
  readonly #columnHandles: number[] = [];
  /** Names that the user asked for. */
  readonly #asked: readonly string[];
  readonly #row: Float64Array;
  readonly #agentRow: Float64Array;
  readonly #header: TraceHeader;
  readonly #sample: (handle: number) => number;
  readonly #sinceZero: (timeNs: number) => number;
  #trace: TraceWriter | undefined;
  #eventLog: EventLogWriter | undefined;
  #generation: number;
  #lastRowS = -Infinity;

  /**
   * @throws {UsageError} If a list of signals cannot be read, or a signal cannot stand there.
   * @throws {UnknownNameError} If nobody knows a name.
   */
  constructor(options: EngineOptions) {
    this.#options = options;
    this.#agent = options.agent ?? MONITOR;
    this.tracker = options.tracker;
    this.batch = new Batch(options.topology, options.table);
    this.aggregator = new SampleAggregator(this.batch);
    this.events = new OrderedEvents(options.tracker, options.recorder);
    const reported = parseSignalList(options.reportSignals ?? "", "report signal");
    this.#reportSignals = new ReportSignals(this.aggregator, {
      exists: (name) => this.#exists(name),
      count: (domain) => options.topology.count(domain),
      user: reported,
    });
    this.#epochHandle = this.batch.pushSignal("EPOCH_COUNT", "board", 0);
    this.#stickerHandle = this.#exists("CPUINFO::FREQ_STICKER")
      ? this.batch.pushSignal("CPUINFO::FREQ_STICKER", "board", 0)
      : -1;
    this.#agent.init?.({
      pushSignal: (name, domain, index) => this.batch.pushSignal(name, domain, index),
      count: (domain) => options.topology.count(domain),
    });
    const traced = parseSignalList(options.traceSignals ?? "", "trace signal");
    this.#asked = [...reported, ...traced].map((request) => request.name);
    if (options.trace !== undefined) {
      for (const name of DEFAULT_COLUMNS) this.#column(name, "board", 0);
      for (const { name, domain } of traced) {
        for (let i = 0; i < options.topology.count(domain); i++) this.#column(name, domain, i);
      }
    }
    const added = this.#agent.traceColumns ?? [];
    for (const { name, format } of options.trace === undefined ? [] : added) {
      this.#columns.push({ name, format: format ?? "double" });
    }
    this.attribution = RunAttribution.open({
      ...{ mode: options.attribution ?? "sampled", batch: this.batch },
      ...{ table: options.table, topology: options.topology, tracker: options.tracker },
    });
    this.#row = new Float64Array(this.#columns.length);
    this.#agentRow = this.#row.subarray(this.#columnHandles.length);
    this.#header = {
      version: options.version,
      startTime: options.startTime,
      profile: options.profile,
      host: options.host,
      agent: this.#agent.name,
    };
    this.#sample = (handle) => this.batch.sample(handle);
    this.#sinceZero = (timeNs) => this.tracker.sinceZero(timeNs);
    this.#generation = this.tracker.generation;
    this.#openWriters();
  }

  /** The host, as the report names it. */
  get host(): string {
    return this.#options.host;
  }

  /** Reads the counters of the next step. */
  read(timeS: number): void {
    this.batch.read(timeS);
  }

  /**
   * Closes the step that was read: every event up to its time has been told.
   *
   * @param last The loop has ended: this step writes no row of the trace. Nor does one that finds
   * every process ended, since GEOPM's loop ends there.
   */
  settle(last = false): void {
    const timeS = this.batch.timeS;
    this.events.closeStep(timeS);
    this.tracker.step(timeS);
    this.batch.settle();
    this.#beginAnew();
    this.aggregator.update();
    this.attribution?.settle(timeS);
    if (this.#stickerHandle >= 0) {
      const sticker = this.batch.sample(this.#stickerHandle);
      if (sticker === sticker) this.#reportSignals.stickerHz = sticker;
    }
    this.#agent.step?.(this.#sample);
    if (!last && !this.tracker.finished) this.#traceRow(timeS);
    this.#eventLog?.step(this.tracker.records, this.#sinceZero);
    this.#options.recorder?.samples(timeS, this.batch);
    this.steps++;
  }

  /** The host's section as of the last step. Changes nothing, so it serves checkpoints too. */
  report(extras: ReportExtras = {}): ReportHost {
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
      agent: this.#agent,
      joulemark: extras.joulemark,
      ...(extras.partial === true ? { mostRegions: PARTIAL_REGIONS } : {}),
    });
    this.attribution?.addTo(host, extras.partial !== true);
    return host;
  }

  /** A whole report around sections of one or more hosts. */
  document(hosts: ReportHost[], joulemark?: { [key: string]: Nested }): Report {
    return {
      version: this.#options.version,
      startTime: this.#options.startTime,
      profile: this.#options.profile,
      agent: this.#agent.name,
      policy: this.#options.policy ?? "{}",
      header: this.#agent.reportHeader?.() ?? {},
      ...(joulemark === undefined ? {} : { joulemark }),
      hosts,
    };
  }

  /** Where every signal of the report and trace comes from, or why it is absent; for `joulemark:`. */
  sources(): { [signal: string]: Nested } {
    const sources: { [signal: string]: Nested } = {};
    const names = [...MANDATORY_SIGNALS, ...this.batch.columns.map((column) => column.name)];
    for (const name of [...names, ...this.#asked]) {
      if (isTrackerSignal(name) || name in sources) continue;
      const resolved = this.#options.table.resolve(name);
      if (resolved.kind === "absent") sources[name] = { absent: resolved.reason };
      if (resolved.kind !== "offered" && resolved.kind !== "derived") continue;
      const { quality, source, note } = resolved.signal;
      sources[name] = { quality, source, ...(note === undefined ? {} : { note }) };
    }
    return sources;
  }

  [Symbol.dispose](): void {
    this.batch[Symbol.dispose]();
  }

  /** A process that marks replaced the command: totals, trace and event log begin with it. */
  #beginAnew(): void {
    if (this.tracker.generation === this.#generation) return;
    this.#generation = this.tracker.generation;
    if (this.steps === 0) return;
    this.aggregator.restart();
    this.#lastRowS = -Infinity;
    const { trace, eventLog } = this.#options;
    if (trace?.restart !== undefined) {
      trace.restart();
      this.#trace = new TraceWriter(trace, this.#header, this.#columns);
    }
    if (eventLog?.restart !== undefined) {
      eventLog.restart();
      this.#eventLog = new EventLogWriter(eventLog, this.#header);
    }
  }

  #openWriters(): void {
    const { trace, eventLog } = this.#options;
    if (trace !== undefined) this.#trace = new TraceWriter(trace, this.#header, this.#columns);
    if (eventLog !== undefined) this.#eventLog = new EventLogWriter(eventLog, this.#header);
  }

  #traceRow(timeS: number): void {
    if (this.#trace === undefined) return;
    const period = this.#options.tracePeriodS ?? 0;
    // Steps come a little early or late; half a microsecond decides nothing.
    if (timeS - this.#lastRowS < period - 5e-7) return;
    this.#lastRowS = timeS;
    for (let i = 0; i < this.#columnHandles.length; i++) {
      this.#row[i] = this.batch.sample(this.#columnHandles[i]);
    }
    this.#agent.traceValues?.(this.#agentRow);
    this.#trace.row(this.#row);
  }

  #column(signal: string, domain: Domain, index: number): void {
    this.#columnHandles.push(this.batch.pushSignal(signal, domain, index));
    const name = columnName(signal, domain, index);
    this.#columns.push({ name, format: this.#format(signal) });
  }

  #exists(name: string): boolean {
    const { kind } = this.#options.table.resolve(name);
    return kind === "offered" || kind === "derived";
  }

  #format(name: string): SignalFormat {
    const resolved = this.#options.table.resolve(name);
    if (resolved.kind !== "offered" && resolved.kind !== "derived") return "double";
    return resolved.signal.row.format ?? "double";
  }
}

/**
 * A profile name as GEOPM takes it: line ends and double quotes go, and nothing left is `default`.
 * geopmlaunch(1), `--geopm-profile`.
 */
export function profileName(text: string): string {
  return text.replaceAll(/[\n"]/g, "") || "default";
}
