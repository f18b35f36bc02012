/**
 * Regions that threads were in a moment ago: samples of their stacks come later than their marks.
 * @module
 */
import { grown } from "../../core/grow.ts";
import { ROOT } from "../../core/path_stats.ts";
import type { LaneListener } from "../../marks/tracker/lanes.ts";
import type { RegionTracker } from "../../marks/tracker/tracker.ts";

const FIRST_MOVES = 64, MAX_MOVES = 1 << 16;
/** Samples are taken up within this time, s. */
const KEPT_S = 0.5;

/** Moves of one thread, in a ring. */
class Moves {
  #timeS = new Float64Array(FIRST_MOVES);
  #path = new Int32Array(FIRST_MOVES);
  #count = 0;

  add(timeS: number, path: number): void {
    const { length } = this.#timeS, at = this.#count % length;
    const isFull = this.#count >= length && timeS - this.#timeS[at] < KEPT_S;
    // A longer ring begins with its oldest move.
    if (isFull && length < MAX_MOVES) this.#grow();
    const place = this.#count++ % this.#timeS.length;
    this.#timeS[place] = timeS;
    this.#path[place] = path;
  }

  #grow(): void {
    const { length } = this.#timeS, first = this.#count % length;
    const rotated = <T extends Float64Array | Int32Array>(of: T): T => {
      const copy = of.slice() as T;
      for (let i = 0; i < length; i++) copy[i] = of[(first + i) % length];
      return copy;
    };
    this.#timeS = grown(rotated(this.#timeS));
    this.#path = grown(rotated(this.#path));
    this.#count = length;
  }

  /** Path at a moment; that of a moment too long ago is not known. */
  at(timeS: number): number {
    const { length } = this.#timeS;
    const oldest = Math.max(0, this.#count - length);
    for (let i = this.#count - 1; i >= oldest; i--) {
      if (this.#timeS[i % length] <= timeS) return this.#path[i % length];
    }
    return ROOT;
  }
}

/** Follows the threads of a tracker, beside what does so already. */
export class RegionHistory {
  readonly #tracker: RegionTracker;
  readonly #lanes = new Map<number, Moves>();
  readonly #threads = new Map<number, Moves>();

  constructor(tracker: RegionTracker) {
    this.#tracker = tracker;
    const before = tracker.lanes;
    const lanes: LaneListener = {
      live: (timeS, lane, cpus, thread) => {
        before?.live(timeS, lane, cpus, thread);
        this.#threads.set(thread, this.#lanes.getOrInsertComputed(lane, () => new Moves()));
      },
      move: (timeS, lane, path) => {
        before?.move(timeS, lane, path);
        this.#lanes.get(lane)?.add(timeS, path);
      },
      fold: (lane, path, seconds, around) => before?.fold(lane, path, seconds, around),
      end: (timeS, lane) => {
        before?.end(timeS, lane);
        this.#lanes.delete(lane);
      },
    };
    tracker.lanes = lanes;
  }

  /** The path of a thread at a moment; 0: outside of all regions. */
  pathAt(thread: number, timeS: number): number {
    return this.#threads.get(thread)?.at(timeS) ?? ROOT;
  }

  /** Names of a path, the outermost region first. */
  namesOf(path: number): readonly string[] {
    return this.#tracker.paths.names(path);
  }
}
