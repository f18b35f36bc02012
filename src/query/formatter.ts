/**
 * What an output formatter is, and where its text goes.
 * @module
 */

import type { Snapshot } from "../context/snapshot.ts";
import { encodeByteText } from "./byte_text.ts";
import type { MergedTree } from "./merged_tree.ts";
import type { QuerySpec } from "./spec.ts";

/** Takes the records of the result, one after the other, and prints them. */
export interface Formatter {
  /** Takes a record, which is overwritten after the call. */
  record(record: Snapshot): void;
  /** Prints what was held back, and the end of the output. */
  flush(): void;
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
  /** Bytes under way: `room` says from where on they may be written. */
  bytes = new Uint8Array(2 * FLUSH_LENGTH);
  readonly #take: (bytes: Uint8Array) => void;
  #text = "";
  /** Of `bytes`, those that are written; text and bytes never wait both. */
  #filled = 0;

  constructor(take: (bytes: Uint8Array) => void) {
    this.#take = take;
  }

  /** Adds a byte string. */
  write(text: string): void {
    if (this.#filled > 0) this.flush();
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
    if (this.#text !== "" || this.#filled > FLUSH_LENGTH) this.flush();
    if (this.#filled + count > this.bytes.length) {
      this.flush();
      if (count > this.bytes.length) this.bytes = new Uint8Array(count);
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
