/**
 * The data of a page: of a report with its timelines, or of any tables and plots. All of it is bounded.
 * @module
 */
import type { Panel } from "../analysis/picture.ts";
import { findings } from "../analysis/findings.ts";
import { allNotes } from "../analysis/notes.ts";
import { type SummaryFacts, summaryFacts } from "../analysis/summary_facts.ts";
import { processPanel } from "../analysis/process_times.ts";
import {
  mapping,
  otherTables,
  type RegionLine,
  regionLines,
  runFacts,
  sourceTable,
} from "../analysis/report_view.ts";
import type { Table } from "../analysis/table.ts";
import type { View } from "../analysis/views.ts";
import type { ComponentTotal } from "../../core/job_totals.ts";
import { regionRows } from "../../core/region_rows.ts";
import { COMPONENT_NAMES, type EnergyKind, reportedJoules } from "../../core/region_tree.ts";
import type { Nested, Report } from "../../core/report.ts";
import { VERSION } from "../../core/version.ts";
import {
  type HostEnergies,
  type HostTimeline,
  PAGE_FORMAT,
  type PageComponent,
  type PageData,
  type PageFunctions,
  type PageHosts,
  type PageNote,
  type PagePanel,
  type PageRegions,
  type PageSource,
  type PageTable,
  type TimelineFile,
} from "./data.ts";
import { joinTimelines } from "./job_timelines.ts";
import { functionColumns } from "./functions.ts";
import { known, regionColumns } from "./regions.ts";
import { outcomeText, tilesOf } from "./tiles.ts";

/** Rows of a table; the rest is counted. */
const MAX_ROWS = 500;
/** Points of a series. */
const MAX_POINTS = 2000;
/** Points with a name beside them. */
const MAX_LABELS = 30;
/** Hosts whose own mappings are on the page. */
const MAX_HOSTS = 4;
/** Hosts whose own timeline is on the page. */
const MAX_TIMELINES = 16;
/** Energies of regions on hosts. */
const MAX_HOST_ENERGIES = 12_000;
/** Names of hosts in a note. */
const MAX_NOTE_HOSTS = 40;

/** The page of a report, with the timelines that were kept beside it. */
export function reportPage(report: Report, files: Iterable<TimelineFile> = []): PageData {
  const facts = summaryFacts(report);
  const { totals, column, simulated } = facts;
  const { regions: marked, kinds, rowOf } = regionColumns(report, {
    components: totals.components,
    processes: facts.processes,
  });
  const components = kinds.map((kind) => componentOf(kind, facts));
  const component = Math.max(0, kinds.indexOf(column ?? kinds[0]));
  const hosts = hostColumns(facts);
  let functions: PageFunctions | undefined;
  const seen = function* () {
    for (const file of files) {
      functions ??= file.functions;
      yield file;
    }
  };
  const { timelines, processes, hosts: timed } = joinTimelines(seen(), shownHosts(hosts), rowOf);
  const shown = functions !== undefined && report.hosts.length === 1
    ? functionColumns(functions, kinds)
    : undefined;
  // Functions without regions need no row of the energy outside of regions.
  const regions = shown !== undefined && marked?.rest === 0 ? undefined : marked;
  const failed = outcomeText(facts.outcome);
  const energies = hostEnergies(report, regions, { kind: kinds[component], component });
  return {
    format: PAGE_FORMAT,
    made_by: `joulemark ${VERSION}`,
    title: report.profile,
    lead: leadOf(report, facts),
    ...simulated === undefined ? {} : { simulated },
    joulemark: runFacts(report),
    ...failed === undefined ? {} : { failed },
    missing: [
      ...missingParts(report, timed, timelines.some(hasPower)),
      ...shown === undefined ? missingFunctions(report) : [],
    ],
    seconds: known(totals.seconds),
    processes_count: known(facts.processes),
    edp_js: known(totals.edp),
    tiles: tilesOf(facts),
    findings: findings(facts).map(({ text, next }) => ({ text, next })),
    notes: notesOf(report, facts),
    components,
    component,
    ...regions === undefined ? {} : { regions },
    ...shown === undefined ? {} : { functions: shown },
    ...report.hosts.length > 1 ? { hosts } : {},
    ...energies === undefined ? {} : { host_energies: energies },
    ...processes === undefined ? {} : { processes },
    timelines: timelines.filter(({ series, strips }) => series.length > 0 || strips.length > 0),
    sources: sourcesOf(report),
    tables: otherTables(report).map(tableOf),
    panels: plots(report, processes !== undefined).map(panelOf),
    provenance: provenance(report),
  };
}

