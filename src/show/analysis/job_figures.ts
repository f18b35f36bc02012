/**
 * A report as figures of its job: energy and time of all hosts, and of each region.
 * @module
 */
import { absenceOf, ownTotals, TOO_SHORT } from "../../core/job_totals.ts";
import { regionRows } from "../../core/region_rows.ts";
import {
  COMPONENT_NAMES,
  type EnergyKind,
  regionName,
  reportedJoules,
} from "../../core/region_tree.ts";
import type { Report, ReportFields, ReportHost, ReportRegion } from "../../core/report.ts";

/** Figures of a run. NaN: not known. */
export interface JobFigures {
  /** Over all hosts. */
  readonly energyJ: number;
  /** The longest of the hosts. */
  readonly timeS: number;
  /** Parts that the energy is made of: `node`, or `package + memory`; `none`. */
  readonly source: string;
  /** In the order of the report; one inside others by its path, `solve/multiply`. */
  readonly regions: ReadonlyMap<string, RegionFigures>;
}

/** Figures of a region over all hosts. */
export interface RegionFigures {
  /** Energy of the same parts as the job's, J; NaN if one cannot be determined. */
  readonly energyJ: number;
  /** Runtime: mean over the hosts that have it. */
  readonly timeS: number;
}

/** Part of a node's energy: its name, and how keys of the report name it. */
interface Part {
  readonly name: string;
  readonly key: EnergyKind;
}

const NODE: Part = { name: COMPONENT_NAMES.node, key: "node" };
const PARTS: readonly Part[] = (["package", "dram", "gpu"] as const)
  .map((key) => ({ name: COMPONENT_NAMES[key], key }));

/** Parts that all hosts have an energy of, without the node's. */
function partsOf({ hosts }: Report, isAbsent = isWithout): readonly Part[] {
  return PARTS.filter((part) =>
    hosts.some((host) => hasKey(host, part)) &&
    hosts.every((host) => !hasKey(host, part) || !isAbsent(host, part))
  );
}

function isWithout(host: ReportHost, { key }: Part): boolean {
  return absenceOf(host, key) !== undefined;
}

/** The counters' parts of the energy: those count too whose first update came after the run. */
export function counterParts(report: Report): string {
  const isTooShort = (host: ReportHost, { key }: Part) =>
    absenceOf(host, key)?.startsWith(TOO_SHORT) === true;
  const { hosts } = report;
  const isNode = hosts.some((host) => isTooShort(host, NODE)) &&
    hosts.every((host) => isTooShort(host, NODE) || ownTotals(host).components.has("node"));
  if (isNode) return NODE.name;
  const { source } = jobFigures(report);
  if (source === NODE.name) return source;
  return sourceText(
    partsOf(report, (host, part) => isWithout(host, part) && !isTooShort(host, part)),
  );
}

function sourceText(parts: readonly Part[]): string {
  return parts.map(({ name }) => name).join(" + ") || "none";
}

/**
 * Energy of the nodes where all hosts have it, else of what GEOPM's own fields have.
 *
 * @param only Parts of the energy instead.
 */
export function jobFigures(report: Report, only?: readonly Part[]): JobFigures {
  const { hosts } = report;
  const totals = hosts.map(ownTotals);
  const timeS = Math.max(...totals.map(({ seconds }) => seconds));
  // Energy of a part of the time is not that of the run.
  const joules = (kind: EnergyKind) =>
    totals.map(({ components }) => {
      const total = components.get(kind);
      return total?.covers === "" ? total.joules : NaN;
    });
  const nodes = joules("node");
  const isNode = only === undefined && hosts.length > 0 && nodes.every(Number.isFinite);
  const parts = isNode ? [NODE] : only ?? partsOf(report);
  const energies = isNode ? nodes : parts.flatMap((part) => {
    return joules(part.key).map((energyJ, i) => hasKey(hosts[i], part) ? energyJ : 0);
  });
  return {
    energyJ: parts.length === 0 ? NaN : energies.reduce((sum, value) => sum + value, 0),
    timeS,
    source: sourceText(parts),
    regions: treeFigures(report, parts) ?? regionFigures(hosts, parts),
  };
}

/** Figures of several jobs, with the energy of the parts that all of them have. */
export function comparableFigures(reports: readonly Report[]): JobFigures[] {
  const jobs = reports.map((report) => jobFigures(report));
  if (new Set(jobs.map(({ source }) => source)).size <= 1) return jobs;
  const lists = reports.map((report) => partsOf(report));
  const shared = PARTS.filter((part) => lists.every((parts) => parts.includes(part)));
  return reports.map((report) => jobFigures(report, shared));
}

/** A host without a key, such as a GPU's, has no such part. */
function hasKey({ application }: ReportHost, { key }: Part): boolean {
  return application[`${key}-energy (J)`] !== undefined;
}

function regionFigures(hosts: readonly ReportHost[], parts: readonly Part[]) {
  const lists = fieldsByRegion(hosts.flatMap(({ regions = [] }) => regions));
  return new Map([...lists].map(([name, list]) => [name, regionOf(list, parts)]));
}

/** Fields of each region on all hosts that have it. */
export function fieldsByRegion(
  sections: readonly Pick<ReportRegion, "region" | "fields">[],
): Map<string, ReportFields[]> {
  const lists = Map.groupBy(sections, ({ region }) => regionName(region));
  return new Map([...lists].map(([name, list]) => [name, list.map(({ fields }) => fields)]));
}

/** Values of the report's tree, as the summary has them; `undefined`: it has none. */
function treeFigures(
  report: Report,
  parts: readonly Part[],
): Map<string, RegionFigures> | undefined {
  const { rows, method } = regionRows(report);
  if (method === "sampled" || rows.length === 0) return undefined;
  const figures = new Map<string, RegionFigures>();
  const path: string[] = [];
  for (const { depth, region, runtimeS, energies } of rows) {
    path.splice(depth, Infinity, region);
    const energyJ = parts.length === 0 ? NaN : parts.reduce((sum, { key }) => {
      return sum + reportedJoules(energies.get(key));
    }, 0);
    figures.set(path.join("/"), { energyJ, timeS: runtimeS });
  }
  return figures;
}

/** By the best estimator that all hosts and parts have. */
function regionOf(list: readonly ReportFields[], parts: readonly Part[]): RegionFigures {
  const timeS = list.reduce((sum, f) => sum + Number(f["runtime (s)"]), 0) / list.length;
  for (const estimator of ["fit", "exact", "sampled"]) {
    const values = parts.flatMap(({ key }) => {
      const name = estimator === "sampled"
        ? `${key}-energy (J)`
        : `joulemark-${key}-energy-${estimator} (J)`;
      return list.filter((fields) => fields[`${key}-energy (J)`] !== undefined || key === "node")
        .map((fields) => Number(fields[name] ?? NaN));
    });
    const energyJ = values.reduce((sum, value) => sum + value, 0);
    if (values.length > 0 && Number.isFinite(energyJ)) return { energyJ, timeS };
  }
  return { energyJ: NaN, timeS };
}
