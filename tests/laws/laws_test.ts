/** A short form of the laws: some faults of all, as root and as a plain user. laws.ts has the long one. */
import { assert, assertEquals } from "@std/assert";
import { BINARY, NO_BINARY, NO_COMPILER } from "../_support/programs.ts";
import { NOT_ROOT, skippedWithout, unless } from "../_support/skipped.ts";
import { NO_STRACE } from "../_support/strace.ts";
import { withTimeLimit } from "../_support/time_limit.ts";
import { testLaws } from "./laws.ts";
import { testSignals } from "./signals.ts";

/** A minute each where nothing else runs. */
const LIMIT_S = 400;
/** Number of seeds of which one has to prove enough. */
const TRIES = 3;
const MISSING = [
  NO_BINARY,
  NO_COMPILER,
  NO_STRACE,
  unless(Deno.build.arch === "x86_64", "system calls are known by x86-64's numbers"),
];

for (const asUser of [false, true]) {
  Deno.test({
    ...skippedWithout(
      `the laws hold whatever system call fails, ${
        asUser ? "as a plain user" : "as whoever tests"
      }`,
      ...MISSING,
      asUser ? NOT_ROOT : undefined,
    ),
    fn: () =>
      withTimeLimit(async () => {
        // Some seeds choose calls that a run makes only now and then: they prove too little.
        for (let tries = 1;; tries++) {
          const seed = Math.floor(Math.random() * 1000);
          const verdict = await testLaws({ binary: BINARY, faults: 100, seed, asUser });
          assertEquals(verdict.breaches, [], `seed ${seed}`);
          const { injected, reports, unmeasured } = verdict;
          console.log(`seed ${seed}: ${injected} calls failed, no law broken`);
          if (injected >= 90 && reports > 0 && unmeasured > 0) return;
          assert(tries < TRIES, JSON.stringify({ injected, reports, unmeasured, seed }));
        }
      }, LIMIT_S),
  });
}

Deno.test({
  ...skippedWithout("the laws hold under signals at random moments", NO_BINARY),
  fn: () =>
    withTimeLimit(async () => {
      const seed = Math.floor(Math.random() * 1000);
      const { breaches, runs } = await testSignals(BINARY, 30, seed);
      assertEquals([breaches, runs], [[], 30], `seed ${seed}`);
    }, LIMIT_S),
});
