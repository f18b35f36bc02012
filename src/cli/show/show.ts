/**
 * `joulemark show`: what a run left, again as tables.
 * @module
 */
import { IS_REPORT, refuseOutputAmongInputs } from "../../job/place/part_files.ts";
import { baseName } from "../../core/names.ts";
import { jsonText, printable, printableLines } from "../../core/printable.ts";
import { reportView } from "../../show/analysis/report_view.ts";
import { histogramView, summaryView, type View } from "../../show/analysis/views.ts";
import { UnknownNameError, UsageError } from "../../core/errors.ts";
import { reportTotals } from "../../core/job_totals.ts";
import { regionRows } from "../../core/region_rows.ts";
import type { Report } from "../../core/report.ts";
import { COMPONENTS, TIDY_COLUMNS } from "../../core/tidy_rows.ts";
import { VERSION } from "../../core/version.ts";
import { writeDocument } from "../../os/files/whole_file.ts";
import { looksLikePmc } from "../../formats/pmc/pmc.ts";
import { RECORD_BYTES } from "../../formats/pmc/binary.ts";
import { mergedRun, readRuns } from "../../job/place/read_runs.ts";
import { loadYaml } from "../../formats/yaml.ts";
import { listDirectory, readWhole, statPath } from "../../os/files.ts";
import { rereadable } from "../../os/files/reread.ts";
import { isDirectory, isPlainFile } from "../../os/user_file.ts";
import { type InputKind, inputKind } from "../../caliper/query/sources/open.ts";
import { EXIT } from "../exit_codes.ts";
import { say, stdoutLook, terminalWidth, writeControls, writeFormat, writeStdout } from "../io.ts";
import { summary, summaryMarkdown } from "../../show/analysis/summary.ts";
import { summaryFacts } from "../../show/analysis/summary_facts.ts";
import { COLOR } from "../../core/option.ts";
import { type Look, shownLines } from "../../show/analysis/text_layout.ts";
import { JSON_FORMAT, outputOption, quietOption } from "../command_line/common_options.ts";
import { type ParsedOptions, parseFormat, parsePercent } from "../command_line/options.ts";
import type { Verb } from "../command_line/verb.ts";
import { printed, runsIn } from "../pmc.ts";
import type { TidyTable } from "./show_tidy.ts";
import type { PageData, TimelineFile } from "../../show/page/data.ts";

/** Reports that an error names. */
const MAX_NAMES = 6;
/** Name of a report of a run that was killed, without its last ending. */
const UNFINISHED = /\.(partial|recovered(-\d+)?)$/;

const TABLE_FORMATS = ["text", "csv", "json", "jsonl", "markdown"] as const;
const FORMATS = [...TABLE_FORMATS, "speedscope", "pprof"] as const;

/** Shows what a run left. */
export const show: Verb = {
  name: "show",
  usage: ["[options] [FILE|DIR...]"],
  about:
    `Shows the results of a run: its summary, tables of components, hosts, regions and sources, and
notes.

FILE is a report (of joulemark or GEOPM, also an incomplete one), a trace, a .cali file, a PMC log
or raw stats. DIR is a recording, the directory REPORT.parts of a job, or another directory with
reports. Without an argument the newest report of the current directory is shown,
also one that ends in .partial or .recovered.`,
  options: [
    {
      name: "html",
      help: "write a page for a browser; power over time comes from the file .timeline next to " +
        "the report, or from a trace",
    },
    {
      name: "format",
      value: "F",
      words: FORMATS,
      help:
        "output format: text (default); json: the data of the page; csv, jsonl: one long table with a row " +
        "for each region, host and component; markdown: the tables of the summary; " +
        "speedscope, pprof: the region tree for these viewers",
    },
    {
      name: "components",
      value: "LIST",
      help: "csv, jsonl: only these components, from node, package, memory, gpu",
    },
    {
      name: "min-share",
      value: "P%",
      help: "csv, jsonl: only regions with at least P % of the energy",
    },
    { name: "no-process", help: "csv, jsonl: no rows of single processes" },
    { name: "job", help: "csv, jsonl: sums over all hosts instead of single hosts" },
    { name: "series", help: "csv, jsonl: power over time instead of regions" },
    {
      name: "schema",
      help:
        "describe the columns of csv as CSVW (CSV on the Web, a standard in JSON); with --format " +
        "jsonl as JSON Schema",
    },
    JSON_FORMAT,
    outputOption("write to FILE instead of stdout"),
    COLOR,
    quietOption("print no notes on stderr"),
    { name: "verbose", short: "v", help: "also print notes that have no influence on the values" },
  ],
  examples: [
    "joulemark show joulemark.report",
    "joulemark show --format csv -o lu.csv lu.report",
    "joulemark show --html -o lu.html lu.rec",
  ],
  run,
};

