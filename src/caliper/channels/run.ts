/**
 * Caliper's channels of a run or a replay, from what was asked for to what they leave.
 * @module
 */
import type { ChannelSpec } from "../model/config/channel_spec.ts";
import { wordsOf } from "../model/config_words.ts";
import { samplerHz } from "../model/services/sampler.ts";
import { TYPE } from "../model/variant.ts";
import type { PlatformTopology } from "../../core/machine/topology.ts";
import type { RegionTracker } from "../../marks/tracker/tracker.ts";
import { type Batch, type NameTable, signalOf } from "../../sources/signals/batch.ts";
import type { JobPart } from "../../job/place/parts.ts";
import { isWrittenInto } from "../../os/output_place.ts";
import type { Printer } from "./files.ts";
import { needsOrder } from "./order.ts";
import { type ProcessFacts, RunMachine } from "./machine.ts";
import { ContextOutput } from "./output.ts";
import type { TreeSource } from "./tree_energies.ts";
import type { FunctionSamples } from "./function_samples.ts";
import { ContextRecorder } from "./recorder.ts";
import { allProcesses, known } from "./shares.ts";

/** Stands for the energies that the node has. */
export const ALL_ENERGIES = "*";
/** From this share on, samples of processes without annotations are reported. */
const FOREIGN_SHARE = 0.01;
const ENERGIES = ["CPU_ENERGY", "DRAM_ENERGY", "GPU_ENERGY", "BOARD_ENERGY"];

/** Caliper's own channel, which makes those of CALI_CONFIG. */
const MANAGER = "builtin.configmgr";

/** Parts of a run that its channels need. */
export interface ContextRunOptions {
  /**
   * The channels that were asked for, once it is known what signals there are.
   *
   * @throws {UsageError} If that cannot be understood.
   */
  channels(table: NameTable, topology: PlatformTopology, samplesHz: number | undefined): {
    readonly specs: readonly ChannelSpec[];
    /** Lines for people if no rank of MPI runs. */
    readonly remarksAlone: readonly string[];
  };
  /** Name of a stream for which none is given. */
  defaultName(): string;
  readonly printer: Printer;
  /** Receives the channels' messages, a line each. @default the printer, without Caliper's mark */
  readonly log?: (line: string) => void;
  /** Channels log what they do, as Caliper does with CALI_LOG_VERBOSITY=1. @default false */
  readonly isVerbose?: boolean;
  /** CALI_CONFIG makes channels, which Caliper does by one of its own. @default false */
  readonly isManaged?: boolean;
  /** Wall clock at the run's zero: `starttime.sec` and `starttime.nsec`. */
  readonly start?: { readonly sec: number; readonly nsec: number };
  readonly facts?: ProcessFacts;
  rankOf(pid: number): string | undefined;
}

/** The index of a run among several. */
export interface ContextPlace {
  /** Suffix of the names of files, if each of several hosts writes its own. */
  readonly host?: string;
  /** Part of this node in the job's report. */
  readonly part?: JobPart;
  /** Energies of the run's paths, at its end; `undefined`: it has none. */
  treeSource?(): TreeSource | undefined;
}

/** All channels of one run or replay. */
export class ContextRun {
  readonly #options: ContextRunOptions;
  #recorder!: ContextRecorder;
  #outputs: ContextOutput[] = [];
  #place: ContextPlace = {};
  /** Visit order that the channels need; known once they are made. */
  order: "kept" | "folded" | undefined;
  readonly #logged = new Set<string>();
  #remarksAlone: readonly string[] = [];

  constructor(options: ContextRunOptions) {
    this.#options = options;
  }

