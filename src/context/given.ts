/** Values as programs give them to annotations. */

import { narrow } from "./c_number.ts";
import { EMPTY, parseValue, TYPE, type Variant } from "./variant.ts";

/** A value as programs give it; text is read in the attribute's type. */
export type Given = string | number | bigint | boolean;

/** The type that a value has by itself. */
export function typeOfGiven(value: Given): number {
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

/** A given value in a type; the empty value where it is none of that type. */
export function readGiven(type: number, given: Given): Variant {
  if (typeof given !== "string") {
    if (type === TYPE.double) return { type, value: Number(given) };
    if (typeof given === "bigint") given = String(narrow(given));
    else if (typeof given === "number" && type !== TYPE.string) given = String(Math.trunc(given));
  }
  const value = parseValue(type, String(given));
  return value === null ? EMPTY : { type, value };
}
