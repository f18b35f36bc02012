/**
 * Tells when a directory gets a file, so that nobody has to look: inotify(7).
 * @module
 */
import { bindMore } from "./bind.ts";
import { closeFile } from "./files.ts";
import { cString, libc } from "./libc.ts";

/** <sys/inotify.h>. */
const IN_NONBLOCK = 0o4000, IN_CLOEXEC = 0o2000000;
const IN_CREATE = 0x100, IN_MOVED_TO = 0x80;
/** More than one of the kernel's queues holds. */
const QUEUE_BYTES = 65536;

const SYMBOLS = {
  inotify_init1: { parameters: ["i32"], result: "i32" },
  inotify_add_watch: { parameters: ["i32", "buffer", "u32"], result: "i32" },
} as const satisfies Deno.ForeignLibraryInterface;

/** New names in one directory. */
export class NewNames implements Disposable {
  /** Readable when there is a new name; −1: this user may watch no more directories. */
  readonly fd: number;
  #bytes: Uint8Array<ArrayBuffer> | undefined;

  /** Calls of libc are bound here: a monitor makes it before it runs. */
  constructor(directory: string) {
    const calls = bindMore(SYMBOLS);
    const fd = calls?.inotify_init1(IN_NONBLOCK | IN_CLOEXEC) ?? -1;
    if (fd < 0 || calls!.inotify_add_watch(fd, cString(directory), IN_CREATE | IN_MOVED_TO) >= 0) {
      this.fd = fd;
      return;
    }
    closeFile(fd);
    this.fd = -1;
  }

  /** They have been seen. */
  clear(): void {
    this.#bytes ??= new Uint8Array(QUEUE_BYTES);
    while (libc().read(this.fd, this.#bytes, BigInt(QUEUE_BYTES)) > 0n);
  }

  [Symbol.dispose](): void {
    closeFile(this.fd);
  }
}