  /**
   * The receivers of events and samples.
   *
   * @param place The index of the run among several.
   */
  begin(tracker: RegionTracker, place: ContextPlace): ContextRecorder {
    this.#place = place;
    return this.#recorder = new ContextRecorder({
      names: {
        regionName: (handle) => tracker.table.name(handle),
        trackName: (handle) => tracker.tracks.name(handle),
        process: (handle) => known(tracker, handle)!,
        processes: () => allProcesses(tracker),
        paths: tracker.paths,
      },
      rankOf: this.#options.rankOf,
      joined: (channel, thread, first, pid) => {
        this.#outputs.find((output) => output.channel === channel)?.joined(thread, first, pid);
      },
    });
  }

  /**
   * Makes the channels, which ask for their signals; before the first step.
   *
   * @param functions Samples of functions, for channels that take samples.
   */
  attach(
    batch: Batch,
    table: NameTable,
    topology: PlatformTopology,
    functions?: { readonly hz: number; take(): FunctionSamples },
  ): void {
    const { printer, start, facts } = this.#options;
    const machine = new RunMachine(batch, table, topology, facts);
    const channelGlobals = start && {
      "starttime.sec": { type: TYPE.uint, value: start.sec },
      "starttime.nsec": { type: TYPE.uint, value: start.nsec },
    };
    const own = (path: string) => this.#ownPath(path);
    const make = (given: ChannelSpec, of?: ContextOutput): ContextOutput[] => {
      const spec = ownFiles(this.#options.isVerbose ? verbose(given) : given, own);
      this.#note(`Creating channel ${spec.name}`);
      const output = new ContextOutput(
        atRate(withEnergies(spec, table, printer), functions?.hz, printer),
        { now: this.#recorder.now, machine, channelGlobals, onLog: (line) => this.#logOnce(line) },
        {
          defaultName: () => this.#options.defaultName(),
          host: this.#place.host,
          treeSource: this.#place.treeSource,
          unordered: this.#recorder.unordered,
          withdrawn: () => this.#recorder.withdrawn,
          streamsEnded: () => {
            for (const line of this.#logged) if (FLUSHED.test(line)) this.#logged.delete(line);
          },
        },
        printer,
      );
      of?.takeSeries(output);
      const series = spec.spot?.series;
      return [output, ...series ? make(series.channel, output) : []];
    };
    const { specs, remarksAlone } = this.#options.channels(table, topology, functions?.hz);
    this.#remarksAlone = remarksAlone;
    if (specs.length > 0) this.order = specs.some(needsOrder) ? "kept" : "folded";
    this.#note("Initialized");
    if (specs.every(({ managed }) => managed)) {
      this.#note("No manual config specified, disabling default channel");
    }
    const isManaged = this.#options.isManaged === true;
    if (isManaged) this.#note(`Creating channel ${MANAGER}`);
    this.#outputs = specs.flatMap((spec) => make(spec));
    if (isManaged) this.#note("Registered builtin ConfigManager");
    const channels = this.#outputs.map(({ channel }) => channel);
    this.#recorder.attach(machine, channels);
    const isSampling = channels.some(({ services }) => services.has("sampler"));
    if (functions !== undefined && isSampling) this.#recorder.takeFunctions(functions.take());
  }

  /** Path of a file that no other run or job writes. */
  #ownPath(path: string): string {
    if (/^(stdout|stderr)?$/.test(path) || isWrittenInto(path)) return path;
    const { part } = this.#place;
    return part === undefined ? this.#options.printer.claim?.(path) ?? path : path + part.suffix;
  }

  /** Hands what was gathered to the kernel. */
  flush(): void {
    for (const output of this.#outputs) output.flush();
  }

  /** The run has ended: the last events are emitted, streams end, reports are made. */
  finish(): void {
    this.#recorder.finish();
    this.#note("Finalizing ... ");
    const isManaged = this.#options.isManaged === true;
    if (isManaged) this.#note(`${MANAGER}: Flushing Caliper data`);
    const { part } = this.#place;
    if (!this.#outputs.some((output) => output.isUnderMpi)) {
      for (const remark of this.#remarksAlone) this.#options.printer.log(remark);
    }
    this.#outputs.forEach((output, i) => {
      output.finish(part && ((rows) => part.keep(`cali-${i}`, rows)));
    });
    for (const name of [...isManaged ? [MANAGER] : [], ...this.#outputs.map(({ name }) => name)]) {
      this.#note(`Releasing channel ${name}`);
    }
    this.#note("Finished");
    const { unmatched, foreignShare, hasOnlyFunctions } = this.#recorder;
    const needsRegions = this.#outputs.some(({ name, channel }) => {
      return name === "sample-report" && !channel.services.has("callpath");
    });
    if (hasOnlyFunctions && needsRegions) {
      this.#options.printer.log(
        "sample-report: no regions were found. Use sample-report(callpath) for functions by call path",
      );
    }
    if (foreignShare > FOREIGN_SHARE) {
      const percent = Math.round(100 * foreignShare);
      this.#options.printer.log(
        `sampler: ${percent} % of the samples are of processes without annotations, and are left out. ` +
          "--folded FILE has all samples",
      );
    }
    if (unmatched > 0) {
      this.#options.printer.log(`${unmatched} end calls had no open region`);
    }
    if (part === undefined) return;
    part.onMerge.push((read, complete) => {
      // Printed text must appear once, and whole.
      if (complete) this.#outputs.forEach((output, i) => output.finishJob([...read(`cali-${i}`)]));
    });
  }

  /** Channels of one program log the same lines. */
  #logOnce(line: string): void {
    if (this.#logged.has(line)) return;
    this.#logged.add(line);
    const { log, printer } = this.#options;
    if (log === undefined) printer.log(withoutMark(line));
    else log(line);
  }

  #note(line: string): void {
    if (this.#options.isVerbose) this.#logOnce(`== CALIPER: ${line}`);
  }
}

