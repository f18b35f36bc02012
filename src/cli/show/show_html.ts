/**
 * `joulemark show --html`: what a run left, as one page for a browser.
 * @module
 */
import { columnsOf, type Table } from "../../show/analysis/table.ts";
import type { View } from "../../show/analysis/views.ts";
import { FormatError } from "../../core/errors.ts";
import type { Report } from "../../core/report.ts";
import { TraceScanner } from "../../formats/trace/scanner.ts";
import { type OpenTimeline, openTimeline } from "../../run/outputs/timeline.ts";
import { TIMELINE, timelinePath } from "../../job/place/part_files.ts";
import { listDirectory } from "../../os/files.ts";
import { isDirectory, isPlainFile, readFoundText, UserFile } from "../../os/user_file.ts";
import type { HostTimeline, PageData, PageRegions, TimelineFile } from "../../show/page/data.ts";
import { joinTimelines, timelinesIn } from "../../show/page/job_timelines.ts";
import { reportPage, viewPage } from "../../show/page/page.ts";
import { regionsOf } from "../../show/page/tree.ts";
import { TraceSeries } from "../../show/page/trace_series.ts";
import { pieces } from "../../caliper/query/record_maker.ts";
import type { RawAnalysisTable } from "../../rawstats/analysis/print/tables.ts";
import { say } from "../io.ts";
import { replayReport } from "../replay.ts";
import { caliView } from "./show_cali.ts";

/** The data of a report's page: with traces of its run, else with the timelines beside it. */
export function reportData(
  report: Report,
  traces: readonly TraceSeries[],
  paths: readonly string[],
): PageData {
  if (traces.length === 0) return reportPage(report, keptTimelines(report, paths));
  const timelines = traces.map((trace) => {
    const host = report.hosts.find(({ host }) => host === trace.about?.host) ?? report.hosts[0];
    return trace.timeline(new Map(host.regions?.map(({ region, hash }) => [hash, region])));
  });
  return reportPage(report, timelines);
}

/** Timelines beside reports and in directories of parts, those of these runs. */
export function* keptTimelines(
  { startTime, hosts }: Report,
  paths: readonly string[],
): Generator<TimelineFile, void, undefined> {
  const names = new Set(hosts.map(({ host }) => host));
  const isSingle = hosts.length === 1;
  const files = paths.flatMap(timelineFiles);
  const complain = (index: number) => say(`${files[index]}: not a timeline of joulemark; left out`);
  for (const file of timelinesIn(textsOf(files), complain)) {
    // A file of an earlier run of this name says nothing about this one.
    const isMerged = file.hosts !== undefined;
    if ((isSingle || isMerged) && file.started !== startTime) continue;
    if (isMerged) {
      yield file;
      return;
    }
    const timelines = file.timelines.filter(({ host }) => names.delete(host));
    if (timelines.length > 0) yield { ...file, timelines };
  }
}

function* textsOf(paths: readonly string[]): Generator<string, void, undefined> {
  for (const path of paths) yield readFoundText(path);
}

/** Files that may be the timelines of what was named. */
function timelineFiles(path: string): string[] {
  const folder = isDirectory(path) ? path : `${path}.parts`;
  const inside = (directory: string) =>
    listDirectory(directory).filter((name) => name.endsWith(`.${TIMELINE}`)).sort()
      .map((name) => `${directory}/${name}`);
  const parts = isDirectory(path)
    ? listDirectory(path).filter((name) => name.endsWith(".parts")).map((name) => `${path}/${name}`)
    : [];
  const beside = isDirectory(path) ? [] : [timelinePath(path.replace(/\.partial$/, ""))];
  const all = [...beside, ...inside(folder), ...parts.flatMap(inside)];
  return all.filter(isPlainFile);
}

/** The page of recordings, which have samples of their own. */
export async function recordingsData(directories: readonly string[]): Promise<PageData> {
  const { report, timelines } = await recordedTimelines(directories);
  return reportPage(report, timelines);
}

/** Report and power over time of recordings. */
export async function recordedTimelines(
  directories: readonly string[],
): Promise<{ report: Report; timelines: TimelineFile[] }> {
  const open: OpenTimeline[] = [];
  const report = await replayReport(directories, () => [
    (run) => {
      const own = openTimeline(run);
      open.push(own);
      return own;
    },
  ]);
  return { report, timelines: open.map((own) => own.timeline(report)) };
}

