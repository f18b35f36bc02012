/** Values as streams write them. */

import { parseValue, TYPE, type Value } from "../context/variant.ts";

/**
 * Reads a value of the given type; null where the text holds none.
 *
 * The sign of a NaN is kept, as a text: 0/0 gives `-nan` on x86-64, so that streams hold it, and
 * what is read is to be printed the same.
 */
export function parseStreamValue(type: number, text: string): Value | null {
  const value = parseValue(type, text);
  const isSigned = type === TYPE.double && value !== value && /^\s*-/.test(text);
  return isSigned ? "-nan" : value;
}
