/**
 * `joulemark show --format csv|jsonl`: reports as one long table, a run after another, so that only one report
 * is held at a time.
 * @module
 */
import { baseName } from "../../core/names.ts";
import { regionName } from "../../core/region_tree.ts";
import type { Report } from "../../core/report.ts";
import {
  isSignal,
  pathPart,
  runColumns,
  TIDY_COLUMNS,
  type TidyOptions,
  type TidyRow,
  tidyRows,
} from "../../core/tidy_rows.ts";
import { taken } from "../../job/merge/read_report.ts";
import { readFile } from "../../job/place/merge_parts.ts";
import { ReportMerger } from "../../job/merge/merge.ts";
import { reportFiles } from "../../job/place/part_files.ts";
import { mergedReport, readRuns } from "../../job/place/read_runs.ts";
import { isDirectory, readFoundText } from "../../os/user_file.ts";
import { statPath } from "../../os/files.ts";
import type { TimelineFile } from "../../show/page/data.ts";
import { partialOf } from "../../show/analysis/summary_facts.ts";
import { keptTimelines } from "./show_html.ts";

/** A report, and the files with times of its processes. */
export interface TidyReport {
  readonly report: Report;
  timelines(): Iterable<TimelineFile>;
}

/** One run of the table, and the reports that it is made of. */
export interface TidyRun {
  readonly number: number;
  /** @default that of the report */
  readonly label?: string;
  /** One, or one a host. */
  reports(): Iterable<TidyReport>;
  /** All hosts as one report. */
  whole(): Report;
}

/** The runs that a user named, in order. @param log Takes a line about a report that is left out. */
export function* tidyRuns(
  words: readonly string[],
  log: (line: string) => void,
): Generator<TidyRun> {
  let number = 0;
  for (const word of words) {
    const name = word.replace(/(.)\/+$/, "$1");
    if (isDirectory(name) && name.endsWith(".parts")) {
      yield partsRun(name, ++number, log);
      continue;
    }
    const runs = readRuns(name, { repair: true });
    const labels = isDirectory(name) ? studyLabels(name) : new Map<string, string>();
    const hosts = runs.flatMap(({ report }) => report.hosts.map(({ host }) => host));
    const isJob = isDirectory(name) && labels.size === 0 && hosts.length > 1 &&
      new Set(hosts).size === hosts.length && runs.every(({ report }) => isAlone(report));
    if (isJob) {
      const reports = runs.map((one) => withTimelines(one.report, one.name));
      const whole = () => mergedReport(name, runs.map((one) => taken(one.report, one.name)), {});
      yield { number: ++number, reports: () => reports, whole };
      continue;
    }
    for (const { name: path, report } of runs) {
      const partial = partialOf(report);
      if (partial !== undefined) log(`partial: ${partial}; the rows cover this part only`);
      const label = labels.get(baseName(path).replace(/\.report$/, ""));
      const reports = () => [withTimelines(report, path)];
      const own = { number: ++number, reports, whole: () => report };
      yield label === undefined ? own : { ...own, label };
    }
  }
}

function withTimelines(report: Report, path: string): TidyReport {
  return { report, timelines: () => keptTimelines(report, [path]) };
}

/** Recordings as one run. */
export function recordedRun(
  { report, timelines }: { report: Report; timelines: readonly TimelineFile[] },
): TidyRun {
  const reports = () => [{ report, timelines: () => timelines }];
  return { number: 1, reports, whole: () => report };
}

function isAlone({ joulemark }: Report): boolean {
  return joulemark?.bench === undefined;
}

/** The hosts of a run, read one after another. */
function partsRun(name: string, number: number, log: (line: string) => void): TidyRun {
  const files = reportFiles([name], "");
  function* reports() {
    const merger = new ReportMerger();
    for (const file of files) {
      const read = readFile(file);
      const kept = merger.admit(read.digest);
      const hosts = read.hosts.filter((_, i) => kept[i]);
      if (hosts.length > 0) yield withTimelines({ ...read.digest.header!, hosts }, file);
    }
    for (const line of merger.leftOut) log(line);
  }
  return { number, reports, whole: () => readRuns(name)[0].report };
}

