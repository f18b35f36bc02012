/**
 * Numbers of a stream, from the bytes that they were read from to the bytes that print them.
 *
 * Most are printed as they stand, or with zeros behind them. What would change is left to the general
 * way, by number: -1 says so.
 * @module
 */

import type { SourceBytes } from "../context/snapshot.ts";
import { TYPE } from "../context/variant.ts";

const MINUS = 45, POINT = 46, ZERO = 48;
/** Significant digits that `%g` prints, and decimals that `%f` does. */
const G_DIGITS = 6, F_DECIMALS = 6;

/** Bytes that a number takes at most in either form. */
export const MOST_VALUE_BYTES = 32;

/**
 * Copies a number as streams have it: a whole one, or one that `%g` prints as it stands.
 *
 * @param i Which of the source's values; it was read as a plain number of this type.
 * @returns Position behind it, or -1.
 */
export function copyStreamNumber(
  to: Uint8Array,
  at: number,
  { buffer, starts, ends }: SourceBytes,
  i: number,
  type: number,
): number {
  const start = starts[i], end = ends[i];
  if (!isPlain(buffer, start, end)) return -1;
  if (type === TYPE.double) {
    const point = pointOf(buffer, start, end);
    // Of small numbers `%g` counts zeros before the digits, and may need an exponent.
    const isSmall = point < end && buffer[start] === ZERO && buffer[start + 2] === ZERO;
    if (isSmall || end - start - (point < end ? 1 : 0) > G_DIGITS) return -1;
    if (point < end && buffer[end - 1] === ZERO) return -1;
  }
  return put(to, at, buffer, start, end);
}

/** As `copyStreamNumber`, in the form of reports: doubles with six decimals. */
export function copyReportNumber(
  to: Uint8Array,
  at: number,
  { buffer, starts, ends }: SourceBytes,
  i: number,
  type: number,
): number {
  const start = starts[i], end = ends[i];
  if (!isPlain(buffer, start, end)) return -1;
  if (type !== TYPE.double) return put(to, at, buffer, start, end);
  const point = pointOf(buffer, start, end), decimals = point < end ? end - point - 1 : 0;
  if (decimals > F_DECIMALS) return -1;
  let p = put(to, at, buffer, start, end);
  if (point === end) to[p++] = POINT;
  for (let zeros = F_DECIMALS - decimals; zeros > 0; zeros--) to[p++] = ZERO;
  return p;
}

/** Does it begin with a digit, and with no zero that would go? Minus signs are left to the general way. */
function isPlain(buffer: Uint8Array, start: number, end: number): boolean {
  const first = buffer[start];
  if (first === MINUS) return false;
  return first !== ZERO || end === start + 1 || buffer[start + 1] === POINT;
}

/** Where the point is; `end` without one. */
function pointOf(buffer: Uint8Array, start: number, end: number): number {
  let p = start;
  while (p < end && buffer[p] !== POINT) p++;
  return p;
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
