/** Statistics, histograms, pictures and tables; CrayPat's summary. */
import { assert, assertAlmostEquals, assertEquals, assertStringIncludes } from "@std/assert";
import { peaksOf } from "../../../src/show/analysis/peaks.ts";
import type { Report, ReportHost } from "../../../src/core/report.ts";
import { craypatSummary, pmcFigures, reportFigures } from "../../../src/show/analysis/craypat.ts";
import { cumulative, fitNormal, histogram } from "../../../src/show/analysis/histogram.ts";
import { groupByName } from "../../../src/show/analysis/compare_runs.ts";
import { groupOutliers } from "../../../src/show/analysis/outlier_groups.ts";
import { jobFigures } from "../../../src/show/analysis/job_figures.ts";
import { svg } from "../../../src/show/analysis/picture.ts";
import { withDeviation } from "../../../src/show/analysis/quantity_text.ts";
import { type Run, runOf } from "../../../src/show/analysis/runs.ts";
import { normalShare, stepOf, summarize } from "../../../src/show/analysis/statistics.ts";
import { parseSweepTable, sweepOf } from "../../../src/show/analysis/sweep.ts";
import { sweepView } from "../../../src/show/analysis/views.ts";
import { viewPage } from "../../../src/show/page/page.ts";
import { tableCsv, tableText } from "../../../src/show/analysis/table.ts";
import type { PmcLog, PmcRecord, PmcVersion } from "../../../src/formats/pmc/pmc.ts";
import { Random } from "../../run/session/_random.ts";
import { hostReport } from "../../job/merge/_generated.ts";
import { normal } from "./_paper.ts";

Deno.test("summarize() is exact for few, and NaN for none; one number has no deviation", () => {
  const { mean, deviation, median, sum } = summarize([4, 1, 3, 2]);
  assertEquals([mean, deviation, median, sum], [2.5, Math.sqrt(5 / 3), 2.5, 10]);
  assertEquals(summarize([]).mean, NaN);
  assertEquals(summarize([7]).deviation, NaN);
});

