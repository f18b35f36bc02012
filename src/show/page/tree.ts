/**
 * Regions of a page from a tree that is no report's: of a `.cali` stream, or of two sets of runs.
 * @module
 */
import { type Column, type PageRegions } from "./data.ts";

/** A region with those inside it. */
export interface TreeNode {
  readonly name: string;
  /** Energy with nested regions, J; null: not available. */
  readonly energyJ: number | null;
  /** Change of the energy in a comparison: energy after minus energy before, J. */
  readonly changeJ?: number | null;
  readonly timeS: number | null;
  readonly count?: number;
  readonly children?: readonly TreeNode[];
}

/** Columns of the regions inside a root. */
export function regionsOf({ children = [] }: TreeNode): PageRegions {
  const rows: { node: TreeNode; parent: number }[] = [];
  const add = (node: TreeNode, parent: number) => {
    const row = rows.push({ node, parent }) - 1;
    for (const child of byEnergy(node.children ?? [])) add(child, row);
  };
  for (const child of byEnergy(children)) add(child, -1);
  const column = (of: (node: TreeNode) => number | null | undefined): Column => {
    return rows.map(({ node }) => of(node) ?? null);
  };
  const own = (of: (node: TreeNode) => number | null): Column => {
    return column((node) => {
      const inside = (node.children ?? []).reduce((sum, child) => sum + (of(child) ?? 0), 0);
      const all = of(node);
      return all === null ? null : Math.max(0, all - inside);
    });
  };
  const none = (): Column => rows.map(() => null);
  const energy = column(({ energyJ }) => energyJ);
  const hasChange = rows.some(({ node }) => node.changeJ !== undefined);
  return {
    name: rows.map(({ node }) => node.name),
    parent: rows.map(({ parent }) => parent),
    rest: rows.length,
    visits: column(({ count }) => count),
    all_visits: column(({ count }) => count),
    time_s: column(({ timeS }) => timeS),
    own_time_s: own(({ timeS }) => timeS),
    p50_s: none(),
    p99_s: none(),
    slowest: none(),
    energy_j: [energy],
    se_j: [none()],
    own_energy_j: [own(({ energyJ }) => energyJ)],
    power_w: [none()],
    durations: rows.map(() => null),
    ...hasChange ? { change_j: column(({ changeJ }) => changeJ) } : {},
  };
}

/** The most energy first; without energies, the most time. */
function byEnergy(nodes: readonly TreeNode[]): readonly TreeNode[] {
  const of = ({ energyJ, timeS }: TreeNode) => energyJ ?? timeS ?? 0;
  return nodes.toSorted((a, b) => of(b) - of(a));
}
