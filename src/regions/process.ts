/**
 * One application process as the tracker knows it.
 * @module
 */
import { grown } from "../core/grow.ts";
import type { RecordFilter } from "./record_filter.ts";
import { Track } from "./track.ts";

/** What became of a process. */
export type ProcessEnd = "running" | "shutdown" | "died" | "withdrawn";

/** See the module. */
export class TrackedProcess {
  readonly pid: number;
  /** The process's own stack of regions. */
  readonly track: Track;
  /** Stacks of threads with regions of their own, in order of their first event. */
  readonly threads: Track[] = [];
  readonly startNs: number;
  /** It stands in for a command that has marked nothing so far. */
  command: boolean;
  readonly filter: RecordFilter | undefined;
  end: ProcessEnd = "running";
  endNs = NaN;
  /** Epochs that it marked. */
  epochs = 0;
  overheadS = 0;
  /** First hint of each region handle that it registered; 255: not registered. */
  #hints = new Uint8Array(0);
  readonly #byThread = new Map<number, Track>();
  #lastThread: Track | undefined;
  /** Events since the last step changed the state of its CPUs. */
  dirty = true;
  /** Region that it was in when it ended; −1: none. */
  lastOpen = -1;
  /** A loop of work units was announced. */
  counting = false;

  constructor(
    pid: number,
    cpus: Int32Array,
    startNs: number,
    options: { command: boolean; filter: RecordFilter | undefined },
  ) {
    this.pid = pid;
    this.track = new Track(pid, cpus);
    this.track.lastNs = startNs;
    this.startNs = startNs;
    this.command = options.command;
    this.filter = options.filter;
  }

  /** The stack of a thread, made when it is new; 0 or below: the process's own. */
  stack(thread: number): Track {
    if (thread <= 0) return this.track;
    if (this.#lastThread?.id === thread) return this.#lastThread;
    let track = this.#byThread.get(thread);
    if (track === undefined) {
      track = new Track(thread, this.track.cpus);
      track.lastNs = this.track.lastNs;
      this.#byThread.set(thread, track);
      this.threads.push(track);
    }
    this.#lastThread = track;
    return track;
  }

  /** Region that the process itself is in; −1: none. */
  get openRegion(): number {
    return this.track.region;
  }

  /** First hint that it registered a region with; −1: it did not. */
  hintOf(region: number): number {
    const hint = region < this.#hints.length ? this.#hints[region] : 255;
    return hint === 255 ? -1 : hint;
  }

  register(region: number, hint: number): void {
    if (region >= this.#hints.length) {
      this.#hints = grown(this.#hints, region + 1, 255);
    }
    if (this.#hints[region] === 255) this.#hints[region] = hint;
  }

  /** Sets 1 at the handle of every region that it registered. */
  markRegistered(isRegistered: Uint8Array): void {
    const known = Math.min(this.#hints.length, isRegistered.length);
    for (let region = 0; region < known; region++) {
      if (this.#hints[region] !== 255) isRegistered[region] = 1;
    }
  }

  /** Adds completed outermost visits and their time by region, those of its threads included. */
  addTotals(counts: Float64Array, runtimesNs: Float64Array): void {
    this.track.addTotals(counts, runtimesNs);
    for (const thread of this.threads) thread.addTotals(counts, runtimesNs);
  }

  /** Completed outermost visits to a region, those of its threads included. */
  count(region: number): number {
    let total = this.track.count(region);
    for (const thread of this.threads) total += thread.count(region);
    return total;
  }

  /** Whole time of the completed outermost visits, those of its threads included. */
  runtimeNs(region: number): number {
    let total = this.track.runtimeNs(region);
    for (const thread of this.threads) total += thread.runtimeNs(region);
    return total;
  }
}
