/**
 * Visits that a stream has as sums by path, because they came too fast to be recorded in their order:
 * how many, of which threads, from when until when. A stream records them in its globals.
 * @module
 */
import { PROPERTY } from "../model/attribute.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { ContextTree } from "../model/tree.ts";
import { TYPE } from "../model/variant.ts";

/** Run metadata: their number, and that by thread and time. */
export const VISITS_FOLDED = "joulemark.visits.folded";
export const FOLDED_THREADS = "joulemark.visits.folded.threads";
/** Threads that are named, those with the most visits first. */
const MAX_THREADS = 20;
const PROPERTIES = PROPERTY.asvalue | PROPERTY.global | PROPERTY.skip_events;

/** Aggregated visits of a thread; times in seconds since the stream's zero. */
export interface UnorderedVisits {
  readonly pid: number;
  /** 0: the process's own. */
  readonly thread: number;
  visits: number;
  fromS: number;
  untilS: number;
}

/** Aggregated visits of all threads. */
export class Unordered {
  readonly #of = new Map<string, UnorderedVisits>();

  /** Adds visits of a thread. */
  add(pid: number, thread: number, visits: number, timeS: number): void {
    const key = `${pid} ${thread}`, known = this.#of.get(key);
    if (known === undefined) {
      this.#of.set(key, { pid, thread, visits, fromS: timeS, untilS: timeS });
      return;
    }
    known.visits += visits;
    known.untilS = timeS;
  }

  /** By thread, those with the most visits first. @param pid Of one process alone. */
  list(pid?: number): UnorderedVisits[] {
    return [...this.#of.values()].filter((one) => pid === undefined || one.pid === pid)
      .sort((a, b) => b.visits - a.visits);
  }
}

/** Adds what there is of them to the globals of a stream. */
export function addUnordered(
  tree: ContextTree,
  globals: Snapshot,
  list: readonly UnorderedVisits[],
): void {
  if (list.length === 0) return;
  const count = list.reduce((sum, { visits }) => sum + visits, 0);
  globals.pushNumber(tree.createAttribute(VISITS_FOLDED, TYPE.uint, PROPERTIES), TYPE.uint, count);
  const threads = tree.createAttribute(FOLDED_THREADS, TYPE.string, PROPERTIES);
  globals.pushValue(threads, TYPE.string, threadsText(list));
}

/** `process 4711: 1200 from 0.0153 to 0.532 s; process 4711, thread 4712: ...` */
function threadsText(list: readonly UnorderedVisits[]): string {
  const lines = list.slice(0, MAX_THREADS).map(({ pid, thread, visits, fromS, untilS }) => {
    const who = thread === 0 ? `process ${pid}` : `process ${pid}, thread ${thread}`;
    return `${who}: ${visits} from ${fromS.toPrecision(3)} to ${untilS.toPrecision(3)} s`;
  });
  const more = list.length - lines.length;
  return [...lines, ...more > 0 ? [`${more} more threads`] : []].join("; ");
}
