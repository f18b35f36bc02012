/**
 * The tree of a report as stacks with the cost of each alone, as profilers need it: time, energies, visits.
 * @module
 */
import { ownEnergies, type RegionRows } from "../../core/region_rows.ts";
import type { EnergyKind } from "../../core/region_tree.ts";

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

/**
 * A stack a row, and one for what is outside of all regions. Energies are the rows' own ones, as tables have them.
 *
 * @param totalsJ Energy of the whole run by kind.
 */
export function stacksOf(
  table: RegionRows,
  totalsJ: (kind: EnergyKind) => number | undefined = () => undefined,
): Stack[] {
  const { kinds, rows, outside } = table;
  const own = kinds.map((kind) => [kind, ownEnergies(table, kind, totalsJ(kind))] as const);
  const path: string[] = [];
  return [...rows, ...outside].map((row, i): Stack => {
    path.length = i < rows.length ? row.depth : 0;
    path.push(row.track === "" ? row.region : `${row.region} [${row.track}]`);
    const visits = [...row.visits.buckets.values()].reduce((sum, n) => sum + n, 0);
    const count = Number.isFinite(row.count) ? Math.round(row.count) : 0;
    return {
      path: [...path],
      timeS: row.selfS,
      energiesJ: new Map(own.map(([kind, joules]) => [kind, joules[i]])),
      visits: visits > 0 ? visits : count,
    };
  });
}
