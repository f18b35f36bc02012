/**
 * A report as tables: totals by component, hosts, regions, sources, and a line for each thing that
 * a reader of the figures must know.
 * @module
 */
import { counted } from "../../core/counted.ts";
import { type ComponentTotal, reportTotals } from "../../core/job_totals.ts";
import { OUTSIDE_REGIONS, type RegionRows, regionRows } from "../../core/region_rows.ts";
import {
  COMPONENT_NAMES,
  type EnergyKind,
  reportedJoules,
  type TreeRow,
} from "../../core/region_tree.ts";
import { type Nested, type Report, sampledOf } from "../../core/report.ts";
import { comparableFigures, fieldsByRegion, jobFigures } from "./job_figures.ts";
import { allNotes } from "./notes.ts";
import { processTable } from "./process_times.ts";
import { figures } from "./quantity_text.ts";
import { summarize } from "./statistics.ts";
import { mapping, summaryFacts } from "./summary_facts.ts";
import { regionOrder } from "./summary_table.ts";
import { columnsOf, details, type Table } from "./table.ts";
import type { View } from "./views.ts";

const J_PER_KWH = 3.6e6;

export { COMPONENT_NAMES, mapping };

/** GEOPM's figures of one region, over all hosts. NaN: not known. */
export interface RegionLine {
  readonly name: string;
  readonly hosts: number;
  /** Means over hosts. */
  readonly count: number;
  readonly runtimeS: number;
  readonly syncS: number;
  readonly ghz: number;
  readonly powerW: number;
  /** Sum over hosts, by samples. */
  readonly packageJ: number;
}

/** Keys of the command's outcome and of the run's owner. */
const RUN_KEYS = ["exit status", "ended by", "partial", "job", "cluster", "user"];

/** Keys of the run's owner and outcome, of a report that has them. */
export function runFacts({ joulemark = {} }: Report): { [key: string]: Nested } {
  return Object.fromEntries(Object.entries(joulemark).filter(([key]) => RUN_KEYS.includes(key)));
}

/** All that a report without samples shows. */
export function reportView(report: Report): View {
  const rows = regionRows(report), facts = summaryFacts(report);
  return {
    tables: [
      totals(report),
      ...report.hosts.length > 1 ? [hostTable(report)] : [],
      // Without a tree the rows are GEOPM's, which are printed below.
      ...rows.method === "sampled" ? [] : [treeTable(rows, regionOrder(facts))],
      ...otherTables(report),
      sourceTable(report),
    ].filter(({ rows }) => rows.length > 0),
    panels: [],
    notes: allNotes(report, facts),
  };
}

/** Tables that no view of a page replaces. */
export function otherTables(report: Report): Table[] {
  return [
    sectionTable(regionLines(report)),
    acrossTable(report),
    processTable(report),
    epochTable(report),
    ...standingTables(report),
  ].filter(({ rows }) => rows.length > 0);
}

/** GEOPM's figures of each region, and of what is in none, in the order of the report. */
export function regionLines({ hosts }: Report): RegionLine[] {
  const unmarked = hosts.flatMap(({ unmarked: fields }) => {
    return fields === undefined ? [] : [{ region: OUTSIDE_REGIONS, fields }];
  });
  const sections = [...hosts.flatMap(({ regions = [] }) => regions), ...unmarked];
  return [...fieldsByRegion(sections)].map(([name, list]) => {
    const mean = (key: string) => {
      return summarize(list.map((f) => sampledOf(f, key)).filter(Number.isFinite)).mean;
    };
    return {
      name,
      hosts: list.length,
      count: mean("count"),
      runtimeS: knownTime(mean("runtime (s)")),
      syncS: knownTime(mean("sync-runtime (s)")),
      ghz: mean("frequency (Hz)") / 1e9,
      powerW: mean("power (W)"),
      packageJ: list.reduce((sum, f) => sum + Number(f["package-energy (J)"] ?? NaN), 0),
    };
  });
}

/** Time for people: GEOPM's is below 0 outside regions if those of threads overlap. */
function knownTime(seconds: number): number {
  return seconds < 0 ? NaN : seconds;
}

