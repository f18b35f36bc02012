/** `joulemark explain`: everything that the other verbs show has an explanation, on one screen. */
import { TIDY_COLUMNS } from "../../../src/core/tidy_rows.ts";
import { SERIES_COLUMNS } from "../../../src/show/analysis/tidy_text.ts";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { explainOf, screen } from "../../../src/cli/show/explain.ts";
import { allEntries, entriesFor } from "../../../src/cli/explanations/entries.ts";
import { WARNINGS } from "../../../src/cli/explanations/warnings_table.ts";
import { VERBS } from "../../../src/cli/all.ts";
import { JOB_METRICS } from "../../../src/rawstats/analysis/metrics.ts";
import { MARKER_NAMES } from "../../../src/profile/names.ts";
import { unexplained } from "../../_support/unexplained.ts";
import { reportView } from "../../../src/show/analysis/report_view.ts";
import { parseReport } from "../../../src/formats/report.ts";
import { capture } from "../../_support/capture.ts";

const explain = explainOf(VERBS);
const loaded = await Promise.all(VERBS.map((entry) => entry.load()));
const entries = allEntries(loaded);

Deno.test("explain has every verb, option, signal and word, on one screen of 80 columns", async () => {
  assert(entries.length > 1000, String(entries.length));
  for (const { name } of JOB_METRICS) {
    assert(entriesFor(name, entries).some(({ kind }) => kind === "metric"), name);
  }
  for (const { name } of entries) assert(entriesFor(name, entries).length > 0, name);
  const some = entries.filter(({ kind }, i) => kind !== "signal" || i % 50 === 0);
  for (const [i, name] of [...new Set(some.map(({ name }) => name.replace(/^-+/, "")))].entries()) {
    const found = entriesFor(name, entries), text = screen(found), lines = text.split("\n");
    assert(found.length > 0, name);
    // The program makes all entries for each word.
    if (i % 20 === 0) {
      assertEquals(await capture(explain, [name]), { code: 0, stdout: text, stderr: "" }, name);
    }
    assert(lines.length <= 24, `${name}: ${lines.length} lines`);
    const long = lines.filter((line) => line.length > 80);
    // A name without blanks cannot be cut.
    assert(long.every((line) => !line.trim().slice(0, 76).includes(" ")), `${name}: ${long}`);
  }
});

Deno.test("explain has every key of a replayed report", () => {
  const path = new URL("../../golden/replay/seed_example.report", import.meta.url);
  assertEquals(unexplained(Deno.readTextFileSync(path)), []);
});

Deno.test("explain has the key of every component: with its own meaning, and only with that", () => {
  const names = (word: string) =>
    entriesFor(word, entries).filter(({ kind }) => kind === "field").map(({ name, text }) =>
      name + (/under tree\.$/.test(text.at(-1)!) ? " of a row" : "")
    );
  const general = ["PART-energy (J) of a row", "PART-energy (J)"];
  assertEquals(names("node-energy (J)"), general);
  assertEquals(names("package-energy (J)"), ["package-energy (J)", ...general]);
  assertEquals(names("node-power (W)"), ["PART-power (W) of a row"]);
  assertEquals(names("total-package-energy (J)"), ["total-PART-energy (J)"]);
  assertEquals(names("package trusted at (s)"), ["PART trusted at (s)"]);
  assert(entries.every(({ kind, text }) => kind !== "field" || !/\*[a-z]+\*/.test(text[0])));
});

