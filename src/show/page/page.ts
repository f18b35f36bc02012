/**
 * A page of a report, or of any tables and pictures: bounded, so that an hour's run of one host with
 * 200 regions stays below 400 kB.
 * @module
 */
import { jobFigures } from "../analysis/job_figures.ts";
import { processPanel } from "../analysis/process_times.ts";
import type { Panel } from "../analysis/picture.ts";
import { figures } from "../analysis/quantity_text.ts";
import {
  COMPONENT_NAMES,
  mapping,
  type RegionLine,
  regionLines,
  reportView,
} from "../analysis/report_view.ts";
import { type Table } from "../analysis/table.ts";
import type { View } from "../analysis/views.ts";
import { reportTotals } from "../../core/job_totals.ts";
import { bucketFloorNs } from "../../core/path_stats.ts";
import { regionRows, reportedJoules } from "../../core/region_rows.ts";
import type { EnergyKind, TreeRow } from "../../core/region_tree.ts";
import type { Nested, Report } from "../../core/report.ts";
import { simulatedBy } from "../../core/simulated.ts";
import { VERSION } from "../../core/version.ts";
import type { PageContent, PagePanel, PageTable, Timeline, TreeNode } from "./content.ts";

/** Rows of a table; the rest is counted. */
const MAX_ROWS = 500;
/** Points of a series. */
const MAX_POINTS = 2000;
/** Points with a name beside them. */
const MAX_LABELS = 30;
/** Regions whose lengths of visits are drawn. */
const MAX_DISTRIBUTIONS = 6;
/** Numbers of all timelines of a page: 130 kB. */
const MAX_NUMBERS = 20_000;
const MIN_BUCKETS = 64;
/** Hosts whose own mappings are on the page. */
const MAX_HOSTS = 4;

/** Buckets that each of so many timelines may have, of so many domains each. */
export function bucketsFor(timelines: number, domains: number): number {
  return Math.max(MIN_BUCKETS, Math.floor(MAX_NUMBERS / (3 * domains + 1) / timelines));
}

/** The page of a report. */
export function reportPage(report: Report, timelines: readonly Timeline[] = []): PageContent {
  const { seconds, components } = reportTotals(report);
  const regions = regionLines(report);
  const hosts = report.hosts.length === 1 ? report.hosts[0].host : `${report.hosts.length} hosts`;
  const [first] = components;
  const energy = first === undefined
    ? "energy not known"
    : `${figures(first[1].joules, 5)} J (${COMPONENT_NAMES[first[0]]})`;
  const time = figures(seconds, 5);
  const simulated = simulatedBy(report);
  const tree = treeOf(report);
  const page = viewPage(reportView(report), {
    title: `${report.profile} on ${hosts}`,
    lead: `${time} s, ${energy}; started ${report.startTime}; GEOPM format ${report.version}`,
    ...simulated === undefined ? {} : { simulated },
  });
  const notes = timelines.length > 0
    ? page.notes
    : [...page.notes, "no samples over time: run --html, a recording or a trace has them"];
  return {
    ...page,
    notes,
    timelines,
    panels: pictures(report, regions).map(panelOf),
    ...tree === undefined ? {} : { tree },
    provenance: provenance(report),
  };
}

/** A page of tables, pictures and notes. */
export function viewPage(
  { tables, panels, notes }: View,
  head: { title: string; lead: string; simulated?: string },
): PageContent {
  return {
    format: "joulemark-page/1",
    madeBy: `joulemark ${VERSION}`,
    ...head,
    // A banner has it already.
    notes: head.simulated === undefined ? notes : notes.filter((n) => !n.startsWith("simulated:")),
    tables: tables.map(tableOf),
    timelines: [],
    panels: panels.map(panelOf),
  };
}

function tableOf({ title, columns, rows }: Table): PageTable {
  const shown = columns.map(({ detail }, i) => detail === true ? -1 : i).filter((i) => i >= 0);
  return {
    title,
    columns: shown.map((i) => ({ name: columns[i].name, unit: columns[i].unit })),
    rows: rows.slice(0, MAX_ROWS).map((row) => shown.map((i) => cellOf(row[i]))),
    more: Math.max(0, rows.length - MAX_ROWS),
  };
}

function cellOf(cell: string | number): string | number | null {
  return typeof cell === "string" ? cell : finite(cell);
}

/** Seven digits of a figure; null where there is none. */
export function finite(value: number): number | null {
  return Number.isFinite(value) ? Number(value.toPrecision(7)) : null;
}

function panelOf({ series, ...panel }: Panel): PagePanel {
  return {
    ...panel,
    series: series.map(({ x, y, xError, yError, labels, ...one }) => {
      const kept = keptPoints(y, one.kind === "line");
      const list = (values: ArrayLike<number>) => kept.map((i) => finite(values[i]) ?? 0);
      return {
        ...one,
        x: list(x),
        y: list(y),
        ...xError === undefined ? {} : { xError: list(xError) },
        ...yError === undefined ? {} : { yError: list(yError) },
        ...labels === undefined ? {} : { labels: kept.map((i) => labels[i]) },
      };
    }),
  };
}

/** Of many points those that are drawn: of a line the least and greatest of each stretch. */
function keptPoints(y: ArrayLike<number>, isLine: boolean): number[] {
  const all = Array.from({ length: y.length }, (_, i) => i);
  if (y.length <= MAX_POINTS) return all;
  if (!isLine) {
    return all.slice(0, MAX_POINTS).map((i) => Math.round(i * (y.length - 1) / (MAX_POINTS - 1)));
  }
  const stretch = 2 * y.length / MAX_POINTS;
  return all.slice(0, MAX_POINTS / 2).flatMap((k) => {
    const own = all.slice(Math.round(k * stretch), Math.round((k + 1) * stretch));
    const best = (isBetter: (a: number, b: number) => boolean) => {
      return own.reduce((most, i) => isBetter(y[i], y[most]) ? i : most);
    };
    const ends = new Set([best((a, b) => a < b), best((a, b) => a > b)]);
    return [...ends].sort((a, b) => a - b);
  });
}

