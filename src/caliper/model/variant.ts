/**
 * Caliper's value model: ten types, how each is read from text, printed, ordered and added.
 *
 * A value travels as a pair (type, value). The value of `int`, `uint` and `addr` is a number while
 * exact, else a bigint; `double` a number; `bool` 0 or 1; `type` a type code; `string` and `usr` a
 * string. Type `inv` is the empty value. Truth: the Caliper manual, "Variant" and its type table.
 * @module
 */

import { formatF, formatG } from "../../core/number_format.ts";
import { TYPE as RING_TYPE } from "../../core/events/ring_layout.ts";
import { type Int64, narrow, scanDouble, scanHex64, scanInt64, scanUint64 } from "./c_number.ts";

/** Type codes, as in the value of `type` nodes. */
export const TYPE = { inv: 0, ...RING_TYPE, ptr: 9 } as const;

/** Name of one of the ten types. */
export type TypeName = keyof typeof TYPE;

/** Names by code. */
export const TYPE_NAMES = Object.keys(TYPE) as TypeName[];

/** Payload of a value; which JavaScript type it is follows from the type code. */
export type Value = number | bigint | string;

/** A value with its type. */
export interface Variant {
  /** Number of its type. */
  readonly type: number;
  /** The value itself. */
  readonly value: Value;
}

/** The value that is not there: sorts before all others, prints as nothing. */
export const EMPTY: Variant = { type: TYPE.inv, value: 0 };

/** The code of a type name, or `inv` if the name is none. */
function typeFromName(name: string): number {
  return Object.hasOwn(TYPE, name) ? TYPE[name as TypeName] : TYPE.inv;
}

/**
 * Reads a value of the given type from text.
 *
 * @returns The value, or null if the text holds none of that type (the empty value).
 */
export function parseValue(type: number, text: string): Value | null {
  switch (type) {
    case TYPE.string:
      return text;
    case TYPE.int:
      return scanInt64(text);
    case TYPE.uint:
      return scanUint64(text);
    case TYPE.double:
      return scanDouble(text);
    case TYPE.addr:
      return scanHex64(text);
    case TYPE.bool: {
      const word = text.toLowerCase();
      if (word === "true" || word === "t") return 1;
      if (word === "false" || word === "f") return 0;
      const number = scanInt64(text);
      return number === null ? null : number ? 1 : 0;
    }
    case TYPE.type: {
      const code = typeFromName(text);
      return code === TYPE.inv ? null : code;
    }
    case TYPE.usr: // opaque bytes cannot be read back from a stream
      return "";
    default:
      return null;
  }
}

/** Text of a value in reports: doubles with six decimals, addresses in hexadecimal. */
export function reportText(type: number, value: Value): string {
  switch (type) {
    case TYPE.string:
      return value as string;
    case TYPE.int:
    case TYPE.uint:
      return String(value);
    case TYPE.double:
      // A string here is a number that ECMAScript cannot carry: the NaN with a sign.
      return typeof value === "string" ? value : formatF(Number(value));
    case TYPE.addr:
    case TYPE.ptr:
      return value.toString(16);
    case TYPE.bool:
      return value ? "true" : "false";
    case TYPE.type:
      return TYPE_NAMES[Number(value)] ?? "inv";
    case TYPE.usr:
      return hexBytes(value as string);
    default:
      return "";
  }
}

/**
 * Format of doubles in a stream: C's `%g` with six digits, or enough digits to read back the same
 * value.
 */
export type DoubleDigits = "six" | "all";

/** Text of a value in a `.cali` stream, before escaping. */
export function streamText(type: number, value: Value, digits: DoubleDigits): string {
  if (type === TYPE.double && typeof value === "number") {
    if (digits === "six" || !Number.isFinite(value)) return formatG(value);
    return Object.is(value, -0) ? "-0" : String(value);
  }
  return reportText(type, value);
}

function hexBytes(bytes: string): string {
  let text = "";
  for (let i = 0; i < bytes.length; i++) {
    const hex = bytes.charCodeAt(i).toString(16);
    // Only the first byte is padded: the width of a C++ stream holds for one item.
    text += (i === 0 ? hex.padStart(2, "0") : hex) + ":";
  }
  return text;
}

/** Same type and same content; doubles by their bits, so NaN equals NaN and -0 is not 0. */
export function equalValues(typeA: number, a: Value, typeB: number, b: Value): boolean {
  return typeA === typeB && (a === b ? a !== 0 || Object.is(a, b) : a !== a && b !== b);
}

/**
 * Order of two values: by type code when the types differ, else the natural order of the type.
 *
 * @param wide False compares `int` by the lower 32 bits of the difference, as Caliper does: there
 *   9223372036854775807 is not greater than 0. True compares all 64 bits.
 */
