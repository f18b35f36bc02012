/** Statistics, histograms, pictures and tables; CrayPat's summary. */
import { assert, assertAlmostEquals, assertEquals, assertStringIncludes } from "@std/assert";
import { craypatSummary } from "../../src/analysis/craypat.ts";
import { cumulative, fitNormal, histogram } from "../../src/analysis/histogram.ts";
import { groupByName } from "../../src/analysis/compare_runs.ts";
import { groupOutliers } from "../../src/analysis/outlier_groups.ts";
import { svg } from "../../src/analysis/picture.ts";
import { withDeviation } from "../../src/analysis/quantity_text.ts";
import { type Run, runOf } from "../../src/analysis/runs.ts";
import { normalShare, summarize } from "../../src/analysis/statistics.ts";
import { sweepOf } from "../../src/analysis/sweep.ts";
import { tableCsv, tableText } from "../../src/analysis/table.ts";
import type { PmcRecord } from "../../src/formats/pmc/pmc.ts";
import { Random } from "../session/_random.ts";
import { normal } from "./_paper.ts";

Deno.test("summarize() is exact for few, and NaN for none", () => {
  const { mean, deviation, median, sum } = summarize([4, 1, 3, 2]);
  assertEquals([mean, deviation, median, sum], [2.5, Math.sqrt(5 / 3), 2.5, 10]);
  assertEquals(summarize([]).mean, NaN);
  assertEquals(summarize([7]).deviation, 0);
});

Deno.test("fitNormal() recovers a normal distribution and doubts another", () => {
  const random = new Random(4);
  const values = Float64Array.from({ length: 20000 }, () => 300 + 7 * normal(random));
  const fit = fitNormal(values, normalShare);
  assertAlmostEquals(fit.mean, 300, 0.15);
  assertAlmostEquals(fit.deviation, 7, 0.1);
  assert(fit.distance < 0.015, String(fit.distance));
  const two = Float64Array.from(values, (v, i) => i % 2 ? v : v + 100);
  assert(fitNormal(two, normalShare).distance > 0.15);
  assertAlmostEquals(normalShare(1.96, 0, 1), 0.975, 1e-4);
});

Deno.test("histogram() and cumulative() keep every value", () => {
  const random = new Random(9);
  for (const n of [1, 2, 3, 100, 5000]) {
    const values = Float64Array.from({ length: n }, () => Math.floor(random.next() * 50));
    const { counts } = histogram(values);
    assertEquals(counts.reduce((a, b) => a + b, 0), n);
    const { shares, values: at } = cumulative(values);
    assertEquals(shares.at(-1), 1);
    assertEquals(at.at(-1), Math.max(...values));
  }
  assertEquals(histogram(new Float64Array([5, 5])).counts, new Float64Array([2]));
  assertEquals(histogram(new Float64Array()).counts, new Float64Array([0]));
});

Deno.test("groupOutliers() leaves the quanta of short steps in the body", () => {
  // Steps of 30 ms between counters of ten a second: nothing, nothing, one quantum.
  const values = Float64Array.from({ length: 300 }, (_, i) => i % 3 === 0 ? 30 : 0);
  assertEquals(groupOutliers(values).groups, []);
  const steps = Float64Array.from({ length: 100 }, (_, i) => i % 10 === 9 ? 250 : 95 + i % 7);
  const [group, ...others] = groupOutliers(steps).groups;
  assertEquals([group.count, group.every, others.length], [10, 10, 0]);
});

const LINE: PmcRecord = { timeS: 0, step: -1, substep: 1, powerW: 300, energyJ: 0 };

Deno.test("runOf() takes a record before and after a barrier as one step", () => {
  const records = [
    LINE,
    { ...LINE, timeS: 1, step: 1, energyJ: 10 },
    { ...LINE, timeS: 1.1, step: 1, energyJ: 11 },
    { ...LINE, timeS: 2, step: 2, energyJ: 20 },
    { ...LINE, timeS: 2.5, step: 3, energyJ: 25 },
  ];
  const run = runOf({ version: "4.3", form: "text", records }, "r");
  assertEquals(run.steps.map((s) => [s.step, s.energyJ]), [[1, 11], [2, 9]]);
  assertEquals([run.energyJ, run.runtimeS], [25, 2.5]);
  assertEquals(runOf({ version: "4.3", form: "text", records: [] }, "r").steps, []);
});

Deno.test("groupByName() groups names that differ in a number at the end", () => {
  const names = (list: string[]) =>
    groupByName(list.map((name) => ({ name } as Run))).map((g) => `${g.name}: ${g.runs.length}`);
  assertEquals(names(["cray-1", "cray-2", "gnu_run1", "gnu_run2"]), ["cray: 2", "gnu: 2"]);
  assertEquals(names(["a1", "b1"]), ["a1: 1", "b1: 1"]);
});

Deno.test("craypatSummary() means energies and takes the maximum of powers", () => {
  const node = (powers: number[], energies: number[]) =>
    powers.map((powerW, i): PmcRecord => ({ ...LINE, powerW, energyJ: energies[i] }));
  const nodes = [node([280, 286, 270], [100, 400, 900]), node([200, 210, 205], [50, 60, 650])];
  assertEquals(craypatSummary(nodes).map((c) => [c.name, c.value, c.aggregation]), [
    ["PM_POWER:NODE", 286, "max"],
    ["PM_ENERGY:NODE", 700, "mean"],
  ]);
  const asked = new Map([["PM_ENERGY:NODE", "sum"], ["PM_POWER:NODE", "min"]] as const);
  assertEquals(craypatSummary(nodes, asked).map((c) => c.value), [210, 1400]);
});

Deno.test("sweepOf() names the front when fast and sparing differ", () => {
  const point = (value: number, energyJ: number, runtimeS: number) => ({
    ...{ label: String(value), value, energyJ, runtimeS },
    ...{ energyDeviationJ: 0, runtimeDeviationS: 0, runs: 1 },
  });
  const sweep = sweepOf([point(3, 100, 30), point(1, 120, 10), point(2, 130, 20)]);
  assertEquals(sweep.points.map((p) => p.value), [1, 2, 3]);
  assertEquals([sweep.leastEnergy.value, sweep.leastTime.value], [3, 1]);
  assertEquals(sweep.front.map((p) => p.value), [1, 3]);
});

Deno.test("tables and pictures hold hostile names", () => {
  const table = {
    title: "T",
    columns: [{ name: "name" }, { name: "x", unit: "J" }, { name: "y", detail: true }],
    rows: [['a,"b"\n', NaN, 1], ["c", 1234567.89, 2]],
  };
  assertEquals(tableCsv(table), 'name,x (J),y\n"a,""b""\n",,1\nc,1234567.89,2\n');
  assertStringIncludes(tableText(table), "1234600");
  const picture = svg([{
    title: "<a&b>",
    xTitle: "x",
    yTitle: "y",
    series: [{ name: '"q"', kind: "points", x: [1, NaN], y: [2, 3], labels: ["<", ">"] }],
  }]);
  assert(!picture.includes("<a&b>"));
  assert(!/NaN/.test(svg([{ title: "", xTitle: "", yTitle: "", series: [] }])));
});

Deno.test("withDeviation() shows as many digits as the deviation allows", () => {
  assertEquals(withDeviation(1.92e6, 0.02e6, "J"), "1.920 ± 0.020 MJ");
  assertEquals(withDeviation(1748, 2.6, "s"), "1748.0 ± 2.6 s");
  assertEquals(withDeviation(45.052e6, 0, "J"), "45.05 MJ");
});
