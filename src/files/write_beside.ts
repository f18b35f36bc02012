/**
 * Files that appear whole or not at all: written beside their name, then renamed. A device or a pipe
 * is written into.
 * @module
 */
import type { LineSink } from "../formats/trace/header.ts";
import { outputTarget } from "../os/output_target.ts";
import { removeUserFile, renameUserFile, UserFile } from "../os/user_file.ts";
import { unwritable } from "./output_file.ts";

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
  /** The file itself, and the one beside it; the same where it is written into. */
  readonly #target: string;
  readonly #beside: string;
  readonly #file: UserFile;
  #text = "";
  #state: "open" | "kept" | "gone" = "open";

  constructor(path: string) {
    this.#path = path;
    const { path: target, direct } = outputTarget(path);
    this.#target = target;
    this.#beside = direct ? target : `${target}.${Deno.pid}.tmp`;
    this.#file = this.#try(() => direct ? UserFile.into(target) : UserFile.write(this.#beside));
  }

  write(lines: string): void {
    this.#text += lines;
    if (this.#text.length >= FLUSH_AT) this.#flush();
  }

  restart(): void {
    this.#text = "";
    // What went into a pipe is gone.
    if (this.#beside !== this.#target) this.#try(() => this.#file.truncate(0));
  }

  keep(): void {
    this.#flush();
    this.#try(() => {
      this.#file.close();
      if (this.#beside !== this.#target) renameUserFile(this.#beside, this.#target);
    });
    this.#state = "kept";
  }

  [Symbol.dispose](): void {
    if (this.#state !== "open") return;
    this.#state = "gone";
    this.#file.close();
    if (this.#beside !== this.#target) removeUserFile(this.#beside);
  }

  #flush(): void {
    const bytes = encoder.encode(this.#text);
    this.#text = "";
    this.#try(() => this.#file.writeAll(bytes));
  }

  #try<T>(action: () => T): T {
    try {
      return action();
    } catch (cause) {
      throw unwritable(this.#path, cause);
    }
  }
}
