/**
 * Lines out of a file that comes in pieces, without copying those that are in one piece.
 *
 * @module
 */
import { grown } from "../core/grow.ts";

const LF = 10;
/** Bytes that are looked at one by one. */
const SHORT = 4;

/** Splits pieces of bytes into lines. */
export class LineSplitter {
  /** Number of the line at hand, from 1. */
  line = 0;
  readonly #most: number;
  readonly #take: (bytes: Uint8Array, start: number, end: number) => void;
  readonly #tooLong: () => void;
  readonly #ahead: ((bytes: Uint8Array, start: number) => number) | undefined;
  #carry = new Uint8Array(4096);
  #carried = 0;
  #skipping = false;

  /**
   * @param most Bytes of the longest line; longer ones are skipped in constant memory.
   * @param take Is given each line: from `start` to before `end`, valid during the call.
   * @param tooLong Is called for each line that is skipped.
   * @param ahead Takes a line whose end is not known yet, and returns it; −1: it is not taken.
   */
  constructor(
    most: number,
    take: (bytes: Uint8Array, start: number, end: number) => void,
    tooLong: () => void,
    ahead?: (bytes: Uint8Array, start: number) => number,
  ) {
    this.#most = most;
    this.#take = take;
    this.#tooLong = tooLong;
    this.#ahead = ahead;
  }

  push(chunk: Uint8Array): void {
    let start = 0;
    if (this.#carried > 0 || this.#skipping) {
      const end = chunk.indexOf(LF);
      this.#keep(chunk.subarray(0, end < 0 ? chunk.length : end));
      if (end < 0) return;
      start = end + 1;
      this.line++;
      if (this.#skipping) this.#tooLong();
      else this.#take(this.#carry, 0, this.#carried);
      this.#carried = 0;
      this.#skipping = false;
    }
    const take = this.#take, ahead = this.#ahead, most = this.#most, { length } = chunk;
    while (start < length) {
      this.line++;
      const known = ahead === undefined ? -1 : ahead(chunk, start);
      if (known >= 0) {
        start = known + 1;
        continue;
      }
      // A search for each of a billion lines of a byte or two would take a minute.
      let end = start;
      while (end < length && end < start + SHORT && chunk[end] !== LF) end++;
      if (chunk[end] !== LF) end = chunk.indexOf(LF, end);
      if (end < 0) {
        this.line--;
        break;
      }
      if (end - start > most) this.#tooLong();
      else take(chunk, start, end);
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  /** Ends the input; true if a last line had no end, which is not handed over. */
  end(): boolean {
    if (this.#carried === 0 && !this.#skipping) return false;
    this.line++;
    if (this.#skipping) this.#tooLong();
    return !this.#skipping;
  }

  #keep(bytes: Uint8Array): void {
    if (this.#skipping) return;
    if (this.#carried + bytes.length > this.#most) {
      this.#skipping = true;
      return;
    }
    if (this.#carried + bytes.length > this.#carry.length) {
      this.#carry = grown(this.#carry, this.#carried + bytes.length);
    }
    this.#carry.set(bytes, this.#carried);
    this.#carried += bytes.length;
  }
}
