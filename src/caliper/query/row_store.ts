/**
 * Rows of cells as bytes: a table must hold all its rows until it knows its widths, and strings in
 * lists take several times the room of their text.
 *
 * A row is its number of cells, then each cell's length and bytes. Lengths from 253 on take four
 * bytes more. Texts that come again and again, as those of regions do, are kept once, and a cell
 * names them by a number. Rows that differ in numbers alone are the number of their pattern, and each
 * number's length and bytes.
 * @module
 */

import { grown } from "../../core/grow.ts";
import type { SourceBytes } from "../model/snapshot.ts";
import { byteText } from "../stream/cali.ts";
import { encodeByteText } from "./byte_text.ts";
import { MOST_VALUE_BYTES, putReportNumber, putText } from "./value_bytes.ts";

/** A row begins at chunk and place, in 32 bits; one that is longer has a chunk of its own. */
const PLACE_BITS = 20, CHUNK_BYTES = 1 << PLACE_BITS;
/**
 * Instead of a length: the number of a kept text follows in one byte, or it or a length in four. Instead
 * of a number of cells: that of a pattern.
 */
const KEPT_NEAR = 253, LONG = 254, KEPT = 255;

/** More are not made. */
const MAX_PATTERNS = 1 << 14;

/** What rows have in common. */
export interface RowPattern {
  readonly number: number;
  /** Per cell the number of a kept text, `EMPTY_CELL`, or `NUMBER_CELL`. */
  readonly cells: Int32Array;
  readonly isEmpty: boolean;
  /** Of each number: its place in the source, its type, and the length of the longest that came. */
  readonly places: Int32Array;
  readonly types: Uint8Array;
  readonly lengths: Int32Array;
}

export const EMPTY_CELL = -1, NUMBER_CELL = -2;

export class RowStore {
  /** Number of rows. */
  count = 0;
  /** Of the row that is open: its number of cells, and the offset of the cell that was read last. */
  cells = 0;
  bytes: Uint8Array = new Uint8Array(0);
  start = 0;
  end = 0;

  /** The row that is open, and the place behind what was read of it. */
  #row: Uint8Array = this.bytes;
  #next = 0;
  /** The pattern of the row that is open, if it has one, and which of its cells is next. */
  pattern: RowPattern | null = null;
  #cell = 0;
  readonly patterns: RowPattern[] = [];
  readonly #kept: Uint8Array[] = [];
  readonly #chunks: Uint8Array[] = [];
  #free = CHUNK_BYTES;
  /** Chunk and place of each row. */
  #rows = new Uint32Array(1024);

  /** Keeps a text for many cells; returns its number. */
  keep(text: string): number {
    return this.#kept.push(encodeByteText(text)) - 1;
  }

  /** Bytes of a kept text. */
  kept(number: number): Uint8Array {
    return this.#kept[number];
  }

  /** Makes a pattern; null: there are too many. */
  makePattern(cells: number[], places: number[], types: number[]): RowPattern | null {
    if (this.patterns.length === MAX_PATTERNS) return null;
    const pattern = {
      number: this.patterns.length,
      cells: Int32Array.from(cells),
      isEmpty: cells.every((cell) => cell === EMPTY_CELL),
      places: Int32Array.from(places),
      types: Uint8Array.from(types),
      lengths: new Int32Array(places.length),
    };
    this.patterns.push(pattern);
    return pattern;
  }

  /** Per pattern and cell with numbers, the length of the longest. */
  *longestNumbers(): Generator<[cell: number, length: number]> {
    for (const { cells, lengths } of this.patterns) {
      let number = 0;
      for (let c = 0; c < cells.length; c++) {
        if (cells[c] === NUMBER_CELL) yield [c, lengths[number++]];
      }
    }
  }

