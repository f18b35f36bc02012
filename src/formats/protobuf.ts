/**
 * Protocol buffers, as far as a writer needs them: fields of varints, doubles, texts and messages into
 * bytes that are reused. protobuf.dev, Encoding.
 *
 * The length of a message is always written with four bytes, so that it can be filled in
 * afterwards; readers take longer varints than needed.
 * @module
 */
import { grown } from "../core/grow.ts";

const VARINT = 0, FIXED64 = 1, LENGTH = 2;
const LENGTH_BYTES = 4;
const encoder = new TextEncoder();

/** Fields under construction. */
export class ProtoWriter {
  #bytes: Uint8Array<ArrayBuffer> = new Uint8Array(4096);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  /** Bytes written so far; valid until the next field. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }

  /** A whole number from 0 to 2^53. */
  uint(field: number, value: number): void {
    this.#reserve(16);
    this.#varint(field * 8 + VARINT);
    this.#varint(value);
  }

  double(field: number, value: number): void {
    this.#reserve(16);
    this.#varint(field * 8 + FIXED64);
    this.#view.setFloat64(this.#length, value, true);
    this.#length += 8;
  }

  text(field: number, text: string): void {
    const at = this.begin(field, text.length * 3);
    this.#length += encoder.encodeInto(text, this.#bytes.subarray(this.#length)).written;
    this.end(at);
  }

  /** Begins a message. @param room For so many bytes. @returns The argument of {@linkcode end}. */
  begin(field: number, room = 0): number {
    this.#reserve(16 + room);
    this.#varint(field * 8 + LENGTH);
    const at = this.#length;
    this.#length += LENGTH_BYTES;
    return at;
  }

  /** Ends the message that began there. */
  end(at: number): void {
    let length = this.#length - at - LENGTH_BYTES;
    for (let i = 0; i < LENGTH_BYTES; i++) {
      this.#bytes[at + i] = (length & 0x7f) | (i < LENGTH_BYTES - 1 ? 0x80 : 0);
      length >>>= 7;
    }
  }

  #varint(value: number): void {
    let left = value;
    while (left > 0x7f) {
      this.#bytes[this.#length++] = (left % 128) | 0x80;
      left = Math.floor(left / 128);
    }
    this.#bytes[this.#length++] = left;
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    this.#bytes = grown(this.#bytes, this.#length + bytes);
    this.#view = new DataView(this.#bytes.buffer);
  }
}
