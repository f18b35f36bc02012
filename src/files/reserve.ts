/**
 * Space for a file that will be written later: on a disk that fills meanwhile it is still there.
 *
 * A file without a name holds it (open(2), O_TMPFILE; fallocate(2)). File systems that have neither
 * reserve nothing.
 * @module
 */
import { closeFile, O, openFile } from "../os/files.ts";
import { libc } from "../os/libc.ts";
import { outputTarget } from "../os/output_target.ts";

const TMPFILE = 0o20000000 | O.DIRECTORY;

/** Space in the directory of a file, until it is given back. */
export class Reserve implements Disposable {
  #fd: number;

  /** @param path The file that will be written. */
  constructor(path: string, bytes: number) {
    const { path: target, direct } = outputTarget(path);
    const slash = target.lastIndexOf("/");
    const directory = slash < 0 ? "." : target.slice(0, slash) || "/";
    this.#fd = direct ? -1 : openFile(directory, O.RDWR | TMPFILE, 0o600);
    if (this.#fd >= 0 && libc().fallocate(this.#fd, 0, 0n, BigInt(bytes)) !== 0) {
      this[Symbol.dispose]();
    }
  }

  /** Gives the space back; the file is to be written now. */
  [Symbol.dispose](): void {
    closeFile(this.#fd);
    this.#fd = -1;
  }
}
