/**
 * The tracks with an open region that may use the same CPUs.
 * @module
 */
import type { Track, TrackList } from "./track.ts";

/** Open tracks in order of entry. Enter and leave take the same time however many there are. */
export class OpenTracks implements TrackList {
  size = 0;
  /** The one entered last; each knows the one before it and the one behind it. */
  #last: Track | undefined;

  /** Tracks, the one that was entered last first. */
  *[Symbol.iterator](): Generator<Track> {
    for (let track = this.#last; track !== undefined; track = track.before) yield track;
  }

  /** A track entered an outermost region. */
  enter(track: Track): void {
    if (this.#last !== undefined) this.#last.behind = track;
    track.before = this.#last;
    this.#last = track;
    track.openAmong = this;
    this.size++;
  }

  /** A track of these left the region that it had entered. */
  leave(track: Track): void {
    const { before, behind } = track;
    if (before !== undefined) before.behind = behind;
    if (behind !== undefined) behind.before = before;
    else this.#last = before;
    track.before = track.behind = track.openAmong = undefined;
    this.size--;
  }
}
