/**
 * Files and figures of functions, from a live run or from a recording.
 * @module
 */
import { rounded } from "../../core/number_format.ts";
import type { EnergyKind } from "../../core/region_tree.ts";
import { type Nested, present } from "../../core/report.ts";
import type { SampledEnergy } from "../../energy/attribution/sampled_sum.ts";
import { foldedText, type LeafTimesNs } from "../../formats/folded.ts";
import { type ScriptFrame, scriptText } from "../../formats/perf_script.ts";
import { WholeFile } from "../../os/files/whole_file.ts";
import {
  type Frame,
  type FunctionData,
  type FunctionStack,
  INLINED,
  isIncomplete,
  isRegion,
  KERNEL,
  type LeafClasses,
  OFF_CPU,
  stackOf,
} from "../../profile/function_data.ts";
import { type FunctionRow, functionTable } from "../../profile/function_table.ts";
import { leafClasses } from "../../profile/leaf_classes.ts";
import { FRAME, type SampleSeen } from "../../profile/profile.ts";
import { kernelAddress } from "../../profile/records.ts";
import type { PageFunctions } from "../../show/page/data.ts";
import { speedscopeJson } from "../../show/analysis/speedscope.ts";
import { areSimulated } from "./energy_counters.ts";
import { type ComponentEnergies, type FunctionEnergies, MAX_LEAVES } from "./function_energies.ts";
import { functionTree } from "./function_tree.ts";
import type { FUNCTION_FILES } from "./function_options.ts";
import { HeldRegions } from "./held_regions.ts";
import type { NoteSources } from "../recordings/function_rows.ts";
import type { OutputSite } from "./output.ts";
import type { RunView } from "./run_view.ts";

/** Functions that the report lists; the others are one row. */
const ROWS_MOST = 200;
/** Functions with time off the CPU that it lists. */
const OFF_ROWS_MOST = 20;
/** Modules without tables that it names. */
const MODULES_MOST = 20;
/** Below that shares say nothing. */
const SAMPLES_LEAST = 30;
const UNKNOWN = "[unknown]";
/** Word of files with energies of a simulated node. */
const SIMULATED = "simulated counters: no energy here is a measurement";

/** Makes a packed profile of pprof. */
export type PackPprof = (stacks: readonly StackRow[], off: readonly StackRow[], about: {
  readonly data: FunctionData;
  readonly comment: string;
  readonly startTime: string;
}) => Uint8Array;

/** A stack, and energies of its function and of others, J, by component; NaN: it cannot be determined. */
export interface StackRow extends FunctionStack {
  /** The class of its function; −1: it has none. */
  readonly leaf: number;
  energiesOf(times: LeafTimesNs): ReadonlyMap<EnergyKind, OwnEnergy>;
}

/** An energy and its standard error. */
type OwnEnergy = Pick<SampledEnergy, "energyJ" | "seJ">;

/** Path of each file. */
export type FunctionPaths = Readonly<Record<(typeof FUNCTION_FILES)[number], string | undefined>>;

/** Sources of the files other than the samples. */
export interface FunctionFileSources {
  readonly run: RunView;
  readonly paths: FunctionPaths;
  readonly site: OutputSite;
  /** Absent where no profile of pprof is asked for. */
  readonly pack: PackPprof | undefined;
  /** Absent: no counter serves. */
  readonly energies: FunctionEnergies | undefined;
  /** Time without samples; absent: the recording does not know it. */
  readonly about: Pick<NoteSources, "elsewhereNs" | "missedNs" | "others"> | undefined;
}

/** The report's part, and what the page has. */
export interface WrittenFunctions {
  readonly facts: { [key: string]: Nested };
  readonly tree: PageFunctions;
}

