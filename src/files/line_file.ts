/**
 * A file that grows by whole lines while a run goes on.
 *
 * On a disk that is full lines wait, some MiB of them; those that find no place are counted, which the
 * report says. Any other failure ends the file. A failure is said once, and never stops the run.
 * @module
 */
import { quote } from "../core/errors.ts";
import { ERRNO } from "../os/libc.ts";
import { OutputPlace } from "../os/output_place.ts";
import { OsError, type UserFile } from "../os/user_file.ts";
import { unwritable } from "./whole_file.ts";

const encoder = new TextEncoder();
const LF = 10;

/** Lines are gathered up to here and written in one piece. */
const BLOCK_BYTES = 65536;
/** So much waits for a disk that is full. */
const WAITING_BYTES = 4 << 20;
/** Is the disk full? EDQUOT is the same for one user. */
const FULL: ReadonlySet<number> = new Set([ERRNO.ENOSPC, ERRNO.EDQUOT]);

/** A file that grows by whole lines. */
export class LineFile {
  /** Why it ended before its time. */
  failure?: string;
  readonly path: string;
  readonly #file: UserFile;
  /** A pipe or a device: what went into it is gone. */
  readonly #direct: boolean;
  readonly #tell: (line: string) => void;
  /** Bytes that are in the file, all of them whole lines. */
  #size = 0;
  #buffer = new Uint8Array(BLOCK_BYTES * 2);
  #used = 0;
  #full = false;
  #lost = 0;

  /**
   * @param tell Says one line to the user.
   * @throws {AccessError} If it cannot be made.
   */
  constructor(path: string, tell: (line: string) => void) {
    this.path = path;
    this.#tell = tell;
    try {
      using place = new OutputPlace(path);
      this.#direct = place.direct;
      this.#file = place.direct ? place.into() : place.grow();
    } catch (error) {
      throw unwritable(path, error);
    }
  }

  /** Lines that are not in the file. */
  get lost(): number {
    return this.#lost;
  }

  /** Adds text that ends in LF. */
  write(text: string): void {
    if (this.failure !== undefined) return;
    const most = text.length * 3;
    if (this.#used + most > this.#buffer.length) {
      this.flush();
      if (this.failure !== undefined || !this.#makeRoom(most)) return;
    }
    this.#used += encoder.encodeInto(text, this.#buffer.subarray(this.#used)).written;
    if (this.#used >= BLOCK_BYTES && !this.#full) this.flush();
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
    if (this.failure !== undefined || this.#used === 0) return;
    try {
      this.#file.writeAll(this.#buffer.subarray(0, this.#used));
      this.#size += this.#used;
      this.#used = 0;
      this.#full = false;
    } catch (error) {
      if (error instanceof OsError && FULL.has(error.errno) && !this.#direct) this.#wait(error);
      else this.#fail(error);
    }
  }

  [Symbol.dispose](): void {
    this.flush();
    if (this.#full) {
      this.#lost += this.#linesWaiting();
      this.#used = 0;
    }
    if (this.#lost > 0) {
      this.#tell(`${quote(this.path)} lacks ${this.#lost} lines, since the disk was full`);
    }
    try {
      this.#file.close();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** @returns False where the disk is full and no more can wait: the text is counted as lost. */
  #makeRoom(bytes: number): boolean {
    const wanted = this.#used + bytes;
    if (wanted <= this.#buffer.length) return true;
    if (this.#full && wanted > WAITING_BYTES) {
      this.#lost++;
      return false;
    }
    const larger = new Uint8Array(Math.max(2 * this.#buffer.length, wanted + BLOCK_BYTES));
    larger.set(this.#buffer.subarray(0, this.#used));
    this.#buffer = larger;
    return true;
  }

  #linesWaiting(): number {
    let lines = 0;
    for (let i = 0; i < this.#used; i++) if (this.#buffer[i] === LF) lines++;
    return lines;
  }

  /** Half a line would mislead a reader; the disk has room for as much as before. */
  #wait(error: Error): void {
    if (!this.#full) {
      this.#tell(`Cannot write ${quote(this.path)}: ${error.message}; lines wait for room`);
    }
    this.#full = true;
    this.#cut();
  }

  #cut(): void {
    if (this.#direct) return;
    try {
      this.#file.truncate(this.#size);
    } catch {
      // Readers skip a cut tail.
    }
  }

  #fail(error: unknown): void {
    if (this.failure !== undefined) return;
    this.failure = (error as Error).message;
    this.#used = 0;
    this.#cut();
    this.#tell(`Cannot write ${quote(this.path)}: ${this.failure}; the rest is left out`);
  }
}
