/**
 * Values of a snapshot whose list of attribute ids is known, and how each of them is read.
 * @module
 */

import { EQUALS, NEWLINE } from "./bytes.ts";
import { READ } from "./layouts.ts";
import { realValue, skipValue, wholeValue } from "./values.ts";

/**
 * Reads values of a known list into `numbers`, those that are wanted.
 *
 * @returns Position of the newline; −1 where something has to be read in the general way.
 */
export function knownValues(
  buffer: Uint8Array,
  view: DataView,
  from: number,
  { reads, numbers }: { reads: Uint8Array; numbers: Float64Array },
): number {
  const last = reads.length - 1;
  let p = from;
  if (last < 0 || buffer[p] === NEWLINE || last >= numbers.length) return -1;
  for (let i = 0;; i++, p++) {
    const read = reads[i];
    if (read === READ.skip) p = skipValue(buffer, view, p);
    else {
      p = read === READ.whole
        ? wholeValue(view, p, numbers, i)
        : read === READ.real
        ? realValue(view, p, numbers, i)
        : -1;
      if (p < 0 || numbers[i] !== numbers[i]) return -1;
    }
    if (i === last) return buffer[p] === NEWLINE ? p : -1;
    if (buffer[p] !== EQUALS) return -1;
  }
}

/** Where values stand, and what they are: one entry per value. */
export interface ValueRanges {
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly escaped: Uint8Array;
  /** NaN for what is no number, or is not read as one. */
  readonly numbers: Float64Array;
}

/**
 * The same, with the ranges of all values.
 *
 * @returns As `knownValues`.
 */
export function rangedNumbers(
  buffer: Uint8Array,
  view: DataView,
  from: number,
  { reads, to }: { reads: Uint8Array; to: ValueRanges },
): number {
  const end = rangedValues(buffer, view, from, { reads, to }), { numbers } = to;
  for (let i = 0; i < reads.length; i++) {
    if (reads[i] !== READ.skip && numbers[i] !== numbers[i]) return -1;
  }
  return end;
}

/**
 * Reads values with their ranges.
 *
 * @param to Has room for as many values.
 * @returns Position of the newline; −1 where there are fewer values, or more.
 */
export function rangedValues(
  buffer: Uint8Array,
  view: DataView,
  from: number,
  { reads, to }: { reads: Uint8Array; to: ValueRanges },
): number {
  const { starts, ends, numbers, escaped } = to, { length } = reads;
  let p = from;
  for (let i = 0; i < length; i++, p++) {
    const read = reads[i];
    starts[i] = p;
    escaped[i] = 0;
    if (read === READ.whole) p = wholeValue(view, p, numbers, i);
    else if (read === READ.real) p = realValue(view, p, numbers, i);
    else numbers[i] = NaN;
    let end = buffer[p];
    if (end !== EQUALS && end !== NEWLINE) {
      p = skipValue(buffer, view, p);
      if (read !== READ.skip) numbers[i] = NaN;
      end = buffer[p];
    }
    ends[i] = p;
    if (end !== (i < length - 1 ? EQUALS : NEWLINE)) return -1;
  }
  return p - 1;
}
