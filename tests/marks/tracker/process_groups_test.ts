/** Means of regions over the processes that belong together. */
import { assertEquals } from "@std/assert";
import { RegionTracker } from "../../../src/marks/tracker/tracker.ts";

/** Visits and time of each region, of processes that are in regions for a second each, all at once. */
function means(...processes: string[][]) {
  return meansAfter([], processes);
}

/** The same, with processes that start before the first step. */
function meansAfter(first: string[][], later: string[][]) {
  const processes = [...first, ...later];
  const tracker = new RegionTracker({ topology: { count: () => processes.length } });
  if (first.length === 0) {
    tracker.startCommand(0, 99, [0]);
    tracker.step(0);
  }
  processes.forEach((regions, i) => {
    const p = tracker.start(0, 100 + i, [i]);
    if (regions.length === 0 && i >= first.length) tracker.epoch(0.5, p, 1);
    regions.forEach((name, k) => {
      const region = tracker.region(k, p, name, 0);
      tracker.enter(k, p, region, -1, 0);
      tracker.exit(k + 1, p, region, 0);
    });
  });
  tracker.step(10);
  const regions = tracker.regions().map(({ name, count, runtimeS }) => [name, count, runtimeS]);
  const spread = tracker.processTimes(10).map(({ name, times }) => {
    return [name, times.filter(({ timeNs }) => timeNs === timeNs).map(({ pid }) => pid - 100)];
  });
  return { regions, spread: Object.fromEntries(spread) };
}

Deno.test("regions() means are over processes that share a region, directly or not", () => {
  // Ranks: one that never enters a region counts in its divisor, as in GEOPM.
  const ranks = means(["solve", "write"], ["solve"], ["solve", "read"], ["solve"]);
  assertEquals(ranks.regions, [["solve", 1, 1], ["write", 0.25, 0.25], ["read", 0.25, 0.25]]);
  assertEquals(ranks.spread.write, [0, 1, 2, 3]);
  // A chain is one group.
  assertEquals(means(["a", "b"], ["b", "c"], ["c"]).regions, [
    ["a", 1 / 3, 1 / 3],
    ["b", 2 / 3, 2 / 3],
    ["c", 2 / 3, 2 / 3],
  ]);
});

Deno.test("regions() of a process among helpers with other regions count as what they are", () => {
  const script = means(["phase 1", "phase 2"], ["pack"], ["pack"], ["check"]);
  assertEquals(script.regions, [
    ["phase 1", 1, 1],
    ["phase 2", 1, 1],
    ["pack", 1, 1],
    ["check", 1, 1],
  ]);
  assertEquals(script.spread, { "phase 1": [0], "phase 2": [0], pack: [1, 2], check: [3] });
});

Deno.test("regions() of processes with epochs alone count as in GEOPM", () => {
  assertEquals(means(["solve"], []).regions, [["solve", 0.5, 0.5]]);
});

Deno.test("regions() means are over all processes from the start, as in GEOPM", () => {
  const apart = meansAfter([["a"], ["b"], []], []);
  assertEquals(apart.regions, [["a", 1 / 3, 1 / 3], ["b", 1 / 3, 1 / 3]]);
  assertEquals(apart.spread, { a: [0, 1, 2], b: [0, 1, 2] });
});
