import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Report } from "../../src/core/report.ts";
import { card } from "../../src/outputs/card.ts";

const fields = (energy: number, seconds: number) => ({
  "runtime (s)": seconds,
  count: 4,
  "sync-runtime (s)": seconds,
  "package-energy (J)": energy,
  "dram-energy (J)": energy / 10,
  "power (W)": energy / seconds,
});

function report(regions: string[]): Report {
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
    }],
  };
}

const FACTS = { absent: new Map<string, string>(), ownCpuS: 0.12, wallS: 12, notes: ["a note"] };

Deno.test("card() tells time, energy, regions, own cost and notes in 80 columns", () => {
  const text = card(report(["solve", "x".repeat(200)]), { ...FACTS, reportPath: "a.report" });
  assertStringIncludes(text, "300.0 J");
  assertStringIncludes(text, "solve");
  assertStringIncludes(text, "1.0 % of one core");
  assertStringIncludes(text, "note: a note");
  assert(text.split("\n").every((line) => line.length <= 80), text);
  assert(text.split("\n").length <= 20);
});

Deno.test("card() never shows a figure for what was not measured", () => {
  const absent = new Map([["CPU_ENERGY", "no /dev/cpu/0/msr; and more"], ["DRAM_ENERGY", "none"]]);
  const text = card(report(["solve"]), { ...FACTS, absent });
  assertStringIncludes(text, "not measured: no /dev/cpu/0/msr");
  assert(!/\d J\b/.test(text), text);
  assert(!/\d W\b/.test(text), text);
});

Deno.test("card() says simulated, and lets no name command the terminal", () => {
  const text = card(report(["\x1b[31mred\x07"]), { ...FACTS, simulated: "simulated node" });
  assertStringIncludes(text, "[simulated node]");
  // deno-lint-ignore no-control-regex
  assertEquals(/[\x00-\x09\x0b-\x1f]/.test(text), false);
});

Deno.test("card() keeps to the first regions where there are many", () => {
  const text = card(report(Array.from({ length: 50 }, (_, i) => `r${i}`)), FACTS);
  assertStringIncludes(text, "and 42 more");
});
