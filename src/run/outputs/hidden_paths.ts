/**
 * Paths whose CPUs had regions of other threads or processes, so that by edges they have a part of their
 * time: docs/how-sure.md.
 * @module
 */
import type { PathFamilies } from "../../energy/totals/build_tree.ts";
import { ROOT } from "../../core/path_stats.ts";
import type { RegionTracker } from "../../marks/tracker/tracker.ts";

/** Part of a region's time that regions of others may hide: what is told is off by as much. */
const HIDDEN_PART = 0.05;

/** Finds them, as of the last update. */
export class HiddenPaths {
  readonly #tracker: RegionTracker;
  readonly #families: PathFamilies;
  #whole: ReadonlySet<number> = new Set();
  #nested: ReadonlySet<number> = new Set();

  constructor(tracker: RegionTracker, families: PathFamilies) {
    this.#tracker = tracker;
    this.#families = families;
  }

  update(): void {
    ({ whole: this.#whole, nested: this.#nested } = this.#tracker.regionPaths.hidden(HIDDEN_PART));
  }

  /** Is what these paths have together not known, since some of them were hidden? */
  has(paths: readonly number[]): boolean {
    if (this.#whole.size + this.#nested.size === 0) return false;
    /** By outermost region that others had open too: how many of what is in it are asked for. */
    const parts = new Map<number, number>();
    for (const path of paths) {
      const top = path === ROOT ? ROOT : outermostPlain(this.#tracker, path);
      if (this.#whole.has(top)) return true;
      if (this.#nested.has(top)) parts.set(top, (parts.get(top) ?? 0) + 1);
    }
    // All that is in it together is what was shown.
    return [...parts].some(([top, count]) => count < this.#families.family(top).length);
  }
}

/** The path used for edges: a plain region, for any attribute that it was begun under. */
export function outermostPlain({ paths }: RegionTracker, path: number): number {
  const [top = 0] = paths.line(path);
  return top === 0 ? 0 : paths.add(0, paths.name(top), paths.track(top));
}

/**
 * The line for people on paths whose visits came folded now and then: it is not known when it was which.
 *
 * @param most Names in it.
 */
export function tooFastNote({ paths, regionPaths }: RegionTracker, most: number): string[] {
  const names = new Set<string>();
  for (let path = 1; path < paths.length && names.size <= most; path++) {
    if (paths.parent(path) !== ROOT && regionPaths.isFolded(path)) names.add(paths.name(path));
  }
  if (names.size === 0) return [];
  const shown = [...names].slice(0, most).join(", ");
  const more = names.size > most ? ", …" : "";
  return [
    `energy of ${shown}${more}, nested in others, is not told (too fast to be in their order); ` +
    "--cali-config runtime-report tells it",
  ];
}
