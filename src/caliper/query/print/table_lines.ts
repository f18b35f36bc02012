/**
 * The lines of a table, once the widths of its columns are known.
 * @module
 */

import type { Output } from "../formatter.ts";
import { EMPTY_CELL, NUMBER_CELL, type RowPattern, type RowStore } from "../row_store.ts";
import { type Piece, PIECE_SPARE, pieceOf, put, putPiece } from "../value_bytes.ts";

/** How the cells of a column are printed. */
export interface PrintedColumn {
  readonly width: number;
  /** Numbers are aligned right. */
  readonly isNumber: boolean;
  /** Else it is a sort key alone. */
  readonly isPrinted: boolean;
}

/** The line of a pattern: its texts, and blanks where its numbers come. */
interface LineImage {
  readonly piece: Piece;
  /** Where each number ends; -1: it is not printed. */
  readonly ends: Int32Array;
}

/** Lines are passed on when this many bytes are collected. */
const FLUSH_BYTES = 1 << 16;
const BLANK = 32, TILDE = 126, NEWLINE = 10;

/** Writes all rows. @param order Their numbers; null: as they came. */
export function writeRows(
  out: Output,
  rows: RowStore,
  columns: readonly PrintedColumn[],
  order: readonly number[] | null,
): void {
  const longest = columns.reduce((sum, column) => sum + takes(column), 1);
  const lines = new Uint8Array(longest + FLUSH_BYTES + PIECE_SPARE).fill(BLANK);
  const view = new DataView(lines.buffer);
  const images = rows.patterns.map((pattern) => imageOf(pattern, rows, columns));
  let at = 0;
  for (let i = 0; i < rows.count; i++) {
    rows.open(order === null ? i : order[i]);
    const image = rows.pattern === null ? null : images[rows.pattern.number];
    at = image === null
      ? putCells(lines, at, rows, columns)
      : putNumbers(lines, putPiece(view, at, image.piece), rows, image);
    if (at < FLUSH_BYTES) continue;
    out.writeBytes(lines.subarray(0, at));
    lines.fill(BLANK, 0, at);
    at = 0;
  }
  out.writeBytes(lines.subarray(0, at));
}

/** The row that is open, cell by cell, on blanks. */
function putCells(
  lines: Uint8Array,
  from: number,
  rows: RowStore,
  columns: readonly PrintedColumn[],
): number {
  let at = from;
  for (let c = 0; c < rows.cells; c++) {
    rows.next();
    if (!columns[c].isPrinted) continue;
    putCell(lines, at, rows, columns[c]);
    at += takes(columns[c]);
  }
  lines[at] = NEWLINE;
  return at + 1;
}

function putCell(
  lines: Uint8Array,
  at: number,
  { bytes, start, end }: Pick<RowStore, "bytes" | "start" | "end">,
  { width, isNumber }: PrintedColumn,
): void {
  const length = end - start <= width ? end - start : clampedLength(width);
  const to = isNumber ? at + width - length : at;
  if (length < end - start) copyClamped(bytes, start, end, lines, to, length);
  else put(lines, to, bytes, start, end);
}

/** The numbers of the row that is open, whose pattern has an image, which ends at `end`. */
function putNumbers(
  lines: Uint8Array,
  end: number,
  rows: RowStore,
  { piece, ends }: LineImage,
): number {
  const from = end - piece.length;
  for (let i = 0; i < ends.length; i++) {
    rows.nextNumber();
    if (ends[i] >= 0) {
      put(lines, from + ends[i] - (rows.end - rows.start), rows.bytes, rows.start, rows.end);
    }
  }
  return end;
}

/** The image of a pattern; null where a number may be longer than its column is wide. */
function imageOf(
  { cells, lengths }: RowPattern,
  rows: RowStore,
  columns: readonly PrintedColumn[],
): LineImage | null {
  const size = columns.slice(0, cells.length).reduce((sum, column) => sum + takes(column), 1);
  const bytes = new Uint8Array(size).fill(BLANK), ends: number[] = [];
  let at = 0;
  for (let c = 0; c < cells.length; c++) {
    const column = columns[c], cell = cells[c];
    if (cell === NUMBER_CELL) {
      if (column.isPrinted && lengths[ends.length] > column.width) return null;
      ends.push(column.isPrinted ? at + column.width : -1);
    } else if (cell !== EMPTY_CELL && column.isPrinted) {
      const text = rows.kept(cell);
      putCell(bytes, at, { bytes: text, start: 0, end: text.length }, column);
    }
    at += takes(column);
  }
  bytes[at] = NEWLINE;
  return { piece: pieceOf(bytes), ends: Int32Array.from(ends) };
}

/** Bytes of a line that a column takes. */
function takes({ width, isPrinted }: PrintedColumn): number {
  return isPrinted ? width + 1 : 0;
}

/** How long `clamp` makes a text that is longer than an even or odd width. */
function clampedLength(width: number): number {
  return width & ~1;
}

/** As `clamp`, for bytes: the two ends of a text that is too long, around `~~`. */
function copyClamped(
  from: Uint8Array,
  start: number,
  end: number,
  to: Uint8Array,
  at: number,
  length: number,
): void {
  const kept = (length >> 1) - 1;
  to.set(from.subarray(start, start + kept), at);
  to[at + kept] = to[at + kept + 1] = TILDE;
  to.set(from.subarray(end - kept, end), at + kept + 2);
}
