import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { hostTotals, totalsFromNested, totalsToNested } from "../../../src/core/job_totals.ts";
import type { Nested, Report, ReportHost } from "../../../src/core/report.ts";
import { parseReport, stringifyReport } from "../../../src/formats/report.ts";
import { card } from "../../../src/run/outputs/card.ts";
import { count, quantity, time, withError } from "../../../src/run/outputs/card_text.ts";

const fields = (energy: number, seconds: number) => ({
  "runtime (s)": seconds,
  count: 4,
  "sync-runtime (s)": seconds,
  "package-energy (J)": energy,
  "dram-energy (J)": energy / 10,
  "power (W)": energy / seconds,
});

const OVERHEAD: { [key: string]: Nested } = {
  overhead: { "cpu (s)": 0.12, "cpu (% of a core)": 1, "resident memory (KiB)": 60_000 },
  notes: ["a note; do that"],
};

function report(regions: string[], joulemark: { [key: string]: Nested } = {}): Report {
  return {
    version: "3.1.0",
    startTime: "2024-10-24T08:00:00.000000000-0700",
    profile: "demo",
    agent: "monitor",
    policy: "{}",
    header: {},
    hosts: [{
      host: "node01",
      agent: {},
      regions: regions.map((region) => ({ region, hash: 1, fields: fields(50, 2) })),
      unmarked: fields(10, 1),
      application: fields(300, 12),
      joulemark: { ...OVERHEAD, ...joulemark },
    }],
  };
}

/** A tree's row, by what is not usual in it. */
const row = (region: string, depth: number, energies: { [key: string]: Nested }): Nested => ({
  region,
  depth,
  count: 4,
  "runtime (s)": 2,
  "runtime-self (s)": 1,
  ...energies,
});

/** Node and package, of which the node's can be told. */
const TREE: Nested = {
  processes: 2,
  rows: [
    row("main", 0, {
      "node-energy (J)": 210_234,
      "node-energy-se (J)": 112,
      "node-power (W)": 402.5,
      "package-energy (J)": NaN,
      "package-energy-exact (J)": 151_000,
    }),
    row("solve", 1, {
      "node-energy (J)": NaN,
      "node-energy-exact (J)": 12_345,
      "node-power (W)": 300,
      "package-energy (J)": 9000,
      "package-energy-se (J)": 3,
    }),
  ],
  unmarked: { "node-energy (J)": 4, "node-energy-se (J)": 0.1, "node-power (W)": 80 },
};

Deno.test("card() has time, energy, regions, own cost and notes in 80 columns and 20 lines", () => {
  const names = ["solve", "x".repeat(200), ..."abcdefghijklmnopq"];
  const notes = Array.from({ length: 9 }, (_, i) => `note ${i} ${"and so on ".repeat(20)}`);
  const text = card(report(names, { notes }), { reportPath: "a.report" });
  assertStringIncludes(text, "300.0 J");
  assertStringIncludes(text, "solve");
  assertStringIncludes(text, "1.0 % of one core");
  assertStringIncludes(text, "note: note 0");
  assertStringIncludes(text, "and 6 more under notes");
  assert(text.split("\n").every((line) => line.length <= 80), text);
  assert(text.trimEnd().split("\n").length <= 20, text);
  assertStringIncludes(text, "package, sampled");
});

Deno.test("card() never shows a figure for what was not measured", () => {
  const sources = {
    CPU_ENERGY: {
      absent: "no /dev/cpu/0/msr, perf_event_paranoid is 2 and CAP_PERFMON is not held; and more",
    },
    DRAM_ENERGY: { absent: "none" },
  };
  const text = card(report(["solve"], { sources }));
  assertStringIncludes(text, "not measured: no /dev/cpu/0/msr");
  assert(text.split("\n").every((line) => line.length <= 80), text);
  assertStringIncludes(text.replaceAll(/\s+/g, " "), "is not held; more by joulemark doctor");
  assert(!/\d J\b/.test(text), text);
  assert(!/\d W\b/.test(text), text);
});

Deno.test("card() prints simulated, and lets no name command the terminal", () => {
  const text = card(report(["\x1b[31mred\x07"], { simulated: "simulated node" }));
  assertStringIncludes(text, "[simulated node]");
  // deno-lint-ignore no-control-regex
  assertEquals(/[\x00-\x09\x0b-\x1f]/.test(text), false);
});

Deno.test("card() keeps to the first regions where there are many", () => {
  const text = card(report(Array.from({ length: 50 }, (_, i) => `r${i}`)));
  assertStringIncludes(text, "and 42 more");
});

