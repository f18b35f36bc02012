/** The figures of M. Bareford (2015) come back: compilers, restart dumps, the threads' sweet spot. */
import { assert, assertEquals } from "@std/assert";
import { compareRuns } from "../../../src/show/analysis/compare_runs.ts";
import { groupOutliers } from "../../../src/show/analysis/outlier_groups.ts";
import { runOf, valuesOf } from "../../../src/show/analysis/runs.ts";
import { parseSweepTable, sweepOf, type SweepPoint } from "../../../src/show/analysis/sweep.ts";
import { summaryView, sweepView } from "../../../src/show/analysis/views.ts";
import { parsePmc, stringifyPmc } from "../../../src/formats/pmc/pmc.ts";
import { COMPILERS, drawRun, EVERY, STEPS, TABLE_3 } from "./_paper.ts";

const RUNS = 6;

const groups = Object.entries(COMPILERS).map(([name, drawn], k) => ({
  name,
  runs: Array.from({ length: RUNS }, (_, i) => {
    // By way of the file, so that the format is part of the test.
    const text = stringifyPmc(drawRun(drawn, 1000 * (k + 1) + i));
    return runOf(parsePmc(text), `${name}-${i + 1}`);
  }),
}));

/** Within two standard errors. */
function near(value: number, expected: number, error: number, what: string): void {
  assert(Math.abs(value - expected) <= 2 * error, `${what}: ${value}, ${expected} ± ${error}`);
}

Deno.test("compareRuns() gives the paper's means, deviations and factors back", () => {
  const summaries = compareRuns(groups);
  for (const summary of summaries) {
    const drawn = COMPILERS[summary.name];
    const { energyJ, runtimeS, outliers } = summary;
    const root = Math.sqrt(RUNS);
    const ofDeviation = Math.sqrt(2 * (RUNS - 1));
    const [energy, deviation] = [drawn.energyMJ * 1e6, drawn.deviationMJ * 1e6];
    near(energyJ.mean, energy, deviation / root, `${summary.name} energy`);
    near(energyJ.deviation, deviation, deviation / ofDeviation, `${summary.name} deviation`);
    near(runtimeS.mean, drawn.runtimeS, drawn.deviationS / root, `${summary.name} runtime`);
    const dumps = STEPS / EVERY;
    assertEquals(outliers.count, dumps);
    // As cheap as the others: one mean step in place of each dump.
    const likeJ = energyJ.mean - outliers.energyJ * (1 - 1 / outliers.factor);
    near(summary.likeJ.mean, likeJ, 1e-3 * likeJ, `${summary.name} without dumps`);
    const factor = summary.name === "intel" ? 95 : drawn.factor;
    const error = drawn.factor * drawn.spread / Math.sqrt(dumps * RUNS);
    near(outliers.factor, factor, error, `${summary.name} factor`);
    if (summary.name === "intel") {
      const perRun = 0.18e6 * drawn.spread / Math.sqrt(dumps);
      near(outliers.energyJ, 0.18e6, perRun / root, "intel's dumps");
    }
  }
  const [cray, intel, gnu] = summaries.map((summary) => summary.energyJ.mean);
  near(cray / intel, 0.97, 0.005, "cray over intel");
  near(cray / gnu, 0.96, 0.006, "cray over gnu");
  assertEquals(summaries.map((s) => s.ratio === 1), [true, false, false]);
});

Deno.test("groupOutliers() finds the restart dumps, every thousandth step", () => {
  for (const { runs } of groups) {
    for (const run of runs) {
      const grouped = groupOutliers(valuesOf(run, "energy"), run.steps.map((s) => s.step));
      assertEquals(grouped.groups.map((g) => [g.count, g.every]), [[STEPS / EVERY, EVERY]]);
      assertEquals(grouped.body.count, STEPS - STEPS / EVERY);
    }
  }
});

Deno.test("sweepOf() of Table 3 as printed has its sweet spot at 3 threads", () => {
  const sweep = sweepOf(parseSweepTable(TABLE_3, "table3"));
  assertEquals(sweep.points.map((p) => p.value), [1, 2, 3, 4, 6, 8, 12]);
  assertEquals(sweep.leastEnergy?.value, 3);
  assertEquals(sweep.leastEnergy?.energyJ, 45.052e6);
  assertEquals(sweep.leastTime?.value, 3);
  assertEquals(sweep.front.map((p) => p.value), [3]);
});

Deno.test("sweepOf() names points that noise alone may put behind the sweet spot", () => {
  const point = (value: number, energyJ: number, energyDeviationJ: number, runs = 4) => ({
    label: `T=${value}`,
    value,
    energyJ,
    energyDeviationJ,
    runtimeS: 1,
    runtimeDeviationS: 0,
    runs,
  });
  const alike = (...points: SweepPoint[]) => sweepOf(points).alike.map(({ value }) => value);
  // Two standard errors of the difference are 2.8 J.
  assertEquals(alike(point(1, 100, 2), point(2, 102.7, 2), point(3, 102.9, 2)), [2]);
  assertEquals(alike(point(1, 100, 2), point(2, 101, 0, 1)), []);
  assertEquals(alike(point(1, 100, NaN), point(2, 101, 2), point(3, NaN, 2)), []);
});

Deno.test("sweepOf() takes no point without energy for the sweet spot", () => {
  const point = (value: number, energyJ: number, runtimeS: number) => ({
    label: `T=${value}`,
    value,
    energyJ,
    energyDeviationJ: NaN,
    runtimeS,
    runtimeDeviationS: NaN,
    runs: 1,
  });
  const some = sweepOf([point(1, NaN, 1), point(2, 50, 3), point(3, 40, 4)]);
  assertEquals([some.leastEnergy?.value, some.leastProduct?.value], [3, 2]);
  assertEquals([some.leastTime?.value, some.front.map((p) => p.value)], [1, [2, 3]]);
  const none = sweepOf([point(1, NaN, 2), point(2, NaN, 1)]);
  assertEquals([none.leastEnergy, none.leastTime?.value, none.front], [undefined, 2, []]);
});

Deno.test("a sweep with one run per setting says that its error is not known", () => {
  const single = sweepOf(parseSweepTable(TABLE_3, "table3"));
  const notes = ({ points }: { points: readonly SweepPoint[] }) => {
    return sweepView(sweepOf(points)).notes.filter((note) => note.startsWith("one run per"));
  };
  assertEquals(notes(single).length, 1);
  assertEquals(notes({ points: single.points.map((p) => Object.assign({}, p, { runs: 3 })) }), []);
});

Deno.test("the table of steps explains its columns", () => {
  const { notes } = summaryView(groups[0].runs.slice(0, 1));
  assertEquals(notes.slice(-2).map((note) => note.split(":")[0]), ["factor", "every"]);
});
