import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { parseReport } from "../../../src/formats/report.ts";
import type { EnergyKind, TreeRow } from "../../../src/core/region_tree.ts";
import type { Report } from "../../../src/core/report.ts";
import { reportNotes, valueFindings } from "../../../src/show/analysis/notes.ts";
import { reportView } from "../../../src/show/analysis/report_view.ts";
import { summary, summaryMarkdown } from "../../../src/show/analysis/summary.ts";
import { type SummaryFacts, summaryFacts } from "../../../src/show/analysis/summary_facts.ts";
import {
  largestRemainder,
  regionShares,
  summaryTable,
} from "../../../src/show/analysis/summary_table.ts";
import {
  type Look,
  lookOf,
  shownNames,
  textWidth,
  wrapText,
} from "../../../src/show/analysis/text_layout.ts";
import { energyOf, factsOf, region, totalJ, treeRow } from "./_summary_facts.ts";

/** What sets colours, and what else a terminal obeys. */
// deno-lint-ignore no-control-regex
const COLORS = /\x1b\[([\d;]*)m/g, CONTROLS = /[\x00-\x09\x0b-\x1f\u202e]/;

const VECTORS = new URL("../../vectors/summary/", import.meta.url);
const NAMES = [
  "normal",
  "hosts",
  "no-counters",
  "no-regions",
  "gpu",
  "interrupted",
  "failed",
  "killed",
  "counter-lost",
];
const PLAIN: Look = { width: 80, ascii: false, color: false };

function facts(name: string): SummaryFacts {
  return summaryFacts(parseReport(Deno.readTextFileSync(new URL(`${name}.report`, VECTORS))));
}

function printed(of: SummaryFacts, look: Partial<Look> = {}, reportPath = "flow.report"): string {
  return summary(of, { look: { ...PLAIN, ...look }, reportPath });
}

/** The kept summary; UPDATE_SUMMARIES=1 writes it again. */
function kept(file: string, text: string): string {
  const url = new URL(file, VECTORS);
  if (Deno.env.get("UPDATE_SUMMARIES") === "1") Deno.writeTextFileSync(url, text);
  return Deno.readTextFileSync(url);
}

for (const name of NAMES) {
  Deno.test(`summary() of "${name}" is the kept one, at 80 and 120 columns`, () => {
    const path = `${name}.report`;
    for (const width of [80, 120]) {
      const text = printed(facts(name), { width }, path);
      assertEquals(text, kept(`${name}.${width}.txt`, text));
      const lines = text.trimEnd().split("\n");
      assert(lines.every((line) => textWidth(line) <= width), text);
      assert(lines.length <= 30, text);
    }
  });
}

Deno.test("summary() in ASCII and in colour is the kept one", () => {
  const ascii = printed(facts("normal"), { ascii: true }, "normal.report");
  assertEquals(ascii, kept("normal.ascii.txt", ascii));
  assert(/^[\x20-\x7e\n]*$/.test(ascii), ascii);
  const color = printed(facts("normal"), { color: true }, "normal.report");
  assertEquals(color, kept("normal.color.txt", color));
  const codes = new Set(
    [...color.matchAll(COLORS)].flatMap(([, code]) => code.split(";")),
  );
  assertEquals([...codes].filter((code) => !["0", "1", "2", "31", "33", "36"].includes(code)), []);
  // Colour changes no character.
  assertEquals(
    color.replaceAll(COLORS, ""),
    printed(facts("normal"), {}, "normal.report"),
  );
});

Deno.test("no line of a summary is wider than a terminal of 40 columns or more", () => {
  for (const name of NAMES) {
    for (const width of [40, 50, 60, 79, 100]) {
      for (const line of printed(facts(name), { width }).split("\n")) {
        assert(textWidth(line) <= width, `${name}, ${width}: ${line}`);
      }
    }
  }
});

Deno.test("line 1 answers: time, energy, its error and its counter, mean and peak power", () => {
  const [first] = printed(factsOf()).split("\n");
  assertEquals(first, "flow: 10.00 s, 1.000 kJ ±0.1 % (node counter), mean 100.0 W, peak 110 W");
  const precise = factsOf({
    totals: {
      seconds: 10,
      components: new Map([["node", totalJ(1000, 10, { errorJ: 0.5 })]]),
      edp: 1e4,
    },
  });
  assertStringIncludes(printed(precise), " ±<0.1 % (node counter)");
  const uncertain = factsOf({
    totals: {
      seconds: 10,
      components: new Map([["node", totalJ(1000, 10, { errorJ: 130 })]]),
      edp: 1e4,
    },
  });
  assertStringIncludes(printed(uncertain), "1.0 kJ ±13 % (node counter)");
});

Deno.test("a command that did not end well comes first, and has no advice", () => {
  const first = (outcome: SummaryFacts["outcome"]) => printed(factsOf({ outcome })).split("\n")[0];
  assertEquals(
    first({ kind: "failed", status: 3 }),
    "FAILED: the command ended with exit status 3; all values cover 10.00 s.",
  );
  assertEquals(
    first({ kind: "killed", signal: "SIGSEGV" }),
    "FAILED: the command was killed by SIGSEGV after 10.00 s.",
  );
  assertEquals(
    first({ kind: "interrupted", signal: "SIGTERM" }),
    "INTERRUPTED by SIGTERM after 10.00 s; all values cover this time only.",
  );
  assertEquals(
    first({ kind: "partial", why: "3 of 4 hosts" }),
    "PARTIAL: 3 of 4 hosts; values cover this part only.",
  );
  const failed = printed(factsOf({ outcome: { kind: "failed", status: 3 } }));
  assert(!failed.includes("next:"), failed);
  assertStringIncludes(failed, "joulemark compare refuses it");
});

Deno.test("the table shows the most inclusive component with errors for 90 % of its energy", () => {
  const names = NAMES.map((name) => facts(name).column);
  assertEquals(names, [
    ...["node", "node", undefined, undefined, "node", undefined, "package", undefined, "package"],
  ]);
  const text = printed(facts("failed"));
  assertStringIncludes(text, "package energy (J)");
  assertStringIncludes(text, "The table shows package energy: node energy has no standard errors");
});

Deno.test("shares are whole, and siblings with the rest add up to 100 %", () => {
  for (const name of ["normal", "hosts", "gpu", "failed"]) {
    const of = facts(name), shares = regionShares(of);
    const top = [...of.regions.filter(({ depth }) => depth === 0), ...of.rests];
    const sum = top.reduce((total, row) => total + shares.get(row)!, 0);
    assert(sum === 100, `${name}: ${sum} %`);
    of.regions.forEach((row, i) => {
      const inside = of.regions.filter(({ parent }) => parent === i);
      const sum = inside.reduce((total, one) => total + shares.get(one)!, 0);
      assert(sum <= shares.get(row)!, `${name}: ${row.region}`);
    });
  }
  assertEquals(largestRemainder([1, 1, 1], 100, 3, 3), [34, 33, 33]);
  assertEquals(largestRemainder([50, 49.6], 100, 100, 100), [50, 50]);
  // Estimates may add up to a little more than the whole, or be below zero.
  assertEquals(largestRemainder([49.5, 52, -1], 100, 100, 100), [49, 51, 0]);
  // Threads' times may be more than the whole.
  assertEquals(largestRemainder([80, 70], 100, 100, 100), [80, 70]);
});

Deno.test("a column has one number of decimals, by the middle error; coarse values have a ~", () => {
  const of = factsOf({
    regions: [region("a", 612.34, 6.21), region("b", 212.3, 3.1), region("c", 66.12, NaN)],
    rests: [],
  });
  const cells = summaryTable(of, PLAIN, 12).lines.slice(1).map((line) => line.slice(0, 40).trim());
  assertMatch(cells[0], /612\.3 ± 6\.2/);
  assertMatch(cells[1], /212\.3 ± 3\.1/);
  assertMatch(cells[2], /~66\.1/);
});

Deno.test("rows are those of 1 % and more, 12 at most, with the regions around them", () => {
  const rows = Array.from({ length: 30 }, (_, i) => region(`r${i}`, 30 - i, 0.1));
  const inner = region("inner", 29.5, 0.1, { depth: 1, parent: 0, path: "r0/inner" });
  const of = factsOf({ regions: [rows[0], inner, ...rows.slice(1)], rests: [] });
  const { lines, hidden, hiddenLarge } = summaryTable(of, PLAIN, 12);
  assertEquals(lines.length, 13);
  assertMatch(lines[2], /^└ inner/);
  assertEquals([hidden, hiddenLarge], [19, 10]);
  assertStringIncludes(printed(of), "19 more: joulemark show flow.report");
});

Deno.test("energy outside of regions comes last, with its name, energy, share and time", () => {
  const node = (joules: number) =>
    new Map<EnergyKind, ReturnType<typeof energyOf>>([
      ["node", energyOf(joules, 1)],
    ]);
  const of = factsOf({
    regions: [region("solve", 700, 5)],
    rests: [
      treeRow("(outside regions)", { energies: node(200), runtimeS: 2, count: NaN }),
      treeRow("(other CPUs)", { energies: node(90), runtimeS: NaN, count: NaN }),
      treeRow("(undetermined)", { energies: node(10), runtimeS: NaN, count: NaN }),
    ],
  });
  const rows = summaryTable(of, PLAIN, 12).lines.slice(-3);
  assertMatch(rows[0], /^\(outside regions\) +200\.0 ± 1\.0 +20 % +2\.00$/);
  assertMatch(rows[1], /^\(other CPUs\) +90\.0 ± 1\.0 +9 %$/);
  assertMatch(rows[2], /^\(undetermined\) +10\.0 ± 1\.0 +1 %$/);
});

Deno.test("at most three notes of two lines; the others have a count and a command", () => {
  const long = "Something happened (1, 2). " +
    "It means a lot for the values of this run. ".repeat(6) +
    "Do that.";
  const text = printed(factsOf({ notes: [long, "b", "c", "d", "e"] }));
  assertEquals(text.match(/^note: /gm)?.length, 3);
  assertStringIncludes(text, "2 more notes: joulemark show flow.report");
  const all = factsOf({ notes: [long, "b", "c", "d", "e"], minor: ["of no influence"] });
  const whole = summary(all, { look: PLAIN, isVerbose: true }).replace(/\n +/g, " ");
  for (const note of [long, "b", "e", "of no influence"]) {
    assertStringIncludes(whole, `note: ${note}\n`);
  }
  assert(!whole.includes("more notes"), whole);
  const lines = text.split("\n");
  const at = lines.findIndex((line) => line.startsWith("note: Something"));
  assert(!/^ {6}/.test(lines[at + 2]), text);
  assertStringIncludes(lines[at] + lines[at + 1], "Do that.");
});

Deno.test("notes that change no value are not on the summary", () => {
  assert(!printed(facts("normal")).includes("samples were missed"));
  assertEquals(facts("normal").minor.length, 1);
});

Deno.test("the page of a report with blanks in its name can be made by the printed command", () => {
  const text = printed(factsOf(), { width: 120 }, "my run.report");
  assertStringIncludes(text, "joulemark show --html -o 'my run.html' 'my run.report'");
});

Deno.test("a long name loses its middle in the next step: that has at most two lines", () => {
  const name = `step_${"x".repeat(150)}_${"y".repeat(150)}_end`;
  const of = factsOf({ regions: [region(name, 600, 5), region("other", 300, 5)], rests: [] });
  const lines = printed(of).split("\n");
  const at = lines.findIndex((line) => line.startsWith("next:"));
  const next = lines.slice(at, at + 2).join(" ");
  assertStringIncludes(
    next,
    "next: step_xxxxxx…yyyyyyy_end itself uses most energy (60 %), other 30 %.",
  );
  assert(!lines[at + 2].startsWith(" "), printed(of));
});

Deno.test("regions whose names differ only in their ends look different in the table", () => {
  const name = `[OMPT]_Z${"x".repeat(60)}`;
  const regions = [region(`${name}+0x340`, 600, 5), region(`${name}+0x4c`, 300, 5)];
  for (const ascii of [false, true]) {
    const rows = printed(factsOf({ regions, rests: [] }), { ascii }).split("\n")
      .filter((line) => line.startsWith("[OMPT]_Z")).map((line) => line.split(" ")[0]);
    assertEquals(rows.length, 2);
    assert(rows[0].endsWith("+0x340") && rows[1].endsWith("+0x4c"), rows.join("\n"));
  }
});

Deno.test("a job whose hosts sampled functions is not advised to get regions, but told where functions are", () => {
  const of = factsOf({ regions: [], column: undefined, hostCount: 2 });
  const next = (hasFunctions: boolean) => {
    const text = summary(of, { look: PLAIN, reportPath: "flow.report", hasFunctions });
    return /^next: .*$/m.exec(text)?.[0];
  };
  assertEquals(next(true), "next: to see the functions of all hosts: joulemark show flow.report");
  assertMatch(next(false) ?? "", /^next: to see which part/);
});

Deno.test("a function without a name has its whole address in the table", () => {
  const rows = shownNames({ ascii: false }, ["[libfftw3.so.3.6.10+0x18ed10]", "n".repeat(40)], 28);
  assertEquals(rows, ["[libfftw3.so.….10+0x18ed10]".padEnd(28), "n".repeat(27) + "…"]);
});

Deno.test("no name of others commands the terminal, and wide ones are cut by columns", () => {
  const name = "\x1b[31mred\u202e";
  const of = factsOf({
    name,
    regions: [region(name, 600, 5), region("漢字".repeat(30), 300, 3)],
  });
  const text = printed(of);
  assert(!CONTROLS.test(text), text);
  for (const line of text.split("\n")) assert(textWidth(line) <= 80, line);
});

Deno.test("lookOf() follows COLUMNS, the terminal, the locale and NO_COLOR", () => {
  const look = (env: Record<string, string>, own: { columns?: number; color?: string } = {}) => {
    const isTerminal = own.columns !== undefined;
    return lookOf({ env: (name) => env[name], isTerminal, ...own });
  };
  assertEquals(look({}), { width: 80, ascii: true, color: false });
  assertEquals(look({ COLUMNS: "100" }, { columns: 90 }).width, 100);
  assertEquals(look({}, { columns: 90 }).width, 90);
  assertEquals(look({ COLUMNS: "500" }).width, 120);
  assertEquals(look({ LANG: "C", LC_ALL: "de_DE.utf8" }).ascii, false);
  assertEquals(look({ LANG: "de_DE.UTF-8", LC_ALL: "C" }).ascii, true);
  assertEquals(look({}, { columns: 80 }).color, true);
  assertEquals(look({ NO_COLOR: "1" }, { columns: 80 }).color, false);
  assertEquals(look({ TERM: "dumb" }, { columns: 80 }).color, false);
  assertEquals(look({ NO_COLOR: "1" }, { color: "always" }).color, true);
  assertEquals(look({}, { columns: 80, color: "never" }).color, false);
});

Deno.test("wrapText() breaks at blanks, and long words at the width", () => {
  assertEquals(wrapText("a bb ccc", 4, " "), ["a bb", " ccc"]);
  assertEquals(wrapText("abcdefgh", 5, " "), ["abcde", " fgh"]);
});

Deno.test("own energies add up to the total of each component to 0.1 %, or the rest is a row", () => {
  const report = parseReport(
    Deno.readTextFileSync(new URL("../../golden/replay/seed_example.report", import.meta.url)),
  );
  for (const of of [summaryFacts(report), ...["normal", "hosts", "gpu"].map(facts)]) {
    const kind = of.column!;
    const shown = (row: { energies: SummaryFacts["rests"][number]["energies"] }) => {
      const { joules, exactJ } = row.energies.get(kind) ?? { joules: 0, exactJ: 0 };
      return Number.isNaN(joules) ? exactJ : joules;
    };
    // What a row has beyond the rows inside it.
    const own = of.regions.map((row, i) => {
      const inside = of.regions.filter(({ parent }) => parent === i);
      return shown(row) - inside.reduce((sum, one) => sum + shown(one), 0);
    });
    const sum = [...own, ...of.rests.map(shown)].reduce((all, joules) => all + joules, 0);
    const total = of.totals.components.get(kind)!.joules;
    assert(Math.abs(sum - total) <= 1e-3 * total, `${of.name}: ${sum} of ${total} J`);
  }
});

Deno.test("energy below zero is printed: rows add up", () => {
  const of = factsOf({
    regions: [region("solve", 1012.5, 9)],
    rests: [treeRow("(outside regions)", {
      energies: new Map<EnergyKind, ReturnType<typeof energyOf>>([["node", energyOf(-12.5, 9)]]),
      count: NaN,
      runtimeS: 0.1,
    })],
  });
  const rows = summaryTable(of, PLAIN, 12).lines;
  assertMatch(rows[1], /1012\.5 ± 9\.0 100 % /);
  assertMatch(rows[2], /-12\.5 ± 9\.0 /);
});

Deno.test("the table of functions has all in its sums, and no column of energies without any", () => {
  const rows = Array.from({ length: 13 }, (_, i) => ({
    name: `f${i}`,
    module: "/usr/lib/libpython3.11.so.1.0",
    ownS: i < 10 ? 9 : 1,
    energies: new Map<EnergyKind, { joules: number; seJ: number }>([
      ["node", { joules: NaN, seJ: NaN }],
    ]),
  }));
  const functions = {
    rows,
    waiting: new Map<EnergyKind, { joules: number; seJ: number }>([
      ["node", { joules: NaN, seJ: NaN }],
    ]),
    unlisted: { count: 0, ownS: 0 },
    hostsWithout: 0,
    cpuS: 100,
    samples: 1000,
    lost: 0,
    rateHz: 199,
    completePercent: 99,
    guessedPercent: 0,
  };
  const without = printed(factsOf({ regions: [], column: undefined, functions }));
  assertMatch(without, /^\(3 more functions\) +3(\.0*)? s +3\.0 %$/m);
  assertMatch(without, /^f0 .* libpython3\.11\.so\.1\.0$/m);
  assertStringIncludes(
    without.replace(/\s+/g, " "),
    "no energy for 13 of 13 functions: the report has the reason for each",
  );
  assert(!without.includes("node (J)"), without);
  rows[11].energies.set("node", { joules: 5, seJ: 1 });
  const facts = factsOf({ regions: [], column: undefined, functions, rests: [] });
  const markdown = summaryMarkdown(facts).split("\n");
  assertEquals(markdown.slice(0, 2), [
    "| function | own time | share | module |",
    "| --- | ---: | ---: | --- |",
  ]);
  assertMatch(markdown.join("\n"), /^\| \(3 more functions\) \| 3[.0]* s \| 3\.0 % \| {2}\|$/m);
  const alone = summaryMarkdown({ ...facts, functions: undefined });
  assertMatch(alone, /^flow: 10.00 s, 1.000 kJ [^\n|]+\n$/);
  const one = printed(factsOf({ regions: [], column: undefined, functions }));
  assertStringIncludes(one, "no energy for 12 of 13 functions");
  assertMatch(one, /^f0 .* libpython3…?[^ ]*$/m);
});

Deno.test("regions without a row of their own are counted once", () => {
  const regions = Array.from({ length: 30 }, (_, i) => region(`r${i}`, i < 20 ? 30 : 5, 1));
  const rests = [treeRow("(4000 more regions)", {
    energies: new Map([["node", energyOf(350, NaN)]]),
  })];
  const text = printed(factsOf({ regions, rests, leftOut: 4000 }));
  assertMatch(text, /^\(4000 more regions\) .* 35 %/m);
  assertMatch(text, /^18 more: joulemark show/m);
  const few = printed(factsOf({ regions: regions.slice(19), rests, leftOut: 4000 }));
  assertMatch(few, /^10 more below 1 %: joulemark show/m);
  // "joulemark show" would show an earlier report.
  const unwritten = summary(factsOf({ regions }), { look: PLAIN });
  assertMatch(unwritten, /^18 more: not shown \(no report was written\)$/m);
  // Without a row their size is not known.
  const unknown = printed(factsOf({ regions: regions.slice(19), rests: [], leftOut: 4000 }));
  assertMatch(unknown, /^4010 more: joulemark show/m);
});

Deno.test("a region without a determined energy has a row if its time is at least 1 %", () => {
  const coarse = (name: string, runtimeS: number) => ({
    ...region(name, 0.7, NaN),
    runtimeS,
  });
  const text = printed(
    factsOf({ regions: [region("a", 900, 1), coarse("b", 2), coarse("c", 0.01)] }),
  );
  assertMatch(text, /^b +~0\.7 /m);
  assertMatch(text, /^1 more below 1 %: /m);
});

Deno.test("sampled energies alone have no node energy and no errors, and a true reason", () => {
  const golden = new URL("../../golden/replay/seed_example.report", import.meta.url);
  const report = parseReport(Deno.readTextFileSync(golden));
  const [host] = report.hosts;
  report.joulemark = {};
  host.joulemark = {
    sources: {
      CPU_ENERGY: { quality: "measured", source: "POWERCAP" },
      DRAM_ENERGY: { quality: "measured", source: "POWERCAP" },
    },
  };
  const text = printed(summaryFacts(report));
  assertStringIncludes(
    text.replace(/\s+/g, " "),
    "node energy not available: GEOPM's sampled values",
  );
  assert(!text.includes("no counter for the whole node"), text);
  assertStringIncludes(text.replace(/\s+/g, " "), "sampled values have no standard error");
  assertStringIncludes(
    text.replace(/\s+/g, " "),
    "Use --attribution fit.",
  );
  assert(!text.includes("un longer"), text);
  host.joulemark.sources = { BOARD_ENERGY: { absent: "no counter" } };
  assertStringIncludes(printed(summaryFacts(report)), "no counter for the whole node");
});

Deno.test("the summary names the page that the run wrote, and does not advise to make it", () => {
  const of = (pagePath?: string) => {
    return summary(factsOf(), { look: PLAIN, reportPath: "flow.report", pagePath });
  };
  assertMatch(of("out.html"), /^report flow\.report; page out\.html$/m);
  assert(!of("out.html").includes("show --html"));
  assertMatch(of(), /page: joulemark show --html -o flow\.html flow\.report$/m);
});

Deno.test("the table of show has regions in the order of the summary", () => {
  const { tables } = reportView(
    parseReport(Deno.readTextFileSync(new URL("normal.report", VECTORS))),
  );
  const { rows } = tables.find(({ title }) => title.startsWith("Regions, including"))!;
  const shown = printed(facts("normal"), { ascii: true }).split("\n");
  const names = rows.map(([name]) => String(name).trim());
  const inTable = shown.map((line) => line.trim().split(" ")[0])
    .filter((name) => names.includes(name));
  assertEquals(names.filter((name) => inTable.includes(name)), inTable);
});

Deno.test("the line of steps is left out of a report that lacks a part of it", () => {
  const text = (steps: string) =>
    "GEOPM Version: 3.1.0\nStart Time: 0\nProfile: p\nAgent: monitor\nPolicy: {}\n\nHosts:\n  n0:\n" +
    "    Application Totals:\n      runtime (s): 2\n      count: 0\n" +
    `    joulemark:\n      steps:\n${steps}`;
  const of = (steps: string) => summaryFacts(parseReport(text(steps))).steps;
  const count = "        count: 4\n", rest = "        of: epochs\n        file: a.pmc\n";
  assertEquals(of(count + rest), "steps: 4 (epochs); to see them: joulemark pmc a.pmc");
  assertEquals([of(count), of(rest)], ["", ""]);
});

Deno.test("steps that are shorter than the updates of the counter have a note", () => {
  const codes = (stepCount: number) => {
    return valueFindings(factsOf({ stepCount })).map(({ code }) => code);
  };
  assertEquals(codes(1000), ["short-steps"]);
  assertEquals([codes(50), codes(NaN)], [[], []]);
});

Deno.test("a slightly inaccurate region needs a slightly longer run", () => {
  const [note] = valueFindings(factsOf({ regions: [region("solve", 900, 46)] }));
  assertEquals(note.remedy, "run 1.1 times as long for errors below 5 %");
});

Deno.test("regions of a node that has only a power meter have a note", () => {
  const codes = (source: string, regions: TreeRow[]) => {
    const components = new Map([["node" as const, totalJ(1000, 10, { source })]]);
    const totals = { seconds: 10, components, edp: NaN };
    return valueFindings({ ...factsOf({ totals }), regions }).map(({ code }) => code);
  };
  const bare = [treeRow("solve", { energies: new Map() })];
  assertEquals(codes("direct, HWMON::METER_POWER", bare), ["metered-regions"]);
  assertEquals(codes("direct, HWMON::METER_POWER", []), []);
  assertEquals(codes("direct, /sys/cray/pm_counters/energy", bare), []);
  assertEquals(codes("direct, HWMON::METER_POWER", [treeRow("solve")]), []);
});

Deno.test("coarse energies of some hosts say that they are those of some hosts", () => {
  const regions = [region("solve", 700, NaN)];
  const note = (covers: string) => {
    const components = new Map([["node" as const, totalJ(1000, 10, { covers })]]);
    const facts = factsOf({ regions, totals: { seconds: 10, components, edp: NaN } });
    const report = { hosts: [], joulemark: {} } as unknown as Report;
    return reportNotes(report, facts).notes.find((text) => text.includes("coarse"));
  };
  assertEquals(
    note(""),
    "node energy of 1 region is coarse (~: solve): no standard error is known. Run longer.",
  );
  assertEquals(
    note("1 of 2 hosts"),
    "node energy of 1 region is coarse (~: solve): it is that of 1 of 2 hosts.",
  );
});
