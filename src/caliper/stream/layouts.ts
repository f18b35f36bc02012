/**
 * The lists of attribute ids that snapshots of a stream repeat.
 *
 * A trace alternates between few lists, those of begins and those of ends: each is kept with what
 * was learnt of it, and recognised by its bytes.
 * @module
 */

import { ATTR_KEY, COMMA, DATA_KEY, wordOf } from "./bytes.ts";

/** Lists that are kept, and bytes of the longest one. */
const MAX_LAYOUTS = 64, MAX_BYTES = 1 << 14;

/** Ways to read a value. */
export const READ = {
  /** Skip the value: it is not requested. */
  skip: 0,
  /** Read only its range in the buffer. */
  text: 1,
  /** Decimal digits, at most 15, as a number too. */
  whole: 2,
  /** At most 15 digits with a sign or a point, as strtod(3) reads them, as a number too. */
  real: 3,
} as const;

/** A list of attribute ids. */
export class Layout {
  /** The ids; those that cannot be read are below 0. */
  readonly attributes: Int32Array;
  /** Way to read each value; null as long as it is not known. */
  reads: Uint8Array | null = null;
  /** The list that followed this one last. */
  next: Layout = this;
  /** Length of `attr=105=109,data=`, bytes; 0 if the prefix will not be found again. */
  readonly size: number;

  readonly #list: Uint8Array;
  /**
   * Prefix bytes as words, little endian; if they are no multiple of 4, the last word overlaps the
   * one before.
   */
  readonly #words: Int32Array;
  readonly #last: number;

  /** @param list The list as in the stream, `105=109`. */
  constructor(attributes: Int32Array, list: Uint8Array) {
    const bytes = list.length > MAX_BYTES || list.length === 0
      ? list.subarray(0, 0)
      : Uint8Array.of(...ATTR_KEY, ...list, COMMA, ...DATA_KEY);
    this.attributes = attributes;
    this.#list = list;
    this.size = bytes.length;
    this.#words = Int32Array.from({ length: bytes.length >> 2 }, (_, i) => wordOf(bytes, 4 * i));
    this.#last = bytes.length === 0 ? 0 : wordOf(bytes, bytes.length - 4);
  }

  /** Is the list at `from`, with keys? Three bytes after the line's end can be read. */
  isAt(view: DataView, from: number): boolean {
    const words = this.#words, { length } = words;
    for (let i = 0, p = from; i < length; i++, p += 4) {
      if (view.getInt32(p, true) !== words[i]) return false;
    }
    return view.getInt32(from + this.size - 4, true) === this.#last;
  }

  /** Is it this list, byte by byte? */
  equals(list: Uint8Array): boolean {
    const own = this.#list, { length } = own;
    if (length !== list.length) return false;
    for (let i = 0; i < length; i++) if (own[i] !== list[i]) return false;
    return true;
  }
}

/** The lists of a stream. */
export class Layouts {
  /** Layout of the previous snapshot. */
  #current = new Layout(new Int32Array(0), new Uint8Array(0));
  readonly #known: Layout[] = [];

  /** The list at `from` with keys on both sides, if its layout is known. */
  find(view: DataView, from: number): Layout | null {
    const before = this.#current, expected = before.next;
    if (expected.reads !== null && expected.isAt(view, from)) {
      return this.#current = expected;
    }
    for (const layout of this.#known) {
      if (layout.reads === null || !layout.isAt(view, from)) continue;
      before.next = layout;
      return this.#current = layout;
    }
    return null;
  }

  /** The list of these ids, made if it is new; one that is too long to be kept is always new. */
  of(attributes: Int32Array, list: Uint8Array): Layout {
    let layout: Layout | undefined = this.#current.next;
    if (!layout.equals(list)) layout = this.#known.find((one) => one.equals(list));
    if (layout === undefined) {
      layout = new Layout(attributes.slice(), list.slice());
      if (layout.size === 0) return layout;
      if (this.#known.length === MAX_LAYOUTS) {
        this.#known.length = 0;
        this.#current = layout;
      }
      this.#known.push(layout);
    }
    this.#current.next = layout;
    return this.#current = layout;
  }

  /** Drops the layouts of values, when ids have another meaning. */
  forgetReads(): void {
    for (const layout of this.#known) layout.reads = null;
  }
}