Deno.test("card() shows the rows with most time, each below those that it is in", () => {
  const of = (region: string, depth: number, seconds: number): Nested => ({
    region,
    depth,
    count: 1,
    "runtime (s)": seconds,
    "runtime-self (s)": 1,
    "package-energy (J)": 9,
  });
  const small = Array.from({ length: 9 }, (_, i) => of(`small ${i}`, 2, 1 - i / 10));
  const rows = [of("main", 0, 10), of("solve", 1, 9), ...small, of("thread's", 0, 8)];
  const tree = { processes: 1, rows: [...rows, of("inside", 1, 7)] };
  const lines = card(report(["main"], { tree })).split("\n");
  const from = lines.findIndex((line) => line.startsWith("main"));
  const names = lines.slice(from, from + 9).map((line) => line.slice(0, 22).trimEnd());
  assertEquals(
    names,
    [
      ...["main", "  solve", "    small 0", "    small 1", "    small 2", "    small 3"],
      ...["thread's", "  inside", "... and 5 more in the r"],
    ].map((name) => name.slice(0, 22).trimEnd()),
  );
});

Deno.test("card() has one estimator a row, the most inclusive first, and marks what is by edges", () => {
  const text = card(report(["main"], { tree: TREE }));
  const lines = text.split("\n");
  const at = lines.findIndex((line) => line.startsWith("region"));
  assert(/node +power +package$/.test(lines[at]), lines[at]);
  assert(/^main .*210\.23 ± 0\.11 kJ +402\.5 W +~151\.0 kJ$/.test(lines[at + 1]), lines[at + 1]);
  assert(/^ {2}solve .* ~12\.35 kJ +300\.0 W +9000 J$/.test(lines[at + 2]), lines[at + 2]);
  assert(/^\(outside regions\) .*4\.00 ± 0\.10 J/.test(lines[at + 3]), lines[at + 3]);
  assert(!text.includes("sampled"), text);
});

Deno.test("card() of a report that was written and read again is the same", () => {
  const made = report(["main", "other"], { tree: TREE });
  const [host] = made.hosts;
  host.joulemark!.totals = totalsToNested(hostTotals(host, new Map([["package", 31.25]])));
  const again = parseReport(stringifyReport(made));
  assertEquals(card(again, { reportPath: "r" }), card(made, { reportPath: "r" }));
  assertStringIncludes(card(again), "peak 31.25 W");
});

Deno.test("hostTotals() takes our own figures before GEOPM's, and parts for what they are", () => {
  const host: ReportHost = {
    host: "n",
    agent: {},
    application: {
      ...fields(300, 12),
      "joulemark-package-energy-exact (J)": 301,
      "joulemark-package-energy-idle (J)": 100,
      "joulemark-package-energy-net (J)": 200,
      "joulemark-node-energy-exact (J)": 500,
      "dram-energy (J)": NaN,
      "joulemark-dram-energy-known (J)": 7,
      "joulemark-dram-power-known (W)": 2,
      "joulemark-dram-energy-coverage (%)": 40,
      "gpu-energy (J)": 0,
    },
    joulemark: {
      sources: {
        GPU_ENERGY: { absent: "no GPU" },
        CPU_ENERGY: { quality: "measured", source: "/sys/x" },
      },
    },
  };
  const totals = hostTotals(host);
  assertEquals([...totals.components.keys()], ["node", "package", "dram"]);
  assertEquals(totals.edp, 6000);
  const { joules, netJ, source, meanW } = totals.components.get("package")!;
  assertEquals([joules, netJ, source, meanW], [301, 200, "measured, /sys/x", 301 / 12]);
  const peakOf = (watts: number) =>
    hostTotals(host, new Map([["package", watts]])).components.get("package")!.peakW;
  assertEquals([peakOf(30), peakOf(25)], [30, 301 / 12], "no peak is below the mean");
  const dram = totals.components.get("dram")!;
  assertEquals([dram.joules, dram.meanW, dram.coverage], [7, 2, 0.4]);
  assertEquals(totalsFromNested(totalsToNested(totals))!.components.get("dram")!.joules, 7);
  assertEquals(totalsFromNested({}), undefined);
});

Deno.test("figures of a card have units for people and no exponent", () => {
  assertEquals(quantity(210_200, "J"), "210.2 kJ");
  assertEquals(quantity(9999, "J"), "9999 J");
  assertEquals(quantity(0.0312, "J"), "0.03120 J");
  assertEquals(quantity(1.5e9, "J"), "1.500 GJ");
  assertEquals(quantity(NaN, "J"), "-");
  assertEquals(withError(2622.41, 1.9, "J"), "2622.4 ± 1.9 J");
  assertEquals(withError(210_234, 112, "J"), "210.23 ± 0.11 kJ");
  assertEquals(time(3.3891), "3.389 s");
  assertEquals(time(0.0000123), "12.30 µs");
  assertEquals(time(7325), "2 h 02 min");
  assertEquals(count(1.5), "1.5");
  assertEquals(count(123_456_789), "123.5 M");
  for (let e = -9; e < 16; e++) assert(!/e[+-]/.test(quantity(1.2345 * 10 ** e, "J")));
});
