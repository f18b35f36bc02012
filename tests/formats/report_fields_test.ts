/** Fields that are read by what their place had before are what they are alone. */
import { assertEquals } from "@std/assert";
import { LineCursor } from "../../src/formats/nested.ts";
import { fieldValue, nextField } from "../../src/formats/report_fields.ts";
import { parseValue } from "../../src/formats/scalar.ts";

Deno.test("fieldValue() reads what parseValue() reads, to the last bit", () => {
  const texts = [
    ...["0", "-0", "007", "5.", ".5", ".", "", "1.2.3", "12 ", " 12", "1e5", "1E-7", "+3", "-2.5"],
    ...["nan", ".nan", "inf", "-inf", "0x10", '"12"', "123456789012345", "1234567890123456"],
    ...["0.1", "0.30000000000000004", "123.456789012345", "9007199254740993", "١٢", "1_000"],
    ...["0.000000000000001", "000000000000000000.5", "99999999999999.9", "1,5"],
  ];
  let seed = 2026;
  const random = (below: number) => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) % below;
  for (let i = 0; i < 20_000; i++) {
    const digits = Array.from({ length: 1 + random(16) }, () => random(10)).join("");
    const at = random(digits.length + 1);
    texts.push(`${digits.slice(0, at)}.${digits.slice(at)}`);
  }
  for (const text of texts) {
    const [found, expected] = [fieldValue(`key: ${text}`, 5), parseValue(text)];
    assertEquals(Object.is(found, expected), true, `${text}: ${found}, not ${expected}`);
  }
});

Deno.test("nextField() takes a line apart where another one was expected", () => {
  const read = (lines: string[]) => {
    const cursor = new LineCursor("f", lines);
    const found: string[] = [];
    for (let place = 0;; place++) {
      const { line } = cursor;
      const field = nextField(cursor, place);
      if (field === undefined) return [...found, `${cursor.at}`];
      found.push(`${field.key}=${fieldValue(line!, field.begin.length)}`);
    }
  };
  const rows: [string[], string[]][] = [
    [["      a: 1", "      b: 2"], ["a=1", "b=2", "2"]],
    [["      a: 3", "      b: x"], ["a=3", "b=x", "2"]],
    // another key, a key that begins as one does, another depth, a value with a colon, quotes
    [["      b: 1", "      bb: 2"], ["b=1", "bb=2", "2"]],
    [["      b: 1: 2", "    bb: 2"], ["b=1: 2", "1"]],
    [['      "a: 1": 5', '      "\\x41": 6'], ["a: 1=5", "A=6", "2"]],
    [['      "a: 1": 7', "       b: 6"], ["a: 1=7", "1"]],
  ];
  for (const [lines, expected] of rows) assertEquals(read(lines), expected);
  for (const lines of [["      a:"], ["      a: "], ["      a"]]) {
    let message = "";
    try {
      read(lines);
    } catch (error) {
      message = (error as Error).message;
    }
    assertEquals(message.includes("a field with a value"), true, lines[0]);
  }
});
