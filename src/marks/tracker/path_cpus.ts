/**
 * Current path of each CPU: every change, nested regions too, for the listeners.
 *
 * A CPU follows the track that it shows: the one of its process that entered an outermost region
 * last. Changes inside that region by other tracks do not move the CPU.
 * @module
 */
import { ROOT } from "../../core/path_stats.ts";
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
  /** By CPU: the owner number of the track that it shows; 0: of none. */
  readonly #owners: Int32Array;
  /** Scratch space by length. */
  readonly #some: Int32Array[] = [];

  constructor(cpuCount: number) {
    this.#owners = new Int32Array(cpuCount);
  }

  /** CPUs show a track from here on; `undefined`: none. */
  show(timeS: number, cpus: Int32Array, track: Track | undefined): void {
    if (this.listener === undefined) return;
    for (let i = 0; i < cpus.length; i++) this.#owners[cpus[i]] = track?.owner ?? 0;
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
  leave(timeS: number, cpus: Int32Array, isNever = false): void {
    this.listener?.(timeS, cpus, isNever ? -2 : -1);
  }

  /**
   * A track's path changes on the CPUs that show it.
   *
   * @param isAlone No thread has regions.
   */
  move(timeS: number, track: Track, isAlone: boolean): void {
    if (this.listener === undefined) return;
    const cpus = isAlone ? track.cpus : this.#shown(track);
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
    const cpus = isAlone ? track.cpus : this.#shown(track);
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

  /** The CPUs that show a track. */
  #shown({ cpus, owner }: Track): Int32Array {
    let count = 0;
    for (let i = 0; i < cpus.length; i++) if (this.#owners[cpus[i]] === owner) count++;
    if (count === cpus.length) return cpus;
    const some = this.#some[count] ??= new Int32Array(count);
    for (let i = 0, k = 0; k < count; i++) {
      if (this.#owners[cpus[i]] === owner) some[k++] = cpus[i];
    }
    return some;
  }
}
