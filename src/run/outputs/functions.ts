/**
 * `--functions`: functions and their stacks by CPU time, from samples. docs/how-to/find-functions.md.
 * @module
 */
import type { Finding } from "../../core/finding.ts";
import { rounded } from "../../core/number_format.ts";
import type { OptionValues } from "../../core/option.ts";
import { type Nested, present, type ReportHost } from "../../core/report.ts";
import { foldedText } from "../../formats/folded.ts";
import { scriptText } from "../../formats/perf_script.ts";
import { WholeFile, writeDocument } from "../../os/files/whole_file.ts";
import { type FunctionStack, functionTable } from "../../profile/function_table.ts";
import type { Frame } from "../../profile/names.ts";
import { speedscopeJson } from "../../show/analysis/speedscope.ts";
import { FUNCTION_FILES, functionOptions } from "./function_options.ts";
import { FunctionSampling } from "./function_sampling.ts";
import type { Opener, OpenOutput, OutputSite } from "./output.ts";
import { SampleList } from "./sample_list.ts";
import type { RunView } from "./run_view.ts";

/** Functions that the report lists; the others are one row. */
const ROWS_MOST = 200;
/** Modules without tables that it names. */
const MODULES_MOST = 20;
/** Below that shares say nothing. */
const SAMPLES_LEAST = 30;
/** More lost samples are a finding. */
const LOST_SHARE = 0.01;
const CUT = "[…]", UNKNOWN = "[unknown]";

/** Makes a profile of pprof, packed. */
export type PackPprof = (content: PprofParts) => Uint8Array;

/** What such a profile is made of. */
export interface PprofParts {
  readonly stacks: readonly FunctionStack[];
  readonly modules: readonly { readonly path: string; readonly buildId: string }[];
  readonly comment: string;
  readonly timeNs: number;
  readonly durationNs: number;
  readonly periodNs: number;
}

/** Where each file goes. */
type FunctionPaths = Readonly<Record<(typeof FUNCTION_FILES)[number], string | undefined>>;

/** The outputs of `--functions`. @param pack Absent where no profile of pprof is asked for. */
export function makeFunctions(pack: PackPprof | undefined) {
  return (values: OptionValues, site: OutputSite): Opener => {
    const options = functionOptions(values);
    const paths = Object.fromEntries(FUNCTION_FILES.map((name) => {
      const value = values.get(name);
      return [name, value && site.nameOf(value)];
    })) as FunctionPaths;
    return (run) => {
      const sampling = FunctionSampling.open(options);
      if (typeof sampling !== "string") {
        return new FunctionOutput({ run, sampling, paths, site, pack, hz: options.hz });
      }
      site.log(`no functions: ${sampling}; the command runs without them`);
      return absent(sampling);
    };
  };
}

/** The report says why there are no functions. */
function absent(reason: string): OpenOutput {
  return {
    addTo({ joulemark }) {
      if (joulemark !== undefined) joulemark.functions = { absent: reason };
    },
  };
}

/** What the output is made from. */
interface FunctionSources {
  readonly run: RunView;
  readonly sampling: FunctionSampling;
  readonly paths: FunctionPaths;
  readonly site: OutputSite;
  readonly pack: PackPprof | undefined;
  readonly hz: number;
}

class FunctionOutput implements OpenOutput {
  /** Libraries may be anywhere. */
  readonly reads = ["/"];
  readonly #sources: FunctionSources;
  readonly #samples: SampleList | undefined;
  #facts: { [key: string]: Nested } | undefined;

  constructor(sources: FunctionSources) {
    this.#sources = sources;
    if (sources.paths["perf-script"] === undefined) return;
    const samples = this.#samples = new SampleList();
    sources.sampling.profile.onSample = (...sample) => samples.add(...sample);
  }

  take(nowNs: number): number {
    return this.#sources.sampling.take(nowNs);
  }

