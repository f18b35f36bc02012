/**
 * Findings: what to look at first in a run, with the energy at stake and a next step. Each rule is a function of
 * the facts alone; the summary prints the first one, the page all.
 * @module
 */
import { baseName } from "../../core/names.ts";
import { ownEnergies } from "../../core/region_rows.ts";
import { COMPONENT_NAMES, type EnergyKind } from "../../core/region_tree.ts";
import { FIT_ADVICE } from "./notes.ts";
import { energyText, powerText, timeText } from "./quantity_text.ts";
import { robustDeviation, summarize } from "./statistics.ts";
import { regionShares } from "./summary_table.ts";
import { type FunctionFacts, shortFunction } from "./summary_functions.ts";
import { shortText } from "./text_layout.ts";
import {
  errorOf,
  joulesOf,
  type RegionFacts,
  type SummaryFacts,
  totalOf,
} from "./summary_facts.ts";

/** One finding. */
export interface RunFinding {
  /** Kind of the finding, in kebab case. */
  readonly code: string;
  /** Energy that it is about, at most; 0: information. */
  readonly stakeJ: number;
  /** One sentence. */
  readonly text: string;
  /** Advice, one sentence. */
  readonly next: string;
}

/** A rule; `undefined`: it does not apply. */
export type FindingRule = (facts: SummaryFacts) => RunFinding | undefined;

/** Share of the energy from which a finding or a region matters. */
const MIN_SHARE = 0.01;
/** Share of the energy in calls of MPI from which waiting is a finding, and the part that may be waiting. */
const MPI_SHARE = 0.05, MPI_STAKE = 0.8;
/** A region is worth balancing if the others wait this part of their time in MPI for its slowest process. */
const MIN_BALANCE = 0.1;
/** Share of the energy of a region in which idle GPUs count, and the busy share below which they are idle. */
const GPU_REGION_SHARE = 0.02, GPU_IDLE = 0.1, GPU_BUSY = 0.5;
/** A host stands out with so many robust standard deviations, and so much of the median. */
const HOST_DEVIATIONS = 4, HOST_SHARE = 0.03, MIN_HOSTS = 4;
const THROTTLED_SHARE = 0.02;
const BUSY_SHARE = 0.6;
/** Share of the time in a call that waits for a GPU. */
const GPU_WAIT_SHARE = 0.05;
/** Time of a begin and an end call, s. */
const ANNOTATION_S = 1e-7;
/** A relative standard error above which a region is inaccurate. */
const MAX_ERROR = 0.05;
/** Calls of MPI that set up and clean up. */
const MPI_SETUP = /^MPI_(Init|Finalize)/;
/** Calls that wait for a GPU. */
const GPU_WAITS = /^(cuda|cu|hip)(Device|Ctx|Stream|Event)?Synchronize$/;

/** Files of the interpreter, such as libpython3.11.so.1.0, and its scripts. */
const PYTHON = /^(lib)?python[\d.]*(so[\d.]*)?$|\.py$/;
/** Files of other code that is not the program's own, and what helps there. */
const OTHERS_CODE: readonly (readonly [file: RegExp, next: string])[] = [
  [PYTHON, "This is the Python interpreter: --python shows the functions of the program."],
  [
    /^(libR|liboctinterp|liboctave|libperl)\.so[\d.]*$|^perl[\d.]*$/,
    "This is the interpreter of a script. To measure parts of the script, let it print a line at the start of each: " +
    "--phase.",
  ],
  [
    /^lib(gomp|i?omp5?)\.so[\d.]*$/,
    "This is the OpenMP library, in which threads wait for each other: --preload ompt shows the parallel regions.",
  ],
  [
    /^(mca_\w+|lib(mpi|mpich|open-pal)(_\w+)?)\.so[\d.]*$/,
    "This is the MPI library, in which processes wait for messages: --preload mpi shows the calls.",
  ],
];
/** A file with less of the CPU time, or with less than so many times that of the hottest function, is not named. */
const FILE_SHARE = 0.25, FILE_FACTOR = 2;
/** Shells and their scripts. */
const SHELL = /^(ba|da|k|z)?sh$|\.sh$/;
/** A function without a name: its file, and where the function begins in it. */
const NAMELESS = /\+0x[\da-f]+\]$/;
/** Code of a JIT compiler that gave it no names. */
const JIT = "[jit]";
/** Rows without a function: lost samples, threads without samples, code that is in no function. */
const NO_FUNCTION = /^\[.*\]$/;
/** A function of the kernel. */
const OF_KERNEL = /_\[k\]$/;
/** Columns of a function's name in a sentence. */
const MAX_FUNCTION = 48;