/** Kind of a path. */
type Kind = InputKind | "pmc" | "recording" | "reports";

async function run(options: ParsedOptions): Promise<number> {
  const { text, flags } = options;
  const format = parseFormat(options, FORMATS);
  const log = flags.has("quiet") ? () => {} : say;
  const write = (output: string | Uint8Array) => {
    if (text.output === undefined) writeStdout(output);
    else writeDocument(text.output, typeof output === "string" ? printableLines(output) : output);
  };
  const print = (document: string) => {
    if (text.output === undefined) writeFormat(format, document);
    else write(document);
  };
  if (flags.has("schema")) {
    const { csvSchema, lineSchema, SERIES_COLUMNS } = await import(
      "../../show/analysis/tidy_text.ts"
    );
    const columns = flags.has("series") ? SERIES_COLUMNS : TIDY_COLUMNS;
    write(format === "jsonl" ? lineSchema(columns) : csvSchema(columns));
    return EXIT.done;
  }
  const words = options.words.length > 0 ? options.words.map(rereadable) : [newestReport(log)];
  refuseOutputAmongInputs(words, text.output, "write");
  if (format !== "csv" && format !== "jsonl") refuseTableOptions(options);
  const width = text.output === undefined ? terminalWidth() : Infinity;
  const byKind = Map.groupBy(words, kindOf);
  if (flags.has("html")) {
    if (text.format !== undefined || flags.has("json")) {
      throw wrong("--html", "no other format", text.format ?? "json");
    }
    const { loadedPageHtml } = await import("../../show/page/html.ts");
    write(await loadedPageHtml(await pageData(byKind, log)));
    return EXIT.done;
  }
  if (byKind.size > 1) throw wrong("show", "files of one kind", [...byKind.keys()].join(", "));
  const [kind] = byKind.keys();
  const isReport = kind === "report" || kind === "reports" || kind === "recording";
  if (format === "speedscope" || format === "pprof") {
    if (!isReport) throw wrong(`--format ${format}`, "reports or a recording", kind);
    write(await profile(await readReports(words, kind), format));
    return EXIT.done;
  }
  if (isReport && (format === "csv" || format === "jsonl")) {
    const table = flags.has("series")
      ? await series(words, kind)
      : await longTable(words, kind, options, log);
    const { tidyCsv, tidyJsonLines } = await import("../../show/analysis/tidy_text.ts");
    const print = format === "csv" ? tidyCsv : tidyJsonLines;
    const pieces = print(table.rows, table.columns);
    if (text.output !== undefined) writeDocument(text.output, pieces);
    else for (const piece of pieces) writeStdout(piece);
    return EXIT.done;
  }
  if (isReport && format === "json") {
    write(jsonText(await pageData(byKind, log)) + "\n");
    return EXIT.done;
  }
  if (isReport) {
    const report = await readReports(words, kind);
    if (format === "markdown") {
      write(summaryMarkdown(summaryFacts(report)));
      return EXIT.done;
    }
    const view = reportView(report);
    const isFile = text.output !== undefined;
    const look = stdoutLook(isFile ? "never" : text.color);
    const tables = summaryAnd(report, view, { look, isVerbose: flags.has("verbose") });
    if (isFile) write(tables);
    else writeControls(tables);
    return EXIT.done;
  }
  if (format === "jsonl" || format === "markdown") {
    throw wrong(`--format ${format}`, "reports or a recording", kind);
  }
  if (kind === "pmc") {
    print(printed(pmcView(words, log), format, width));
    return EXIT.done;
  }
  if (kind === "cali" && format === "text") {
    const view = (await import("./show_cali.ts")).traceView(words);
    if (view !== undefined) {
      print(printed(view, format, width));
      return EXIT.done;
    }
  }
  // What has a verb of its own is shown by it.
  const output = text.output === undefined ? [] : ["-o", text.output];
  const { runVerb } = await import("../command_line/run_verb.ts");
  if (kind === "rawstats") {
    if (output.length > 0) {
      throw wrong("--output", "no file: joulemark stats writes to stdout", "one");
    }
    return await runVerb((await import("../stats.ts")).stats, [
      ...["--format", format === "text" ? "table" : format],
      ...words,
    ]);
  }
  const how = {
    text: [kind === "cali" ? "-T" : "-t"],
    csv: ["-q", "FORMAT csv"],
    json: ["-j"],
  }[format];
  return await runVerb((await import("../query.ts")).query, [...how, ...output, ...words]);
}

