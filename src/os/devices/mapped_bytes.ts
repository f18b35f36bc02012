/**
 * Memory that is shared with the kernel, as bytes: a file is mapped over pages of a buffer. Deno gives a view of other
 * memory only to programs that may call any library. Truth: mmap(2), mremap(2).
 * @module
 */
import { addressOf, libc } from "../libc.ts";
import { pageBytes } from "../page.ts";

const PROT_READ_WRITE = 3, MAP_SHARED = 1, MAP_PRIVATE_ANONYMOUS = 0x22, MAP_FIXED = 0x10;
const MREMAP_MAYMOVE_FIXED = 3;
const ANYWHERE = 0n, FAILED = 0xffffffffffffffffn;

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

  /**
   * Maps the begin of a file; `undefined`: errno says why not.
   *
   * It is mapped elsewhere first: where a device refuses, the buffer would have a hole, and another thread may get
   * memory there.
   */
  static map(fd: number, length: number): MappedBytes | undefined {
    const size = BigInt(length), { mmap, mremap, munmap } = libc();
    const mapped = mmap(ANYWHERE, size, PROT_READ_WRITE, MAP_SHARED, fd, 0n);
    if (mapped === FAILED) return undefined;
    const made = new MappedBytes(length);
    kept.add(made);
    if (mremap(mapped, size, size, MREMAP_MAYMOVE_FIXED, made.#address) !== FAILED) return made;
    munmap(mapped, size);
    made[Symbol.dispose]();
    return undefined;
  }

  /** The buffer gets pages of its own again. */
  [Symbol.dispose](): void {
    const flags = MAP_PRIVATE_ANONYMOUS | MAP_FIXED, size = BigInt(this.bytes.length);
    const isOwn = libc().mmap(this.#address, size, PROT_READ_WRITE, flags, -1, 0n) !== FAILED;
    if (isOwn) kept.delete(this);
  }
}