/** Rules with energy at stake or information, in the order of their information. */
export const FINDING_RULES: readonly FindingRule[] = [
  waitingInMpi,
  idleGpu,
  hostsApart,
  lowUtilization,
  gpuWait,
  powerLimit,
];

/** Findings of a run, the one with most energy at stake first. */
export function findings(facts: SummaryFacts): RunFinding[] {
  const total = totalOf(facts, facts.column ?? facts.main)?.joules ?? NaN;
  const found = FINDING_RULES.map((rule) => rule(facts)).filter((one) => one !== undefined)
    .filter(({ stakeJ }) => stakeJ === 0 || !(stakeJ < MIN_SHARE * total))
    .sort((a, b) => b.stakeJ - a.stakeJ);
  const tiny = tinyRow(facts), [hot] = hottestRows(facts);
  const isHot = tiny !== undefined && tiny === hot;
  const usual = isHot ? undefined : withoutRegions(facts) ?? hottest(facts);
  const inaccurate = inaccurateRegions(facts);
  return [
    ...found.length > 0 ? found : present(usual),
    ...present(tiny && tinyRegions(facts, tiny)),
    ...present(inaccurate ?? allPrecise(facts)),
  ];
}

function present(finding: RunFinding | undefined): RunFinding[] {
  return finding === undefined ? [] : [finding];
}

/** The component that regions are compared by, its total, and a region's share. */
function scale(facts: SummaryFacts) {
  const kind = facts.column;
  const total = totalOf(facts, kind)?.joules ?? NaN;
  const of = (row: RegionFacts) => kind === undefined ? NaN : joulesOf(row, kind);
  return { kind, total, of, share: (row: RegionFacts) => of(row) / total };
}

/** Calls of MPI take more than 5 % of the energy. */
function waitingInMpi(facts: SummaryFacts): RunFinding | undefined {
  const { regions, processes, spreads } = facts;
  const { total, of } = scale(facts);
  const isCall = ({ region }: RegionFacts) => region.startsWith("MPI_") && !MPI_SETUP.test(region);
  const outermost = regions.filter((row) => {
    for (let at = row.parent; at >= 0; at = regions[at].parent) {
      if (isCall(regions[at])) return false;
    }
    return isCall(row);
  });
  const joules = outermost.reduce((sum, row) => sum + (of(row) || 0), 0);
  if (!(processes > 1) || !(joules > Math.max(0, MPI_SHARE * total))) return undefined;
  const calls = Map.groupBy(outermost, ({ region }) => region);
  const [first] = [...calls].map(([name, rows]) => ({
    name,
    joules: rows.reduce((sum, row) => sum + (of(row) || 0), 0),
  })).sort((a, b) => b.joules - a.joules);
  const most = calls.size > 1 ? `, most in ${first.name}` : "";
  const what = calls.size > 1 ? "MPI calls use" : `${first.name} uses`;
  const waiting = waitingRegions(regions, outermost);
  const waitS = outermost.reduce((sum, { runtimeS }) => sum + runtimeS, 0);
  const [uneven] = spreads.filter(({ region, mostS, meanS }) => {
    return !region.startsWith("MPI_") && !waiting.has(region) &&
      meanS >= MIN_SHARE * facts.totals.seconds && mostS - meanS >= MIN_BALANCE * waitS;
  }).sort((a, b) => b.mostS - b.meanS - (a.mostS - a.meanS));
  const stakeJ = MPI_STAKE * joules;
  const save = `would save at most ${energyText(stakeJ)}`;
  const next = uneven === undefined || uneven.mostS / uneven.meanS < 1.05
    ? `Look at the messages: shorter waits ${save}.`
    : `Balance ${uneven.region}: ${uneven.most} takes ${
      (uneven.mostS / uneven.meanS).toFixed(2)
    } times the mean (${save}).`;
  return {
    code: "waiting-in-mpi",
    stakeJ,
    text: `${what} ${percent(joules / total)} of the energy${most}.`,
    next,
  };
}