/** Writes the files. @returns What report and page have of them. */
export function writeFunctions(
  data: FunctionData,
  samples: readonly SampleSeen[],
  { run, paths, site, pack, energies, about }: FunctionFileSources,
): WrittenFunctions {
  const all = data.costs.map(({ node, ns, samples, briefNs }): FunctionStack => {
    return { frames: stackOf(data, node), ns, samples, briefNs, node };
  });
  const off = data.off.map(({ node, ns, samples, briefNs }): FunctionStack => {
    return { frames: stackOf(data, node), ns, samples, briefNs, node };
  });
  const { cpuNs, lostNs } = data.facts, { elsewhereNs = 0, missedNs = 0, others = 0 } = about ?? {};
  const inRegions = new Set(
    all.filter(({ frames }) => frames.some(isRegion)).map(({ node }) => node),
  );
  const regions = new HeldRegions(run, all, {
    missing: about === undefined ? 1 : (lostNs + elsewhereNs + missedNs) / cpuNs,
    unmarked: energies?.unmarkedShare((node) => inRegions.has(node)) ?? 1,
    others,
  });
  const leaves = leafClasses({
    costs: data.costs,
    stacks: all,
    regions: regions.count,
    regionOf: (stack) => regions.of(stack),
  }, MAX_LEAVES);
  const components = energies?.finish(data, leaves, regions) ?? [];
  const energiesOf = ownEnergies(leaves, components);
  const withEnergies = (stack: FunctionStack): StackRow => {
    return Object.assign({ leaf: leaves.of(stack.node), energiesOf }, stack);
  };
  const stacks = all.map(withEnergies);
  const { version, profile, startTime } = run.header;
  const write = (path: string | undefined, make: () => Iterable<string> | Uint8Array) => {
    if (path !== undefined) writeFile(path, make, site);
  };
  const note = components.length > 0 && areSimulated(run.table) ? SIMULATED : undefined;
  const offRows = off.map(withEnergies);
  write(paths.folded, () => [foldedText([...stacks, ...offRows].map(named), note)]);
  write(paths.speedscope, () => {
    const rows = stacks.map((stack) => {
      const { frames, ns, samples } = named(stack);
      const energies = [...energiesOf([[stack.leaf, ns]])];
      const energiesJ = new Map(energies.map(([kind, { energyJ }]) => [kind, energyJ]));
      return { path: frames, timeS: ns / 1e9, energiesJ, visits: samples };
    });
    const name = note === undefined ? profile : `${profile} (${note})`;
    const waits = offRows.map((stack) => {
      const { frames, ns } = named(stack);
      return { path: frames, timeS: ns / 1e9 };
    });
    const exporter = `joulemark ${version.replace(/^.*joulemark\./, "")}`;
    return [speedscopeJson(name, exporter, rows, waits)];
  });
  write(
    paths.pprof,
    () =>
      pack!(stacks, offRows, {
        data,
        comment: [profile, startTime, ...note === undefined ? [] : [note]].join(", "),
        startTime,
      }),
  );
  write(paths["perf-script"], () => scripts(data, samples));
  return {
    facts: factsOf(data, { stacks, off, leaves, components }),
    tree: functionTree(stacks, { leaves, components, regions }),
  };
}

