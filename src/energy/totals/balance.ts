/**
 * Energies of a tree that add up to the energy of the run, if some rows are determined and others are coarse.
 *
 * Determined energies stay as they are. Coarse ones stay too if there is room for them: what is left then is
 * `(undetermined)`. Those that exceed the room are scaled to it, among the outermost rows and inside each row.
 * @module
 */
import type { EnergyKind, TreeEnergy, TreeRow } from "../../core/region_tree.ts";

/** Energies of one row, which are changed in place. */
export type Energies = Map<EnergyKind, TreeEnergy>;

/** Share of a total below which a difference is rounding, and below which a rest has no row. */
const ROUNDING = 1e-6, MIN_REST = 1e-4;

/** Sums of siblings, J. */
interface Sums {
  determinedJ: number;
  coarseJ: number;
}

/**
 * Scales coarse energies of one kind.
 *
 * @param rows In the order of the tree, with their energies.
 * @param beside Energies of other rows outside of it: unmarked time, other CPUs, left out paths.
 * @returns The rest of the total, J; 0: the rows add up to it.
 */
export function balance(
  kind: EnergyKind,
  rows: readonly (Pick<TreeRow, "depth"> & { readonly energies: Energies })[],
  { beside, totalJ }: { beside: readonly Energies[]; totalJ: number },
): number {
  const families: Energies[][] = [[...beside]];
  const parents: (Energies | undefined)[] = [undefined];
  /** By depth, the family that the next row belongs to. */
  const around = [0];
  for (const { depth, energies } of rows) {
    families[around[depth]].push(energies);
    around[depth + 1] = families.length;
    families.push([]);
    parents.push(energies);
  }
  let restJ = 0;
  families.forEach((family, i) => {
    const parent = parents[i]?.get(kind);
    const wholeJ = i === 0 ? totalJ : parent === undefined ? NaN : reported(parent);
    const { determinedJ, coarseJ } = sumsOf(family, kind);
    const roomJ = Math.max(0, wholeJ - determinedJ);
    if (i === 0) restJ = Math.max(0, roomJ - coarseJ);
    if (!(coarseJ - roomJ > ROUNDING * wholeJ)) return;
    for (const energies of family) scale(energies, kind, roomJ / coarseJ);
  });
  return restJ > MIN_REST * totalJ ? restJ : 0;
}

function reported({ joules, exactJ }: TreeEnergy): number {
  return Number.isNaN(joules) ? exactJ : joules;
}

function sumsOf(family: readonly Energies[], kind: EnergyKind): Sums {
  const sums = { determinedJ: 0, coarseJ: 0 };
  for (const energies of family) {
    const { joules, exactJ } = energies.get(kind) ?? { joules: NaN, exactJ: NaN };
    if (Number.isFinite(joules)) sums.determinedJ += joules;
    else if (Number.isFinite(exactJ)) sums.coarseJ += exactJ;
  }
  return sums;
}

function scale(energies: Energies, kind: EnergyKind, factor: number): void {
  const energy = energies.get(kind);
  if (energy === undefined || !Number.isNaN(energy.joules)) return;
  const { exactJ, powerW } = energy;
  energies.set(kind, { ...energy, exactJ: exactJ * factor, powerW: powerW * factor });
}
