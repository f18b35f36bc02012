/**
 * `joulemark study`: a sweep by itself: runs, table, picture.
 * @module
 */
import { ENERGY_SIGNALS } from "../core/job_totals.ts";
import { loadYaml } from "../formats/yaml.ts";
import { readRuns } from "../job/place/read_runs.ts";
import { comparableFigures } from "../show/analysis/job_figures.ts";
import { svg } from "../show/analysis/picture.ts";
import { sweepOf, type SweepPoint, sweepPoint } from "../show/analysis/sweep.ts";
import { columnsOf, type Table, tableCsv } from "../show/analysis/table.ts";
import { sweepView, type View } from "../show/analysis/views.ts";
import { unusable, UsageError } from "../core/errors.ts";
import { expandHosts } from "../core/host_list.ts";
import { readTableText } from "../run/outputs/pmc/read.ts";
import { makeOutputDirectory, writeDocument } from "../os/files/whole_file.ts";
import { findCommand } from "../os/process.ts";
import {
  beginStudy,
  noteResult,
  readStudy,
  STUDY_FORMAT,
  type StudyHead,
  type StudyResult,
} from "../show/study/log.ts";
import {
  parseTopology,
  type Place,
  type Placements,
  placementsOf,
  type Scenario,
} from "../show/study/placement.ts";
import { parseVaried, PLACEMENT, type PlannedRun, planStudy } from "../show/study/plan.ts";
import { figures, programOf, runOnce } from "../show/study/runner.ts";
import { selfCommand } from "../os/self.ts";
import { EXIT } from "./exit_codes.ts";
import { say, terminalWidth, writeFormat } from "./io.ts";
import { formatOptions, quietOption } from "./command_line/common_options.ts";
import { misused, parseCount, type ParsedOptions, parseFormat } from "./command_line/options.ts";
import { printed } from "./pmc.ts";
import { Progress } from "./progress.ts";
import type { Verb } from "./command_line/verb.ts";

const FORMATS = ["text", "csv", "json"] as const;

/** Runs a sweep over a setting. */
export const study: Verb = {
  name: "study",
  usage: [
    "--vary NAME=A,B,... [options] -- COMMAND [ARG...]",
    "--placement N [options] -- srun -w {nodes} {run} COMMAND",
  ],
  about: `Runs a command with all values of a setting, and compares energy and time.

Runs COMMAND once for each value of the environment variable NAME, and repeats this series as often
as --repeat requests. Each run is a "joulemark run". To set its options, use the variables
JOULEMARK_PERIOD, JOULEMARK_SIMULATE, ... With several --vary options, all combinations of their
values are run.

--placement runs COMMAND on N nodes in three placements: in one chassis, in two chassis of one group
(half of the nodes each), and in two groups. COMMAND begins with a launcher such as srun. In
COMMAND, {nodes} is replaced by the list of nodes, and {run} by "joulemark run".

DIR contains a report and the output of each run, and the table study.csv. The plots study.svg and
study.html show energy against runtime. The file study.jsonl lists the finished runs.`,
  options: [
    {
      name: "vary",
      value: "NAME=A,B,...",
      repeats: true,
      help: "an environment variable and its values; can be given several times",
    },
    {
      name: "placement",
      value: "N",
      help: "run on N nodes in three placements: one chassis, two chassis, two groups",
    },
    {
      name: "nodes",
      value: "LIST",
      help: "nodes that may be used, such as n[1-8,12] (default: the nodes of the Slurm job)",
    },
    {
      name: "topology",
      value: "FILE",
      help: "locations of the nodes, if the names of the nodes do not show them. A line of FILE " +
        "has the form NODE LOCATION, and LOCATION is a Cray cname or xname (c0-0c1s7n3, " +
        'x1000c3s4b0n1). Or FILE is the output of "scontrol show topology"',
    },
    { name: "repeat", value: "N", default: "3", help: "number of runs per setting" },
    {
      name: "dir",
      value: "DIR",
      default: "joulemark-study",
      help: "directory of all results",
    },
    { name: "resume", help: "continue with the runs that are not finished" },
    { name: "pmc", help: "also write a PMC log of each run" },
    ...formatOptions(FORMATS),
    quietOption("print no progress"),
  ],
  command: true,
  notes:
    `The exit status is 0 if all runs succeeded, else 1. Failed runs are not in the table; --resume
repeats them.`,
  examples: [
    "joulemark study --vary OMP_NUM_THREADS=1,2,3,4,6 --repeat 3 -- ./app",
    "joulemark study --placement 8 -- srun -w {nodes} -N 8 {run} ./cp2k",
    "joulemark study --resume --vary OMP_NUM_THREADS=1,2,3,4,6 -- ./app",
  ],
  run,
};

