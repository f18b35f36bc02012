/** The fuzzer for some seconds, over the same cases each time; by hand it goes on: main.ts. */

import { assertEquals } from "@std/assert";
import { makeCase } from "./cases.ts";
import { type Case, type Engine, judge } from "./oracle.ts";
import { watch } from "./watch.ts";

const SEED = 20150803, CASES = 2500;

Deno.test(`${CASES} cases of seed ${SEED} give the result or the clear error`, async () => {
  const { cases, findings } = await watch({ seed: SEED, cases: CASES });
  assertEquals(findings, []);
  assertEquals(cases, CASES);
});

Deno.test("a case is the same whenever it is made", () => {
  const numbers = Array.from({ length: 300 }, (_, i) => i);
  const text = (number: number) => JSON.stringify(makeCase(SEED, number));
  const forward = numbers.map(text), backward = numbers.toReversed().map(text).toReversed();
  assertEquals(forward, backward);
  assertEquals(new Set(forward).size, numbers.length);
});

Deno.test("judge() finds what is wrong", () => {
  const input: Case = {
    query: "format json",
    streams: ["__rec=ctx,ref=1\n"],
    strict: true,
    subject: "records",
    pieces: [1],
  };
  const found = (engine?: Engine, query: string = input.query as string) =>
    judge({ ...input, query }, engine).map(({ what }) => what);
  assertEquals(found(), []);
  assertEquals(found(undefined, "format nosuch"), []);
  assertEquals(found(() => ({ output: "[", said: "" })), ["invalid JSON"]);
  assertEquals(found(() => ({ output: "{}", said: "" }), "format trace-events"), [
    "trace events against the rules",
  ]);
  assertEquals(found((_, __, pieces) => ({ output: "[]", said: String(pieces) })), [
    "pieces change the said",
  ]);
  assertEquals(
    found(() => {
      throw new RangeError("Maximum call stack size exceeded");
    }),
    ["RangeError: Maximum call stack size exceeded"],
  );
});