Deno.test("explain answers the words that the summary, tables and top use", async () => {
  const first = async (word: string) => {
    const { code, stdout, stderr } = await capture(explain, [word]);
    assertEquals([code, stderr], [0, ""], word);
    return stdout.split("\n")[0];
  };
  for (
    const word of [
      ...["by", "missed", "late", "known", "visits", "peak", "idle", "net", "power", "energy"],
      ...["memory", "GPU", "node", "(other CPUs)", "(outside regions)", "(undetermined)"],
      ...[
        "not determined",
        "coarse",
        "~",
        "±",
        "J",
        "W",
        "kWh",
        "p50",
        "p99",
        "throttled",
        "held back",
      ],
      ...["where", "rank", "regions now", "worse", "interval", "p", "peak at most", "by edges"],
      ...["rough", "at least", "ranks", "self", "EDP", "rest of the node", "share", "J/visit"],
      ...["max/mean", "W a host", "next", "note", "FAILED", "INTERRUPTED", "SIMULATED", "monitor"],
      ...["median visit", "counter", "processes", "throttled", "busy", "power now", "works"],
      ...["in part"],
      ...["hidden", "unsupported model", "no change", "driver missing", "no permission", "trusted"],
      ...["update period", "lag", "moving average", "time constant", "resolution"],
      ...["time.duration.ns", "would save at most"],
      ...["marked", "still open", "recovered", "sweet spot", "[not running]", "_[k]", "_[i]"],
      ...["_[g]", ...MARKER_NAMES, "[unknown]"],
    ]
  ) assertEquals((await first(word)).includes("(word)"), true, word);
  for (
    const word of [
      ...["[i]", "[k]", "CalQL", "factor", "every", "body", "not known", "node power"],
      ...[
        "geometric mean",
        "uprobe",
        "landlock",
        "checkpoint",
        "session",
        "restricted",
        "gap",
        "CNL",
      ],
      ...["Caliper", "CrayPat", "CSVW", "Deno", "mpi=all", "pcontrol", "perfstubs", "cname"],
      ...["proxy_epoch", "edit_distance", "mean", "coverage", "lag (s)", "runtime (s)"],
    ]
  ) assertEquals((await first(word)).includes("(word)"), true, word);
  assertEquals([await first("mean"), await first("coverage")], ["mean (word)", "coverage (word)"]);
  assertEquals(await first("EDP"), "EDP (word)");
  assertEquals(await first("CPU_ENERGY@package-0"), "CPU_ENERGY@package-0 (signal)");
  assertEquals(await first("DRAM_ENERGY@package"), "DRAM_ENERGY@package (signal)");
  assertEquals((await capture(explain, ["CPU_ENERGY@nothing-0"])).code, 2);
});

Deno.test("explain has no brackets inside brackets", () => {
  for (const { name, text } of entries) {
    const nested = text.find((one) => /\([^()]*\([^()]*\/[^()]*\)[^()]*\)/.test(one));
    assertEquals(nested, undefined, name);
  }
});

Deno.test("explain needs no folder of pages, and has the key of lines that were lost", async () => {
  const naming = entries.filter(({ text }) => text.some((one) => /\bdocs\/\S+\.md/.test(one)));
  assertEquals(naming.map(({ name }) => name), []);
  const { stdout } = await capture(explain, ["lines", "lost"]);
  assertStringIncludes(stdout.replace(/\s+/g, " "), "number of its lines that are missing");
});

Deno.test("explain has the notes of raw keys", async () => {
  const said = async (word: string) => (await capture(explain, [word])).stdout.replace(/\s+/g, " ");
  assertStringIncludes(
    await said("RAW::llite:read_bytes"),
    "requested, not the bytes that they got",
  );
  for (const key of ["numa:numa_hit", "cpu:iowait"]) {
    assertStringIncludes(await said(`RAW::${key}`), "the value may decrease slightly");
  }
});

Deno.test("explain has the title of each column that show prints of a report", async () => {
  const golden = new URL("../../golden/replay/seed_example.report", import.meta.url).pathname;
  const { tables } = reportView(parseReport(Deno.readTextFileSync(golden)));
  for (const { columns } of tables) {
    for (const { name, unit } of columns.filter(({ detail }) => detail !== true)) {
      const title = unit === undefined ? name : `${name} (${unit})`;
      const { code, stderr } = await capture(explain, title.split(" "));
      assertEquals([code, stderr], [0, ""], title);
    }
  }
});

