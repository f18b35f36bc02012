/**
 * The outermost regions that a process's threads have open on the CPUs that are the whole process's.
 * @module
 */
import type { Track } from "./track.ts";

/** Open tracks of one process, in order of entry. Enter and leave take the same time however many there are. */
export class OpenTracks {
  /** The one entered last; each knows the one before it and the one behind it. */
  #last: Track | undefined;

  /** The one that was entered last; `undefined`: none is open. */
  get last(): Track | undefined {
    return this.#last;
  }

  /** A track entered an outermost region. */
  enter(track: Track): void {
    if (track.isListed) return;
    if (this.#last !== undefined) this.#last.behind = track;
    track.before = this.#last;
    this.#last = track;
    track.isListed = true;
  }

  /** A track left the region that it had entered; nothing changes if it had entered none. */
  leave(track: Track): void {
    if (!track.isListed) return;
    const { before, behind } = track;
    if (before !== undefined) before.behind = behind;
    if (behind !== undefined) behind.before = before;
    else this.#last = before;
    track.before = track.behind = undefined;
    track.isListed = false;
  }

  /** All of them end. */
  clear(): void {
    while (this.#last !== undefined) this.leave(this.#last);
  }
}
