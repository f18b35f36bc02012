/** Times of a counter's updates out of the readings that saw them. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { findBoundaries, lengthsOf } from "../../../src/energy/attribution/clock.ts";
import { Random } from "../../../src/core/random.ts";

function readings(seconds: number, value: (t: number) => number) {
  const random = new Random(2), t: number[] = [];
  for (let k = 0; k * 0.005 < seconds; k++) t.push(0.005 * (k + random.uniform(0, 0.25)));
  return { t: Float64Array.from(t), v: Float64Array.from(t, value) };
}

Deno.test("updates that come by a clock have its times, whatever the samples' were", () => {
  const { t, v } = readings(60, (t) => Math.floor((t + 3 - 0.0123) / 0.1) * 7);
  const found = findBoundaries(t, v, 0)!;
  assert(found.isClocked);
  assertAlmostEquals(found.periodS, 0.1, 1e-6);
  for (let k = 0; k < found.count; k++) {
    const middle = found.yS[k] - found.aS[k] / 2, phase = (middle - 0.0123) / 0.1;
    assertAlmostEquals(phase, Math.round(phase), 0.01);
  }
});

Deno.test("a fast counter has a boundary at each reading, its period wide", () => {
  const { t, v } = readings(10, (t) => Math.floor(t / 0.001) * 0.15);
  const found = findBoundaries(t, v, 0.001)!;
  assert(!found.isClocked);
  assertEquals(found.periodS, 0.001);
  assertAlmostEquals(found.aS[100], 0.001, 1e-12);
});

Deno.test("a fast counter in large units has a boundary at each reading, with no growth in some", () => {
  const { t, v } = readings(10, (t) => Math.floor(100 * t));
  const found = findBoundaries(t, v, 0.001)!;
  assertEquals(found.count, t.length);
});

Deno.test("a fast counter that stands still has no boundary until it moves again", () => {
  const stands = (t: number) => t > 3 && t < 3.06;
  const { t, v } = readings(10, (t) => Math.floor((stands(t) ? 3 : t) / 0.001) * 0.15);
  const found = findBoundaries(t, v, 0.001)!;
  // The first of these readings shows what came before.
  const still = t.filter(stands).length - 1;
  assertEquals(found.count, t.length - still);
  assert(found.isWhole.every((is) => is === 1));
  assert(lengthsOf(found).some((s) => s > 0.06));
});

Deno.test("a slow counter keeps its updates' times where single readings are missing", () => {
  const { t, v } = readings(60, (t) => Math.floor((t + 3 - 0.0123) / 0.1) * 7);
  const random = new Random(5);
  for (let k = 1; k < v.length; k++) if (random.uniform(0, 1) < 0.05) v[k] = NaN;
  for (let k = 4000; k < 4100; k++) v[k] = NaN;
  const found = findBoundaries(t, v, 0)!;
  assertAlmostEquals(found.periodS, 0.1, 1e-4);
  for (let k = 0; k < found.count; k++) {
    const middle = found.yS[k] - found.aS[k] / 2, phase = (middle - 0.0123) / 0.1;
    assertAlmostEquals(phase, Math.round(phase), 0.02);
  }
  assertEquals(found.isWhole.length - found.isWhole.reduce((s, x) => s + x, 0), 1);
});

Deno.test("time stamps take the place of the samples' times", () => {
  const { t, v } = readings(20, (t) => Math.floor(t / 0.1) * 5);
  const stamps = t.map((x) => Math.floor(x / 0.1) * 0.1 - 40);
  const found = findBoundaries(t, v, 0.1, stamps)!;
  assertEquals(found.aS[5], 0);
  assertAlmostEquals(found.yS[10] - found.yS[9], 0.1, 1e-9);
});

Deno.test("falls, leaps and missing values break the row of intervals", () => {
  const { t, v } = readings(10, (t) => Math.floor(t / 0.001) * 0.15);
  v[500] = NaN;
  for (let k = 1000; k < v.length; k++) v[k] -= 100;
  for (let k = 1500; k < v.length; k++) v[k] += 1e6;
  const found = findBoundaries(t, v, 0.001)!;
  assertEquals(found.isWhole.length - found.isWhole.reduce((s, x) => s + x, 0), 3);
  assertEquals(findBoundaries(t, v.map(() => 5), 0.001), undefined);
});
