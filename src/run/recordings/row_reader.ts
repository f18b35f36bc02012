/**
 * Rows of a file, one after the other, without ever holding more than one row and a chunk.
 *
 * A row ends at a line feed outside quotes. Plain files are read synchronously; `.gz` ones through
 * the runtime's own decompressor.
 * @module
 */
import { grown } from "../../core/grow.ts";
import { UserFile } from "../../os/user_file.ts";
import { FormatError } from "../../core/errors.ts";

const LF = 10;
const CR = 13;
const QUOTE = 34;
const CHUNK = 1 << 18;
/** Maximum length of a row, bytes: no region name is longer. */
const MAX_ROW = 1 << 22;

/** Result of a read. */
export type RowState = "row" | "more" | "end";

/** Reads one file row by row, plain or compressed. */
export class RowReader {
  /** The row is `bytes[start, end)`; valid until the next one. */
  bytes: Uint8Array = new Uint8Array(CHUNK * 2);
  start = 0;
  end = 0;
  /** 1-based line that the row begins in. */
  line = 0;
  /** The row ended in CR LF; the CR is not part of it. */
  carriage = false;
  /** The file ended in mid-row, or its compressed stream did. */
  cut = false;
  readonly path: string;
  readonly #quotes: boolean;
  readonly #file: UserFile;
  readonly #stream: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #filled = 0;
  #next = 0;
  #nextLine = 1;
  #ended = false;

  private constructor(path: string, file: UserFile, quotes: boolean) {
    this.path = path;
    this.#file = file;
    this.#quotes = quotes;
    if (path.endsWith(".gz")) {
      const plain = file.stream().pipeThrough(new DecompressionStream("gzip"));
      this.#stream = plain.getReader();
    }
  }

  /**
   * Opens a file.
   *
   * @param quotes Line feeds inside double quotes belong to the row.
   * @throws {FormatError} If it cannot be opened.
   */
  static open(path: string, quotes: boolean): RowReader {
    try {
      return new RowReader(path, UserFile.read(path), quotes);
    } catch (cause) {
      const found = cause instanceof Error ? cause.message.split("\n")[0] : String(cause);
      throw new FormatError(path, 0, { action: "open", found, cause });
    }
  }

  /** The row as text. */
  get text(): string {
    return new TextDecoder().decode(this.bytes.subarray(this.start, this.end));
  }

  /** Goes to the next row that is here already; `more`: call {@linkcode fill} first. */
  next(): RowState {
    const at = this.#rowEnd();
    if (at < 0) {
      if (!this.#ended) return "more";
      // What is left has no line feed: a row that was never finished.
      if (this.#next < this.#filled) this.cut = true;
      return "end";
    }
    this.start = this.#next;
    this.carriage = at > this.start && this.bytes[at - 1] === CR;
    this.end = this.carriage ? at - 1 : at;
    this.#next = at + 1;
    this.line = this.#nextLine;
    this.#nextLine++;
    if (this.#quotes) {
      for (let i = this.start; i < at; i++) if (this.bytes[i] === LF) this.#nextLine++;
    }
    return "row";
  }

  /** Reads on, or finds the end. */
  async fill(): Promise<void> {
    this.#makeRoom();
    if (this.#stream === undefined) {
      const n = this.#file.readSync(this.bytes.subarray(this.#filled));
      if (n === null) this.#ended = true;
      else this.#filled += n;
      return;
    }
    try {
      const { value, done } = await this.#stream.read();
      if (done) this.#ended = true;
      else this.#append(value);
    } catch {
      this.#ended = true;
      this.cut = true;
    }
  }

  close(): void {
    if (this.#stream === undefined) this.#file.close();
    else this.#stream.cancel().catch(() => {});
  }

  #rowEnd(): number {
    let from = this.#next;
    for (;;) {
      const at = this.bytes.indexOf(LF, from);
      if (at < 0 || at >= this.#filled) return -1;
      if (!this.#quotes || this.#evenQuotes(this.#next, at)) return at;
      from = at + 1;
    }
  }

  #evenQuotes(start: number, end: number): boolean {
    let odd = false;
    for (let i = start; i < end; i++) if (this.bytes[i] === QUOTE) odd = !odd;
    return !odd;
  }

  #makeRoom(): void {
    if (this.#filled - this.#next > MAX_ROW) {
      throw new FormatError(this.path, this.#nextLine, {
        action: "parse",
        expected: `rows of at most ${MAX_ROW >> 20} MiB`,
        found: "a longer one",
        remedy: "check if a closing double quote is missing",
      });
    }
    if (this.#next > 0) {
      this.bytes.copyWithin(0, this.#next, this.#filled);
      this.#filled -= this.#next;
      this.#next = 0;
    }
    if (this.bytes.length - this.#filled < CHUNK) this.bytes = grown(this.bytes);
  }

  #append(chunk: Uint8Array): void {
    const filled = this.#filled + chunk.length;
    if (filled > this.bytes.length) this.bytes = grown(this.bytes, filled);
    this.bytes.set(chunk, this.#filled);
    this.#filled = filled;
  }
}
