/**
 * A run as its summary, its findings and its page know it: one set of facts, out of a report.
 * @module
 */
import {
  absenceOf,
  type ComponentTotal,
  ENERGY_SIGNALS,
  type JobTotals,
  reportTotals,
} from "../../core/job_totals.ts";
import { type ProcessSpread, spreadsFromNested } from "../../core/process_spread.ts";
import { type RegionRows, regionRows, UNDETERMINED } from "../../core/region_rows.ts";
import {
  ENERGY_KINDS,
  type EnergyKind,
  regionName,
  reportedJoules,
  type TreeRow,
} from "../../core/region_tree.ts";
import {
  fieldOf,
  isMapping,
  type Nested,
  numberOf,
  type Report,
  type ReportFields,
  type ReportHost,
} from "../../core/report.ts";
import { simulatedBy } from "../../core/simulated.ts";
import { NOT_IN_THIS_PART, reportNotes, stillText } from "./notes.ts";
import { type FunctionFacts, functionFacts } from "./summary_functions.ts";

/** Outcome of the command. */
export type Outcome =
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly status: number }
  | { readonly kind: "killed"; readonly signal: string }
  | { readonly kind: "interrupted"; readonly signal: string }
  /** A part of a run or of a job, in words. */
  | { readonly kind: "partial"; readonly why: string };

/** A region, or energy that no region has. NaN: not known. */
export interface RegionFacts extends TreeRow {
  /** Names from the outermost one, joined by `/`. */
  readonly path: string;
  /** Number of the region around it, -1: none. */
  readonly parent: number;
  /** Energy while a counter was measured only for a part of the time, J. */
  readonly partialJ: number;
  /** Part of the time in which a GPU was busy, 0 to 1. */
  readonly gpuBusy: number;
}

/** One host of a job. NaN: not known. */
export interface HostFacts {
  readonly name: string;
  readonly timeS: number;
  /** Energy of the most inclusive component of the job, J. */
  readonly energyJ: number;
  readonly meanW: number;
}

/** Power over time in parts of equal length, W; NaN: not measured. */
export interface PowerCurve {
  readonly kind: EnergyKind;
  readonly widthS: number;
  readonly watts: readonly number[];
}

/** Facts about a run. NaN: not known. */
export interface SummaryFacts {
  readonly name: string;
  readonly outcome: Outcome;
  /** Why the report covers a part of the run; "": it does not, or without a reason. */
  readonly partial: string;
  /** Replacement of the counters; `undefined`: they are those of the machine. */
  readonly simulated: string | undefined;
  readonly totals: JobTotals;
  /** The most inclusive component; `undefined`: no energy is known. */
  readonly main: EnergyKind | undefined;
  /** Why no energy is known; "": it is. */
  readonly absence: string;
  readonly hostCount: number;
  /** Hosts that have a section in the report. */
  readonly hosts: readonly HostFacts[];
  /** The lowest, the highest and the middle energy of a host, of a job of several. */
  readonly spread: HostSpread | undefined;
  /** Processes with annotations. */
  readonly processes: number;
  /** Each after the one around it. */
  readonly regions: readonly RegionFacts[];
  /** Paths that the report has no row of. */
  readonly leftOut: number;
  /** Energy that no region has. */
  readonly rests: readonly TreeRow[];
  /** The component of the region table: the most inclusive one with errors, else with energies. */
  readonly column: EnergyKind | undefined;
  /** Are the energies of the column such of a part of the time? */
  readonly isPartial: boolean;
  /** Update period of each component's counter, s. */
  readonly periodsS: ReadonlyMap<EnergyKind, number>;
  /** Method of the regions' energies; only the fit gives errors. */
  readonly method: RegionRows["method"];
  /** Why there is no energy of the node though its counter is there; `undefined`: it has none, or there is. */
  readonly nodeAbsence: string | undefined;
  /** Spread of region times over processes. */
  readonly spreads: readonly ProcessSpread[];
  /** Part of the time in which the CPUs that the job may use were busy, 0 to 1. */
  readonly busy: number;
  /** Part of the time in which a power limit slowed the processors down, 0 to 1. */
  readonly throttled: number;
  readonly gpus: number;
  readonly gpuBusy: number;
  readonly curve: PowerCurve | undefined;
  /** Regions that were open when their process ended, as the report names them. */
  readonly open: readonly string[];
  /** Spans of a run, those with most time first. */
  readonly spans: readonly {
    readonly name: string;
    readonly count: number;
    readonly timeS: number;
  }[];
  /** Functions, if the run sampled them. */
  readonly functions: FunctionFacts | undefined;
  /** Steps that the run logged, in words; "": none. */
  readonly steps: string;
  /** Number of these steps; NaN: none. */
  readonly stepCount: number;
  /** Notes, the most important first. */
  readonly notes: readonly string[];
  /** Notes that change no value's meaning. */
  readonly minor: readonly string[];
  /** Cost of sampling in per cent of a core, of the host where it is highest, and of simulated counters. */
  readonly monitor: { readonly percent: number; readonly simulatedPercent: number } | undefined;
}

