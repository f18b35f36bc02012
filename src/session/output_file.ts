/**
 * Files that a run leaves: whole documents by rename, streams by whole lines.
 *
 * A document is written beside its name and renamed, so that nobody ever sees half of one and an
 * older one stays whole when the disk is full. A stream that cannot be written any more ends, tells
 * so once, and never stops the run.
 * @module
 */
import { AccessError } from "../core/errors.ts";

/**
 * Writes a document.
 *
 * @throws {AccessError} If it cannot be written; the file that was there stays.
 */
export function writeDocument(path: string, content: string | Uint8Array): void {
  const fresh = `${path}.${Deno.pid}.new`;
  try {
    if (typeof content === "string") Deno.writeTextFileSync(fresh, content);
    else Deno.writeFileSync(fresh, content);
    Deno.renameSync(fresh, path);
  } catch (error) {
    try {
      Deno.removeSync(fresh);
    } catch {
      // It was never made.
    }
    throw new AccessError({
      action: "write",
      target: path,
      expected: "a place that can be written",
      found: reason(error),
      remedy: "the file that was there, if any, is unchanged",
      cause: error,
    });
  }
}

/**
 * Can a document be written there? Answers with the error that writing would give.
 */
export function probeDocument(path: string): AccessError | undefined {
  const fresh = `${path}.${Deno.pid}.new`;
  try {
    if (Deno.statSync(path).isDirectory) {
      return new AccessError({
        action: "write",
        target: path,
        expected: "a file or nothing there",
        found: "a directory",
      });
    }
  } catch {
    // Nothing there is what we hope for.
  }
  try {
    Deno.writeTextFileSync(fresh, "");
    Deno.removeSync(fresh);
    return undefined;
  } catch (error) {
    return new AccessError({
      action: "write",
      target: path,
      expected: "a place that can be written",
      found: reason(error),
      remedy: "give another one, or make the directory",
    });
  }
}

/** The operating system's words, without the runtime's. */
function reason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/\s*\(os error \d+\).*$/s, "").split("\n")[0];
}

const encoder = new TextEncoder();
/** Lines are gathered up to here and written in one piece. */
const BLOCK_BYTES = 65536;

/** A file that grows by whole lines. */
export class LineFile {
  /** Why it ended before its time. */
  failure?: string;
  readonly path: string;
  readonly #file: Deno.FsFile;
  readonly #tell: (line: string) => void;
  #buffer = new Uint8Array(BLOCK_BYTES * 2);
  #used = 0;

  /** @throws {AccessError} If it cannot be made. */
  constructor(path: string, tell: (line: string) => void) {
    this.path = path;
    this.#tell = tell;
    try {
      this.#file = Deno.openSync(path, { write: true, create: true, truncate: true });
    } catch (error) {
      throw new AccessError({
        action: "write",
        target: path,
        expected: "a place that can be written",
        found: reason(error),
        remedy: "give another one, or make the directory",
        cause: error,
      });
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
      this.#file.truncateSync(0);
      this.#file.seekSync(0, Deno.SeekMode.Start);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Hands what was gathered to the kernel. */
  flush(): void {
    let from = 0;
    try {
      while (from < this.#used && this.failure === undefined) {
        from += this.#file.writeSync(this.#buffer.subarray(from, this.#used));
      }
    } catch (error) {
      this.#fail(error);
    }
    this.#used = 0;
  }

  [Symbol.dispose](): void {
    this.flush();
    try {
      this.#file.close();
    } catch {
      // Nothing more can be lost.
    }
  }

  #fail(error: unknown): void {
    if (this.failure !== undefined) return;
    this.failure = reason(error);
    this.#tell(`Cannot write ${JSON.stringify(this.path)}: ${this.failure}; the rest is left out`);
  }
}
