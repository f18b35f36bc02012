/**
 * Numbers as bytes, in the form of reports: whole numbers as they are, doubles as C's `%f` prints them.
 * @module
 */

import { reportText, TYPE } from "../model/variant.ts";

const MINUS = 45, POINT = 46, ZERO = 48;
/** Decimals that `%f` prints, and their power of ten. */
const DECIMALS = 6, MILLION = 1e6;
/** Digits that are made in 32-bit integers. */
const PART_DIGITS = 9, PART = 1e9;

/** Digits of the numbers below 100. */
const TENS = Uint8Array.from({ length: 100 }, (_, i) => ZERO + Math.floor(i / 10));
const ONES = Uint8Array.from({ length: 100 }, (_, i) => ZERO + i % 10);

/** Bytes that a number takes at most. */
export const MAX_NUMBER_BYTES = 340;

/** Puts a plain number of a type; returns the position behind it. */
export function putNumber(to: Uint8Array, at: number, type: number, value: number): number {
  if (type === TYPE.double) return putReal(to, at, value);
  if (type !== TYPE.int && type !== TYPE.uint) return putText(to, at, reportText(type, value));
  if (value >= 0) return putWhole(to, at, value);
  to[at] = MINUS;
  return putWhole(to, at + 1, -value);
}

const scratch = new Uint8Array(MAX_NUMBER_BYTES);

/** Bytes that a plain number of a type takes. */
export function numberLength(type: number, value: number): number {
  return putNumber(scratch, 0, type, value);
}

/** Puts a byte string; returns the position behind it. */
export function putText(to: Uint8Array, at: number, text: string): number {
  const { length } = text;
  for (let i = 0; i < length; i++) to[at + i] = text.charCodeAt(i);
  return at + length;
}

function putReal(to: Uint8Array, at: number, value: number): number {
  const isNegative = value < 0 || Object.is(value, -0), size = isNegative ? -value : value;
  const scaled = size * MILLION, nearest = Math.round(scaled);
  // The product has an error of half a bit: a value near a tie is rounded by its own digits.
  if (!(Math.abs(scaled - nearest) + scaled * Number.EPSILON < 0.5)) {
    return putText(to, at, reportText(TYPE.double, value));
  }
  if (isNegative) to[at++] = MINUS;
  const whole = quotient(nearest, MILLION), end = putWhole(to, at, whole);
  to[end] = POINT;
  return putDigits(to, end + 1, nearest - whole * MILLION, DECIMALS);
}

/** Puts a whole number from 0 to 2^53. */
function putWhole(to: Uint8Array, at: number, value: number): number {
  if (value < PART) return putDigits(to, at, value, countOfDigits(value));
  const high = quotient(value, PART);
  return putDigits(to, putWhole(to, at, high), value - high * PART, PART_DIGITS);
}

/** The whole part of a quotient of whole numbers. */
function quotient(value: number, divisor: number): number {
  const rounded = Math.floor(value / divisor);
  return rounded * divisor > value ? rounded - 1 : rounded;
}

function putDigits(to: Uint8Array, at: number, value: number, count: number): number {
  let rest = value | 0, p = at + count;
  while (p > at + 1) {
    const above = rest / 100 | 0, pair = rest - above * 100;
    to[--p] = ONES[pair];
    to[--p] = TENS[pair];
    rest = above;
  }
  if (p > at) to[at] = ONES[rest];
  return at + count;
}

function countOfDigits(value: number): number {
  let count = 1;
  for (let limit = 10; value >= limit; limit *= 10) count++;
  return count;
}
