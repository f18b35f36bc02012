import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import {
  makeCounterRest,
  makeIntegral,
  makeRatio,
  makeRest,
} from "../../../src/sources/signals/_formulas.ts";
import { makeSlope } from "../../../src/sources/signals/_formulas.ts";
import vectors from "../../vectors/geopm/rate.json" with { type: "json" };

for (const v of vectors.cases) {
  Deno.test(`power of "${v.name}" is the slope that GEOPM gives`, () => {
    const input = new Float64Array(1);
    const out = new Float64Array(1);
    const run = makeSlope(input, out);
    v.time.forEach((timeS, i) => {
      input[0] = v.signal[i];
      run(timeS);
      const expected = v.expect[i];
      if (typeof expected === "string") assert(Number.isNaN(out[0]), `step ${i}`);
      else assertAlmostEquals(out[0], expected, 1e-9 * Math.max(1, Math.abs(expected)));
    });
  });
}

Deno.test("makeSlope() keeps a NaN for eight readings", () => {
  const input = new Float64Array(1);
  const out = new Float64Array(1);
  const run = makeSlope(input, out);
  const seen: boolean[] = [];
  for (let i = 0; i < 20; i++) {
    input[0] = i === 10 ? NaN : i;
    run(i);
    seen.push(Number.isNaN(out[0]));
  }
  assertEquals(seen.flatMap((nan, i) => nan ? [i] : []), [0, 10, 11, 12, 13, 14, 15, 16, 17]);
});

Deno.test("makeSlope() takes one reading of each update of a counter that is slower than the samples", () => {
  const input = new Float64Array(2);
  const out = new Float64Array(2);
  const run = makeSlope(input, out, 0.1);
  for (let i = 0; i < 400; i++) {
    const timeS = 0.005 * i;
    // Two counters that are updated at other times, ten times a second: 300 W and none.
    input[0] = 30 * Math.floor(timeS / 0.1 + 1e-9);
    input[1] = timeS < 0.05 ? 0 : 7;
    run(timeS);
    if (timeS > 0.3) assertAlmostEquals(out[0], 300, 1e-6);
    if (timeS > 1.9) assertAlmostEquals(out[1], 0, 1e-6);
  }
});

Deno.test("makeIntegral() bridges a short gap, and steps back after a long one: that energy is lost", () => {
  const input = new Float64Array(1);
  const out = new Float64Array(1);
  const run = makeIntegral(input, out);
  const at = (timeS: number, watts: number) => {
    input[0] = watts;
    run(timeS);
    return out[0];
  };
  assertEquals(at(0, 100), 0);
  assertEquals(at(1, 200), 150);
  assert(Number.isNaN(at(1.5, NaN)));
  assertEquals(at(2, 200), 350);
  for (let t = 2.5; t < 10; t += 0.5) at(t, NaN);
  const after = at(10, 200);
  assert(after < 350);
  assertAlmostEquals(after, 350, 1e-5);
  assertAlmostEquals(at(11, 200), after + 200, 1e-9);
  // Readings that are rare as the ticks are leave no gap.
  assertAlmostEquals(at(16, 200), after + 1200, 1e-9);
});

Deno.test("makeRatio() keeps the last value of a CPU that slept", () => {
  const [a, m, base, out] = [[0], [0], [1e9], [0]].map((v) => Float64Array.from(v));
  const run = makeRatio([a, m, base], out);
  run(0);
  assert(Number.isNaN(out[0]));
  a[0] = 300;
  m[0] = 200;
  run(1);
  assertEquals(out[0], 1.5e9);
  run(2);
  assertEquals(out[0], 1.5e9);
  m[0] = NaN;
  run(3);
  assert(Number.isNaN(out[0]));
});

Deno.test("makeRest() takes parts away and is unknown when one is", () => {
  const [whole, cpu, gpu, out] = [[500], [100, 50], [200], [0]].map((v) => Float64Array.from(v));
  makeRest([whole, cpu, gpu], out)(0);
  assertEquals(out[0], 150);
  const run = makeCounterRest([whole, cpu, gpu], out);
  run(0);
  assertEquals(out[0], 0);
  whole[0] = 600;
  cpu[1] = 80;
  run(1);
  assertEquals(out[0], 70);
  gpu[0] = NaN;
  run(2);
  assert(Number.isNaN(out[0]));
});
