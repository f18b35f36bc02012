/**
 * `joulemark pmc`: logs of pm_mpi_lib, looked at in the ways of M. Bareford's study (2015).
 * @module
 */
import { wrapText } from "../show/analysis/text_layout.ts";
import { refuseOutputAmongInputs } from "../job/place/part_files.ts";
import { jsonText } from "../core/printable.ts";
import {
  type CounterFigures,
  type CraypatAggregation,
  craypatSummary,
  pmcFigures,
  reportFigures,
} from "../show/analysis/craypat.ts";
import { groupByName, type RunGroup } from "../show/analysis/compare_runs.ts";
import { svg } from "../show/analysis/picture.ts";
import { QUANTITIES, type Quantity, type Run, runOf } from "../show/analysis/runs.ts";
import { parseSweepTable, sweepOf, type SweepPoint, sweepPoints } from "../show/analysis/sweep.ts";
import { tableCsv, tableJson, tableText } from "../show/analysis/table.ts";
import * as views from "../show/analysis/views.ts";
import { UnknownNameError, unusable, UsageError } from "../core/errors.ts";
import { parseWholeReport } from "../formats/report.ts";
import { loadYaml } from "../formats/yaml.ts";
import { statPath } from "../os/files.ts";
import { writeDocument } from "../os/files/whole_file.ts";
import { type PmcRun, readPmcRuns, readTableText } from "../run/outputs/pmc/read.ts";
import { inputKind } from "../caliper/query/sources/kind.ts";
import { EXIT } from "./exit_codes.ts";
import { say, terminalWidth, writeFormat } from "./io.ts";
import { formatOptions, outputOption } from "./command_line/common_options.ts";
import { parseCount, type ParsedOptions, parseFormat } from "./command_line/options.ts";
import type { Verb } from "./command_line/verb.ts";

const FORMATS = ["text", "csv", "json", "svg", "html"] as const;
const CHOICES = ["histogram", "cdf", "compare", "sweep"] as const;

const HOW = "Analyses (choose one)";
const HELP = "see joulemark pmc --help";

/** Analyses PMC logs. */
export const pmc: Verb = {
  name: "pmc",
  usage: ["[options] [NAME=]FILE[,FILE...]..."],
  about: `Reads and analyses PMC logs: power and energy per step of a simulation.

Without one of the analyses below it prints the totals of each run, statistics of its steps, and
groups of outliers (such as restart dumps). The command reads logs of all versions of pm_mpi_lib.`,
  options: [
    {
      name: "histogram",
      group: HOW,
      help:
        "histogram of energy, duration and power per step, with the normal distribution of the " +
        "same mean and standard deviation",
    },
    {
      name: "cdf",
      group: HOW,
      help: "cumulative distribution of energy, duration and power per step",
    },
    {
      name: "compare",
      group: HOW,
      help:
        "means and standard deviations of groups of runs. A group is NAME=FILE,FILE. Files with " +
        "the names NAME-1 and NAME-2 are also a group",
    },
    {
      name: "sweep",
      group: HOW,
      help:
        "energy and runtime of each setting, and the setting with minimum energy. NAME is the " +
        "setting. FILE may also be a table with a line for each setting, and columns such as " +
        '"Energy [MJ]" and "Run Time [hr]"',
    },
    {
      name: "summary",
      value: "craypat",
      group: HOW,
      words: ["craypat"],
      help: "one value per counter, as CrayPat's command pat_report prints it. For energies the " +
        'value is the mean over processors or nodes, for powers the maximum. FILE is a report of "run ' +
        '--counters", or a log of version 5.0 or 6.0',
    },
    {
      name: "figure",
      value: "LIST",
      words: Object.keys(QUANTITIES),
      help: "quantities of --histogram and --cdf: energy,duration,power",
    },
    { name: "bins", value: "N", help: "number of bins of the histograms" },
    {
      name: "agg",
      value: "KEY=HOW",
      help: "how --summary combines the values of the counter KEY: mean, max, sum or min; " +
        "comma-separated",
    },
    ...formatOptions(FORMATS),
    outputOption("write to FILE instead of stdout"),
  ],
  examples: [
    "joulemark pmc run.pmc",
    "joulemark pmc --compare cray=c1.pmc,c2.pmc gnu=g1.pmc,g2.pmc",
    "joulemark pmc --sweep --format svg -o sweep.svg 1=a.pmc 2=b.pmc 3=c.pmc",
  ],
  run,
};

