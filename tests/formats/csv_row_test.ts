import { assertEquals } from "@std/assert";
import { csvField, CsvRow, numberIn } from "../../src/formats/csv_row.ts";
import { Random } from "../run/session/_random.ts";

const encode = (text: string) => new TextEncoder().encode(text);

Deno.test("numberIn() rounds as Number() does (seeded)", () => {
  const random = new Random(7);
  for (let i = 0; i < 20000; i++) {
    const value = (random.next() - 0.5) * 10 ** random.int(-30, 30);
    const text = random.pick([
      String(value),
      value.toFixed(random.int(0, 12)),
      value.toExponential(random.int(0, 16)),
      String(Math.trunc(value)),
    ]);
    const bytes = encode(`,${text},`);
    assertEquals(numberIn(bytes, 1, bytes.length - 1), Number(text), text);
  }
});

Deno.test("numberIn() refuses what is no decimal number", () => {
  for (const text of ["", "-", ".", "1.2.3", "1e", "0x10", "1 ", " 1", "1,5", "Infinity", "--1"]) {
    const bytes = encode(text);
    assertEquals(numberIn(bytes, 0, bytes.length), undefined, text);
  }
  assertEquals(numberIn(encode("NaN"), 0, 3), NaN);
  assertEquals(numberIn(encode(".5"), 0, 2), 0.5);
  assertEquals(numberIn(encode("-0"), 0, 2), -0);
});

Deno.test("CsvRow.split() undoes csvField() (seeded)", () => {
  const row = new CsvRow(6);
  for (let seed = 1; seed <= 500; seed++) {
    const random = new Random(seed);
    const fields = Array.from({ length: random.int(1, 6) }, () => random.text(20));
    const bytes = encode(fields.map(csvField).join(","));
    assertEquals(row.split(bytes, 0, bytes.length), fields.length, `seed ${seed}`);
    const read = fields.map((_, i) => row.text(i));
    assertEquals(read, fields, `seed ${seed}`);
  }
});

Deno.test("CsvRow.split() refuses quotes that do not match", () => {
  const row = new CsvRow(6);
  for (const text of ['a,"b', 'a"b', '"a"b,c']) {
    const bytes = encode(text);
    assertEquals(row.split(bytes, 0, bytes.length), -1, text);
  }
});
