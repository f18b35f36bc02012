/**
 * A file that grows by whole lines while a run goes on. One that cannot be written any more ends, says
 * so once, and never stops the run.
 * @module
 */
import { quote } from "../core/errors.ts";
import { outputTarget } from "../os/output_target.ts";
import { UserFile } from "../os/user_file.ts";
import { unwritable } from "./whole_file.ts";

const encoder = new TextEncoder();

/** Lines are gathered up to here and written in one piece. */
const BLOCK_BYTES = 65536;

/** A file that grows by whole lines. */
export class LineFile {
  /** Why it ended before its time. */
  failure?: string;
  readonly path: string;
  readonly #file: UserFile;
  /** A pipe or a device: what went into it is gone. */
  readonly #direct: boolean;
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
      const { path: target, direct } = outputTarget(path);
      this.#direct = direct;
      this.#file = direct ? UserFile.into(target) : UserFile.write(path);
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
    if (this.#direct) return;
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
    try {
      this.#file.close();
    } catch (error) {
      this.#fail(error);
    }
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
