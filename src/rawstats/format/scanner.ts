/**
 * Raw stats files by bytes and in pieces: the contents of the lines, in their order, without keeping any.
 *
 * The format is that of the hpcperfstats manual, "Raw stats data". The first byte of a line gives its
 * kind: `$` property, `!` schema, `%` mark, digit time, letter statistics, none separator;
 * `@` and `#` are skipped. One real record group:
 *
 *     (empty line)
 *     1307509201.482913 1981063 i101-101.ranger.tacc.utexas.edu
 *     %begin 1981063
 *     ps - 4059349377 507410 1600 1600 1600 18 373
 *
 * Files before 2.x have whole seconds and no node name. Each kind of error is logged once, with its
 * line, and the rest is read.
 *
 * Speed: types and devices repeat their order from record to record, so each line is compared with
 * the one expected and decoded only when it differs; numbers are made from digits in place.
 * @module
 */
import { FormatError } from "../../core/errors.ts";
import { RawColumns, type RawDevice, RawValues } from "./columns.ts";
import { LineSplitter } from "../../formats/line_splitter.ts";
import { RawComplaints } from "./complaints.ts";
import { parseRawSchema, sameSchema } from "./schema.ts";
import type { SeenTimes } from "./seen_times.ts";
import { MAX_U64, readValues } from "./values.ts";

/** Start of a record group. */
export interface RawHead {
  /** Microseconds since the epoch: exact as a number until the year 2255. */
  readonly timeUs: number;
  /** Jobs as written: one id, a comma list, `-` or `0` for none. */
  readonly jobs: string;
  /** Empty in files before 2.x. */
  readonly host: string;
  /** Is it before the record above? Then nothing can be differenced across the two. */
  readonly backwards: boolean;
  /** Microseconds since the epoch: the boot that the header's `$uptime` gives; NaN without one. */
  readonly bootUs: number;
}

/** Listener of a scanner. */
export interface RawHandler {
  property?(name: string, value: string): void;
  /** A type's first schema, or one that differs from the one before. */
  schema?(columns: RawColumns): void;
  record?(head: RawHead): void;
  mark?(text: string): void;
  /** One statistics line; `values` is reused. */
  row?(device: RawDevice, values: RawValues): void;
  /** A record of a host and time that came before, and its lines; they are left out. */
  copy?(lines: number): void;
  /** Something was wrong; reading goes on. */
  error(error: FormatError): void;
}

/** Longer lines are skipped: the longest real one, an nfs mount, has some 4 kB. */
const MAX_LINE = 1 << 20;
const CR = 13, SPACE = 32, HASH = 35, DOLLAR = 36, PERCENT = 37, BANG = 33, AT = 64;
const decoder = new TextDecoder();

/** Scans one file. Feed it with `push`, then `end`. */
export class RawScanner {
  readonly #handler: RawHandler;
  readonly #complaints: RawComplaints;
  readonly #types = new Map<string, RawColumns>();
  readonly #values: RawValues[] = [];
  #made = 0;
  readonly #splitter: LineSplitter;
  #started = false;
  #unreadable = false;
  #inHeader = true;
  #blankBefore = false;
  #record = -1;
  #timeUs = -Infinity;
  /** Marks of this record so far, and whether a statistics line has come. */
  #marks: string[] = [];
  #broken = new Set<string>();
  #rows = 0;
  /** Times of a host's records; `undefined`: every record is handed on. */
  readonly #seen: ((host: string) => SeenTimes) | undefined;
  /** Is the record at hand a copy, and lines of it that were left out. */
  #isCopy = false;
  #copied = 0;
  /** Is it one that came before others? */
  #isLate = false;
  #uptimeS = NaN;
  #bootUs = NaN;
  /** Did the last line end in CR LF? */
  #hasReturns = false;
  #columns: RawColumns | undefined;
  #device: RawDevice | undefined;