function totals(report: Report): Table {
  const { seconds, components, edp } = reportTotals(report);
  const all = [...components];
  const has = (of: (total: ComponentTotal) => number) => {
    return all.some(([, total]) => Number.isFinite(of(total)));
  };
  const columns = columnsOf(
    ...["component", "energy (J)", "energy (kWh)", "mean power (W)"],
    ...details(["peak power (W)"], !has((t) => t.peakW)),
    ...details(["peak power at most (W)"], !has((t) => t.peakAtMostW)),
    ...details(["idle (J)"], !has((t) => t.idleJ)),
    ...details(["net (J)"], !has((t) => t.netJ)),
    ...details(["coverage (%)"], all.every(([, t]) => t.coverage === 1)),
  );
  const [first] = all;
  const energy = first === undefined
    ? ", energy not known"
    : `, ${figures(first[1].joules, 5)} J (${COMPONENT_NAMES[first[0]]}), ` +
      `EDP ${Number.isFinite(edp) ? `${figures(edp, 5)} J s` : "not available"}`;
  return {
    title: `${report.profile}: ${figures(seconds, 5)} s${energy}`,
    columns,
    rows: all.map(([kind, t]) => [
      ...[COMPONENT_NAMES[kind], t.joules, t.joules / J_PER_KWH, t.meanW, t.peakW],
      ...[t.peakAtMostW, t.idleJ, t.netJ, 100 * t.coverage],
    ]),
  };
}

/** Regions inside each other in the order of the summary, one estimator a row. */
function treeTable(
  { kinds, rows, outside, method, leftOut }: RegionRows,
  order: readonly number[],
): Table {
  const [main, ...others] = kinds;
  const name = (kind: EnergyKind) => COMPONENT_NAMES[kind];
  const all = [...order.map((i) => rows[i]), ...outside];
  const has = (of: (row: TreeRow) => number) => all.some((row) => Number.isFinite(of(row)));
  const by = (row: TreeRow) => {
    if (main === undefined) return "";
    const energy = row.energies.get(main);
    if (method === "fit" && Number.isNaN(energy?.joules ?? NaN)) return "edges";
    return method === "fit" ? "fit" : "edges";
  };
  const hasResult = (kind: EnergyKind) => {
    return method !== "fit" ||
      rows.some(({ energies }) => Number.isFinite(energies.get(kind)?.joules));
  };
  return {
    title: "Regions, including nested regions" +
      (leftOut > 0 ? `, without ${counted(leftOut, "path")}` : ""),
    columns: columnsOf(
      ...["region", "visits", "time (s)"],
      ...main === undefined ? [] : [
        `${name(main)} (J)`,
        ...details(["± (J)"], !has((row) => row.energies.get(main)?.seJ ?? NaN)),
        ...["by", "power (W)"],
      ],
      ...details(["own time (s)"], rows.every(({ depth }) => depth === 0)),
      ...main === undefined ? [] : [
        ...others.map((kind) => `${name(kind)}${hasResult(kind) ? "" : ", coarse"} (J)`),
      ],
      ...details(["p50 (s)", "p99 (s)"], !has((row) => row.visits.p50S)),
      ...details(["max (s)"]),
    ),
    rows: all.map((row) => {
      const { region, depth, count, runtimeS, selfS, visits, energies } = row;
      const energy = main === undefined ? undefined : energies.get(main);
      return [
        ...["  ".repeat(depth) + region, count, runtimeS],
        ...main === undefined
          ? []
          : [reportedJoules(energy), energy?.seJ ?? NaN, by(row), energy?.powerW ?? NaN],
        selfS,
        ...main === undefined ? [] : others.map((kind) => reportedJoules(energies.get(kind))),
        ...[visits.p50S, visits.p99S, visits.maxS],
      ];
    }),
  };
}

