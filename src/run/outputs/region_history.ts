/**
 * Regions that threads were in a moment ago: samples of their stacks come later than their marks.
 * @module
 */
import { grown } from "../../core/grow.ts";
import { ROOT } from "../../core/path_stats.ts";
import type { RegionTracker } from "../../marks/tracker/tracker.ts";

const FIRST_MOVES = 64, MAX_MOVES = 1 << 20;

/** Moves of one thread, in a ring. */
class Moves {
  /** The lane that has the thread now. */
  lane = -1;
  #timeS = new Float64Array(FIRST_MOVES);
  #path = new Int32Array(FIRST_MOVES);
  #count = 0;

  /** @param takenS No earlier moment matters any more. */
  add(timeS: number, path: number, takenS: number): void {
    const { length } = this.#timeS, next = (this.#count + 1) % length;
    const isFull = this.#count >= length && this.#timeS[next] > takenS;
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
    const { length } = this.#timeS, oldest = Math.max(0, this.#count - length);
    let low = oldest, high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#timeS[middle % length] <= timeS) low = middle + 1;
      else high = middle;
    }
    return low === oldest ? ROOT : this.#path[(low - 1) % length];
  }
}

/** Follows the threads of a tracker. */
export class RegionHistory {
  /** Samples up to here were taken. */
  takenS = -Infinity;
  readonly #tracker: RegionTracker;
  readonly #lanes = new Map<number, Moves>();
  readonly #threads = new Map<number, Moves>();

  constructor(tracker: RegionTracker) {
    this.#tracker = tracker;
    tracker.lanes.push({
      live: (timeS, lane, _cpus, thread) => {
        // A program that another one executes has its thread, and samples of both may be still to come.
        const moves = this.#threads.getOrInsertComputed(thread, () => new Moves());
        if (moves.lane !== lane) moves.add(timeS, ROOT, this.takenS);
        moves.lane = lane;
        this.#lanes.set(lane, moves);
      },
      move: (timeS, lane, path) => this.#move(timeS, lane, path),
      end: (timeS, lane) => {
        this.#move(timeS, lane, ROOT);
        this.#lanes.delete(lane);
      },
    });
  }

  #move(timeS: number, lane: number, path: number): void {
    const moves = this.#lanes.get(lane);
    if (moves?.lane === lane) moves.add(timeS, path, this.takenS);
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
