/**
 * Rows of cells as bytes: a table must hold all its rows until it knows its widths, and strings in
 * lists take several times the room of their text.
 *
 * A row is its number of cells, then each cell's length and bytes. Lengths from 253 on take four
 * bytes more. Texts that come again and again, as those of regions do, are kept once, and a cell
 * names them by a number.
 * @module
 */

import { grown } from "../core/grow.ts";
import { byteText } from "../formats/cali/cali.ts";

/** A row begins at chunk and place, in 32 bits; one that is longer has a chunk of its own. */
const PLACE_BITS = 20, CHUNK_BYTES = 1 << PLACE_BITS;
/** Instead of a length: the number of a kept text follows in one byte, or it or a length in four. */
const KEPT_NEAR = 253, LONG = 254, KEPT = 255;

export class RowStore {
  /** Number of rows. */
  count = 0;
  /** Of the row that is open: its number of cells, and where the cell that was read last stands. */
  cells = 0;
  bytes: Uint8Array = new Uint8Array(0);
  start = 0;
  end = 0;

  /** The row that is open, and the place behind what was read of it. */
  #row: Uint8Array = this.bytes;
  #next = 0;
  readonly #kept: Uint8Array[] = [];
  readonly #chunks: Uint8Array[] = [];
  #free = CHUNK_BYTES;
  /** Chunk and place of each row. */
  #rows = new Uint32Array(1024);

  /** Keeps a text for many cells; returns its number. */
  keep(text: string): number {
    return this.#kept.push(Uint8Array.from(text, (c) => c.charCodeAt(0))) - 1;
  }

  /** Adds a row of byte strings and numbers of kept ones. */
  add(cells: readonly (string | number)[]): void {
    let room = 5;
    for (let c = 0; c < cells.length; c++) {
      const cell = cells[c];
      room += typeof cell === "string" ? cell.length + 5 : 5;
    }
    if (this.#free + room > CHUNK_BYTES) {
      this.#chunks.push(new Uint8Array(Math.max(CHUNK_BYTES, room)));
      this.#free = 0;
    }
    if (this.count === this.#rows.length) {
      this.#rows = grown(this.#rows);
    }
    this.#rows[this.count++] = (this.#chunks.length - 1) * CHUNK_BYTES + this.#free;
    const bytes = this.#chunks[this.#chunks.length - 1];
    let at = writeLength(bytes, this.#free, cells.length);
    for (let c = 0; c < cells.length; c++) {
      const text = cells[c];
      if (typeof text === "number") {
        if (text > 255) at = writeWord(bytes, at, KEPT, text);
        else {
          bytes[at++] = KEPT_NEAR;
          bytes[at++] = text;
        }
        continue;
      }
      const { length } = text;
      at = writeLength(bytes, at, length);
      for (let i = 0; i < length; i++) bytes[at++] = text.charCodeAt(i);
    }
    this.#free = at;
  }

  /** Goes to the beginning of a row. */
  open(row: number): void {
    const at = this.#rows[row];
    this.#row = this.#chunks[at >>> PLACE_BITS];
    this.#next = at & CHUNK_BYTES - 1;
    this.cells = this.#length(this.#row[this.#next++]);
  }

  /** Goes to the next cell of the row, from `start` up to `end` in `bytes`. */
  next(): void {
    const length = this.#row[this.#next++];
    if (length === KEPT || length === KEPT_NEAR) {
      this.bytes = this.#kept[length === KEPT ? this.#word() : this.#row[this.#next++]];
      this.start = 0;
      this.end = this.bytes.length;
      return;
    }
    this.bytes = this.#row;
    const size = this.#length(length);
    this.start = this.#next;
    this.end = this.#next += size;
  }

  /** Text of a cell of any row; empty where the row has no such cell. */
  text(row: number, cell: number): string {
    this.open(row);
    if (cell >= this.cells) return "";
    for (let c = 0; c <= cell; c++) this.next();
    return byteText(this.bytes, this.start, this.end);
  }

  #length(first: number): number {
    return first === LONG ? this.#word() : first;
  }

  #word(): number {
    const row = this.#row, at = this.#next;
    this.#next += 4;
    return row[at] | row[at + 1] << 8 | row[at + 2] << 16 | row[at + 3] << 24;
  }
}

function writeLength(bytes: Uint8Array, at: number, length: number): number {
  if (length < KEPT_NEAR) {
    bytes[at] = length;
    return at + 1;
  }
  return writeWord(bytes, at, LONG, length);
}

function writeWord(bytes: Uint8Array, at: number, kind: number, word: number): number {
  bytes[at] = kind;
  for (let i = 0; i < 4; i++) bytes[at + 1 + i] = word >>> 8 * i;
  return at + 5;
}
