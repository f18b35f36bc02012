/**
 * Current path of each CPU: every change, nested regions too, for the listeners.
 *
 * A CPU follows the track that it shows: an open one. Open tracks that may use the same CPUs have an equal part of
 * these each, since it is not known which runs where; of tracks with other CPUs the one that entered last has them.
 * Changes inside a region by other tracks do not move the CPU.
 * @module
 */
import { ROOT } from "../../core/path_stats.ts";
import { OpenTracks } from "./open_tracks.ts";
import type { Track } from "./track.ts";

/**
 * Gets every change of path on CPUs, at its exact time.
 *
 * @param cpus Reused between calls.
 * @param path Number in the tracker's table of paths; 0 outside every region;
 * −1 while no process of the CPUs lives; −2 if the process that they were shown for has not these CPUs.
 */
export type PathListener = (timeS: number, cpus: Int32Array, path: number) => void;

/**
 * Gets what a path took without edges, since the last time.
 *
 * @param cpus Those that it took it on, each for so long. Reused between calls.
 * @param between Given if the track has edges too: what came folded is what found no room.
 */
export type FoldedListener = (
  path: number,
  seconds: number,
  cpus: Int32Array,
  between?: Between,
) => void;

/** Visits without edges of a track that has edges. */
export interface Between {
  /** Whole outermost visits: the CPUs show the same track now, in another visit. */
  readonly isPast: boolean;
  /** Visits inside others, which have edges. */
  readonly isNested: boolean;
}

const PAST: Between = { isPast: true, isNested: false };
const NOW: Between = { isPast: false, isNested: false };
const NESTED: Between = { isPast: false, isNested: true };

/** The paths of CPUs. */
export class PathCpus {
  /** Set before the first process. */
  listener: PathListener | undefined;
  foldedListener: FoldedListener | undefined;
  /** By CPU: the owner number of the track that it shows, and when that entered, in order; 0: of none. */
  readonly #owners: Int32Array;
  readonly #entered: Float64Array;
  /** By CPUs that tracks may use, the same array for the same CPUs. */
  readonly #open = new Map<Int32Array, OpenTracks>();
  /** By owner number: its CPUs among some. */
  readonly #counts = new Map<number, number>();
  /** Scratch space: CPUs, and CPUs by their number. */
  readonly #part: Int32Array;
  readonly #some: Int32Array[] = [];

  constructor(cpuCount: number) {
    this.#owners = new Int32Array(cpuCount);
    this.#entered = new Float64Array(cpuCount);
    this.#part = new Int32Array(cpuCount);
  }

