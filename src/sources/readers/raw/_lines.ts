/**
 * Kernel text files by bytes: lines, words and numbers, without making strings of them.
 *
 * @module
 */
import type { Host, KeptFile } from "../../../core/machine/host.ts";
import { keyNames, type RawCollector, type RawNodeAccess, type RawRow } from "./raw_type.ts";
import type { RawStatsType } from "./raw_type.ts";

const LF = 10, TAB = 9, BLANK = 32, COLON = 58, ZERO = 48;

/** The file at hand, its line, its word; all kept files share one buffer, so one at a time. */
export class Lines {
  #bytes: Uint8Array = new Uint8Array();
  #length = 0;
  #next = 0;
  /** The line: from `start` to before `end`. */
  start = 0;
  end = 0;
  /** Offset of the next byte in the line. */
  at = 0;
  /** The last number: low and high word. */
  low = 0;
  high = 0;

  /** Reads a file from its start; false when it cannot be. */
  open(file: KeptFile | undefined): boolean {
    const length = file?.read() ?? -1;
    if (length < 0) return false;
    this.#bytes = file!.bytes;
    this.#length = length;
    this.#next = 0;
    return true;
  }

  /** Goes to the next line; false at the end. */
  next(): boolean {
    if (this.#next >= this.#length) return false;
    this.start = this.at = this.#next;
    const bytes = this.#bytes;
    let end = this.start;
    while (end < this.#length && bytes[end] !== LF) end++;
    this.end = end;
    this.#next = end + 1;
    return true;
  }

  /** Hash of the word at the place, which ends at a blank or colon; reading goes on behind it. */
  word(): number {
    const bytes = this.#bytes;
    let i = this.#skip();
    let hash = 2166136261;
    while (i < this.end && bytes[i] !== BLANK && bytes[i] !== TAB && bytes[i] !== COLON) {
      hash = Math.imul(hash ^ bytes[i++], 16777619);
    }
    this.at = i < this.end && bytes[i] === COLON ? i + 1 : i;
    return hash;
  }

  /** The number at the place into `low` and `high`; false if there is none. */
  number(): boolean {
    const bytes = this.#bytes;
    let i = this.#skip();
    const first = i;
    let value = 0;
    while (i < this.end) {
      const digit = bytes[i] - ZERO;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
      i++;
    }
    if (i === first) return false;
    this.at = i;
    if (value < 9007199254740992) {
      this.high = Math.floor(value / 4294967296);
      this.low = value - this.high * 4294967296;
    } else {
      const exact = BigInt(this.#text(first, i));
      this.low = Number(exact & 0xffffffffn);
      this.high = Number((exact >> 32n) & 0xffffffffn);
    }
    return true;
  }

  /** The byte at the place, 0 at the line's end. */
  get byte(): number {
    return this.at < this.end ? this.#bytes[this.at] : 0;
  }

  /** Rest of the line, as text. */
  rest(): string {
    return this.#text(this.#skip(), this.end);
  }

  /** Does the line begin with these bytes? */
  startsWith(prefix: Uint8Array): boolean {
    if (this.start + prefix.length > this.end) return false;
    for (let i = 0; i < prefix.length; i++) {
      if (this.#bytes[this.start + i] !== prefix[i]) return false;
    }
    return true;
  }

  #skip(): number {
    const bytes = this.#bytes;
    let i = this.at;
    while (i < this.end && (bytes[i] === BLANK || bytes[i] === TAB)) i++;
    return i;
  }

  #text(start: number, end: number): string {
    return new TextDecoder().decode(this.#bytes.subarray(start, end));
  }
}

/** One for all collectors, since nothing here waits. */
export const LINES = new Lines();

/** Hash of a word, as `Lines.word` makes it. */
export function hashOf(word: string): number {
  let hash = 2166136261;
  for (const byte of new TextEncoder().encode(word)) hash = Math.imul(hash ^ byte, 16777619);
  return hash;
}

/** Index by hash of some words. @throws {RangeError} If two of them have one hash. */
export function hashTable(words: readonly string[]): Map<number, number> {
  const table = new Map<number, number>();
  words.forEach((word, i) => {
    const hash = hashOf(word);
    if (table.has(hash)) throw new RangeError(`"${word}" hashes like another key`);
    table.set(hash, i);
  });
  return table;
}

/** Files kept open by path; those that went away are tried again when they are asked for. */
export class KeptFiles {
  readonly #host: Host;
  readonly #files = new Map<string, KeptFile>();

  constructor(host: Host) {
    this.#host = host;
  }

  /** The file, or `undefined` when it cannot be opened. */
  get(path: string): KeptFile | undefined {
    let file = this.#files.get(path);
    if (file !== undefined) return file;
    try {
      file = this.#host.keep(path);
      this.#files.set(path, file);
      return file;
    } catch {
      return undefined;
    }
  }

  /** Reads a file by lines; a descriptor whose device went away is opened once more. */
  lines(path: string): Lines | undefined {
    if (LINES.open(this.get(path))) return LINES;
    this.drop(path);
    return LINES.open(this.get(path)) ? LINES : undefined;
  }

  /** Puts the number that a file begins with. */
  put(row: RawRow, key: number, path: string): void {
    const lines = this.lines(path);
    if (lines?.next() && lines.number()) row.put(key, lines.low, lines.high);
  }

  /** Closes a file. */
  drop(path: string): void {
    this.#files.get(path)?.[Symbol.dispose]();
    this.#files.delete(path);
  }

  /** Closes all files whose path does not begin with one of these. */
  retain(prefixes: ReadonlySet<string>, prefixOf: (path: string) => string): void {
    for (const path of this.#files.keys()) if (!prefixes.has(prefixOf(path))) this.drop(path);
  }

  [Symbol.dispose](): void {
    for (const file of this.#files.values()) file[Symbol.dispose]();
    this.#files.clear();
  }
}

/** A type that needs files only; those that it keeps open are closed with it. */
export function fileType(type: {
  name: string;
  keys: string;
  /** Paths that it reads: files, or folders with a slash at their end. */
  paths: readonly string[];
  /** Makes the collecting function; `undefined` if the type is for other nodes. */
  open(node: RawNodeAccess & { files: KeptFiles }): RawCollector["collect"] | undefined;
}): RawStatsType {
  const { name, keys, paths } = type;
  return {
    name,
    keys,
    needs: { files: paths, libraries: [], capabilities: [] },
    open(node) {
      const files = new KeptFiles(node.host);
      const collect = type.open({ ...node, files });
      return collect && { collect, [Symbol.dispose]: () => files[Symbol.dispose]() };
    },
  };
}

/**
 * Makes a function that emits the values of a file with lines `KEY VALUE`.
 *
 * @param skip Words before the key, such as `Node 0` in a node's meminfo.
 */
export function keyedLines(files: KeptFiles, keys: string, skip = 0) {
  const table = hashTable(keyNames(keys));
  return (row: RawRow, path: string, device: string) => {
    const lines = files.lines(path);
    if (lines === undefined) return;
    while (lines.next()) {
      for (let i = 0; i < skip; i++) lines.word();
      const key = table.get(lines.word());
      if (key !== undefined && lines.number()) row.put(key, lines.low, lines.high);
    }
    row.emit(device);
  };
}