/** Regions that are in MPI most of their time: who is longest in them waits for others. */
function waitingRegions(
  regions: readonly RegionFacts[],
  calls: readonly RegionFacts[],
): ReadonlySet<string> {
  const waitS = new Map<RegionFacts, number>();
  for (const call of calls) {
    for (let at = call.parent; at >= 0; at = regions[at].parent) {
      waitS.set(regions[at], (waitS.get(regions[at]) ?? 0) + call.runtimeS);
    }
  }
  const mostly = [...waitS].filter(([{ runtimeS }, seconds]) => seconds > runtimeS / 2);
  return new Set(mostly.map(([{ region }]) => region));
}

/** GPUs idle in a region. */
function idleGpu(facts: SummaryFacts): RunFinding | undefined {
  const { regions, gpus } = facts;
  const { share } = scale(facts);
  const [row] = regions.filter((row) => row.gpuBusy < GPU_IDLE && share(row) > GPU_REGION_SHARE)
    .sort((a, b) => (joulesOf(b, "gpu") || 0) - (joulesOf(a, "gpu") || 0));
  if (row === undefined) return undefined;
  const joules = joulesOf(row, "gpu");
  if (!(joules > 0)) return undefined;
  const who = gpus === 1 ? "the GPU idles" : gpus > 1 ? `${gpus} GPUs idle` : "the GPUs idle";
  const watts = row.runtimeS > 0 ? joules / row.runtimeS / (gpus > 0 ? gpus : 1) : NaN;
  const each = !Number.isFinite(watts) ? "" : ` at ${powerText(watts)}${gpus > 1 ? " each" : ""}`;
  return {
    code: "idle-gpu",
    stakeJ: joules,
    text: `In "${nameOf(facts, row)}" ${who} for ${timeText(row.runtimeS)}${each}.`,
    next: `Overlap this part with GPU work; this would save at most ${energyText(joules)}.`,
  };
}

/** Power of hosts that is far from the others'. */
function hostsApart({ hosts }: SummaryFacts): RunFinding | undefined {
  const known = hosts.filter(({ meanW }) => Number.isFinite(meanW));
  if (known.length < MIN_HOSTS) return undefined;
  const powers = known.map(({ meanW }) => meanW);
  const { median } = summarize(powers);
  const limit = Math.max(HOST_DEVIATIONS * robustDeviation(powers, median), HOST_SHARE * median);
  const apart = known.filter(({ meanW }) => Math.abs(meanW - median) > limit)
    .sort((a, b) => Math.abs(b.meanW - median) - Math.abs(a.meanW - median));
  const [first] = apart;
  if (first === undefined) return undefined;
  const stakeJ = apart.reduce((sum, { meanW, timeS }) => {
    return sum + Math.max(0, meanW - median) * (timeS || 0);
  }, 0);
  const more = apart.length > 1 ? ` and ${apart.length - 1} more` : "";
  return {
    code: "hosts-apart",
    stakeJ,
    text: `${first.name} draws ${powerText(first.meanW)}, the median host ${powerText(median)}.`,
    next: `Look at ${first.name}${more}: cooling, power limit, other load` +
      (stakeJ > 0 ? ` (would save at most ${energyText(stakeJ)}).` : "."),
  };
}

