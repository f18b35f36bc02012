/**
 * Threads that run outside of all regions although their CPUs have more threads than there are CPUs. A fit assumes
 * that such threads wait; the run time of each thread shows if they do.
 * @module
 */
import { Groups } from "../../core/machine/lane_groups.ts";
import { ROOT } from "../../core/path_stats.ts";
import type { LaneListener } from "../../marks/tracker/lanes.ts";
import type { RegionTracker } from "../../marks/tracker/tracker.ts";
import { threadPlace } from "../../os/process.ts";

/** Time between two looks, s, and the part of it that a thread must have run outside. */
const LOOK_S = 0.1, MIN_PART = 0.1;
/** Most threads that are looked at each time: 6 µs each. */
const MAX_LOOKED = 32;

/** A living thread. */
interface Lane {
  readonly thread: number;
  readonly process: number;
  /** Does it share CPUs with too many others? Its times are counted then. */
  isCrowded: boolean;
  isInside: boolean;
  /** Time of its last move, and its time in regions since the last look, s. */
  sinceS: number;
  insideS: number;
  /** The last look at it, s, and its time running or ready to run until then, s. */
  lookedS: number;
  ranS: number;
}

/** A thread ran outside of regions for some time, or was ready to run. @param thread 0: the main thread. */
export type RanListener = (timeS: number, process: number, thread: number, seconds: number) => void;

/** Follows the lanes of a tracker. */
export class WaitingThreads implements LaneListener {
  readonly #lanes = new Map<number, Lane>();
  readonly #groups: Groups;
  #crowded: Lane[] = [];
  #isOld = false;
  #nextS = -Infinity;
  #first = 0;

  constructor(readonly tracker: RegionTracker, readonly listener: RanListener) {
    this.#groups = new Groups(tracker.cpus.count);
    tracker.lanes.push(this);
  }

  live(_: number, lane: number, cpus: Int32Array, thread: number, process: number): void {
    const idle = { isCrowded: false, isInside: false, sinceS: 0, insideS: 0, lookedS: 0, ranS: 0 };
    if (!this.#lanes.has(lane)) this.#lanes.set(lane, Object.assign(idle, { thread, process }));
    this.#groups.set(lane, cpus);
    this.#isOld = true;
  }

  move(timeS: number, lane: number, path: number): void {
    if (this.#crowded.length === 0) return;
    const one = this.#lanes.get(lane);
    if (one?.isCrowded !== true || one.isInside === (path !== ROOT)) return;
    countUntil(one, timeS);
    one.isInside = path !== ROOT;
  }

  end(_: number, lane: number): void {
    this.#lanes.delete(lane);
    this.#groups.delete(lane);
    this.#isOld = true;
  }

  /** Looks at threads, if it is time. All events up to now are known. */
  look(timeS: number): void {
    if (timeS < this.#nextS) return;
    this.#nextS = timeS + LOOK_S;
    if (this.#isOld) this.#regroup(timeS);
    const { length } = this.#crowded;
    for (let k = 0; k < Math.min(length, MAX_LOOKED); k++) {
      this.#lookAt(timeS, this.#crowded[(this.#first + k) % length]);
    }
    this.#first += MAX_LOOKED;
  }

  #lookAt(timeS: number, one: Lane): void {
    const { thread, process, lookedS, ranS } = one;
    countUntil(one, timeS);
    const outsideS = timeS - lookedS - one.insideS, insideS = one.insideS;
    one.lookedS = timeS;
    one.insideS = 0;
    const { pid } = this.tracker.process(process);
    const { ranNs, waitedNs } = threadPlace(pid, thread) ?? { ranNs: NaN, waitedNs: NaN };
    // Other programs may have the CPU that a thread is ready to run on.
    one.ranS = (ranNs + waitedNs) * 1e-9;
    // What it ran beyond its time in regions, it ran outside.
    const seconds = Math.min(outsideS, one.ranS - ranS - insideS);
    if (!(seconds > MIN_PART * (timeS - lookedS))) return;
    this.listener(timeS, process, pid === thread ? 0 : thread, seconds);
  }

  #regroup(timeS: number): void {
    this.#isOld = false;
    const now = new Set<Lane>();
    for (const { cpus, lanes } of this.#groups.list()) {
      if (lanes.length > cpus.length) { for (const lane of lanes) now.add(this.#lanes.get(lane)!); }
    }
    for (const one of this.#lanes.values()) {
      if (now.has(one) && !one.isCrowded) this.#begin(timeS, one);
      one.isCrowded = now.has(one);
    }
    this.#crowded = [...now];
  }

  #begin(timeS: number, one: Lane): void {
    const process = this.tracker.process(one.process);
    const track = process.pid === one.thread ? process.track : process.known(one.thread);
    one.isInside = (track?.path ?? ROOT) !== ROOT;
    one.sinceS = one.lookedS = timeS;
    one.insideS = 0;
    one.ranS = NaN;
  }
}

function countUntil(one: Lane, timeS: number): void {
  if (one.isInside) one.insideS += timeS - one.sinceS;
  one.sinceS = timeS;
}
