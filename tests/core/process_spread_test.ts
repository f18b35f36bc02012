/** Times of regions over processes: figures, buckets, there and back. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import {
  bucketMiddleS,
  processSpread,
  spreadQuantileS,
  spreadsFromNested,
  spreadsToNested,
  timeBucket,
} from "../../src/core/process_spread.ts";

const TIMES = [2, 3, 3.5, 4, 0].map((s, pid) => ({ pid, timeNs: s * 1e9 }));

Deno.test("processSpread() names the extremes, and a process that was never there has no time", () => {
  const spread = processSpread("solve", TIMES, (pid) => `rank ${pid}`);
  assertEquals([spread.processes, spread.least, spread.most], [5, "rank 4", "rank 3"]);
  assertAlmostEquals(spread.meanS, 2.5, 1e-12);
  assertAlmostEquals(spread.deviationS, Math.sqrt((0.25 + 0.25 + 1 + 2.25 + 6.25) / 4), 1e-12);
  assertEquals([spread.leastS, spread.mostS], [0, 4]);
  assertAlmostEquals(spreadQuantileS(spread, 0.5), 3, 0.03);
  assertEquals([spreadQuantileS(spread, 0), spreadQuantileS(spread, 1)], [0, 4]);
});

Deno.test("timeBucket() is within 1 % of its value", () => {
  for (const seconds of [1e-9, 3.3e-6, 0.02, 1, 86_400]) {
    assert(Math.abs(bucketMiddleS(timeBucket(seconds)) / seconds - 1) < 0.0101, String(seconds));
  }
  assertEquals([timeBucket(0), bucketMiddleS(timeBucket(0))], [-1, 0]);
});

Deno.test("spreadsFromNested() reads what spreadsToNested() made, and leaves out what is none", () => {
  const spread = processSpread("a: b", TIMES, (pid) => `process ${pid}`);
  assertEquals(spreadsFromNested(spreadsToNested([spread])), [{
    ...spread,
    deviationS: Number(spread.deviationS.toPrecision(7)),
    buckets: new Map([...spread.buckets].sort(([a], [b]) => a - b)),
  }]);
  assertEquals(spreadsFromNested("text"), []);
  assertEquals(spreadsFromNested([1, { region: "x" }, { region: "x", processes: -1 }]), []);
});
