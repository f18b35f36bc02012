/**
 * A report as figures of its job: energy and time of all hosts, and of each region.
 * @module
 */
import { NODE_ENERGY_KEY } from "../../core/job_totals.ts";
import { regionRows, reportedJoules } from "../../core/region_rows.ts";
import type { EnergyKind } from "../../core/region_tree.ts";
import type { Report, ReportFields, ReportHost, ReportRegion } from "../../core/report.ts";

/** Asked for by name in a report: the energy of the whole node. */
export const NODE_ENERGY = "BOARD_ENERGY";

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
  /** `tree`, `fit`, `exact` or `sampled`; empty: none. */
  readonly estimator: string;
}

/** Part of a node's energy: its name, how keys of the report name it, GEOPM's signal. */
const PARTS = [
  { name: "package", key: "package", signal: "CPU_ENERGY" },
  { name: "memory", key: "dram", signal: "DRAM_ENERGY" },
  { name: "GPU", key: "gpu", signal: "GPU_ENERGY" },
] as const;

type Part = { readonly name: string; readonly key: string };

/** Energy of the nodes where all hosts have it, else of what GEOPM's own fields have. */
export function jobFigures(report: Report): JobFigures {
  const { hosts } = report;
  const timeS = Math.max(...hosts.map((host) => Number(host.application["runtime (s)"] ?? NaN)));
  const nodes = hosts.map(({ application }) => {
    return Number(
      application[NODE_ENERGY] ?? application["joulemark-node-energy-exact (J)"] ??
        application[NODE_ENERGY_KEY] ?? NaN,
    );
  });
  const isNode = hosts.length > 0 && nodes.every(Number.isFinite);
  const parts: readonly Part[] = isNode
    ? [{ name: "node", key: "node" }]
    : PARTS.filter((part) =>
      hosts.some((host) => hasKey(host, part)) &&
      hosts.every((host) => !hasKey(host, part) || hasSource(host, part))
    );
  const energies = isNode ? nodes : parts.flatMap(({ key }) => {
    return hosts.map(({ application }) => Number(application[`${key}-energy (J)`] ?? 0));
  });
  return {
    energyJ: parts.length === 0 ? NaN : energies.reduce((sum, value) => sum + value, 0),
    timeS,
    source: parts.map(({ name }) => name).join(" + ") || "none",
    regions: treeFigures(report, parts) ?? regionFigures(hosts, parts),
  };
}

/** Figures of several jobs: without an energy if it is not of the same parts in all of them. */
export function comparableFigures(jobs: readonly JobFigures[]): JobFigures[] {
  const isMixed = new Set(jobs.map(({ source }) => source)).size > 1;
  return jobs.map((job) => isMixed ? Object.assign({}, job, { energyJ: NaN }) : job);
}

/** A host without a key, such as a GPU's, has no such part. */
function hasKey({ application }: ReportHost, { key }: Part): boolean {
  return application[`${key}-energy (J)`] !== undefined;
}

/** GEOPM's key is 0 without a counter, and NaN if the counter failed for a while. */
function hasSource({ joulemark }: ReportHost, { signal }: typeof PARTS[number]): boolean {
  const sources = joulemark?.sources as Record<string, { absent?: string }> | undefined;
  return sources?.[signal]?.absent === undefined;
}

function regionFigures(hosts: readonly ReportHost[], parts: readonly Part[]) {
  const lists = fieldsByRegion(hosts.flatMap(({ regions = [] }) => regions));
  return new Map([...lists].map(([name, list]) => [name, regionOf(list, parts)]));
}

/** Fields of each region on all hosts that have it. */
export function fieldsByRegion(
  sections: readonly Pick<ReportRegion, "region" | "fields">[],
): Map<string, ReportFields[]> {
  const lists = Map.groupBy(sections, ({ region }) => region);
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
      return sum + reportedJoules(energies.get(key as EnergyKind));
    }, 0);
    figures.set(path.join("/"), { energyJ, timeS: runtimeS, estimator: "tree" });
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
    if (values.length > 0 && Number.isFinite(energyJ)) return { energyJ, timeS, estimator };
  }
  return { energyJ: NaN, timeS, estimator: "" };
}