/** The energy of a stack is known where that of its function is. */
function ownEnergies(
  leaves: LeafClasses,
  components: readonly ComponentEnergies[],
): StackRow["energiesOf"] {
  const none: OwnEnergy = { energyJ: NaN, seJ: NaN };
  const areKnown = components.map((component) =>
    Array.from(leaves.timeS, (s, leaf) => component.own([[leaf, s]]).why === undefined)
  );
  return (times) =>
    new Map(components.map((component, i): [EnergyKind, OwnEnergy] => {
      const isKnown = times.every(([leaf]) => areKnown[i][leaf]);
      const ofLeaves = times.map(([leaf, ns]) => [leaf, ns / 1e9] as const);
      return [component.kind, isKnown ? component.own(ofLeaves) : none];
    }));
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
function named({ frames, ns, samples, leaf, energiesOf }: StackRow) {
  return { frames: frames.map(({ name, suffix }) => name + suffix), ns, samples, leaf, energiesOf };
}

function* scripts(data: FunctionData, samples: readonly SampleSeen[]): Generator<string> {
  for (const { timeNs, cpu, process, thread, name, node } of samples) {
    const [whole, ...stack] = stackOf(data, node);
    const { name: comm } = name < 0 ? whole : data.frames(FRAME.process, name)[0];
    const frames = stack.filter((frame) => !isRegion(frame)).map((frame) =>
      scriptFrame(data, frame, process)
    ).reverse();
    yield scriptText({ timeNs, cpu, process, thread, comm, frames }, data.periodNs);
  }
}

/** A frame as `perf script` has it, which has no suffixes: the kernel and inlining stand as the file. */
function scriptFrame({ modules }: FunctionData, frame: Frame, process: number): ScriptFrame {
  const { name, suffix, module, address, start } = frame, offset = address - start;
  if (suffix === KERNEL) {
    return { name, address: kernelAddress(address), offset, module: "[kernel.kallsyms]" };
  }
  if (suffix === INLINED) return { name, address, offset, module: "inlined" };
  const path = module < 0 ? "" : modules[module].path || `/tmp/perf-${process}.map`;
  return { name: name + suffix, address, offset, module: path };
}

function factsOf(
  data: FunctionData,
  { stacks, off, leaves, components }: {
    readonly stacks: readonly StackRow[];
    readonly off: readonly FunctionStack[];
    readonly leaves: LeafClasses;
    readonly components: readonly ComponentEnergies[];
  },
): { [key: string]: Nested } {
  const { facts, periodNs, modules, hz } = data;
  const seconds = (ns: number) => rounded(ns / 1e9, 6);
  const share = (part: number, of: number) => {
    return facts.samples < SAMPLES_LEAST || of === 0 ? NaN : rounded(100 * part / of, 4);
  };
  const samplesWith = (isFound: (frame: Frame) => boolean) => {
    const found = stacks.filter(({ frames }) => frames.some(isFound));
    return found.reduce((sum, { samples }) => sum + samples, 0);
  };
  const without = modules.filter(({ isWithoutTable }) => isWithoutTable).map(({ path }) => path);
  const rows = functionTable(stacks, leaves);
  const shown = rows.slice(0, ROWS_MOST), others = rows.slice(ROWS_MOST);
  const list = shown.map((row) => {
    const { name, module, file, line, selfNs, seNs, totalNs, samples } = row;
    return Object.assign(
      present({
        function: name,
        file,
        line,
        module: module < 0 ? undefined : modules[module]?.path || "[made by the process]",
        "self-time (s)": seconds(selfNs),
        "self-time-se (s)": samples > 0 ? seconds(seNs) : undefined,
        "total-time (s)": seconds(totalNs),
        samples,
      }),
      energiesOf(row, components),
    );
  });
  if (others.length > 0) {
    list.push({
      function: "others",
      "self-time (s)": seconds(others.reduce((sum, { selfNs }) => sum + selfNs, 0)),
      samples: others.reduce((sum, { samples }) => sum + samples, 0),
    });
  }
  return present({
    event: data.event,
    "rate (Hz)": hz,
    samples: facts.samples,
    lost: facts.lost,
    throttled: facts.throttled > 0 ? facts.throttled : undefined,
    "complete (%)": share(facts.samples - samplesWith(isIncomplete), facts.samples),
    "unknown (%)": share(samplesWith(({ name }) => name === UNKNOWN), facts.samples),
    "guessed frames (%)": share(facts.guessedFrames, facts.frames),
    "cpu-time (s)": seconds(facts.cpuNs),
    "sampled (s)": seconds(facts.samples * periodNs),
    "short threads (s)": seconds(facts.shortNs),
    "kernel, not visible (s)": seconds(facts.hiddenNs),
    "lost (s)": facts.lostNs > 0 ? seconds(facts.lostNs) : undefined,
    "brief threads (s)": facts.briefNs > 0 ? seconds(facts.briefNs) : undefined,
    ...offFacts(off, seconds),
    energy: components.length > 0 ? componentFacts(components) : undefined,
    "modules without tables": without.length > 0 ? without.slice(0, MODULES_MOST) : undefined,
    "functions not listed": others.length > 0 ? others.length : undefined,
    list,
  });
}

/** Time off the CPU, and the functions in which threads waited most; empty: it was not asked for. */
function offFacts(
  off: readonly FunctionStack[],
  seconds: (ns: number) => number,
): { [key: string]: Nested } {
  if (off.length === 0) return {};
  const nameOf = ({ frames }: FunctionStack) => frames.at(-1)!.name;
  const sum = (stacks: readonly FunctionStack[], of: "ns" | "samples" = "ns") =>
    stacks.reduce((all, stack) => all + stack[of], 0);
  const waits = off.filter((stack) => nameOf(stack) === OFF_CPU);
  // The innermost function of the program; without stacks the process.
  const by = Map.groupBy(waits, ({ frames }) => {
    const { name, suffix } = frames.slice(0, -1).findLast(({ suffix }) => suffix !== KERNEL)!;
    return name + suffix;
  });
  return {
    "off CPU (s)": seconds(sum(waits)),
    "preempted (s)": seconds(sum(off) - sum(waits)),
    "off CPU": [...by].map(([name, stacks]) => ({
      function: name,
      "time (s)": seconds(sum(stacks)),
      times: sum(stacks, "samples"),
    })).sort((a, b) => b["time (s)"] - a["time (s)"]).slice(0, OFF_ROWS_MOST),
  };
}

/** Keys with the energy of a function: its own, and with all that it calls. */
function energiesOf(
  { ownS, leafS }: FunctionRow,
  components: readonly ComponentEnergies[],
): { [key: string]: Nested } {
  const out: { [key: string]: Nested } = {};
  for (const component of components) {
    const { kind } = component, times = [...leafS];
    if (ownS.size > 0) {
      const own = component.own([...ownS]);
      addEnergy(out, `${kind}-energy`, own);
      if (own.why !== undefined) out[`${kind}-energy not determined`] = own.why;
    }
    if (times.length > 0) addEnergy(out, `total-${kind}-energy`, component.sum(times));
  }
  return out;
}

function addEnergy(
  out: { [key: string]: Nested },
  key: string,
  { energyJ, seJ, why }: SampledEnergy,
): void {
  out[`${key} (J)`] = why === undefined ? rounded(energyJ, 6) : NaN;
  out[`${key}-se (J)`] = why === undefined ? rounded(seJ, 6) : NaN;
}

/** The counters' energy, and what of it is of no function. */
function componentFacts(components: readonly ComponentEnergies[]): { [key: string]: Nested } {
  return Object.fromEntries(
    components.map(({ kind, totalJ, otherCpusJ, waiting, waitingS }) => {
      const facts: { [key: string]: Nested } = { "total (J)": rounded(totalJ, 6) };
      if (otherCpusJ > 0) facts["other CPUs (J)"] = rounded(otherCpusJ, 6);
      if (waitingS > 0) facts["not running (s)"] = rounded(waitingS, 6);
      if (waitingS > 0) addEnergy(facts, "not running", waiting);
      return [kind, facts];
    }),
  );
}
