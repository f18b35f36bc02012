/** The tree of regions, and its way through a report. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { buildTree } from "../../../src/energy/totals/build_tree.ts";
import type { Nested } from "../../../src/core/report.ts";
import { PlatformTopology } from "../../../src/core/machine/topology.ts";
import { treeFromNested, treeToNested } from "../../../src/core/region_tree.ts";
import { parseReport, stringifyReport } from "../../../src/formats/report.ts";
import { RegionTracker } from "../../../src/marks/tracker/tracker.ts";

/** Two processes: main around solve (twice around exchange) and output. */
function tracked(): RegionTracker {
  const topology = PlatformTopology.regular({ packages: 1, coresPerPackage: 2, threadsPerCore: 1 });
  const tracker = new RegionTracker({ topology, profile: "nested" });
  for (const [pid, cpu, factor] of [[1, 0, 1], [2, 1, 3]]) {
    const p = tracker.start(0, pid, [cpu]);
    const [main, solve, exchange] = ["main", "solve", "exchange"].map((name) =>
      tracker.region(0, p, name, 0)
    );
    let t = 0;
    const go = (region: number, isEnter: boolean, after: number) => {
      t += after * factor;
      if (isEnter) tracker.enter(t, p, region, -1, 0);
      else tracker.exit(t, p, region, 0);
    };
    go(main, true, 0);
    for (let k = 0; k < 2; k++) {
      go(solve, true, 0.001);
      go(exchange, true, 0.002);
      go(exchange, false, 0.004);
      go(solve, false, 0.001);
    }
    go(exchange, true, 0.001);
    go(exchange, false, 0.001);
    go(main, false, 0.002);
    tracker.shutdown(t, p);
  }
  return tracker;
}

Deno.test("buildTree() has inclusive and own times by path, processes folded", () => {
  const { paths, regionPaths } = tracked();
  const tree = buildTree({ paths, stats: regionPaths.stats, processes: 2 })!;
  const rows = tree.rows.map(({ region, depth, count }) => `${depth} ${region} ${count}`);
  assertEquals(rows, ["0 main 1", "1 solve 2", "2 exchange 2", "1 exchange 1"]);
  const [main, solve, exchange, other] = tree.rows;
  // Means of a process and of one three times as slow.
  assertAlmostEquals(main.runtimeS, 0.02 * 2, 1e-12);
  assertAlmostEquals(main.selfS, 0.005 * 2, 1e-12);
  assertAlmostEquals(solve.runtimeS, 0.014 * 2, 1e-12);
  assertAlmostEquals(solve.selfS, 0.006 * 2, 1e-12);
  assertAlmostEquals(exchange.runtimeS, 0.008 * 2, 1e-12);
  assertAlmostEquals(other.runtimeS, 0.001 * 2, 1e-12);
  const self = tree.rows.reduce((sum, row) => sum + row.selfS, 0);
  assertAlmostEquals(self, main.runtimeS, 1e-12);
  assertAlmostEquals(exchange.visits.minS, 0.004, 1e-12);
  assertAlmostEquals(exchange.visits.maxS, 0.012, 1e-12);
  assertAlmostEquals(exchange.visits.deviationS, Math.sqrt(4 * 0.004 ** 2 / 3), 1e-9);
  assertEquals([...exchange.visits.buckets.values()].reduce((a, b) => a + b), 4);
});

Deno.test("buildTree() sums energies over families, and a report keeps all of it", () => {
  const { paths, regionPaths } = tracked();
  const joules = [1, 10, 20, 40, 80];
  const tree = buildTree({
    paths,
    stats: regionPaths.stats,
    processes: 2,
    energies: {
      kinds: ["node", "package"],
      of: (kind, list) => {
        const exactJ = list.reduce((sum, path) => sum + joules[path], 0);
        const fitJ = kind === "node" ? NaN : exactJ;
        return { exactJ, fitJ, seJ: Math.sqrt(list.length), powerW: exactJ / 2 };
      },
      otherCpus: () => ({ exactJ: 7, fitJ: 7, seJ: 0, powerW: NaN }),
      totalJ: () => 158,
    },
  })!;
  const energies = tree.rows.map(({ energies }) => energies.get("package")!);
  assertEquals(energies.map(({ joules }) => joules), [150, 60, 40, 80]);
  assertEquals(energies.map(({ selfJ }) => selfJ), [10, 20, 40, 80]);
  assertEquals(energies.map(({ seJ }) => seJ), [2, Math.SQRT2, 1, 1]);
  const host = { host: "n", agent: {}, application: {}, joulemark: { tree: treeToNested(tree) } };
  const report = {
    version: "3.1.0",
    startTime: "2024-10-24T08:00:00.000000000-0700",
    profile: "p",
    agent: "monitor",
    policy: "{}",
    header: {},
    hosts: [host],
  };
  const back = treeFromNested(parseReport(stringifyReport(report)).hosts[0].joulemark!.tree)!;
  assertEquals(treeToNested(back), treeToNested(tree));
  assertEquals([...back.rows[0].energies.keys()], ["node", "package"]);
  const node = back.rows[0].energies.get("node")!;
  // What cannot be told stands with the figure of exact edges.
  assert(Number.isNaN(node.joules) && node.exactJ === 150);
});

Deno.test("treeFromNested() takes nothing that is no tree", () => {
  const bad: (Nested | undefined)[] = [undefined, null, 3, [], {}, { rows: 1 }, { rows: [1] }];
  bad.push({ rows: [{ depth: 1 }] });
  for (const nested of bad) assertEquals(treeFromNested(nested), undefined);
});

Deno.test("buildTree() without a marked region is none", () => {
  const topology = PlatformTopology.regular({ packages: 1, coresPerPackage: 2, threadsPerCore: 1 });
  const { paths, regionPaths } = new RegionTracker({ topology });
  assertEquals(buildTree({ paths, stats: regionPaths.stats, processes: 1 }), undefined);
});