Deno.test("fitNormal() recovers a normal distribution and doubts another", () => {
  const random = new Random(4);
  const values = Float64Array.from({ length: 20000 }, () => 300 + 7 * normal(random));
  const fit = fitNormal(values);
  assertAlmostEquals(fit.mean, 300, 0.15);
  assertAlmostEquals(fit.deviation, 7, 0.1);
  assert(fit.distance < 0.015, String(fit.distance));
  const two = Float64Array.from(values, (v, i) => i % 2 ? v : v + 100);
  assert(fitNormal(two).distance > 0.15);
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

const POINT = {
  label: "",
  value: NaN,
  energyJ: 20,
  energyDeviationJ: 0.5,
  runtimeS: 4,
  runtimeDeviationS: 0.25,
  runs: 3,
};
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

Deno.test("runOf() counts the last line of a log that is cut, and begins with its first line", () => {
  const records = [2, 3, 4].map((step, i) => ({ ...LINE, timeS: i, step, energyJ: 10 * i }));
  const steps = (cut: Partial<PmcLog>, version: PmcVersion = "4.3") => {
    const run = runOf({ version, form: "text", records, ...cut }, "r");
    return run.steps.map((s) => [s.step, s.energyJ]);
  };
  assertEquals(steps({}), [[3, 10]]);
  assertEquals(steps({ cut: true }), [[3, 10], [4, 10]]);
  // 2.0 does not write the reading at open, which is 0.
  assertEquals(steps({}, "2.0"), [[2, 0], [3, 10]]);
});

Deno.test("stepOf() finds whole numbers and means of them; peaksOf() makes no comb of them", () => {
  const random = new Random(7);
  const watts = Float64Array.from({ length: 3000 }, () => {
    return [0, 1, 2].reduce((sum) => sum + 300 + Math.floor(7 * random.next()), 0) / 3;
  });
  assertAlmostEquals(stepOf(watts), 1 / 3, 1e-12);
  assertAlmostEquals(stepOf(watts.map((value) => Number(value.toFixed(6)))), 1 / 3, 1e-12);
  assertEquals(stepOf(Float64Array.of(1, 2, 5)), 1);
  assertEquals(stepOf(Float64Array.from({ length: 50 }, () => random.next())), 0);
  assertEquals(peaksOf(watts).length, 1);
  const { width, counts } = histogram(watts);
  assertAlmostEquals(width * 3, Math.round(width * 3), 1e-9);
  assert(counts.every((count) => count > 0), counts.join());
});

Deno.test("runOf() knows no energy of a log without a line after open", () => {
  const open = { timeS: 0, step: -1, substep: 1, powerW: 300, energyJ: 0 };
  for (const records of [[], [open]]) {
    const { energyJ, runtimeS } = runOf({ version: "4.3", form: "text", records }, "r");
    assertEquals([energyJ, runtimeS], [NaN, NaN]);
  }
});

Deno.test("runOf() knows no energy of a log whose counter is 0 in every line", () => {
  const records = [-1, 1, 2, 3].map((step, i): PmcRecord => {
    return { ...LINE, timeS: i, step, powerW: 0 };
  });
  const { steps, energyJ, runtimeS } = runOf({ version: "4.3", form: "text", records }, "r");
  assertEquals([energyJ, runtimeS], [NaN, 3]);
  assertEquals(steps.map((step) => [step.energyJ, step.powerW, step.durationS]), [
    [NaN, NaN, 1],
    [NaN, NaN, 1],
  ]);
  const late = records.map((record, i) => ({ ...record, energyJ: 5 * i, powerW: i < 2 ? 0 : 5 }));
  const run = runOf({ version: "4.3", form: "text", records: late }, "r");
  assertEquals(run.steps.map((step) => [step.energyJ, step.powerW]), [[5, NaN], [5, 5]]);
});

Deno.test("groupOutliers() leaves out steps that are not known, however many", () => {
  const { body, groups } = groupOutliers(Float64Array.of(NaN, 10, NaN, 11, NaN, 12, NaN, 90));
  assertEquals([body.count, body.mean], [3, 11]);
  assertEquals(groups.map(({ count, mean, deviation }) => [count, mean, deviation]), [[
    1,
    90,
    NaN,
  ]]);
});

Deno.test("parseSweepTable() reads the table of a study again; an empty field is not known", () => {
  const table = tableCsv(
    sweepView(sweepOf([
      { ...POINT, label: "N=1", value: 1, energyJ: NaN, energyDeviationJ: NaN },
      { ...POINT, label: "N=2", value: 2 },
    ])).tables[0],
  );
  const points = parseSweepTable(table, "study.csv");
  assertEquals(points, [
    { ...POINT, label: "N=1", value: 1, energyJ: NaN, energyDeviationJ: NaN },
    { ...POINT, label: "N=2", value: 2 },
  ]);
  assertEquals(sweepOf(points).leastEnergy?.label, "N=2");
});

Deno.test("a picture of single runs has no deviation, and keeps its scale", () => {
  const lone = { ...POINT, label: "N=1", energyDeviationJ: NaN, runtimeDeviationS: NaN, runs: 1 };
  const view = sweepView(sweepOf([lone, { ...lone, label: "N=2", energyJ: 30 }]));
  assertEquals(svg(view.panels).includes("NaN"), false);
  const missing = sweepView(sweepOf([lone, { ...lone, label: "N=2", energyJ: NaN }]));
  const { panels } = viewPage(missing, { title: "t", lead: "" });
  assertEquals(panels[0].series.map(({ y, yError }) => [y, yError]), [[[20], undefined], [
    [20],
    [null],
  ]]);
});

Deno.test("peaksOf() finds one main peak and two minor ones below it, and no more than there are", () => {
  const kinds = [[70, 0.1], [82, 0.15], [96, 0.75]];
  const random = new Random(4);
  const draw = (round: (x: number) => number) =>
    Float64Array.from({ length: 20_000 }, () => {
      const at = random.next();
      const [mean] = kinds.find((_, i) => {
        return at < kinds.slice(0, i + 1).reduce((sum, [, share]) => sum + share, 0);
      })!;
      return round(mean * (1 + 0.025 * normal(random)));
    });
  for (const round of [(x: number) => x, Math.round]) {
    const peaks = peaksOf(draw(round));
    assertEquals(peaks.length, 3);
    peaks.forEach(({ at, share }, i) => {
      assertAlmostEquals(at, kinds[i][0], 0.5);
      assertAlmostEquals(share, kinds[i][1], 0.02);
    });
  }
  for (let seed = 1; seed <= 50; seed++) {
    const one = new Random(seed);
    const values = Float64Array.from({ length: 40 * seed }, () => 300 + 8 * normal(one));
    assertEquals(peaksOf(values).length, 1, `seed ${seed}`);
    assertEquals(peaksOf(values.map(Math.round)).length, 1, `seed ${seed}, whole`);
  }
  assertEquals(peaksOf(new Float64Array()), []);
  assertEquals(peaksOf(Float64Array.of(5, 5, 5)), [{ at: 5, deviation: 0, count: 3, share: 1 }]);
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
  assertEquals(craypatSummary(pmcFigures(nodes)).map((c) => [c.name, c.value, c.aggregation]), [
    ["PM_POWER:NODE", 286, "max"],
    ["PM_ENERGY:NODE", 700, "mean"],
  ]);
  const asked = new Map([["PM_ENERGY:NODE", "sum"], ["PM_POWER:NODE", "min"]] as const);
  assertEquals(craypatSummary(pmcFigures(nodes), asked).map((c) => c.value), [210, 1400]);
});

Deno.test("reportFigures() joins hosts, and what is 0 everywhere is left out", () => {
  const host = (each: number[], cap: number): ReportHost => ({
    host: "a",
    application: {},
    joulemark: {
      counters: {
        "PACKAGE_ENERGY": { unit: "J", each },
        "PM_POWER_CAP:NODE": { unit: "W", each: [cap] },
        "PM_STARTUP": { unit: "cycles", each: [1414408518017769] },
        "THERMAL_SPEC": { unit: "W", each: [130, NaN] },
      },
    },
  } as unknown as ReportHost);
  const figures = reportFigures([{ hosts: [host([500, 540], 0), host([520, 560], 0)] } as Report]);
  assertEquals(craypatSummary(figures).map((c) => [c.name, c.value, c.unit, c.aggregation]), [
    ["PACKAGE_ENERGY", 530, "J", "mean"],
    ["PM_STARTUP", 1414408518017769, "cycles", "max"],
    ["THERMAL_SPEC", 130, "W", "max"],
  ]);
});

Deno.test("sweepOf() names the front when fast and sparing differ", () => {
  const point = (value: number, energyJ: number, runtimeS: number) => ({
    label: String(value),
    value,
    energyJ,
    runtimeS,
    energyDeviationJ: 0,
    runtimeDeviationS: 0,
    runs: 1,
  });
  const sweep = sweepOf([point(3, 100, 30), point(1, 120, 10), point(2, 130, 20)]);
  assertEquals(sweep.points.map((p) => p.value), [1, 2, 3]);
  assertEquals([sweep.leastEnergy?.value, sweep.leastTime?.value], [3, 1]);
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

Deno.test("svg() has the legend of many series beside the plot", () => {
  const series = Array.from({ length: 18 }, (_, i) => ({
    name: `run-${i}`,
    about: "1.0 ± 0.1",
    kind: "line" as const,
    x: [0, 1],
    y: [i, i],
  }));
  const picture = svg([{ title: "t", xTitle: "x", yTitle: "y", series }]);
  const [, width] = /viewBox="0 0 (\d+) 400"/.exec(picture)!;
  const places = series.map(({ name }) => {
    const [, x, y] = new RegExp(`x="([\\d.]+)" y="([\\d.]+)"[^>]*>${name}: 1.0 ± 0.1<`).exec(
      picture,
    )!;
    return [Number(x), Number(y)];
  });
  assert(places.every(([x, y]) => x > 640 && x < Number(width) && y < 400), String(places));
});

Deno.test("withDeviation() shows as many digits as the deviation allows", () => {
  assertEquals(withDeviation(1.92e6, 0.02e6, "J"), "1.920 ± 0.020 MJ");
  assertEquals(withDeviation(1748, 2.6, "s"), "1748.0 ± 2.6 s");
  assertEquals(withDeviation(45.052e6, 0, "J"), "45.05 MJ");
});

Deno.test("tableText() fits a terminal: names lose their ends, then columns are left out", () => {
  const table = {
    title: "Regions",
    columns: ["region", "time", "energy", "power"].map((name) => ({ name })),
    rows: [["a_region_with_a_long_name_that_does_not_end", 1, 2345.6, 3], ["b", 4, 5, 6]],
  };
  const wide = tableText(table);
  assertStringIncludes(wide, "does_not_end");
  const lines = tableText(table, 44).split("\n");
  assert(lines.every((line) => line.length <= 44), lines.join("\n"));
  assertStringIncludes(lines[2], "...");
  assertStringIncludes(lines[1], "power");
  const narrow = tableText(table, 28);
  assertStringIncludes(narrow, "Regions (2 more columns in\n--json)\n");
  assert(!narrow.includes("energy") && !narrow.includes("power"), narrow);
  // The room of a column that is left out is that of the names.
  const rests = { ...table, rows: [["(outside regions)", 1, 2345.6, 3], ["b", 4, 5, 6]] };
  assertStringIncludes(tableText(rests, 32), "(outside regions)");
  const long = tableText(table, 34).split("\n")[2];
  assertEquals(long, "a_region_with_a_l...     1  2345.6");
});

Deno.test("tableText() keeps names apart that differ only in their ends", () => {
  const table = {
    title: "Regions",
    columns: ["region", "time"].map((name) => ({ name })),
    rows: [["solve_of_the_left_neighbour+0x340", 1], ["solve_of_the_left_neighbour+0x4c", 2], [
      "b",
      3,
    ]],
  };
  assertEquals(tableText(table, 26).split("\n").slice(2, 5), [
    "solve_of...ur+0x340      1",
    "solve_of...our+0x4c      2",
    "b                        3",
  ]);
});

Deno.test("jobFigures() takes regions from the tree, nested ones by their path", () => {
  const report = hostReport("n1", 1, { regions: 2 });
  const row = (region: string, depth: number, joules: number, dramJ: number) => ({
    region,
    depth,
    count: 1,
    "runtime (s)": 2,
    "runtime-self (s)": 1,
    "package-energy (J)": joules,
    "dram-energy (J)": dramJ,
    "dram-energy-exact (J)": 4,
  });
  report.hosts[0].joulemark!.tree = {
    processes: 1,
    rows: [row("solve", 0, 100, 10), row("multiply", 1, 60, NaN), row("write", 0, 5, 1)],
  };
  const { regions, source } = jobFigures(report);
  assertEquals(source, "package + memory");
  assertEquals([...regions].map(([name, { energyJ, timeS }]) => [name, energyJ, timeS]), [
    ["solve", 110, 2],
    // What cannot be told is taken by exact edges.
    ["solve/multiply", 64, 2],
    ["write", 6, 2],
  ]);
  delete report.hosts[0].joulemark!.tree;
  assertEquals([...jobFigures(report).regions.keys()], ["region_00", "region_01"]);
});
