/**
 * View of a run for its outputs. The engine of `session/` has this shape; outputs use nothing else
 * of it.
 * @module
 */
import type { OptionValues } from "../../core/option.ts";
import type { Coverage, Known } from "../../energy/totals/coverage.ts";
import type { SampleAggregator } from "../../energy/totals/sample_aggregator.ts";
import type { Agent } from "../../core/agent.ts";
import type { Finding } from "../../core/finding.ts";
import type { PathEnergies, RunTree } from "../../core/region_tree.ts";
import type { Nested, RegionTotal, Report, ReportHost } from "../../core/report.ts";
import type { PlatformTopology } from "../../core/machine/topology.ts";
import type { PageFunctions, TimelineFile } from "../../show/page/data.ts";
import type { SampledFunctions } from "./sampled_functions.ts";
import type { TraceHeader } from "../../formats/trace/header.ts";
import type { RegionTracker } from "../../marks/tracker/tracker.ts";
import type { Batch, NameTable } from "../../sources/signals/batch.ts";

/** Figures of the host section that the caller has. */
export interface ReportExtras {
  /** High-water mark of the monitor's memory, in KiB. @default 0 */
  readonly memoryKib?: number;
  /** Bytes over the network. @default 0 */
  readonly networkBytes?: number;
  /** The run goes on: what would take long is left out. @default false */
  readonly partial?: boolean;
  /** The regions listed there. @default all */
  readonly pick?: (all: readonly RegionTotal[]) => RegionTotal[];
  /** True for a report without tree and fit. @default false */
  readonly isQuick?: boolean;
  /** The host's `joulemark:` mapping. */
  readonly joulemark?: { [key: string]: Nested };
}

/** Place of a written report, and names of its processes. */
export interface ReportPlace {
  /** `undefined`: it could not be written. */
  readonly path: string | undefined;
  /** Rank of a process within its MPI job, where it has one. */
  rankOf(pid: number): string | undefined;
}

/** A run as its outputs see it. */
export interface RunView {
  /** The host, as the report names it. */
  readonly host: string;
  /** The header of traces and logs. */
  readonly header: TraceHeader;
  /** Further observer of the run. */
  readonly agent: Agent;
  /** The agent's policy, as the report prints it. */
  readonly policy: string;
  /** Domains of the node. */
  readonly topology: PlatformTopology;
  /** Names that signals are found by. */
  readonly table: NameTable;
  /** The signals of each sample. */
  readonly batch: Batch;
  /** Regions, times and counts from events. */
  readonly tracker: RegionTracker;
  /** Sampled totals by region. */
  readonly aggregator: SampleAggregator;
  /** Coverage of values: the part of the time and of the packages. */
  readonly coverage: Coverage;
  /** Events that came later than they happened, and the most that one was late. */
  readonly events: { readonly late: number; readonly mostLateS: number };
  /** Samples settled. */
  readonly steps: number;
  /** Notes of the outputs. */
  notes(): Finding[];
  /** Figures of the application that do not cover all of it, by their key. */
  gaps(): Map<string, Known>;
  /** Signals of which no counter changed in the whole run, and why nothing is known of them. */
  readonly stillCounters: ReadonlyMap<string, string>;
  /** The host's section as of the last sample. */
  report(extras?: ReportExtras): ReportHost;
  /** Passes the report to the outputs that use it. */
  reported(report: Report, place: ReportPlace): void;
  /** Passes the report of the time so far, of a run that a signal may end. */
  cutOff(report: Report, place: ReportPlace): void;
  /**
   * The run over time as of the last sample; `undefined`: no output gathers it.
   *
   * @ignore
   */
  timeline(report: Report, rankOf?: ReportPlace["rankOf"]): TimelineFile | undefined;
  /**
   * Functions in their stacks, at the end of a run that samples them.
   *
   * @ignore
   */
  readonly functions: PageFunctions | undefined;
  /**
   * Path of the page; `undefined`: no output writes one.
   *
   * @ignore
   */
  readonly pagePath: string | undefined;
  /**
   * Samples of functions, for outputs that are opened later; `undefined`: no output takes them.
   *
   * @ignore
   */
  readonly sampledFunctions: SampledFunctions | undefined;
  /**
   * Energies of paths as they are known so far; `undefined`: not requested.
   *
   * @ignore
   */
  readonly energies: PathEnergies | undefined;
  /**
   * Regions by path as a report has them now; `undefined`: none was marked.
   *
   * @ignore
   */
  tree(): RunTree | undefined;
  /** A whole report around sections of one or more hosts. */
  document(hosts: ReportHost[], joulemark?: { [key: string]: Nested }): Report;
}

/** Options of a run's report. */
export interface ReportOptions {
  /** Given values of all options: an option that needs no check is read here by its user. */
  readonly values: OptionValues;
  readonly reportPath: string;
  /** `SIGNAL[@domain]`, comma-separated. */
  reportSignals: string;
  periodS: number;
  /** Dialects of `--preload`. */
  readonly preload?: { readonly dialects: readonly string[] };
  /** Expression of `--phase`. */
  readonly phases?: string;
  readonly quiet: boolean;
  /**
   * True to print no summary of the job either, which the node shows that completes it. @default as
   * `quiet`
   */
  readonly quietJob?: boolean;
}
