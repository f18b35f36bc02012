/**
 * The counters of a node that energies of regions come from.
 * @module
 */
import { type CounterSpec, type Kind, KINDS } from "../../energy/edges/attribution.ts";
import { ENERGY_SIGNALS } from "../../core/job_totals.ts";
import type { OfferedSignal } from "../../core/signal.ts";
import type { NameTable } from "../../sources/signals/batch.ts";
import type { RunView } from "./run_view.ts";

/** The assumed update period of a kind's counter where none is known. */
export const USUAL_S: Readonly<Partial<Record<Kind, number>>> = { package: 0.001, dram: 0.001 };
/** Signal with the time at which the values of pm_counters were taken. */
export const STAMP = "CNL::SAMPLE_STAMP";
const STAMPED_FILES = "/sys/cray/pm_counters/";

/** A counter, and where its value is in a batch. */
export type EnergyCounter = CounterSpec & { readonly handle: number };

/**
 * Signal, only if it counts energy by itself; a sum over readings of power has no changes to find.
 */
export function offered(table: NameTable, name: string): OfferedSignal | undefined {
  const resolved = table.resolve(name);
  if (resolved.kind !== "offered" || resolved.signal.row.behavior !== "monotone") return undefined;
  return resolved.signal.quality === "derived" ? undefined : resolved.signal;
}

/** True if counters of energy are a simulated node's. */
export function areSimulated(table: NameTable): boolean {
  return KINDS.some((kind) => offered(table, ENERGY_SIGNALS[kind])?.quality === "simulated");
}

/** Pushes the counters that serve. */
export function findCounters(
  { batch, table, topology }: Pick<RunView, "batch" | "table" | "topology">,
): EnergyCounter[] {
  const stamps = offered(table, STAMP) !== undefined;
  return KINDS.flatMap((kind) => {
    const name = ENERGY_SIGNALS[kind];
    const signal = offered(table, name);
    if (signal === undefined) return [];
    const { domain } = signal.row;
    const isCray = signal.row.name.startsWith("CNL::") || signal.source.startsWith(STAMPED_FILES);
    return Array.from({ length: topology.count(domain) }, (_, index) => ({
      kind,
      index,
      cpus: topology.cpus(domain, index),
      updatePeriodS: signal.updatePeriodS ?? (isCray ? undefined : USUAL_S[kind]),
      stamped: stamps && isCray,
      handle: batch.pushSignal(name, domain, index),
    }));
  });
}
