/**
 * The long table of a report: one row a region, host and component. `show`, `query` and the page take their
 * columns and rows from here. Layout: docs/how-to/data.md.
 * @module
 */
import { ENERGY_SIGNALS, type JobTotals, ownTotals, reportTotals } from "./job_totals.ts";
import { OUTSIDE_REGIONS, ownEnergies, type RegionRows, regionRows } from "./region_rows.ts";
import {
  ENERGY_KINDS,
  type EnergyKind,
  regionName,
  reportedJoules,
  type TreeRow,
} from "./region_tree.ts";
import {
  fieldOf,
  isMapping,
  type Nested,
  type Report,
  type ReportHost,
  type ReportRegion,
} from "./report.ts";
import { signalNumber } from "./signal_names.ts";
import { simulatedBy } from "./simulated.ts";
import { isoTime } from "./start_time.ts";

/** A column of the table. */
export interface TidyColumn {
  readonly name: string;
  readonly type: "text" | "integer" | "number" | "time";
  readonly unit?: string;
  readonly about: string;
}

/** Components of a node's energy as people and programs read them. */
export const COMPONENTS: Readonly<Record<EnergyKind, string>> = {
  node: "node",
  package: "package",
  dram: "memory",
  gpu: "gpu",
};

/** Version of the columns; new ones come at the end. */
export const TIDY_VERSION = 1;

const text = (name: string, about: string): TidyColumn => ({ name, type: "text", about });
const integer = (name: string, about: string): TidyColumn => ({ name, type: "integer", about });
const number = (name: string, unit: string, about: string): TidyColumn => {
  return unit === "" ? { name, type: "number", about } : { name, type: "number", unit, about };
};

/** All columns but those of further signals, in their order. */
export const TIDY_COLUMNS: readonly TidyColumn[] = [
  text("run", "number or label of the run in this table"),
  text("profile", "name of the run"),
  text("host", "name of the node. Absent if the row is the sum over all hosts"),
  integer(
    "process",
    "MPI rank, or number of the process on its host. Absent if the row is for all processes",
  ),
  text(
    "path",
    "/ is the whole run, and /a/b is the region b inside a. / and % inside a name are %2F and %25",
  ),
  text("region", "last name of the path"),
  integer("depth", "nesting depth: 0 for an outermost region, -1 for the whole run"),
  text("source", "annotation API whose calls made the region"),
  number(
    "visits",
    "",
    "completed visits, mean over the processes. Only in rows without a component",
  ),
  number(
    "time_s",
    "s",
    "time with nested regions, mean over the processes. Only in rows without a component",
  ),
  number(
    "own_time_s",
    "s",
    "time without nested regions, mean over the processes. Only in rows without a component",
  ),
  number("visit_min_s", "s", "shortest visit"),
  number("visit_p50_s", "s", "median of the visits"),
  number("visit_p99_s", "s", "99th percentile of the visits"),
  number("visit_max_s", "s", "longest visit"),
  text("component", "node, package, memory or gpu. Absent in rows with times"),
  number("energy_j", "J", "energy with nested regions"),
  number("se_j", "J", "standard error of energy_j. Absent if it is not known"),
  number(
    "own_energy_j",
    "J",
    "energy without nested regions. To add up energies of regions, use this column",
  ),
  number("own_se_j", "J", "standard error of own_energy_j"),
  number(
    "power_w",
    "W",
    "mean power of the run, or power of the component if all CPUs of the run were in the region",
  ),
  text(
    "method",
    "counter: increase of the counter during the run. estimate: has a standard error. coarse: has no standard error",
  ),
  number("coverage", "", "part of the time in which the counter gave readings, 0 to 1"),
  text("quality", "measured, derived, simulated or partial"),
  integer("exit_status", "exit status of the command; 128 + N if signal N ended the command"),
  { name: "start", type: "time", about: "start of the run, ISO 8601" },
  text("set", "letter of the command in a benchmark"),
  integer("block", "number of the block of a benchmark"),
  integer("position", "place of the run in its block"),
];

/** One row: values by column, without those that are missing. */
export type TidyRow = Readonly<Record<string, string | number>>;

/** Selection of rows to make. */
export interface TidyOptions {
  /** Number of the run, its label unless a benchmark gave it one. @default 1 */
  readonly number?: number;
  /** Another label. */
  readonly label?: string;
  /** Sums over the hosts in place of each host. @default false */
  readonly job?: boolean;
  /** Names of {@linkcode COMPONENTS}. @default all */
  readonly components?: ReadonlySet<string>;
  /** Share of the energy, or of the time, below which a region has no rows. @default 0 */
  readonly minShare?: number;
  /**
   * Additional fields in the row of a section's times. @default the fields of {@linkcode isSignal}
   */
  readonly fields?: (section: Section, part: SectionPart, host: ReportHost) => TidyRow;
}

/** Part of a host that GEOPM's fields belong to. */
export type Section = "application" | "region" | "unmarked";

