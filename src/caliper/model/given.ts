/** Values as programs give them to annotations. */

import { narrow } from "./c_number.ts";
import { EMPTY, parseValue, TYPE, type Variant } from "./variant.ts";

/** A value as programs give it; text is read in the attribute's type, bytes as two digits each. */
export type Given = string | number | bigint | boolean | Uint8Array;

/** The type that a value has by itself. */
export function typeOfGiven(value: Given | Variant): number {
  if (value instanceof Uint8Array) return TYPE.usr;
  if (typeof value === "object") return value.type;
  switch (typeof value) {
    case "string":
      return TYPE.string;
    case "boolean":
      return TYPE.bool;
    case "bigint":
      return TYPE.int;
    default:
      return Number.isInteger(value) ? TYPE.int : TYPE.double;
  }
}

/** A given value in a type; the empty value if it is none of that type. */
export function readGiven(type: number, given: Given | Variant): Variant {
  if (given instanceof Uint8Array) {
    return type === TYPE.usr ? { type, value: String.fromCharCode(...given) } : EMPTY;
  }
  if (typeof given === "object") return given.type === type ? given : EMPTY;
  if (type === TYPE.usr) return { type, value: bytesOf(String(given)) };
  if (typeof given !== "string") {
    if (type === TYPE.addr) return readGiven(type, addressOf(given));
    if (type === TYPE.double) return { type, value: Number(given) };
    if (typeof given === "bigint") given = String(narrow(given));
    else if (typeof given === "number" && type !== TYPE.string) given = String(Math.trunc(given));
  }
  const value = parseValue(type, String(given));
  return value === null ? EMPTY : { type, value };
}

function addressOf(given: number | bigint | boolean): string {
  const whole = typeof given === "number" ? Math.trunc(given) : given;
  return BigInt.asUintN(64, BigInt(whole)).toString(16);
}

/** Bytes by their hexadecimal digits; a character each. */
function bytesOf(digits: string): string {
  const pairs = digits.match(/[0-9a-f]{2}/gi) ?? [];
  return String.fromCharCode(...pairs.map((pair) => parseInt(pair, 16)));
}