/** Energies of a job's hosts, J. */
export interface HostSpread {
  readonly minJ: number;
  readonly minHost: string;
  readonly maxJ: number;
  readonly maxHost: string;
  readonly middleJ: number;
  readonly isMedian: boolean;
}

/** Part of a component's energy that must have an error before the table shows it. */
const MIN_WITH_ERROR = 0.9;

/** The facts of a report, of one host or of a job. */
export function summaryFacts(report: Report): SummaryFacts {
  const { joulemark: job = {}, hosts: sections } = report;
  const totals = reportTotals(report);
  const [main] = totals.components.keys();
  const rows = regionRows(report);
  const regions = regionsOf(report, rows.rows);
  const known = rows.outside.filter(({ region }) => region !== UNDETERMINED);
  const column = columnOf(rows.kinds, [...regions, ...known], totals);
  const partial = column === undefined ? partialColumn(report, regions, totals) : undefined;
  const only = sections.length === 1 ? sections[0] : undefined;
  const own = only?.joulemark ?? {};
  const hosts = sections.map((host): HostFacts => {
    const { seconds, components } = reportTotals({ ...report, joulemark: {}, hosts: [host] });
    const total = main === undefined ? undefined : components.get(main);
    return {
      name: host.host,
      timeS: seconds,
      energyJ: total?.joules ?? NaN,
      meanW: total?.meanW ?? NaN,
    };
  });
  const hostCount = typeof job.hosts === "number" ? job.hosts : sections.length;
  const application = only?.application ?? {};
  const values = {
    totals: Number.isNaN(totals.seconds) ? { ...totals, seconds: longest(hosts) } : totals,
    main,
    column: column ?? partial?.kind,
    regions: partial?.regions ?? regions,
    periodsS: periodsOf(report),
    monitor: monitorOf(report),
    absence: main === undefined ? absenceText(report) : "",
    method: rows.method,
    stepCount: numberOf(mapping(own.steps).count),
    nodeAbsence:
      sections.map((host) => stillText(host, "node")).find((text) => text !== undefined) ??
        (rows.method === "sampled" && !sections.some(hasNodeSource) ? NOT_SAMPLED : undefined),
  };
  return {
    ...values,
    ...reportNotes(report, values),
    name: report.profile,
    outcome: outcomeOf(report),
    partial: partialOf(report) ?? "",
    simulated: simulatedBy(report),
    hostCount,
    hosts,
    spread: hostCount > 1 ? spreadOf(job.totals, main, hosts) : undefined,
    processes: processesOf(report),
    leftOut: rows.leftOut,
    rests: rows.outside,
    isPartial: partial !== undefined,
    spreads: spreadsFromNested(job["across processes"] ?? own["across processes"]),
    busy: numberOf(mapping(own["job share"])["CPUs busy (%)"]) / 100,
    throttled: numberOf(own["throttled (%)"]) / 100,
    gpus: numberOf(mapping(own.machine).gpus),
    gpuBusy: fieldOf(application, "GPU_UTILIZATION"),
    curve: curveOf(own["power curve"], main),
    open: openOf(own.processes),
    spans: spansOf(report),
    functions: functionFacts(sections.map(({ joulemark }) => joulemark?.functions)),
    steps: stepsOf(own.steps),
  };
}

/** Why a report of GEOPM's values alone has no node energy. */
const NOT_SAMPLED = "GEOPM's sampled values do not include it";

function hasNodeSource({ joulemark }: ReportHost): boolean {
  return mapping(joulemark?.sources)[ENERGY_SIGNALS.node] !== undefined;
}

/** A mapping, empty if it is none. */
export function mapping(value: Nested | undefined): { [key: string]: Nested } {
  return isMapping(value) ? value : {};
}

/** Outcome of the command, and completeness of the report. */
function outcomeOf(report: Report): Outcome {
  const { joulemark: job = {} } = report;
  const signal = job["ended by"], status = job["exit status"];
  const partial = partialOf(report);
  if (typeof signal === "string") {
    return { kind: partial === undefined ? "killed" : "interrupted", signal };
  }
  if (typeof status === "number" && status !== 0) return { kind: "failed", status };
  if (partial === undefined) return { kind: "done" };
  return { kind: "partial", why: partial };
}

