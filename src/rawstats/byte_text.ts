/**
 * Text of mostly numbers as bytes, without a string for each: series of a gigabyte of raw stats come
 * to some hundred million of them.
 *
 * @module
 */
import { EXACT_BELOW } from "../formats/rawstats/columns.ts";
import type { Exact } from "./series.ts";

const ZERO = 48, POINT = 46;
const BUFFER_BYTES = 1 << 18;
/** Longest text that is written without asking for room: a double has at most 25 characters. */
const MAX_NUMBER_BYTES = 32;
const BILLION = 1e9;
/** Decimals below this have at most 15 digits: no two of them are the same double. */
const FIFTEEN_DIGITS = 1e15;
const encoder = new TextEncoder();
/** "00" to "99", as bytes in memory. */
const PAIRS = Uint16Array.from(
  { length: 100 },
  (_, i) => (ZERO + i % 10) << 8 | ZERO + Math.floor(i / 10),
);

/** Text that is written often: encoded once, and copied by words of eight bytes. */
export class Piece {
  readonly bytes: Uint8Array;
  /** Of the bytes, with room for a whole word at the end. */
  readonly view: DataView;

  constructor(text: string) {
    const bytes = encoder.encode(text);
    const padded = new Uint8Array(bytes.length + 8);
    padded.set(bytes);
    this.bytes = padded.subarray(0, bytes.length);
    this.view = new DataView(padded.buffer);
  }
}

/** Text that grows as bytes. */
export class ByteText {
  readonly #buffer = new Uint8Array(BUFFER_BYTES + 8);
  readonly #view = new DataView(this.#buffer.buffer);
  readonly #out: (bytes: Uint8Array) => void;
  #at = 0;

  /** @param out Takes the bytes; they are valid during the call. */
  constructor(out: (bytes: Uint8Array) => void) {
    this.#out = out;
  }

  /** Any text. */
  text(text: string): void {
    if (text.length > MAX_NUMBER_BYTES) {
      this.bytes(encoder.encode(text));
      return;
    }
    this.#need(3 * MAX_NUMBER_BYTES);
    const buffer = this.#buffer;
    let at = this.#at;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 127) {
        this.bytes(encoder.encode(text));
        return;
      }
      buffer[at++] = code;
    }
    this.#at = at;
  }

  /** Text that is bytes already: what is written often is encoded once. */
  bytes(bytes: Uint8Array): void {
    if (bytes.length > BUFFER_BYTES) {
      this.flush();
      this.#out(bytes);
      return;
    }
    this.#need(bytes.length);
    // short ones are quicker by hand
    if (bytes.length > 64) this.#buffer.set(bytes, this.#at);
    else for (let i = 0; i < bytes.length; i++) this.#buffer[this.#at + i] = bytes[i];
    this.#at += bytes.length;
  }

  /** What is written often. UTF-8 is never the words of a double that copying changes: no NaN. */
  piece(piece: Piece): void {
    const { length } = piece.bytes;
    if (length > BUFFER_BYTES) {
      this.bytes(piece.bytes);
      return;
    }
    this.#need(length);
    const to = this.#view, from = piece.view;
    const at = this.#at;
    for (let i = 0; i < length; i += 8) to.setFloat64(at + i, from.getFloat64(i, true), true);
    this.#at = at + length;
  }

  /** A single character. */
  char(code: number): void {
    this.#need(1);
    this.#buffer[this.#at++] = code;
  }

  /** A number as JavaScript writes it. */
  number(value: number): void {
    if (value >= 0 && value < EXACT_BELOW && Math.floor(value) === value) this.#whole(value);
    else if (!(value >= 0.001 && value < 1e12 && this.#decimal(value))) this.text(String(value));
  }

  /**
   * Writes a number with few decimal places, or returns false. A decimal of at most 15 digits that
   * is this double is the only one, so it is what JavaScript writes.
   */
  #decimal(value: number): boolean {
    let factor = 10, places = 1;
    let count = Math.round(value * 10);
    if (count / 10 !== value) {
      factor = 1000;
      places = 3;
      count = Math.round(value * 1000);
      if (count >= FIFTEEN_DIGITS) return false;
      if (count / 1000 !== value) {
        factor = 1e6;
        places = 6;
        count = Math.round(value * 1e6);
        if (count >= FIFTEEN_DIGITS || count / 1e6 !== value) return false;
      }
    }
    const above = Math.floor(value);
    let behind = Math.round(count - above * factor) | 0;
    while (places > 1 && behind % 10 === 0) {
      behind = (behind / 10) | 0;
      places--;
    }
    this.#whole(above);
    this.#buffer[this.#at++] = POINT;
    this.#put(behind, places);
    return true;
  }

  /** A whole number of any size. */
  exact(value: Exact): void {
    if (typeof value === "number") this.number(value);
    else this.text(value.toString());
  }

  /** Passes on the collected bytes. */
  flush(): void {
    if (this.#at > 0) this.#out(this.#buffer.subarray(0, this.#at));
    this.#at = 0;
  }

  #need(bytes: number): void {
    if (this.#at + bytes > BUFFER_BYTES) this.flush();
  }

  /** The need of ten characters behind it is looked after, too. */
  #whole(value: number): void {
    this.#need(MAX_NUMBER_BYTES);
    if (value < BILLION) {
      this.#put(value | 0, digitsOf(value | 0));
      return;
    }
    const above = Math.floor(value / BILLION);
    this.#put(above, digitsOf(above));
    this.#put((value - above * BILLION) | 0, 9);
  }

  /** So many digits of a number below 2^31, with zeros in front. */
  #put(value: number, count: number): void {
    const view = this.#view;
    const start = this.#at;
    let at = start + count;
    this.#at = at;
    while (at - start >= 2) {
      const rest = (value / 100) | 0;
      at -= 2;
      view.setUint16(at, PAIRS[value - 100 * rest], true);
      value = rest;
    }
    if (at > start) this.#buffer[start] = ZERO + value;
  }
}

/** Digits of a number below a billion. */
function digitsOf(value: number): number {
  if (value < 10000) return value < 100 ? (value < 10 ? 1 : 2) : value < 1000 ? 3 : 4;
  if (value < 1e6) return value < 1e5 ? 5 : 6;
  return value < 1e8 ? (value < 1e7 ? 7 : 8) : 9;
}
