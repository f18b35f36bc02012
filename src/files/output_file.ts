/**
 * Files that a run leaves: whole documents by rename, streams by whole lines.
 *
 * A document is written beside its name and renamed, so that nobody ever sees half of one and an
 * older one stays whole when the disk is full; a device or a pipe is written into. A stream that cannot be written any more ends, tells
 * so once, and never stops the run.
 * @module
 */
import { AccessError, quote } from "../core/errors.ts";
import { ERRNO } from "../os/libc.ts";
import { outputTarget } from "../os/output_target.ts";
import {
  type Content,
  isDirectory,
  OsError,
  removeUserFile,
  renameUserFile,
  UserFile,
  writeUserFile,
} from "../os/user_file.ts";

const encoder = new TextEncoder();

/**
 * Writes a document.
 *
 * @throws {AccessError} If it cannot be written; the file that was there stays.
 */
export function writeDocument(path: string, content: Content): void {
  const target = outputTarget(path);
  if (target.direct) return writeInto(path, content);
  const fresh = `${target.path}.${Deno.pid}.new`;
  try {
    writeUserFile(fresh, content);
    renameUserFile(fresh, target.path);
  } catch (error) {
    removeUserFile(fresh);
    throw unwritable(path, error, "the file that was there, if any, is unchanged");
  }
}

function writeInto(path: string, content: Content): void {
  try {
    using file = UserFile.into(path);
    file.writeContent(content);
  } catch (error) {
    throw unwritable(path, error);
  }
}

/**
 * Can a document be written there? Answers with the error that writing would give.
 */
export function probeDocument(path: string): AccessError | undefined {
  const target = outputTarget(path);
  // Whoever reads a pipe would take a look for the end.
  if (target.direct) return undefined;
  const fresh = `${target.path}.${Deno.pid}.new`;
  try {
    if (isDirectory(path)) throw new OsError(ERRNO.EISDIR);
    writeUserFile(fresh, "");
    removeUserFile(fresh);
    return undefined;
  } catch (error) {
    return unwritable(path, error);
  }
}

/** The one error of a place that cannot be written. */
export function unwritable(path: string, error: unknown, remedy?: string): AccessError {
  return new AccessError({
    action: "write",
    target: path,
    expected: "a place that can be written",
    found: (error as Error).message,
    remedy: remedy ?? "give another one, or make the directory",
    cause: error,
  });
}

/** Lines are gathered up to here and written in one piece. */
const BLOCK_BYTES = 65536;

/** A file that grows by whole lines. */
export class LineFile {
  /** Why it ended before its time. */
  failure?: string;
  readonly path: string;
  readonly #file: UserFile;
  /** Bytes that are in the file, all of them whole lines. */
  #size = 0;
  readonly #tell: (line: string) => void;
  #buffer = new Uint8Array(BLOCK_BYTES * 2);
  #used = 0;

  /** @throws {AccessError} If it cannot be made. */
  constructor(path: string, tell: (line: string) => void) {
    this.path = path;
    this.#tell = tell;
    try {
      this.#file = UserFile.write(path);
    } catch (error) {
      throw unwritable(path, error);
    }
  }

  /** Adds text that ends in LF. */
  write(text: string): void {
    if (this.failure !== undefined) return;
    if (this.#used + text.length * 3 > this.#buffer.length) {
      this.flush();
      if (text.length * 3 > this.#buffer.length) {
        this.#buffer = new Uint8Array(text.length * 3 + BLOCK_BYTES);
      }
    }
    this.#used += encoder.encodeInto(text, this.#buffer.subarray(this.#used)).written;
    if (this.#used >= BLOCK_BYTES) this.flush();
  }

  /** Forgets everything that was written: the run begins anew. */
  restart(): void {
    this.#used = 0;
    try {
      this.#file.truncate(0);
      this.#size = 0;
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Hands what was gathered to the kernel. */
  flush(): void {
    if (this.failure === undefined && this.#used > 0) {
      try {
        this.#file.writeAll(this.#buffer.subarray(0, this.#used));
        this.#size += this.#used;
      } catch (error) {
        this.#fail(error);
      }
    }
    this.#used = 0;
  }

  [Symbol.dispose](): void {
    this.flush();
    this.#file.close();
  }

  #fail(error: unknown): void {
    if (this.failure !== undefined) return;
    this.failure = (error as Error).message;
    try {
      // Half a line would mislead a reader; a full disk lets go of bytes, if of nothing else.
      this.#file.truncate(this.#size);
    } catch {
      // Readers skip a cut tail.
    }
    this.#tell(`Cannot write ${quote(this.path)}: ${this.failure}; the rest is left out`);
  }
}
