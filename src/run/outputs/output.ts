/**
 * Output of a run: a trace, a recording, Caliper's channels. Live runs, replays and the library
 * drive them in the same way; `all.ts` lists them.
 * @module
 */
import type { Recording } from "../../formats/recording.ts";
import type { Known } from "../../energy/totals/coverage.ts";
import type { Printer } from "../../caliper/channels/files.ts";
import type { Environment } from "../../core/environment.ts";
import type { EventReceiver } from "../../core/events/event.ts";
import type { Finding } from "../../core/finding.ts";
import type { EnergyKind, PathEnergies, RegionTree } from "../../core/region_tree.ts";
import type { Option, OptionValue, OptionValues } from "../../core/option.ts";
import type { RegionTotal, Report, ReportFields, ReportHost } from "../../core/report.ts";
import type { PmcRecord, PmcVersion } from "../../formats/pmc/log.ts";
import type { PageFunctions, TimelineFile } from "../../show/page/data.ts";
import type { ByteSink } from "../../formats/trace/header.ts";
import type { FunctionsNow } from "../../marks/rings/answers.ts";
import type { JobPart } from "../../job/place/parts.ts";
import type { ReportPlace, RunView } from "./run_view.ts";
import type { SampledFunctions } from "./sampled_functions.ts";

/** An output under way. */
export interface OpenOutput {
  /** Gets every event, in order of time; what it answers does not count. */
  readonly events?: EventReceiver;
  /** Names of signals that the user requested; the report gives their sources. */
  readonly asked?: readonly string[];
  /** Samples are to be dithered. */
  readonly wantsDither?: boolean;
  /**
   * `kept`: nested visits are to be recorded in their order. `folded`: it sums them up by path, and loses
   * none at any rate of visits, where clients do that. @default either serves
   */
  readonly order?: "kept" | "folded";
  /**
   * Functions in their stacks, after `finish`, where this output finds them.
   *
   * @ignore
   */
  readonly functions?: PageFunctions;
  /**
   * Path of the page that it writes; `undefined`: it could not.
   *
   * @ignore
   */
  readonly pagePath?: string;
  /**
   * Samples of functions, where this output takes them.
   *
   * @ignore
   */
  readonly sampledFunctions?: SampledFunctions;
  /** Files that it opens while the run goes on, with all that is below them. */
  readonly reads?: readonly string[];
  /** All outputs have asked for their signals; the first sample comes next. */
  begin?(): void;
  /**
   * Energies of paths as of the last `addTo`, where this output finds them.
   *
   * @ignore
   */
  readonly energies?: PathEnergies;
  /**
   * Maximum power so far by component, W.
   *
   * @ignore
   */
  readonly peaksW?: ReadonlyMap<EnergyKind, number>;
  /**
   * Energies that a process used since a moment, by signal, J, where this output has counters.
   *
   * @ignore
   */
  energiesSince?(process: number, fromS: number): { [signal: string]: number };
  /**
   * Samples of functions since the last question of a process, where this output takes them.
   *
   * @ignore
   */
  functionsSince?(asker: string): FunctionsNow | { readonly absent: string };
  /**
   * A settled sample.
   *
   * @param last The loop has ended, or every process had at the sample before.
   * @param ends It is the first that finds every process ended.
   */
  sample?(timeS: number, last: boolean, ends: boolean): void;
  /** Takes the place of `sample` while no process of the run is alive. */
  idle?(timeS: number): void;
  /**
   * Takes what the kernel gathered, where its turn has come: between samples, too.
   *
   * @param nowNs CLOCK_MONOTONIC.
   * @param knownS All events up to here are known, by the run's clock.
   * @param wakeNs Next step of the loop, CLOCK_MONOTONIC.
   * @returns The next turn by CLOCK_MONOTONIC.
   */
  take?(nowNs: number, knownS: number, wakeNs: number): number;
  /** Another process took the command's place: the run begins with it. */
  restart?(): void;
  /** Hands what was gathered to the kernel. */
  flush?(): void;
  /**
   * Adds keys to the host's section.
   *
   * @param partial The run goes on.
   * @param isQuick What takes time is left out.
   */
  addTo?(host: ReportHost, partial: boolean, isQuick?: boolean): void;
  /**
   * Takes the tree of the report, after `addTo`; `undefined`: the report has none.
   *
   * @ignore
   */
  takeTree?(host: ReportHost, tree: RegionTree | undefined): void;
  /** Adds keys to the fields of a region, after `takeTree`, whenever they are made. */
  addToRegion?(fields: ReportFields, region: RegionTotal): void;
  /** Notes for report, summary and page. */
  notes?(): readonly Finding[];
  /** Figures of the application that do not cover all of it, by key, beside those of GEOPM's fields. */
  gaps?(): ReadonlyMap<string, Known>;
  /** The run is over, and its files that grow are closed. */
  finish?(isQuick?: boolean): void;
  /** The report is made, after all outputs are finished. */
  document?(report: Report, place: ReportPlace): void;
  /** A signal came that may end the run: the report of the time so far was written. */
  cutOff?(report: Report, place: ReportPlace): void;
  /** Before the first mark it needs no sample. */
  readonly idlesWithoutMarks?: boolean;
  /**
   * The run over time as of the last sample, where this output gathers it.
   *
   * @ignore
   */
  timeline?(report: Report, rankOf?: ReportPlace["rankOf"]): TimelineFile;
}

