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
import { functionNotes, type UnreadFile, unreadFiles } from "./function_notes.ts";
import { FUNCTION_FILES, functionOptions } from "./function_options.ts";
import { FunctionSampling } from "./function_sampling.ts";
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
    const options = functionOptions(values), record = values.get("record");
    const directory = record && site.nameOf(record);
    const rows = directory === undefined ? undefined : site.lines(`${directory}/${FUNCTIONS_FILE}`);
    return (run) => {
      const sampling = FunctionSampling.open(options);
      if (typeof sampling === "string") {
        site.log(`no functions: ${sampling}; the command runs without them`);
        return absent(sampling);
      }
      const { periodNs } = sampling.profile, zeroNs = site.zeroRawNs();
      const recording = rows && {
        writer: new FunctionRowsWriter(rows, options.hz, periodNs, zeroNs),
        namesPath: `${directory}/${NAMES_FILE}`,
      };
      const durationNs = () => Math.round(run.batch.timeS * 1e9);
      const energies = FunctionEnergies.open(run, zeroNs), history = new RegionHistory(run.tracker);
      sampling.profile.regionsOf = {
        pathAt: (thread, timeNs) => history.pathAt(thread, (timeNs - zeroNs) / 1e9),
        namesOf: (path) => history.namesOf(path),
      };
      const files = { run, paths, site, pack, energies };
      const { hz, stackBytes } = options;
      return new FunctionOutput(sampling, files, { hz, stackBytes, durationNs, recording });
    };
  };
}

/** The report says why there are no functions. */
function absent(reason: string): OpenOutput {
  return { addTo: (host) => setFunctions(host, { absent: reason }) };
}

function setFunctions({ joulemark }: ReportHost, functions: Nested | undefined): void {
  if (joulemark !== undefined && functions !== undefined) joulemark.functions = functions;
}

/** Functions of a recording. */
function replayed(
  directory: string,
  sources: Omit<FunctionFileSources, "energies">,
): OpenOutput | undefined {
  const data = readFunctions(directory);
  if (data === undefined) {
    sources.site.log(`no functions: ${directory} was recorded without --functions`);
    return undefined;
  }
  if (!data.isWhole) {
    sources.site.log(`functions of ${directory} have no names: it was truncated before its end`);
  }
  const energies = FunctionEnergies.open(sources.run, data.zeroNs);
  let written: WrittenFunctions | undefined;
  return {
    sample: (timeS, _last, ends) => energies?.step(timeS, ends),
    finish: () => {
      for (const sample of data.samples) energies?.sample(sample);
      written = writeFunctions(data, data.samples, Object.assign({ energies }, sources));
    },
    get functions() {
      return written?.tree;
    },
    addTo: (host) => setFunctions(host, written?.facts),
  };
}

/** Parts of the output other than its files. */
interface LiveFunctions {
  readonly hz: number;
  readonly stackBytes: number;
  durationNs(): number;
  readonly recording:
    | { readonly writer: FunctionRowsWriter; readonly namesPath: string }
    | undefined;
}

class FunctionOutput implements OpenOutput {
  /** Libraries may be anywhere. */
  readonly reads = ["/"];
  /** Absent: there is no counter to read. */
  readonly sample: OpenOutput["sample"];
  readonly #sampling: FunctionSampling;
  readonly #files: FunctionFileSources;
  readonly #live: LiveFunctions;
  readonly #samples: SampleSeen[] = [];
  #written: WrittenFunctions | undefined;
  #others = 0;
  #unread: readonly UnreadFile[] = [];

  constructor(sampling: FunctionSampling, files: FunctionFileSources, live: LiveFunctions) {
    [this.#sampling, this.#files, this.#live] = [sampling, files, live];
    const keeps = files.paths["perf-script"] !== undefined, writer = live.recording?.writer;
    const { energies } = files;
    if (energies !== undefined) this.sample = (timeS, _last, ends) => energies.step(timeS, ends);
    if (!keeps && writer === undefined && energies === undefined) return;
    sampling.profile.onSample = (sample) => {
      if (keeps) this.#samples.push(sample);
      energies?.sample(sample);
      writer?.sample(sampling.profile, sample);
    };
  }

  take(nowNs: number): number {
    const nextNs = this.#sampling.take(nowNs);
    this.#live.recording?.writer.flush();
    return nextNs;
  }

  finish(): void {
    const { names, profile } = this.#sampling,
      { hz, recording } = this.#live,
      { modules } = profile;
    this.#others = this.#sampling.otherProcesses;
    const costs = this.#sampling.finish();
    const data: FunctionData = {
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
    this.#unread = unreadFiles(data, modules.all);
    // Files that grow are closed by now.
    const rows = recording?.writer.finish(data, profile.processes.names);
    if (rows !== undefined) writeFile(recording!.namesPath, () => [rows], this.#files.site);
    this.#written = writeFunctions(data, this.#samples, this.#files);
    this.#sampling[Symbol.dispose]();
  }

  notes(): Finding[] {
    return functionNotes(this.#sampling.profile.facts, {
      stackBytes: this.#live.stackBytes,
      elsewhereNs: this.#sampling.elsewhereNs,
      others: this.#others,
      unread: this.#unread,
    });
  }

  get functions(): PageFunctions | undefined {
    return this.#written?.tree;
  }

  addTo(host: ReportHost): void {
    setFunctions(host, this.#written?.facts);
  }
}
