/**
 * The tree of regions out of a run: visits by path, and the energies of paths if there are any.
 * @module
 */
import { balance, type Energies } from "../../core/balance.ts";
import { compareTexts } from "../../core/names.ts";
import { type PathStats, type PathTable, ROOT } from "../../core/path_stats.ts";
import {
  type PathEnergies,
  type PathEnergy,
  type RunTree,
  type TreeEnergy,
  type TreeRow,
  type TreeVisits,
} from "../../core/region_tree.ts";

/** Rows kept; the others have less time. */
const MAX_ROWS = 1000;

/** Input of a tree. */
export interface TreeSources {
  readonly paths: PathTable;
  readonly stats: PathStats;
  readonly processes: number;
  /** Number of processes that the means of a path are over. @default all */
  processesOf?(path: number): number;
  readonly energies?: PathEnergies;
  /**
   * Came a path's visits folded, and the time around them could not be divided? Then there is no energy of their own.
   * @default none
   */
  isFolded?(path: number): boolean;
}

const UNTOLD = { exactJ: NaN, fitJ: NaN, seJ: NaN, powerW: NaN };

/** Children of each path, and who is inside a path. */
export class PathFamilies {
  readonly #paths: PathTable;
  readonly #children: (number[] | undefined)[] = [];
  /** Outermost paths by name: most names have one. */
  readonly #outermost = new Map<string, number | number[]>();
  /** Paths so far; they are never taken away. */
  #known = 1;
  /** Outermost ones that have their name in the map. */
  #named = 0;

  constructor(paths: PathTable) {
    this.#paths = paths;
    this.update();
  }

