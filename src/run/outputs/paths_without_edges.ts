/**
 * Paths whose visits came without begin and end.
 * @module
 */
import type { Finding } from "../../core/finding.ts";
import { ROOT } from "../../core/path_stats.ts";
import type { RegionTracker } from "../../marks/tracker/tracker.ts";

/** The path used for edges: a plain region, for any attribute that it was begun under. */
export function outermostPlain({ paths }: RegionTracker, path: number): number {
  const [top = 0] = paths.line(path);
  return top === 0 ? 0 : paths.add(0, paths.name(top), paths.track(top));
}

/**
 * The note on paths whose visits came folded now and then: it is not known when it was which.
 *
 * @param most Names in it.
 */
export function tooFastNote({ paths, regionPaths }: RegionTracker, most: number): Finding[] {
  const names = new Set<string>();
  for (let path = 1; path < paths.length && names.size <= most; path++) {
    if (paths.parent(path) !== ROOT && regionPaths.isFolded(path)) names.add(paths.name(path));
  }
  if (names.size === 0) return [];
  const shown = [...names].slice(0, most).join(", ");
  const more = names.size > most ? ", …" : "";
  return [{
    code: "nested-without-edges",
    severity: "warning",
    text: `nested visits came too fast to be recorded in order (${shown}${more}). Their counts ` +
      "and times are known, their energy is not",
    remedy: "to get their energy, use --cali-config runtime-report",
  }];
}
