/**
 * Text of mostly numbers as bytes, without a string for each: series of a gigabyte of raw stats come
 * to some hundred million of them.
 *
 * @module
 */
import { EXACT_BELOW } from "../formats/rawstats/columns.ts";
import type { Exact } from "./series.ts";

const ZERO = 48, POINT = 46, COMMA = 44, LF = 10;
const BUFFER_BYTES = 1 << 18;
/** Bytes that are handed over at once, at most, but for single texts that are longer. */
export const PIECE_BYTES = BUFFER_BYTES;
/** Longest text that is written without asking for room: a double has at most 25 characters. */
const MAX_NUMBER_BYTES = 32;
const BILLION = 1e9;
/** Numbers with a fraction whose digits are made here: powers of ten to scale them are exact. */
const LEAST_FRACTION = 2 ** -19, MOST_FRACTION = 2 ** 52;
/** Biased exponent of the first. */
const LEAST_EXPONENT = 1023 - 19;
/** Splits a double into two halves whose products are exact. */
const SPLITTER = 2 ** 27 + 1;
/** Sums of scaled digits are rounded by less. */
const UNSURE = 1e-6;
const double = new Float64Array(1);
/** Its words: the lower, the upper. */
const words = new Uint32Array(double.buffer);
const encoder = new TextEncoder();
/** "00" to "99", as bytes in memory. */
const PAIRS = Uint16Array.from(
  { length: 100 },
  (_, i) => (ZERO + i % 10) << 8 | ZERO + Math.floor(i / 10),
);

/**
 * How doubles of one exponent are scaled, so that their distance is from 1 to 10, from the least
 * exponent on: a power of ten, the upper part of it, and half the distance of scaled doubles.
 */
const SCALES = new Float64Array(3 * (19 + 52));
/** The exponents of these powers. */
const PLACES = new Int32Array(19 + 52);
for (let i = 0; i < PLACES.length; i++) {
  const distance = 2 ** (i - 19 - 52);
  while (distance * Number(`1e${PLACES[i]}`) < 1) PLACES[i]++;
  const power = Number(`1e${PLACES[i]}`);
  SCALES.set([power, power * SPLITTER - (power * SPLITTER - power), distance * power / 2], 3 * i);
}

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

/** Two texts, one behind the other, of which the second changes often. */
export class Pair {
  view = new DataView(new ArrayBuffer(1024));
  length = 0;
  #first = 0;

  /** Sets the first one. */
  begin({ bytes }: Piece): void {
    this.#need(bytes.length);
    new Uint8Array(this.view.buffer).set(bytes);
    this.#first = this.length = bytes.length;
  }

  /** Sets the second one. */
  end({ bytes, view }: Piece): void {
    this.length = this.#first + bytes.length;
    this.#need(this.length);
    for (let i = 0; i < bytes.length; i += 8) {
      this.view.setFloat64(this.#first + i, view.getFloat64(i, true), true);
    }
  }

  #need(bytes: number): void {
    const old = this.view.buffer;
    if (bytes + 8 <= old.byteLength) return;
    this.view = new DataView(new ArrayBuffer(2 * bytes + 8));
    new Uint8Array(this.view.buffer).set(new Uint8Array(old));
  }
}

/** Many short texts that are written often. */
export class Pieces {
  readonly view: DataView;
  /** Where each begins, and the last one ends. */
  readonly starts: Int32Array;

  constructor(texts: readonly string[]) {
    this.starts = new Int32Array(texts.length + 1);
    const bytes = encoder.encode(texts.join(""));
    // what is not ASCII takes more
    const isPlain = texts.reduce((sum, text) => sum + text.length, 0) === bytes.length;
    let at = 0;
    texts.forEach((text, i) => {
      at += isPlain ? text.length : encoder.encode(text).length;
      this.starts[i + 1] = at;
    });
    const padded = new Uint8Array(bytes.length + 8);
    padded.set(bytes);
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
    this.#copy(piece.view, 0, length);
  }

  /** One of many such texts. */
  pieceOf({ view, starts }: Pieces, index: number): void {
    this.#copy(view, starts[index], starts[index + 1] - starts[index]);
  }