/** A power limit slowed the processors down. */
function powerLimit({ throttled }: SummaryFacts): RunFinding | undefined {
  if (!(throttled > THROTTLED_SHARE)) return undefined;
  return {
    code: "power-limit",
    stakeJ: 0,
    text: `A power limit throttled the processors ${percent(throttled)} of the time.`,
    next: "Compare times only with runs under the same power limit.",
  };
}

/** Allocated CPUs idle. */
function lowUtilization(facts: SummaryFacts): RunFinding | undefined {
  const { busy, main, totals: { seconds } } = facts;
  const total = totalOf(facts, main);
  if (!(busy < BUSY_SHARE) || total === undefined) return undefined;
  const stakeJ = (1 - busy) * total.meanW * seconds;
  return {
    code: "low-utilization",
    stakeJ,
    text: `The job's CPUs were busy ${percent(busy)} of the time.`,
    next: `Use more processes or threads, or ask for fewer CPUs (would save at most ${
      energyText(stakeJ)
    }).`,
  };
}

/** Update period of the counter of the table, s; NaN: not known. */
function updateS({ periodsS, column }: SummaryFacts): number {
  return column === undefined ? NaN : periodsS.get(column) ?? NaN;
}

/** Are visits so short that begin and end calls are a large part of them? */
function isCostly({ visits: { p50S } }: RegionFacts): boolean {
  return p50S < 2 * ANNOTATION_S;
}

/** The region with the shortest visits among those whose visits are too short. */
function tinyRow(facts: SummaryFacts): RegionFacts | undefined {
  const { regions, column } = facts;
  const { share } = scale(facts);
  const isTiny = (row: RegionFacts) => {
    return isCostly(row) || row.visits.p50S < updateS(facts) / 10 && isInaccurate(row, column);
  };
  const [row] = regions.filter((row) => share(row) >= MIN_SHARE && isTiny(row))
    .sort((a, b) => a.visits.p50S - b.visits.p50S);
  return row;
}

/** Visits that are too short for their energy. */
function tinyRegions(facts: SummaryFacts, row: RegionFacts): RunFinding {
  const visits = `Half of the visits to "${nameOf(facts, row)}" are shorter than ${
    timeText(row.visits.p50S)
  }`;
  return {
    code: "tiny-regions",
    stakeJ: 0,
    text: isCostly(row)
      ? `${visits}. Begin and end calls are a large part of this time.`
      : `${visits}. The counter changes only every ${timeText(updateS(facts))}, so the energy ` +
        "of such visits is inaccurate.",
    next: "Annotate a larger part of the code, which contains this region.",
  };
}

/** CPUs spin while a GPU works. */
function gpuWait(facts: SummaryFacts): RunFinding | undefined {
  const { regions, gpuBusy, totals: { seconds } } = facts;
  const waits = regions.filter(({ region }) => GPU_WAITS.test(region));
  const timeS = waits.reduce((sum, row) => sum + row.runtimeS, 0);
  if (!(timeS > GPU_WAIT_SHARE * seconds) || !(gpuBusy > GPU_BUSY)) return undefined;
  const joules = waits.reduce((sum, row) => sum + (joulesOf(row, "package") || 0), 0);
  const idleJ = totalOf(facts, "package")?.idleJ ?? NaN;
  const stakeJ = Math.max(0, joules - (Number.isFinite(idleJ) ? idleJ * timeS / seconds : 0));
  if (!(stakeJ > 0)) return undefined;
  return {
    code: "gpu-wait",
    stakeJ,
    text: `CPUs wait actively for a GPU ${percent(timeS / seconds)} of the time, in ` +
      `${waits[0].region}.`,
    next: `Let the CPUs sleep while they wait (blocking synchronization): this would save at most ${
      energyText(stakeJ)
    }.`,
  };
}

