/**
 * Visits that threads folded by path, for channels: at once if a channel shares out what counters
 * grew, since that needs their time in each interval; else once, when all is over.
 * @module
 */
import { NO_LENGTHS, type PathStep } from "../model/path_step.ts";
import type { FoldedVisits } from "../model/service.ts";
import type { Channel } from "../model/services/channel.ts";
import type { FoldedEvent } from "../../core/events/event.ts";
import { PathStats, type PathTable } from "../../core/path_stats.ts";
import { isLibrary, type RunThread } from "./threads.ts";

/** Services that share out growth over the time of paths. */
const SHARING = ["joulemark", "perf", "papi"];

const NOTHING: FoldedVisits = { count: 0, ns: 0, byPath: NO_LENGTHS };

/** Sums that threads aggregated by path, by thread, and the channels that receive them. */
export class PathSums {
  readonly #paths: PathTable;
  readonly #steps: (readonly PathStep[])[] = [];
  readonly #threads = new Map<RunThread, PathStats>();
  /**
   * Channels that receive sums at once, and channels that receive them at the end; at their
   * indices.
   */
  #now: readonly (Channel | undefined)[] = [];
  #atEnd: readonly (Channel | undefined)[] = [];

  constructor(paths: PathTable) {
    this.#paths = paths;
  }

  /** Sets the receiving channels; called before the first step. */
  attach(channels: readonly Channel[]): void {
    const shares = (channel: Channel) => SHARING.some((name) => channel.services.has(name));
    this.#now = channels.map((channel) => shares(channel) ? channel : undefined);
    this.#atEnd = channels.map((channel) => shares(channel) ? undefined : channel);
  }

  /** Regions of a path, the outermost first. */
  stepsOf(path: number): readonly PathStep[] {
    return this.#steps[path] ??= this.#paths.line(path).map((at) => {
      const name = this.#paths.name(at), attribute = this.#paths.attribute(at);
      return { name, attribute, isLibrary: attribute === "" && isLibrary(name) };
    });
  }

  /** Visits of a thread that folds all of its visits. */
  add(thread: RunThread, event: Readonly<FoldedEvent>): void {
    let stats = this.#threads.get(thread);
    if (stats === undefined) this.#threads.set(thread, stats = new PathStats());
    const isNew = !stats.has(event.path), steps = this.stepsOf(event.path);
    stats.addFolded(event.path, event);
    // Rows are in the order of first visits, so the row comes now and its figures at the end.
    if (isNew) thread.foldedPath(this.#atEnd, steps, NOTHING);
    if (!this.#now.some((channel) => channel !== undefined)) return;
    thread.foldedPath(this.#now, steps, {
      count: event.count,
      ns: event.selfNs,
      byPath: event,
    });
  }

  /** All is over for a thread. */
  finish(thread: RunThread): void {
    const stats = this.#threads.get(thread);
    if (stats === undefined) return;
    for (let path = 0; path < stats.count.length; path++) {
      const count = stats.count[path], ns = stats.selfNs[path];
      if (count === 0 && ns === 0) continue;
      const byPath = {
        sumNs: stats.sumNs[path],
        minNs: stats.minNs[path],
        maxNs: stats.maxNs[path],
      };
      thread.foldedPath(this.#atEnd, this.stepsOf(path), { count, ns, byPath });
    }
  }
}
