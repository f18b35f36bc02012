/**
 * Space for a file that will be written later: on a disk that fills meanwhile it is still there.
 *
 * A file without a name holds it (open(2), O_TMPFILE; fallocate(2)). File systems that have neither
 * reserve nothing.
 * @module
 */
import { closeFile } from "../files.ts";
import { libc } from "../libc.ts";
import { OutputPlace } from "../output_place.ts";

/** Space in the directory of a file, until it is given back. */
export class Reserve implements Disposable {
  #fd: number;

  /** @param path The file that will be written. */
  constructor(path: string, bytes: number) {
    this.#fd = nameless(path);
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

function nameless(path: string): number {
  try {
    using place = new OutputPlace(path);
    return place.nameless();
  } catch {
    return -1; // the write that follows gives the reason
  }
}
