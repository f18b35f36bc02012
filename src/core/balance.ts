/**
 * Energies of a tree that add up to the energy of the run, none below 0, if some rows are determined and others are
 * coarse.
 *
 * Coarse energies stay if there is room for them: what is left then is `(undetermined)`. Those that exceed the room
 * are scaled to it, among the outermost rows and inside each row. Determined energies change only if they exceed the
 * total by chance: then in proportion to their variances. Inside a row whose own energy is determined, the coarse
 * ones have what is left.
 * @module
 */
import { type EnergyKind, reportedJoules, type TreeEnergy, type TreeRow } from "./region_tree.ts";

/** Energies of one row, which are changed in place. */
export type Energies = Map<EnergyKind, TreeEnergy>;

/** Share of a total below which a difference is rounding, and below which a rest has no row. */
const ROUNDING = 1e-6, MIN_REST = 1e-4;
/** Share of a total by which determined energies may exceed it. */
const SLACK = 5e-4;
/** Mean of what is above 0 of a normal distribution around 0, in standard errors. */
const HALF_NORMAL = Math.sqrt(2 / Math.PI);

/** Siblings with an energy of a kind. */
interface Family {
  readonly determined: Energies[];
  readonly coarse: Energies[];
}

/**
 * Scales energies of one kind.
 *
 * @param rows In the order of the tree, with their energies; `leftOut`: number of those that the tree does not have.
 * @param beside Energies of other rows outside of it: unmarked time, other CPUs, left out paths.
 * @param totalJ NaN: not known, and then the outermost rows stay.
 * @returns The rest of the total, J; 0: the rows add up to it.
 */
export function balance(
  kind: EnergyKind,
  rows: readonly (Pick<TreeRow, "depth"> & { readonly energies: Energies })[],
  { beside, totalJ, leftOut = 0 }: {
    beside: readonly Energies[];
    totalJ: number;
    leftOut?: number;
  },
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
  for (const energies of families.flat()) makePositive(energies, kind);
  // A coarse row has at least what is determined inside it.
  for (let i = families.length - 1; i > 0; i--) {
    const parent = parents[i]!.get(kind);
    if (parent === undefined || !Number.isNaN(parent.joules)) continue;
    const insideJ = sumOf(membersOf(families[i], kind).determined, kind) + (parent.selfJ || 0);
    if (insideJ > parent.exactJ) set(parents[i]!, kind, insideJ);
  }
  families.forEach((family, i) => {
    const parent = parents[i]?.get(kind), members = membersOf(family, kind);
    fit(members, kind, i === 0 ? totalJ : reportedJoules(parent));
    if (parent !== undefined) {
      leave(members, kind, reportedJoules(parent) - parent.selfJ, leftOut === 0);
    }
  });
  families.forEach((family, i) => setOwn(parents[i], membersOf(family, kind), kind));
  const { determined, coarse } = membersOf(families[0], kind);
  return restAbove(totalJ - sumOf(determined, kind) - sumOf(coarse, kind), totalJ);
}

/** A rest that has a row, J; 0: rounding. */
export function restAbove(restJ: number, totalJ: number): number {
  return restJ > MIN_REST * totalJ ? restJ : 0;
}

