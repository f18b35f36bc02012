/** The page of a comparison answers its question first, and names each change with its interval. */
import { assert, assertAlmostEquals, assertEquals, assertMatch } from "@std/assert";
import { compare } from "../../../src/show/analysis/comparison.ts";
import { comparisonJson, comparisonText } from "../../../src/show/analysis/print_comparison.ts";
import { comparePage, comparePages } from "../../../src/show/page/compare_page.ts";
import { pageHtml } from "../../../src/show/page/html.ts";
import { comparedRuns } from "./_pages.ts";

const NOTES = { overruled: [] };

function pageOf(growth: number, names: readonly string[] = []) {
  const sets = comparedRuns({ regions: 5, names }, growth), comparison = compare(sets.a, sets.b);
  return { page: comparePage(comparison, sets, NOTES), comparison, sets };
}

Deno.test("the verdict comes first, in words and colour", () => {
  for (
    const [growth, kind, title] of [
      [0.2, "worse", /^Worse: B needs 20 % more energy than A$/],
      [-0.2, "better", /^Better: B needs 20 % less energy than A$/],
      [0.001, "open", /^No significant change: energy$/],
    ] as const
  ) {
    const { page: { verdicts = [], title: name } } = pageOf(growth);
    assertEquals(verdicts.map(({ kind }) => kind), [kind]);
    assertMatch(verdicts[0].title, title);
    assertMatch(
      verdicts[0].lines[0],
      /^Verdict: \w.* energy [+−]\d+\.\d\d % \[[+−].* %\] \(98\.5 %\)\.$/,
    );
    assertMatch(verdicts[0].lines[1], /^Runs vary by 0\.99 %: .* use \d+ runs of each set\.$/);
    assertEquals(name, "Comparison of flow: energy");
  }
});

Deno.test("each change has its interval; the table says which are significant", () => {
  const { page, comparison } = pageOf(0.2);
  const [whole, regions] = page.changes!;
  assertEquals(whole.rows.map(({ name }) => name), ["energy", "time", "power", "energy × time"]);
  const [{ change, low, high }] = whole.rows;
  const { difference } = comparison.gate;
  assertEquals([change, low, high], [difference.change, difference.low, difference.high]);
  assertEquals(regions.rows.length, comparison.regions.length);
  const [, table] = page.tables,
    at = (name: string) => {
      return table.columns.findIndex((column) => column.name === name);
    };
  for (const row of table.rows) {
    assertAlmostEquals(
      Number(row[at("change")]),
      Number(row[at("B")]) - Number(row[at("A")]),
      1e-9,
    );
    assertEquals(row[at("result")], "more");
  }
});

Deno.test("runs are in the order of their start", () => {
  const { page: { panels: [runs] } } = pageOf(0.2);
  const x = (name: string) => runs.series.find((series) => series.name === name)!.x;
  assertEquals([x("A"), x("B")], [[1, 3, 5], [2, 4, 6]]);
});

Deno.test("the verdict is there without a script, and is no markup", () => {
  const { comparison, sets } = pageOf(0.2, ["<b>x</b>"]);
  const gate = { ...comparison.gate, metric: "region:<b>x</b>" };
  const html = pageHtml(comparePage({ ...comparison, gate }, sets, NOTES));
  assertMatch(
    html,
    /<div class="verdict worse" role="note"><h2>Worse: B needs 20 % more energy of &lt;b/,
  );
  assert(!html.includes("<b>x"), "markup of a name");
});

Deno.test("a name keeps its hyphens; runs without the metric have no point", () => {
  const { comparison, sets } = pageOf(-0.2, ["mesh-2D"]);
  const named = { ...comparison, gate: { ...comparison.gate, metric: "region:mesh-2D" } };
  const [{ lines: [line] }] = comparePage(named, sets, NOTES).verdicts!;
  assertMatch(line, /region:mesh-2D −20\.00 %/);
  for (const { report } of sets.a) {
    const [host] = report.hosts;
    for (const key of Object.keys(host.application)) {
      if (key.includes("energy")) delete host.application[key];
    }
    delete host.joulemark!.tree;
  }
  const unknown = compare(sets.a, sets.b);
  const { verdicts, panels: [{ series }] } = comparePage(unknown, sets, NOTES);
  assertEquals(verdicts![0].title, "Not known: energy");
  assert(series.every(({ y }) => y.every(Number.isFinite)), JSON.stringify(series));
});

Deno.test("text, JSON and page have the letters of the comparison", () => {
  const sets = comparedRuns({ regions: 2 }, 0.2);
  const compared = compare(sets.a, sets.b, { letters: ["A", "C"] });
  const comparison = { ...compared, lone: [{ name: "new", set: 1, energyJ: 5 }] as const };
  const text = comparisonText(comparison, NOTES);
  assertMatch(text, /^3 runs \(A\) and 3 runs \(C\)$/m);
  assertMatch(text, /^ +A +C +change/m);
  assertMatch(text, /^ +A \(J\) +C \(J\)/m);
  assertMatch(text, /only in C/);
  assertEquals(JSON.parse(comparisonJson(comparison, NOTES))["regions of one set"][0].set, "C");
  const { tables } = comparePage(comparison, sets, NOTES);
  assertEquals(tables[1].rows.some(([first]) => first === "new (only in C)"), true);
  assertEquals(tables.flatMap(({ columns }) => columns.filter(({ name }) => name === "B")), []);
});

Deno.test("several comparisons have a verdict each", () => {
  const list = [0.2, -0.2].map((growth, i) => {
    const { sets } = pageOf(growth),
      comparison = compare(sets.a, sets.b, { letters: ["A", "BC"[i]] });
    return { comparison, notes: NOTES, runs: sets };
  });
  const { verdicts = [], changes = [] } = comparePages(list);
  assertEquals(verdicts.map(({ kind }) => kind), ["worse", "better"]);
  assertEquals(verdicts[1].title, "C ÷ A: Better: C needs 20 % less energy than A");
  assertEquals(changes.map(({ of }) => of), ["B", "B", "C", "C"]);
  assertEquals(changes.length, 4);
});
