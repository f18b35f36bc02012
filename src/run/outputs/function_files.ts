/**
 * Files and figures of functions, from a live run or from a recording.
 * @module
 */
import { rounded } from "../../core/number_format.ts";
import { type Nested, present } from "../../core/report.ts";
import { foldedText } from "../../formats/folded.ts";
import { scriptText } from "../../formats/perf_script.ts";
import { WholeFile } from "../../os/files/whole_file.ts";
import { CUT, type Frame, type FunctionData, stackOf } from "../../profile/function_data.ts";
import { type FunctionStack, functionTable } from "../../profile/function_table.ts";
import type { SampleSeen } from "../../profile/profile.ts";
import { speedscopeJson } from "../../show/analysis/speedscope.ts";
import type { FUNCTION_FILES } from "./function_options.ts";
import type { OutputSite } from "./output.ts";
import type { RunView } from "./run_view.ts";

/** Functions that the report lists; the others are one row. */
const ROWS_MOST = 200;
/** Modules without tables that it names. */
const MODULES_MOST = 20;
/** Below that shares say nothing. */
const SAMPLES_LEAST = 30;
const UNKNOWN = "[unknown]";

/** Makes a packed profile of pprof. */
export type PackPprof = (stacks: readonly FunctionStack[], about: {
  readonly data: FunctionData;
  readonly comment: string;
  readonly startTime: string;
}) => Uint8Array;

/** Path of each file. */
export type FunctionPaths = Readonly<Record<(typeof FUNCTION_FILES)[number], string | undefined>>;

/** Sources of the files other than the samples. */
export interface FunctionFileSources {
  readonly run: Pick<RunView, "header">;
  readonly paths: FunctionPaths;
  readonly site: OutputSite;
  /** Absent where no profile of pprof is asked for. */
  readonly pack: PackPprof | undefined;
}

/** Writes the files. @returns What the report has of them. */
export function writeFunctions(
  data: FunctionData,
  samples: readonly SampleSeen[],
  { run, paths, site, pack }: FunctionFileSources,
): { [key: string]: Nested } {
  const stacks = data.costs.map(({ node, ns, samples, briefNs }) => {
    return { frames: stackOf(data, node), ns, samples, briefNs };
  });
  const { version, profile, startTime } = run.header;
  const write = (path: string | undefined, make: () => Iterable<string> | Uint8Array) => {
    if (path !== undefined) writeFile(path, make, site);
  };
  write(paths.folded, () => [foldedText(stacks.map(named))]);
  write(paths.speedscope, () => {
    const rows = stacks.map((stack) => {
      const { frames, ns, samples } = named(stack);
      return { path: frames, timeS: ns / 1e9, energiesJ: new Map(), visits: samples };
    });
    return [speedscopeJson(profile, `joulemark ${version.replace(/^.*joulemark\./, "")}`, rows)];
  });
  write(paths.pprof, () => pack!(stacks, { data, comment: `${profile}, ${startTime}`, startTime }));
  write(paths["perf-script"], () => scripts(data, samples));
  return factsOf(data, stacks);
}

/** Writes a whole file; one that cannot be written is named in one line. */
export function writeFile(
  path: string,
  make: () => Iterable<string> | Uint8Array,
  site: OutputSite,
): void {
  try {
    const file = site.isLive ? new WholeFile(path) : site.lines(path) as WholeFile;
    using live = site.isLive ? file : undefined;
    const content = make();
    if (content instanceof Uint8Array) file.write(content);
    else for (const piece of content) file.write(piece);
    live?.keep();
  } catch (error) {
    site.log((error as Error).message);
  }
}

/** A stack with the names of its frames alone. */
function named({ frames, ns, samples }: FunctionStack) {
  return { frames: frames.map(({ name, suffix }) => name + suffix), ns, samples };
}

function* scripts(data: FunctionData, samples: readonly SampleSeen[]): Generator<string> {
  const scriptFrame = (frame: Frame) => ({
    name: frame.name + frame.suffix,
    address: frame.address,
    offset: frame.address - frame.start,
    module: frame.module < 0 ? "" : data.modules[frame.module].path,
  });
  for (const { timeNs, cpu, process, thread, node } of samples) {
    const [{ name: comm }, ...frames] = stackOf(data, node);
    const all = { timeNs, cpu, process, thread, comm, frames: frames.map(scriptFrame).reverse() };
    yield scriptText(all, data.periodNs);
  }
}

function factsOf(data: FunctionData, stacks: readonly FunctionStack[]): { [key: string]: Nested } {
  const { facts, periodNs, modules, hz } = data;
  const seconds = (ns: number) => rounded(ns / 1e9, 6);
  const share = (part: number, of: number) => {
    return facts.samples < SAMPLES_LEAST || of === 0 ? NaN : rounded(100 * part / of, 4);
  };
  const samplesWith = (name: string) => {
    const found = stacks.filter(({ frames }) => frames.some((frame) => frame.name === name));
    return found.reduce((sum, { samples }) => sum + samples, 0);
  };
  const without = modules.filter(({ isWithoutTable }) => isWithoutTable).map(({ path }) => path);
  const rows = functionTable(stacks);
  const shown = rows.slice(0, ROWS_MOST), others = rows.slice(ROWS_MOST);
  const list = shown.map(({ name, module, file, line, selfNs, seNs, totalNs, samples }) =>
    present({
      function: name,
      file,
      line,
      module: module < 0 ? undefined : modules[module]?.path || "[made by the process]",
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
    throttled: facts.throttled > 0 ? facts.throttled : undefined,
    "complete (%)": share(facts.samples - samplesWith(CUT), facts.samples),
    "unknown (%)": share(samplesWith(UNKNOWN), facts.samples),
    "guessed frames (%)": share(facts.guessedFrames, facts.frames),
    "cpu-time (s)": seconds(facts.cpuNs),
    "sampled (s)": seconds(facts.samples * periodNs),
    "short threads (s)": seconds(facts.shortNs),
    "kernel, not visible (s)": seconds(facts.hiddenNs),
    "lost (s)": facts.lostNs > 0 ? seconds(facts.lostNs) : undefined,
    "brief threads (s)": facts.briefNs > 0 ? seconds(facts.briefNs) : undefined,
    "modules without tables": without.length > 0 ? without.slice(0, MODULES_MOST) : undefined,
    list,
  });
}
