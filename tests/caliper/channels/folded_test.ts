/** Channels over threads whose visits are folded by path. */
import { assertAlmostEquals, assertEquals } from "@std/assert";
import { needsOrder } from "../../../src/caliper/channels/order.ts";
import { PROPERTY } from "../../../src/caliper/model/attribute.ts";
import { parseConfigString } from "../../../src/caliper/model/config/config_string.ts";
import { TYPE } from "../../../src/core/events/ring_layout.ts";
import { ROOT } from "../../../src/core/path_stats.ts";
import { query } from "../../../src/caliper/query/library.ts";
import { ContextNode } from "./_node.ts";

const PROFILE = {
  CALI_SERVICES_ENABLE: "event,timer,aggregate,recorder",
  CALI_EVENT_ENABLE_SNAPSHOT_INFO: "false",
};

const STEP = { type: TYPE.int, properties: 1 };

function fold(
  node: ContextNode,
  timeS: number,
  path: number,
  { count = 0, sumMs = 0, selfMs = 0, minMs = Infinity, maxMs = -Infinity, thread = 0 },
): void {
  node.calls.folded(timeS, 0, thread, {
    path,
    count,
    sumNs: sumMs * 1e6,
    sumSquareNs2: 0,
    minNs: minMs * 1e6,
    maxNs: maxMs * 1e6,
    selfNs: selfMs * 1e6,
  });
}

Deno.test("a folding thread's visits and times are those of its paths, not of its marks", () => {
  const node = new ContextNode([PROFILE]);
  const process = node.start(0, 100, [0]);
  const main = node.paths.add(ROOT, "main"), solve = node.paths.add(main, "solve");
  node.step(0);
  node.calls.folding(0.1, process, 0);
  node.enter(0.1, process, "main");
  fold(node, 0.5, main, { selfMs: 100 });
  fold(node, 0.5, solve, { count: 1_000_000, sumMs: 300, selfMs: 300, minMs: 1e-4, maxMs: 5 });
  node.step(0.5);
  fold(node, 1, solve, { count: 500_000, sumMs: 400, selfMs: 400, minMs: 1e-4, maxMs: 6 });
  node.exit(1, process, "main");
  fold(node, 1, main, { count: 1, sumMs: 900, selfMs: 100, minMs: 900, maxMs: 900 });
  node.step(1);
  node.recorder.finish();
  const found = JSON.parse(query(
    "select *,sum(sum#region.count),sum(sum#time.duration.ns),sum(count) group by path format json",
    [node.channels[0].flush()],
  ));
  const by = (path: string) => found.find((row: { path?: string }) => row.path === path);
  assertEquals(by("main")["sum#sum#region.count"], 1);
  assertEquals(by("main")["sum#sum#time.duration.ns"], 200e6);
  assertEquals(by("main/solve")["sum#sum#region.count"], 1_500_000);
  assertEquals(by("main/solve")["sum#sum#time.duration.ns"], 700e6);
  // A snapshot is taken at the end of a region, and where another one begins in it.
  assertEquals(by("main")["sum#count"], 1_500_001);
});

Deno.test("a folding thread's energy follows the time of its paths in each interval", () => {
  const node = new ContextNode([{
    ...PROFILE,
    CALI_SERVICES_ENABLE: "event,timer,joulemark,aggregate,recorder",
    CALI_JOULEMARK_SIGNALS: "BOARD_ENERGY",
  }], { value: (_n, _i, timeS) => timeS <= 1 ? 100 * timeS : 100 + 300 * (timeS - 1) });
  const process = node.start(0, 100, [0, 1, 2, 3]);
  const a = node.paths.add(ROOT, "a"), b = node.paths.add(ROOT, "b");
  node.step(0);
  node.calls.folding(0, process, 0);
  fold(node, 1, a, { selfMs: 750 });
  fold(node, 1, b, { selfMs: 250 });
  node.step(1);
  fold(node, 2, a, { count: 3, sumMs: 1000, selfMs: 250 });
  fold(node, 2, b, { count: 5, sumMs: 1000, selfMs: 750 });
  node.step(2);
  node.recorder.finish();
  const found = JSON.parse(query(
    "select *,sum(sum#BOARD_ENERGY),sum(sum#region.count) group by path format json",
    [node.channels[0].flush()],
  ));
  const by = (path: string) => found.find((row: { path?: string }) => row.path === path);
  assertAlmostEquals(by("a")["sum#sum#BOARD_ENERGY"], 75 + 75, 1e-3);
  assertAlmostEquals(by("b")["sum#sum#BOARD_ENERGY"], 25 + 225, 1e-3);
  assertEquals([by("a")["sum#sum#region.count"], by("b")["sum#sum#region.count"]], [3, 5]);
});