  /** Adds a row of a pattern. */
  addNumbers({ number, places, types, lengths }: RowPattern, source: SourceBytes): void {
    const bytes = this.#room(5 + places.length * (1 + MOST_VALUE_BYTES));
    let at = writeKept(bytes, this.#free, number);
    for (let i = 0; i < places.length; i++) {
      const start = at + 1, end = putReportNumber(bytes, start, source, places[i], types[i]);
      bytes[at] = end - start;
      if (end - start > lengths[i]) lengths[i] = end - start;
      at = end;
    }
    this.#end(at);
  }

  /** Adds a row of byte strings and numbers of kept ones. */
  add(cells: readonly (string | number)[]): void {
    let room = 5;
    for (let c = 0; c < cells.length; c++) {
      const cell = cells[c];
      room += typeof cell === "string" ? cell.length + 5 : 5;
    }
    const bytes = this.#room(room);
    let at = writeLength(bytes, this.#free, cells.length);
    for (let c = 0; c < cells.length; c++) {
      const text = cells[c];
      if (typeof text === "number") {
        at = writeKept(bytes, at, text);
        continue;
      }
      at = putText(bytes, writeLength(bytes, at, text.length), text);
    }
    this.#end(at);
  }

  /** The chunk that has so much room from `#free` on. */
  #room(room: number): Uint8Array {
    if (this.#free + room > CHUNK_BYTES) {
      this.#chunks.push(new Uint8Array(Math.max(CHUNK_BYTES, room)));
      this.#free = 0;
    }
    return this.#chunks[this.#chunks.length - 1];
  }

  /** A row goes from `#free` up to here. */
  #end(at: number): void {
    if (this.count === this.#rows.length) this.#rows = grown(this.#rows);
    this.#rows[this.count++] = (this.#chunks.length - 1) * CHUNK_BYTES + this.#free;
    this.#free = at;
  }

  /** Goes to the beginning of a row. */
  open(row: number): void {
    const at = this.#rows[row];
    this.#row = this.#chunks[at >>> PLACE_BITS];
    this.#next = at & CHUNK_BYTES - 1;
    const first = this.#row[this.#next++];
    this.#cell = 0;
    if (first === KEPT || first === KEPT_NEAR) {
      this.pattern = this.patterns[first === KEPT ? this.#word() : this.#row[this.#next++]];
      this.cells = this.pattern.cells.length;
      return;
    }
    this.pattern = null;
    this.cells = this.#length(first);
  }

  /** Goes to the next cell of the row, from `start` up to `end` in `bytes`. */
  next(): void {
    const cell = this.pattern === null ? NUMBER_CELL : this.pattern.cells[this.#cell++];
    if (cell >= 0) return this.#atKept(cell);
    this.bytes = this.#row;
    if (cell === EMPTY_CELL) {
      this.start = this.end = this.#next;
      return;
    }
    const length = this.#row[this.#next++];
    if (length === KEPT || length === KEPT_NEAR) {
      return this.#atKept(length === KEPT ? this.#word() : this.#row[this.#next++]);
    }
    const size = this.#length(length);
    this.start = this.#next;
    this.end = this.#next += size;
  }

  /** As `next`, where a row of a pattern has a number. */
  nextNumber(): void {
    const length = this.#row[this.#next++];
    this.bytes = this.#row;
    this.start = this.#next;
    this.end = this.#next += length;
  }

  #atKept(number: number): void {
    this.bytes = this.#kept[number];
    this.start = 0;
    this.end = this.bytes.length;
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

function writeKept(bytes: Uint8Array, at: number, number: number): number {
  if (number > 255) return writeWord(bytes, at, KEPT, number);
  bytes[at] = KEPT_NEAR;
  bytes[at + 1] = number;
  return at + 2;
}

function writeWord(bytes: Uint8Array, at: number, kind: number, word: number): number {
  bytes[at] = kind;
  for (let i = 0; i < 4; i++) bytes[at + 1 + i] = word >>> 8 * i;
  return at + 5;
}