  /** Takes up paths that came since. */
  update(): void {
    const paths = this.#paths;
    for (; this.#known < paths.length; this.#known++) {
      (this.#children[paths.parent(this.#known)] ??= []).push(this.#known);
    }
  }

  /** All paths whose outermost region has this name. */
  outermost(name: string): number[] {
    const all = this.children(ROOT);
    for (; this.#named < all.length; this.#named++) {
      const path = all[this.#named], own = this.#paths.name(path);
      const others = this.#outermost.get(own);
      if (others === undefined) this.#outermost.set(own, path);
      else if (typeof others === "number") this.#outermost.set(own, [others, path]);
      else others.push(path);
    }
    const paths = this.#outermost.get(name);
    if (paths === undefined) return [];
    return typeof paths === "number"
      ? this.family(paths)
      : paths.flatMap((path) => this.family(path));
  }

  /** Paths right inside a path. */
  children(path: number): readonly number[] {
    return this.#children[path] ?? [];
  }

  /** A path and all inside it. */
  family(path: number): number[] {
    const all = [path];
    for (let at = 0; at < all.length; at++) all.push(...this.children(all[at]));
    return all;
  }
}

/** The tree so far: its energies add up to the total. `undefined`: no region was marked. */
export function buildTree(
  { paths, stats, processes, processesOf = () => processes, energies, isFolded = () => false }:
    TreeSources,
): RunTree | undefined {
  const families = new PathFamilies(paths);
  const kept = pathsWithTime(paths, stats);
  if (kept.size === 0) return undefined;
  const least = leastTime([...kept.values()]);
  const rows: (TreeRow & { readonly energies: Energies })[] = [];
  const pathOf: number[] = [];
  const energiesOf = (inside: readonly number[], own: readonly number[]) => {
    const list: Energies = new Map();
    // The outermost regions are always recorded in order.
    const [path] = own, isUntold = paths.parent(path) > ROOT && isFolded(path);
    const isMixed = isUntold ||
      families.children(path).some((child) => path > 0 && isFolded(child));
    for (const kind of energies?.kinds ?? []) {
      const all = isUntold ? UNTOLD : energies!.of(kind, inside);
      const self = isMixed ? UNTOLD : inside.length === own.length ? all : energies!.of(kind, own);
      list.set(kind, treeEnergy(all, self));
    }
    return list;
  };
  const add = (path: number, depth: number): void => {
    const { count, exclusiveS, ...visits } = stats.figures(path);
    const family = families.family(path), over = processesOf(path);
    // Not the sum of its own visits: clients round these one by one, and some may be open still.
    const inclusiveS = 1e-9 * family.reduce((sum, one) => sum + (stats.selfNs[one] ?? 0), 0);
    pathOf.push(path);
    rows.push({
      region: paths.name(path),
      depth,
      track: paths.track(path),
      attribute: paths.attribute(path),
      processes: over,
      count: count / over,
      runtimeS: inclusiveS / over,
      selfS: exclusiveS / over,
      visits: visitsOf(stats, path, visits),
      energies: energiesOf(family, [path]),
    });
    for (const child of inOrder(path)) add(child, depth + 1);
  };
  const inOrder = (path: number) =>
    families.children(path).filter((child) => (kept.get(child) ?? -1) >= least)
      .sort((a, b) => kept.get(b)! - kept.get(a)! || compareTexts(paths.name(a), paths.name(b)));
  for (const path of inOrder(ROOT)) add(path, 0);
  const leftOut = kept.size - rows.length;
  const unmarked = energiesOf([ROOT], [ROOT]);
  const otherCpus: Energies = new Map(), undetermined: Energies = new Map();
  const shown = new Set(inOrder(ROOT));
  const hidden = families.children(ROOT).filter((path) => !shown.has(path))
    .flatMap((path) => families.family(path));
  for (const kind of energies?.kinds ?? []) {
    const other = energies!.otherCpus(kind);
    if (other.exactJ > 0) otherCpus.set(kind, treeEnergy({ ...other, powerW: NaN }));
    const beside = [unmarked, otherCpus];
    if (hidden.length > 0) beside.push(new Map([[kind, treeEnergy(energies!.of(kind, hidden))]]));
    const restJ = balance(kind, rows, { beside, totalJ: energies!.totalJ(kind), leftOut });
    if (restJ > 0) undetermined.set(kind, treeEnergy({ ...UNTOLD, fitJ: restJ }));
  }
  return { processes, rows, pathOf, leftOut, unmarked, otherCpus, undetermined };
}

/** @param self Its energy without that of nested regions. */
function treeEnergy(all: PathEnergy, self: PathEnergy = all): TreeEnergy {
  return {
    joules: all.fitJ,
    seJ: reportedSe(all),
    exactJ: all.exactJ,
    powerW: all.powerW,
    selfJ: self.fitJ,
    selfSeJ: reportedSe(self),
  };
}

/** Time of each path that a visit was in, what is inside it included. */
function pathsWithTime(paths: PathTable, stats: PathStats): Map<number, number> {
  const times = new Float64Array(paths.length);
  const isSeen = new Uint8Array(paths.length);
  // Those inside a path have greater numbers.
  for (let path = paths.length - 1; path > ROOT; path--) {
    const selfNs = stats.selfNs[path] ?? 0;
    times[path] = Math.max(times[path] + selfNs, stats.sumNs[path] ?? 0);
    if (selfNs > 0 || (stats.count[path] ?? 0) > 0) isSeen[path] = 1;
    if (isSeen[path] === 0) continue;
    times[paths.parent(path)] += times[path];
    isSeen[paths.parent(path)] = 1;
  }
  const kept = new Map<number, number>();
  for (let path = 1; path < paths.length; path++) {
    if (isSeen[path] === 1) kept.set(path, times[path]);
  }
  return kept;
}

function leastTime(times: number[]): number {
  if (times.length <= MAX_ROWS) return 0;
  // A parent has no less time than its path; equal ones beyond the limit are dropped together.
  const sorted = Float64Array.from(times).sort();
  const least = sorted[sorted.length - MAX_ROWS];
  return sorted[sorted.length - MAX_ROWS - 1] === least ? least * (1 + 1e-12) : least;
}

function visitsOf(
  stats: PathStats,
  path: number,
  figures: Omit<TreeVisits, "buckets">,
): TreeVisits {
  const buckets = new Map<number, number>();
  stats.forBuckets(path, (bucket, visits) => buckets.set(bucket, visits));
  const { minS, p50S, p99S, maxS, deviationS } = figures;
  return { minS, p50S, p99S, maxS, deviationS, buckets };
}

/** The standard error of the reported energy. */
function reportedSe({ fitJ, seJ }: { fitJ: number; seJ: number }): number {
  return Number.isNaN(fitJ) ? NaN : seJ;
}
