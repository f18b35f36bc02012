/**
 * Rows that are numbers behind a key in a text file of several lines, without allocation.
 *
 * @module
 */
import type { Host, KeptFile } from "../../../core/machine/host.ts";
import { HIGH_WEIGHT, NumberScanner, SCAN } from "../../../core/parse_number.ts";
import type { OfferedSignal, SignalReading, SignalRow } from "../../../core/signal.ts";
import { Troubled } from "./troubled.ts";

/** Index of a requested row; all of them are of the board. */
export interface KeyedRow {
  readonly name: string;
  readonly path: string;
  /** Word at the beginning of the line; empty if the file is one number. */
  readonly line: string;
  /** Text in that line before the number. @default directly after `line` */
  readonly key?: string;
  readonly scale: number;
}

/** Reads the requested rows of such files. */
export class KeyedReading extends Troubled implements SignalReading {
  readonly #rows: readonly KeyedRow[];
  readonly #files: (KeptFile | undefined)[];
  readonly #scanner = new NumberScanner();
  #at = 0;

  /** @param place Where a row is. */
  constructor(
    host: Host,
    wanted: readonly OfferedSignal[],
    place: (row: SignalRow) => Omit<KeyedRow, "name">,
  ) {
    super();
    this.#rows = wanted.map(({ row }) => ({ name: row.name, ...place(row) }));
    const open = new Map<string, KeptFile | undefined>();
    const keep = (path: string) => host.probe(path).ok ? host.keep(path) : undefined;
    this.#files = this.#rows.map(({ path }) => open.getOrInsertComputed(path, keep));
  }

  readInto(out: Float64Array): void {
    let last: KeptFile | undefined;
    let length = 0;
    for (let i = 0; i < this.#rows.length; i++) {
      const row = this.#rows[i];
      const file = this.#files[i];
      // Rows of one file follow each other: it is read once for all of them.
      if (file !== undefined && file !== last) length = file.read();
      last = file;
      out[i] = NaN;
      if (file !== undefined && length > 0 && this.#find(row, file.bytes, length)) {
        const { high, low } = this.#scanner;
        out[i] = (high * HIGH_WEIGHT + low) * row.scale;
      }
      if (out[i] !== out[i] && !this.noted.again(row.name, "error")) {
        this.noted.add(row.name, "error", `${row.path}: no number after ${row.line}`);
      }
    }
  }

  [Symbol.dispose](): void {
    for (const file of new Set(this.#files)) file?.[Symbol.dispose]();
  }

  /** Leaves the number in the scanner; returned, it would be allocated. */
  #find(row: KeyedRow, bytes: Uint8Array, length: number): boolean {
    for (let i = 0; i < length;) {
      if (this.#matches(bytes, i, row.line)) {
        let at = i + row.line.length;
        const found = row.key === undefined || this.#seek(bytes, at, length, row.key);
        if (row.key !== undefined) at = this.#at;
        return found && this.#scanner.integer(bytes, length, at) === SCAN.OK;
      }
      while (i < length && bytes[i] !== 10) i++;
      i++;
    }
    return false;
  }

  /** Moves behind a text in the rest of the line. */
  #seek(bytes: Uint8Array, from: number, length: number, key: string): boolean {
    for (let i = from; i < length && bytes[i] !== 10; i++) {
      if (!this.#matches(bytes, i, key)) continue;
      this.#at = i + key.length;
      return true;
    }
    return false;
  }

  #matches(bytes: Uint8Array, at: number, word: string): boolean {
    for (let k = 0; k < word.length; k++) if (bytes[at + k] !== word.charCodeAt(k)) return false;
    return true;
  }
}