  /** A process begins, on CPUs that may show tracks of others. */
  begin(timeS: number, cpus: Int32Array): void {
    const free = cpus.filter((cpu) => this.#owners[cpu] === 0);
    if (free.length > 0) this.show(timeS, free, undefined);
  }

  /** A track entered an outermost region. */
  enter(timeS: number, track: Track): void {
    if (this.listener === undefined) return;
    const { cpus } = track, open = this.#open.getOrInsertComputed(cpus, () => new OpenTracks());
    open.enter(track);
    this.show(timeS, open.size === 1 ? cpus : this.#partFor(track, open.size), track);
  }

  /** CPUs for a track that enters, beside others that are open: from those with more than an equal part. */
  #partFor({ cpus }: Track, size: number): Int32Array {
    const each = Math.max(1, Math.floor(cpus.length / size)), counts = this.#countOn(cpus);
    const part = this.#part;
    let length = 0, first = cpus[0];
    for (let i = 0; i < cpus.length && length < each; i++) {
      const owner = this.#owners[cpus[i]], count = counts.get(owner)!;
      if (this.#entered[cpus[i]] < this.#entered[first]) first = cpus[i];
      if (owner !== 0 && count <= each) continue;
      counts.set(owner, count - 1);
      part[length++] = cpus[i];
    }
    // Of more tracks than CPUs the one that entered first gives way: it may wait for the others.
    if (length === 0 && cpus.length > 0) part[length++] = first;
    const some = this.#ofLength(length);
    for (let i = 0; i < length; i++) some[i] = part[i];
    return some;
  }

  /** By owner: how many of some CPUs show it. */
  #countOn(cpus: Int32Array): Map<number, number> {
    const counts = this.#counts;
    counts.clear();
    for (let i = 0; i < cpus.length; i++) {
      const owner = this.#owners[cpus[i]];
      counts.set(owner, (counts.get(owner) ?? 0) + 1);
    }
    return counts;
  }

  /**
   * A track left its outermost region: others that are open have its CPUs.
   *
   * @returns Are there others?
   */
  leave(timeS: number, track: Track): boolean {
    const open = track.openAmong;
    open?.leave(track);
    if (open === undefined || open.size === 0) return false;
    const { cpus, owner } = track, counts = this.#countOn(cpus), one = this.#ofLength(1);
    for (let i = 0; i < cpus.length; i++) {
      if (this.#owners[cpus[i]] !== owner) continue;
      let next: Track | undefined, least = Infinity;
      for (const other of open) {
        const count = counts.get(other.owner) ?? 0;
        if (count < least) [next, least] = [other, count];
        if (least === 0) break;
      }
      counts.set(next!.owner, least + 1);
      one[0] = cpus[i];
      this.show(timeS, one, next);
    }
    return true;
  }

  /** CPUs show a track from here on; `undefined`: none. */
  show(timeS: number, cpus: Int32Array, track: Track | undefined): void {
    if (this.listener === undefined) return;
    for (let i = 0; i < cpus.length; i++) {
      this.#owners[cpus[i]] = track?.owner ?? 0;
      this.#entered[cpus[i]] = track?.entered ?? 0;
    }
    this.listener(timeS, cpus, track?.path ?? ROOT);
  }

  /** A track has ended: the CPUs that showed it show none. */
  hide(timeS: number, track: Track): void {
    if (this.listener === undefined) return;
    const cpus = this.#shown(track);
    if (cpus.length === 0) return;
    for (let i = 0; i < cpus.length; i++) this.#owners[cpus[i]] = 0;
    this.listener(timeS, cpus, ROOT);
  }

  /** The last process of the CPUs has ended; or it never had them. */
  giveUp(timeS: number, cpus: Int32Array, isNever = false): void {
    this.listener?.(timeS, cpus, isNever ? -2 : -1);
  }

  /**
   * A track's path changes on the CPUs that show it.
   *
   * @param isAlone No thread has regions.
   */
  move(timeS: number, track: Track, isAlone: boolean): void {
    if (this.listener === undefined) return;
    const cpus = this.#cpusOf(track, isAlone);
    if (cpus.length > 0) this.listener(timeS, cpus, track.path);
  }

  /**
   * A path of a track took time without edges.
   *
   * @param isAlone No thread has regions.
   * @returns Is anybody told? Nobody is if no CPU shows the track.
   */
  fold(path: number, seconds: number, track: Track, isAlone: boolean): boolean {
    if (this.foldedListener === undefined || seconds === 0) return false;
    const cpus = this.#cpusOf(track, isAlone);
    if (cpus.length === 0) return false;
    this.foldedListener(path, seconds, cpus, track.folds ? undefined : NESTED);
    return true;
  }

  /** Outermost visits of a track took time without edges. */
  foldWhole(path: number, seconds: number, { cpus, owner }: Track): void {
    if (cpus.length === 0) return;
    const isPast = this.#owners[cpus[cpus.length - 1]] === owner;
    this.foldedListener?.(path, seconds, cpus, isPast ? PAST : NOW);
  }

  #cpusOf(track: Track, isAlone: boolean): Int32Array {
    return isAlone && !((track.openAmong?.size ?? 0) > 1) ? track.cpus : this.#shown(track);
  }

  #ofLength(count: number): Int32Array {
    return this.#some[count] ??= new Int32Array(count);
  }

  /** The CPUs that show a track. */
  #shown({ cpus, owner }: Track): Int32Array {
    let count = 0;
    for (let i = 0; i < cpus.length; i++) if (this.#owners[cpus[i]] === owner) count++;
    if (count === cpus.length) return cpus;
    const some = this.#ofLength(count);
    for (let i = 0, k = 0; k < count; i++) {
      if (this.#owners[cpus[i]] === owner) some[k++] = cpus[i];
    }
    return some;
  }
}
