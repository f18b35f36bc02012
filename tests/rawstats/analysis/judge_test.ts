import { assertEquals } from "@std/assert";
import { judgeStep } from "../../../src/rawstats/analysis/judge.ts";

Deno.test("judgeStep() distinguishes wraps, dips and resets", () => {
  const rows: [number, bigint, bigint, string, bigint][] = [
    // width, before, after, kind, delta
    [48, 281474976710000n, 500n, "wrap", 1156n],
    [32, 4294960000n, 1200n, "wrap", 8496n],
    [32, 1000000n, 999998n, "dip", 0n],
    [48, 5000000000n, 120n, "reset", 120n],
    [64, 10000n, 9997n, "dip", 0n],
    [64, 900000000n, 17n, "reset", 17n],
    [64, 18446744073709551615n, 3n, "reset", 3n],
    [40, 1099511627775n, 0n, "wrap", 1n],
    [44, 17592186044415n, 17592186043000n, "dip", 0n],
    // a sum of 32-bit counters of which three wrapped
    [32, 14000000000n, 3000000000n, "wrap", 1884901888n],
  ];
  for (const [width, before, after, kind, delta] of rows) {
    assertEquals(judgeStep(before, after, width), { kind, delta } as never, `${before} ${after}`);
  }
});

Deno.test("judgeStep() takes a wrap for one only at the rate of the interval before", () => {
  const step = { bound: 2 ** 40, next: 3_200_000_000n };
  const kind = (expected?: number) =>
    judgeStep(3_000_000_000n, 1_000_000_000n, 32, { ...step, expected }).kind;
  assertEquals([kind(), kind(2e9), kind(3e8)], ["wrap", "wrap", "dip"]);
});

Deno.test("judgeStep() takes a bound from power where there is one", () => {
  // 2·10^9 counts before the range ends: a wrap by the half, a reset where 10^8 is the most
  assertEquals(judgeStep(2294967296n, 5n, 32).kind, "wrap");
  assertEquals(judgeStep(2294967296n, 5n, 32, { bound: 1e8 }), { kind: "reset", delta: 5n });
});

Deno.test("judgeStep() takes a fall of an energy for a dip where only unusual power explains it", () => {
  const step = { bound: 9.8e9, usual: 2.9e9, next: 3_200_000_000n, expected: 1e8 };
  const kind = (to: bigint) => judgeStep(3_100_000_000n, to, 32, step).kind;
  // a small fall, a register that could not be read, and a wrap at 240 W
  assertEquals([kind(2_999_900_000n), kind(0n), kind(1000n)], ["dip", "dip", "wrap"]);
});
