/**
 * The summary that pat_report prints of a run's counters: one figure a counter over all nodes,
 * energies as means, powers as maxima. Cray, "Using Cray Performance Measurement and Analysis
 * Tools" (S-2376-60), and M. Bareford (2015), section 2.
 * @module
 */
import type { PmcRecord } from "../formats/pmc/pmc.ts";
import { summarize } from "./statistics.ts";

/** How figures of nodes become one. */
export type CraypatAggregation = "mean" | "max" | "sum" | "min";

/** One line of the summary. */
export interface CraypatCounter {
  readonly name: string;
  readonly value: number;
  readonly unit: "W" | "J";
  readonly aggregation: CraypatAggregation;
}

const COUNTERS = [
  { name: "PM_POWER:NODE", unit: "W", field: "powerW" },
  { name: "PM_ENERGY:NODE", unit: "J", field: "energyJ" },
  { name: "PM_POWER:CPU", unit: "W", field: "cpuPowerW" },
  { name: "PM_ENERGY:CPU", unit: "J", field: "cpuEnergyJ" },
  { name: "PM_POWER:MEMORY", unit: "W", field: "memoryPowerW" },
  { name: "PM_ENERGY:MEMORY", unit: "J", field: "memoryEnergyJ" },
] as const;

/** Names of all counters, for messages. */
export const CRAYPAT_COUNTERS: readonly string[] = COUNTERS.map(({ name }) => name);

/**
 * @param nodes Raw readings of each node, from open to close.
 * @param asked Other aggregations than the counter's own, by its name.
 */
export function craypatSummary(
  nodes: readonly (readonly PmcRecord[])[],
  asked: ReadonlyMap<string, CraypatAggregation> = new Map(),
): CraypatCounter[] {
  const counters: CraypatCounter[] = [];
  for (const { name, unit, field } of COUNTERS) {
    const figures = nodes.filter((records) => records.length > 0).map((records) => {
      const values = records.map((record) => record[field] ?? 0);
      // The greatest reading of a power, what a counter of energy grew by.
      return unit === "W" ? Math.max(...values) : values[values.length - 1] - values[0];
    });
    // Counters that no node has read 0 everywhere.
    if (figures.length === 0 || figures.every((figure) => figure === 0)) continue;
    const aggregation = asked.get(name) ?? (unit === "W" ? "max" : "mean");
    const { mean, max, sum, min } = summarize(figures);
    counters.push({ name, unit, aggregation, value: { mean, max, sum, min }[aggregation] });
  }
  return counters;
}