/** Makes siblings add up to at most the whole. */
function fit({ determined, coarse }: Family, kind: EnergyKind, wholeJ: number): void {
  const determinedJ = sumOf(determined, kind), coarseJ = sumOf(coarse, kind);
  const roomJ = wholeJ - determinedJ;
  if (!(coarseJ - roomJ > ROUNDING * wholeJ)) return;
  const variance = determined.reduce((sum, of) => sum + (of.get(kind)!.seJ ** 2 || 0), 0);
  // Other outputs have the determined energies too: a difference that is small stays.
  const slackJ = roomJ + SLACK * wholeJ, isOver = slackJ < 0;
  const leftJ = roomJ > 0 ? roomJ : positive(roomJ, Math.sqrt(variance));
  const keptJ = Math.min(coarseJ, isOver ? wholeJ : Math.max(0, slackJ), leftJ);
  for (const of of coarse) set(of, kind, reportedJoules(of.get(kind)) * keptJ / coarseJ);
  if (!isOver) return;
  const overJ = determinedJ + keptJ - wholeJ;
  const lessOf = (of: Energies) => overJ * (of.get(kind)!.seJ ** 2 || 0) / variance;
  const isByError = determined.every((of) => 2 * lessOf(of) <= reportedJoules(of.get(kind)));
  for (const of of determined) {
    const joules = reportedJoules(of.get(kind));
    set(of, kind, joules - (isByError ? lessOf(of) : overJ * joules / determinedJ));
  }
}

/** Gives coarse siblings what the determined ones leave: all of it, if no row is left out. */
function leave({ determined, coarse }: Family, kind: EnergyKind, wholeJ: number, isAll: boolean) {
  const coarseJ = sumOf(coarse, kind), roomJ = wholeJ - sumOf(determined, kind);
  if (!(roomJ > 0) || (!isAll && coarseJ <= roomJ)) return;
  for (const of of coarse) set(of, kind, reportedJoules(of.get(kind)) * roomJ / coarseJ);
}

/** An estimate of what cannot be below 0: less than its error is so by chance. */
export function positive(joules: number, seJ: number): number {
  if (joules > 0 || !(seJ > 0)) return Math.max(joules, HALF_NORMAL * (seJ || 0), 0);
  return (joules + Math.sqrt(joules ** 2 + (2 * HALF_NORMAL * seJ) ** 2)) / 2;
}

function makePositive(energies: Energies, kind: EnergyKind): void {
  const energy = energies.get(kind);
  if (energy === undefined) return;
  const { joules, seJ, exactJ, selfJ, selfSeJ } = energy;
  if (!(joules < 0 || exactJ < 0 || selfJ < 0)) return;
  energies.set(kind, {
    ...energy,
    joules: joules < 0 ? positive(joules, seJ) : joules,
    exactJ: exactJ < 0 ? 0 : exactJ,
    selfJ: selfJ < 0 ? positive(selfJ, selfSeJ) : selfJ,
  });
}

/** A row that changed has no more of its own than the rows inside it leave. */
function setOwn(row: Energies | undefined, { determined, coarse }: Family, kind: EnergyKind): void {
  const energy = row?.get(kind);
  if (energy === undefined) return;
  const joules = reportedJoules(energy);
  const leftJ = Math.max(0, joules - sumOf(determined, kind) - sumOf(coarse, kind));
  if (energy.selfJ - leftJ > ROUNDING * joules) row!.set(kind, { ...energy, selfJ: leftJ });
}

function membersOf(family: readonly Energies[], kind: EnergyKind): Family {
  const known = family.filter((of) => Number.isFinite(reportedJoules(of.get(kind))));
  const isCoarse = (of: Energies) => Number.isNaN(of.get(kind)!.joules);
  return { determined: known.filter((of) => !isCoarse(of)), coarse: known.filter(isCoarse) };
}

function sumOf(members: readonly Energies[], kind: EnergyKind): number {
  return members.reduce((sum, of) => sum + reportedJoules(of.get(kind)), 0);
}

/** Another energy, with all that belongs to it in proportion. */
function set(energies: Energies, kind: EnergyKind, newJ: number): void {
  const energy = energies.get(kind)!, joules = Math.max(0, newJ);
  const factor = joules / reportedJoules(energy);
  if (!Number.isFinite(factor)) return;
  const isCoarse = Number.isNaN(energy.joules);
  energies.set(kind, {
    ...energy,
    joules: isCoarse ? NaN : joules,
    exactJ: isCoarse ? joules : energy.exactJ,
    selfJ: energy.selfJ * factor,
    powerW: energy.powerW * factor,
  });
}
