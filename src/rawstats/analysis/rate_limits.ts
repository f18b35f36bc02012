/**
 * Rates that no counter exceeds: they decide whether a step backwards can be a wrap or a reset.
 *
 * @module
 */
import type { RawKey, RawUnit } from "../format/schema.ts";
import { isIntelCore } from "./events.ts";

/** Bytes per second through any counter of a node. */
const MAX_BYTES_PER_S = 1e12;
/** Cycles or instructions per second of one CPU. */
const MAX_CYCLES_PER_S = 4e10;
/** Hundredths of a second per second of one CPU, with some reserve for the clocks. */
export const MAX_TICKS_PER_S = 105;

const CYCLE_KEYS = /^(FIXED_CTR\d|INST_RETIRED|APERF|MPERF)$/;

/** Counts per second that a column cannot exceed; NaN if there is no such number. */
export function maxCountsPerSecond(type: string, { name }: RawKey, { name: unit, scale }: RawUnit) {
  if (unit === "B") return MAX_BYTES_PER_S / scale;
  if (unit === "cs" && (type === "cpu" || type === "host_cpu")) return MAX_TICKS_PER_S;
  const isCore = type === "amd64_pmc" || isIntelCore(type);
  if (isCore && CYCLE_KEYS.test(name)) return MAX_CYCLES_PER_S;
  return NaN;
}

/** Watts that no package, nor the memory on it, exceeds, with a reserve of two. */
export const MAX_ENERGY_W = 2000;
const PACKAGE_W = 600, MEMORY_W = 60;

/** Watts that packages and memories of today reach: within them a register may pass its range unseen. */
export function usualWatts(key: string): number {
  return /dram/i.test(key) ? MEMORY_W : PACKAGE_W;
}
