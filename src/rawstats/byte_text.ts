/**
 * Text of mostly numbers as bytes, without a string for each: series of a gigabyte of raw stats come
 * to some hundred million of them.
 *
 * @module
 */
import { EXACT_BELOW } from "../formats/rawstats/columns.ts";
import type { Exact } from "./series.ts";

const ZERO = 48;
const BUFFER_BYTES = 1 << 18;
/** Longest text that is written without asking for room: a double has at most 25 characters. */
const ROOM = 32;
const BILLION = 1e9;
const encoder = new TextEncoder();

/** Text that grows as bytes. */
export class ByteText {
  readonly #buffer = new Uint8Array(BUFFER_BYTES);
  readonly #out: (bytes: Uint8Array) => void;
  #at = 0;

  /** @param out Takes the bytes; they are valid during the call. */
  constructor(out: (bytes: Uint8Array) => void) {
    this.#out = out;
  }

  /** Any text. */
  text(text: string): void {
    if (text.length > ROOM) {
      this.bytes(encoder.encode(text));
      return;
    }
    this.#need(3 * ROOM);
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

  /** A single character. */
  char(code: number): void {
    this.#need(1);
    this.#buffer[this.#at++] = code;
  }

  /** A number as JavaScript writes it. */
  number(value: number): void {
    if (value >= 0 && value < EXACT_BELOW && Math.floor(value) === value) this.#whole(value);
    else this.text(String(value));
  }

  /** A whole number of any size. */
  exact(value: Exact): void {
    if (typeof value === "number") this.number(value);
    else this.text(value.toString());
  }

  /** Hands over what is there. */
  flush(): void {
    if (this.#at > 0) this.#out(this.#buffer.subarray(0, this.#at));
    this.#at = 0;
  }

  #need(bytes: number): void {
    if (this.#at + bytes > BUFFER_BYTES) this.flush();
  }

  #whole(value: number): void {
    this.#need(ROOM);
    if (value < BILLION) {
      this.#digits(value | 0, 1);
      return;
    }
    const above = Math.floor(value / BILLION);
    this.#digits(above, 1);
    this.#digits((value - above * BILLION) | 0, 9);
  }

  /** Digits of a number below 2^31 (or its 24 bits above a billion), with zeros in front. */
  #digits(value: number, least: number): void {
    let count = 1;
    for (let power = 10; count < 10 && value >= power; power *= 10) count++;
    if (count < least) count = least;
    const buffer = this.#buffer;
    for (let i = this.#at + count - 1; i >= this.#at; i--) {
      const rest = (value / 10) | 0;
      buffer[i] = ZERO + value - 10 * rest;
      value = rest;
    }
    this.#at += count;
  }
}
