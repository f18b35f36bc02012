/**
 * A small text file that holds a number: rewritten in place, without allocation.
 * @module
 */
import type { TreeWriter } from "./tree_writer.ts";

const encoder = new TextEncoder();

/** One such file. */
export class NumberFile {
  readonly #writer: TreeWriter;
  readonly #path: string;
  /** Bytes after the number: a unit. */
  readonly #unit: Uint8Array;
  readonly #bytes = new Uint8Array(64);
  #length = 0;
  #ends: Uint8Array[] = [];

  constructor(writer: TreeWriter, path: string, unit = "") {
    this.#writer = writer;
    this.#path = path;
    this.#unit = encoder.encode(unit === "" ? "" : ` ${unit}`);
    // One view per length, made once.
    for (let n = 0; n <= this.#bytes.length; n++) this.#ends.push(this.#bytes.subarray(0, n));
  }

  /** Makes the file. */
  make(value: number, stampUs = NaN, mode?: number): void {
    this.#format(value, stampUs);
    this.#writer.put(this.#path, this.#ends[this.#length].slice(), mode);
  }

  /** @param stampUs Written after the number with the unit "us"; NaN: none. */
  write(value: number, stampUs = NaN): void {
    this.#format(value, stampUs);
    this.#writer.patch(this.#path, 0, this.#ends[this.#length], true);
  }

  #format(value: number, stampUs: number): void {
    this.#length = 0;
    this.#digits(value);
    this.#append(this.#unit);
    if (stampUs === stampUs) {
      this.#bytes[this.#length++] = 32;
      this.#digits(stampUs);
      this.#bytes[this.#length++] = 32;
      this.#bytes[this.#length++] = 117; // u
      this.#bytes[this.#length++] = 115; // s
    }
    this.#bytes[this.#length++] = 10;
  }

  #append(bytes: Uint8Array): void {
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** A whole number, not negative. */
  #digits(value: number): void {
    let rest = Math.floor(value);
    let count = 1;
    for (let power = 10; power <= rest; power *= 10) count++;
    for (let i = count - 1; i >= 0; i--) {
      const next = Math.floor(rest / 10);
      this.#bytes[this.#length + i] = 48 + (rest - next * 10);
      rest = next;
    }
    this.#length += count;
  }
}
