/**
 * Counts for the report of begin and end calls that failed or were limited.
 * @module
 */
import type { FoldedPaths } from "./folded_paths.ts";
import type { Marks } from "./marks.ts";

/** Counts so far of failed or limited calls. */
export interface CollectorCounts {
  /** Begins and ends of spans that found no room. */
  lostSpans: number;
  /** Values of attributes that found no room. */
  lostValues: number;
  /** Records, names and files that made no sense. */
  garbage: number;
  /** Visits that processes folded since their ring was full. */
  folded: number;
  /** Visits to names beyond the limit, reported as one region. */
  other: number;
  /** Changes of hint by nested regions that found no room. */
  nested: number;
  /** Nested visits that are reported nowhere: their client does not fold them by path. */
  nestedLost: number;
  /** Visits whose path found no room: their time is that of the path around them. */
  pathless: number;
  /** Visits of threads without room for a ring: counted under one name, without time. */
  lost: number;
  /** Calls at a wrong moment that found no room for a record. */
  refused: number;
  /** Marks of signal handlers, in the middle of a mark of their thread, that found no room. */
  interrupting: number;
  /** Forked children that marked and could not make a file of their own. */
  notAttached: number;
}

/** Nothing yet. */
export function noCounts(): CollectorCounts {
  return {
    lostSpans: 0,
    lostValues: 0,
    garbage: 0,
    folded: 0,
    other: 0,
    nested: 0,
    nestedLost: 0,
    pathless: 0,
    lost: 0,
    refused: 0,
    interrupting: 0,
    notAttached: 0,
  };
}

/** Adds the counts in the ring of an ended process. */
export function addCounts(counts: CollectorCounts, ring: Marks, paths: FoldedPaths): void {
  counts.garbage += ring.garbage + ring.threads.reduce((n, t) => n + t.garbage, 0);
  counts.other += ring.otherVisits;
  counts.nested += ring.skipped.nested;
  counts.nestedLost += paths.lostVisits(ring);
  counts.pathless += ring.threads.reduce((n, t) => n + (t.paths?.lost ?? 0), 0);
  counts.refused += ring.skipped.refused;
  counts.interrupting += ring.skipped.interrupting ?? 0;
  counts.notAttached += ring.skipped.notAttached ?? 0;
  counts.lostSpans += ring.lostSpans ?? 0;
  counts.lostValues += ring.lostValues ?? 0;
}