/** Finding on a run without regions. */
function withoutRegions(facts: SummaryFacts): RunFinding | undefined {
  const { regions, spans, steps, notes, functions } = facts;
  if (regions.length > 0 || spans.length > 0 || steps !== "") return undefined;
  if (functions !== undefined) return hottestFunction(functions, facts.main);
  const hasTried = (option: string) => notes.some((note) => note.startsWith(`${option}:`));
  return {
    code: "no-regions",
    stakeJ: 0,
    text: "No region is known, so no part of the program has an energy of its own.",
    next: `To see which part of the program uses the energy, ${
      regionAdvice(facts.name, hasTried)
    }.`,
  };
}

/** Ways to get regions of a program, by its name. */
function regionAdvice(program: string, hasTried: (option: string) => boolean): string {
  if (program === "joulemark") return "see the report of the joulemark that this run started";
  if (hasTried("--phase")) return "correct the expression of --phase";
  if (PYTHON.test(program)) {
    return "use --python, or annotate the code: joulemark client python";
  }
  const annotate = SHELL.test(program)
    ? "annotate the script: joulemark client shell"
    : "annotate the code: joulemark client c";
  return hasTried("--preload")
    ? annotate
    : `try "joulemark run --preload all -- ./app", or ${annotate}`;
}

/** Is it a function without a name, or all code of a file that is in no function? */
function isNameless({ name, module }: FunctionFacts["rows"][number]): boolean {
  return NAMELESS.test(name) || name === `[${baseName(module)}]`;
}

