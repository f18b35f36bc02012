/**
 * Outputs of a run's channel: a `.cali` stream by `recorder`, a query's text by `report` or, over
 * the rows of every process, by `mpireport`.
 *
 * A channel that only traces writes each record at once, so its memory does not grow with the run.
 * @module
 */
import { fillName } from "../model/config/file_name.ts";
import { isTrue, wordsOf } from "../model/config_words.ts";
import type { ChannelSpec, SpotProfile } from "../model/config/channel_spec.ts";
import { Channel, type ChannelOptions } from "../model/services/channel.ts";
import { CaliStream } from "../model/services/recorder.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { NONE } from "../model/tree.ts";
import { announce, openStream, type Printer, type StreamFile } from "./files.ts";
import { asFileName } from "../../core/names.ts";
import { markSpotChannel } from "./spot.ts";
import { TreeEnergies, type TreeSource } from "./tree_energies.ts";
import { addUnordered, type Unordered } from "./unordered.ts";
import { ContextReports, type RunRecords } from "./reports.ts";

/** Value of `spot.channel` in what another output writes. */
const SERIES = "timeseries";

/** Naming rules of output files. */
export interface OutputNames {
  /** Name of a stream for which none is given. */
  defaultName(): string;
  /** Suffix of the names of files, if each of several hosts writes its own. */
  readonly host?: string;
  /** Energies of the run's paths, at its end; `undefined`: it has none. */
  treeSource?(): TreeSource | undefined;
  /** Visits that came too fast to be recorded in their order. */
  readonly unordered?: Unordered;
  /** Commands that a process with annotations took the place of: they have no records. */
  withdrawn?(): readonly number[];
  /** A channel's streams have ended; what else it leaves is flushed, and noted, once more. */
  streamsEnded?(): void;
}

interface OpenStream {
  readonly file: StreamFile | undefined;
  readonly stream: CaliStream;
}

/** One channel and the files that it leaves. */
export class ContextOutput {
  readonly channel: Channel;
  readonly #spec: ChannelSpec;
  readonly #names: OutputNames;
  readonly #reports: ContextReports;
  /** Value of `spot.channel` in its records; empty: none. */
  #spotChannel = "";
  #series: ContextOutput | undefined;
  readonly #printer: Printer;
  readonly #template: string;
  /** Streams by the first thread of their process; one for all if the name is one for all. */
  readonly #streams = new Map<number, OpenStream>();
  /** First threads of processes by thread, and their pids. */
  readonly #firsts: number[] = [];
  readonly #pids = new Map<number, number>();