  finish(): void {
    const { sampling, paths, run, pack, site } = this.#sources;
    const { names, profile } = sampling, { periodNs, modules: { all } } = profile;
    const stacks = sampling.finish().map(({ node, ns, samples }) => {
      return { frames: names.stack(node), ns, samples };
    });
    const { version, profile: name } = run.header;
    this.#write(paths.folded, () => foldedText(stacks.map(named)));
    this.#write(paths.speedscope, () => {
      const rows = stacks.map((stack) => {
        const { frames, ns, samples } = named(stack);
        return { path: frames, timeS: ns / 1e9, energiesJ: new Map(), visits: samples };
      });
      return speedscopeJson(name, `joulemark ${version.replace(/^.*joulemark\./, "")}`, rows);
    });
    this.#write(paths.pprof, () =>
      pack!({
        stacks,
        modules: all,
        comment: `${name}, ${run.header.startTime}`,
        timeNs: Math.round(site.zeroS() * 1e9),
        durationNs: Math.round(run.batch.timeS * 1e9),
        periodNs,
      }));
    this.#writeSamples();
    this.#facts = this.#factsOf(stacks);
    sampling[Symbol.dispose]();
  }

  notes(): Finding[] {
    const { samples, lost } = this.#sources.sampling.profile.facts;
    if (lost <= LOST_SHARE * samples) return [];
    const text = `${lost} samples of functions were lost: the monitor had too little CPU time`;
    const remedy = "Leave a CPU free, or give a lower rate: --functions=99";
    return [{ code: "functions-lost", severity: "warning", text, remedy }];
  }

  addTo({ joulemark }: ReportHost): void {
    if (joulemark !== undefined && this.#facts !== undefined) joulemark.functions = this.#facts;
  }

  #factsOf(stacks: readonly FunctionStack[]): { [key: string]: Nested } {
    const { sampling: { profile }, hz } = this.#sources, { facts, periodNs, modules } = profile;
    const seconds = (ns: number) => rounded(ns / 1e9, 6);
    const share = (part: number, of: number) => {
      return facts.samples < SAMPLES_LEAST ? NaN : rounded(100 * part / of, 4);
    };
    const samplesWith = (name: string) => {
      const found = stacks.filter(({ frames }) => frames.some((frame) => frame.name === name));
      return found.reduce((sum, { samples }) => sum + samples, 0);
    };
    const without = modules.all.flatMap(({ path, refused }, i) => {
      return path !== "" && (refused !== undefined || modules.frames(i)?.isEmpty) ? [path] : [];
    });
    const rows = functionTable(stacks);
    const shown = rows.slice(0, ROWS_MOST), others = rows.slice(ROWS_MOST);
    const list = shown.map(({ name, module, selfNs, seNs, totalNs, samples }) =>
      present({
        function: name,
        module: module < 0 ? undefined : modules.all[module].path || "[made by the process]",
        "self-time (s)": seconds(selfNs),
        "self-time-se (s)": samples > 0 ? seconds(seNs) : undefined,
        "total-time (s)": seconds(totalNs),
        samples,
      })
    );
    if (others.length > 0) {
      list.push({
        function: "others",
        "self-time (s)": seconds(others.reduce((sum, { selfNs }) => sum + selfNs, 0)),
        samples: others.reduce((sum, { samples }) => sum + samples, 0),
      });
    }
    return present({
      event: "cpu-clock",
      "rate (Hz)": hz,
      samples: facts.samples,
      lost: facts.lost,
      "complete (%)": share(facts.samples - samplesWith(CUT), facts.samples),
      "unknown (%)": share(samplesWith(UNKNOWN), facts.samples),
      "guessed frames (%)": share(facts.guessedFrames, facts.frames),
      "cpu-time (s)": seconds(facts.cpuNs),
      "sampled (s)": seconds(facts.samples * periodNs),
      "short threads (s)": seconds(facts.shortNs),
      "kernel, not visible (s)": seconds(facts.hiddenNs),
      "modules without tables": without.length > 0 ? without.slice(0, MODULES_MOST) : undefined,
      list,
    });
  }

  #writeSamples(): void {
    const samples = this.#samples, path = this.#sources.paths["perf-script"];
    if (samples === undefined || path === undefined) return;
    const { names, profile } = this.#sources.sampling, { all } = profile.modules;
    const script = (frame: Frame) => ({
      name: frame.name + frame.suffix,
      address: frame.address,
      offset: frame.address - frame.start,
      module: frame.module < 0 ? "" : all[frame.module].path,
    });
    try {
      using file = new WholeFile(path);
      samples.forEach(({ timeNs, cpu, process, thread, node }) => {
        const [{ name: comm }, ...frames] = names.stack(node);
        const sample = { timeNs, cpu, process, thread, comm, frames: frames.map(script).reverse() };
        file.write(scriptText(sample, profile.periodNs));
      });
      file.keep();
    } catch (error) {
      this.#sources.site.log((error as Error).message);
    }
  }

  #write(path: string | undefined, make: () => string | Uint8Array<ArrayBufferLike>): void {
    if (path === undefined) return;
    try {
      writeDocument(path, make());
    } catch (error) {
      this.#sources.site.log((error as Error).message);
    }
  }
}

/** A stack with the names of its frames alone. */
function named({ frames, ns, samples }: FunctionStack) {
  return { frames: frames.map(({ name, suffix }) => name + suffix), ns, samples };
}
