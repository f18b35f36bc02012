/**
 * A file that grows by whole lines while a run goes on. The content of an earlier run stays until `begin` or the
 * first line that is written: a run that is refused leaves the file as it was.
 *
 * On a full disk lines wait, up to some MiB; lines beyond that are dropped and counted, which the
 * report states. Any other failure ends the file. A failure is logged once, and never stops the run.
 * @module
 */
import { lengthened } from "../../core/grow.ts";
import { AccessError, quote } from "../../core/errors.ts";
import { ERRNO } from "../libc.ts";
import { OutputPlace, removeUserFile } from "../output_place.ts";
import { OsError, type UserFile } from "../user_file.ts";
import { unwritable } from "./whole_file.ts";

const encoder = new TextEncoder();
const LF = 10;

/** Lines are gathered up to here and written in one piece. */
const BLOCK_BYTES = 65536;
/** Lines of text are gathered up to here. */
const TEXT_CHARACTERS = 8192;
/** Maximum number of bytes that wait while the disk is full. */
const WAITING_BYTES = 4 << 20;
/** Is the disk full? EDQUOT is the same for one user. */
const DISK_FULL_ERRORS: ReadonlySet<number> = new Set([ERRNO.ENOSPC, ERRNO.EDQUOT]);

/** A file that grows by whole lines. */
export class LineFile {
  /** Why it ended before its time. */
  failure?: string;
  /** Lines that are not in the file. */
  lost = 0;
  /** Called before lines go to the kernel. */
  before?: () => void;
  readonly #file: UserFile;
  /** A pipe or a device: what went into it is gone. */
  readonly #direct: boolean;
  /** There was no file before. */
  readonly #isNew: boolean;
  /** The content of an earlier run is gone. */
  #hasBegun = false;
  readonly #log: (line: string) => void;
  /** Bytes that are in the file, all of them whole lines. */
  #size = 0;
  /** Text that is to become bytes in one go: a call for each line costs more than the line. */
  #text = "";
  #buffer = new Uint8Array(BLOCK_BYTES * 2);
  #used = 0;
  /** Pieces of bytes among them. */
  #pieces = 0;
  #full = false;

  /**
   * @param log Logs one line for the user.
   * @throws {AccessError} If it cannot be made.
   */
  constructor(readonly path: string, log: (line: string) => void) {
    this.#log = log;
    try {
      using place = new OutputPlace(path);
      this.#direct = place.direct;
      this.#isNew = place.isNew;
      this.#file = place.direct ? place.into() : place.grow();
    } catch (error) {
      throw unwritable(path, error);
    }
  }

  /** Adds text that ends in LF, or bytes that are whole in themselves: they count as one line. */
  write(content: string | Uint8Array): void {
    if (this.failure !== undefined) return;
    if (typeof content === "string") {
      this.#text += content;
      if (this.#text.length >= TEXT_CHARACTERS) this.#encode();
      return;
    }
    this.#encode();
    if (!this.#hasRoom(content.length)) {
      if (this.failure === undefined) this.lost++;
      return;
    }
    this.#buffer.set(content, this.#used);
    this.#used += content.length;
    this.#pieces++;
    if (this.#used >= BLOCK_BYTES && !this.#full) this.#flushBytes();
  }

  /** Turns the text that waits into bytes. */
  #encode(): void {
    const text = this.#text;
    if (text === "") return;
    this.#text = "";
    if (!this.#hasRoom(text.length * 3)) {
      if (this.failure === undefined) this.lost += text.split("\n").length - 1;
      return;
    }
    this.#used += encoder.encodeInto(text, this.#buffer.subarray(this.#used)).written;
    if (this.#used >= BLOCK_BYTES && !this.#full) this.#flushBytes();
  }

  /** Drops the content of an earlier run: lines of this one come. */
  begin(): void {
    if (this.#hasBegun || this.failure !== undefined) return;
    this.#hasBegun = true;
    this.#empty();
  }

  /** Drops everything that was written: the run restarts. */
  restart(): void {
    this.#text = "";
    this.#used = this.#pieces = 0;
    this.#hasBegun = true;
    this.#empty();
  }

  #empty(): void {
    if (this.#direct) return;
    try {
      this.#file.truncate(0);
      this.#size = 0;
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Closes the file and leaves the place as it was, if nothing was written: there is no run. */
  forget(): void {
    if (this.#hasBegun) return this[Symbol.dispose]();
    this.#file.close();
    if (this.#isNew && !this.#direct) removeUserFile(this.path);
  }

  /** Hands what was gathered to the kernel. */
  flush(): void {
    this.#encode();
    this.#flushBytes();
  }

  #flushBytes(): void {
    if (this.failure !== undefined || this.#used === 0) return;
    this.begin();
    this.before?.();
    try {
      this.#file.writeAll(this.#buffer.subarray(0, this.#used));
      this.#size += this.#used;
      this.#used = this.#pieces = 0;
      this.#full = false;
    } catch (error) {
      if (error instanceof OsError && DISK_FULL_ERRORS.has(error.errno) && !this.#direct) {
        this.#wait(error);
      } else this.#fail(error);
    }
  }

  [Symbol.dispose](): void {
    this.begin();
    this.flush();
    if (this.#full) {
      this.lost += this.#linesWaiting();
      this.#used = 0;
    }
    if (this.lost > 0) {
      this.#log(`${quote(this.path)} lacks ${this.lost} lines, because the disk was full`);
    }
    try {
      this.#file.close();
    } catch (error) {
      this.#fail(error, "It may lack lines");
    }
  }

  /** @returns False if the file has ended, or the disk is full and no more can wait. */
  #hasRoom(bytes: number): boolean {
    if (this.#used + bytes <= this.#buffer.length) return true;
    this.#flushBytes();
    if (this.failure !== undefined) return false;
    const wanted = this.#used + bytes;
    if (wanted <= this.#buffer.length) return true;
    if (this.#full && wanted > WAITING_BYTES) return false;
    const length = Math.max(2 * this.#buffer.length, wanted + BLOCK_BYTES);
    this.#buffer = lengthened(this.#buffer, length);
    return true;
  }

  #linesWaiting(): number {
    if (this.#pieces > 0) return this.#pieces;
    let lines = 0;
    for (let i = 0; i < this.#used; i++) if (this.#buffer[i] === LF) lines++;
    return lines;
  }

  /** Half a line would mislead a reader; the disk has room for as much as before. */
  #wait(error: Error): void {
    if (!this.#full) {
      this.#log(unwritable(this.path, error, "lines wait for free space").message);
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

  #fail(error: unknown, result = "The rest is left out"): void {
    if (this.failure !== undefined) return;
    this.failure = (error as Error).message;
    this.#used = 0;
    this.#cut();
    this.#log(
      new AccessError({ action: "write", target: this.path, found: this.failure, remedy: result })
        .message,
    );
  }
}
