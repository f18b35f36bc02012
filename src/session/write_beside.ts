/**
 * Files that appear whole or not at all: written beside their name, then renamed.
 * @module
 */
import { AccessError } from "../core/errors.ts";
import type { LineSink } from "../formats/trace_header.ts";

const FLUSH_AT = 1 << 16;
const encoder = new TextEncoder();

/** A file on its way; disposing it without {@linkcode keep} leaves nothing behind. */
export interface PendingFile extends LineSink, Disposable {
  restart(): void;
  /** Renames it to its name. */
  keep(): void;
}

/**
 * Opens a file beside `path`.
 *
 * @throws {AccessError} If it cannot be written, also later when the disk is full.
 */
export function writeBeside(path: string): PendingFile {
  return new Beside(path);
}

class Beside implements PendingFile {
  readonly #path: string;
  readonly #beside: string;
  readonly #file: Deno.FsFile;
  #text = "";
  #state: "open" | "kept" | "gone" = "open";

  constructor(path: string) {
    this.#path = path;
    this.#beside = `${path}.${Deno.pid}.tmp`;
    this.#file = this.#try(() =>
      Deno.openSync(this.#beside, { write: true, create: true, truncate: true })
    );
  }

  write(lines: string): void {
    this.#text += lines;
    if (this.#text.length >= FLUSH_AT) this.#flush();
  }

  restart(): void {
    this.#text = "";
    this.#try(() => {
      this.#file.truncateSync(0);
      this.#file.seekSync(0, Deno.SeekMode.Start);
    });
  }

  keep(): void {
    this.#flush();
    this.#try(() => {
      this.#file.close();
      Deno.renameSync(this.#beside, this.#path);
    });
    this.#state = "kept";
  }

  [Symbol.dispose](): void {
    if (this.#state !== "open") return;
    this.#state = "gone";
    try {
      this.#file.close();
    } catch {
      // closed by a rename that failed
    }
    try {
      Deno.removeSync(this.#beside);
    } catch {
      // never made, or its directory is gone
    }
  }

  #flush(): void {
    let bytes = encoder.encode(this.#text);
    this.#text = "";
    this.#try(() => {
      while (bytes.length > 0) bytes = bytes.subarray(this.#file.writeSync(bytes));
    });
  }

  #try<T>(action: () => T): T {
    try {
      return action();
    } catch (cause) {
      const found = cause instanceof Error ? cause.message.split("\n")[0] : String(cause);
      throw new AccessError({ action: "write", target: this.#path, found, cause });
    }
  }
}
