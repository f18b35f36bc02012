/** Columns come back as they were, wherever their chunks are. */
import { assert, assertEquals } from "@std/assert";
import { type Column, ColumnStore, type Spill } from "../../src/rawstats/column_store.ts";

/** A file in memory; it has room for so many bytes. */
function spillOf(room: () => number): Spill & { bytes: number; reads: number } {
  let file = new Uint8Array(0);
  return {
    bytes: 0,
    reads: 0,
    write(bytes, at) {
      if (at + bytes.length > room()) return false;
      if (at + bytes.length > file.length) {
        const longer = new Uint8Array(2 * (at + bytes.length));
        longer.set(file);
        file = longer;
      }
      file.set(bytes, at);
      this.bytes += bytes.length;
      return true;
    },
    read(bytes, at) {
      bytes.set(file.subarray(at, at + bytes.length));
      this.reads++;
    },
  };
}

/** Column k has k·300 more bytes than the one before, each what its place and column say. */
function fill(store: ColumnStore): Column[] {
  const columns = Array.from({ length: 12 }, () => store.column());
  for (let i = 0; i < 12 * 300; i++) {
    columns.forEach((column, k) => i < k * 300 && column.byte((i * 7 + k) & 255));
  }
  for (const column of columns) column.end();
  return columns;
}

function check(columns: readonly Column[]): void {
  columns.forEach((column, k) => {
    const bytes = column.read(new Uint8Array(10)).subarray(0, k * 300);
    assertEquals(bytes, Uint8Array.from({ length: k * 300 }, (_, i) => (i * 7 + k) & 255));
  });
}

Deno.test("columns out of a file are those out of memory, and a chunk is no read of its own", () => {
  for (const limit of [1, 1000, 8192, 1e9]) {
    const spill = spillOf(() => Infinity);
    const store = new ColumnStore(limit, () => spill);
    check(fill(store));
    if (limit === 8192) assert(spill.reads < spill.bytes / 256 / 2, `${spill.reads} reads`);
    store.reset();
    check(fill(store));
  }
});

Deno.test("where a file has no room, memory has it all, and what comes later is tried again", () => {
  check(fill(new ColumnStore(1000)));
  for (const room of [0, 100, 3000, 10_000]) {
    let tries = 0;
    const spill = spillOf(() => tries++ < 5 ? room : Infinity);
    check(fill(new ColumnStore(2000, () => spill)));
    assert(tries > 2);
  }
});
