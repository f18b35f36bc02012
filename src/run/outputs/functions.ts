/**
 * `--functions`: functions and their stacks by CPU time, from samples. docs/how-to/find-functions.md.
 * @module
 */
import type { Finding } from "../../core/finding.ts";
import type { OptionValues } from "../../core/option.ts";
import type { Nested, ReportHost } from "../../core/report.ts";
import type { FunctionData } from "../../profile/function_data.ts";
import type { PageFunctions } from "../../show/page/data.ts";
import type { SampleSeen } from "../../profile/profile.ts";
import {
  FunctionRowsWriter,
  FUNCTIONS_FILE,
  NAMES_FILE,
  type NoteSources,
  readFunctions,
} from "../recordings/function_rows.ts";
import {
  type FunctionFileSources,
  type FunctionPaths,
  type PackPprof,
  writeFile,
  writeFunctions,
  type WrittenFunctions,
} from "./function_files.ts";
import { FunctionEnergies } from "./function_energies.ts";
import { functionNotes, unreadFiles, whyNoTimers } from "./function_notes.ts";
import { FUNCTION_FILES, functionOptions } from "./function_options.ts";
import { FunctionSampling } from "./function_sampling.ts";
import { timerOptions } from "./timer_choice.ts";
import { CodeBiases } from "../../profile/code_biases.ts";
import type { FunctionSamples } from "../../caliper/channels/function_samples.ts";
import { addSample, functionSamples, type SampledFunctions } from "./sampled_functions.ts";
import type { FunctionsNow } from "../../marks/rings/answers.ts";
import { RecentLeaves } from "./recent_leaves.ts";
import { RegionHistory } from "./region_history.ts";
import type { Opener, OpenOutput, OutputSite } from "./output.ts";

/** The outputs of `--functions`. @param pack Absent where no profile of pprof is asked for. */
export function makeFunctions(pack: PackPprof | undefined) {
  return (values: OptionValues, site: OutputSite): Opener => {
    const paths = Object.fromEntries(FUNCTION_FILES.map((name) => {
      const value = values.get(name);
      return [name, value && site.nameOf(value)];
    })) as FunctionPaths;
    const { recorded } = site;
    if (recorded !== undefined) return (run) => replayed(recorded, { run, paths, site, pack });
    const asked = functionOptions(values), record = values.get("record");
    const directory = record && site.nameOf(record);
    const rows = directory === undefined ? undefined : site.lines(`${directory}/${FUNCTIONS_FILE}`);
    const options = asked.event === "timer" ? timerOptions(asked, site.log) : asked;
    return (run) => {
      const sampling = FunctionSampling.open(options);
      if (typeof sampling === "string") {
        site.log(`no functions: ${sampling}. The command runs without sampling`);
        return absent(sampling);
      }
      if (sampling.withoutWaits !== "") {
        const reason = sampling.withoutWaits;
        site.log(
          `no stacks of waiting threads: ${reason}. Only the waiting time of each process is shown`,
        );
      }
      const { periodNs } = sampling.profile, zeroNs = site.zeroRawNs;
      const { hz, stackBytes, event } = options;
      const recording = rows && {
        writer: new FunctionRowsWriter(rows, { hz, periodNs, zeroNs, event }),
        namesPath: `${directory}/${NAMES_FILE}`,
      };
      const durationNs = () => Math.round(run.batch.timeS * 1e9);
      const energies = FunctionEnergies.open(run, zeroNs), history = new RegionHistory(run.tracker);
      sampling.profile.regionsOf = {
        pathAt: (thread, timeNs) => history.pathAt(thread, (timeNs - zeroNs) / 1e9),
        namesOf: (path) => history.namesOf(path),
      };
      const files = { run, paths, site, pack, energies };
      const live = { hz, stackBytes, zeroNs, durationNs, recording, history };
      return new FunctionOutput(sampling, files, live);
    };
  };
}

/** The report says why there are no functions. */
function absent(reason: string): OpenOutput {
  return {
    functionsSince: () => ({ absent: reason }),
    addTo: (host) => setFunctions(host, { absent: reason }),
  };
}

function setFunctions({ joulemark }: ReportHost, functions: Nested | undefined): void {
  if (joulemark !== undefined && functions !== undefined) joulemark.functions = functions;
}

/** Functions of a recording. */
function replayed(
  directory: string,
  sources: Omit<FunctionFileSources, "energies" | "about">,
): OpenOutput | undefined {
  const data = readFunctions(directory);
  if (data === undefined) {
    sources.site.log(`no functions: ${directory} was recorded without --functions`);
    return undefined;
  }
  if (!data.isWhole) {
    sources.site.log(`functions of ${directory} have no names: the recording is truncated`);
  }
  const { hz, trie, biases, samples, zeroNs } = data;
  const energies = FunctionEnergies.open(sources.run, zeroNs);
  let written: WrittenFunctions | undefined;
  const take = () => {
    const made = functionSamples({ hz, trie, biases, data: () => data });
    for (const sample of samples) addSample(made, sample, zeroNs);
    made.knownS = Infinity;
    return made;
  };
  return {
    // Their times are those of the run only if its zero is known.
    sampledFunctions: zeroNs > 0 ? { hz, take } : undefined,
    sample: (timeS, _last, ends) => energies?.step(timeS, ends),
    finish: () => {
      for (const sample of samples) energies?.sample(sample);
      written = writeFunctions(
        data,
        samples,
        Object.assign({ energies, about: data.about }, sources),
      );
    },
    get functions() {
      return written?.tree;
    },
    notes() {
      const { facts, about, periodNs, off } = data;
      return about === undefined ? [] : functionNotes(facts, about, periodNs, off.length > 0);
    },
    addTo: (host) => setFunctions(host, written?.facts),
  };
}

