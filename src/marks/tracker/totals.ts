/**
 * Exact totals of regions, as means over processes.
 *
 * Runtime and count are sums over all processes divided by the number of processes of the region's group;
 * processes of the group that never entered the region count in the divisor. geopm_report(7), `runtime (s)`
 * and `count`.
 * @module
 */
import { ProcessGroups } from "./process_groups.ts";
import type { ProcessTime } from "../../core/process_spread.ts";
import type { RegionTotal } from "../../core/report.ts";
import type { TrackedProcess } from "./process.ts";
import type { RegionTable } from "./region_table.ts";

/** Sums of a run by the first region of a hash; whole nanoseconds and visits, so that their order does not matter. */
interface Sums {
  readonly groups: ProcessGroups;
  /** By region: some process registered it. */
  readonly isRegistered: Uint8Array;
  readonly counts: Float64Array;
  readonly runtimesNs: Float64Array;
}

/** The cost is that of the names that each process and thread visited, not of all names times all processes. */
function sumsOf(processes: readonly TrackedProcess[], table: RegionTable): Sums {
  const isRegistered = new Uint8Array(table.length);
  const counts = new Float64Array(table.length);
  const runtimesNs = new Float64Array(table.length);
  const groups = new ProcessGroups(processes, table);
  for (const p of groups.marking) {
    p.forRegistered((region) => isRegistered[region] = 1);
    p.addTotals(counts, runtimesNs);
  }
  for (let region = 0; region < table.length; region++) {
    const first = table.first(region);
    if (first === region || isRegistered[region] === 0) continue;
    counts[first] += counts[region];
    runtimesNs[first] += runtimesNs[region];
  }
  return { groups, isRegistered, counts, runtimesNs };
}

/** Every name that a process registered; names with one hash share their sums, as in GEOPM. */
export function regionTotals(
  processes: readonly TrackedProcess[],
  table: RegionTable,
): RegionTotal[] {
  const { groups, isRegistered, counts, runtimesNs } = sumsOf(processes, table);
  const all = groups.marking.length, totals: RegionTotal[] = [];
  for (let region = 0; region < table.length; region++) {
    if (isRegistered[region] === 0) continue;
    const first = table.first(region), n = groups.sizeOf(first);
    totals.push({
      name: table.name(region),
      hash: table.hash(region),
      runtimeS: runtimesNs[first] * 1e-9 / n,
      count: counts[first] / n,
      ...(n < all ? { part: n / all } : {}),
    });
  }
  return totals;
}

/** By region: mean time over processes of all names with its hash, ns; 0: nobody registered it. */
function meansOf({ groups, isRegistered, runtimesNs }: Sums, table: RegionTable): Float64Array {
  const meansNs = new Float64Array(table.length);
  for (let region = 0; region < table.length; region++) {
    const first = table.first(region);
    if (isRegistered[region] === 1) meansNs[region] = runtimesNs[first] / groups.sizeOf(first);
  }
  return meansNs;
}

/** By region: mean time over processes of all names with its hash, ns. */
export function meanTimes(
  processes: readonly TrackedProcess[],
  table: RegionTable,
): Float64Array {
  return meansOf(sumsOf(processes, table), table);
}

/** The regions with most time, those with most first. */
function longest(sums: Sums, table: RegionTable, most: number) {
  const meansNs = meansOf(sums, table);
  // Very many regions are not sorted by name.
  const leastNs = meansNs.slice().sort()[Math.max(0, table.length - most)];
  const found: { name: string; ns: number }[] = [];
  meansNs.forEach((ns, region) => {
    if (ns > 0 && ns >= leastNs) found.push({ name: table.name(region), ns });
  });
  return found.sort((a, b) => b.ns - a.ns || (a.name < b.name ? -1 : 1)).slice(0, most);
}

/**
 * Time of each process in the regions with most time, names with one hash added up; NaN: of a process of another
 * group. Processes come in the order of their start.
 */
export function processTimes(
  processes: readonly TrackedProcess[],
  table: RegionTable,
  most: number,
): { name: string; times: ProcessTime[] }[] {
  const sums = sumsOf(processes, table), { groups } = sums, counted = groups.marking;
  const regions = longest(sums, table, most)
    .map(({ name }) => ({ name, own: [] as number[], times: [] as ProcessTime[] }));
  // By first handle: the regions that its hash stands for.
  const byName = Map.groupBy(regions, ({ name }) => table.first(table.find(name)));
  for (let i = 0; i < table.length; i++) {
    for (const { own } of byName.get(table.first(i)) ?? []) own.push(i);
  }
  const counts = new Float64Array(table.length), runtimesNs = new Float64Array(table.length);
  for (const process of counted) {
    runtimesNs.fill(0);
    process.addTotals(counts, runtimesNs);
    for (const { own, times } of regions) {
      const timeNs = groups.includes(own[0], process)
        ? own.reduce((sum, i) => sum + runtimesNs[i], 0)
        : NaN;
      times.push({ pid: process.pid, timeNs });
    }
  }
  return regions.map(({ name, times }) => ({ name, times }));
}
