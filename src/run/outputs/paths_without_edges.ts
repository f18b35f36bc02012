/**
 * Paths whose visits came without begin and end.
 * @module
 */
import { ROOT } from "../../core/path_stats.ts";
import type { RegionTracker } from "../../marks/tracker/tracker.ts";

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