  #copy(from: DataView, start: number, length: number): void {
    this.#need(length);
    const to = this.#view;
    const at = this.#at;
    for (let i = 0; i < length; i += 8) {
      to.setFloat64(at + i, from.getFloat64(start + i, true), true);
    }
    this.#at = at + length;
  }

  /**
   * A row of CSV: two texts, and three numbers with commas between them; where the second is NaN,
   * the last two are left out.
   */
  row(begin: Pair, column: Piece, first: number, second: number, third: number): void {
    const { length } = begin;
    if (length + column.bytes.length > BUFFER_BYTES / 2) {
      this.bytes(new Uint8Array(begin.view.buffer, 0, length));
      this.bytes(column.bytes);
    } else {
      this.#copy(begin.view, 0, length);
      this.#copy(column.view, 0, column.bytes.length);
    }
    this.#small(first);
    this.char(COMMA);
    if (second === second) this.#small(second);
    this.char(COMMA);
    if (second === second) this.#small(third);
    this.char(LF);
  }

  /** Most numbers have few digits. */
  #small(value: number): void {
    const whole = value | 0;
    if (whole === value && whole >= 0 && whole < BILLION) {
      if (whole < 10) this.char(ZERO + whole);
      else {
        this.#need(MAX_NUMBER_BYTES);
        this.#put(whole, digitsOf(whole));
      }
    } else this.number(value);
  }

  /** A single character. */
  char(code: number): void {
    this.#need(1);
    this.#buffer[this.#at++] = code;
  }

  /** A number as JavaScript writes it. */
  number(value: number): void {
    if (value >= 0 && value < EXACT_BELOW && Math.floor(value) === value) this.#whole(value);
    else if (!(value >= LEAST_FRACTION && value < MOST_FRACTION && this.#fraction(value))) {
      this.text(String(value));
    }
  }

  /**
   * Numbers below 2^53, each behind a comma, until one is none.
   *
   * @returns Where it stopped.
   */
  numbers(values: Float64Array, from: number, to: number): number {
    for (let i = from; i < to; i++) {
      const value = values[i];
      if (!(value < EXACT_BELOW)) return i;
      this.#need(MAX_NUMBER_BYTES);
      const whole = value | 0;
      if (whole === value && whole >= 0 && whole < BILLION) {
        this.#buffer[this.#at++] = COMMA;
        this.#put(whole, digitsOf(whole));
      } else {
        this.#buffer[this.#at++] = COMMA;
        this.number(value);
      }
    }
    return to;
  }

  /**
   * Writes the shortest decimal that is this double and no other, the nearest one of those, or returns
   * false where that is too close a decision. All decimals between the middles to the doubles below
   * and above are this double.
   *
   * The value is multiplied by a power of ten, exactly, so that the distance of doubles is from 1 to 10:
   * then there is a whole number between the middles, and at most one multiple of ten.
   */
  #fraction(value: number): boolean {
    double[0] = value;
    const upper = words[1];
    // below a power of two the distance is another one
    if (words[0] === 0 && (upper & 0xfffff) === 0) return false;
    const scale = (upper >>> 20) - LEAST_EXPONENT;
    const power = SCALES[3 * scale];
    const high = SCALES[3 * scale + 1];
    const half = SCALES[3 * scale + 2];
    const low = power - high;
    // Dekker's product: the sum of the two is the exact one
    const split = value * SPLITTER;
    const valueHigh = split - (split - value);
    const valueLow = value - valueHigh;
    const product = value * power;
    const error = ((valueHigh * high - product) + valueHigh * low + valueLow * high) +
      valueLow * low;
    let above = Math.floor(product / 1e8);
    const rest = (product - above * 1e8) + error;
    let behind = Math.round(rest / 10) * 10;
    const distance = Math.abs(rest - behind);
    if (distance > half - UNSURE) {
      if (distance < half + UNSURE) return false;
      behind = Math.round(rest);
      if (Math.abs(Math.abs(rest - behind) - 0.5) < UNSURE) return false;
    }
    if (behind < 0) {
      above--;
      behind += 1e8;
    } else if (behind >= 1e8) {
      above++;
      behind -= 1e8;
    }
    this.#need(MAX_NUMBER_BYTES);
    this.#point(value, above, behind, PLACES[scale]);
    return true;
  }

  /** Writes a number with a fraction: the digits `above` and eight `behind`, the last so many as places. */
  #point(value: number, above: number, behind: number, places: number): void {
    const buffer = this.#buffer;
    const start = this.#at;
    const isNine = above >= 1e8;
    let before = (isNine ? 17 : 16) - places;
    let at = start + 1;
    // zeros in front, one of them before the point
    for (; before <= 0; before++) buffer[at++] = ZERO;
    if (isNine) {
      const first = (above / 1e8) | 0;
      buffer[at++] = ZERO + first;
      above -= first * 1e8;
    }
    this.#eight(at, above);
    this.#eight(at + 8, behind);
    at += 16;
    // in front of the point, once more
    if (value < 10) buffer[start] = buffer[start + 1];
    else if (value < BILLION) this.#put(value | 0, before);
    else for (let i = 0; i < before; i++) buffer[start + i] = buffer[start + i + 1];
    buffer[start + before] = POINT;
    while (buffer[at - 1] === ZERO) at--;
    this.#at = at;
  }

  /** Eight digits at a place. */
  #eight(at: number, value: number): void {
    const view = this.#view;
    const whole = value | 0;
    const upper = (whole / 10000) | 0;
    const lower = (whole - upper * 10000) | 0;
    const first = (upper / 100) | 0;
    const third = (lower / 100) | 0;
    const front = PAIRS[first] | PAIRS[upper - first * 100] << 16;
    view.setInt32(at, front, true);
    view.setInt32(at + 4, PAIRS[third] | PAIRS[lower - third * 100] << 16, true);
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
