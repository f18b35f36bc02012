/**
 * A ring file as the monitor reaches it: `pread` for reading, one `pwrite` for the tail.
 *
 * Reading by system call instead of a mapping needs no pointers, is its own memory barrier, and
 * turns a file that its owner cut short into a short read instead of a fatal signal.
 * @module
 */
import type { RingMemory } from "../../core/events/ring_memory.ts";
import { closeFile, O, openOwnFile, readAt, writeAt } from "../files.ts";

/** One open ring file. */
export class RingFileMemory implements RingMemory {
  #fd: number;

  private constructor(fd: number) {
    this.#fd = fd;
  }

  /** A regular file of this user, or why it is none. */
  static open(path: string): RingFileMemory | { refused: string } {
    const fd = openOwnFile(path, O.RDWR);
    return typeof fd === "string" ? { refused: fd } : new RingFileMemory(fd);
  }

  read(offset: number, into: Uint8Array): number {
    if (!Number.isSafeInteger(offset)) return 0;
    const n = readAt(this.#fd, into, offset);
    return n < 0 ? 0 : n;
  }

  write(offset: number, bytes: Uint8Array): void {
    writeAt(this.#fd, bytes, offset);
  }

  [Symbol.dispose](): void {
    closeFile(this.#fd);
    this.#fd = -1;
  }
}
