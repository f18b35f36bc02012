/**
 * Memory that is shared with the kernel, as bytes: a file is mapped over pages of a buffer. Deno gives a view of other
 * memory only to programs that may call any library. Truth: mmap(2).
 * @module
 */
import { addressOf, libc } from "../libc.ts";
import { pageBytes } from "../page.ts";

const PROT_READ_WRITE = 3, MAP_SHARED = 1, MAP_PRIVATE_ANONYMOUS = 0x22, MAP_FIXED = 0x10;
const FAILED = 0xffffffffffffffffn;

/** Buffers with pages of files: their memory must not be used again. */
const kept = new Set<MappedBytes>();

/** Whole pages of a file. */
export class MappedBytes implements Disposable {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly #address: bigint;

  private constructor(length: number) {
    const page = pageBytes(), all = new Uint8Array(length + page);
    const begin = addressOf(all), from = (page - Number(begin % BigInt(page))) % page;
    this.bytes = all.subarray(from, from + length);
    this.#address = begin + BigInt(from);
  }

  /** Maps the begin of a file; `undefined`: errno says why not. */
  static map(fd: number, length: number): MappedBytes | undefined {
    const made = new MappedBytes(length);
    kept.add(made);
    if (made.#map(MAP_SHARED, fd)) return made;
    made[Symbol.dispose]();
    return undefined;
  }

  #map(flags: number, fd: number): boolean {
    const length = BigInt(this.bytes.length);
    return libc().mmap(this.#address, length, PROT_READ_WRITE, flags | MAP_FIXED, fd, 0n) !==
      FAILED;
  }

  /** The buffer gets pages of its own again. */
  [Symbol.dispose](): void {
    if (this.#map(MAP_PRIVATE_ANONYMOUS, -1)) kept.delete(this);
  }
}