export function compareValues(
  typeA: number,
  a: Value,
  typeB: number,
  b: Value,
  wide: boolean,
): number {
  if (typeA !== typeB) return typeA - typeB;
  switch (typeA) {
    case TYPE.inv:
      return 0;
    case TYPE.int:
      if (!wide) return lowerHalfOfDifference(a as Int64, b as Int64);
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

function lowerHalfOfDifference(a: Int64, b: Int64): number {
  if (typeof a === "number" && typeof b === "number") {
    const difference = a - b;
    if (difference === (difference | 0)) return difference;
  }
  return Number(BigInt.asIntN(32, BigInt(a) - BigInt(b)));
}

/** The value as a double; strings, bytes and the empty value give 0. */
export function toDouble(type: number, value: Value): number {
  if (type === TYPE.string || type === TYPE.usr || type === TYPE.inv || type === TYPE.ptr) return 0;
  return typeof value === "string" ? NaN : Number(value);
}

/** The value as a 64-bit unsigned integer; what cannot be one gives 0. */
export function toUint(type: number, value: Value): Int64 {
  if (type === TYPE.double) return typeof value === "number" ? doubleToInt(value, true) : 0;
  if (typeof value === "string" || type === TYPE.inv || type === TYPE.ptr || value < 0) return 0;
  return value;
}

/** The value as a 64-bit signed integer; what cannot be one gives 0. */
function toInt(type: number, value: Value): Int64 {
  if (type === TYPE.double) return typeof value === "number" ? doubleToInt(value, false) : 0;
  if (typeof value === "string" || type === TYPE.inv || type === TYPE.ptr) return 0;
  return value > 0x7fffffffffffffffn ? 0 : value;
}

/** A double cut to 64 bits as a C cast on x86-64 does it, if C itself leaves it open. */
export function doubleToInt(x: number, unsigned: boolean): Int64 {
  if (!Number.isFinite(x)) return narrow(unsigned ? 1n << 63n : -(1n << 63n));
  const whole = Math.trunc(x);
  if (Number.isSafeInteger(whole) && (whole >= 0 || !unsigned)) return whole + 0;
  if (unsigned) return narrow(BigInt.asUintN(64, BigInt(whole)));
  const wide = BigInt(whole);
  return narrow(wide === BigInt.asIntN(64, wide) ? wide : -(1n << 63n));
}

/** `left += right`: the left type stays; an empty left side takes the right value and type. */
export function addVariant(left: Variant, type: number, value: Value): Variant {
  switch (left.type) {
    case TYPE.inv:
      return { type, value };
    case TYPE.double:
      return { type: TYPE.double, value: toDouble(left.type, left.value) + toDouble(type, value) };
    case TYPE.int:
      return { type: TYPE.int, value: addInt64(left.value as Int64, toInt(type, value), false) };
    case TYPE.uint:
      return { type: TYPE.uint, value: addInt64(left.value as Int64, toUint(type, value), true) };
    default:
      return left;
  }
}

/** 64-bit sum that wraps around as the machine's does. */
export function addInt64(a: Int64, b: Int64, unsigned: boolean): Int64 {
  if (typeof a === "number" && typeof b === "number") {
    const sum = a + b;
    if (Number.isSafeInteger(sum) && (sum >= 0 || !unsigned)) return sum;
  }
  const wide = BigInt(a) + BigInt(b);
  return narrow(unsigned ? BigInt.asUintN(64, wide) : BigInt.asIntN(64, wide));
}

/** The smaller (`sign` -1) or greater (`sign` 1) of the two, in the type of the left one. */
export function extremeVariant(left: Variant, type: number, value: Value, sign: number): Variant {
  let other: Int64;
  switch (left.type) {
    case TYPE.inv:
      return { type, value };
    case TYPE.double:
      other = toDouble(type, value);
      break;
    case TYPE.int:
      other = toInt(type, value);
      break;
    case TYPE.uint:
      other = toUint(type, value);
      break;
    default:
      return left;
  }
  const current = left.value as Int64;
  const replaces = sign < 0 ? other < current : other > current;
  return replaces ? { type: left.type, value: other } : left;
}

/** The value divided by a count, in its own type: integers truncate; no number gives the empty value. */
export function divideVariant(v: Variant, count: number): Variant {
  switch (v.type) {
    case TYPE.double:
      return { type: v.type, value: toDouble(v.type, v.value) / count };
    case TYPE.int:
    case TYPE.uint:
      return typeof v.value === "number"
        ? { type: v.type, value: Math.trunc(v.value / count) + 0 }
        : { type: v.type, value: narrow((v.value as bigint) / BigInt(count)) };
    default:
      return EMPTY;
  }
}
