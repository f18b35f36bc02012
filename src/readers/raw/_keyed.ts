/**
 * Types that are lines `KEY VALUE` of one file per device.
 *
 * @module
 */
import type { Lines } from "./_lines.ts";
import { hashTable, LINES } from "./_lines.ts";
import { keyNames, type RawRow } from "./raw_type.ts";

/** Puts the values of the keys that a file has; words before the key are skipped. */
export class KeyedLines {
  readonly #table: Map<number, number>;

  /** @param skip Words before the key, as `Node 0` in a node's meminfo. */
  constructor(keys: string, readonly skip = 0) {
    this.#table = hashTable(keyNames(keys));
  }

  /** Fills the row from the file at hand. */
  fill(lines: Lines, row: RawRow): void {
    while (lines.next()) {
      for (let i = 0; i < this.skip; i++) lines.word();
      const key = this.#table.get(lines.word());
      if (key !== undefined && lines.number()) row.put(key, LINES.low, LINES.high);
    }
  }
}
