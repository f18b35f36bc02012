/** The test behind `compare`: its distribution, its power, and its answer to few and equal values. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { difference, eitherWayP, holm } from "../../src/analysis/difference.ts";
import { studentQuantile, studentShare } from "../../src/analysis/student.ts";
import { alarmShare, powerTable } from "../_support/compare_power.ts";

Deno.test("Student's distribution is that of the tables", () => {
  // R's pt() and qt(), scipy's t.cdf().
  assertAlmostEquals(studentShare(2, 5), 0.949030260585071, 1e-12);
  assertAlmostEquals(studentShare(-3.5, 2.7), 0.023262802460970664, 1e-12);
  assertAlmostEquals(studentQuantile(0.975, 10), 2.228138851964939, 1e-9);
  assertAlmostEquals(studentQuantile(0.99, 8), 2.896459446, 1e-8);
  assertAlmostEquals(studentQuantile(0.1, 1), -3.077683537175253, 1e-9);
  assertEquals([studentShare(Infinity, 3), studentShare(-Infinity, 3)], [1, 0]);
  assert(Number.isNaN(studentShare(1, 0)));
});

Deno.test("difference() is Student's test over the runs", () => {
  const [a, b] = [[10, 11, 12, 13, 14], [20, 21, 22, 23, 25]];
  const { change, low, high } = difference(a, b);
  assertAlmostEquals(change, 0.85, 1e-12);
  assert(low < change && change < high && low > 0.5 && high < 1.2, `${low} ${high}`);
  assert(difference(a, b).p < 1e-4);
  assert(difference(b, a).p > 0.9999);
  // The allowed increase is the null hypothesis: 0.85 is not above 0.85.
  assertAlmostEquals(difference(a, b, 0.85).p, 0.5, 1e-9);
});

Deno.test("difference() of equal values is none, and of a step without noise an alarm", () => {
  assertEquals(difference([5, 5, 5], [5, 5, 5]).p, 0.5);
  assertEquals(difference([5, 5, 5], [6, 6, 6]).p, 0);
  assertEquals(difference([6, 6, 6], [5, 5, 5]).p, 1);
});

Deno.test("difference() of few runs has no p but what five runs would find", () => {
  const few = difference([100, 101], [103, 104]);
  assert(Number.isNaN(few.p));
  assertEquals(few.detectableRuns, [5, 5]);
  assertAlmostEquals(few.noise, 0.00693, 1e-4);
  assert(few.detectable > 0.019 && few.detectable < 0.0205, String(few.detectable));
  const single = difference([100], [103]);
  assert([single.p, single.low, single.noise, single.detectable].every(Number.isNaN));
  assertAlmostEquals(single.change, 0.03, 1e-12);
});

Deno.test("eitherWayP() of two sizes is Welch's", () => {
  // scipy.stats.ttest_ind(..., equal_var=False)
  assertAlmostEquals(eitherWayP([1, 2, 3, 4, 5], [10, 30, 20]), 0.09643676553672981, 1e-12);
  assertEquals(eitherWayP([1, 2, 3], [1, 2, 3]), 1);
});

Deno.test("holm() corrects upwards, keeps the order, and leaves out what is not known", () => {
  assertEquals(holm([0.01, NaN, 0.04, 0.03, 0.005]), [0.03, NaN, 0.06, 0.06, 0.02]);
  assertEquals(holm([]), []);
});

Deno.test("of 2,000 pairs of 5 and 5 runs without a difference at most 1 % alarm", () => {
  const share = alarmShare({ noise: 0.01, increase: 0, pairs: 2000, seed: 1 });
  assert(share <= 0.01, `${100 * share} %`);
  // Noise of another shape: seldom a run that takes longer, or sets that vary differently.
  for (const shape of ["skewed", "uneven"] as const) {
    const other = alarmShare({ noise: 0.01, increase: 0, pairs: 2000, seed: 2, shape });
    assert(other <= 0.012, `${shape}: ${100 * other} %`);
  }
});

Deno.test("an increase of 3 % is found in 90 % of pairs of 5 and 5 runs that vary by 1 %", () => {
  const share = alarmShare({ noise: 0.01, increase: 0.03, pairs: 2000, seed: 3 });
  assert(share >= 0.9, `${100 * share} %`);
});

Deno.test("the detectable increase is found in about nine of ten cases", () => {
  const noise = 0.02;
  const set = [0.98, 1, 1, 1, 1.02];
  const found = difference(set, set);
  const increase = found.detectable * noise / found.noise;
  const share = alarmShare({ noise, increase, pairs: 2000, seed: 4 });
  assert(share > 0.85 && share < 0.95, `${increase}: ${100 * share} %`);
});

Deno.test("docs/compare.md has the table that the simulation gives", () => {
  const page = Deno.readTextFileSync(new URL("../../docs/compare.md", import.meta.url));
  assert(page.includes(powerTable()), `expected in docs/compare.md:\n${powerTable()}`);
});