/** Why a report covers a part of its run; "": no reason is known; `undefined`: it covers all. */
export function partialOf({ joulemark: job, hosts }: Report): string | undefined {
  const own = hosts.length === 1 ? hosts[0].joulemark : undefined;
  const partial = [job?.partial, own?.partial].find((one) => one !== undefined && one !== false);
  return partial === undefined ? undefined : typeof partial === "string" ? partial : "";
}

/** Energy of a row, whatever it is found by. */
export function joulesOf(row: TreeRow, kind: EnergyKind): number {
  return reportedJoules(row.energies.get(kind));
}

/** Standard error of a row's energy; NaN: it has none. */
export function errorOf(row: TreeRow, kind: EnergyKind): number {
  const energy = row.energies.get(kind);
  return energy === undefined || Number.isNaN(energy.joules) ? NaN : energy.seJ;
}

function regionsOf(report: Report, rows: readonly TreeRow[]): RegionFacts[] {
  const { hosts: [host, ...others] } = report;
  const sections = sectionsOf(others.length > 0 ? undefined : host, rows);
  const names: string[] = [], around: number[] = [];
  return rows.map((row, i) => {
    names.splice(row.depth, Infinity, row.region);
    around[row.depth] = i;
    const fields = sections.get(row.region) ?? {};
    return {
      ...row,
      path: names.join("/"),
      parent: row.depth === 0 ? -1 : around[row.depth - 1],
      partialJ: NaN,
      gpuBusy: fieldOf(fields, "GPU_UTILIZATION"),
    };
  });
}

/** GEOPM's fields of regions; a name that several rows have is of none of them. */
function sectionsOf(
  host: ReportHost | undefined,
  rows: readonly TreeRow[],
): Map<string, ReportFields> {
  const counts = new Map<string, number>();
  for (const { region } of rows) counts.set(region, (counts.get(region) ?? 0) + 1);
  const own = (host?.regions ?? []).filter(({ region }) => counts.get(regionName(region)) === 1);
  return new Map(own.map(({ region, fields }) => [regionName(region), fields]));
}

/** The component of the table. */
function columnOf(
  kinds: readonly EnergyKind[],
  rows: readonly TreeRow[],
  { components }: JobTotals,
): EnergyKind | undefined {
  const ordered = ENERGY_KINDS.filter((kind) => kinds.includes(kind));
  const outermost = rows.filter(({ depth }) => depth === 0);
  const withError = (kind: EnergyKind) => {
    const sum = (isKnown: (row: TreeRow) => boolean) => {
      return outermost.filter(isKnown).reduce((sum, row) => sum + (joulesOf(row, kind) || 0), 0);
    };
    const total = components.get(kind)?.joules ?? sum(() => true);
    return sum((row) => errorOf(row, kind) > 0) >= MIN_WITH_ERROR * total;
  };
  const known = ordered.filter((kind) => outermost.some((row) => joulesOf(row, kind) > 0));
  return known.find(withError) ?? known[0];
}

/** Energies of regions of a component that was measured for a part of the time. */
function partialColumn(
  { hosts }: Report,
  regions: readonly RegionFacts[],
  { components }: JobTotals,
): { kind: EnergyKind; regions: RegionFacts[] } | undefined {
  if (hosts.length !== 1) return undefined;
  const sections = sectionsOf(hosts[0], regions);
  for (const kind of components.keys()) {
    const of = regions.map((row): RegionFacts => {
      const section = sections.get(row.region) ?? {};
      return { ...row, partialJ: fieldOf(section, `joulemark-${kind}-energy-known (J)`) };
    });
    if (of.some(({ partialJ }) => partialJ > 0)) return { kind, regions: of };
  }
  return undefined;
}

function longest(hosts: readonly HostFacts[]): number {
  const times = hosts.map(({ timeS }) => timeS).filter(Number.isFinite);
  return times.length === 0 ? NaN : Math.max(...times);
}

function processesOf({ joulemark: job = {}, hosts }: Report): number {
  const all = hosts.map(({ joulemark: own = {} }) => mapping(own.processes));
  // The launched command may start any number of processes.
  const marked = all.filter((processes) => processes["without marks"] === undefined);
  if (marked.length === 0 && all.length > 0) return NaN;
  const counts = marked.map(({ count, seen }) => numberOf(count, numberOf(seen)));
  const sum = counts.reduce((all, count) => all + count, 0);
  if (counts.length > 0 && Number.isFinite(sum)) return sum;
  return numberOf(job.processes, numberOf(mapping(job.tree).processes));
}