/** A word of the command line: files that belong together. */
interface Named {
  readonly name: string | undefined;
  readonly files: readonly string[];
}

async function run(options: ParsedOptions): Promise<number> {
  const { text, flags, words } = options;
  const format = parseFormat(options, FORMATS);
  const chosen = CHOICES.filter((choice) => flags.has(choice));
  if (chosen.length + (text.summary === undefined ? 0 : 1) > 1) {
    throw wrong(
      "pmc",
      "only one of --histogram, --cdf, --compare, --sweep and --summary",
      chosen.map((c) => `--${c}`).join(" "),
    );
  }
  if (text.summary !== undefined && text.summary !== "craypat") {
    throw wrong(`--summary ${text.summary}`, "craypat", text.summary);
  }
  if (words.length === 0) throw wrong("pmc", "a PMC log", "none");
  refuseOutputAmongInputs(words, text.output, "write");
  const log = flags.has("quiet") ? () => {} : say;
  await loadYaml();
  const view = viewOf(chosen[0] ?? text.summary, words.map(named), text, log);
  const output = format === "html"
    ? await (await import("./show/show_html.ts")).viewHtml(view, words.join(", "))
    : printed(view, format, text.output === undefined ? terminalWidth() : Infinity);
  if (text.output === undefined) writeFormat(format, output);
  else writeDocument(text.output, output);
  return EXIT.done;
}

function viewOf(
  choice: string | undefined,
  given: readonly Named[],
  text: Readonly<Record<string, string | undefined>>,
  log: (line: string) => void,
): views.View {
  if (choice === "sweep") return views.sweepView(sweepOf(points(given, log)));
  if (choice === "craypat") {
    const figures = figuresOf(given.flatMap(({ files }) => files), log);
    return views.craypatView(craypatSummary(figures, asked(text.agg, figures)));
  }
  const loaded = given.flatMap(({ name, files }) => {
    return runsIn(files, log).map((run) => ({ name, run }));
  });
  if (choice === "compare") {
    const labelled = given.some(({ name }) => name !== undefined);
    const groups = labelled
      ? [...Map.groupBy(loaded, ({ name, run }) => name ?? run.name)]
        .map(([name, list]): RunGroup => ({ name, runs: list.map(({ run }) => run) }))
      : groupByName(loaded.map(({ run }) => run));
    return views.compareView(groups);
  }
  const titled = loaded.map(({ name, run }) => {
    if (name === undefined) return run;
    const isAlone = loaded.filter((other) => other.name === name).length === 1;
    return { ...run, name: isAlone ? name : `${name} ${run.name}` };
  });
  const figures = quantities(text.figure);
  if (choice === "histogram") {
    const bins = text.bins === undefined ? undefined : parseCount("bins", text.bins, HELP);
    return views.histogramView(titled, figures, bins);
  }
  if (choice === "cdf") return views.cdfView(titled, figures);
  return views.summaryView(titled);
}

/** The runs in logs. */
export function runsIn(files: readonly string[], log: (line: string) => void): Run[] {
  const runs = files.flatMap((file) => readPmcRuns(file, log)).map((one) =>
    runOf(one.log, one.name)
  );
  for (const { name, energyJ } of runs) {
    if (Number.isNaN(energyJ)) log(`${name}: the log has no energy`);
  }
  return runs;
}