/** Fields of a section, and the hash of a region. */
export type SectionPart = Pick<ReportRegion, "fields"> & Partial<Pick<ReportRegion, "hash">>;

/** Is a field of a report a signal that `--report-signals` asked for? */
export function isSignal(key: string): boolean {
  return /^[A-Z][A-Z0-9_:#]*(@[a-z_]+(-\d+)?)?$/.test(key);
}

/** A name as part of a path. */
export function pathPart(name: string): string {
  return name.replaceAll("%", "%25").replaceAll("/", "%2F");
}

/** Names of a path, outermost first; of the whole run none. */
export function pathNames(path: string): string[] {
  const parts = path.split("/").slice(1).filter((part) => part !== "");
  return parts.map((part) => part.replace(/%2[58F]/g, (code) => ESCAPED[code]));
}

const ESCAPED: Readonly<Record<string, string>> = { "%25": "%", "%28": "(", "%2F": "/" };

/** Rows of a report, the whole run of each host first. */
export function* tidyRows(report: Report, options: TidyOptions = {}): Generator<TidyRow> {
  const run = runColumns(report, options);
  if (options.job === true) {
    yield* unitRows(run, report, reportTotals(report), options);
    return;
  }
  for (const host of report.hosts) {
    const isOnly = report.hosts.length === 1;
    const own = isOnly ? report : { ...report, hosts: [host], joulemark: withoutTree(report) };
    yield* unitRows({ ...run, host: host.host }, own, ownTotals(host), options);
  }
}

function withoutTree({ joulemark }: Report): Report["joulemark"] {
  if (joulemark === undefined) return undefined;
  const { tree: _tree, totals: _totals, ...rest } = joulemark;
  return rest;
}

/** Columns that all rows of a run have in common. */
export function runColumns(
  { profile, startTime, joulemark, hosts }: Report,
  { number = 1, label }: TidyOptions,
): TidyRow {
  const own = [joulemark, ...hosts.map((host) => host.joulemark)];
  const first = (key: string) => own.find((facts) => facts?.[key] !== undefined)?.[key];
  const endedBy = first("ended by"), status = first("exit status");
  const { bench } = joulemark ?? {};
  const place = isMapping(bench) ? bench : {};
  const inBench = place.set === undefined ? String(number) : `${place.set}${place.block}`;
  return row({
    run: label ?? inBench,
    profile,
    exit_status: endedBy === undefined ? status : 128 + signalNumber(String(endedBy)),
    start: isoTime(startTime),
    set: place.set,
    block: place.block,
    position: place.position,
  });
}

/** Row of the fields that have a value. */
function row(values: Readonly<Record<string, Nested | undefined>>): TidyRow {
  const known = Object.entries(values).filter((pair): pair is [string, string | number] => {
    const [, value] = pair;
    return typeof value === "number" ? Number.isFinite(value) : typeof value === "string";
  });
  return Object.fromEntries(known);
}

/** Rows of one host, or of a job. */
function* unitRows(
  run: TidyRow,
  report: Report,
  totals: JobTotals,
  { components, minShare = 0, fields = signalsOf }: TidyOptions,
): Generator<TidyRow> {
  const [host, ...others] = report.hosts;
  const table = regionRows(report, { ofAll: true });
  const kinds = ENERGY_KINDS.filter((kind) => {
    const isThere = totals.components.has(kind) || table.kinds.includes(kind);
    return isThere && (components === undefined || components.has(COMPONENTS[kind]));
  });
  const facts = new Map(kinds.map((kind) => [kind, componentFacts(report, totals, kind)]));
  // GEOPM's fields of several hosts are not sums.
  const extra = (section: Section, part: SectionPart | undefined) => {
    return others.length > 0 || part === undefined ? {} : fields(section, part, host);
  };
  const whole = { ...run, path: "/", depth: -1 };
  yield {
    ...whole,
    ...row({ visits: 1, time_s: totals.seconds }),
    ...extra("application", host && { fields: host.application }),
  };
  for (const kind of kinds) {
    const total = totals.components.get(kind);
    if (total === undefined) continue;
    const values = { energy_j: total.joules, power_w: total.meanW, method: "counter" };
    yield { ...whole, ...facts.get(kind)!, ...row(values) };
  }
  const all = placesOf(table);
  const own = new Map(kinds.map((kind) => {
    return [kind, ownEnergies(table, kind, totals.components.get(kind)?.joules)];
  }));
  const sections = new Map(host?.regions?.map((one) => [regionName(one.region), one]));
  for (const [i, { path, of, source, section }] of all.entries()) {
    if (minShare > 0 && section !== "unmarked" && isSmall(of, table, totals, minShare)) continue;
    const { visits } = of;
    const place = { ...run, ...row({ path, region: of.region, depth: of.depth, source }) };
    const times = row({
      visits: of.count,
      time_s: of.runtimeS,
      own_time_s: of.selfS,
      visit_min_s: visits.minS,
      visit_p50_s: visits.p50S,
      visit_p99_s: visits.p99S,
      visit_max_s: visits.maxS,
    });
    const unmarked = of.region === OUTSIDE_REGIONS ? host?.unmarked : undefined;
    // A section has the outermost visits, of all tracks: its fields are in one row.
    const isOutermost = section === "region" && of.depth === 0;
    const outermost = isOutermost ? sections.get(of.region) : undefined;
    const part = outermost ?? (unmarked && { fields: unmarked });
    const more = extra(section, part);
    if (isOutermost) sections.delete(of.region);
    if (Object.keys(times).length + Object.keys(more).length > 0) {
      yield { ...place, ...times, ...more };
    }
    for (const kind of kinds) {
      const energy = of.energies.get(kind), ownJ = own.get(kind)![i];
      // Of a counter that was lost, what was read.
      const ofPart = (key: string) => {
        return others.length > 0 || part === undefined ? NaN : fieldOf(part.fields, key);
      };
      const knownJ = ofPart(`joulemark-${kind}-energy-known (J)`);
      const coverage = ofPart(`joulemark-${kind}-energy-coverage (%)`) / 100;
      const wholeJ = energy === undefined ? ownJ : reportedJoules(energy);
      if (energy === undefined && Number.isNaN(ownJ) && Number.isNaN(knownJ)) continue;
      const hasError = Number.isFinite(energy?.seJ ?? NaN);
      const isOwn = Math.abs(ownJ - (energy?.selfJ ?? NaN)) <= ROUNDING * ownJ;
      const values = row({
        energy_j: Number.isNaN(wholeJ) ? knownJ : wholeJ,
        se_j: energy?.seJ,
        own_energy_j: ownJ,
        own_se_j: isOwn ? energy?.selfSeJ : undefined,
        power_w: energy?.powerW,
        method: hasError ? "estimate" : "coarse",
        coverage: Number.isNaN(wholeJ) ? coverage : undefined,
      });
      yield { ...place, ...facts.get(kind)!, ...values };
    }
  }
  // A tree may have fewer rows than there are sections.
  for (const part of sections.values()) {
    const more = extra("region", part);
    const region = regionName(part.region);
    if (Object.keys(more).length > 0) {
      yield { ...run, path: `/${pathPart(region)}`, region, depth: 0, ...more };
    }
  }
}

/** A region or a rest with its place in the tree. */
interface Placed {
  readonly path: string;
  readonly of: TreeRow;
  readonly source: string | undefined;
  readonly section: Section;
}

function placesOf(table: RegionRows): Placed[] {
  const names: string[] = [];
  const places = table.rows.map((of): Placed => {
    const { depth, region, track } = of;
    const reserved = depth === 0 && /^\((outside regions|other CPUs|undetermined)\)$/.test(region);
    names.length = depth;
    names.push(reserved ? `%28${region.slice(1)}` : pathPart(region));
    const [source] = track.split("/");
    const path = `/${names.join("/")}`;
    return { path, of, source: source === "" ? "joulemark" : source, section: "region" };
  });
  const rests = table.outside.map((of): Placed => {
    return { path: `/${of.region}`, of, source: undefined, section: "unmarked" };
  });
  return [...places, ...rests];
}

/** Share of an energy below which a difference is rounding. */
const ROUNDING = 1e-6;

function isSmall(of: TreeRow, table: RegionRows, totals: JobTotals, minShare: number): boolean {
  const parts = table.kinds.map((kind) => {
    return reportedJoules(of.energies.get(kind)) / (totals.components.get(kind)?.joules ?? NaN);
  }).filter(Number.isFinite);
  const share = parts.length > 0 ? Math.max(...parts) : of.runtimeS / totals.seconds;
  return share < minShare;
}

/** Facts that all rows of a component share. */
function componentFacts(report: Report, totals: JobTotals, kind: EnergyKind): TidyRow {
  const coverage = totals.components.get(kind)?.coverage;
  return row({ component: COMPONENTS[kind], coverage, quality: qualityOf(report, kind, coverage) });
}

function qualityOf(report: Report, kind: EnergyKind, coverage = 1): string | undefined {
  if (simulatedBy(report) !== undefined) return "simulated";
  const isPartial = [report.joulemark, ...report.hosts.map((host) => host.joulemark)]
    .some((own) => own?.partial !== undefined && own.partial !== false);
  if (isPartial || coverage < 1) return "partial";
  const qualities = report.hosts.map((host) => sourceQuality(host, kind));
  return qualities.find((quality) => quality === "derived") ?? qualities[0];
}

function sourceQuality({ joulemark }: ReportHost, kind: EnergyKind): string | undefined {
  const { sources } = joulemark ?? {};
  const source = isMapping(sources) ? sources[ENERGY_SIGNALS[kind]] : undefined;
  return isMapping(source) && typeof source.quality === "string" ? source.quality : undefined;
}

function signalsOf(_: Section, { fields }: SectionPart): TidyRow {
  return row(Object.fromEntries(Object.entries(fields).filter(([key]) => isSignal(key))));
}