function spreadOf(
  totals: Nested | undefined,
  main: EnergyKind | undefined,
  hosts: readonly HostFacts[],
): HostSpread | undefined {
  if (main === undefined) return undefined;
  const known = hosts.filter(({ energyJ }) => Number.isFinite(energyJ))
    .sort((a, b) => a.energyJ - b.energyJ);
  const [first] = known, last = known[known.length - 1];
  if (known.length > 1) {
    const half = known.length / 2;
    const middle = known.slice(Math.ceil(half) - 1, Math.floor(half) + 1);
    return {
      minJ: first.energyJ,
      minHost: first.name,
      maxJ: last.energyJ,
      maxHost: last.name,
      middleJ: middle.reduce((sum, { energyJ }) => sum + energyJ, 0) / middle.length,
      isMedian: true,
    };
  }
  const fields = mapping(mapping(totals)[main]);
  if (fields["host least (J)"] === undefined) return undefined;
  return {
    minJ: numberOf(fields["host least (J)"]),
    minHost: String(fields["host least"]),
    maxJ: numberOf(fields["host most (J)"]),
    maxHost: String(fields["host most"]),
    middleJ: numberOf(fields["host mean (J)"]),
    isMedian: false,
  };
}

/** Why there is no energy in most virtual machines. */
const NO_COUNTER_IN_VM = "this virtual machine has no energy counter";

/** Why there is no energy, in a few words. */
function absenceText(report: Report): string {
  for (const host of report.hosts) {
    const still = ENERGY_KINDS.map((kind) => stillText(host, kind))
      .find((text) => text !== undefined);
    if (still !== undefined) return still;
    const reasons = ENERGY_KINDS.map((kind) => absenceOf(host, kind))
      .filter((reason) => reason !== undefined);
    if (reasons.some((reason) => reason.includes("virtual machine"))) return NO_COUNTER_IN_VM;
    const [first] = reasons;
    if (first !== undefined) return first.split(";")[0];
  }
  return partialOf(report) !== undefined ? NOT_IN_THIS_PART : "no counter gave one";
}

function periodsOf({ hosts }: Report): Map<EnergyKind, number> {
  const periods = new Map<EnergyKind, number>();
  for (const { joulemark } of hosts) {
    for (const [name, facts] of Object.entries(mapping(joulemark?.attribution))) {
      const kind = ENERGY_KINDS.find((kind) => name.startsWith(`${kind}-`));
      const periodS = numberOf(mapping(facts)["update period (s)"]);
      if (kind === undefined || !(periodS > 0)) continue;
      periods.set(kind, Math.max(periods.get(kind) ?? 0, periodS));
    }
  }
  return periods;
}

function curveOf(nested: Nested | undefined, main: EnergyKind | undefined): PowerCurve | undefined {
  const fields = mapping(nested);
  if (main === undefined || typeof fields[`${main} (W)`] !== "string") return undefined;
  const watts = String(fields[`${main} (W)`]).split(" ").map(Number);
  return { kind: main, widthS: numberOf(fields["width (s)"]), watts };
}

function openOf(processes: Nested | undefined): string[] {
  const open = mapping(processes)["ended inside a region"];
  const texts = Array.isArray(open) ? open.filter((text) => typeof text === "string") : [];
  return texts.map((text) => text.replace(/^\d+ in /, ""));
}

function spansOf({ hosts }: Report): SummaryFacts["spans"] {
  const spans = new Map<string, { name: string; count: number; timeS: number }>();
  for (const { joulemark } of hosts) {
    for (const fields of Array.isArray(joulemark?.spans) ? joulemark.spans : []) {
      if (!isMapping(fields)) continue;
      const name = String(fields.span);
      const all = spans.getOrInsertComputed(name, () => ({ name, count: 0, timeS: 0 }));
      all.count += numberOf(fields.count);
      all.timeS += numberOf(fields["time (s)"]);
    }
  }
  return [...spans.values()].sort((a, b) => b.timeS - a.timeS);
}

function stepsOf(steps: Nested | undefined): string {
  if (!isMapping(steps)) return "";
  const { count, of, file } = steps;
  // A damaged report may lack one of them.
  if (count === undefined || of === undefined || file === undefined) return "";
  return `steps: ${count} (${of}); to see them: joulemark pmc ${file}`;
}

function monitorOf({ joulemark: job, hosts }: Report): SummaryFacts["monitor"] {
  let most: SummaryFacts["monitor"];
  for (const own of [job, ...hosts.map(({ joulemark }) => joulemark)]) {
    const cost = mapping(own?.overhead);
    const percent = numberOf(
      cost["sampling (% of a core)"],
      numberOf(cost["cpu (% of a core)"]),
    );
    if (!(percent > (most?.percent ?? -1))) continue;
    most = { percent, simulatedPercent: numberOf(cost["simulated counters (% of a core)"]) };
  }
  return most;
}

/** The total of a component. */
export function totalOf(
  { totals }: Pick<SummaryFacts, "totals">,
  kind: EnergyKind | undefined,
): ComponentTotal | undefined {
  return kind === undefined ? undefined : totals.components.get(kind);
}
