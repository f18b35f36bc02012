/**
 * A file without a name for what memory may not hold: it goes with this process, however that ends.
 *
 * `O_TMPFILE`, open(2), since Linux 3.11; where a file system has none, a name that is taken away as
 * soon as the file is open.
 * @module
 */
import { closeFile, O, openFile, readAt, writeAt } from "../files.ts";
import { cString, libc } from "../libc.ts";

const O_TMPFILE = 0o20000000 | O.DIRECTORY;
const OWNER_ONLY = 0o600;

/** Bytes by their place. */
export class SpillFile implements Disposable {
  readonly #fd: number;

  private constructor(fd: number) {
    this.#fd = fd;
  }

  /** In the first of these directories where this user may write; `undefined` where in none. */
  static open(directories: readonly string[]): SpillFile | undefined {
    for (const directory of directories) {
      let fd = openFile(directory, O_TMPFILE | O.RDWR, OWNER_ONLY);
      if (fd < 0) {
        const path = `${directory}/.joulemark-${crypto.randomUUID()}`;
        fd = openFile(path, O.RDWR | O.CREAT | O.EXCL, OWNER_ONLY);
        if (fd >= 0) libc().unlink(cString(path));
      }
      if (fd >= 0) return new SpillFile(fd);
    }
    return undefined;
  }

  /** Writes at a place; false where there is no room. */
  write(bytes: Uint8Array<ArrayBuffer>, at: number): boolean {
    for (let done = 0; done < bytes.length;) {
      const n = writeAt(this.#fd, bytes.subarray(done), at + done);
      if (n <= 0) return false;
      done += n;
    }
    return true;
  }

  /** Fills the bytes from a place on. @throws {Error} If the file does not hold them any more. */
  read(bytes: Uint8Array<ArrayBuffer>, at: number): void {
    const n = readAt(this.#fd, bytes, at);
    if (n !== bytes.length) throw new Error(`a temporary file gives ${n} bytes at ${at}`);
  }

  [Symbol.dispose](): void {
    closeFile(this.#fd);
  }
}
