/** Sums of counters beyond what a double holds, and of those with a fraction. */
import { assertEquals } from "@std/assert";
import { addExact } from "../../../src/rawstats/analysis/exact.ts";

Deno.test("addExact() is exact beyond 2^53, and takes fractions there too", () => {
  assertEquals(addExact(2 ** 53 - 1, 2), 9007199254740993n);
  assertEquals(addExact(9007199254740993n, 1), 9007199254740994n);
  assertEquals(addExact(0.25, 0.5), 0.75);
  // a scale that is a fraction, as of joules in microjoules
  assertEquals(addExact(2 ** 53, 0.5), 2 ** 53);
  assertEquals(addExact(9007199254740993n, 0.5), 9007199254740992);
});
