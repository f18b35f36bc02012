import { assertEquals } from "@std/assert";
import { RowStore } from "../../../src/caliper/query/row_store.ts";

/** Text of all cells of a row. */
function cellsOf(store: RowStore, row: number): string[] {
  store.open(row);
  return Array.from({ length: store.cells }, (_, c) => store.text(row, c));
}

Deno.test("RowStore gives back cells of all lengths, in rows of all lengths", () => {
  const store = new RowStore(), lengths = [0, 1, 252, 253, 254, 255, 256, 70_000, 1 << 21];
  const rows = lengths.map((n) => ["", "a".repeat(n), "\u00ff"]);
  rows.push([], ["last"], Array.from({ length: 300 }, (_, i) => String(i)));
  for (const row of rows) store.add(row);
  assertEquals(store.count, rows.length);
  rows.forEach((row, i) => assertEquals(cellsOf(store, i), row));
  assertEquals(store.text(0, 3), "");
});

Deno.test("RowStore keeps texts by number, also beyond the first 256", () => {
  const store = new RowStore(), texts = Array.from({ length: 300 }, (_, i) => `text ${i}`);
  const numbers = texts.map((text) => store.keep(text));
  for (let i = 0; i < texts.length; i++) {
    store.add([numbers[i], "x", numbers[texts.length - 1 - i]]);
  }
  texts.forEach((text, i) =>
    assertEquals(cellsOf(store, i), [text, "x", texts[texts.length - 1 - i]])
  );
});

Deno.test("RowStore goes on in further chunks and finds each row again", () => {
  const store = new RowStore(), long = "0123456789".repeat(300);
  for (let i = 0; i < 2000; i++) store.add([String(i), long]);
  for (const row of [0, 1, 348, 349, 350, 1999]) assertEquals(store.text(row, 0), String(row));
  assertEquals(store.text(1999, 1), long);
});
