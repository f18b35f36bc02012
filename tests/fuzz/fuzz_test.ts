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

Deno.test("watch() reports a case that dies and one that never ends, and goes on behind them", async () => {
  const script = await Deno.makeTempFile({ suffix: ".js" });
  try {
    // Case 2 dies, case 4 waits for what never comes, the others do nothing.
    await Deno.writeTextFile(
      script,
      `const [, first, cases] = Deno.args.map(Number);
      for (let number = first; number < first + cases; number++) {
        Deno.writeFileSync(Deno.args[4], new Uint8Array(new Float64Array([number]).buffer));
        if (number === 2) throw new Error("a reason");
        if (number === 4) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      }
      console.log(JSON.stringify({ done: cases }));`,
    );
    const { cases, findings } = await watch({ seed: 1, cases: 6, script, hangSeconds: 1 });
    assertEquals(findings.map(({ number, what }) => [number, what]), [
      [2, "the process died"],
      [4, "no end within 1 s"],
    ]);
    assertEquals(findings[0].detail.includes("a reason"), true);
    assertEquals(cases, 6);
  } finally {
    await Deno.remove(script);
  }
});
