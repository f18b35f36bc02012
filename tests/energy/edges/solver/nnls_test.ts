/** Least squares without negative powers, and what cannot be told apart. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { Cholesky } from "../../../../src/aggregate/attribution/solver/cholesky.ts";
import { mixingCondition } from "../../../../src/aggregate/attribution/solver/condition.ts";
import { triangle } from "../../../../src/aggregate/attribution/solver/triangle.ts";
import { nonNegative, rowTimes } from "../../../../src/aggregate/attribution/solver/nnls.ts";
import { Random } from "../../../../src/sources/sim/random.ts";
import { testSeed } from "../_seed.ts";

/** Normal equations of rows. */
function systemOf(rows: readonly number[][], y: readonly number[]) {
  const classes = rows[0].length;
  const a = new Float64Array(triangle(classes));
  const c = new Float64Array(classes);
  let q = 0;
  rows.forEach((z, k) => {
    for (let i = 0; i < classes; i++) {
      c[i] += z[i] * y[k];
      for (let j = 0; j <= i; j++) a[triangle(i) + j] += z[i] * z[j];
    }
    q += y[k] * y[k];
  });
  // No row is noisy: every class is known.
  return { a, c, q, classes, rows: Infinity };
}

Deno.test("nonNegative() meets the conditions of the best solution on any rows", () => {
  const random = new Random(testSeed("nnls"));
  for (let round = 0; round < 60; round++) {
    const classes = 1 + random.below(round < 50 ? 12 : 60);
    const truth = Array.from({ length: classes }, () => random.uniform(-60, 200));
    const rows = Array.from({ length: 4 * classes + 8 }, () => truth.map(() => random.uniform()));
    const y = rows.map((z) => z.reduce((sum, v, i) => sum + v * truth[i], 0) + random.normal());
    const system = systemOf(rows, y);
    const { power, rss } = nonNegative(system);
    let sum = 0;
    for (let i = 0; i < classes; i++) {
      assert(power[i] >= 0);
      const gradient = system.c[i] - rowTimes(system.a, i, power);
      const scale = Math.sqrt(system.a[triangle(i) + i] * system.q);
      // Karush, Kuhn, Tucker: no gradient where there is power, none that wants more where not.
      assert(gradient / scale < 1e-7, `${round}: ${i} ${gradient / scale}`);
      if (power[i] > 0) assert(gradient / scale > -1e-7, `${round}: ${i} ${gradient / scale}`);
    }
    rows.forEach((z, k) => sum += (y[k] - z.reduce((s, v, i) => s + v * power[i], 0)) ** 2);
    assertAlmostEquals(rss / sum, 1, 1e-6);
  }
});

Deno.test("nonNegative() leaves out a class that the rows say nothing of, and no other", () => {
  const random = new Random(testSeed("leak"));
  const rows = Array.from({ length: 200 }, (_, k) => [1, random.uniform(), 1e-9 * 0.5 ** k]);
  const y = rows.map(([, z]) => 100 + 50 * z + random.normal());
  const { power, seen } = nonNegative({ ...systemOf(rows, y), rows: rows.length });
  assertEquals([...seen], [1, 1, 0]);
  assertEquals(power[2], 0);
  assertAlmostEquals(power[0], 100, 1);
});

Deno.test("Cholesky names all classes that are always in one mix, and only those", () => {
  const random = new Random(testSeed("mix"));
  const rows = Array.from({ length: 50 }, () => {
    const [a, b, c] = [random.uniform(), random.uniform(), random.uniform()];
    return [a, b, 2 * b, c, 0.5 * c];
  });
  const { a } = systemOf(rows, rows.map(() => 1));
  const { inseparable, members } = new Cholesky(a, [0, 1, 2, 3, 4]);
  assertEquals([...inseparable].sort(), [1, 2, 3, 4]);
  assertEquals(members, [0, 1, 3]);
});

Deno.test("mixingCondition() is 1 without mixing, grows with it, and Infinity for one mix", () => {
  const d = Float64Array.from([2, 0, 4]);
  const m = new Float64Array(9);
  m[0] = 2;
  m[8] = 4;
  assertEquals(mixingCondition(m, 3, d), 1);
  m.set([1.5, 0, 1, 0, 0, 0, 0.5, 0, 3]);
  const some = mixingCondition(m, 3, d);
  assert(some > 1 && some < 10);
  m.set([1, 0, 2, 0, 0, 0, 1, 0, 2]);
  assertEquals(mixingCondition(m, 3, d), Infinity);
});
