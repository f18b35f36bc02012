import { assertEquals } from "@std/assert";
import { RawWriter } from "../../src/rawstats/format/writer.ts";

const text = (writer: RawWriter) => new TextDecoder().decode(writer.bytes);

Deno.test("RawWriter prints every size of number as BigInt does", () => {
  const values: bigint[] = [0n, 1n, 9n, 10n, 99n, 100n];
  for (let bits = 1n; bits <= 64n; bits++) {
    values.push((1n << bits) - 1n, 1n << (bits - 1n), (1n << (bits - 1n)) + 1n);
  }
  for (let digits = 1n; digits < 20n; digits++) {
    values.push(10n ** digits - 1n, 10n ** digits, 10n ** digits + 7n);
  }
  const words = BigUint64Array.from(values);
  const writer = new RawWriter();
  writer.line("t", "a b/1", new Uint32Array(words.buffer));
  assertEquals(text(writer), `t a b/1 ${[...words].join(" ")}\n`);
});

Deno.test("RawWriter writes times with six decimals, and marks one % per line", () => {
  const writer = new RawWriter();
  writer.head(1556000000125000, "4001", "h");
  writer.mark("exec solver\nphase\t2");
  assertEquals(text(writer), "\n1556000000.125000 4001 h\n%exec solver\n%phase 2\n");
  writer.clear();
  writer.head(1000001, "-", "h");
  assertEquals(text(writer), "\n1.000001 - h\n");
});

Deno.test("RawWriter grows with the record", () => {
  const writer = new RawWriter();
  const words = new BigUint64Array(5000).fill(18446744073709551615n);
  writer.line("t", "ä".repeat(3000), new Uint32Array(words.buffer));
  assertEquals(text(writer), `t ${"ä".repeat(3000)} ${[...words].join(" ")}\n`);
});