/** Remark that services make at a flush; each output of a channel causes one. */
const FLUSHED = / flushed \d+ snapshots\.$/i;

/** A line of Caliper's log as one of ours. */
export function withoutMark(line: string): string {
  return line.replace(/^== CALIPER: /, "").trimStart();
}

/** A channel with other paths of its files; files without a name have one that no other run has. */
function ownFiles(spec: ChannelSpec, own: (path: string) => string): ChannelSpec {
  const { variables, reports, loops, spot } = spec;
  const directory = variables.CALI_RECORDER_DIRECTORY ?? "";
  const folders = { RECORDER: directory && `${directory}/`, REPORT: "", MPIREPORT: "" };
  const files = Object.entries(folders).map(([service, folder]) => {
    const key = `CALI_${service}_FILENAME`, name = variables[key];
    return [key, name && own(folder + name).slice(folder.length)] as const;
  }).filter(([, name]) => name !== undefined);
  const output = spot?.output && own(spot.output);
  return {
    ...spec,
    variables: { ...variables, ...Object.fromEntries(files) },
    ...(reports && {
      reports: { under: ownFiles(reports.under, own), alone: ownFiles(reports.alone, own) },
    }),
    ...(loops && { loops: { ...loops, output: own(loops.output) } }),
    ...(spot && output && { spot: { ...spot, output } }),
  };
}

function verbose(spec: ChannelSpec): ChannelSpec {
  return { ...spec, variables: { CALI_LOG_VERBOSITY: "1", ...spec.variables } };
}

/** A sampler takes no more samples than there are. */
function atRate(spec: ChannelSpec, hz = Infinity, printer: Printer): ChannelSpec {
  const { variables } = spec, wanted = samplerHz(variables.CALI_SAMPLER_FREQUENCY);
  if (!wordsOf(variables.CALI_SERVICES_ENABLE).includes("sampler") || !(wanted > hz)) return spec;
  printer.log(`sampler: ${hz} samples per second are taken, not ${wanted}`);
  return { ...spec, variables: { ...variables, CALI_SAMPLER_FREQUENCY: String(hz) } };
}

/** `*` among the signals stands for the energies that the node has; without any, none is asked for. */
function withEnergies(spec: ChannelSpec, table: NameTable, printer: Printer): ChannelSpec {
  const { variables } = spec;
  if (variables.CALI_JOULEMARK_SIGNALS !== ALL_ENERGIES) return spec;
  const signals = ENERGIES.filter((name) => signalOf(table, name) !== undefined).join(",");
  const change: Record<string, string> = { CALI_JOULEMARK_SIGNALS: signals };
  if (signals === "") {
    const services = wordsOf(variables.CALI_SERVICES_ENABLE).filter((name) => name !== "joulemark");
    change.CALI_SERVICES_ENABLE = services.join(",");
    printer.log(
      'no energy in the stream: this node has no readable energy counter. Run "joulemark doctor" for the reason',
    );
  }
  return { ...spec, variables: { ...variables, ...change } };
}
