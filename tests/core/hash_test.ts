import { assertEquals } from "@std/assert";
import { crc32, regionHash } from "../../src/core/hash.ts";
import { hintOnEntry, parseHint } from "../../src/core/hints.ts";
import { formatHex } from "../../src/core/number_format.ts";
import { readVectors } from "../energy/totals/_vector_source.ts";

Deno.test("regionHash() is the original's hash", () => {
  const { cases } = readVectors<{ cases: { name: string; hash: string }[] }>("region_hash.json");
  for (const c of cases) assertEquals(formatHex(regionHash(c.name)), c.hash, c.name);
});

Deno.test("parseHint() takes names and numbers, and nothing else", () => {
  assertEquals(parseHint("COMPUTE"), 2);
  assertEquals(parseHint("10"), 10);
  assertEquals(parseHint("11"), 11);
  assertEquals(["compute", "", "-1", "2.5", "1e3"].map(parseHint), [-1, -1, -1, -1, -1]);
});

Deno.test("hintOnEntry() reads unset and out of range as unknown", () => {
  assertEquals([0, 1, 4, 10, 11, -1].map(hintOnEntry), [1, 1, 4, 10, 1, 1]);
});

Deno.test("crc32() goes on from the bytes before, and is zlib's", () => {
  const bytes = new TextEncoder().encode("123456789");
  // The check value of CRC-32 (ISO-HDLC).
  assertEquals(crc32(bytes), 0xcbf43926);
  assertEquals(crc32(bytes.subarray(4), crc32(bytes.subarray(0, 4))), 0xcbf43926);
});