/** `NAME=FILE,FILE`, unless a file of that name exists. */
function named(word: string): Named {
  const equals = word.indexOf("=");
  if (equals <= 0 || statPath(word) !== undefined) return { name: undefined, files: [word] };
  const files = word.slice(equals + 1).split(",").filter((file) => file !== "");
  if (files.length === 0) throw wrong(word, "NAME=FILE,...", "no file");
  return { name: word.slice(0, equals), files };
}

function points(given: readonly Named[], log: (line: string) => void): SweepPoint[] {
  if (given.length === 1 && given[0].name === undefined && isTable(given[0].files[0])) {
    return parseSweepTable(readTableText(given[0].files[0]), given[0].files[0]);
  }
  const groups = given.flatMap(({ name, files }): RunGroup[] => {
    const runs = runsIn(files, log);
    return name === undefined ? groupByName(runs) : [{ name, runs }];
  });
  return sweepPoints(groups);
}

function isTable(path: string): boolean {
  return /energy.*time|time.*energy/i.test(readTableText(path).split("\n")[0]) &&
    !readTableText(path).startsWith("pm_mpi_lib") && !readTableText(path).startsWith("rank,");
}

function nodesOf(runs: readonly PmcRun[]) {
  const collated = runs.find((one) => one.nodes.length === 0);
  if (collated !== undefined) {
    throw wrong(
      collated.name,
      "a log of 5.0 or 6.0, which has each node",
      collated.log.version,
    );
  }
  return runs.flatMap((one) => one.nodes);
}

/** Figures by node out of reports, or of logs. */
function figuresOf(files: readonly string[], log: (line: string) => void): CounterFigures[] {
  const reports = files.filter((file) => inputKind(readTableText(file)) === "report");
  if (reports.length === 0) {
    return pmcFigures(nodesOf(files.flatMap((file) => readPmcRuns(file, log))));
  }
  const other = files.find((file) => !reports.includes(file));
  if (other !== undefined) throw wrong(other, `a report like ${reports[0]}`, "none");
  const figures = reportFigures(
    reports.map((file) => parseWholeReport(readTableText(file), file).report),
  );
  if (figures.length > 0) return figures;
  throw wrong(reports[0], "figures of counters, which run --counters leaves", "none");
}

function asked(
  agg: string | undefined,
  figures: readonly CounterFigures[],
): Map<string, CraypatAggregation> {
  const names = figures.map(({ name }) => name);
  const map = new Map<string, CraypatAggregation>();
  for (const item of agg?.split(",") ?? []) {
    const [key, how] = item.split("=").map((part) => part.trim());
    if (!names.includes(key)) throw new UnknownNameError("counter", key, names);
    if (how !== "mean" && how !== "max" && how !== "sum" && how !== "min") {
      throw wrong(`--agg ${item}`, "mean, max, sum or min", how ?? "nothing");
    }
    map.set(key, how);
  }
  return map;
}

function quantities(list: string | undefined): Quantity[] | undefined {
  return list?.split(",").map((word) => {
    if (word.trim() in QUANTITIES) return word.trim() as Quantity;
    throw wrong(`--figure ${list}`, Object.keys(QUANTITIES).join(", "), word);
  });
}

/** In the form asked for. @param width Of the terminal, for text. */
export function printed(view: views.View, format: string, width = Infinity): string {
  switch (format) {
    case "csv":
      return view.tables.map(tableCsv).join("\n");
    case "json":
      return jsonText({ tables: view.tables.map(tableJson), notes: view.notes }, 2) +
        "\n";
    case "svg":
      if (view.panels.length === 0) throw wrong("--format svg", "text, csv or json here", "svg");
      return svg(view.panels, "", view.inPairs);
    default: {
      const notes = view.notes.flatMap((line) =>
        width === Infinity ? [line] : wrapText(line, width, "  ")
      )
        .map((line) => `${line}\n`).join("");
      const tables = view.tables.map((table) => tableText(table, width)).join("\n");
      return tables + (notes === "" ? "" : `\n${notes}`);
    }
  }
}

function wrong(target: string, expected: string, found: string): UsageError {
  return unusable(target, expected, found, HELP);
}
