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

/** Every name that a process registered; names with one hash share their sums, as in GEOPM. */
export function regionTotals(
  processes: readonly TrackedProcess[],
  table: RegionTable,
): RegionTotal[] {
  const counted = processes.filter((p) => p.end !== "withdrawn");
  const registered: number[] = [];
  const countOf = new Map<number, number>();
  const runtimeOf = new Map<number, number>();
  for (let region = 0; region < table.length; region++) {
    if (!counted.some((p) => p.hintOf(region) >= 0)) continue;
    registered.push(region);
    const hash = table.hash(region);
    let count = countOf.get(hash) ?? 0;
    let runtimeNs = runtimeOf.get(hash) ?? 0;
    for (const p of counted) {
      count += p.count(region);
      runtimeNs += p.runtimeNs(region);
    }
    countOf.set(hash, count);
    runtimeOf.set(hash, runtimeNs);
  }
  const n = Math.max(1, counted.length);
  return registered.map((region) => {
    const hash = table.hash(region);
    return {
      name: table.name(region),
      hash,
      runtimeS: runtimeOf.get(hash)! * 1e-9 / n,
      count: countOf.get(hash)! / n,
    };
  });
}
