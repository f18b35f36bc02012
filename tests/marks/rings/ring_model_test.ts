/** The ring protocol in every interleaving: what is true of it, and that seeded mistakes are found. */
import { assert, assertEquals } from "@std/assert";
import { explorePaths, PATH_MISTAKES } from "./model/paths.ts";
import { exploreRing, RING_MISTAKES, type RingMistake, type RingScene } from "./model/ring.ts";

const ONE_EACH: RingScene = { visits: [1, 1], tids: [1, 2] };
const SAME_NUMBER: RingScene = { visits: [1, 1], tids: [7, 7] };
const TWO_AND_ONE: RingScene = { visits: [2, 1], tids: [1, 2] };

for (const scene of [ONE_EACH, SAME_NUMBER, TWO_AND_ONE, { ...ONE_EACH, neverFrees: true }]) {
  Deno.test(`every visit is emitted once or folded once: ${JSON.stringify(scene)}`, () => {
    const { states, wrong, steps } = exploreRing(scene);
    assertEquals(wrong, undefined, steps.slice(-60).join("\n"));
    console.log(`${states} states`);
    assert(states > 10_000);
  });
}

/** Where a mistake shows that the smallest scene does not have. */
const SCENES: { [mistake in RingMistake]?: RingScene } = {
  "visits before their time": TWO_AND_ONE,
  "end believed at once": SAME_NUMBER,
  "heir's entry not looked at": SAME_NUMBER,
};

for (const mistake of RING_MISTAKES) {
  Deno.test(`the model finds a seeded mistake: ${mistake}`, () => {
    const { wrong, steps } = exploreRing(SCENES[mistake] ?? ONE_EACH, mistake);
    assert(wrong !== undefined && steps.length > 0);
  });
}

Deno.test("a visit that is folded by path is emitted with its time, and the time around it", () => {
  const { states, wrong, steps } = explorePaths();
  assertEquals(wrong, undefined, steps.slice(-60).join("\n"));
  console.log(`${states} states`);
  assert(states > 10_000);
});

for (const mistake of PATH_MISTAKES) {
  Deno.test(`the model of paths finds a seeded mistake: ${mistake}`, () => {
    const { wrong, steps } = explorePaths(mistake);
    assert(wrong !== undefined && steps.length > 0);
  });
}
