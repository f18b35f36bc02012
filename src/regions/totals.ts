/**
 * Exact totals of regions, as means over processes.
 *
 * Runtime and count are sums over all processes divided by the number of processes that connected;
 * processes that never entered count in the divisor. geopm_report(7), `runtime (s)` and `count`.
 * @module
 */
import type { RegionTotal } from "../core/report.ts";
import type { TrackedProcess } from "./process.ts";
import type { RegionTable } from "./region_table.ts";

/**
 * Every name that a process registered; names with one hash share their sums, as in GEOPM.
 *
 * Sums are whole nanoseconds and visits, so that their order does not matter. The cost is that of
 * the names that each process and thread visited, not of all names times all processes.
 */
export function regionTotals(
  processes: readonly TrackedProcess[],
  table: RegionTable,
): RegionTotal[] {
  const isRegistered = new Uint8Array(table.length);
  const counts = new Float64Array(table.length);
  const runtimesNs = new Float64Array(table.length);
  let counted = 0;
  for (const p of processes) {
    if (p.end === "withdrawn") continue;
    counted++;
    p.markRegistered(isRegistered);
    p.addTotals(counts, runtimesNs);
  }
  const countOf = new Map<number, number>();
  const runtimeOf = new Map<number, number>();
  for (let region = 0; region < table.length; region++) {
    if (isRegistered[region] === 0) continue;
    const hash = table.hash(region);
    countOf.set(hash, (countOf.get(hash) ?? 0) + counts[region]);
    runtimeOf.set(hash, (runtimeOf.get(hash) ?? 0) + runtimesNs[region]);
  }
  const n = Math.max(1, counted);
  const totals: RegionTotal[] = [];
  for (let region = 0; region < table.length; region++) {
    if (isRegistered[region] === 0) continue;
    const hash = table.hash(region);
    totals.push({
      name: table.name(region),
      hash,
      runtimeS: runtimeOf.get(hash)! * 1e-9 / n,
      count: countOf.get(hash)! / n,
    });
  }
  return totals;
}
