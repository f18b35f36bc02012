/**
 * Files that appear whole or not at all: written without their name, then given it, so that no reader sees
 * half of one and an older one stays whole when the disk is full. A device or a pipe is written into.
 * @module
 */
import { AccessError } from "../../core/errors.ts";
import type { LineSink } from "../../formats/trace/header.ts";
import { ERRNO } from "../libc.ts";
import { isWrittenInto, makeDirectories, OutputPlace, PlantedError } from "../output_place.ts";
import { type Content, isDirectory, OsError, type UserFile } from "../user_file.ts";

/** Content is gathered up to here and written in one piece. */
const BLOCK_BYTES = 65536;
const encoder = new TextEncoder();

/** For the message about a file that could not be replaced. */
const UNCHANGED = "the file that was there, if any, is unchanged";

/**
 * A file on its way; disposing of it without {@linkcode keep} leaves nothing behind.
 *
 * @throws {AccessError} From every method, if it cannot be written, also when the disk is full.
 */
export class WholeFile implements LineSink, Disposable {
  readonly #path: string;
  readonly #place: OutputPlace;
  readonly #survives: boolean;
  readonly #file: UserFile;
  readonly #block = new Uint8Array(BLOCK_BYTES);
  #used = 0;
  #state: "open" | "kept" | "gone" = "open";

  /** @param survives It is on the disk before it has its name, also if the machine crashes. */
  constructor(path: string, { survives = false } = {}) {
    this.#path = path;
    this.#survives = survives;
    this.#place = this.#try(() => new OutputPlace(path));
    try {
      const place = this.#place;
      this.#file = this.#try(() => place.direct ? place.into() : place.beside());
    } catch (error) {
      this.#place[Symbol.dispose]();
      throw error;
    }
  }

  /** Adds to it. */
  write(content: Content): void {
    if (typeof content !== "string" && !(content instanceof Uint8Array)) {
      this.#flush();
      return this.#try(() => this.#file.writeContent(content));
    }
    const bytes = typeof content === "string" ? encoder.encode(content) : content;
    if (this.#used + bytes.length > BLOCK_BYTES) this.#flush();
    if (bytes.length > BLOCK_BYTES) return this.#try(() => this.#file.writeAll(bytes));
    this.#block.set(bytes, this.#used);
    this.#used += bytes.length;
  }

  /** Drops what was written: the run restarts. */
  restart(): void {
    this.#used = 0;
    // What went into a pipe is gone.
    if (!this.#place.direct) this.#try(() => this.#file.truncate(0));
  }

  /** Gives it its name. */
  keep(): void {
    this.#flush();
    this.#try(() => {
      if (this.#place.direct) return this.#file.close();
      if (this.#survives) this.#file.sync();
      this.#place.finish(this.#file);
    });
    this.#state = "kept";
    this.#place[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    if (this.#state !== "open") return;
    this.#state = "gone";
    this.#file[Symbol.dispose]();
    this.#place[Symbol.dispose]();
  }

  #flush(): void {
    if (this.#used > 0) this.#try(() => this.#file.writeAll(this.#block.subarray(0, this.#used)));
    this.#used = 0;
  }

  #try<T>(action: () => T): T {
    try {
      return action();
    } catch (cause) {
      const isDirect = this.#place === undefined || this.#place.direct;
      throw unwritable(this.#path, cause, isDirect ? undefined : UNCHANGED);
    }
  }
}

/**
 * Writes a document.
 *
 * @throws {AccessError} If it cannot be written; an existing file stays.
 */
export function writeDocument(
  path: string,
  content: Content,
  options: { survives?: boolean } = {},
): void {
  using file = new WholeFile(path, options);
  file.write(content);
  file.keep();
}

/** Can a document be written there? Answers with the error that writing would give. */
export function probeDocument(path: string): AccessError | undefined {
  // The reader of a pipe would take a look for the end.
  if (isWrittenInto(path)) return undefined;
  try {
    if (isDirectory(path)) throw unwritable(path, new OsError(ERRNO.EISDIR));
    using _file = new WholeFile(path);
    return undefined;
  } catch (error) {
    if (error instanceof AccessError) return error;
    throw error;
  }
}

/** Makes a directory for output, and those above it. @throws {AccessError} */
export function makeOutputDirectory(path: string): void {
  try {
    makeDirectories(path);
  } catch (error) {
    if (!(error instanceof OsError)) throw error;
    throw new AccessError({
      action: "make",
      target: path,
      // A file has the name, or that of a directory above.
      found: error.message.startsWith("File exists") ? "Not a directory" : error.message,
      remedy: "give another directory with --dir",
      cause: error,
    });
  }
}

/** The one error of a place that cannot be written. */
export function unwritable(path: string, error: unknown, remedy?: string): AccessError {
  const { message } = error as Error;
  // A file that is not there is made: its directory is not.
  const hasNoDirectory = message.startsWith("No such file");
  return new AccessError({
    action: "write",
    target: path,
    found: hasNoDirectory ? "No such directory" : message,
    remedy: error instanceof PlantedError
      ? "remove it, or write where no other user can"
      : message.startsWith("Too many open files")
      ? "raise the limit: ulimit -n"
      : hasNoDirectory && (remedy ?? UNCHANGED) === UNCHANGED
      ? "give another path, or make the directory"
      : remedy ?? "give another path",
    cause: error,
  });
}