/** Power against frequency by region, and the spread of hosts. */
function pictures(report: Report, regions: readonly RegionLine[]): Panel[] {
  const known = regions.filter(({ ghz, powerW }) => ghz > 0 && powerW > 0).slice(0, MAX_ROWS)
    .map(({ name, ghz, powerW }) => ({ name, x: ghz, y: powerW }));
  const byFrequency = scatter("regions", known, {
    title: "Power against frequency of regions",
    xTitle: "frequency (GHz)",
    yTitle: "power (W)",
  });
  const hosts = report.hosts.map((host) => {
    const { timeS, energyJ } = jobFigures({ ...report, hosts: [host] });
    return { name: host.host, x: timeS, y: energyJ };
  }).filter(({ y }) => Number.isFinite(y)).sort((a, b) => a.y - b.y);
  const spread = scatter("hosts", hosts, {
    title: "Energy against time of hosts",
    xTitle: "time (s)",
    yTitle: "energy (J)",
  });
  const processes = processPanel(report);
  return [
    ...known.length > 0 ? [byFrequency] : [],
    ...hosts.length > 1 ? [spread] : [],
    ...processes === undefined ? [] : [processes],
    ...visitLengths(regionRows(report).rows),
  ];
}

/** Points with their names, where these are few. */
function scatter(
  name: string,
  points: readonly { readonly name: string; readonly x: number; readonly y: number }[],
  axes: Pick<Panel, "title" | "xTitle" | "yTitle">,
): Panel {
  const labels = points.length <= MAX_LABELS ? { labels: points.map(({ name }) => name) } : {};
  const [x, y] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  return { ...axes, fromZero: false, series: [{ name, kind: "points", x, y, ...labels }] };
}

/** How long visits of the regions with most time took, over all processes. */
function visitLengths(rows: readonly TreeRow[]): Panel[] {
  const timed = rows.filter(({ visits }) => visits.buckets.size > 0)
    .sort((a, b) => b.runtimeS - a.runtimeS).slice(0, MAX_DISTRIBUTIONS);
  if (timed.length === 0) return [];
  return [{
    title: "Lengths of visits",
    xTitle: "length of a visit, power of ten of seconds",
    yTitle: "visits",
    series: timed.map(({ region, visits }) => {
      const numbers = [...visits.buckets.keys()];
      const [first, last] = [Math.min(...numbers) - 1, Math.max(...numbers) + 1];
      const buckets = Array.from({ length: last - first + 1 }, (_, i) => first + i);
      return {
        name: region,
        kind: "line" as const,
        x: buckets.map((bucket) => Math.log10(bucketFloorNs(Math.max(0, bucket)) * 1e-9 || 1e-9)),
        y: buckets.map((bucket) => visits.buckets.get(bucket) ?? 0),
      };
    }),
  }];
}

/** Regions under the application: inside each other where the report has them so. */
function treeOf(report: Report): TreeNode | undefined {
  const { kinds: [kind], rows, outside } = regionRows(report);
  if (rows.length === 0) return undefined;
  const { seconds, components } = reportTotals(report);
  const of = kind === undefined ? "" : `: ${COMPONENT_NAMES[kind]}`;
  const root = {
    name: report.profile + of,
    timeS: finite(seconds),
    children: [] as TreeNode[],
  };
  const around = [root.children];
  for (const row of rows.slice(0, MAX_ROWS)) {
    const inside: TreeNode[] = [];
    around[row.depth].push({ ...nodeOf(row, kind), children: inside });
    around[row.depth + 1] = inside;
  }
  for (const row of outside) root.children.push(nodeOf(row, kind));
  const total = kind === undefined ? NaN : components.get(kind)?.joules ?? NaN;
  return { ...root, energyJ: finite(total) };
}

function nodeOf(row: TreeRow, kind: EnergyKind | undefined): TreeNode {
  const energy = kind === undefined ? undefined : row.energies.get(kind);
  const known = (name: string, value: number | undefined) => {
    return Number.isFinite(value) ? { [name]: finite(value!)! } : {};
  };
  return {
    name: row.region,
    energyJ: finite(reportedJoules(energy)),
    timeS: finite(row.runtimeS),
    ...known("errorJ", energy?.seJ),
    ...known("count", row.count),
    ...known("p50S", row.visits.p50S),
    ...known("p99S", row.visits.p99S),
  };
}

/** What has a table or a picture of its own. */
const SHOWN = new Set([
  "tree",
  "totals",
  "stragglers",
  "outliers",
  "across hosts",
  "across processes",
  "notes",
]);

/** The report's own mappings, of few hosts. */
function provenance({ joulemark, hosts }: Report): { [key: string]: Nested } {
  const own: { [key: string]: Nested } = {};
  for (const [key, value] of Object.entries(joulemark ?? {})) {
    if (!SHOWN.has(key)) own[`job: ${key}`] = value;
  }
  for (const host of hosts.slice(0, MAX_HOSTS)) {
    for (const [key, value] of Object.entries(mapping(host.joulemark))) {
      if (!SHOWN.has(key)) own[hosts.length === 1 ? key : `${host.host}: ${key}`] = value;
    }
  }
  return own;
}
