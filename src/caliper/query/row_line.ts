/**
 * The line that all records print as that have the same references and numbers of the same shape: the
 * bytes around its numbers, and which number comes between which.
 *
 * A trace has millions of records and some hundreds of such lines: of each record only the numbers are
 * looked at, and copied.
 * @module
 */

import type { Shape, Snapshot, SourceBytes } from "../model/snapshot.ts";
import { encodeByteText } from "./byte_text.ts";
import { Formatter, type Output } from "./formatter.ts";
import { reportText } from "../model/variant.ts";
import {
  type CopyNumber,
  copyReportNumber,
  MOST_VALUE_BYTES,
  type Piece,
  PIECE_SPARE,
  pieceOf,
  putPiece,
  putText,
} from "./value_bytes.ts";

/** Prints rows as lines. */
export abstract class LineFormatter extends Formatter {
  abstract override rowOf(record: Snapshot): RowLine | null;

  override row(line: RowLine, source: SourceBytes): boolean {
    line.write(this.context.out, source);
    return true;
  }
}

/** How numbers are printed. */
export interface NumberForm {
  /** From the bytes that they were read from, where that can be done. */
  readonly copy: CopyNumber;
  /** Else by their value. */
  readonly text: (type: number, value: number) => string;
}

/** As reports have them. */
export const REPORT_NUMBERS: NumberForm = { copy: copyReportNumber, text: reportText };

/** Stand for numbers in the text of a line; those of byte strings are below. */
const FIRST_MARK = 0x100, MOST_NUMBERS = 0x1000;

/** What stands in the text of a line for the number of this index in the shape. */
export function markOf(i: number): string {
  return String.fromCharCode(FIRST_MARK + i);
}

/**
 * Index of the entry of a record from which on marks can stand for numbers; null: it has too many.
 * All entries before it are the same in each record of the line.
 */
export function marksFrom({ shape, shapeAt, count }: Snapshot): number | null {
  if (shape === null) return count;
  return shape.places.length < MOST_NUMBERS && count === shapeAt + shape.places.length
    ? shapeAt
    : null;
}

export class RowLine {
  /** Before each number, and behind the last one. */
  readonly #pieces: Piece[] = [];
  /** Of the numbers in between: places in the source, and types. */
  readonly #places: Int32Array;
  readonly #types: Uint8Array;
  readonly #form: NumberForm;
  /** Bytes that it takes at most. */
  readonly #size: number;

  /** @param text The line as a byte string, with the marks of numbers. */
  constructor(text: string, shape: Shape | null, form: NumberForm) {
    const numbers: number[] = [];
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code < FIRST_MARK) continue;
      this.#pieces.push(pieceOf(encodeByteText(text.slice(from, at))));
      numbers.push(code - FIRST_MARK);
      from = at + 1;
    }
    this.#pieces.push(pieceOf(encodeByteText(text.slice(from))));
    this.#places = Int32Array.from(numbers, (i) => shape!.places[i]);
    this.#types = Uint8Array.from(numbers, (i) => shape!.types[i]);
    this.#form = form;
    this.#size = text.length + numbers.length * MOST_VALUE_BYTES + PIECE_SPARE;
  }

  write(out: Output, source: SourceBytes): void {
    const places = this.#places, pieces = this.#pieces, { length } = places;
    const { copy } = this.#form, { numbers } = source;
    let at = out.room(this.#size);
    const { bytes, view } = out;
    for (let i = 0; i < length; i++) {
      const place = places[i];
      at = putPiece(view, at, pieces[i]);
      const end = copy(bytes, at, source, place, this.#types[i]);
      at = end < 0 ? putText(bytes, at, this.#form.text(this.#types[i], numbers[place])) : end;
    }
    out.written(putPiece(view, at, pieces[length]));
  }
}
