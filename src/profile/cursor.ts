/**
 * Numbers out of bytes that nobody has checked.
 * @module
 */

const HIGH = 4294967296;
const decoder = new TextDecoder();

/** A table that is no table. */
export class BadTable extends Error {}

/** Result of a function; `undefined` if the table it reads is wrong. */
export function orNothing<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    if (error instanceof BadTable) return undefined;
    throw error;
  }
}

/** Reads numbers from bytes; beyond their end they are a bad table. */
export class Cursor {
  at = 0;
  readonly bytes: Uint8Array;
  readonly #address: number;

  /** @param address Where the bytes begin in memory. */
  constructor(bytes: Uint8Array, address: number) {
    [this.bytes, this.#address] = [bytes, address];
  }

  get hasMore(): boolean {
    return this.at < this.bytes.length;
  }

  u8(): number {
    if (this.at >= this.bytes.length) throw new BadTable();
    return this.bytes[this.at++];
  }

  u16(): number {
    return this.u8() | this.u8() << 8;
  }

  u32(): number {
    return (this.u16() | this.u16() << 16) >>> 0;
  }

  u64(): number {
    return this.u32() + this.u32() * HIGH;
  }

  uleb(): number {
    let value = 0, weight = 1;
    for (;; weight *= 128) {
      const byte = this.u8();
      value += (byte & 127) * weight;
      if (byte < 128) return value;
    }
  }

  sleb(): number {
    let value = 0, weight = 1;
    for (;;) {
      const byte = this.u8();
      value += (byte & 127) * weight;
      weight *= 128;
      if (byte < 128) return (byte & 64) !== 0 ? value - weight : value;
    }
  }

  /** A text that ends in NUL. */
  text(): string {
    const end = this.bytes.indexOf(0, this.at);
    if (end < 0) throw new BadTable();
    const text = decoder.decode(this.bytes.subarray(this.at, end));
    this.at = end + 1;
    return text;
  }

  skip(bytes: number): void {
    this.at += bytes;
  }

  i8(): number {
    return this.u8() << 24 >> 24;
  }

  /** An unsigned number of so many bytes, 8 at most. */
  number(bytes: number): number {
    let value = 0;
    for (let i = 0, weight = 1; i < bytes; i++, weight *= 256) value += this.u8() * weight;
    return value;
  }

  /** Bytes with their length before them. */
  block(): Uint8Array {
    const length = this.uleb(), from = this.at;
    if (from + length > this.bytes.length) throw new BadTable();
    this.at += length;
    return this.bytes.slice(from, this.at);
  }

  /** A pointer in one of the encodings DW_EH_PE_. */
  pointer(encoding: number): number {
    if (encoding === 0xff) return 0;
    const here = this.#address + this.at, value = this.#encoded(encoding & 15);
    return (encoding & 0x70) === 0x10 ? here + value : value;
  }

  #encoded(format: number): number {
    switch (format) {
      case 0:
      case 4:
        return this.u64();
      case 1:
        return this.uleb();
      case 2:
        return this.u16();
      case 3:
        return this.u32();
      case 9:
        return this.sleb();
      case 10:
        return this.u16() << 16 >> 16;
      case 11:
        return this.u32() | 0;
      case 12:
        return this.u32() + (this.u32() | 0) * HIGH;
    }
    throw new BadTable();
  }
}