/** Parts of the output other than its files. */
interface LiveFunctions {
  readonly hz: number;
  readonly stackBytes: number;
  /** Time of the run's zero by the samples' clock. */
  readonly zeroNs: number;
  durationNs(): number;
  readonly history: RegionHistory;
  readonly recording:
    | { readonly writer: FunctionRowsWriter; readonly namesPath: string }
    | undefined;
}

class FunctionOutput implements OpenOutput {
  /** Libraries may be anywhere. */
  readonly reads = ["/"];
  /** Each sample has the regions of its time. */
  readonly order = "kept";
  readonly #biases = new CodeBiases();
  readonly #recent: RecentLeaves;
  /** Absent: there is no counter to read. */
  readonly sample: OpenOutput["sample"];
  readonly #sampling: FunctionSampling;
  readonly #files: Omit<FunctionFileSources, "about">;
  readonly #live: LiveFunctions;
  readonly #samples: SampleSeen[] = [];
  /** Samples for other outputs. */
  #taken: FunctionSamples | undefined;
  #data: FunctionData | undefined;
  #written: WrittenFunctions | undefined;
  #about: NoteSources;

  constructor(
    sampling: FunctionSampling,
    files: Omit<FunctionFileSources, "about">,
    live: LiveFunctions,
  ) {
    [this.#sampling, this.#files, this.#live] = [sampling, files, live];
    this.#about = { stackBytes: live.stackBytes, elsewhereNs: 0, others: 0, unread: [] };
    const keeps = files.paths["perf-script"] !== undefined, writer = live.recording?.writer;
    const { energies } = files, { profile } = sampling, biases = this.#biases;
    if (energies !== undefined) this.sample = (timeS, _last, ends) => energies.step(timeS, ends);
    const recent = this.#recent = new RecentLeaves(profile.trie);
    profile.onSample = (sample) => {
      recent.add(sample);
      if (keeps) this.#samples.push(Object.assign({}, sample));
      energies?.sample(sample);
      const taken = this.#taken;
      if (writer === undefined && taken === undefined) return;
      biases.note(profile, sample);
      writer?.sample(profile, biases, sample);
      if (taken !== undefined) addSample(taken, sample, live.zeroNs);
    };
  }

  functionsSince(asker: string): FunctionsNow {
    return this.#recent.take(asker, this.#live.hz, this.#sampling.profile.modules.all);
  }

  get sampledFunctions(): SampledFunctions {
    const biases = this.#biases, { hz } = this.#live, { trie } = this.#sampling.profile;
    return {
      hz,
      take: () => this.#taken ??= functionSamples({ hz, trie, biases, data: () => this.#data! }),
    };
  }

  begin(): void {
    if (this.#files.run.batch.sources.has("PERF_APP")) this.#sampling.keepEvents();
  }

  take(nowNs: number, knownS: number, wakeNs: number): number {
    const { history, recording, zeroNs } = this.#live;
    const nextNs = this.#sampling.take(nowNs, zeroNs + knownS * 1e9, wakeNs);
    recording?.writer.flush();
    history.takenS = (this.#sampling.takenNs - zeroNs) / 1e9;
    // Other outputs may pass samples on up to where all are known.
    if (this.#taken !== undefined) this.#taken.knownS = history.takenS;
    return nextNs;
  }

  finish(): void {
    const { names, profile } = this.#sampling,
      { hz, recording } = this.#live,
      { modules } = profile;
    const others = this.#sampling.otherProcesses;
    const costs = this.#sampling.finish();
    if (this.#taken !== undefined) this.#taken.knownS = Infinity;
    const data: FunctionData = this.#data = {
      event: profile.event,
      hz,
      periodNs: profile.periodNs,
      durationNs: this.#live.durationNs(),
      trie: profile.trie,
      costs,
      off: profile.off,
      modules: modules.all.map(({ path, buildId, refused }, i) => {
        const isWithoutTable = path !== "" &&
          (refused !== undefined || modules.frames(i)?.isEmpty === true);
        return { path, buildId, isWithoutTable };
      }),
      facts: profile.facts,
      frames: (module, address) => names.frames(module, address),
    };
    const { stackBytes } = this.#live, { elsewhereNs, missedNs } = this.#sampling;
    const unread = unreadFiles(data, modules.all);
    const { timers, wasFull } = this.#sampling;
    const about = this.#about = {
      stackBytes,
      elsewhereNs,
      missedNs,
      others,
      unread,
      timers,
      wasFull,
      // Known when all functions have their names.
      get withoutLines() {
        return names.unreadLines;
      },
    };
    // Files that grow are closed by now.
    const rows = recording?.writer.finish(data, profile.processes.names, about);
    if (rows !== undefined) writeFile(recording!.namesPath, () => [rows], this.#files.site);
    this.#written = writeFunctions(data, this.#samples, Object.assign({ about }, this.#files));
    const why = whyNoTimers(this.#sampling.timers, data.durationNs);
    if (why !== undefined) {
      this.#files.site.log(`no functions: ${why}`);
      this.#written.facts.absent = why;
    }
    this.#sampling[Symbol.dispose]();
  }

  notes(): Finding[] {
    const { facts, periodNs, off } = this.#sampling.profile;
    return functionNotes(facts, this.#about, periodNs, off.length > 0);
  }

  get functions(): PageFunctions | undefined {
    return this.#written?.tree;
  }

  addTo(host: ReportHost): void {
    setFunctions(host, this.#written?.facts);
  }
}
