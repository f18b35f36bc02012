/** Limits and detectable changes of few runs, as people read them. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Report } from "../../../src/core/report.ts";
import { compare } from "../../../src/show/analysis/comparison.ts";
import { benchText } from "../../../src/show/analysis/print_bench.ts";
import { jobFigures } from "../../../src/show/analysis/job_figures.ts";
import {
  changeText,
  comparisonJson,
  comparisonText,
} from "../../../src/show/analysis/print_comparison.ts";
import { comparePage } from "../../../src/show/page/compare_page.ts";
import { hostReport } from "../../job/merge/_generated.ts";

const NOTES = { overruled: [] };

function runs(...factors: number[]): { name: string; report: Report }[] {
  return factors.map((factor, i) => {
    const report = hostReport("n1", i, { regions: 2 });
    const [{ application, regions = [] }] = report.hosts;
    for (const fields of [application, ...regions.map(({ fields }) => fields)]) {
      for (const key of ["package-energy (J)", "dram-energy (J)", "runtime (s)"]) {
        fields[key] = Number(fields[key]) * factor;
      }
    }
    return { name: `r${i}`, report };
  });
}

Deno.test("the table of a benchmark prints no error as 0 beside a wide one", () => {
  const sets = [runs(1, 1.0002), runs(1, 3)].map((list, i) => {
    return { set: "AB"[i], text: "x", jobs: list.map(({ report }) => jobFigures(report)) };
  });
  const text = benchText({
    source: "package + memory",
    seed: 1,
    warmup: 0,
    blocks: 2,
    failures: [],
    sets,
    metric: "energy",
    comparisons: [],
    directory: "d",
    pages: [],
    spread: "mean",
  });
  assertEquals(/± 0(\.0*)?(?![.\d])/.exec(text.split("\n")[3].replace(/power.*/, "")), null, text);
});

Deno.test("a limit that says nothing is not known, and a change above 100 % has no sentence", () => {
  const [a, b] = [runs(1, 3), runs(2, 0.5)];
  const comparison = compare(a, b);
  const text = comparisonText(comparison, NOTES);
  assertMatch(text, /^energy \(J\) .* not known$/m);
  assertMatch(text, /^verdict: not enough runs: energy [-+]\d+\.\d\d % \[not known\] \(/m);
  assertMatch(text, /^runs vary by 88\.3 %: to detect 5 %, use more than 1000 runs of each set$/m);
  assertMatch(text, /^not known: the runs vary too much for this limit; use more runs$/m);
  assertEquals(text.includes("would be missed"), false);
  const table = text.split("\n").filter((line) => !line.startsWith("verdict"));
  assertEquals(Math.max(...table.map((line) => line.length)) < 80, true, text);
  // Programs get the numbers.
  assertEquals(typeof JSON.parse(comparisonJson(comparison, NOTES)).gate.high, "number");
  const jobs = (list: typeof a) => list.map(({ report }) => jobFigures(report));
  const bench = benchText({
    source: "package + memory",
    seed: 1,
    warmup: 0,
    blocks: 2,
    failures: [],
    sets: [{ set: "A", text: "a", jobs: jobs(a) }, { set: "B", text: "b", jobs: jobs(b) }],
    metric: "energy",
    comparisons: [{ comparison, notes: NOTES }],
    directory: "d",
    pages: [],
    spread: "mean",
  });
  assertMatch(
    bench,
    /^B ÷ A: energy [-+]\d+\.\d % \[not known\] \(98\.5 %\): not enough runs/m,
  );
  assertEquals(bench.includes("would be missed"), false, bench);
  assertMatch(
    bench,
    /^energy of package \+ memory; mean ± standard error; change: geometric mean$/m,
  );
  const { tables } = comparePage(comparison, { a, b }, NOTES);
  assertStringIncludes(JSON.stringify(tables[0].rows[0]), "null,null");
});

Deno.test("limits that say something stay, on both sides", () => {
  assertEquals(changeText({ change: 0.1, low: -0.02, high: 0.3 }), "+10.0 % [-2.0 %, +30.0 %]");
  assertEquals(changeText({ change: 60, low: 50, high: 72 }), "+6000.0 % [+5000.0 %, +7200.0 %]");
  assertEquals(changeText({ change: 0, low: -0.95, high: 19 }), "+0.0 % [not known]");
  assertEquals(
    changeText({ change: -0.97, low: -0.999, high: -0.1 }),
    "-97.0 % [not known, -10.0 %]",
  );
  assertEquals(changeText({ change: 0, low: NaN, high: NaN }), "+0.0 %");
});

Deno.test("one run a set has no level, and no word on intervals", () => {
  const comparison = compare(runs(1), runs(1.5));
  const text = comparisonText(comparison, NOTES);
  assertMatch(text, /^verdict: not enough runs: energy \+50\.00 %; at least 3 of each set/m);
  assertMatch(text, /^Energy of regions, largest change in joules first$/m);
  const several = comparisonText(compare(runs(1, 1.1, 1.2), runs(1, 1.1, 1.3)), NOTES);
  assertMatch(several, /^The probability that all these intervals are right is 98\.5 %\.$/m);
});

Deno.test("long names of regions that begin alike are told apart, and no line is too long", () => {
  const names = ["0x79b", "0x842"].map((at) => `[OMPT]gmx_pme_do(${"float*,".repeat(20)})+${at}`);
  const named = (...factors: number[]) => {
    const set = runs(...factors);
    for (const { report } of set) {
      for (const [i, region] of report.hosts[0].regions!.entries()) region.region = names[i];
    }
    return set;
  };
  const one = named(1), other = named(1.5);
  const both = comparisonText(compare(one, other), NOTES).split("\n");
  for (const at of ["0x79b", "0x842"]) {
    assertEquals(both.filter((line) => line.includes(at)).length, 1, both.join("\n"));
  }
  other[0].report.hosts[0].regions!.pop();
  const lone = comparisonText(compare(one, other), NOTES).split("\n");
  assertEquals(lone.filter((line) => line.length > 79), []);
  assert(lone.some((line) => /^note: only some runs have the region/.test(line)), lone.join("\n"));
});
