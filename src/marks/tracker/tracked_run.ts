/**
 * State of a run so far: processes, regions, exact totals, and the signals derived from them.
 *
 * The tracker feeds it; reports and the batch read it.
 * @module
 */
import { type Diagnostic, Diagnostics } from "../../core/diagnostics.ts";
import { EventCalls } from "../../core/events/event_calls.ts";
import { PathTable } from "../../core/path_stats.ts";
import type { ProcessTime } from "../../core/process_spread.ts";
import type { RegionTotal } from "../../core/report.ts";
import type { OfferedSignal, SignalProvider, SignalReading } from "../../core/signal.ts";
import { CpuStates } from "./cpu_states.ts";
import type { TrackedProcess } from "./process.ts";
import { ProcessGroups } from "./process_groups.ts";
import { ProcessList, type ProcessSummary } from "./process_list.ts";
import { RegionPaths } from "./region_paths.ts";
import { RegionTable } from "./region_table.ts";
import { RunTimes } from "./run_times.ts";
import { Spans, type SpanTotal } from "./spans.ts";
import { TrackTable } from "./track_table.ts";
import { meanTimes, processTimes, regionTotals } from "./totals.ts";
import { type TrackedState, TRACKER_SIGNALS, TrackerReading } from "./tracker_signals.ts";

/**
 * The state that the tracker keeps of a run.
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
 * const tracker = new RegionTracker({ topology, profile: "example" });
 * tracker.start(0, 4711, [0]);
 * if (tracker.processes()[0].pid !== 4711) throw new Error("expected the process");
 * ```
 */
export abstract class TrackedRun extends EventCalls implements SignalProvider, TrackedState {
  readonly name = "PROFILE";
  readonly signals: readonly OfferedSignal[] = TRACKER_SIGNALS.map((row) => ({
    row,
    source: row.name === "TIME" ? "CLOCK_MONOTONIC_RAW" : "marker calls",
    quality: "measured",
  }));
  /** State of every CPU after the last step. */
  readonly cpus: CpuStates;
  /** Regions by name. */
  readonly table = new RegionTable();
  /** Tracks by name; the program's own marks are 0. */
  readonly tracks = new TrackTable();
  /**
   * Paths of regions.
   *
   * @ignore
   */
  readonly paths = new PathTable();
  /**
   * Visits by path.
   *
   * @ignore
   */
  readonly regionPaths = new RegionPaths(this.paths, this.table, this.tracks);
  /** Sums of spans, which are not regions and may overlap. */
  protected readonly spanSums = new Spans();
  /** Calls that GEOPM would refuse. */
  protected readonly refusals = new Diagnostics();
  /** Processes by handle. */
  protected readonly list = new ProcessList();
  /** Begin and end of the application. */
  protected readonly times = new RunTimes();

  /** A run on so many CPUs. */
  constructor(cpuCount: number) {
    super();
    this.cpus = new CpuStates(cpuCount);
  }

  open(wanted: readonly OfferedSignal[]): SignalReading {
    return new TrackerReading(this, wanted);
  }

  /** GEOPM's hash of a region's name. */
  hashOf(region: number): number {
    return this.table.hash(region);
  }

  get connected(): boolean {
    return this.list.counted > 0;
  }

  /** Processes that count, those that ended included. */
  get processCount(): number {
    return this.list.counted;
  }

  /** Processes that means over processes are over. */
  get markingCount(): number {
    return this.list.marking;
  }

  /** Have all processes that ever connected ended? False before the first. */
  get finished(): boolean {
    return this.list.finished;
  }

  /** TIME of the last step. */
  get elapsedS(): number {
    return this.times.elapsedS;
  }

  /** Time zero, in the caller's seconds: the earliest start, else the first step. */
  get zeroS(): number {
    return this.times.zeroS;
  }

  /** Seconds, in the caller's count, of a process's start or end. */
  absoluteS(timeNs: number): number {
    return this.times.absoluteS(timeNs);
  }

  /** Seconds from time zero to a record's time. */
  sinceZero(timeNs: number): number {
    return this.times.sinceZero(timeNs);
  }

  /** Last stop − first start; up to the last step while a process runs or if one died. */
  get runtimeS(): number {
    return this.list.runtimeS(this.times);
  }

  /** First start of a process → first step after it. */
  get startupS(): number {
    return this.times.startupS;
  }

  /** Own time of the marker library, mean over processes. */
  get overheadS(): number {
    return this.list.overheadS;
  }

  /** Means over processes for every registered name, by name. */
  regions(): RegionTotal[] {
    return regionTotals(this.list.all, this.table);
  }

  /**
   * Mean time over processes of all names with a hash, ns, by region handle.
   *
   * @ignore
   */
  meanTimes(): Float64Array {
    return meanTimes(this.list.all, this.table);
  }

  /**
   * Groups of processes that means over processes are over.
   *
   * @ignore
   */
  groups(): ProcessGroups {
    return new ProcessGroups(this.list.all, this.table);
  }

  /**
   * Time of each process in the regions with most time.
   *
   * @ignore
   */
  processTimes(most: number): { name: string; times: ProcessTime[] }[] {
    return processTimes(this.list.all, this.table, most);
  }

  /** Spans by name and track, over all processes. */
  spans(): SpanTotal[] {
    return this.spanSums.totals();
  }

  /** Every process, in order of its start. */
  processes(): ProcessSummary[] {
    return this.list.summaries(this.times, this.table);
  }

  /**
   * Exact totals of one process and its threads, by region name.
   *
   * @ignore
   */
  process(handle: number): TrackedProcess {
    return this.list.all[handle];
  }

  /** Calls that were refused, by kind. */
  get refused(): readonly Diagnostic[] {
    return this.refusals.list;
  }

  /** Number of refused calls. */
  get refusedCalls(): number {
    return this.refusals.total;
  }

  /** Name of the latest refused call. */
  get lastRefusal(): string {
    return this.refusals.last;
  }
}