/** Options of the long table. */
const TABLE_OPTIONS = ["components", "min-share", "no-process", "job", "series"];

function refuseTableOptions({ text, flags }: ParsedOptions): void {
  const found = TABLE_OPTIONS.find((name) => flags.has(name) || text[name] !== undefined);
  if (found !== undefined) throw wrong(`--${found}`, "--format csv or jsonl", "another format");
}

/** Is a name that of a report, of a run that ended or was killed? */
function namesReport(name: string): boolean {
  return IS_REPORT.test(name.replace(UNFINISHED, ""));
}

/** Path of the report in the current directory that was written last. */
function newestReport(log: (line: string) => void): string {
  const aged = listDirectory(".").filter((name) => namesReport(name) && isPlainFile(name))
    .map((name) => ({ name, ns: statPath(name)?.modifiedNs ?? 0n }));
  if (aged.length === 0) {
    const remedy = "give one: joulemark show FILE";
    throw new UsageError({ found: "no report in this directory", remedy });
  }
  const { name } = aged.reduce((newest, one) => one.ns > newest.ns ? one : newest);
  log(`showing ${name}, the newest report in this directory`);
  return name;
}

/** The rows of all runs that were named. */
async function longTable(
  words: readonly string[],
  kind: Kind,
  { text, flags }: ParsedOptions,
  log: (line: string) => void,
): Promise<TidyTable> {
  const { recordedRun, rowsOf, tableOf, tidyRuns } = await import("./show_tidy.ts");
  const minShare = parsePercent("min-share", text["min-share"] ?? "0");
  const components = text.components === undefined ? undefined : parseComponents(text.components);
  await loadYaml();
  const runs = kind === "recording"
    ? [recordedRun(await (await import("./show_html.ts")).recordedTimelines(words))]
    : tidyRuns(words, log);
  const withProcesses = !flags.has("no-process");
  const rows = rowsOf(runs, { job: flags.has("job"), components, minShare, withProcesses });
  return tableOf(rows, log);
}

function parseComponents(list: string): Set<string> {
  const known = Object.values(COMPONENTS);
  return new Set(
    list.split(",").map((word) => {
      const name = word.trim();
      if (!known.includes(name)) throw new UnknownNameError("component", name, known);
      return name;
    }),
  );
}

/** Power over time of recordings, or as runs kept it beside their reports. */
async function series(words: readonly string[], kind: Kind): Promise<TidyTable> {
  const { seriesRows } = await import("./show_tidy.ts");
  const { keptTimelines, recordedTimelines } = await import("./show_html.ts");
  const { SERIES_COLUMNS } = await import("../../show/analysis/tidy_text.ts");
  const timelines: TimelineFile[][] = [];
  if (kind === "recording") {
    timelines.push((await recordedTimelines(words)).timelines);
  } else {
    for (const word of words) {
      timelines.push([...keptTimelines(await readReports([word], kind), [word])]);
    }
  }
  const missing = words.find((_, i) => timelines[i]?.length === 0);
  if (missing !== undefined) {
    throw wrong(`--series ${missing}`, "power over time beside the report", "none");
  }
  const columns = SERIES_COLUMNS.map(({ name }) => name);
  const rows = timelines.values().flatMap((list, i) => seriesRows(i + 1, list));
  return { columns, rows };
}

/** The summary has the notes that matter. */
function summaryAnd(
  report: Report,
  view: View,
  { look, isVerbose }: { look: Look; isVerbose: boolean },
): string {
  const facts = summaryFacts(report);
  const tables = printed({ ...view, notes: isVerbose ? facts.minor : [] }, "text", look.width);
  const lines = shownLines(look, printableLines(tables));
  return `${summary(facts, { look, isShown: true })}\n${lines}`;
}

