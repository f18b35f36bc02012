/**
 * The values of a statistics line: whole numbers below 2^64, out of bytes.
 *
 * Half of the time of reading raw stats is spent here.
 * @module
 */
import { EXACT_BELOW, type RawColumns, type RawValues } from "./columns.ts";

const SPACE = 32, LF = 10;
/** Maximum value of a counter. */
export const MAX_U64 = 18446744073709551615n;
const decoder = new TextDecoder();

/**
 * Decodes the values from a place on, up to the end or that of the line.
 *
 * @returns Where they end; −1 unless they are as many as the schema has.
 */
export function readValues(
  b: Uint8Array,
  from: number,
  end: number,
  columns: RawColumns,
  values: RawValues,
): number {
  const numbers = values.numbers;
  const count = numbers.length;
  values.hasWide = false;
  let k = 0;
  let i = from;
  while (i < end) {
    const first = b[i] - 48;
    // a blank is −16: an empty word is skipped
    if (first < 0 || first > 9) {
      if (first === SPACE - 48) {
        i++;
        continue;
      }
      if (first === LF - 48) break;
      return -1;
    }
    const word = i++;
    // nine digits at a time in whole numbers of 32 bits, which are quicker
    let part = first;
    let stop = word + 9 < end ? word + 9 : end;
    while (i < stop) {
      const d = b[i] - 48;
      if (d < 0 || d > 9) break;
      part = (part * 10 + d) | 0;
      i++;
    }
    let v = part;
    if (i === word + 9) {
      stop = word + 15 < end ? word + 15 : end;
      let factor = 1;
      part = 0;
      while (i < stop) {
        const d = b[i] - 48;
        if (d < 0 || d > 9) break;
        part = (part * 10 + d) | 0;
        factor *= 10;
        i++;
      }
      v = v * factor + part;
      while (i < end) {
        const d = b[i] - 48;
        if (d < 0 || d > 9) break;
        v = v * 10 + d;
        i++;
      }
    }
    if (i < end && b[i] !== SPACE && b[i] !== LF) return -1;
    if (k === count) return -1;
    if (v < EXACT_BELOW) numbers[k++] = v;
    else {
      const exact = BigInt(decoder.decode(b.subarray(word, i)));
      if (exact > MAX_U64) return -1;
      values.setWide(k++, exact);
    }
    if (i < end && b[i] === SPACE) i++;
  }
  if (k === count) return i;
  if (k !== columns.fastCount) return -1;
  // a fast sample: from the last column on, so that none is overwritten before it is moved
  for (let from = k - 1, to = count - 1; to >= 0; to--) {
    if (from >= 0 && columns.fast[from] === to) numbers[to] = numbers[from--];
    else numbers[to] = NaN;
  }
  return i;
}
