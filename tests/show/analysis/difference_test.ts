/** The test behind `compare`: its distribution, its power, and its answer to few and equal values. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { difference, eitherWayP, holm } from "../../../src/show/analysis/difference.ts";
import { studentQuantile, studentShare } from "../../../src/show/analysis/student.ts";
import { Random } from "../../../src/core/random.ts";
import { alarmShare, powerTable } from "../../_support/compare_power.ts";

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

Deno.test("difference() is Student's test over the logarithms of the runs", () => {
  const [a, b] = [[10, 11, 12, 13, 14], [20, 21, 22, 23, 25]];
  const { change, low, high } = difference(a, b);
  const mean = (values: number[]) => values.reduce((sum, v) => sum + Math.log(v) / 5, 0);
  assertAlmostEquals(change, Math.exp(mean(b) - mean(a)) - 1, 1e-12);
  assert(low < change && change < high && low > 0.4 && high < 1.5, `${low} ${high}`);
  // The other way round the interval is that of the other ratio.
  const back = difference(b, a);
  assertAlmostEquals((1 + back.low) * (1 + high), 1, 1e-12);
  assert(difference(a, b).p < 1e-4);
  assert(back.p > 0.9999);
  // The allowed increase is the null hypothesis: a change is not above itself.
  assertAlmostEquals(difference(a, b, { maxIncrease: change }).p, 0.5, 1e-9);
});

Deno.test("difference() has an interval above -100 %, and one level for interval and p", () => {
  const { change, low, high } = difference([1, 8, 30], [0.1, 0.3, 0.2]);
  // R: t.test(log(b), log(a), var.equal = TRUE, conf.level = 0.985)
  assertAlmostEquals(change, -0.970761, 1e-5);
  assert(low > -1 && low < -0.999 && high > 0 && high < 2, `${low} ${high}`);
  for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
    const random = new Random(seed);
    const set = (mean: number) => Array.from({ length: 4 }, () => mean * (1 + random.normal() / 9));
    const found = difference(set(1), set(1.3), { level: 0.9 });
    assertEquals(found.low > 0, found.p < 0.05, `${seed}`);
  }
});

Deno.test("difference() of a value that is not above 0 is not known", () => {
  for (const value of [0, -1, NaN]) {
    const { change, low, p } = difference([1, 2, value], [1, 2, 3]);
    assert([change, low, p].every(Number.isNaN), `${value}`);
  }
});

Deno.test("difference() by Welch's test is wider where one set varies more", () => {
  const [a, b] = [[1, 1.01, 0.99], [1, 1.4, 0.8]];
  const width = (welch: boolean) => {
    const { low, high } = difference(a, b, { welch });
    return high - low;
  };
  assert(width(true) > width(false));
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
  assert(few.detectable > 0.019 && few.detectable < 0.021, String(few.detectable));
  assertEquals(difference(few.detectableRuns, few.detectableRuns).neededRuns, 3);
  const single = difference([100], [103]);
  assert([single.p, single.low, single.noise, single.detectable].every(Number.isNaN));
  assertAlmostEquals(single.change, 0.03, 1e-12);
});

Deno.test("eitherWayP() of two sizes is Welch's", () => {
  // scipy.stats.ttest_ind(..., equal_var=False)
  const [a, b] = [[1, 2, 3, 4, 5], [10, 30, 20]].map((list) => list.map(Math.exp));
  assertAlmostEquals(eitherWayP(difference(a, b)), 0.09643676553672981, 1e-9);
  assertEquals(eitherWayP(difference([1, 2, 3], [1, 2, 3])), 1);
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

Deno.test("difference() knows how many runs find a change", () => {
  // scipy.stats.nct: 6.086539 and 4.607160 standard errors at 3 and 5 runs of a set.
  const three = difference([1, 1.1, 1.2], [1, 1.1, 1.2]);
  assertAlmostEquals(
    Math.log1p(three.detectable) / (three.noise * Math.sqrt(2 / 3)),
    6.086539203845231,
    1e-5,
  );
  const five = difference([1, 1.1, 1.2, 1, 1.1], [1, 1.1, 1.2, 1, 1.1]);
  assertAlmostEquals(
    Math.log1p(five.detectable) / (five.noise * Math.sqrt(2 / 5)),
    4.607160405147393,
    1e-5,
  );
  const { neededRuns, noise } = three;
  const found = alarmShare({ noise, increase: 0.05, pairs: 2000, seed: 4, runs: neededRuns });
  assert(found > 0.87 && found < 0.94, `${neededRuns}: ${found}`);
});

Deno.test("the detectable increase is found in about nine of ten cases", () => {
  const noise = 0.02;
  const set = [0.98, 1, 1, 1, 1.02];
  const found = difference(set, set);
  const increase = found.detectable * noise / found.noise;
  const share = alarmShare({ noise, increase, pairs: 2000, seed: 4 });
  assert(share > 0.85 && share < 0.95, `${increase}: ${100 * share} %`);
});

Deno.test("docs/how-to/compare.md has the table that the simulation gives", () => {
  const page = Deno.readTextFileSync(new URL("../../../docs/how-to/compare.md", import.meta.url));
  assert(page.includes(powerTable()), `expected in docs/how-to/compare.md:\n${powerTable()}`);
});
