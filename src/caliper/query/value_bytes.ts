/**
 * Numbers of a stream, from the bytes that they were read from to the bytes that print them.
 *
 * Most are printed unchanged, or with zeros after them. Values that would change are left to the general
 * way, by number: result -1.
 * @module
 */

import type { SourceBytes } from "../model/snapshot.ts";
import { reportText, TYPE } from "../model/variant.ts";

const BLANK = 32, MINUS = 45, POINT = 46, ZERO = 48, FIVE = 53, NINE = 57;
/** Significant digits that `%g` prints, and decimals that `%f` does. */
const G_DIGITS = 6, F_DECIMALS = 6;

/** Bytes that a number takes at most in either form. */
export const MOST_VALUE_BYTES = 32;

/**
 * Copies a number.
 *
 * @param i Which of the source's values; it was read as a plain number of this type.
 * @returns Position behind it, or -1.
 */
export type CopyNumber = (
  to: Uint8Array,
  at: number,
  source: SourceBytes,
  i: number,
  type: number,
) => number;

/** Copies a number as streams have it: a whole one, or one that `%g` prints unchanged. */
export function copyStreamNumber(
  to: Uint8Array,
  at: number,
  { buffer, starts, ends }: SourceBytes,
  i: number,
  type: number,
): number {
  const start = starts[i], end = ends[i];
  if (buffer[start] === MINUS || !isPlain(buffer, start, end)) return -1;
  if (type === TYPE.double) {
    const point = pointOf(buffer, start, end);
    // Of small numbers `%g` counts zeros before the digits, and may need an exponent.
    const isSmall = point < end && buffer[start] === ZERO && buffer[start + 2] === ZERO;
    if (isSmall || end - start - (point < end ? 1 : 0) > G_DIGITS) return -1;
    if (point < end && buffer[end - 1] === ZERO) return -1;
  }
  return put(to, at, buffer, start, end);
}

/** Copies a number in the form of reports: doubles with six decimals. */
export function copyReportNumber(
  to: Uint8Array,
  at: number,
  { buffer, starts, ends }: SourceBytes,
  i: number,
  type: number,
): number {
  const start = starts[i], end = ends[i];
  if (!isPlain(buffer, buffer[start] === MINUS ? start + 1 : start, end)) return -1;
  if (type !== TYPE.double) return put(to, at, buffer, start, end);
  let p = at, decimals = -1;
  for (let k = start; k < end; k++) {
    const byte = buffer[k];
    to[p++] = byte;
    if (byte === POINT || decimals >= 0) decimals++;
  }
  if (decimals < 0) {
    to[p++] = POINT;
    decimals = 0;
  }
  if (decimals > F_DECIMALS) return cutDecimals(to, p - decimals + F_DECIMALS, p);
  for (; decimals < F_DECIMALS; decimals++) to[p++] = ZERO;
  return p;
}

/** Puts a number in the form of reports: copied, or else by its value. */
export function putReportNumber(
  to: Uint8Array,
  at: number,
  source: SourceBytes,
  i: number,
  type: number,
): number {
  const end = copyReportNumber(to, at, source, i, type);
  return end < 0 ? putText(to, at, reportText(type, source.numbers[i])) : end;
}

/**
 * Rounds by the digits from `cut` on, where these tell: the double that the number was read as is on
 * the same side of every shorter one as its 15 digits are, but a tie is decided by its bits.
 */
function cutDecimals(to: Uint8Array, cut: number, end: number): number {
  if (to[cut] < FIVE) return cut;
  let p = cut + 1;
  if (to[cut] === FIVE) { while (p < end && to[p] === ZERO) p++; }
  const isTie = to[cut] === FIVE && p === end, last = to[cut - 1];
  if (isTie || last === NINE) return -1;
  to[cut - 1] = last + 1;
  return cut;
}

/** Does it begin with no zero that would go? */
function isPlain(buffer: Uint8Array, start: number, end: number): boolean {
  return buffer[start] !== ZERO || end === start + 1 || buffer[start + 1] === POINT;
}

/** Where the point is; `end` without one. */
function pointOf(buffer: Uint8Array, start: number, end: number): number {
  let p = start;
  while (p < end && buffer[p] !== POINT) p++;
  return p;
}

/** Bytes that are put again and again: four at once. */
export interface Piece {
  readonly length: number;
  /** Little endian; the last one is filled up with blanks. */
  readonly words: Int32Array;
}

/** Bytes behind a piece that putting it may overwrite. */
export const PIECE_SPARE = 3;

/** Makes a piece of bytes. */
export function pieceOf(bytes: Uint8Array): Piece {
  const words = Int32Array.from({ length: Math.ceil(bytes.length / 4) }, (_, k) => {
    const at = (i: number) => bytes[4 * k + i] ?? BLANK;
    return at(0) | at(1) << 8 | at(2) << 16 | at(3) << 24;
  });
  return { length: bytes.length, words };
}

/** Puts a piece; returns the position behind it. */
export function putPiece(to: DataView, at: number, { length, words }: Piece): number {
  for (let k = 0, p = at; k < words.length; k++, p += 4) to.setInt32(p, words[k], true);
  return at + length;
}

/** Copies bytes; returns the position behind them. */
export function put(
  to: Uint8Array,
  at: number,
  from: Uint8Array,
  start = 0,
  end = from.length,
): number {
  let p = at;
  for (let i = start; i < end; i++) to[p++] = from[i];
  return p;
}

/** Puts a byte string; returns the position behind it. */
export function putText(to: Uint8Array, at: number, text: string): number {
  const { length } = text;
  for (let i = 0; i < length; i++) to[at + i] = text.charCodeAt(i);
  return at + length;
}
