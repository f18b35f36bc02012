/**
 * Values of a snapshot whose list of attribute ids is known: numbers are read from the bytes in one pass
 * with the search for their end.
 *
 * What is not read here becomes NaN: it has to be read in the general way, by its text.
 * @module
 */

import { byteText, ENDS, EQUALS, NEWLINE } from "./bytes.ts";
import { READ } from "./layouts.ts";

const MINUS = 45, POINT = 46;
/** Maximum number of decimal digits that are exact in a double, and the exact powers of ten. */
const MAX_DIGITS = 15;
const POWERS = Float64Array.from({ length: MAX_DIGITS + 1 }, (_, i) => Number(`1e${i}`));

const TENS = Int32Array.of(1, 10, 100, 1000);

/** Four bytes at once: what digits have in common, and the highest bit of each byte. */
const ZEROS = 0x30303030, HIGHEST = 0x80808080 | 0;
/** Added to a byte, sets its highest bit from 10 on. */
const FROM_TEN = 0x76767676;

/** 1 for the bytes of decimal numbers. */
const DECIMAL = new Uint8Array(256);
for (const c of "0123456789.+-eE") DECIMAL[c.charCodeAt(0)] = 1;

/** Ranges and kinds of values: one entry per value. */
export interface ValueRanges {
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly escaped: Uint8Array;
  /** NaN for what is no number, or is not read as one. */
  readonly numbers: Float64Array;
}

/**
 * Reads values with their ranges.
 *
 * @param to Has room for as many values.
 * @returns Position of the newline; −1 if there are fewer values, or more.
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
    if (read === READ.real && numbers[i] !== numbers[i]) {
      numbers[i] = longValue(buffer, starts[i], p);
    }
    if (end !== (i < length - 1 ? EQUALS : NEWLINE)) return -1;
  }
  return p - 1;
}

/**
 * Position of the first byte from `p` on that ends a value: a separator or a backslash.
 *
 * @param view The buffer; three bytes behind the newline that ends the line can be read.
 */
export function skipValue(buffer: Uint8Array, view: DataView, p: number): number {
  // The codes of digits, `-`, `.` and `/` are between those of the bytes that end a value.
  for (;; p += 4) {
    const word = view.getInt32(p, true);
    const other = (word + 0x46464646 | ~((word | HIGHEST) - 0x2d2d2d2d) | word) & HIGHEST;
    if (other === 0) continue;
    p += 31 - Math.clz32(other & -other) >> 3;
    break;
  }
  while (ENDS[buffer[p]] === 0) p++;
  return p;
}

/**
 * Reads decimal digits alone, at most 15, into `numbers[at]`.
 *
 * @returns Position of the first byte that is no digit.
 */
function wholeValue(
  view: DataView,
  start: number,
  numbers: Float64Array,
  at: number,
): number {
  // Up to seven digits, which most have, in whole numbers of 32 bits.
  const first = view.getInt32(start, true) ^ ZEROS;
  const behind = (first + FROM_TEN | first) & HIGHEST;
  if (behind !== 0) {
    const digits = 31 - Math.clz32(behind & -behind) >> 3;
    numbers[at] = digits === 0 ? NaN : fourDigits(first << 8 * (4 - digits));
    return start + digits;
  }
  const high = fourDigits(first), second = view.getInt32(start + 4, true) ^ ZEROS;
  const beyond = (second + FROM_TEN | second) & HIGHEST;
  if (beyond !== 0) {
    const digits = 31 - Math.clz32(beyond & -beyond) >> 3;
    // A shift by 32 would be none.
    const low = digits === 0 ? 0 : fourDigits(second << 8 * (4 - digits));
    numbers[at] = Math.imul(high, TENS[digits]) + low;
    return start + 4 + digits;
  }
  let p = start + 8, number = high * 10000 + fourDigits(second);
  for (;;) {
    const word = view.getInt32(p, true) ^ ZEROS;
    const other = (word + FROM_TEN | word) & HIGHEST;
    if (other === 0) {
      number = number * 10000 + fourDigits(word);
      p += 4;
      continue;
    }
    const more = 31 - Math.clz32(other & -other) >> 3;
    if (more > 0) {
      // Zeros in front of the digits that there are.
      number = number * POWERS[more] + fourDigits(word << 8 * (4 - more));
      p += more;
    }
    break;
  }
  numbers[at] = p - start <= MAX_DIGITS ? number : NaN;
  return p;
}

/** The number of four digits, a byte each, the first one lowest. */
function fourDigits(digits: number): number {
  const pairs = Math.imul(digits, 10) + (digits >>> 8) & 0x00ff00ff;
  return (pairs & 0xff) * 100 + (pairs >>> 16);
}

/**
 * Reads at most 15 digits with a sign or a point into `numbers[at]`, as strtod(3) does.
 *
 * @returns Position of the first byte that cannot belong to the number.
 */
function realValue(
  view: DataView,
  start: number,
  numbers: Float64Array,
  at: number,
): number {
  const isNegative = view.getUint8(start) === MINUS, first = isNegative ? start + 1 : start;
  let p = wholeValue(view, first, numbers, at);
  let number = numbers[at];
  if (p > first && view.getUint8(p) === POINT) {
    const fraction = p + 1;
    p = wholeValue(view, fraction, numbers, at);
    const decimals = p - fraction;
    // A quotient of two exact numbers is rounded once.
    number = p - first - 1 > MAX_DIGITS
      ? NaN
      : (number * POWERS[decimals] + numbers[at]) / POWERS[decimals];
  }
  numbers[at] = isNegative ? -number : number;
  return p;
}

/** The number in a range with more digits, or an exponent; NaN for what else strtod(3) reads. */
function longValue(buffer: Uint8Array, start: number, end: number): number {
  for (let p = start; p < end; p++) if (DECIMAL[buffer[p]] === 0) return NaN;
  return start === end ? NaN : Number(byteText(buffer, start, end));
}
