/** The order of runs: blocks of a benchmark, and what a slow change of the node does. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import type { NamedReport } from "../../../src/show/analysis/comparable.ts";
import { benchPlace, orderWarnings, pairedBlocks } from "../../../src/show/analysis/run_order.ts";
import { hostReport } from "../../job/merge/_generated.ts";

/** A run that starts at a second of the day. */
function run(second: number, bench?: { set: string; block: number; seed?: number }): NamedReport {
  const report = hostReport("n1", second, { regions: 0 });
  const text = [3600, 60, 1].map((size) => Math.floor(second / size) % 60);
  report.startTime = `2024-10-24T${text.map((n) => String(n).padStart(2, "0")).join(":")}.5+0000`;
  if (bench !== undefined) report.joulemark = { bench: { position: 1, seed: 7, ...bench } };
  return { name: String(second), report };
}

Deno.test("runs of two commands of one benchmark are pairs, and no others", () => {
  const set = (name: string, blocks: number[], seed = 7) => {
    return blocks.map((block) => run(block, { set: name, block, seed }));
  };
  const pairs = pairedBlocks(set("A", [1, 2, 3]), set("B", [3, 2, 5]))!;
  assertEquals(pairs.a.map(({ report }) => benchPlace(report)!.block), [2, 3]);
  assertEquals(pairs.b.map(({ report }) => benchPlace(report)!.block), [2, 3]);
  assertEquals(pairedBlocks(set("A", [1]), set("B", [1], 8)), undefined);
  assertEquals(pairedBlocks(set("A", [1]), set("A", [1])), undefined);
  assertEquals(pairedBlocks(set("A", [1, 1]), set("B", [1])), undefined);
  assertEquals(pairedBlocks([run(1)], set("B", [1])), undefined);
});

Deno.test("sets that follow each other, a drift and a first run apart are reported", () => {
  const seconds = [...Array(12).keys()];
  const at = (list: number[]) => list.map((second) => run(second));
  const noise = [0.1, -0.2, 0.3, -0.1, 0.2, -0.3];
  const values = noise.map((one) => 100 + one);
  const [first, last] = [at(seconds.slice(0, 6)), at(seconds.slice(6))];
  const [after] = orderWarnings("energy", ["A", "C"], [first, last], [values, values]);
  assertStringIncludes(after, "All A runs came before all C runs");
  const [before] = orderWarnings("energy", ["A", "C"], [last, first], [values, values]);
  assertStringIncludes(before, "All C runs came before all A runs");
  const even = at(seconds.filter((i) => i % 2 === 0)), odd = at(seconds.filter((i) => i % 2 === 1));
  assertEquals(orderWarnings("energy", ["A", "C"], [even, odd], [values, values]), []);
  const growing = values.map((value, i) => value * (1 + 0.01 * i));
  const [drift, ...others] = orderWarnings("energy", ["A", "C"], [even, odd], [growing, growing]);
  assertStringIncludes(drift, "energy per run grew by 5");
  assertEquals(others, []);
  const cold = [120, ...values.slice(1)];
  const warnings = orderWarnings("energy", ["A", "C"], [even, odd], [values, cold]);
  assertStringIncludes(warnings.at(-1)!, "energy of the first run of C is 20 % above");
  // Of runs without a known order nothing is reported.
  const same = Array.from({ length: 6 }, () => run(5));
  assertEquals(orderWarnings("energy", ["A", "C"], [same, same], [growing, cold]), []);
});