  constructor(
    spec: ChannelSpec,
    options: Omit<ChannelOptions, "stream">,
    names: OutputNames,
    printer: Printer,
  ) {
    [this.#spec, this.#names, this.#printer] = [spec, names, printer];
    const { variables } = spec, folder = variables.CALI_RECORDER_DIRECTORY ?? "";
    const name = this.#named(variables.CALI_RECORDER_FILENAME || names.defaultName());
    this.#template = folder === "" ? name : `${folder}/${name}`;
    const services = (variables.CALI_SERVICES_ENABLE ?? "").split(/[,:\s]+/);
    const namesCalls = services.includes("sampler") && services.includes("callpath") &&
      isTrue(variables.CALI_CALLPATH_USE_NAME ?? "false");
    const streams = services.includes("trace") && services.includes("recorder") && !namesCalls &&
      // Names of addresses are known at the end alone.
      !["report", "mpireport", "symbollookup"].some((name) => services.includes(name));
    this.channel = new Channel({ ...variables }, {
      ...options,
      name: spec.name,
      unnoted: unnotedOf(spec),
      channelGlobals: {
        "cali.channel": spec.name,
        ...options.channelGlobals,
        ...Object.fromEntries(Object.entries(spec.options).map(([k, v]) => [`opts:${k}`, v])),
        ...spec.metadata,
      },
      ...(streams ? { stream: (record, thread) => this.#record(record, thread) } : {}),
    });
    this.#reports = new ContextReports(spec, this.channel, printer);
    if (spec.spot !== undefined) this.#spotChannel = "regionprofile";
    const { loops } = spec;
    const files = [...this.#reports.names, ...loops ? [loops.output] : []];
    if (services.includes("recorder")) files.push(this.#template);
    if (spec.spot !== undefined) files.push(this.#spotName(spec.spot));
    for (const name of files) announce(name, printer);
  }

  /** The channel's name. */
  get name(): string {
    return this.#spec.name;
  }

  /** Did ranks of MPI mark, or calls of it? */
  get isUnderMpi(): boolean {
    const { tree } = this.channel, calls = tree.attributeByName("mpi.function");
    const hasCalls = calls !== NONE && tree.attributeOf.subarray(0, tree.size).includes(calls);
    return hasCalls || tree.attributeByName("mpi.rank") !== NONE;
  }

  /** Defines which threads belong together: `first` is the one that the process began with. */
  joined(thread: number, first: number, pid: number): void {
    this.#firsts[thread] = first;
    this.#pids.set(first, pid);
    if (this.#spotChannel !== "") markSpotChannel(this.channel, first, this.#spotChannel);
  }

  /** Makes a series output the place where spot's series are measured. */
  takeSeries(series: ContextOutput): void {
    this.#series = series;
    series.#spotChannel = SERIES;
  }

  /** Hands what was gathered to the kernel. */
  flush(): void {
    for (const { file } of this.#streams.values()) file?.flush();
  }

  /**
   * All is over.
   *
   * @param keep Takes the rows for a report over all nodes of a job, which is made later.
   */
  finish(keep?: (rows: string) => void): void {
    const { variables, managed } = this.#spec;
    if (!managed && !isTrue(variables.CALI_CHANNEL_FLUSH_ON_EXIT ?? "true")) return;
    if (this.#pids.size === 0) {
      if (this.#spotChannel === SERIES) return;
      this.#printer.log(
        `${this.#spec.name}: no regions were found, so nothing is written. ` +
          "--preload caliper intercepts the program's Caliper calls",
      );
      return;
    }
    this.#reports.choose(this.isUnderMpi);
    this.channel.note("Flushing Caliper data");
    if (this.channel.services.has("recorder")) {
      this.#finishStreams();
      this.#names.streamsEnded?.();
    }
    const records = this.#records();
    if (this.#reports.wanted) {
      const rows = this.#reports.rows(records);
      if (keep === undefined) this.#reports.write([rows], records.valueOf);
      else keep(rows);
    }
    this.#reports.writeLoops(records, (name) => this.#named(name));
    const { spot } = this.#spec;
    if (spot === undefined) return;
    const name = this.#spotName(spot);
    const series = this.#series === undefined ? [] : this.#series.#records().processes();
    this.#reports.writeSpot(fillName(name, records.valueOf), spot, records, series);
  }

  #spotName({ directory, output }: SpotProfile): string {
    const folder = directory === "" ? "" : `${directory}/`;
    return this.#named(folder + (output || this.#names.defaultName()));
  }

  /** Makes the report over all nodes of a job, from what each of them kept. */
  finishJob(rows: readonly string[]): void {
    if (rows.length === 0) return;
    const { valueOf } = this.#records();
    this.#reports.write(rows, (name) => {
      const value = valueOf(name);
      // The rank 0 writes for all nodes, and may have been on another one.
      return name === "mpi.rank" && value !== undefined ? "0" : value;
    });
  }

  #record(record: Snapshot, thread: number): void {
    this.#streamOf(thread).stream.record(record);
  }

  #streamOf(thread: number): OpenStream {
    const own = this.#template.includes("%");
    const key = own ? this.#firsts[thread] ?? thread : 0;
    let open = this.#streams.get(key);
    if (open === undefined) {
      const provisional = own
        ? provisionalName(this.#template, this.#pids.get(key) ?? key)
        : undefined;
      const file = openStream(this.#template, provisional, this.#printer);
      const stream = new CaliStream(this.channel.tree, (line) => file?.write(line));
      this.#streams.set(key, open = { file, stream });
    }
    return open;
  }

  #finishStreams(): void {
    this.#flush((record, thread) => this.#record(record, thread));
    // Without a service that keeps snapshots a stream has the run's globals alone, as Caliper's has.
    const [anyPid] = this.#pids.keys();
    if (this.#streams.size === 0) this.#streamOf(anyPid);
    for (const [first, { file, stream }] of this.#streams) {
      stream.globals(this.#globals(this.#template.includes("%") ? first : undefined));
      this.channel.note(`Recorder: Wrote ${stream.written} records.`);
      file?.close(fillName(this.#template, (name) => this.#valueOf(name, first)));
    }
  }

  /** Run metadata of a process, by its first thread, or of all. */
  #globals(of?: number): Snapshot {
    const globals = this.channel.globals(of);
    const pid = of === undefined ? undefined : this.#pids.get(of);
    const unordered = this.#names.unordered?.list(pid);
    addUnordered(this.channel.tree, globals, unordered ?? []);
    return globals;
  }

  /** The value of an attribute in a process, for the name of its stream. */
  #valueOf(name: string, first: number): string | undefined {
    const { channel } = this, id = channel.tree.attributeByName(name);
    if (id === NONE) return name === "pid" ? String(this.#pids.get(first)) : undefined;
    channel.turnTo(first);
    return channel.currentText(id);
  }

  /** Records that the services kept, with the energies of the report's tree. */
  #flush(emitted: (record: Snapshot, thread: number) => void): void {
    const { channel } = this, withdrawn = this.#names.withdrawn?.() ?? [];
    const emit = (record: Snapshot, thread: number) => {
      const pid = this.#pids.get(this.#firsts[thread] ?? thread);
      if (pid === undefined || !withdrawn.includes(pid)) emitted(record, thread);
    };
    const source = this.#names.treeSource?.();
    if (source === undefined || !channel.services.has("aggregate")) {
      return channel.flushServices(emit);
    }
    const rows: { record: Snapshot; thread: number }[] = [];
    channel.flushServices((record, thread) => rows.push({ record, thread }));
    const energies = new TreeEnergies(channel.tree, source, rows.map(({ record }) => record));
    for (const { record, thread } of rows) {
      energies.apply(record);
      emit(record, thread);
    }
  }

  /** All that was kept, as one stream. */
  #streamText(of?: number): string {
    const lines: string[] = [], { channel } = this;
    const stream = new CaliStream(channel.tree, (line) => lines.push(line));
    this.#flush((record, thread) => {
      if (of === undefined || (this.#firsts[thread] ?? thread) === of) stream.record(record);
    });
    stream.globals(this.#globals(of));
    return lines.join("");
  }

  #records(): RunRecords {
    return {
      all: () => this.#streamText(),
      processes: () => [...this.#pids.keys()].map((first) => this.#streamText(first)),
      valueOf: (name) => this.#valueOf(name, this.#writer),
    };
  }

  /**
   * Pid of the process that writes for all, by its first thread: as in Caliper the one with the
   * minimum rank.
   */
  get #writer(): number {
    let writer = this.#pids.keys().next().value ?? 0, least = Infinity;
    for (const first of this.#pids.keys()) {
      const rank = Number(this.#valueOf("mpi.rank", first) ?? NaN);
      if (rank < least) [writer, least] = [first, rank];
    }
    return writer;
  }

  /** A file's name on this host. */
  #named(name: string): string {
    const { host } = this.#names;
    if (host === undefined || name === "stdout" || name === "stderr") return name;
    return `${name}-${asFileName(host)}`;
  }
}

/** Services that only a channel under MPI has, if it is not known yet whether this is one. */
function unnotedOf({ reports }: ChannelSpec): string[] {
  if (reports === undefined) return [];
  const alone = wordsOf(reports.alone.variables.CALI_SERVICES_ENABLE);
  return wordsOf(reports.under.variables.CALI_SERVICES_ENABLE).filter((name) =>
    !alone.includes(name)
  );
}

/**
 * A name until it is known what the attributes in the template are: beside the first folder that is
 * named by one, and unlike that of any other stream.
 */
function provisionalName(template: string, pid: number): string {
  const folder = template.slice(0, template.lastIndexOf("/", template.indexOf("%")) + 1);
  return `${folder}${template.slice(folder.length).replace(/[%/]/g, "_")}-${pid}.partial`;
}