/** The program or library with most CPU time, for a sentence on the hottest function; "": that says enough. */
function hottestFile({ rows, unlisted, cpuS }: FunctionFacts, functionS: number): string {
  const times = new Map<string, number>();
  // The kernel has no file, nor has code that a process made.
  for (const { module, ownS } of rows.filter(({ module }) => /^[^[]/.test(module))) {
    times.set(module, (times.get(module) ?? 0) + ownS);
  }
  const [[file, ownS] = ["", 0]] = [...times].sort(([, a], [, b]) => b - a);
  const least = unlisted.ownS > 0.01 * cpuS ? "at least " : "";
  return ownS < FILE_SHARE * cpuS || ownS < FILE_FACTOR * functionS
    ? ""
    : `, all functions of ${shortText(baseName(file), MAX_FUNCTION)} ${least}${
      percent(ownS / cpuS)
    }`;
}

/** The function with most CPU time of its own, and its energy where it is known. */
function hottestFunction(
  functions: FunctionFacts,
  kind: EnergyKind | undefined,
): RunFinding | undefined {
  const { rows, cpuS, completePercent } = functions;
  const first = rows.find((row) => {
    return row.name === JIT || isNameless(row) || !NO_FUNCTION.test(row.name);
  });
  if (first === undefined || !Number.isFinite(completePercent)) return undefined;
  const { joules = NaN } = kind === undefined ? {} : first.energies.get(kind) ?? {};
  const energy = Number.isFinite(joules) ? ` and ${energyText(joules)}` : "";
  const othersCode = OTHERS_CODE.find(([file]) => file.test(baseName(first.module)));
  const short = shortFunction(first.name);
  const isUnique = rows.every(({ name }) => name === first.name || shortFunction(name) !== short);
  return {
    code: "hottest-function",
    stakeJ: 0,
    text: `${shortText(isUnique ? short : first.name, MAX_FUNCTION)} uses ${
      percent(first.ownS / cpuS)
    } of the CPU time${energy} by itself${hottestFile(functions, first.ownS)}.`,
    next: othersCode !== undefined
      ? othersCode[1]
      : first.name === JIT
      ? 'This is code of a JIT compiler: "joulemark explain jit" has options that give it names.'
      : OF_KERNEL.test(first.name)
      ? "This is the kernel; the file of --folded shows which functions called it."
      : isNameless(first)
      ? "This code has no names. If it has a debug file, give its directory: --debuginfo=DIR."
      : "Look at this function first; the file of --folded shows its callers.",
  };
}

/** Energy that each region uses by itself, J; NaN: not known. */
function ownJoules(facts: SummaryFacts): (row: RegionFacts) => number {
  const { regions, rests, leftOut } = facts;
  const { kind, total } = scale(facts);
  if (kind === undefined) return () => NaN;
  const own = ownEnergies({ rows: regions, outside: rests, leftOut }, kind, total);
  return (row) => {
    const { selfJ } = row.energies.get(kind) ?? { selfJ: NaN };
    return Number.isFinite(selfJ) ? selfJ : own[regions.indexOf(row)];
  };
}

/** Regions that matter, the one that uses most energy by itself first. */
function hottestRows(facts: SummaryFacts): RegionFacts[] {
  const own = ownJoules(facts), { total } = scale(facts);
  return facts.regions.filter((row) => own(row) >= MIN_SHARE * total)
    .sort((a, b) => own(b) - own(a));
}

/** The regions that use most energy by themselves; two at most. */
function hottest(facts: SummaryFacts): RunFinding | undefined {
  const { kind, total } = scale(facts);
  const own = ownJoules(facts);
  const [first, second] = hottestRows(facts);
  if (first === undefined) return undefined;
  const shares = regionShares(facts);
  const share = (row: RegionFacts) => {
    // As the table has it, if all of the region is its own.
    const isAll = own(row) >= 0.999 * joulesOf(row, kind!);
    return isAll ? `${shares.get(row)} %` : percent(own(row) / total);
  };
  const name = (row: RegionFacts) => nameOf(facts, row);
  const more = second === undefined ? "" : `, ${name(second)} ${share(second)}`;
  return {
    code: "hottest",
    stakeJ: 0,
    text: `${name(first)} itself uses most ${
      kind === "node" ? "" : `${COMPONENT_NAMES[kind!]} `
    }energy (${share(first)})${more}.`,
    next: `Look at ${name(first)} first.`,
  };
}

/** Regions that matter with an error above 5 % or without one. */
function inaccurateRegions(facts: SummaryFacts): RunFinding | undefined {
  const { regions, column } = facts;
  const { share } = scale(facts);
  const bad = regions.filter((row) => share(row) >= MIN_SHARE && isInaccurate(row, column));
  if (bad.length === 0) return undefined;
  const which = bad.length === 1 ? `"${nameOf(facts, bad[0])}"` : `${bad.length} regions`;
  return {
    code: "inaccurate-regions",
    stakeJ: 0,
    text: `The energy of ${which} has an error above 5 %, or its error is not known.`,
    next: facts.method !== "fit"
      ? `${FIT_ADVICE[0].toUpperCase()}${FIT_ADVICE.slice(1)}.`
      : "Run longer: four times the time gives half the error.",
  };
}

/** All regions that matter are accurate. */
function allPrecise(facts: SummaryFacts): RunFinding | undefined {
  const { regions, column } = facts;
  const { share } = scale(facts);
  const those = regions.filter((row) => share(row) >= MIN_SHARE);
  if (those.length === 0 || those.some((row) => isInaccurate(row, column))) return undefined;
  return {
    code: "all-precise",
    stakeJ: 0,
    text: "All regions with at least 1 % of the energy have an error of at most 5 %.",
    next: "Nothing to do.",
  };
}

/** Name of a region; its path if several rows have the name. */
function nameOf({ regions }: SummaryFacts, row: RegionFacts): string {
  const isShared = regions.some((one) => one !== row && one.region === row.region);
  return isShared ? row.path : row.region;
}

function isInaccurate(row: RegionFacts, kind: EnergyKind | undefined): boolean {
  return kind === undefined || !(errorOf(row, kind) <= MAX_ERROR * joulesOf(row, kind));
}

function percent(share: number): string {
  const value = 100 * share;
  return value < 1 ? "<1 %" : `${Math.round(value)} %`;
}
