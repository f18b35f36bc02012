/**
 * The outermost regions that a process's threads have open on the CPUs that are the whole process's.
 * @module
 */
import { ROOT } from "../../core/path_stats.ts";
import type { SharedCpus } from "./shared_cpus.ts";
import type { Track } from "./track.ts";

/** Open tracks of one process, in order of entry. Enter and leave take no longer where there are many. */
export class OpenTracks {
  readonly #cpus: SharedCpus;
  /** The one entered last; each knows the one before it and the one behind it. */
  #last: Track | undefined;

  constructor(cpus: SharedCpus, timeNs: number) {
    this.#cpus = cpus;
    cpus.enter(timeNs, ROOT);
  }

  /** The one that was entered last; `undefined`: none is open. */
  get last(): Track | undefined {
    return this.#last;
  }

  /** A track entered an outermost region. */
  enter(timeNs: number, track: Track): void {
    if (this.#last === undefined) this.#cpus.leave(timeNs, ROOT);
    else this.#last.behind = track;
    track.before = this.#last;
    track.behind = undefined;
    this.#last = track;
    track.shownPath = track.outermostPath;
    this.#cpus.enter(timeNs, track.shownPath);
  }

  /** A track left the region that it had entered; nothing where it had entered none. */
  leave(timeNs: number, track: Track): void {
    const { before, behind, shownPath } = track;
    if (shownPath === ROOT) return;
    if (before !== undefined) before.behind = behind;
    if (behind !== undefined) behind.before = before;
    else this.#last = before;
    track.shownPath = ROOT;
    track.before = track.behind = undefined;
    this.#cpus.leave(timeNs, shownPath);
    if (this.#last === undefined) this.#cpus.enter(timeNs, ROOT);
    else this.#cpus.show(timeNs, this.#last.shownPath);
  }

  /** All of them end. */
  end(timeNs: number): void {
    while (this.#last !== undefined) this.leave(timeNs, this.#last);
    this.#cpus.show(timeNs, ROOT);
    this.#cpus.leave(timeNs, ROOT);
  }
}
