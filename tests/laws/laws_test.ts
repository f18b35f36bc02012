/** A short form of the laws: some faults of all, as root and as a plain user. laws.ts has the long one. */
import { assert, assertEquals } from "@std/assert";
import { BINARY, HAS_BINARY, HAS_COMPILER } from "../_support/programs.ts";
import { HAS_STRACE } from "../_support/strace.ts";
import { withTimeLimit } from "../_support/time_limit.ts";
import { testLaws } from "./laws.ts";
import { testSignals } from "./signals.ts";

/** A minute each where nothing else runs. */
const LIMIT_S = 400;
const IGNORE = !HAS_BINARY || !HAS_COMPILER || !HAS_STRACE || Deno.build.arch !== "x86_64";

for (const asUser of [false, true]) {
  Deno.test({
    name: `the laws hold whatever system call fails, ${asUser ? "as a plain user" : "as root"}` +
      (HAS_STRACE ? "" : " (skipped: no strace)"),
    ignore: IGNORE || (asUser && Deno.uid() !== 0),
    fn: () =>
      withTimeLimit(async () => {
        const seed = Math.floor(Math.random() * 1000);
        const verdict = await testLaws({ binary: BINARY, faults: 100, seed, asUser });
        assertEquals(verdict.breaches, [], `seed ${seed}`);
        assert(verdict.injected >= 90 && verdict.reports > 0 && verdict.unmeasured > 0);
        console.log(`seed ${seed}: ${verdict.injected} calls failed, no law broken`);
      }, LIMIT_S),
  });
}

Deno.test({
  name: "the laws hold under signals at random moments",
  ignore: !HAS_BINARY,
  fn: () =>
    withTimeLimit(async () => {
      const seed = Math.floor(Math.random() * 1000);
      const { breaches, runs } = await testSignals(BINARY, 30, seed);
      assertEquals([breaches, runs], [[], 30], `seed ${seed}`);
    }, LIMIT_S),
});