/** Labels of the runs of a study by their file's name; empty: the directory holds none. */
function studyLabels(directory: string): Map<string, string> {
  const path = `${directory}/study.jsonl`;
  if (statPath(path) === undefined) return new Map();
  const labels = new Map<string, string>();
  for (const line of readFoundText(path).split("\n")) {
    try {
      const { file, label, repeat } = JSON.parse(line);
      if (typeof file === "string") labels.set(file, `${label} #${repeat}`);
    } catch {
      // A line that was cut when the study was killed.
    }
  }
  return labels;
}

/** Rows of all runs. */
export function* rowsOf(
  runs: Iterable<TidyRun>,
  { withProcesses, ...how }: Pick<TidyOptions, "job" | "components" | "minShare"> & {
    /** Rows of single processes too; sums over hosts have none. */
    readonly withProcesses: boolean;
  },
): Generator<TidyRow> {
  for (const { number, label, reports, whole } of runs) {
    const options = { ...how, number, label };
    if (how.job === true) {
      yield* tidyRows(whole(), options);
      continue;
    }
    for (const { report, timelines } of reports()) {
      const paths = new Set<unknown>();
      for (const row of tidyRows(report, options)) {
        paths.add(row.path);
        yield row;
      }
      if (!withProcesses) continue;
      for (const row of processRows(report, options, timelines())) {
        if (paths.has(row.path)) yield row;
      }
    }
  }
}

/** Times of outermost regions, one row a process. */
function* processRows(
  report: Report,
  options: TidyOptions,
  files: Iterable<TimelineFile>,
): Generator<TidyRow> {
  const run = runColumns(report, options);
  for (const { timelines: [timeline], processes } of files) {
    if (processes === undefined) continue;
    const counts = new Map<string, number>();
    const places = processes.label.map((label) => {
      const [, rank, named] = /^(?:rank (\d+)|process \d+)(?: \((.*)\))?$/.exec(label) ?? [];
      const host = named ?? timeline?.host ?? report.hosts[0].host;
      const number = counts.get(host) ?? 0;
      counts.set(host, number + 1);
      return { host, process: rank === undefined ? number : Number(rank) };
    });
    for (const [i, name] of processes.region.entries()) {
      const region = regionName(name);
      const path = `/${pathPart(region)}`;
      for (const [k, place] of places.entries()) {
        const time_s = processes.time_s[i]?.[k];
        if (time_s === undefined) continue;
        yield { ...run, ...place, path, region, depth: 0, time_s };
      }
    }
  }
}

/** A table of which the columns are known before its rows. */
export interface TidyTable {
  readonly columns: readonly string[];
  readonly rows: Iterable<TidyRow>;
}

/**
 * The columns are those of all tables, then the signals of the first run: its first row has them all.
 *
 * @param log Takes a line about a signal that only a later run has.
 */
export function tableOf(rows: Iterator<TidyRow>, log: (line: string) => void): TidyTable {
  const first = rows.next();
  const begin = first.done === true ? [] : [first.value];
  const columns = TIDY_COLUMNS.map(({ name }) => name);
  columns.push(...begin.flatMap((row) => Object.keys(row).filter(isSignal)));
  const known = new Set(columns);
  function* all() {
    yield* begin;
    for (let next = rows.next(); next.done !== true; next = rows.next()) {
      for (const name of Object.keys(next.value)) {
        if (known.has(name)) continue;
        known.add(name);
        log(`${name} has no column, because the first run has no such signal`);
      }
      yield next.value;
    }
  }
  return { columns, rows: all() };
}

/** Power over time, one row a host, interval and component; the region is the outermost one then. */
export function* seriesRows(number: number, files: Iterable<TimelineFile>): Generator<TidyRow> {
  for (const { regions, timelines } of files) {
    for (const { host, start_s, bucket_s, series, strips: [strip = []] } of timelines) {
      for (const { name, unit, mean, min = [], max = [] } of series) {
        if (unit !== "W") continue;
        for (let i = 0; i < mean.length; i++) {
          const values = { power_w: mean[i], power_min_w: min[i], power_max_w: max[i] };
          const known = Object.entries(values).filter((pair): pair is [string, number] => {
            return typeof pair[1] === "number";
          });
          if (known.length === 0) continue;
          const place: TidyRow = {
            run: String(number),
            host,
            time_s: start_s + (i + 0.5) * bucket_s,
            component: name.toLowerCase(),
          };
          const inside = strip.find(([from, buckets]) => from <= i && i < from + buckets);
          const row = { ...place, ...Object.fromEntries(known) };
          yield inside === undefined ? row : { ...row, region: regions.name[inside[2]] };
        }
      }
    }
  }
}
