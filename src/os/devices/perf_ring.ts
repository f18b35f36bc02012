/**
 * A ring into which the kernel writes records of an event. Truth: perf_event_open(2), linux/perf_event.h.
 * @module
 */
import type { RecordBytes } from "../../core/record_bytes.ts";
import { pageBytes } from "../page.ts";
import { MappedBytes } from "./mapped_bytes.ts";

/** Words of struct perf_event_mmap_page: the writer's and the reader's position, and the offset of the data. */
const HEAD = 128, TAIL = 129, DATA = 130;

/** The records where they lie. */
export class PerfRing implements Disposable {
  readonly records: RecordBytes;
  readonly #memory: MappedBytes;
  readonly #control: BigUint64Array<ArrayBuffer>;
  #head = 0n;
  #tail = 0n;

  private constructor(memory: MappedBytes, length: number) {
    const page = pageBytes(), { buffer, byteOffset } = memory.bytes;
    this.#memory = memory;
    this.#control = new BigUint64Array(buffer, byteOffset, page / 8);
    const at = byteOffset + (Number(this.#control[DATA]) || page);
    this.records = {
      bytes: new Uint8Array(buffer, at, length),
      view: new DataView(buffer, at, length),
      words: new Uint32Array(buffer, at, length / 4),
    };
  }

  /** Maps the ring of an event; `undefined`: errno says why not. @param length Bytes of the records. */
  static map(fd: number, length: number): PerfRing | undefined {
    const memory = MappedBytes.map(fd, pageBytes() + length);
    return memory && new PerfRing(memory, length);
  }

  /** Looks for records. @returns Their length in bytes. */
  look(): number {
    this.#head = Atomics.load(this.#control, HEAD);
    const length = Number(this.#head - this.#tail);
    if (length >= 0 && length <= this.records.bytes.length) return length;
    // Another process that has the event can write any position.
    this.#head = this.#tail;
    return 0;
  }

  /** Offset of the records that `look()` found. */
  get from(): number {
    return Number(this.#tail % BigInt(this.records.bytes.length));
  }

  /** Copies records, which may cross the end of the ring. */
  copy(from: number, length: number, into: Uint8Array, at: number): void {
    const { bytes } = this.records, to = from + length, rest = to - bytes.length;
    into.set(bytes.subarray(from, to), at);
    if (rest > 0) into.set(bytes.subarray(0, rest), at + length - rest);
  }

  /** The records that `look()` found were read: makes room. */
  free(): void {
    if (this.#tail !== this.#head) Atomics.store(this.#control, TAIL, this.#tail = this.#head);
  }

  [Symbol.dispose](): void {
    this.#memory[Symbol.dispose]();
  }
}
