/**
 * Reads a `.cali` stream by bytes: lines, fields, ids and the byte ranges of values.
 *
 * One record per line, fields separated by `,`, values of a field by `=`, `\` takes the next byte
 * literally (`\n` is a newline). `__rec=<kind>` comes first:
 *
 *     __rec=node,id=20,attr=13,data=main,parent=12
 *     __rec=ctx,ref=20=31,attr=15=17,data=1500=95.5
 *     __rec=globals,ref=22
 *
 * The scanner implements only the grammar, not the meaning of ids: a handler gets the ids as numbers and
 * values as ranges of `buffer`, valid only during the call. No string is made on this path.
 * Reading of a record stops at the first unknown key; what came before counts. Layout and
 * recovery: docs/reference/formats/cali.md.
 * @module
 */

import { grown } from "../../core/grow.ts";
import {
  ATTR_KEY,
  BACKSLASH,
  byteText,
  COMMA,
  CONTEXT,
  DATA_KEY,
  ENDS,
  EQUALS,
  GLOBALS,
  ID_KEY,
  NEWLINE,
  NODE,
  PARENT_KEY,
  REF_KEY,
  RETURN,
  startsContext,
  startsRecord,
  wordOf,
} from "./bytes.ts";
import { Layout, Layouts } from "./layouts.ts";
import { NO_END, type RecordHandler } from "./record_handler.ts";
import { rangedValues, skipValue } from "./values.ts";

/** Read at once: at first little, because profiles are small and many, then as much as helps. */
const FIRST_BYTES = 1 << 13, MAX_BYTES = 1 << 18;
/** Words of four bytes are compared: as many may be looked at behind the last newline. */
const SPARE_BYTES = 4;
/** Maximum number of digits of an id: it is then below 2^31. */
const MAX_ID_DIGITS = 9;
/** A longer line is reported and skipped: a binary file must not fill the memory. */
const MAX_LINE_BYTES = 1 << 24;

const REF_WORD = wordOf(REF_KEY), ATTR_WORD = wordOf(ATTR_KEY), DATA_WORD = wordOf(DATA_KEY);

/** An id that is no decimal number, or beyond what any table holds. */
export const BAD_ID = -1;

/** Receiver of records; all ranges are positions in `scanner.buffer`. */
export type CaliHandler = RecordHandler<CaliScanner>;

/** Scans records and calls the handler for each. */
export class CaliScanner {
  /** The bytes that the ranges of the current record refer to. */
  buffer = new Uint8Array(FIRST_BYTES * 2);
  /** 1-based number of the current line. */
  line = 0;

  nodeId = BAD_ID;
  nodeAttribute = BAD_ID;
  hasParent = false;
  nodeParent = BAD_ID;

  /** Number of references of the current snapshot. */
  refCount = 0;
  refs = new Int32Array(64);
  /** Number of immediates: the shorter of the two lists `attr` and `data`. */
  valueCount = 0;
  attributes: Int32Array = new Int32Array(64);
  /** First byte of each value, and the one after its last. */
  starts = new Int32Array(64);
  ends = new Int32Array(64);
  /** 1 if the value holds a backslash. */
  escaped = new Uint8Array(64);
  /** The value as a number, if its layout is known; NaN for any other. */
  numbers = new Float64Array(64);
  /** Is `numbers` set? Else values are to be read from their ranges. */
  hasNumbers = false;
  /** The list of attribute ids. */
  layout = new Layout(new Int32Array(0), new Uint8Array(0));

  readonly #handler: CaliHandler;
  readonly #finalEmpty: boolean;
  readonly #wholeLines: boolean;
  #filled = 0;
  #chunk = FIRST_BYTES;
  #skippingLine = false;
  #attributeCount = 0;
  #dataCount = 0;
  #lastId = BAD_ID;
  #view = new DataView(this.buffer.buffer);
  /** Ids of a list that is new. */
  #ids = new Int32Array(64);
  readonly #layouts = new Layouts();