async function run(options: ParsedOptions): Promise<number> {
  const { text, lists, flags, words } = options;
  const placements = text.placement === undefined ? undefined : placed(text);
  const texts = [...lists.vary];
  if (texts.length === 0 && placements === undefined) throw missing("--vary NAME=A,B,...");
  if (words.length === 0) throw missing("a command after --");
  const format = parseFormat(options, FORMATS);
  const repeats = parseCount("repeat", text.repeat ?? "3");
  const directory = text.dir ?? "joulemark-study";
  const varied = texts.map(parseVaried);
  if (placements !== undefined) {
    const { scenarios, missing } = placements;
    for (const line of missing) say(`left out: ${line}`);
    varied.push({ name: PLACEMENT, values: scenarios.map(({ name }) => name) });
    texts.push(...scenarios.map(({ name, nodes }) => `${PLACEMENT}=${name}: ${nodes.join()}`));
  }
  const plan = planStudy(varied, repeats);
  const found = findCommand(programOf(words), Deno.env.get("PATH"));
  if (!("path" in found)) {
    say(found.reason);
    return found.status;
  }
  const head = { format: STUDY_FORMAT, command: words, varied: texts, repeats } as const;
  const done = begin(directory, head, flags.has("resume"));
  const launch: StudyLaunch = {
    self: selfCommand("run", "--quiet", "--report-signals", ENERGY_SIGNALS.node),
    command: words,
    directory,
    nodes: new Map(placements?.scenarios.map(({ name, nodes }) => [name, nodes])),
  };
  const results = await runAll(plan, launch, {
    done,
    pmc: flags.has("pmc"),
    quiet: flags.has("quiet"),
  });
  const more = placements === undefined ? [] : [placementTable(placements.scenarios)];
  return await finish(directory, results, { planned: plan.length, format, more });
}

/** @throws {UsageError} If nothing can be placed. */
function placed({ placement, nodes, topology }: ParsedOptions["text"]): Placements {
  const count = parseCount("placement", placement!);
  const list = nodes ?? Deno.env.get("SLURM_JOB_NODELIST");
  const wrong = (expected: string, found: string) =>
    unusable(`--placement ${placement}`, expected, found);
  if (count % 2 !== 0) throw wrong("an even number of nodes", placement!);
  if (list === undefined) throw wrong("--nodes LIST or a Slurm job", "neither");
  const places = topology === undefined
    ? new Map<string, Place>()
    : parseTopology(readTableText(topology), topology);
  const found = placementsOf(expandHosts(list), places, count);
  if (found.scenarios.length > 0) return found;
  throw wrong("enough nodes with a known location", found.missing.join("; "));
}

function placementTable(scenarios: readonly Scenario[]): Table {
  return {
    title: "Placements",
    columns: columnsOf("placement", "in", "nodes"),
    rows: scenarios.map(({ name, where, nodes }) => [name, where, nodes.join(",")]),
  };
}

/** Makes the directory and the log. @returns What is done already. */
function begin(directory: string, head: StudyHead, resume: boolean): Map<string, StudyResult> {
  makeOutputDirectory(directory);
  const path = `${directory}/study.jsonl`;
  const found = readStudy(path, head);
  if (found !== undefined && !resume) {
    throw new UsageError({
      action: "begin a study in",
      target: directory,
      expected: "a directory without a study",
      found: `${found.size} runs of this study`,
      remedy: "continue it with --resume, or give another directory with --dir",
    });
  }
  const done = new Map([...found ?? []].filter(([, result]) => result.status === 0));
  beginStudy(path, head, done.values());
  return done;
}

/** Start of all runs. */
interface StudyLaunch {
  /** Command of this program, its verb `run` and options. */
  readonly self: readonly string[];
  readonly command: readonly string[];
  /** Directory of reports and outputs. */
  readonly directory: string;
  /** Nodes of each placement. */
  readonly nodes: ReadonlyMap<string, readonly string[]>;
}

/** Stands for the nodes of a placement in a command. */
const NODES = "{nodes}";

async function runPlanned(
  run: PlannedRun,
  launch: StudyLaunch,
  wait: () => void,
): Promise<StudyResult> {
  const { file, label, repeat, settings } = run;
  const nodes = launch.nodes.get(settings[PLACEMENT])?.join(",") ?? "";
  const placed = nodes === "" ? settings : { ...settings, JOULEMARK_NODES: nodes };
  const { status, wallS, report } = await runOnce({
    self: launch.self,
    command: launch.command.map((word) => word.replaceAll(NODES, nodes)),
    stem: `${launch.directory}/${file}`,
    settings: placed,
  }, { wait });
  return { file, label, repeat, status, ...figures(report, wallS) };
}

