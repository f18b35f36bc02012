/**
 * The table that pat_report prints of a run's counters: one figure a counter over all nodes, energies
 * as means over their processors or nodes, powers as maxima. Cray, "Using Cray Performance Measurement
 * and Analysis Tools" (S-2376-60), and M. Bareford (2015), section 2.
 * @module
 */
import { isMapping, type Report } from "../../core/report.ts";
import type { PmcRecord } from "../../formats/pmc/log.ts";
import { summarize } from "./statistics.ts";

/** Ways to combine values of nodes and processors. */
export type CraypatAggregation = "mean" | "max" | "sum" | "min";

/** A counter's figures, of all nodes. */
export interface CounterFigures {
  readonly name: string;
  readonly unit: string;
  /** Values of each node, or of each package or other part of each node. */
  readonly each: readonly number[];
}

/** One line of the summary. */
export interface CraypatCounter {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly aggregation: CraypatAggregation;
}

const PMC_COUNTERS = [
  { name: "PM_POWER:NODE", unit: "W", field: "powerW" },
  { name: "PM_ENERGY:NODE", unit: "J", field: "energyJ" },
  { name: "PM_POWER:CPU", unit: "W", field: "cpuPowerW" },
  { name: "PM_ENERGY:CPU", unit: "J", field: "cpuEnergyJ" },
  { name: "PM_POWER:MEMORY", unit: "W", field: "memoryPowerW" },
  { name: "PM_ENERGY:MEMORY", unit: "J", field: "memoryEnergyJ" },
] as const;

/** Figures that grow without a unit are counts, and have a mean as energies do. */
const MEAN_COUNTS = ["PM_FRESHNESS"];

/** Figures out of PMC logs. @param nodes Raw readings of each node, from open to close. */
export function pmcFigures(nodes: readonly (readonly PmcRecord[])[]): CounterFigures[] {
  const known = nodes.filter((records) => records.length > 0);
  return PMC_COUNTERS.map(({ name, unit, field }) => ({
    name,
    unit,
    each: known.flatMap((records) => {
      const values = records.map((record) => record[field] ?? 0).filter((value) => value === value);
      if (values.length === 0) return [];
      // The maximum reading of a power, the growth of a counter of energy.
      return unit === "W" ? summarize(values).max : values[values.length - 1] - values[0];
    }),
  }));
}

/** Figures that the hosts of reports have under `counters:`, in the order of the first. */
export function reportFigures(reports: readonly Report[]): CounterFigures[] {
  const found = new Map<string, { name: string; unit: string; each: number[] }>();
  for (const { joulemark } of reports.flatMap(({ hosts }) => hosts)) {
    for (const [name, known] of Object.entries(joulemark?.counters ?? {})) {
      if (!isMapping(known) || !Array.isArray(known.each)) continue;
      const { each, unit } = known;
      const shown = typeof unit === "string" ? unit : "";
      const figures = found.getOrInsertComputed(name, () => ({ name, unit: shown, each: [] }));
      figures.each.push(...each.map(Number).filter((value) => !Number.isNaN(value)));
    }
  }
  return [...found.values()];
}

/**
 * @param asked Other aggregations than the counter's own, by its name.
 * @returns Without counters that are 0 on all nodes, which pat_report leaves out too.
 */
export function craypatSummary(
  figures: readonly CounterFigures[],
  asked: ReadonlyMap<string, CraypatAggregation> = new Map(),
): CraypatCounter[] {
  return figures.filter(({ each }) => each.some((figure) => figure !== 0)).map((counter) => {
    const { name, unit, each } = counter;
    const isMean = unit === "J" || MEAN_COUNTS.includes(name);
    const aggregation = asked.get(name) ?? (isMean ? "mean" : "max");
    const { mean, max, sum, min } = summarize(each);
    return { name, unit, aggregation, value: { mean, max, sum, min }[aggregation] };
  });
}
