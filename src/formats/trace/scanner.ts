/**
 * Traces and event logs by pieces: the header once, then row after row, without keeping any.
 *
 * The text is that of `trace_header.ts`. A row that is cut or ragged is logged with its line and left
 * out; without a whole header nothing can be read.
 * @module
 */
import { FormatError, unparsed } from "../../core/errors.ts";
import { LineSplitter } from "../line_splitter.ts";
import { splitTrace, type TraceHeader } from "./header.ts";

/** Listener of a scanner. */
export interface TraceHandler {
  /** Comes first, and once. */
  header(header: TraceHeader, columns: readonly string[]): void;
  /** One row with as many cells as there are columns. */
  row(cells: readonly string[], line: number): void;
  /** Something was wrong; reading goes on unless it was in the header. */
  error(error: FormatError): void;
}

/** Some thousand signals for each CPU of a large node fit in. */
const MAX_LINE = 1 << 24;
/** Headers have five; a file of nothing but comments must not be gathered as one. */
const MAX_HEADER = 64;
const HASH = 35;

/** Scans one trace or event log. Feed it with `push`, then `end`. */
export class TraceScanner {
  readonly #path: string;
  readonly #handler: TraceHandler;
  readonly #decoder = new TextDecoder();
  readonly #splitter: LineSplitter;
  #head = "";
  /** Cells of a row; 0 until the column names were read. */
  #count = 0;
  #broken = false;

  /** @param path For messages. */
  constructor(path: string, handler: TraceHandler) {
    this.#path = path;
    this.#handler = handler;
    this.#splitter = new LineSplitter(
      MAX_LINE,
      (bytes, start, end) => this.#one(bytes, start, end),
      () => this.#complain(`lines of at most ${MAX_LINE} bytes`, "a longer one, left out"),
    );
  }

  push(chunk: Uint8Array): void {
    if (!this.#broken) this.#splitter.push(chunk);
  }

  end(): void {
    if (this.#broken) return;
    if (this.#splitter.end()) this.#complain("a row that ends in LF", "a truncated one, left out");
    else if (this.#count === 0) this.#open(this.#head);
  }

  #one(bytes: Uint8Array, start: number, end: number): void {
    if (this.#broken) return;
    const text = this.#decoder.decode(bytes.subarray(start, end));
    if (this.#count === 0) {
      this.#head += text + "\n";
      if (bytes[start] !== HASH || this.#splitter.line > MAX_HEADER) this.#open(this.#head);
      return;
    }
    if (text.endsWith("\r")) {
      this.#complain("lines that end in LF", "CRLF");
      return;
    }
    const cells = text.split("|");
    if (cells.length === this.#count) this.#handler.row(cells, this.#splitter.line);
    else this.#complain(`${this.#count} cells`, `${cells.length}`);
  }

  #open(head: string): void {
    try {
      const { header, columns } = splitTrace(head, this.#path);
      this.#count = columns.length;
      this.#handler.header(header, columns);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      this.#broken = true;
      this.#handler.error(error);
    }
  }

  #complain(expected: string, found: string): void {
    this.#handler.error(unparsed(this.#path, this.#splitter.line, expected, found));
  }
}
