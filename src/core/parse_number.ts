/**
 * Numbers out of the bytes of kernel files, without allocation and without losing digits.
 *
 * The files hold decimal integers up to 2^64 − 1, which no double holds: a value is kept as
 * high × 10^9 + low, both exact, so that differences are exact too.
 * @module
 */

/** Weight of the high part. */
export const HIGH_WEIGHT = 1e9;

/** Results of a scan. */
export const SCAN = {
  OK: 0,
  EMPTY: 1,
  NOT_A_NUMBER: 2,
  /** 2^64 − 1 or more: what drivers return when they have no value. */
  ALL_ONES: 3,
  /** The unit is not the one that is due. */
  WRONG_UNIT: 4,
} as const;

/** See {@link SCAN}. */
export type Scan = typeof SCAN[keyof typeof SCAN];

const LF = 10;
const BLANK = 32;
const TAB = 9;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const ALL_ONES_HIGH = 18446744073;
const ALL_ONES_LOW = 709551615;

/** Did a writer finish this file? Kernel files end in a line feed. */
export function isWhole(bytes: Uint8Array, length: number): boolean {
  return length > 0 && bytes[length - 1] === LF;
}

/** A scanner keeps the parts of the last number it read. */
export class NumberScanner {
  /** |value| = high × 10^9 + low. */
  high = 0;
  low = 0;
  negative = false;
  /** Index of the first byte behind the number. */
  next = 0;

  /** The number as a double: exact below 2^53, else the nearest. */
  get value(): number {
    const magnitude = this.high * HIGH_WEIGHT + this.low;
    return this.negative ? -magnitude : magnitude;
  }

  /** Reads a decimal integer at `at`, leading blanks skipped. */
  integer(bytes: Uint8Array, length: number, at = 0): Scan {
    let i = at;
    while (i < length && (bytes[i] === BLANK || bytes[i] === TAB)) i++;
    if (i >= length || bytes[i] === LF) {
      this.next = i;
      return SCAN.EMPTY;
    }
    this.negative = bytes[i] === MINUS;
    if (this.negative) i++;
    const first = i;
    let high = 0;
    let low = 0;
    while (i < length) {
      const digit = bytes[i] - ZERO;
      if (digit < 0 || digit > 9) break;
      low = low * 10 + digit;
      high *= 10;
      if (low >= HIGH_WEIGHT) {
        const carry = Math.floor(low / HIGH_WEIGHT);
        low -= carry * HIGH_WEIGHT;
        high += carry;
      }
      i++;
    }
    this.high = high;
    this.low = low;
    this.next = i;
    if (i === first || i - first > 20) return SCAN.NOT_A_NUMBER;
    if (high > ALL_ONES_HIGH || (high === ALL_ONES_HIGH && low >= ALL_ONES_LOW)) {
      return SCAN.ALL_ONES;
    }
    return SCAN.OK;
  }

  /** Reads a file that holds one integer and nothing else. */
  only(bytes: Uint8Array, length: number): Scan {
    const found = this.integer(bytes, length);
    if (found !== SCAN.OK) return found;
    return this.#atEnd(bytes, length, this.next) ? SCAN.OK : SCAN.NOT_A_NUMBER;
  }

  /**
   * Reads `NUMBER UNIT` or `NUMBER UNIT STAMP us`, as Cray's counter files hold it; a number may
   * have a fraction and an exponent.
   *
   * @param unit Unit that is due; "" for none, `undefined` for any or none.
   */
  quantity(bytes: Uint8Array, length: number, unit: string | undefined): Scan {
    const found = this.#decimal(bytes, length);
    if (found !== SCAN.OK) return found;
    let i = this.next;
    if (unit === undefined) return this.#blank(bytes, length, i) ? SCAN.OK : SCAN.NOT_A_NUMBER;
    if (unit === "") return this.#atEnd(bytes, length, i) ? SCAN.OK : SCAN.WRONG_UNIT;
    if (!this.#blank(bytes, length, i)) return SCAN.NOT_A_NUMBER;
    while (i < length && (bytes[i] === BLANK || bytes[i] === TAB)) i++;
    for (let k = 0; k < unit.length; k++) {
      if (i >= length || bytes[i] !== unit.charCodeAt(k)) return SCAN.WRONG_UNIT;
      i++;
    }
    if (!this.#blank(bytes, length, i)) return SCAN.WRONG_UNIT;
    this.next = i;
    return SCAN.OK;
  }

  /** Reads the `STAMP us` behind a quantity that was just read; the number then is the stamp. */
  stamp(bytes: Uint8Array, length: number): Scan {
    const found = this.integer(bytes, length, this.next);
    if (found !== SCAN.OK) return found;
    let i = this.next;
    while (i < length && bytes[i] === BLANK) i++;
    return bytes[i] === 117 && bytes[i + 1] === 115 ? SCAN.OK : SCAN.WRONG_UNIT;
  }

  /** Reads an integer, or by the slow way a number with fraction or exponent. */
  #decimal(bytes: Uint8Array, length: number): Scan {
    const found = this.integer(bytes, length);
    const after = this.next < length ? bytes[this.next] : LF;
    const fraction = after === POINT || after === 101 || after === 69;
    if (!fraction) return found;
    let start = 0;
    while (bytes[start] === BLANK || bytes[start] === TAB) start++;
    let end = start;
    while (end < length && !this.#blank(bytes, end + 1, end)) end++;
    let text = "";
    for (let i = start; i < end; i++) text += String.fromCharCode(bytes[i]);
    if (!/^-?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text)) return SCAN.NOT_A_NUMBER;
    const value = Number(text);
    this.negative = value < 0;
    this.high = 0;
    this.low = Math.abs(value);
    this.next = end;
    return SCAN.OK;
  }

  /** Is `i` at a blank, a line feed or the end? */
  #blank(bytes: Uint8Array, length: number, i: number): boolean {
    return i >= length || bytes[i] === BLANK || bytes[i] === TAB || bytes[i] === LF;
  }

  #atEnd(bytes: Uint8Array, length: number, from: number): boolean {
    for (let i = from; i < length; i++) {
      if (bytes[i] !== BLANK && bytes[i] !== TAB && bytes[i] !== LF) return false;
    }
    return true;
  }
}
