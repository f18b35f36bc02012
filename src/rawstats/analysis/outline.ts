/**
 * Parts of a raw stats file: files may have been joined by `cat`, of one host or of several.
 *
 * A part begins at a header, and at a time line that names another host than the line before.
 * @module
 */
import { LineSplitter } from "../../formats/line_splitter.ts";
import type { FormatError } from "../../core/errors.ts";
import { nextGeneration } from "../format/generation.ts";

/** Bytes of a file, with the number of lines above them. */
export interface RawSpan {
  readonly from: number;
  readonly to: number;
  readonly linesAbove: number;
}

/** Records of one host that follow each other in one file. */
export interface RawPart extends RawSpan {
  readonly host: string;
  /** Microseconds since the epoch: the first record, and the latest one; NaN if there is none. */
  readonly firstUs: number;
  readonly lastUs: number;
  /** Number of time lines, and jobs with an end mark. */
  readonly records: number;
  readonly withEnd: readonly string[];
  /** Place of the schemas, if they are not in the part itself. */
  readonly header?: RawSpan;
}

/** Maximum line length of the scanner; longer lines are ignored. */
const MAX_LINE = 1 << 20;
const DOLLAR = 36, PERCENT = 37;
const decoder = new TextDecoder();

/** Do two names mean one host? A header may have the short name, and the lines the full one. */
function sameHost(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}.`) || b.startsWith(`${a}.`);
}

/** Finds the parts of a file that comes in pieces. */
export class RawOutline {
  readonly #parts: RawPart[] = [];
  readonly #splitter: LineSplitter;
  #base = 0;
  #carriedAt = 0;
  #chunk: Uint8Array | undefined;
  /** The part at hand. */
  #from = 0;
  #linesAbove = 0;
  #host = "";
  #firstUs = NaN;
  #lastUs = NaN;
  #records = 0;
  #withEnd = new Set<string>();
  /** The header above: where it is, and the host that it names. */
  #header: RawSpan = { from: 0, to: 0, linesAbove: 0 };
  #inHeader = false;
  #ownsHeader = true;
  #named = "";

  /** Why the file cannot be read. */
  refusal: FormatError | undefined;

  /** @param path For messages. */
  constructor(readonly path: string) {
    this.#splitter = new LineSplitter(MAX_LINE, (b, from, to) => this.#line(b, from, to), () => {});
  }

  /** The next piece of the file. */
  push(chunk: Uint8Array): void {
    this.#chunk = chunk;
    this.#splitter.push(chunk);
    const last = chunk.lastIndexOf(10);
    if (last >= 0) this.#carriedAt = this.#base + last + 1;
    this.#base += chunk.length;
  }

  /** The file is over. */
  end(): RawPart[] {
    this.#close(Infinity);
    return this.#parts;
  }

  #line(b: Uint8Array, from: number, to: number): void {
    const c = b[from];
    if (from === to || (c !== DOLLAR && c !== PERCENT && (c < 48 || c > 57))) return;
    const at = b === this.#chunk ? this.#base + from : this.#carriedAt;
    if (c === PERCENT) {
      const [word, ids = ""] = decoder.decode(b.subarray(from + 1, to)).trimEnd().split(" ");
      if (word === "end") { for (const id of ids.split(",")) this.#withEnd.add(id); }
    } else if (c === DOLLAR) this.#property(decoder.decode(b.subarray(from + 1, to)), at);
    else this.#time(decoder.decode(b.subarray(from, to)), at);
  }

  #property(line: string, at: number): void {
    if (!this.#inHeader) {
      if (this.#firstUs === this.#firstUs) this.#begin(at, "");
      this.#header = { from: at, to: Infinity, linesAbove: this.#splitter.line - 1 };
      this.#inHeader = true;
      this.#ownsHeader = true;
      this.#named = "";
    }
    const [name, value] = line.trimEnd().split(" ");
    if (value !== undefined) this.refusal ??= nextGeneration(this.path, name, value);
    if (name === "hostname" && value !== undefined) this.#named = value;
  }

  #time(line: string, at: number): void {
    const match = /^(\d{1,11})(?:\.(\d{1,9}))?(?: (\S+)(?: (\S+))?)? *\r?$/.exec(line);
    if (match === null || (match[3] === undefined && line.length > 20)) return;
    if (this.#inHeader) {
      this.#inHeader = false;
      this.#header = { ...this.#header, to: at };
    }
    const own = match[4] ?? "";
    const host = own === "" || sameHost(own, this.#named) ? this.#named || own : own;
    if (this.#firstUs !== this.#firstUs) this.#host = host;
    else if (host !== this.#host && host !== "") {
      this.#begin(at, host);
      this.#ownsHeader = false;
    }
    const micros = Number((match[2] ?? "").padEnd(6, "0").slice(0, 6));
    const timeUs = Number(match[1]) * 1e6 + micros;
    this.#records++;
    if (this.#firstUs !== this.#firstUs) this.#firstUs = timeUs;
    if (!(timeUs <= this.#lastUs)) this.#lastUs = timeUs;
  }

  /** Another part begins here. */
  #begin(at: number, host: string): void {
    this.#close(at);
    this.#from = at;
    this.#linesAbove = this.#splitter.line - 1;
    this.#host = host;
    this.#firstUs = this.#lastUs = NaN;
    this.#records = 0;
    this.#withEnd = new Set();
  }

  #close(to: number): void {
    const host = this.#host || this.#named || "unknown";
    this.#parts.push({
      from: this.#from,
      to,
      linesAbove: this.#linesAbove,
      host,
      firstUs: this.#firstUs,
      lastUs: this.#lastUs,
      records: this.#records,
      withEnd: [...this.#withEnd],
      header: this.#ownsHeader ? undefined : this.#header,
    });
  }
}
