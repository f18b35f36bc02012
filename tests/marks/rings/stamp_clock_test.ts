/** One clock for all that mark in a process: the order of stamps stays, whatever pairs come. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { StampClock } from "../../../src/marks/rings/stamp_clock.ts";
import { Random } from "../../run/session/_random.ts";

const TWO_32 = 4294967296;
const RATE = 1 / 2.9;

function clock(): { at(cycles: number): number; pair(cycles: number, ns: number): void } {
  const stamps = new StampClock(0n);
  const halves = (cycles: number) => [cycles % TWO_32, Math.floor(cycles / TWO_32)] as const;
  return {
    at: (cycles) => stamps.fromCycles(...halves(cycles)),
    pair: (cycles, ns) => stamps.pair(...halves(cycles), ns),
  };
}

Deno.test("StampClock never lets a stamp pass another one, and follows the pairs", () => {
  for (let seed = 0; seed < 50; seed++) {
    const random = new Random(seed), stamps = clock();
    const begin = 12_345_678_901_234, trueNs = (cycles: number) => (cycles - begin) * RATE;
    const noisy = (cycles: number) => stamps.pair(cycles, trueNs(cycles) + random.int(-40, 40));
    noisy(begin);
    assert(Number.isNaN(stamps.at(begin + 5)));
    noisy(begin + 3e8);
    let lastNs = -Infinity;
    // Two threads: each takes pairs, and stamps some cycles behind the other.
    for (let cycles = begin + 3e8; cycles < begin + 9e9; cycles += random.int(5, 2e7)) {
      if (random.int(0, 4) === 0) noisy(cycles - random.int(0, 1e6));
      for (const more of [0, 1, 2 + random.int(0, 30)]) {
        const ns = stamps.at(cycles + more);
        assert(ns >= lastNs, `seed ${seed}: ${ns} after ${lastNs}`);
        assertAlmostEquals(ns, trueNs(cycles + more), 400, `seed ${seed}`);
        lastNs = ns;
      }
    }
  }
});

Deno.test("StampClock converts a stamp as before, when a pair came after it", () => {
  const stamps = clock();
  stamps.pair(1000, 0);
  stamps.pair(1000 + 3e8, 1e8);
  const before = stamps.at(4e8);
  stamps.pair(4.5e8, 1.5e8 + 200);
  assertEquals(stamps.at(4e8), before);
  // The difference is spread over a tenth of a second.
  assertAlmostEquals(stamps.at(9e8), 3e8 + 400 + 333, 1);
});

Deno.test("StampClock takes no pair of a client that has no cycles, nor an impossible one", () => {
  const stamps = clock();
  stamps.pair(0, 5);
  stamps.pair(1000, 0);
  stamps.pair(1000 + 3e8, 1e8);
  stamps.pair(1000 + 6e8, 1e15);
  stamps.pair(0, 3e8);
  assertAlmostEquals(stamps.at(1000 + 9e8), 3e8, 1);
});
