/**
 * Fields of a report's sections, line by line. Sections repeat their keys in one order, so a line is
 * compared with the one expected, and taken apart only if it differs.
 * @module
 */
import { type LineCursor, splitPair } from "./nested.ts";
import { parseValue } from "./scalar.ts";

/** Blanks before a field. */
const DEPTH = 6;
/** Lines of a section that are remembered. */
const MAX_KNOWN = 256;
/** Digits that a double holds exactly, and as many decimal places are divided off without an error. */
const MAX_DIGITS = 15;
const POWERS = Float64Array.from({ length: MAX_DIGITS + 1 }, (_, i) => Number(`1e${i}`));

/** A field. */
export interface FieldLine {
  readonly key: string;
  /** Line up to the value. */
  readonly begin: string;
}

/** Last line of each place in a section. */
const known: FieldLine[] = [];

/**
 * The field at the cursor, which goes on; `undefined` if there is none.
 *
 * @param place Number of the line in its section.
 */
export function nextField(cursor: LineCursor, place: number): FieldLine | undefined {
  const { line } = cursor;
  if (line === undefined) return undefined;
  const expected = known[place];
  if (
    expected !== undefined && line.length > expected.begin.length && line.startsWith(expected.begin)
  ) {
    cursor.at++;
    return expected;
  }
  if (cursor.indent !== DEPTH) return undefined;
  const pair = splitPair(line.slice(DEPTH));
  if (pair === undefined || pair.rest === "") throw cursor.error("a field with a value");
  cursor.at++;
  const field = { key: pair.key, begin: line.slice(0, line.length - pair.rest.length) };
  if (place < MAX_KNOWN) known[place] = field;
  return field;
}

/** Value of a line from a place on: as {@linkcode parseValue} reads it. */
export function fieldValue(line: string, from: number): number | string {
  return plainDecimal(line, from) ?? parseValue(line.slice(from));
}

/** Digits, and at most one point among them; `undefined`: something else, or too many. */
function plainDecimal(line: string, from: number): number | undefined {
  const { length } = line;
  let whole = 0, places = -1, digits = 0;
  for (let i = from; i < length; i++) {
    const code = line.charCodeAt(i);
    if (code === 46 && places < 0) places = length - 1 - i;
    else if (code < 48 || code > 57) return undefined;
    else {
      whole = whole * 10 + (code - 48);
      digits++;
    }
  }
  if (digits === 0 || digits > MAX_DIGITS) return undefined;
  return places > 0 ? whole / POWERS[places] : whole;
}