async function runAll(
  plan: readonly PlannedRun[],
  launch: StudyLaunch,
  { done, pmc, quiet }: { done: Map<string, StudyResult>; pmc: boolean; quiet: boolean },
): Promise<StudyResult[]> {
  const progress = new Progress(plan.length, done.size);
  let count = done.size;
  for (const one of plan) {
    if (done.has(one.file)) continue;
    const label = `${one.label}, run ${one.repeat}`;
    const more = pmc ? ["--pmc", `${launch.directory}/${one.file}.pmc`] : [];
    const own = { ...launch, self: [...launch.self, ...more] };
    if (!quiet) progress.show(count, label);
    const result = await runPlanned(one, own, () => quiet || progress.show(count, label));
    done.set(one.file, result);
    noteResult(`${launch.directory}/study.jsonl`, result);
    count++;
    if (!quiet) progress.step(count, `${label}: ${outcome(result)}`);
  }
  return plan.map((one) => done.get(one.file)!);
}

function outcome(result: StudyResult): string {
  if (result.status !== 0) return `failed with status ${result.status}; see its file .out`;
  const energy = result.energyJ === null ? "no energy" : `${result.energyJ.toPrecision(5)} J`;
  return `${energy}, ${result.runtimeS.toPrecision(5)} s`;
}

/** Table and pictures of the runs that went well. */
async function finish(
  directory: string,
  results: readonly StudyResult[],
  { planned, format, more }: { planned: number; format: string; more: readonly Table[] },
): Promise<number> {
  const good = await comparableResults(
    directory,
    results.filter((result) => result.status === 0),
  );
  if (good.length === 0) {
    say("no run of the study succeeded: there is nothing to compare");
    return EXIT.failed;
  }
  const blind = good.filter((result) => result.energyJ === null).length;
  const sources = [...new Set(good.map((result) => result.source))];
  const simulated = good.some((result) => result.simulated);
  const notes = [
    ...(blind > 0 ? [`${blind} of ${good.length} runs have no energy: see joulemark doctor`] : []),
    ...(blind < good.length ? [`energy of ${sources.join(", ")}`] : []),
    ...(simulated ? ["simulated: nothing here is a measurement"] : []),
  ];
  const swept = sweepView(sweepOf(pointsOf(good)));
  const view = { ...swept, tables: [...swept.tables, ...more] };
  const shown: View = blind > 0
    ? { ...view, notes }
    : { ...view, notes: [...view.notes, ...notes] };
  writeFormat(format, printed(shown, format, terminalWidth()));
  writeDocument(`${directory}/study.csv`, shown.tables.map(tableCsv).join("\n"));
  if (blind === 0) {
    const note = simulated ? "simulated: nothing here is a measurement" : "";
    writeDocument(`${directory}/study.svg`, svg(shown.panels, note));
    const { viewHtml } = await import("./show/show_html.ts");
    const simulatedBy = simulated ? "simulated counters" : undefined;
    writeDocument(`${directory}/study.html`, await viewHtml(shown, directory, simulatedBy));
  }
  return good.length === planned ? EXIT.done : EXIT.failed;
}

/** Results with the energy of the parts that all runs with an energy have. */
async function comparableResults(
  directory: string,
  results: readonly StudyResult[],
): Promise<readonly StudyResult[]> {
  const measured = results.filter(({ energyJ }) => energyJ !== null);
  if (new Set(measured.map(({ source }) => source)).size <= 1) return results;
  await loadYaml();
  const reports = measured.map(({ file }) => readRuns(`${directory}/${file}.report`)[0].report);
  const jobs = comparableFigures(reports);
  const figuresOf = new Map(measured.map((result, i) => [result, jobs[i]]));
  return results.map((result) => {
    const job = figuresOf.get(result);
    if (job === undefined) return result;
    const { energyJ, source } = job;
    return { ...result, energyJ: Number.isFinite(energyJ) ? energyJ : null, source };
  });
}

/** Means over the repeats of each setting, in the order of the plan. */
function pointsOf(results: readonly StudyResult[]): SweepPoint[] {
  return [...Map.groupBy(results, (result) => result.label)].map(([label, list]) => {
    // One setting with numbers is sorted by them; others stay as they were given.
    const value = label.includes(" ") ? NaN : Number(label.slice(label.indexOf("=") + 1));
    return sweepPoint(label, value, list);
  });
}

const missing = (expected: string) => misused("study", expected, "none");