function hostTable(report: Report): Table {
  const jobs = report.hosts.map((host) => ({ ...report, hosts: [host] }));
  const measured = jobs.filter((job) => Number.isFinite(jobFigures(job).energyJ));
  // Energies of one column are of the same parts.
  const figuresOf = new Map(comparableFigures(measured).map((one, i) => [measured[i], one]));
  const [{ source } = { source: "" }] = figuresOf.values();
  const rows = jobs.map((job) => {
    const [{ host, regions }] = job.hosts;
    const { energyJ, timeS } = figuresOf.get(job) ?? jobFigures(job);
    return [host, timeS, energyJ, energyJ / timeS, regions?.length ?? 0];
  });
  const energies = summarize(rows.map((row) => Number(row[2])).filter(Number.isFinite));
  const [mean, deviation, min, max] = (["mean", "deviation", "min", "max"] as const)
    .map((of) => figures(energies[of], 5));
  const spread = energies.count > 1
    ? `: energy of ${source} ${mean} ± ${deviation} J, from ${min} to ${max} J`
    : "";
  return {
    title: `${report.hosts.length} hosts${spread}`,
    columns: columnsOf("host", "time (s)", "energy (J)", "power (W)", "regions"),
    rows,
  };
}

function sectionTable(regions: readonly RegionLine[]): Table {
  return {
    title:
      "GEOPM's values, sampled: energies are sums over hosts, other values are means over hosts",
    columns: columnsOf(
      ...["region", "count", "runtime (s)", "sync-runtime (s)", "package (J)", "power (W)"],
      ...["frequency (GHz)", ...details(["hosts"])],
    ),
    rows: regions.map((r) => {
      return [r.name, r.count, r.runtimeS, r.syncS, r.packageJ, r.powerW, r.ghz, r.hosts];
    }),
  };
}

/** Table of regions over hosts, as a merged report has them. */
function acrossTable({ joulemark }: Report): Table {
  const sections = mapping(joulemark?.["across hosts"]);
  const regions = { ...mapping(sections.Regions), "(all)": sections["Application Totals"] };
  const fields = [["time", "s", "runtime (s)"], ["package", "J", "package-energy (J)"]] as const;
  const rows = Object.entries(regions).map(([name, section]) => [
    name,
    ...fields.flatMap(([, , key]) => {
      const field = mapping(mapping(section)[key]);
      const numbers = ["mean", "deviation", "min", "max"]
        .map((one) => Number(field[one] ?? NaN))
        .map((value) => key === "runtime (s)" ? knownTime(value) : value);
      return [...numbers, String(field["max host"] ?? "-")];
    }),
  ]);
  return {
    title: "Regions over hosts, GEOPM's values",
    columns: columnsOf(
      "region",
      ...fields.flatMap(([name, unit]) => [
        ...[name, "±", "minimum", "maximum"].map((title) => `${title} (${unit})`),
        "maximum on",
      ]),
    ),
    rows: sections.Regions === undefined ? [] : rows,
  };
}

/** The outliers among the hosts of a job. */
function standingTables({ joulemark }: Report): Table[] {
  return ["stragglers", "outliers"].map((key) => {
    const lines = joulemark?.[key];
    return {
      title: `${key[0].toUpperCase()}${key.slice(1)}`,
      columns: columnsOf("host, field, region"),
      rows: Array.isArray(lines) ? lines.map((line) => [String(line)]) : [],
    };
  });
}

function epochTable({ hosts }: Report): Table {
  const keys = ["count", "runtime (s)", "package-energy (J)", "power (W)"];
  return {
    title: "Epochs",
    columns: columnsOf("host", "count", "time (s)", "package energy (J)", "power (W)"),
    rows: hosts.flatMap(({ host, epoch }) => {
      return epoch === undefined ? [] : [[host, ...keys.map((key) => Number(epoch[key] ?? NaN))]];
    }),
  };
}

/** Table of the source of each signal, once for hosts that agree. */
export function sourceTable({ hosts }: Report): Table {
  const seen = new Map<string, { row: string[]; hosts: number }>();
  for (const { joulemark } of hosts) {
    for (const [name, source] of Object.entries(mapping(joulemark?.sources))) {
      const { absent, quality, source: from } = mapping(source);
      const row = absent === undefined
        ? [name, String(quality ?? "-"), String(from ?? "-")]
        : [name, "absent", String(absent)];
      const key = JSON.stringify(row);
      seen.set(key, { row, hosts: (seen.get(key)?.hosts ?? 0) + 1 });
    }
  }
  return {
    title: "Sources of the signals",
    columns: columnsOf("signal", "quality", ...details(["hosts"], hosts.length < 2), "source"),
    rows: [...seen.values()].map(({ row: [name, quality, from], hosts }) => {
      return [name, quality, hosts, from];
    }),
  };
}
