/**
 * A file that stays open and is read from its start at every tick.
 *
 * A kept descriptor costs one `pread` (about 1 µs) while opening again costs ten. All kept files
 * share one buffer, so nothing is allocated after opening. Under a tree given by `--root`, files
 * may be replaced by rename at any time: a file without a name left is opened again.
 * @module
 */
import { AccessError } from "../../core/errors.ts";
import type { KeptFile } from "../../core/machine/host.ts";
import { closeFile, linkCount, O, openFile } from "../files.ts";
import { ERRNO, errno, errorText, libc } from "../libc.ts";

/** Longest kernel file that is read in one piece: /proc/stat of a node with 2,000 CPUs. */
const BUFFER_BYTES = 262144;
const shared = new Uint8Array(BUFFER_BYTES);

/** One file that stays open. */
export class OpenKeptFile implements KeptFile {
  readonly bytes = shared;
  readonly #name: string;
  readonly #replaceable: boolean;
  #fd: number;

  /**
   * @param path As readers know it.
   * @param name Its real path; differs under `--root`.
   * @throws {AccessError} If it cannot be opened.
   */
  constructor(readonly path: string, name: string, replaceable: boolean) {
    this.#name = name;
    this.#replaceable = replaceable;
    this.#fd = openFile(name, O.RDONLY | O.NONBLOCK);
    if (this.#fd < 0) {
      throw new AccessError({
        action: "read",
        target: path,
        found: errorText(-this.#fd),
        remedy: 'run "joulemark doctor" for possible fixes',
      });
    }
  }

  read(): number {
    if (this.#fd < 0 || (this.#replaceable && linkCount(this.#fd) === 0)) {
      closeFile(this.#fd);
      this.#fd = openFile(this.#name, O.RDONLY | O.NONBLOCK);
      if (this.#fd < 0) return this.#fd;
    }
    const n = libc().pread(this.#fd, shared, BUFFER_BYTES, 0);
    if (n >= 0) return n;
    const number = errno() || ERRNO.EIO;
    // Nothing interrupts but the bound on calls that block: deadline.ts.
    return -(number === ERRNO.EINTR ? ERRNO.ETIMEDOUT : number);
  }

  [Symbol.dispose](): void {
    closeFile(this.#fd);
    this.#fd = -1;
  }
}