/** A page of tables, plots and notes. */
export function viewPage(
  { tables, panels, notes }: View,
  head: { title: string; lead: string; simulated?: string },
): PageData {
  // A banner has it already.
  const own = head.simulated === undefined
    ? notes
    : notes.filter((note) => !note.startsWith("simulated:"));
  return {
    format: PAGE_FORMAT,
    made_by: `joulemark ${VERSION}`,
    ...head,
    missing: [],
    seconds: null,
    processes_count: null,
    edp_js: null,
    tiles: [],
    findings: [],
    notes: own.map((text) => ({ text, count: 0, hosts: [] })),
    components: [],
    component: 0,
    timelines: [],
    sources: [],
    tables: tables.map(tableOf),
    panels: panels.map(panelOf),
  };
}

function componentOf(kind: EnergyKind, facts: SummaryFacts): PageComponent {
  const total = facts.totals.components.get(kind);
  const value = (of: (total: ComponentTotal) => number) => {
    return total === undefined ? null : known(of(total));
  };
  return {
    id: kind,
    name: COMPONENT_NAMES[kind],
    energy_j: value(({ joules }) => joules),
    error_j: value(({ errorJ }) => errorJ),
    mean_w: value(({ meanW }) => meanW),
    peak_w: value(({ peakW }) => peakW),
    peak_at_most_w: value(({ peakAtMostW }) => peakAtMostW),
    idle_j: value(({ idleJ }) => idleJ),
    net_j: value(({ netJ }) => netJ),
    coverage: total?.coverage ?? 0,
    covers: total?.covers ?? "",
    source: total?.source ?? "",
  };
}

function leadOf({ startTime, joulemark = {} }: Report, facts: SummaryFacts): string {
  const { hostCount, hosts, processes } = facts;
  const status = joulemark["exit status"];
  return [
    hostCount === 1 ? hosts[0]?.name ?? "1 host" : `${hostCount} hosts`,
    ...processes > 0 ? [`${processes} ${processes === 1 ? "process" : "processes"}`] : [],
    // Without the nanoseconds.
    `started ${startTime.replace(/\.\d+(?=[+-])/, " ").replace("T", " ")}`,
    ...status === undefined ? [] : [`exit status ${status}`],
  ].join(" · ");
}

function hasPower({ series }: HostTimeline): boolean {
  return series.some(({ unit }) => unit === "W");
}

function missingParts({ hosts }: Report, timed: number, isPowerKnown: boolean): string[] {
  if (timed === 0) {
    return [
      "Power over time and the times of single processes are not available: there is no " +
      ".timeline file of this run next to the report.",
    ];
  }
  return [
    ...timed < hosts.length
      ? [`Timelines of ${hosts.length - timed} of ${hosts.length} hosts are not available.`]
      : [],
    ...isPowerKnown ? [] : ["Power over time is not available: no energy counter was read."],
  ];
}

/** Why functions that a report has are not on its page. */
function missingFunctions({ hosts }: Report): string[] {
  if (hosts.every(({ joulemark }) => mapping(joulemark?.functions).list === undefined)) return [];
  return [
    hosts.length > 1
      ? "Functions of several hosts are not on this page: joulemark show --html of the report of one host " +
        "shows them."
      : "The functions and their stacks are not available: there is no .timeline file with them next to the " +
        "report.",
  ];
}

/** Notes, one a kind, with the hosts that have it. */
function notesOf(report: Report, facts: SummaryFacts): PageNote[] {
  const byKind = new Map<string, string[]>();
  for (const { host, joulemark } of report.hosts) {
    for (const key of ["notes", "minor notes"]) {
      const lines = joulemark?.[key];
      for (
        const line of new Set(Array.isArray(lines) ? lines.map((one) => kindOf(String(one))) : [])
      ) {
        byKind.getOrInsertComputed(line, () => []).push(host);
      }
    }
  }
  const names = new Set(report.hosts.map(({ host }) => host));
  // A banner has it already.
  const lines = allNotes(report, facts).filter((line) => !line.startsWith("simulated:"));
  return lines.map((line) => {
    const [, many, of, text] = OF_HOSTS.exec(line) ?? [];
    if (text === undefined || many === undefined && !names.has(of)) {
      return { text: line, count: 0, hosts: [] };
    }
    const hosts = byKind.get(kindOf(text)) ?? [of];
    return { text, count: Number(many ?? 1), hosts: hosts.slice(0, MAX_NOTE_HOSTS) };
  });
}

/** `12 hosts (first n0001): text`, or `n0001: text`. */
const OF_HOSTS = /^(?:(\d+) hosts \(first )?([^():]*)\)?: ([^]*)$/;

/** Notes of one kind differ in numbers alone. */
function kindOf(line: string): string {
  return line.replace(/\d[\d.,]*/g, "#");
}

/** Energy of the most inclusive component. */
function hostColumns({ hosts }: SummaryFacts): PageHosts {
  return {
    name: hosts.map(({ name }) => name),
    energy_j: hosts.map(({ energyJ }) => known(energyJ)),
    time_s: hosts.map(({ timeS }) => known(timeS)),
    power_w: hosts.map(({ meanW }) => known(meanW)),
  };
}

/**
 * Hosts with timelines: the median host and those with minimum and maximum energy, then evenly by
 * energy.
 */
