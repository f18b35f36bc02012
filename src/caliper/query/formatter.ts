/**
 * What an output formatter is, and where its text goes.
 * @module
 */

import type { Snapshot } from "../model/snapshot.ts";
import type { SourceBytes } from "../model/snapshot.ts";
import { encodeByteText } from "./byte_text.ts";
import type { MergedTree } from "./merged_tree.ts";
import type { QuerySpec } from "./spec.ts";

/** Takes the records of the result, one after the other, and prints them. */
export abstract class Formatter {
  constructor(protected readonly context: FormatContext) {}

  /** Takes a record, which is overwritten after the call. */
  abstract record(record: Snapshot): void;
  /**
   * What all records print as that have the references of this one, which was printed, and numbers of
   * its shape; null: nothing that is certain.
   */
  rowOf?(record: Snapshot): object | null;
  /** Takes such a record; false: not so any more. */
  row?(row: object, source: SourceBytes): boolean;
  /** Prints what was held back, and the end of the output. */
  abstract flush(): void;

  /** Heading of an attribute's column. */
  protected titleOf(attribute: number, name: string): string {
    const { spec, tree } = this.context;
    return spec.aliases.get(name) ?? tree.titleOf(attribute) ?? name;
  }
}

/** What a formatter works with. */
export interface FormatContext {
  readonly spec: QuerySpec;
  readonly tree: MergedTree;
  readonly out: Output;
  /** Right instead of like cali-query: UTF-8, valid JSON, 64-bit order, exact doubles. */
  readonly strict: boolean;
  /** A line for people, without newline. */
  complain(message: string): void;
}

const FLUSH_LENGTH = 1 << 16;

/** Collects text and bytes, and hands over bytes. */
export class Output {
  /** Bytes under way: `room` is the first byte that may be written. */
  bytes = new Uint8Array(2 * FLUSH_LENGTH);
  /** The same bytes. */
  view = new DataView(this.bytes.buffer);
  readonly #take: (bytes: Uint8Array) => void;
  #text = "";
  /** Of `bytes`, those that are written; text that waits comes behind them. */
  #filled = 0;

  constructor(take: (bytes: Uint8Array) => void) {
    this.#take = take;
  }

  /** Adds a byte string. */
  write(text: string): void {
    this.#text += text;
    if (this.#text.length > FLUSH_LENGTH) this.flush();
  }

  /** Adds bytes, which may be overwritten after the call. */
  writeBytes(bytes: Uint8Array): void {
    this.flush();
    this.#take(bytes);
  }

  /**
   * Makes room in `bytes`.
   *
   * @param count So many bytes at most will be written there before `written` is called.
   * @returns Where they begin.
   */
  room(count: number): number {
    const text = this.#text, { length } = text;
    if (length > 0) {
      if (this.#filled + length > this.bytes.length) this.flush();
      else {
        for (let i = 0; i < length; i++) this.bytes[this.#filled++] = text.charCodeAt(i);
        this.#text = "";
      }
    }
    if (this.#filled > FLUSH_LENGTH || this.#filled + count > this.bytes.length) {
      this.flush();
      if (count > this.bytes.length) {
        this.bytes = new Uint8Array(count);
        this.view = new DataView(this.bytes.buffer);
      }
    }
    return this.#filled;
  }

  /** The bytes up to here are written. */
  written(end: number): void {
    this.#filled = end;
  }

  flush(): void {
    if (this.#filled > 0) {
      this.#take(this.bytes.subarray(0, this.#filled));
      this.#filled = 0;
    }
    if (this.#text === "") return;
    this.#take(encodeByteText(this.#text));
    this.#text = "";
  }
}

/** The names in SELECT, or null where all attributes are meant. */
export function selectedNames(spec: QuerySpec): Set<string> | null {
  return spec.selection === "list" && spec.select.length > 0 ? new Set(spec.select) : null;
}