/** Opens an output: it requests its signals. `undefined`: it has nothing to do. */
export type Opener = (run: RunView) => OpenOutput | undefined;

/** Site of a run, as far as outputs differ by it. */
export interface OutputSite extends Printer {
  /** Live, or from a recording. */
  readonly isLive: boolean;
  /** Path of the run's report; of a replay it is an option's. */
  readonly reportPath?: string;
  /** The directory of the recording that is replayed. */
  readonly recorded?: string;
  /** Ranks of processes, if a replayed recording has them. */
  readonly ranks?: Recording["ranks"];
  /** Suffix of the names of files of channels, where each of several hosts writes its own. */
  readonly hostSuffix?: string;
  /** Part of this node in a job of several. */
  readonly part?: JobPart;
  /** Minimum time between two rows of the trace, s; 0: every sample. */
  readonly tracePeriodS: number;
  readonly verbose: boolean;
  /** The command that is run; of a replay it has none. */
  readonly command: readonly string[];
  /** The name of a file on this host, where each host has its own. */
  nameOf(value: OptionValue): string;
  /** Opens a file that grows by lines; where it cannot be made, logs it and returns `undefined`. */
  lines(path: string): ByteSink | undefined;
  /** Makes a directory; where it cannot, logs it and returns false. */
  makeDirectory(path: string): boolean;
  /** Has somebody written something into this file since the run began? */
  wasWritten?(path: string): boolean;
  /** Takes the records of a PMC log; rank and time are the job's to settle. */
  keepSteps(path: string, version: PmcVersion, records: PmcRecord[]): void;
  /** Seconds since the epoch at the run's zero. */
  zeroS(): number;
  /** CLOCK_MONOTONIC_RAW at the run's zero, ns; NaN: not known here. */
  readonly zeroRawNs: number;
}

/** An output that was asked for, as the place of the run makes it. */
export type MakeOpener = (values: OptionValues, site: OutputSite) => Opener;

/** An output that a run can have. Its implementation is loaded where it is asked for. */
export interface Output {
  readonly name: string;
  readonly options: readonly Option[];
  /** Replays have it too. */
  readonly replays: boolean;
  /**
   * True if it is made from single events, which costs memory: a run with such an output has a
   * budget of its own.
   */
  readonly holdsEvents?: true;
  /** Is it asked for? @param env The environment; of a replay it has nothing. @default by any option */
  isAsked?(values: OptionValues, env: Environment): boolean;
  /** @throws {UsageError} On a value that cannot be, before the command starts. */
  check?(values: OptionValues): void;
  load(values: OptionValues): Promise<MakeOpener>;
}
