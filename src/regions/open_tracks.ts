/**
 * The outermost regions that are open on CPUs which all threads of a process have: of several the one
 * entered last is shown, and for how long the others were hidden by it is added up.
 *
 * Threads that are not bound to CPUs are all there, whichever of them ran: the energy of hidden time
 * counts for the region that was shown.
 * @module
 */
import { grown } from "../core/grow.ts";
import { ROOT } from "../core/path_stats.ts";
import type { RegionPaths } from "./region_paths.ts";
import type { Track } from "./track.ts";

/** The open visits of one process's threads. Enter and leave take no longer where there are many. */
export class OpenTracks {
  readonly #paths: RegionPaths;
  /** The one entered last; each knows the one before it and the one behind it. */
  #last: Track | undefined;
  #sinceNs = 0;
  /** Paths of open visits, and by path how many visits are open. */
  #open = new Int32Array(16);
  #length = 0;
  #visits = new Int32Array(16);

  constructor(paths: RegionPaths) {
    this.#paths = paths;
  }

  /** A track entered an outermost region. */
  enter(timeNs: number, track: Track): void {
    this.#settle(timeNs);
    const path = track.outermostPath;
    track.shownPath = path;
    track.before = this.#last;
    track.behind = undefined;
    if (this.#last !== undefined) this.#last.behind = track;
    this.#last = track;
    if (path >= this.#visits.length) this.#visits = grown(this.#visits, path + 1);
    if (this.#visits[path]++ > 0) return;
    if (this.#length === this.#open.length) this.#open = grown(this.#open);
    this.#open[this.#length++] = path;
  }

  /** A track left the region that it had entered; nothing where it had entered none. */
  leave(timeNs: number, track: Track): void {
    const path = track.shownPath;
    if (path === ROOT) return;
    this.#settle(timeNs);
    const { before, behind } = track;
    if (before !== undefined) before.behind = behind;
    if (behind !== undefined) behind.before = before;
    else this.#last = before;
    track.shownPath = ROOT;
    track.before = track.behind = undefined;
    if (--this.#visits[path] > 0) return;
    const at = this.#open.indexOf(path);
    this.#open[at] = this.#open[--this.#length];
  }

  /** All threads' visits end. */
  end(timeNs: number): void {
    while (this.#last !== undefined) this.leave(timeNs, this.#last);
  }

  #settle(timeNs: number): void {
    const tookNs = timeNs - this.#sinceNs;
    this.#sinceNs = timeNs;
    if (this.#length < 2 || !(tookNs > 0)) return;
    const shown = this.#last!.shownPath;
    for (let i = 0; i < this.#length; i++) {
      const path = this.#open[i];
      if (path !== shown) this.#paths.addHidden(path, tookNs * this.#visits[path]);
    }
  }
}