Deno.test("explain has the notes of the summary", async () => {
  const notes = [
    ["12 % of the samples were missed (13 of 108), 0 late.", "samples missed"],
    [
      "node energy of 2 regions is coarse (~: stream, …): the counter cannot separate the regions.",
      "coarse",
    ],
    ["energy not available: this virtual machine has no energy counter", "no energy"],
    ["the monitor was stalled from 3 to 9 s, and the application ended then.", "stalled"],
    ["the first sample came 2.1 s after the start.", "first sample late"],
    [
      "totals and regions cover 2.1 s of the command's 12.2 s: from the start",
      "command in part",
    ],
    ["node energy is uncertain (±13 %): 3 updates of the counter in 0.3 s.", "uncertain total"],
    ["package energy is a lower limit (read: package 1 until 3.1 s).", "lower limit"],
    [
      "counters of single CPUs were read only at one of 4 samples, because reading takes long.",
      "per-CPU counters read less often",
    ],
    ["12 visits were aggregated in the application.", "aggregated visits"],
    ["to stay within the budget, 9 short visits were aggregated.", "budget"],
    ["5 visits have no name: there was no room for more names.", "names without room"],
    ["calls were ignored: 3 x exit outside of every region", "calls out of order"],
    ["4 records of annotations were damaged and are left out.", "records left out"],
    ["2 events came late, by at most 3 ms.", "late events"],
    ["no region is known", "no region"],
    ["no energy for 11 of 13 functions: the report", "functions without energy"],
    ["20 % of the CPU time is in threads that used less than 25 ms each", "short threads"],
    ["the steps of the PMC log are shorter than 2 ms on average.", "short steps"],
    ['phase: no output line of the command matched "NOPE".', "phase without a match"],
    ["the node was not idle before the run: its CPUs were 30 % busy", "idle"],
    [
      "this machine has more CPUs than the node of --root. CPU c counts as CPU c mod N.",
      "larger machine",
    ],
    ["the monitor used 9.1 % of one core.", "monitor's cost"],
    ["do not compare this run with complete ones", "do not compare"],
  ];
  for (const [note, name] of notes) {
    const { code, stdout } = await capture(explain, note.split(" "));
    assertEquals([code, stdout.split("\n")[0]], [0, `${name} (warning)`], note);
    assertStringIncludes(stdout, "What to do:");
  }
  assert(WARNINGS.length >= notes.length);
});

Deno.test("explain finds a key with its unit, a variable, and an option in all its verbs", async () => {
  const has = async (words: string[], ...texts: string[]) => {
    const { stdout } = await capture(explain, words);
    for (const text of texts) assertStringIncludes(stdout, text);
  };
  await has(["joulemark-node-energy-fit", "(J)"], "joulemark-PART-energy-fit");
  await has(["time-hint-io"], "time under each hint");
  await has(["JOULEMARK_PERIOD"], "--period (option)", "GEOPM_PERIOD");
  await has(["period"], "(word)", "(option)");
  const json = JSON.parse((await capture(explain, ["--json", "CPU_ENERGY"])).stdout);
  assertEquals([json[0].kind, json[0].name], ["signal", "CPU_ENERGY"]);
});

Deno.test("explain knows each column of the long table, and words of the summary and the page", async () => {
  for (const { name } of [...TIDY_COLUMNS, ...SERIES_COLUMNS]) {
    const { code, stdout } = await capture(explain, [name]);
    assertEquals(code, 0, name);
    assertMatch(stdout, new RegExp(`^(also: .*)?${name} \\(column\\)`, "m"), name);
  }
  for (const word of ["node counter", "own energy", "timeline", "package counter"]) {
    const { code, stdout } = await capture(explain, word.split(" "));
    assertEquals(code, 0, word);
    assertMatch(stdout.split("\n")[0], /\(word\)$/);
  }
});

Deno.test("explain of an unknown word names near ones; without any, reports it", async () => {
  const unknown = await capture(explain, ["sync-runtme"]);
  assertEquals([unknown.code, unknown.stdout], [2, ""]);
  assertStringIncludes(unknown.stderr, "sync-runtime");
  assertEquals((await capture(explain, ["\u001b]0;x"])).code, 2);
  assertEquals((await capture(explain, [])).code, 2);
  assertEquals((await capture(explain, [""])).code, 2);
});

Deno.test("explain takes an option with its dashes, and its own options still", async () => {
  const said = async (...words: string[]) => (await capture(explain, words)).stdout;
  const plain = await said("period"), dashed = await said("--period");
  assert(dashed.startsWith("--period (option)"), dashed);
  assert(plain.includes("--period (option)"), plain);
  assertEquals(JSON.parse(await said("--dither", "--json"))[0].name, "--dither");
});
