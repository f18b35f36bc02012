/**
 * Nested regions at a high rate: every visit is counted, whatever reads them, and sampling goes on.
 * Counts are exact; how long anything takes is not looked at.
 */
import {
  assert,
  assertAlmostEquals,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { build, endToEnd, joulemark } from "../_support/programs.ts";
import { bestOf } from "../_support/tries.ts";

/** Calls and exclusive seconds by path, from a report's tree. */
function treeOf(report: string): Record<string, { selfS: number; calls: number }> {
  const rows: Record<string, { selfS: number; calls: number }> = {};
  const path: string[] = [];
  for (const line of report.trimEnd().split("\n").slice(1)) {
    const found = /^( *)(\S+) +([0-9.]+) .* (\d+) *$/.exec(line);
    if (found === null) continue;
    path.length = found[1].length / 2;
    path.push(found[2]);
    rows[path.join("/")] = { selfS: Number(found[3]), calls: Number(found[4]) };
  }
  return rows;
}

endToEnd("run counts every nested visit by path, however fast they come", (dir) => {
  const app = build("nested", dir);
  const config = "runtime-report(region.count,output=tree.txt)";
  const out = joulemark(dir, ["run", "--cali-config", config, "--", app, "100000"]);
  assertEquals(out.code, 0, out.stderr);
  const tree = treeOf(Deno.readTextFileSync(`${dir}/tree.txt`));
  const calls = Object.fromEntries(Object.entries(tree).map(([path, row]) => [path, row.calls]));
  assertEquals(calls, {
    "main": 1,
    "main/cycle": 100_000,
    "main/cycle/force": 500_000,
    "main/cycle/force/stress": 500_000,
    "main/cycle/energy": 300_000,
    "worker": 1,
    "worker/step": 400_000,
  });
  const path = `${dir}/joulemark.report`;
  const [host] = parseReport(Deno.readTextFileSync(path), path).hosts;
  const main = host.regions!.find(({ region }) => region === "main")!;
  const runtimeS = Number(main.fields["runtime (s)"]);
  const inMain = Object.entries(tree).filter(([path]) => path.startsWith("main"));
  assertAlmostEquals(inMain.reduce((sum, [, row]) => sum + row.selfS, 0), runtimeS, runtimeS / 100);
});

endToEnd("a trace of events counts the nested visits that it has no room for", (dir) => {
  const app = build("nested", dir);
  const out = joulemark(dir, ["run", "--cali", "trace.cali", "--", app, "60000"]);
  assertEquals(out.code, 0, out.stderr);
  const query = "select *,sum(region.count) group by path format json";
  const found = joulemark(dir, ["query", "-q", query, "trace.cali"]);
  const rows = JSON.parse(found.stdout) as Record<string, string | number>[];
  const calls = Object.fromEntries(
    rows.filter((row) => row.path !== undefined).map((row) => [row.path, row["sum#region.count"]]),
  );
  assertEquals(calls, {
    "main": 1,
    "main/cycle": 60_000,
    "main/cycle/force": 300_000,
    "main/cycle/force/stress": 300_000,
    "main/cycle/energy": 180_000,
    "worker": 1,
    "worker/step": 240_000,
  });
  assertStringIncludes(out.stderr, "nested visits came too fast");

  // The stream says so of itself, by thread and time; `show` prints it.
  const about = joulemark(dir, ["query", "-G", "-q", "format json", "trace.cali"]);
  const [globals] = JSON.parse(about.stdout) as Record<string, string | number>[];
  const folded = Number(globals["joulemark.visits.folded"]);
  const threads = String(globals["joulemark.visits.folded.threads"]).split("; ");
  let sum = 0;
  for (const text of threads) {
    const [, visits, from, until] = /^process \d+(?:, thread \d+)?: (\d+) from (\S+) to (\S+) s$/
      .exec(text)!;
    sum += Number(visits);
    assert(Number(from) <= Number(until), text);
  }
  assertEquals(sum, folded);
  const shown = joulemark(dir, ["show", "trace.cali"]);
  assertStringIncludes(shown.stdout, `${folded} visits came too fast to be recorded in order`);
  // Where a part of the visits has no time, none is told.
  assertMatch(shown.stdout, /^ +stress +300000 +- +-/m);
  assertMatch(shown.stdout, /^main +1 +\d\S* /m);
  assertStringIncludes(shown.stdout, threads[0]);
}, 120);

endToEnd(
  "nested regions that come too fast for their order have the energy of their time, or none",
  (dir) => {
    const app = build("deep", dir);
    bestOf(3, () => {
      assertEquals(joulemark(dir, ["run", "-q", "--simulate", "--", app, "4"]).code, 0);
      const text = Deno.readTextFileSync(`${dir}/joulemark.report`);
      assertStringIncludes(text, "nested visits came too fast");
      const [host] = parseReport(text, "joulemark.report").hosts;
      const { rows } = host.joulemark!.tree as unknown as { rows: Record<string, number>[] };
      const [main, ...nested] = rows.map((row) => ({
        region: row.region,
        seconds: Number(row["runtime (s)"]),
        joules: Number(row["package-energy (J)"]),
        seJ: Number(row["package-energy-se (J)"]),
      }));
      assertEquals(nested.map(({ region }) => String(region)), ["a", "b", "c"]);
      // A monitor that had no CPU for most of the time knows no energy at all.
      if (Number.isNaN(main.joules)) {
        assertEquals(nested.map(({ joules }) => joules), [NaN, NaN, NaN]);
        return assertStringIncludes(text, "stalled from");
      }
      // All of it draws the same power; in steps of one mix their powers cannot be separated.
      assert(main.joules > 0 && main.seJ > 0, text);
      for (const { region, seconds, joules, seJ } of nested) {
        if (Number.isNaN(joules)) continue;
        const trueJ = main.joules * seconds / main.seconds;
        assertAlmostEquals(joules, trueJ, 4 * seJ + 0.02 * trueJ, String(region));
      }
    });
  },
  120,
);

endToEnd("a replay has the nested visits that the recording had no room for", (dir) => {
  const app = build("nested", dir);
  const out = joulemark(dir, ["run", "--record", "recording", "--", app, "60000"]);
  assertEquals(out.code, 0, out.stderr);
  const config = "runtime-report(region.count,output=tree.txt)";
  const again = joulemark(dir, ["replay", "recording", "--cali-config", config]);
  assertEquals(again.code, 0, again.stderr);
  const tree = treeOf(Deno.readTextFileSync(`${dir}/tree.txt`));
  const calls = Object.fromEntries(Object.entries(tree).map(([path, row]) => [path, row.calls]));
  assertEquals(calls, {
    "main": 1,
    "main/cycle": 60_000,
    "main/cycle/force": 300_000,
    "main/cycle/force/stress": 300_000,
    "main/cycle/energy": 180_000,
    "worker": 1,
    "worker/step": 240_000,
  });
}, 120);