function shownHosts({ name, energy_j }: PageHosts): Set<string> {
  const order = [...name.keys()].sort((a, b) => (energy_j[a] ?? 0) - (energy_j[b] ?? 0));
  const last = order.length - 1;
  const places = [0, last, Math.floor(last / 2)];
  for (let i = 1; i < MAX_TIMELINES - 1; i++) {
    places.push(Math.round(i * last / (MAX_TIMELINES - 1)));
  }
  return new Set(places.map((place) => name[order[place]]).slice(0, MAX_TIMELINES));
}

/** Energies of the regions with most energy on each host. */
function hostEnergies(
  report: Report,
  regions: PageRegions | undefined,
  { kind, component }: { kind: EnergyKind | undefined; component: number },
): HostEnergies | undefined {
  const { hosts } = report;
  if (hosts.length < 2 || regions === undefined || kind === undefined) return undefined;
  const energy = regions.energy_j[component];
  const rows = [...Array(regions.rest).keys()].filter((i) => energy[i] !== null)
    .sort((a, b) => energy[b]! - energy[a]!)
    .slice(0, Math.floor(MAX_HOST_ENERGIES / hosts.length));
  const places = new Map(rows.map((row, i) => [pathOf(regions, row), i]));
  const columns = rows.map((): (number | null)[] => hosts.map(() => null));
  hosts.forEach((host, h) => {
    const path: string[] = [];
    for (const row of regionRows({ ...report, joulemark: {}, hosts: [host] }).rows) {
      path.splice(row.depth, Infinity, row.region);
      const place = places.get(path.join("\0"));
      if (place !== undefined) columns[place][h] = known(reportedJoules(row.energies.get(kind)));
    }
  });
  const kept = [...rows.keys()].filter((i) => columns[i].some((value) => value !== null));
  if (kept.length === 0) return undefined;
  return { region: kept.map((i) => rows[i]), energy_j: kept.map((i) => columns[i]) };
}

function pathOf({ name, parent }: PageRegions, row: number): string {
  const names: string[] = [];
  for (let at = row; at >= 0; at = parent[at]) names.unshift(name[at]);
  return names.join("\0");
}

function sourcesOf(report: Report): PageSource[] {
  return sourceTable(report).rows.map(([signal, quality, hosts, source]) => ({
    signal: String(signal),
    quality: String(quality),
    source: String(source),
    hosts: Number(hosts),
  }));
}

function tableOf({ title, columns, rows }: Table): PageTable {
  const shown = columns.map(({ detail }, i) => detail === true ? -1 : i).filter((i) => i >= 0);
  return {
    title,
    columns: shown.map((i) => ({ name: columns[i].name, unit: columns[i].unit })),
    rows: rows.slice(0, MAX_ROWS).map((row) => {
      return shown.map((i) => typeof row[i] === "string" ? row[i] : known(row[i]));
    }),
    more: Math.max(0, rows.length - MAX_ROWS),
  };
}

function panelOf({ series, ...panel }: Panel): PagePanel {
  return {
    ...panel,
    series: series.map(({ x, y, xError, yError, labels, ...one }) => {
      const points = Array.from(y, (_, i) => i).filter((i) => {
        return Number.isFinite(x[i]) && Number.isFinite(y[i]);
      });
      const ys = points.map((i) => y[i]);
      const kept = keptPoints(ys, one.kind === "line").map((i) => points[i]);
      const list = (values: ArrayLike<number>) => kept.map((i) => values[i]);
      const errors = (values: ArrayLike<number>) => kept.map((i) => known(values[i]));
      return {
        ...one,
        x: list(x),
        y: list(y),
        ...xError === undefined ? {} : { xError: errors(xError) },
        ...yError === undefined ? {} : { yError: errors(yError) },
        ...labels === undefined ? {} : { labels: kept.map((i) => labels[i]) },
      };
    }),
  };
}

/**
 * Indices of the points to draw if there are many: of a line the lowest and highest of each
 * stretch.
 */
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

/** Power against frequency by region; how processes differ, unless their times are known. */
function plots(report: Report, hasTimes: boolean): Panel[] {
  const processes = hasTimes ? undefined : processPanel(report);
  return [
    ...byFrequency(regionLines(report)),
    ...processes === undefined ? [] : [processes],
  ];
}

function byFrequency(regions: readonly RegionLine[]): Panel[] {
  const found = regions.filter(({ ghz, powerW }) => ghz > 0 && powerW > 0).slice(0, MAX_ROWS);
  if (found.length === 0) return [];
  return [{
    title: "Power against frequency of regions",
    xTitle: "frequency (GHz)",
    yTitle: "power (W)",
    fromZero: false,
    series: [{
      name: "regions",
      kind: "points",
      x: found.map(({ ghz }) => ghz),
      y: found.map(({ powerW }) => powerW),
      ...found.length <= MAX_LABELS ? { labels: found.map(({ name }) => name) } : {},
    }],
  }];
}

/** Keys that have a view of their own. */
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
