/**
 * Anonymous files in memory, memfd_create(2): how data goes to a child process and back,
 * of any size, with no pipe to fill up and nothing on any disk.
 *
 * @module
 */
import { grown } from "../../core/grow.ts";
import { AccessError } from "../../core/errors.ts";
import { closeFile, readAt, writeAt } from "../files.ts";
import { cString, errno, errorText, libc, SYSCALLS } from "../libc.ts";

const FIRST_BYTES = 1 << 16;

/** One file in memory. Children inherit it under the same number. */
export class MemoryFile implements Disposable {
  #length = 0;

  private constructor(readonly fd: number) {}

  /** An empty one; `undefined` if the kernel, before 3.17, or a filter of calls has none. */
  static create(name: string): MemoryFile | undefined {
    const fd = Number(libc().memfdCreate(SYSCALLS.memfdCreate, cString(name), 0));
    return fd < 0 ? undefined : new MemoryFile(fd);
  }

  /** One that the parent made. */
  static inherited(fd: number): MemoryFile {
    return new MemoryFile(fd);
  }

  /** Adds to what this object wrote. @throws {AccessError} */
  append(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      const written = writeAt(this.fd, bytes.subarray(at), this.#length + at);
      at += this.#checked(written, "write");
    }
    this.#length += bytes.length;
  }

  /** All that is in it, by any writer. @throws {AccessError} */
  readAll(): Uint8Array<ArrayBuffer> {
    let bytes = new Uint8Array(FIRST_BYTES);
    for (let length = 0;;) {
      if (length === bytes.length) bytes = grown(bytes);
      const n = this.#checked(readAt(this.fd, bytes.subarray(length), length), "read");
      if (n === 0) return bytes.subarray(0, length);
      length += n;
    }
  }

  #checked(result: number, action: string): number {
    if (result >= 0) return result;
    throw new AccessError({ action, target: `descriptor ${this.fd}`, found: errorText(errno()) });
  }

  [Symbol.dispose](): void {
    closeFile(this.fd);
  }
}
