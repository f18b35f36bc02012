/**
 * A file that grows by areas of zeros and is written in place.
 *
 * Areas are written, not left as holes: a write to a hole can still find the file system full.
 * @module
 */
import { closeFile, O, openFile, readAt, writeAt } from "../../os/files.ts";
import { cString, ERRNO, libc } from "../../os/libc.ts";

const RLIMIT_FSIZE = 1;
const PAGE = 4096;

/** One growing file. No method throws. */
export class GrowingFile {
  /** Bytes so far. */
  size = 0;
  readonly #path: string;
  #fd: number;

  private constructor(path: string, fd: number) {
    this.#path = path;
    this.#fd = fd;
  }

  /** Makes `PREFIX.N` with the lowest N that is free; `undefined` when it cannot. */
  static make(prefix: string): GrowingFile | undefined {
    for (let n = 0; n < 1000; n++) {
      const path = `${prefix}.${n}`;
      const fd = openFile(path, O.RDWR | O.CREAT | O.EXCL | O.NOFOLLOW, 0o600);
      if (fd >= 0) return new GrowingFile(path, fd);
      if (fd !== -ERRNO.EEXIST) return undefined;
    }
    return undefined;
  }

  /** Offset of a new area, −1 when there is no room. */
  area(bytes: number): number {
    const length = Math.ceil(bytes / PAGE) * PAGE;
    // A write beyond the limit would not fail but end the program: setrlimit(2), SIGXFSZ.
    if (this.size + length > sizeLimit()) return -1;
    if (!this.write(this.size, new Uint8Array(length))) return -1;
    const at = this.size;
    this.size += length;
    return at;
  }

  /** Was all of it written? */
  write(offset: number, bytes: Uint8Array): boolean {
    return writeAt(this.#fd, bytes, offset) === bytes.length;
  }

  /** Fills `into`, as far as there are bytes. */
  read(offset: number, into: Uint8Array): void {
    readAt(this.#fd, into, offset);
  }

  /** Closes it and takes it away. */
  remove(): void {
    this[Symbol.dispose]();
    libc().unlink(cString(this.#path));
  }

  [Symbol.dispose](): void {
    closeFile(this.#fd);
    this.#fd = -1;
  }
}

function sizeLimit(): number {
  const limits = new BigUint64Array(2);
  if (libc().getrlimit(RLIMIT_FSIZE, new Uint8Array(limits.buffer)) !== 0) return Infinity;
  return Number(limits[0]);
}
