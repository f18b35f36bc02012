/**
 * Which regions are open at once on CPUs that several processes or threads have, and which of them is
 * shown there: the one entered last. For how long each other one was hidden is added up by path; the
 * energy of that time counts for what was shown. Likewise for how long the one that was shown was open
 * several times: of what is nested in it, one thread's alone was shown.
 * @module
 */
import { grown } from "../../core/grow.ts";
import { ROOT } from "../../core/path_stats.ts";
import type { RegionPaths } from "./region_paths.ts";

/** A process, as far as it matters here. */
export interface CpuUser {
  readonly track: { readonly cpus: Int32Array };
  /** Who has its CPUs too. */
  sharedCpus: SharedCpus | undefined;
  /** Others may have regions on its CPUs from here on. */
  openTracks(timeNs: number): void;
  /** All that it and its threads have open ends. */
  closeTracks(timeNs: number): void;
}

/** The open paths of one set of CPUs. A process outside of all regions is in the root. */
export class SharedCpus {
  /** Processes that have these CPUs. */
  readonly members: CpuUser[] = [];
  readonly #paths: RegionPaths;
  #shown = ROOT;
  #sinceNs = 0;
  /** Paths that are open, and by path how often. */
  #open = new Int32Array(16);
  #length = 0;
  #visits = new Int32Array(16);

  constructor(paths: RegionPaths) {
    this.#paths = paths;
  }

  /** A path is open once more, and is shown. */
  enter(timeNs: number, path: number): void {
    this.show(timeNs, path);
    if (path >= this.#visits.length) this.#visits = grown(this.#visits, path + 1);
    if (this.#visits[path]++ > 0) return;
    if (this.#length === this.#open.length) this.#open = grown(this.#open);
    this.#open[this.#length++] = path;
  }

  /** A path is open once less. */
  leave(timeNs: number, path: number): void {
    this.show(timeNs, this.#shown);
    if (--this.#visits[path] > 0) return;
    const at = this.#open.indexOf(path);
    this.#open[at] = this.#open[--this.#length];
  }

  /** A path is shown from here on. */
  show(timeNs: number, path: number): void {
    const tookNs = timeNs - this.#sinceNs, shown = this.#shown;
    this.#shown = path;
    // Events of several processes may be a little out of order.
    if (!(tookNs > 0)) return;
    this.#sinceNs = timeNs;
    for (let i = 0; i < this.#length; i++) {
      const open = this.#open[i], visits = this.#visits[open];
      if (open !== shown) this.#paths.addHidden(open, tookNs * visits);
      else if (visits > 1) this.#paths.addCrowded(open, tookNs * visits);
    }
  }
}

/** All sets of CPUs that processes have. */
export class CpuSets {
  readonly #paths: RegionPaths;
  readonly #sets = new Map<string, SharedCpus>();

  constructor(paths: RegionPaths) {
    this.#paths = paths;
  }

  /** A process has CPUs from here on. */
  join(process: CpuUser, timeNs: number): void {
    const key = process.track.cpus.join();
    const set = this.#sets.getOrInsertComputed(key, () => new SharedCpus(this.#paths));
    process.sharedCpus = set;
    set.members.push(process);
    // One alone that has no threads hides nothing.
    if (set.members.length > 1) { for (const member of set.members) member.openTracks(timeNs); }
  }

  /** A process has them no longer. */
  leave(process: CpuUser, timeNs: number): void {
    process.closeTracks(timeNs);
    const members = process.sharedCpus?.members;
    if (members !== undefined) members.splice(members.indexOf(process), 1);
    process.sharedCpus = undefined;
  }
}
