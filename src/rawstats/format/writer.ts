/**
 * Record groups as bytes: one buffer that grows to the size of a record and is used again.
 *
 * @module
 */
import { grown } from "../../core/grow.ts";
import { printable } from "../../core/printable.ts";

const encoder = new TextEncoder();
const ZERO = 48, BLANK = 32, LF = 10, PERCENT = 37;

/** Writes record groups. */
export class RawWriter {
  #bytes = new Uint8Array(65536);
  #length = 0;

  /** Bytes written since `clear`; valid until the next call. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }

  text(text: string): void {
    this.#room(text.length * 3);
    this.#length += encoder.encodeInto(text, this.#bytes.subarray(this.#length)).written;
  }

  /** Opens a record group: its empty line and its time line. */
  head(timeUs: number, jobs: string, host: string): void {
    this.#byte(LF);
    const seconds = Math.floor(timeUs / 1e6);
    this.#small(seconds);
    this.text(
      `.${String(timeUs - seconds * 1e6).padStart(6, "0")} ${printable(jobs)} ${printable(host)}\n`,
    );
  }

  /** A mark; one of several lines becomes several marks. A tab becomes a blank, other control characters `\\xNN`. */
  mark(text: string): void {
    for (const line of text.split("\n")) {
      this.#byte(PERCENT);
      this.text(printable(line.replaceAll("\t", " ")) + "\n");
    }
  }

  /**
   * One statistics line.
   *
   * @param halves Low and high words of each value, alternating.
   */
  line(type: string, device: string, halves: Uint32Array): void {
    this.text(`${type} ${printable(device)}`);
    this.#room(halves.length * 11);
    for (let i = 0; i < halves.length; i += 2) {
      this.#bytes[this.#length++] = BLANK;
      this.#number(halves[i], halves[i + 1]);
    }
    this.#byte(LF);
  }

  #number(low: number, high: number): void {
    if (high === 0) this.#small(low);
    else if (high < 0x200000) {
      // below 2^53: exact in plain numbers, in two parts that fit 32 bits
      const value = high * 4294967296 + low;
      const upper = Math.floor(value / 1e8);
      let lower = value - upper * 1e8;
      if (upper === 0) {
        this.#small(lower);
        return;
      }
      this.#small(upper);
      for (let i = 7; i >= 0; i--) {
        const next = (lower / 10) | 0;
        this.#bytes[this.#length + i] = ZERO + lower - next * 10;
        lower = next;
      }
      this.#length += 8;
    } else this.text(String((BigInt(high) << 32n) | BigInt(low)));
  }

  /** A whole number below 2^32. */
  #small(value: number): void {
    if (value < 10) {
      this.#bytes[this.#length++] = ZERO + value;
      return;
    }
    let digits = 1;
    for (let limit = 10; value >= limit; limit *= 10) digits++;
    let rest = value;
    for (let i = this.#length + digits - 1; i >= this.#length; i--) {
      const next = Math.floor(rest / 10);
      this.#bytes[i] = ZERO + rest - next * 10;
      rest = next;
    }
    this.#length += digits;
  }

  #byte(value: number): void {
    this.#room(1);
    this.#bytes[this.#length++] = value;
  }

  #room(more: number): void {
    // some slack, so that single bytes after a check fit as well
    if (this.#length + more + 64 <= this.#bytes.length) return;
    this.#bytes = grown(this.#bytes, this.#length + more + 64);
  }
}
