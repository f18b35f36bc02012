/**
 * The tracker's state of one application process.
 * @module
 */
import { grown } from "../../core/grow.ts";
import type { RecordFilter } from "./record_filter.ts";
import type { RegionPaths } from "./region_paths.ts";
import { Track } from "./track.ts";

const NO_CPUS = new Int32Array(0);
/** Maximum number of tracks kept for later threads: as many as may end in one step. */
const MAX_SPARE_TRACKS = 1024;

/** State of a process: running, or how it ended. */
export type ProcessEnd = "running" | "shutdown" | "died" | "withdrawn";

/** One process, its threads and its filter. */
export class TrackedProcess {
  /** The process's own stack of regions. */
  readonly track: Track;
  /** Stacks of threads with regions of their own, in order of their first event. */
  readonly threads: Track[] = [];
  /** Totals of threads that ended, so that many of them cost no more than few. */
  #past: Track | undefined;
  /** Tracks that ended in this step: their records are still to be read. */
  readonly retired: Track[] = [];
  /** True while it represents a command that has recorded nothing so far. */
  command: boolean;
  /** Had it started by the first step? False for the launched command. */
  isFromStart = false;
  readonly filter: RecordFilter | undefined;
  end: ProcessEnd = "running";
  endNs = NaN;
  /** Epochs that it marked. */
  epochs = 0;
  overheadS = 0;
  /** First hint of each region handle that it registered; 255: not registered. */
  #hints = new Uint8Array(0);
  readonly #paths: RegionPaths;
  /** True if one of its threads has, or had, CPUs of its own. */
  isBound = false;
  readonly #byThread = new Map<number, Track>();
  /** Tracks of ended threads, for new threads. */
  readonly #spare: Track[] = [];
  #lastThread: Track | undefined;
  /** Events since the last step changed the state of its CPUs. */
  dirty = true;
  /** Region that it was in when it ended; −1: none. */
  lastOpen = -1;
  /** A loop of work units was announced. */
  counting = false;

  constructor(
    readonly pid: number,
    cpus: Int32Array,
    readonly startNs: number,
    options: { command: boolean; filter: RecordFilter | undefined; paths: RegionPaths },
  ) {
    this.#paths = options.paths;
    this.track = new Track(pid, cpus, options.paths);
    this.track.lastNs = startNs;
    this.command = options.command;
    this.filter = options.filter;
  }

  /** The stack of a thread, made when it is new; 0 or below: the process's own. */
  stack(thread: number): Track {
    if (thread <= 0) return this.track;
    if (this.#lastThread?.id === thread) return this.#lastThread;
    let track = this.#byThread.get(thread);
    if (track === undefined) {
      track = this.#newTrack(thread);
      track.lastNs = this.track.lastNs;
      this.#byThread.set(thread, track);
      this.threads.push(track);
    }
    this.#lastThread = track;
    return track;
  }

  #newTrack(thread: number): Track {
    const spare = this.#spare.pop();
    if (spare === undefined) return new Track(thread, this.track.cpus, this.#paths);
    spare.begin(thread, this.track.cpus);
    return spare;
  }

  /** The stack of a thread that had events; `undefined`: it had none, or it ended. */
  known(thread: number): Track | undefined {
    return thread <= 0 ? this.track : this.#byThread.get(thread);
  }

  /** A thread has CPUs of its own from here on. */
  bind(thread: number, cpus: Int32Array): void {
    this.stack(thread).cpus = cpus;
    this.isBound ||= cpus !== this.track.cpus;
    this.dirty = true;
  }

  /** Moves the process to other CPUs; threads that existed before keep theirs. */
  moveTo(cpus: Int32Array): void {
    this.track.cpus = cpus;
    this.isBound ||= this.threads.length > 0;
  }

  /** A thread ended, outside all regions; its totals stay. */
  retire(thread: number): void {
    const track = this.#byThread.get(thread);
    if (track === undefined || track.depth > 0) return;
    this.retired.push(track);
    this.threads.splice(this.threads.indexOf(track), 1);
    this.#byThread.delete(thread);
    if (this.#lastThread === track) this.#lastThread = undefined;
  }

  /** Lets go of the threads that ended; what they did in the step has been taken. */
  foldRetired(): void {
    for (const track of this.retired) {
      this.#past ??= new Track(this.pid, NO_CPUS, this.#paths);
      this.#past.absorb(track);
      if (this.#spare.length < MAX_SPARE_TRACKS && track.isSmall) this.#spare.push(track);
    }
    this.retired.length = 0;
  }

  /** First hint that it registered a region with; −1: it did not. */
  hintOf(region: number): number {
    const hint = region < this.#hints.length ? this.#hints[region] : 255;
    return hint === 255 ? -1 : hint;
  }

  register(region: number, hint: number): void {
    if (region >= this.#hints.length) this.#hints = grown(this.#hints, region + 1, 255);
    if (this.#hints[region] === 255) this.#hints[region] = hint;
  }

  /** Has it a region or an epoch? One that only attached has not. */
  get hasMarked(): boolean {
    return this.epochs > 0 || this.#hints.some((hint) => hint !== 255);
  }

  /** Calls back with every region that it registered. */
  forRegistered(call: (region: number) => void): void {
    for (let region = 0; region < this.#hints.length; region++) {
      if (this.#hints[region] !== 255) call(region);
    }
  }

  /** Adds completed outermost visits and their time by region, those of its threads included. */
  addTotals(counts: Float64Array, runtimesNs: Float64Array): void {
    this.track.addTotals(counts, runtimesNs);
    this.#past?.addTotals(counts, runtimesNs);
    for (const thread of this.retired) thread.addTotals(counts, runtimesNs);
    for (const thread of this.threads) thread.addTotals(counts, runtimesNs);
  }
}
