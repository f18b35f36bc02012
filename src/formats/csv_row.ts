/**
 * Rows of CSV (RFC 4180) out of bytes: plain ones without allocation, quoted ones too.
 * @module
 */

const COMMA = 44;
const QUOTE = 34;
const ZERO = 48;
const POINT = 46;
const MINUS = 45;
/** Powers of ten that a double holds exactly. */
const POWERS = Float64Array.from({ length: 23 }, (_, i) => 10 ** i);
const decoder = new TextDecoder();

/** A field, quoted if it must be. */
export function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * The decimal number in `bytes[start, end)`, correctly rounded.
 *
 * @returns `undefined` when it is none. `NaN` written out is a number here.
 */
export function numberIn(bytes: Uint8Array, start: number, end: number): number | undefined {
  let i = start;
  const negative = bytes[i] === MINUS;
  if (negative) i++;
  let mantissa = 0;
  let digits = 0;
  let behind = -1;
  for (; i < end; i++) {
    const c = bytes[i] - ZERO;
    if (c >= 0 && c <= 9) {
      mantissa = mantissa * 10 + c;
      digits++;
      if (behind >= 0) behind++;
    } else if (bytes[i] === POINT && behind < 0) behind = 0;
    else return slowNumber(bytes, start, end);
  }
  // Both are exact up to here, and one division rounds once.
  if (digits === 0 || mantissa > Number.MAX_SAFE_INTEGER || behind > 22) {
    return slowNumber(bytes, start, end);
  }
  const size = behind > 0 ? mantissa / POWERS[behind] : mantissa;
  return negative ? -size : size;
}

function slowNumber(bytes: Uint8Array, start: number, end: number): number | undefined {
  const text = decoder.decode(bytes.subarray(start, end));
  if (/^[-+]?nan$/i.test(text)) return NaN;
  return /^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?$/i.test(text) ? Number(text) : undefined;
}

/** The text in `bytes[start, end)`. */
function textIn(bytes: Uint8Array, start: number, end: number): string {
  if (end - start > 32) return decoder.decode(bytes.subarray(start, end));
  let text = "";
  for (let i = start; i < end; i++) {
    if (bytes[i] > 127) return decoder.decode(bytes.subarray(start, end));
    text += String.fromCharCode(bytes[i]);
  }
  return text;
}

/** Splits one row; the offset of each field is kept until the next row. */
export class CsvRow {
  #bytes: Uint8Array = new Uint8Array(0);
  readonly #start: Int32Array;
  readonly #end: Int32Array;
  readonly #most: number;
  #quoted = false;

  /** @param most Fields that can be kept; more are counted only. */
  constructor(most: number) {
    this.#most = most;
    this.#start = new Int32Array(most);
    this.#end = new Int32Array(most);
  }

  /** @returns Number of fields, −1 for a row whose quotes are wrong. */
  split(bytes: Uint8Array, start: number, end: number): number {
    this.#bytes = bytes;
    this.#quoted = false;
    let count = 0;
    let from = start;
    for (let i = start; i <= end; i++) {
      if (i < end && bytes[i] === QUOTE) {
        this.#quoted = true;
        if (i !== from) return -1;
        i = this.#closing(bytes, i + 1, end);
        if (i < 0 || (i < end && bytes[i] !== COMMA)) return -1;
      }
      if (i < end && bytes[i] !== COMMA) continue;
      if (count < this.#most) {
        this.#start[count] = from;
        this.#end[count] = i;
      }
      count++;
      from = i + 1;
    }
    return count;
  }

  /** Place behind the quote that closes a field, −1 when there is none. */
  #closing(bytes: Uint8Array, at: number, end: number): number {
    for (let i = at; i < end; i++) {
      if (bytes[i] !== QUOTE) continue;
      if (i + 1 < end && bytes[i + 1] === QUOTE) i++;
      else return i + 1;
    }
    return -1;
  }

  isEmpty(field: number): boolean {
    return this.#start[field] === this.#end[field];
  }

  text(field: number): string {
    const start = this.#start[field];
    const end = this.#end[field];
    if (!this.#quoted || this.#bytes[start] !== QUOTE) return textIn(this.#bytes, start, end);
    return textIn(this.#bytes, start + 1, end - 1).replaceAll('""', '"');
  }

  /** `undefined` when the field is no number. */
  number(field: number): number | undefined {
    return numberIn(this.#bytes, this.#start[field], this.#end[field]);
  }
}
