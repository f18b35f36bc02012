/**
 * Result of a configuration: channels, each of them a map of Caliper's variables.
 *
 * Truth: Caliper manual, Configuration and ConfigManager API. Names and meanings of the variables
 * are Caliper's, so that users can read a configuration's effect.
 * @module
 */

/** One channel that is to be made. */
export interface ChannelSpec {
  /** `default` for the one made of plain variables, else the configuration's name. */
  readonly name: string;
  /**
   * `CALI_SERVICES_ENABLE`, the variables of the services, and queries: `CALI_REPORT_CONFIG` over
   * the records of one process, or `CALI_MPIREPORT_LOCAL_CONFIG` over those of each rank and then
   * `CALI_MPIREPORT_CONFIG` over the rows of all.
   */
  readonly variables: Readonly<Record<string, string>>;
  /** Options as given or by default; each becomes a global `opts:NAME` of the channel. */
  readonly options: Readonly<Record<string, string>>;
  /** Further globals of the channel: what the option `metadata(KEY=VALUE,…)` holds. */
  readonly metadata: Readonly<Record<string, string>>;
  /**
   * Was it made of a configuration string? Then it is written out at the program's end although its
   * `CALI_CHANNEL_FLUSH_ON_EXIT` is false: its maker does that, not the channel.
   */
  readonly managed: boolean;
  /**
   * Reports of the channel with and without ranks of MPI: the choice is known at the end. This
   * channel measures for both.
   */
  readonly reports?: { readonly under: ChannelSpec; readonly alone: ChannelSpec };
  /**
   * Tables of loops printed at the end; `loop-report` alone, whose output no variable describes.
   */
  readonly loops?: LoopReport;
  /** Profile that `spot` writes, which no variable describes. */
  readonly spot?: SpotProfile;
}

/** Two queries: over the records of a process, then over the rows of all of them. */
export interface QueryPair {
  readonly local: string;
  readonly cross: string;
}

/**
 * Rows over the iterations of one loop, in blocks of iterations. The loop with its iterations is
 * found first by `loops`; of each one found, `blocks` is asked.
 */
export interface LoopSeries {
  /** At most this many rows a loop; 0 for all. */
  readonly maxRows: number;
  /** Queries for one loop. */
  readonly blocks: (loop: string, iterationsPerBlock: number) => QueryPair;
}

/** The output of `loop-report`: a table of all loops, then one for each loop. */
export interface LoopReport {
  /** `stdout`, `stderr` or a file's name. */
  readonly output: string;
  /**
   * Rows hold `loop`, `max#sum#loop.iterations` and `max#count`, the number of snapshots, from
   * which the size of a block follows by {@linkcode iterationsPerBlock}.
   */
  readonly summary: QueryPair;
  readonly printSummary: boolean;
  /** Null if no series are requested. */
  readonly series: LoopSeries | null;
}

/** The output of `spot`: one `.cali` stream of one or two parts, distinguished by `spot.channel`. */
export interface SpotProfile {
  /** A file's name, empty for the default name. */
  readonly output: string;
  /** Folder for the file, or empty. */
  readonly directory: string;
  /** Records with `spot.channel` = `regionprofile`. */
  readonly profile: QueryPair;
  /** Records with `spot.channel` = `timeseries`, from a channel of its own; null if not requested. */
  readonly series: { readonly channel: ChannelSpec; readonly loops: LoopSeries } | null;
  /** Globals that are known before the run; `spot.metrics` and the like are known after it. */
  readonly globals: Readonly<Record<string, string>>;
}

/** Result of a configuration. */
export interface Configuration {
  readonly channels: readonly ChannelSpec[];
  /** One line for people about each thing that was asked for and is not done, and what does it. */
  readonly remarks: readonly string[];
}

/** Facts that are needed to evaluate a configuration. */
export interface ConfigFacts {
  /** Do several processes run as ranks of MPI? Then reports are over all of them by default. */
  readonly mpi: boolean;
  /** Behavior of a signal; undefined if it is not known here. */
  readonly behaviorOf: (signal: string) => "monotone" | "variable" | undefined;
  /** Attributes that a signal becomes: one of each instance of `NAME@domain`. @default its name */
  readonly attributesOf?: (signal: string) => readonly string[];
  /** Unit of a signal, empty for none. @default J for names that hold ENERGY, W for POWER */
  readonly unitOf?: (signal: string) => string;
  /** Samples per second that are taken. @default as many as requested */
  readonly samplesHz?: number;
  /** Reads a file that the configuration names; undefined if it cannot be read. @default none can be */
  readonly readFile?: (path: string) => string | undefined;
  /** Does this service exist? @default all but the impossible ones, see `services.ts` */
  readonly hasService?: (name: string) => boolean;
}

/**
 * Iterations in one block of a series, so that there are about as many rows as requested.
 *
 * @param records Snapshots of the loop.
 * @param iterations Iterations of the loop.
 */
export function iterationsPerBlock(
  series: LoopSeries,
  { records, iterations }: { records: number; iterations: number },
): number {
  const rows = series.maxRows > 0 ? series.maxRows : records;
  return records > rows ? Math.max(1, Math.trunc(iterations / rows)) : 1;
}