/** The page of traces alone. */
export function tracesData(traces: readonly TraceSeries[]): PageData {
  const names: string[] = [];
  const shown = new Set(traces.map(({ about }) => about?.host ?? ""));
  const { timelines } = joinTimelines(
    traces.map((trace) => trace.timeline(new Map())),
    shown,
    ([name]) => names.includes(name) ? names.indexOf(name) : names.push(name) - 1,
  );
  const [first] = traces;
  const hosts = traces.map(({ about }) => about?.host).join(", ");
  const page = viewPage(
    { tables: [timelineTable(timelines)], panels: [], notes: [] },
    { title: `${first.about?.profile} on ${hosts}`, lead: `started ${first.about?.startTime}` },
  );
  return { ...page, timelines, regions: namedRegions(names) };
}

/** Regions of which only the names are known. */
function namedRegions(names: readonly string[]): PageRegions {
  const children = names.map((name) => ({ name, energyJ: null, timeS: null }));
  return regionsOf({ name: "", energyJ: null, timeS: null, children });
}

/** The page of `.cali` streams. */
export function caliData(paths: readonly string[], title: string): PageData {
  const { tree, tables, notes, simulated } = caliView(paths);
  const head = { title, lead: "", ...simulated === undefined ? {} : { simulated } };
  const page = viewPage({ tables, panels: [], notes }, head);
  return tree === undefined ? page : { ...page, regions: regionsOf(tree) };
}

/** The page of raw stats: job metrics, and totals of each node. */
export function rawData({ nodes, metrics, job }: RawAnalysisTable): PageData {
  const hosts = nodes.map(({ host }) => host);
  const metricTable: Table = {
    title: "Job metrics",
    columns: columnsOf("metric", "value", "unit", "note"),
    rows: metrics.filter(({ value }) => !Number.isNaN(value)).map((metric) => {
      const { name, value, unit, isAtLeast, isCorrected } = metric;
      const notes = [...isAtLeast ? ["at least"] : [], ...isCorrected ? ["corrected"] : []];
      return [name, value, unit, notes.join(", ")];
    }),
  };
  const tables = nodes.map(({ host, samples, seconds, rows }): Table => ({
    title: `${host}: ${samples} samples in ${Number(seconds.toPrecision(6))} s`,
    columns: columnsOf(
      ...["type", "device", "key", "unit", "total", "rate", "last", "minimum", "maximum"],
    ),
    rows: rows.map(({ type, device, key, unit, total, seconds, gauge = [NaN, NaN, NaN] }) => [
      type,
      device,
      key,
      unit,
      total === undefined ? NaN : Number(total),
      seconds > 0 ? Number(total) / seconds : NaN,
      ...gauge,
    ]),
  }));
  const title = job === undefined ? hosts.join(", ") : `job ${job} on ${hosts.join(", ")}`;
  return viewData({ tables: [metricTable, ...tables], panels: [], notes: [] }, title);
}

/** The page of tables and plots, as those of PMC logs. */
export async function viewHtml(view: View, title: string, simulated?: string): Promise<string> {
  const { loadedPageHtml } = await import("../../show/page/html.ts");
  return await loadedPageHtml(viewData(view, title, simulated));
}

/** Data of the page. */
export function viewData(view: View, title: string, simulated?: string): PageData {
  return viewPage(view, { title, lead: "", ...simulated === undefined ? {} : { simulated } });
}

/** Mean and extremes of each series. */
function timelineTable(timelines: readonly HostTimeline[]): Table {
  return {
    title: "Power over time: means and extremes",
    columns: columnsOf("host", "component", "mean (W)", "minimum (W)", "maximum (W)"),
    rows: timelines.flatMap(({ host, series }) =>
      series.map(({ name, mean, min = mean, max = mean }) => {
        const known = (list: readonly (number | null)[]) => list.filter((v) => v !== null);
        const all = known(mean);
        return [
          ...[host, name, all.reduce((sum, value) => sum + value, 0) / all.length],
          ...[known(min).reduce((a, b) => Math.min(a, b), Infinity)],
          ...[known(max).reduce((a, b) => Math.max(a, b), -Infinity)],
        ];
      })
    ),
  };
}

/** Reads a trace by pieces. @throws {FormatError} If it is none. */
export function readTrace(path: string, log: (line: string) => void): TraceSeries {
  const series = new TraceSeries();
  const scanner = new TraceScanner(path, series);
  using file = UserFile.read(path);
  for (const piece of pieces((into) => file.readSync(into))) scanner.push(piece);
  scanner.end();
  const [first] = series.errors;
  if (series.about === undefined) {
    throw first ?? new FormatError(path, 1, { action: "show", expected: "a trace", found: "none" });
  }
  if (first !== undefined) log(`${first.message} (${series.errors.length} times)`);
  return series;
}
