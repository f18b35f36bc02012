/**
 * The tree of a report as stacks with the cost of each alone, as profilers need it: time, energies, visits.
 * @module
 */
import type { RegionRows } from "../../core/region_rows.ts";
import type { EnergyKind, TreeRow } from "../../core/region_tree.ts";

/** A path, and what it took outside of the paths inside it. */
export interface Stack {
  /** Names, the outermost first. */
  readonly path: readonly string[];
  /** s, mean over processes; NaN: not known. */
  readonly timeS: number;
  /** By kind, J; NaN: it cannot be determined. */
  readonly energiesJ: ReadonlyMap<EnergyKind, number>;
  /** Number of visits, of all processes. */
  readonly visits: number;
}

/** A stack a row, and one for what is outside of all regions. */
export function stacksOf({ kinds, rows, outside }: RegionRows): Stack[] {
  const path: string[] = [];
  const stacks = rows.map((row, i): Stack => {
    path.length = row.depth;
    path.push(row.track === "" ? row.region : `${row.region} [${row.track}]`);
    const isLeaf = (rows[i + 1]?.depth ?? 0) <= row.depth;
    return stackOf([...path], row, isLeaf, kinds);
  });
  for (const row of outside) stacks.push(stackOf([row.region], row, true, kinds));
  return stacks;
}

function stackOf(
  path: readonly string[],
  row: TreeRow,
  isLeaf: boolean,
  kinds: readonly EnergyKind[],
): Stack {
  const energiesJ = new Map(kinds.map((kind) => {
    const energy = row.energies.get(kind);
    // Of what holds nothing all is its own, however it was found.
    const known = isLeaf ? [energy?.selfJ, energy?.joules, energy?.exactJ] : [energy?.selfJ];
    return [kind, known.find((joules) => Number.isFinite(joules)) ?? NaN];
  }));
  const visits = [...row.visits.buckets.values()].reduce((sum, n) => sum + n, 0);
  const count = Number.isFinite(row.count) ? Math.round(row.count) : 0;
  return { path, timeS: row.selfS, energiesJ, visits: visits > 0 ? visits : count };
}