Deno.test("values that a folding thread sets are in the path that it is in", () => {
  const node = new ContextNode([{ ...PROFILE, CALI_AGGREGATE_KEY: "step" }]);
  const process = node.start(0, 100, [0]);
  const main = node.paths.add(ROOT, "main"), loop = node.paths.add(main, "iterate", "", "loop");
  node.calls.folding(0, process, 0);
  node.calls.inPath(0.1, process, 0, loop);
  node.attribute(0.1, process, "begin", "step", 7, STEP);
  node.attribute(0.2, process, "end", "step");
  node.calls.inPath(0.3, process, 0, main);
  node.attribute(0.3, process, "begin", "step", 8, STEP);
  node.attribute(0.4, process, "end", "step");
  node.step(1);
  node.recorder.finish();
  const found = JSON.parse(query(
    "select *,sum(sum#region.count) where step group by step,path format json",
    [node.channels[0].flush()],
  ));
  assertEquals(
    found.map((row: Record<string, unknown>) => [row.step, row.path, row["sum#sum#region.count"]]),
    [[7, "main/iterate", 1], [8, "main", 1]],
  );
});

Deno.test("visits without room, of a thread that keeps the order, join its snapshots", () => {
  const node = new ContextNode([{ CALI_SERVICES_ENABLE: "event,timer,trace,recorder" }]);
  const process = node.start(0, 100, [0]);
  const main = node.paths.add(ROOT, "main"), solve = node.paths.add(main, "solve");
  node.step(0);
  node.enter(0.1, process, "main");
  fold(node, 0.9, solve, { count: 1000, sumMs: 600, selfMs: 600 });
  node.exit(1, process, "main");
  node.step(1);
  assertEquals(node.column("region.count"), [undefined, 1000, 1]);
  assertEquals(node.column("time.duration.ns"), [100e6, 600e6, 300e6]);
  assertEquals(node.column("region"), [undefined, ["main", "solve"], ["main"]]);
});

Deno.test("needsOrder() recognizes which of Caliper's configurations sum up by path", () => {
  const facts = { mpi: false, behaviorOf: () => "monotone" as const };
  const order = (text: string) => parseConfigString(text, facts).channels.map(needsOrder);
  for (
    const text of [
      "runtime-report",
      "runtime-report(region.count,energy)",
      "runtime-profile",
      "hatchet-region-profile",
      "spot",
      "runtime-report(profile.mpi)",
    ]
  ) assertEquals([text, ...order(text)], [text, false]);
  for (
    const text of [
      "event-trace",
      "loop-report",
      "sample-report",
      "runtime-report(include_regions=solve)",
      "runtime-report(mem.highwatermark)",
      "runtime-report(loop.stats)",
      "openmp-report",
      "runtime-report(openmp.times)",
    ]
  ) assertEquals([text, order(text).includes(true)], [text, true]);
  const variables = {
    CALI_SERVICES_ENABLE: "event,timer,aggregate,report",
    CALI_EVENT_ENABLE_SNAPSHOT_INFO: "false",
  };
  const made = (more: Record<string, string>) =>
    needsOrder({
      name: "x",
      options: {},
      metadata: {},
      managed: false,
      variables: { ...variables, ...more },
    });
  assertEquals(made({}), false);
  assertEquals(made({ CALI_REPORT_CONFIG: "select * group by path format tree" }), false);
  assertEquals(made({ CALI_REPORT_CONFIG: "select * group by iteration#loop" }), true);
  assertEquals(made({ CALI_REPORT_CONFIG: "select max(max#time.duration.ns)" }), true);
  const chosen = (condition: string) =>
    made({ CALI_REPORT_CONFIG: `select sum(count) where ${condition} group by path` });
  assertEquals(["region=solve", "sum#time.duration.ns>5", "not loop"].map(chosen), [
    false,
    false,
    false,
  ]);
  assertEquals(["kernel=axpy", "path,omp.work", "not omp.sync"].map(chosen), [true, true, true]);
  assertEquals(made({ CALI_EVENT_ENABLE_SNAPSHOT_INFO: "true" }), true);
  assertEquals(made({ CALI_SERVICES_ENABLE: "event,trace,recorder" }), true);
  assertEquals(made({ CALI_AGGREGATE_KEY: "iteration#loop" }), true);
});

Deno.test("visits without room are below the values of the process that they came in", () => {
  const node = new ContextNode([{ CALI_SERVICES_ENABLE: "event,timer,aggregate,recorder" }]);
  const process = node.start(0, 100, [0]), properties = PROPERTY.process_scope | PROPERTY.nested;
  const main = node.paths.add(ROOT, "main"), visits = { count: 1000, sumMs: 10, selfMs: 10 };
  node.step(0);
  node.enter(0.1, process, "main");
  for (const [i, value] of ["first", "second"].entries()) {
    const stage = node.paths.add(main, value, "", "stage");
    node.attribute(0.2 + 0.4 * i, process, "begin", "stage", value, { properties });
    node.enter(0.3 + 0.4 * i, process, "work");
    node.exit(0.4 + 0.4 * i, process, "work");
    node.attribute(0.5 + 0.4 * i, process, "end", "stage");
    // they are emitted behind its end
    fold(node, 0.5 + 0.4 * i, node.paths.add(stage, "work"), visits);
  }
  node.exit(0.95, process, "main");
  node.step(1);
  node.recorder.finish();
  const found = JSON.parse(query(
    "select sum(count) as n,event.end#region,stage where event.end#region=work " +
      "group by event.end#region,stage format json",
    [node.channels[0].flush()],
  ));
  assertEquals(found.map(({ n, path }: Record<string, unknown>) => [path, n]), [
    ["first", 1001],
    ["second", 1001],
  ]);
});