/** The tree as a profile of time, energies and visits. */
async function profile(
  report: Report,
  format: "speedscope" | "pprof",
): Promise<string | Uint8Array> {
  const { stacksOf } = await import("../../show/analysis/stacks.ts");
  const { components } = reportTotals(report);
  const stacks = stacksOf(regionRows(report), (kind) => components.get(kind)?.joules);
  const simulated = report.joulemark?.simulated;
  const name = `${report.profile}, ${report.startTime}` +
    (simulated === undefined ? "" : ` (${simulated}: nothing is measured)`);
  if (format === "speedscope") {
    const { speedscopeJson } = await import("../../show/analysis/speedscope.ts");
    return speedscopeJson(name, `joulemark ${VERSION}`, stacks);
  }
  const { pprofBytes } = await import("../../show/analysis/pprof.ts");
  const packed = new Blob([new Uint8Array(pprofBytes(stacks, name))]).stream()
    .pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

/** The page's data: of a job, with traces for its power over time, or of other files. */
async function pageData(
  byKind: ReadonlyMap<Kind, string[]>,
  log: (line: string) => void,
): Promise<PageData> {
  const pages = await import("./show_html.ts");
  const traces = (byKind.get("trace") ?? []).map((path) => pages.readTrace(path, log));
  const others = [...byKind].filter(([kind]) => kind !== "trace");
  if (others.length === 0) return pages.tracesData(traces);
  const [[kind, words]] = others;
  if (others.length === 1 && (kind === "report" || kind === "reports")) {
    return pages.reportData(await readReports(words, kind), traces, words);
  }
  if (others.length > 1 || traces.length > 0) {
    throw wrong(
      "--html",
      "files of one kind, and traces beside reports",
      [...byKind.keys()].join(", "),
    );
  }
  if (kind === "recording") return await pages.recordingsData(words);
  if (kind === "pmc") {
    return pages.viewData(pmcView(words, log), words.map(baseName).join(", "));
  }
  if (kind === "rawstats") {
    const { rawTable } = await import("../stats.ts");
    return pages.rawData(await rawTable(words, log));
  }
  return pages.caliData(words, words.map(baseName).join(", "));
}

function pmcView(words: readonly string[], log: (line: string) => void): View {
  const runs = runsIn(words, log);
  const summary = summaryView(runs);
  return { ...summary, panels: [...summary.panels, ...histogramView(runs).panels] };
}

/** All that was named, as one job. */
async function readReports(words: readonly string[], kind: Kind): Promise<Report> {
  if (kind === "recording") return await (await import("../replay.ts")).replayReport(words);
  await loadYaml();
  const runs = words.flatMap((word) => readRuns(word, { repair: true }));
  if (runs.length === 1) return runs[0].report;
  const hosts = runs.flatMap(({ report }) => report.hosts.map(({ host }) => host));
  if (new Set(hosts).size === hosts.length) {
    return mergedRun(words.join(" "), runs.map(({ name }) => name)).report;
  }
  throw wrong(
    words.join(" "),
    "the hosts of one job",
    `${runs.length} runs of the same hosts`,
    "name one of them, or see joulemark compare",
  );
}

function kindOf(path: string): Kind {
  if (statPath(path) === undefined) {
    throw new UsageError({ target: path, found: "no such file", remedy: reportsHere() });
  }
  if (isDirectory(path)) {
    return statPath(`${path}/recording.yaml`) === undefined ? "reports" : "recording";
  }
  const head = readWhole(path, 4096);
  if (head === undefined) throw wrong(path, "a file that can be read", "one that cannot");
  if (head.length === 0) throw wrong(path, "what a run left", "an empty file");
  if (/\.(pb|pprof)(\.gz)?$/.test(path)) {
    const remedy = `open it in a browser: go tool pprof -http=: ${path}`;
    throw wrong(path, "a report", "a profile for pprof", remedy);
  }
  // Raw stats are the one kind that is kept packed.
  if (head[0] === 0x1f && head[1] === 0x8b) return "rawstats";
  const text = new TextDecoder().decode(head);
  if (looksLikePmc(text) || /\.(pmc|bin)$/.test(path) && head.length >= RECORD_BYTES) return "pmc";
  const kind = inputKind(text);
  if (kind !== "cali" || text.startsWith("__rec=")) return kind;
  if (path.endsWith(".timeline")) {
    throw wrong(path, "a report", "the timeline of one", "show the report next to it");
  }
  throw wrong(
    path,
    "a report, trace, recording, .cali file, PMC log or raw stats",
    firstLine(text),
  );
}

/** Reports of this directory, a few. */
function reportsHere(): string | undefined {
  const names: string[] = [];
  try {
    for (const { name, isFile } of Deno.readDirSync(".")) {
      if (isFile && namesReport(name)) names.push(name);
    }
  } catch {
    return undefined;
  }
  if (names.length === 0) return "There is no report in this directory";
  const more = names.length > MAX_NAMES ? ", …" : "";
  return `Reports here: ${names.sort().slice(0, MAX_NAMES).map(printable).join(", ")}${more}`;
}

function firstLine(text: string): string {
  return text.includes("\0") ? "a binary file" : JSON.stringify(text.split("\n")[0].slice(0, 60));
}

function wrong(target: string, expected: string, found: string, remedy?: string): UsageError {
  return new UsageError({
    action: "show",
    target,
    expected,
    found,
    remedy: remedy ?? "see joulemark show --help",
  });
}
