/**
 * Output formatter, and the output that takes its text.
 * @module
 */

import type { Snapshot } from "../model/snapshot.ts";
import { streamText, TYPE } from "../model/variant.ts";
import type { MergedTree } from "./merged_tree.ts";
import { MAX_NUMBER_BYTES, putNumber, putText } from "./number_bytes.ts";
import type { QuerySpec } from "./spec.ts";

/** Takes the records of the result, one after the other, and prints them. */
export abstract class Formatter {
  constructor(protected readonly context: FormatContext) {}

  /** Takes a record, which is overwritten after the call. */
  abstract record(record: Snapshot): void;
  /** Prints the delayed rows, and the end of the output. */
  abstract flush(): void;

  /** Heading of an attribute's column. */
  protected titleOf(attribute: number, name: string): string {
    const { spec, tree } = this.context;
    return spec.aliases.get(name) ?? tree.titleOf(attribute) ?? name;
  }
}

/** Parts that a formatter works with. */
export interface FormatContext {
  readonly spec: QuerySpec;
  readonly tree: MergedTree;
  readonly out: Output;
  /** Names of the attributes that the aggregation makes. */
  readonly results: readonly string[];
  /** Right instead of like cali-query: UTF-8, valid JSON, 64-bit order, exact doubles. */
  readonly strict: boolean;
  /** A line for people, without newline. */
  complain(message: string): void;
}

const FLUSH_BYTES = 1 << 16;
const BLANK = 32;

/** Collects text as bytes, and hands the bytes over. */
export class Output {
  readonly #take: (bytes: Uint8Array) => void;
  #bytes = new Uint8Array(2 * FLUSH_BYTES);
  #filled = 0;

  constructor(take: (bytes: Uint8Array) => void) {
    this.#take = take;
  }

  /** Adds a byte string. */
  write(text: string): void {
    const at = this.#room(text.length);
    this.#filled = putText(this.#bytes, at, text);
  }

  /**
   * Adds the immediate at an index of a record, as reports print it.
   *
   * @param width Blanks fill a number that is shorter, on the left. @default 0
   */
  value(record: Snapshot, i: number, width = 0): void {
    if (record.obj[i] !== null) return this.write(record.textAt(i).padStart(width));
    const at = this.#room(MAX_NUMBER_BYTES + width), bytes = this.#bytes;
    const end = putNumber(bytes, at, record.type[i], record.num[i]), missing = at + width - end;
    this.#filled = Math.max(end, at + width);
    if (missing <= 0) return;
    for (let p = end - 1; p >= at; p--) bytes[p + missing] = bytes[p];
    for (let p = at; p < at + missing; p++) bytes[p] = BLANK;
  }

  /** Adds the immediate at an index of a record for programs. @param exact Doubles have all their digits. */
  dataValue(record: Snapshot, i: number, exact: boolean): void {
    if (exact && record.type[i] === TYPE.double) this.write(exactText(record, i));
    else this.value(record, i);
  }

  /** Hands over what was collected. */
  flush(): void {
    if (this.#filled > 0) this.#take(this.#bytes.subarray(0, this.#filled));
    this.#filled = 0;
  }

  /** Offset at which `count` bytes can be written. */
  #room(count: number): number {
    if (this.#filled > FLUSH_BYTES || this.#filled + count > this.#bytes.length) {
      this.flush();
      if (count > this.#bytes.length) this.#bytes = new Uint8Array(count);
    }
    return this.#filled;
  }
}

/** Text of the immediate at an index of a record; a double has all its digits. */
export function exactText(record: Snapshot, i: number): string {
  return streamText(record.type[i], record.valueAt(i), "all");
}

/** The names in SELECT, or null if all attributes are meant. */
export function selectedNames(spec: QuerySpec): Set<string> | null {
  return spec.selection === "list" && spec.select.length > 0 ? new Set(spec.select) : null;
}