  /**
   * @param path For messages.
   * @param seen Times of the records of a host: each counts once. @default every record counts
   */
  constructor(path: string, handler: RawHandler, seen?: (host: string) => SeenTimes) {
    this.#handler = handler;
    this.#seen = seen;
    this.#complaints = new RawComplaints(path, (error) => handler.error(error));
    this.#splitter = new LineSplitter(
      MAX_LINE,
      (bytes, start, end) => this.#one(bytes, start, end),
      () => this.#complain(`lines of at most ${MAX_LINE} bytes`, "a longer one, left out"),
      (bytes, start) => this.#ahead(bytes, start),
    );
  }

  push(chunk: Uint8Array): void {
    this.#splitter.push(chunk);
  }

  /** The number of lines of its file before the next one. */
  linesAbove(count: number): void {
    this.#splitter.line = count;
  }

  /** The records that follow are not the first ones below their header. */
  skipUptime(): void {
    this.#uptimeS = NaN;
  }

  end(): void {
    if (this.#splitter.end()) this.#complain("a line end", "a truncated last line, left out");
    if (!this.#started && this.#splitter.line === 0 && !this.#unreadable) {
      this.#complain("a raw stats file", "nothing");
    }
    this.#endCopy();
    this.#complaints.flush();
  }

  /** The file could not be read to its end, which was logged: missing data have no meaning. */
  unreadable(): void {
    this.#unreadable = true;
  }

  #complain(expected: string, found: string): void {
    this.#complaints.add(this.#splitter.line, expected, found);
  }

  #one(b: Uint8Array, start: number, stop: number): void {
    // Files that went through other systems end their lines in CR LF.
    const end = stop > start && b[stop - 1] === CR ? stop - 1 : stop;
    this.#hasReturns = end < stop;
    if (start === end) {
      this.#blankBefore = true;
      this.#inHeader = false;
      return;
    }
    const c = b[start];
    if (!this.#started && c !== DOLLAR && c !== BANG && !(c >= 48 && c <= 57)) {
      this.#complain("$hpcperfstats VERSION in the first line", "another format, left out");
    } else if (this.#isLate && (c === PERCENT || c >= 65)) {
      if (c !== PERCENT) this.#copied++;
    } else if ((c >= 97 && c <= 122) || (c >= 65 && c <= 90)) {
      if (this.#quickRow(b, start, end, true) < 0 && !this.#plainRow(b, start, end)) {
        this.#slowRow(decoder.decode(b.subarray(start, end)));
      }
    } else if (c >= 48 && c <= 57) this.#time(decoder.decode(b.subarray(start, end)));
    else if (c === PERCENT) this.#mark(decoder.decode(b.subarray(start + 1, end)));
    else if (c === DOLLAR) this.#property(decoder.decode(b.subarray(start + 1, end)));
    else if (c === BANG) this.#schema(decoder.decode(b.subarray(start, end)));
    else if (c !== AT && c !== HASH) this.#stray(decoder.decode(b.subarray(start, end)));
    this.#blankBefore = false;
  }

  /** Takes the line that is expected without looking for its end first; where it ends, or −1. */
  #ahead(b: Uint8Array, start: number): number {
    if (this.#hasReturns || this.#isLate) return -1;
    const end = this.#quickRow(b, start, b.length, false);
    if (end >= 0) this.#blankBefore = false;
    return end;
  }

  /**
   * Accepts the line if type, device and number of values are as expected; else returns −1.
   *
   * @param isLine Is `end` the line's end? If not, it has to be found before there.
   */
  #quickRow(b: Uint8Array, start: number, end: number, isLine: boolean): number {
    if (this.#record < 0) return -1;
    let columns = this.#columns;
    let device: RawDevice | undefined;
    if (columns !== undefined && startsWith(b, start, end, columns.bytes)) {
      device = this.#device?.next;
    } else {
      columns = columns?.next;
      if (columns === undefined || !startsWith(b, start, end, columns.bytes)) return -1;
      device = columns.first;
    }
    let i = start + columns.bytes.length;
    if (device === undefined || device.isGone) return -1;
    if (!startsWith(b, i, end, device.bytes)) return -1;
    i += device.bytes.length;
    const stop = readValues(b, i, end, columns, this.#values[columns.index]);
    if (stop < 0) return -1;
    if (!isLine && (stop === end || stop - start > MAX_LINE)) return -1;
    this.#take(device);
    return stop;
  }

  /** Takes a line that is right but was not expected: another order, a device that is new. */
  #plainRow(b: Uint8Array, start: number, end: number): boolean {
    if (this.#record < 0) return false;
    const first = b.indexOf(SPACE, start);
    const second = first < 0 ? -1 : b.indexOf(SPACE, first + 1);
    if (second < 0 || second >= end || second === first + 1) return false;
    const columns = this.#types.get(decoder.decode(b.subarray(start, first)));
    if (columns === undefined) return false;
    const values = this.#values[columns.index];
    if (readValues(b, second + 1, end, columns, values) < 0) return false;
    this.#take(columns.device(decoder.decode(b.subarray(first + 1, second)), this.#record));
    return true;
  }

  #take(device: RawDevice): void {
    const columns = device.columns;
    if (device.record === this.#record) {
      if (this.#isCopy) {
        this.#copied++;
        return;
      }
      this.#complain(
        "one line for a device in a record",
        `a second one of ${columns.schema.type} ${device.name}, left out`,
      );
      return;
    }
    device.record = this.#record;
    if (this.#columns === columns) {
      if (this.#device !== undefined && this.#device !== device) this.#device.next = device;
    } else {
      if (this.#columns !== undefined) this.#columns.next = columns;
      columns.first = device;
      this.#columns = columns;
    }
    this.#device = device;
    this.#rows++;
    this.#handler.row?.(device, this.#values[columns.index]);
  }

  /** A line with an unexpected type, device or number of values. */
  #slowRow(line: string): void {
    const found = this.#record < 0 ? "no time line above" : this.#readRow(line);
    if (found === undefined || this.#isOfMark(line)) return;
    this.#complain("a statistics line: a known type, a device, its values", found);
  }

  /** Why it is no statistics line, `undefined` when it was taken. */
  #readRow(line: string): string | undefined {
    const words = line.split(" ").filter((word) => word !== "");
    const columns = this.#types.get(words[0]);
    if (columns === undefined) return `a type without schema, "${words[0].slice(0, 40)}"`;
    for (const count of new Set([columns.schema.keys.length, columns.fastCount])) {
      const parts = words.length - 1 - count;
      if (parts < 1) continue;
      const name = words.slice(1, 1 + parts).join(" ");
      // Only names that processes gave themselves hold blanks, and they end in /cpus/mems: a
      // surplus of values must not be taken for a device.
      if (parts > 1 && /^\d*$/.test(words[parts])) continue;
      const text = words.slice(1 + parts).join(" ");
      if (!/^[\d ]*$/.test(text)) break;
      const bytes = new TextEncoder().encode(text);
      const values = this.#values[columns.index];
      if (readValues(bytes, 0, bytes.length, columns, values) < 0) break;
      this.#take(columns.device(name, this.#record));
      return undefined;
    }
    const given = words.length - 2;
    const wanted = columns.schema.keys.length;
    if (given !== wanted && words.slice(2).every((word) => /^\d+$/.test(word))) {
      return `${given} values of ${words[0]} where its schema has ${wanted}, left out`;
    }
    const bad = words.slice(2).find((word) => !/^\d+$/.test(word) || BigInt(word) > MAX_U64);
    return `"${(bad ?? line).slice(0, 40)}", no whole number below 2^64, line left out`;
  }

  #time(line: string): void {
    const match = /^(\d{1,11})(?:\.(\d{1,9}))?(?: (\S+)(?: (\S+))?)? *$/.exec(line);
    if (match === null || (match[3] === undefined && line.length > 20)) {
      this.#complain("a time line: SECONDS.MICROSECONDS JOB HOST", `"${line.slice(0, 60)}"`);
      return;
    }
    if (!this.#started) this.#complain("a header above the first record", "none");
    if (!this.#blankBefore && this.#record >= 0) {
      this.#complain(
        "an empty line before a time line",
        "none: two writers, or a record that was cut",
      );
    }
    const micros = Number((match[2] ?? "").padEnd(6, "0").slice(0, 6));
    const timeUs = Number(match[1]) * 1e6 + micros;
    const host = match[4] ?? "";
    this.#endCopy();
    const isNew = this.#seen?.(host).add(timeUs) ?? true;
    if (!isNew) {
      // Lines that the record before does not have belong to it, if it is of this time.
      this.#isCopy = true;
      this.#isLate = this.#record < 0 || timeUs !== this.#timeUs;
      this.#rows = 0;
      return;
    }
    const backwards = timeUs < this.#timeUs;
    if (backwards) {
      const stepS = (this.#timeUs - timeUs) / 1e6;
      this.#complain(
        "times that increase",
        `${stepS} s back; nothing is differenced across the step`,
      );
    }
    this.#timeUs = timeUs;
    this.#started = true;
    this.#inHeader = false;
    this.#record++;
    this.#marks = [];
    this.#broken.clear();
    this.#rows = 0;
    if (this.#uptimeS === this.#uptimeS) this.#bootUs = timeUs - this.#uptimeS * 1e6;
    this.#uptimeS = NaN;
    const jobs = match[3] ?? "-", bootUs = this.#bootUs;
    this.#handler.record?.({ timeUs, jobs, host, backwards, bootUs });
  }

  #endCopy(): void {
    if (this.#isCopy) this.#handler.copy?.(this.#copied);
    this.#isCopy = this.#isLate = false;
    this.#copied = 0;
  }

  #mark(text: string): void {
    if (this.#record < 0) this.#complain("marks below a time line", "one above the first");
    else if (!this.#broken.has(text)) {
      this.#marks.push(text);
      this.#handler.mark?.(text);
    }
  }

  /**
   * Takes a line of a mark of several, which is written without its % on all but the first; the line
   * comes again with it, and is then known.
   *
   * @returns False if there is no mark that it can belong to.
   */
  #isOfMark(line: string): boolean {
    if (this.#marks.length === 0 || this.#rows > 0) return false;
    this.#mark(line);
    this.#broken.add(line);
    return true;
  }

  #stray(line: string): void {
    if (!this.#isOfMark(line)) this.#complain("a line of raw stats", "noise, left out");
  }

  #property(text: string): void {
    this.#started = true;
    this.#inHeader = true;
    const [name] = text.split(" ", 1);
    const value = text.slice(name.length + 1);
    if (name === "uptime") this.#uptimeS = Number.parseFloat(value);
    else if (name === "hostname") this.#bootUs = NaN;
    this.#handler.property?.(name, value);
  }

  #schema(line: string): void {
    if (!this.#started) {
      this.#complain("$hpcperfstats VERSION in the first line", "a schema line");
      this.#started = true;
    }
    const schema = parseRawSchema(line);
    if (schema === undefined) {
      this.#complain("a schema line: !TYPE KEY…", `"${line.slice(0, 60)}"`);
      return;
    }
    const known = this.#types.get(schema.type);
    if (known !== undefined && sameSchema(known.schema, schema)) return;
    if (known !== undefined) {
      this.#complain(
        "one schema per type",
        `another one of ${schema.type}; its counters start again here`,
      );
    } else if (!this.#inHeader) {
      this.#complain("schemas in the header", `one of ${schema.type} among the records`);
    }
    const columns = new RawColumns(schema, this.#made++);
    this.#types.set(schema.type, columns);
    this.#values.push(new RawValues(schema.keys.length));
    this.#columns = this.#device = undefined;
    this.#handler.schema?.(columns);
  }
}

function startsWith(b: Uint8Array, at: number, end: number, prefix: Uint8Array): boolean {
  const n = prefix.length;
  if (at + n > end) return false;
  for (let i = 0; i < n; i++) if (b[at + i] !== prefix[i]) return false;
  return true;
}