  /**
   * @param handler Gets the records.
   * @param options.finalEmpty Take a `data=` that ends its line for an empty value. Caliper's own
   *   reader does not see such a field, and then reports a size mismatch. @default false
   * @param options.wholeLines Report a last line without its end: the stream may be cut in it.
   *   @default false
   */
  constructor(handler: CaliHandler, options: { finalEmpty?: boolean; wholeLines?: boolean } = {}) {
    this.#handler = handler;
    this.#finalEmpty = options.finalEmpty ?? false;
    this.#wholeLines = options.wholeLines ?? false;
  }

  /**
   * Reads a source to its end.
   *
   * @param read Fills the given bytes from the front and returns how many, or null at the end.
   */
  readFrom(read: (into: Uint8Array) => number | null): void {
    for (;;) {
      const space = this.#space(), got = read(space);
      if (got === null) break;
      if (got === space.length && this.#chunk < MAX_BYTES) this.#chunk *= 2;
      this.#advance(got);
    }
    this.end();
  }

  /** Takes further bytes of the stream. */
  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      const space = this.#space();
      const part = bytes.subarray(at, at + space.length);
      space.set(part);
      this.#advance(part.length);
      at += part.length;
    }
  }

  /** Takes what is left as the last line; the next bytes begin another stream. */
  end(): void {
    if (this.#filled > 0 && !this.#skippingLine) {
      this.buffer[this.#filled] = NEWLINE; // #space leaves room for it
      this.#scan(0, this.#filled + 1);
      if (this.#wholeLines) {
        this.#handler.problem(NO_END, this.line);
      }
    }
    this.#filled = 0;
    this.line = 0;
    this.#skippingLine = false;
  }

  /** To be called when ids have another meaning: no layout is valid for their values. */
  forgetReads(): void {
    this.#layouts.forgetReads();
  }

  #space(): Uint8Array {
    while (this.buffer.length - this.#filled < this.#chunk + SPARE_BYTES) {
      this.#take(grown(this.buffer));
    }
    return this.buffer.subarray(this.#filled, this.#filled + this.#chunk - 1);
  }

  #advance(count: number): void {
    const before = this.#filled;
    this.#filled += count;
    const last = this.buffer.subarray(before, this.#filled).lastIndexOf(NEWLINE);
    if (last < 0) {
      if (this.#skippingLine) this.#filled = 0;
      else if (this.#filled > MAX_LINE_BYTES) this.#giveUpLine();
      return;
    }
    const stop = before + last + 1;
    this.#scan(this.#skippingLine ? this.buffer.indexOf(NEWLINE) + 1 : 0, stop);
    this.#skippingLine = false;
    this.buffer.copyWithin(0, stop, this.#filled);
    this.#filled -= stop;
  }

  #take(buffer: Uint8Array<ArrayBuffer>): void {
    this.buffer = buffer;
    this.#view = new DataView(buffer.buffer);
  }

  #giveUpLine(): void {
    this.line++;
    this.#handler.problem(`Line longer than ${MAX_LINE_BYTES} bytes`, this.line);
    this.#skippingLine = true;
    this.#filled = 0;
    this.#take(new Uint8Array(this.#chunk * 2));
  }

  /** Scans whole lines; the byte before `stop` is a newline, which ends every loop below. */
  #scan(from: number, stop: number): void {
    const buffer = this.buffer, view = this.#view;
    let p = from;
    while (p < stop) {
      this.line++;
      if (buffer[p] === NEWLINE) {
        p++;
        continue;
      }
      if (startsContext(buffer, view, p)) {
        p = this.#context(buffer, view, p + CONTEXT.length);
      } else if (startsRecord(buffer, p, NODE)) {
        p = this.#node(buffer, p + NODE.length);
      } else if (startsRecord(buffer, p, GLOBALS)) {
        p = this.#snapshot(buffer, p + GLOBALS.length);
        this.#handler.globals(this);
      } else {
        const end = buffer.indexOf(NEWLINE, p);
        const shown = byteText(buffer, p, Math.min(end, p + 2000));
        this.#handler.problem(`Unknown/invalid record: ${shown}`, this.line);
        p = end;
      }
      if (buffer[p] !== NEWLINE) p = buffer.indexOf(NEWLINE, p); // after an unknown key
      p++;
    }
  }

  #node(buffer: Uint8Array, from: number): number {
    let p = from;
    this.nodeId = this.nodeAttribute = this.nodeParent = BAD_ID;
    this.hasParent = false;
    this.starts[0] = this.ends[0] = from;
    this.escaped[0] = 0;
    for (;;) {
      if (startsRecord(buffer, p, ATTR_KEY)) {
        p = this.#id(buffer, p + ATTR_KEY.length);
        this.nodeAttribute = this.#lastId;
      } else if (this.#startsData(buffer, p)) {
        p = this.#value(buffer, p + DATA_KEY.length, 0);
      } else if (startsRecord(buffer, p, ID_KEY)) {
        p = this.#id(buffer, p + ID_KEY.length);
        this.nodeId = this.#lastId;
      } else if (startsRecord(buffer, p, PARENT_KEY)) {
        p = this.#id(buffer, p + PARENT_KEY.length);
        this.hasParent = true;
        this.nodeParent = this.#lastId;
      } else break;
      if (buffer[p] !== COMMA) break;
      p++;
    }
    if (this.nodeId === BAD_ID || this.nodeAttribute === BAD_ID) {
      this.#handler.problem("Node or attribute ID missing in node record", this.line);
    } else {
      this.#handler.node(this);
    }
    return p;
  }

  /** A snapshot; position of its newline, or of an unknown key. */
  #context(buffer: Uint8Array, view: DataView, from: number): number {
    const handler = this.#handler, start = this.#head(buffer, view, from);
    let end = -1;
    if (start >= 0) {
      const reads = this.layout.reads!;
      end = rangedValues(buffer, view, start, { reads, to: this });
    }
    if (end >= 0) {
      handler.context(this);
      return end;
    }
    end = this.#snapshot(buffer, from);
    handler.context(this);
    return end;
  }

  /**
   * The beginning of a snapshot as nearly all are: references, then a known list.
   *
   * @returns Position of the first value, or −1 if the record has to be read in the general way.
   */
  #head(buffer: Uint8Array, view: DataView, from: number): number {
    let p = from, count = 0;
    if (view.getInt32(p, true) === REF_WORD) {
      const { refs } = this;
      p += REF_KEY.length;
      for (;;) {
        let digit = buffer[p] - 48, id = 0;
        if (digit >>> 0 > 9) return -1;
        // One digit more than fits is seen below.
        const most = p + MAX_ID_DIGITS;
        do {
          id = (Math.imul(id, 10) + digit) | 0;
          digit = buffer[++p] - 48;
        } while (digit >>> 0 <= 9);
        if (p > most || count === refs.length) return -1;
        refs[count++] = id;
        if (buffer[p] !== EQUALS) break;
        p++;
      }
      if (buffer[p++] !== COMMA) return -1;
    }
    const layout = this.#layouts.find(view, p);
    if (layout === null) return -1;
    const { length } = layout.reads!;
    p += layout.size;
    if (length > this.starts.length || (buffer[p] === NEWLINE && !this.#finalEmpty)) return -1;
    this.refCount = count;
    this.valueCount = length;
    this.layout = layout;
    this.attributes = layout.attributes;
    this.hasNumbers = true;
    return p;
  }

  #snapshot(buffer: Uint8Array, from: number): number {
    let p = from;
    this.refCount = this.#attributeCount = this.#dataCount = 0;
    const view = this.#view;
    for (;;) {
      const word = view.getInt32(p, true);
      if (word === REF_WORD && buffer[p + REF_KEY.length] !== NEWLINE) {
        p = this.#refList(buffer, p + REF_KEY.length);
      } else if (word === ATTR_WORD && startsRecord(buffer, p, ATTR_KEY)) {
        p = this.#attributeList(buffer, p + ATTR_KEY.length);
      } else if (word === DATA_WORD && this.#startsData(buffer, p)) {
        p = this.#dataList(buffer, p + DATA_KEY.length);
      } else break;
      if (buffer[p] !== COMMA) break;
      p++;
    }
    this.hasNumbers = false;
    this.valueCount = this.#attributeCount;
    if (this.#attributeCount !== this.#dataCount) {
      this.valueCount = Math.min(this.#attributeCount, this.#dataCount);
      this.#handler.problem("attr / data size mismatch", this.line);
    }
    return p;
  }

  #refList(buffer: Uint8Array, from: number): number {
    let p = from, count = 0;
    for (;;) {
      p = this.#id(buffer, p);
      if (count === this.refs.length) this.refs = grown(this.refs);
      this.refs[count++] = this.#lastId;
      if (buffer[p] !== EQUALS) break;
      p++;
    }
    this.refCount = count;
    return p;
  }

  #attributeList(buffer: Uint8Array, from: number): number {
    let p = from, count = 0;
    for (;;) {
      p = this.#id(buffer, p);
      if (count === this.#ids.length) this.#ids = grown(this.#ids);
      this.#ids[count++] = this.#lastId;
      if (buffer[p] !== EQUALS) break;
      p++;
    }
    this.layout = this.#layouts.of(this.#ids.subarray(0, count), buffer.subarray(from, p));
    this.attributes = this.layout.attributes;
    this.#attributeCount = count;
    return p;
  }

  #dataList(buffer: Uint8Array, from: number): number {
    let p = from, count = 0;
    for (;;) {
      if (count === this.starts.length) this.#moreValues();
      const start = p;
      p = skipValue(buffer, this.#view, p);
      if (buffer[p] === BACKSLASH) {
        p = this.#value(buffer, start, count);
      } else {
        this.starts[count] = start;
        this.ends[count] = p;
        this.escaped[count] = 0;
      }
      count++;
      if (buffer[p] !== EQUALS) break;
      p++;
    }
    this.#dataCount = count;
    return p;
  }

  #moreValues(): void {
    this.starts = grown(this.starts);
    this.ends = grown(this.ends);
    this.escaped = grown(this.escaped);
    this.numbers = grown(this.numbers);
  }

  /** One value with escapes into slot `at`; returns the position of the byte that ends it. */
  #value(buffer: Uint8Array, start: number, at: number): number {
    let p = start, escaped = 0;
    for (;;) {
      while (ENDS[buffer[p]] === 0) p++;
      if (buffer[p] !== BACKSLASH) break;
      escaped = 1;
      p++;
      if (buffer[p] !== NEWLINE) p++; // a backslash at the end of a line escapes nothing
    }
    this.starts[at] = start;
    this.ends[at] = p;
    this.escaped[at] = escaped;
    return p;
  }

  #startsData(buffer: Uint8Array, p: number): boolean {
    return this.#view.getInt32(p, true) === DATA_WORD && buffer[p + 4] === EQUALS &&
      (this.#finalEmpty || buffer[p + 5] !== NEWLINE);
  }

  #id(buffer: Uint8Array, from: number): number {
    let p = from, id = 0, digit = buffer[p] - 48;
    while (digit >= 0 && digit <= 9) {
      id = id * 10 + digit;
      digit = buffer[++p] - 48;
    }
    const end = buffer[p];
    if (p === from || id > 0x7fffffff || (end !== EQUALS && end !== COMMA && end !== NEWLINE)) {
      // A carriage return before the newline belongs to the line end.
      if (end !== RETURN || buffer[p + 1] !== NEWLINE || p === from) id = BAD_ID;
      while (buffer[p] !== EQUALS && buffer[p] !== COMMA && buffer[p] !== NEWLINE) p++;
    }
    this.#lastId = id;
    return p;
  }
}
