/**
 * `joulemark show --html`: what a run left, as one page for a browser.
 * @module
 */
import { columnsOf, type Table } from "../../show/analysis/table.ts";
import type { View } from "../../show/analysis/views.ts";
import { FormatError } from "../../core/errors.ts";
import type { Report } from "../../core/report.ts";
import { TraceScanner } from "../../formats/trace/scanner.ts";
import { type OpenSeries, openSeries } from "../../run/outputs/html.ts";
import { PART_TIMELINE } from "../../job/place/part_files.ts";
import { listDirectory } from "../../os/files.ts";
import { isDirectory, isPlainFile, readFoundText, UserFile } from "../../os/user_file.ts";
import type { PageContent, Timeline } from "../../show/page/content.ts";
import { pageHtml } from "../../show/page/html.ts";
import { reportPage, viewPage } from "../../show/page/page.ts";
import { jobTimelines } from "../../show/page/series.ts";
import { TraceSeries } from "../../show/page/trace_series.ts";
import { pieces } from "../../caliper/query/record_maker.ts";
import type { RawAnalysisTable } from "../../rawstats/analysis/print/tables.ts";
import { replayReport } from "../replay.ts";
import { caliView } from "./show_cali.ts";

/** The page of a report, with power over time where there are traces of its run. */
export function reportHtml(
  report: Report,
  traces: readonly TraceSeries[],
  kept: readonly Timeline[],
): string {
  if (traces.length === 0) return pageHtml(reportPage(report, kept));
  const timelines = traces.map((trace) => {
    const host = report.hosts.find(({ host }) => host === trace.about?.host) ?? report.hosts[0];
    const names = new Map(host.regions?.map(({ region, hash }) => [hash, region]));
    return trace.timeline(names, traces.length);
  });
  return pageHtml(reportPage(report, timelines));
}

/** Power over time that runs kept beside their reports. */
export function keptTimelines(paths: readonly string[]): Timeline[] {
  const files = paths.flatMap((path) => {
    if (!isDirectory(path)) return [`${path.replace(/\.report$/, "")}.${PART_TIMELINE}`];
    return listDirectory(path).filter((name) => name.endsWith(`.${PART_TIMELINE}`))
      .map((name) => `${path}/${name}`);
  }).filter(isPlainFile);
  return jobTimelines(files.sort().map(readFoundText));
}

/** The page of recordings, which have samples of their own. */
export async function recordingsHtml(directories: readonly string[]): Promise<string> {
  const { report, timelines } = await recordedTimelines(directories);
  return pageHtml(reportPage(report, timelines));
}

/** The report of recordings, and their power over time. */
export async function recordedTimelines(
  directories: readonly string[],
): Promise<{ report: Report; timelines: Timeline[] }> {
  const series: OpenSeries[] = [];
  const report = await replayReport(directories, () => [
    (run) => {
      const own = openSeries(run);
      series.push(own);
      return own;
    },
  ]);
  return { report, timelines: series.map((own) => own.timeline(report, series.length)) };
}

/** The page of traces alone. */
export function tracesHtml(traces: readonly TraceSeries[]): string {
  const timelines = traces.map((trace) => trace.timeline(new Map(), traces.length));
  const [first] = traces;
  const hosts = traces.map(({ about }) => about?.host).join(", ");
  const page: PageContent = viewPage(
    { tables: [timelineTable(timelines)], panels: [], notes: [] },
    { title: `${first.about?.profile} on ${hosts}`, lead: `started ${first.about?.startTime}` },
  );
  return pageHtml({ ...page, timelines });
}

/** The page of `.cali` streams. */
export function caliHtml(paths: readonly string[], title: string): string {
  const { tree, tables, notes, simulated } = caliView(paths);
  const head = { title, lead: "", ...simulated === undefined ? {} : { simulated } };
  const page = viewPage({ tables, panels: [], notes }, head);
  return pageHtml(tree === undefined ? page : { ...page, tree });
}

/** The page of raw stats: job metrics, and totals of each node. */
export function rawHtml({ nodes, metrics, job }: RawAnalysisTable): string {
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
      ...["type", "device", "key", "unit", "total", "rate", "last", "least", "greatest"],
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
  return viewHtml({ tables: [metricTable, ...tables], panels: [], notes: [] }, title);
}

/** The page of tables and pictures, as those of PMC logs. */
export function viewHtml(view: View, title: string, simulated?: string): string {
  return pageHtml(
    viewPage(view, { title, lead: "", ...simulated === undefined ? {} : { simulated } }),
  );
}

/** Mean and extremes of each line. */
function timelineTable(timelines: readonly Timeline[]): Table {
  return {
    title: "Power over time",
    columns: columnsOf("host", "part", "mean (W)", "least (W)", "greatest (W)"),
    rows: timelines.flatMap(({ host, domains }) =>
      domains.map(({ name, mean, min, max }) => {
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
