/**
 * Entry of each thread in its ring file at the last look. Most of a thousand threads have recorded
 * nothing since, and need no further reading.
 * @module
 */
import { THREAD } from "../../core/events/ring_layout.ts";

/** Words one of which changes with all that a look takes from an entry. */
const TELLING = [
  ...[THREAD.head, THREAD.tid, THREAD.state, THREAD.folds, THREAD.foldedEpochs],
  ...[THREAD.skippedNested, THREAD.refused, THREAD.folding, THREAD.paths, THREAD.lostPaths],
].map((offset) => offset / 4);
/** Value that no word of an entry has. */
const UNSEEN = -1;

/** One entry. */
export class EntryWords {
  readonly #seen = new Float64Array(TELLING.length).fill(UNSEEN);

  /** Is the entry as it was? @param words Of entries. @param first The place of this one. */
  areAsBefore(words: Uint32Array, first: number): boolean {
    for (let i = 0; i < TELLING.length; i++) {
      if (words[first + TELLING[i]] !== this.#seen[i]) return false;
    }
    return true;
  }

  /** All was taken from it; if not, the next look takes the rest. */
  taken(words: Uint32Array, first: number, isAll: boolean): void {
    for (let i = 0; i < TELLING.length; i++) this.#seen[i] = words[first + TELLING[i]];
    if (!isAll) this.#seen[0] = UNSEEN;
  }
}
