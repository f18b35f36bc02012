import { ReceiverCalls } from "../../_support/receiver_calls.ts";
import { assertEquals, assertStringIncludes } from "@std/assert";
import type { ChannelSpec } from "../../../src/caliper/model/config/channel_spec.ts";
import { readCali } from "../../../src/caliper/query/library.ts";
import { RegionTracker } from "../../../src/marks/tracker/tracker.ts";
import { ALL_ENERGIES, ContextRun } from "../../../src/caliper/channels/run.ts";
import { Batch, type NameTable } from "../../../src/sources/signals/batch.ts";
import { machineOf, NODE } from "./_node.ts";

/** A run of a real tracker, with channels of these variables. */
function runOf(...variables: Record<string, string>[]) {
  return runOn(machineOf((_name, _instance, timeS) => 10 * timeS), variables);
}

function runOn(
  { batch, table }: Pick<ReturnType<typeof machineOf>, "batch" | "table">,
  variables: readonly Record<string, string>[],
) {
  const told: string[] = [], out: string[] = [];
  const run = new ContextRun({
    channels: () => ({
      specs: variables.map((v, i): ChannelSpec => ({
        name: `c${i}`,
        variables: v,
        options: {},
        metadata: {},
        managed: true,
      })),
      remarksAlone: [],
    }),
    defaultName: () => "stdout",
    printer: {
      log: (line) => void told.push(line),
      stdout: (text) => void out.push(text),
      stderr: () => {},
    },
    start: { sec: 5, nsec: 6 },
    rankOf: () => undefined,
  });
  const tracker = new RegionTracker({ topology: NODE, profile: "demo" });
  const recorder = run.begin(tracker, {});
  const calls = new ReceiverCalls(recorder);
  run.attach(batch, table, NODE);
  const step = (timeS: number) => {
    batch.read(timeS);
    batch.settle();
    recorder.samples(timeS, batch);
  };
  /** A process of which tracker and channels hear. */
  const start = (timeS: number, pid: number, cpus: readonly number[]) => {
    const handle = tracker.start(timeS, pid, cpus);
    calls.start(timeS, pid, cpus);
    return handle;
  };
  const mark = (kind: "enter" | "exit", timeS: number, process: number, name: string) => {
    const region = tracker.table.add(name);
    if (kind === "enter") {
      tracker.enter(timeS, process, region, -1, 0);
      calls.enter(timeS, process, region, -1, 0);
    } else {
      tracker.exit(timeS, process, region, 0);
      calls.exit(timeS, process, region, 0);
    }
  };
  return { run, told, out, step, start, mark };
}

const TRACE = { CALI_SERVICES_ENABLE: "event,timer,trace,recorder" };

Deno.test("a run's channels know the tracker's regions, processes and times", () => {
  const { run, out, step, start, mark } = runOf(TRACE);
  step(10);
  const process = start(10.25, 77, [0, 1]);
  mark("enter", 10.5, process, "a");
  mark("exit", 10.75, process, "a");
  step(11);
  run.finish();
  const { records, globals } = readCali(out[0]);
  assertEquals(records.map((r): unknown[] => [Number(r["process.id"]), r["region.count"]]), [[
    77,
    undefined,
  ], [
    77,
    1,
  ]]);
  assertEquals(records.map((r) => r["time.duration.ns"]), [250_000_000, 250_000_000]);
  assertEquals([globals["starttime.sec"], globals["starttime.nsec"]], [5, 6]);
  // Unsigned, as Caliper's: type 2 at the head of its chain.
  const [, parent] = /,data=starttime\.sec,parent=(\d+)$/m.exec(out[0])!;
  assertStringIncludes(out[0], `__rec=node,id=${parent},attr=10,data=1612,parent=2\n`);
});

Deno.test("* stands for the energies that the node has", () => {
  const { run, told, out, step, start, mark } = runOf({
    CALI_SERVICES_ENABLE: "event,joulemark,trace,recorder",
    CALI_JOULEMARK_SIGNALS: ALL_ENERGIES,
  });
  step(0);
  const process = start(0, 77, [0, 1, 2, 3]);
  mark("enter", 1, process, "a");
  step(1);
  run.finish();
  const [record] = readCali(out[0]).records;
  assertEquals([record.CPU_ENERGY, record.BOARD_ENERGY, record.GPU_ENERGY], [20, 10, undefined]);
  assertEquals(told, []);
});

Deno.test("on a node without energies a stream has none, and one line reports it", () => {
  const table: NameTable = { resolve: () => ({ kind: "unknown" }), names: () => [] };
  const variables = {
    CALI_SERVICES_ENABLE: "event,joulemark,trace,recorder",
    CALI_JOULEMARK_SIGNALS: ALL_ENERGIES,
  };
  const { run, told, out, step, start, mark } = runOn({ batch: new Batch(NODE, table), table }, [
    variables,
  ]);
  mark("enter", 0.5, start(0, 77, [0]), "a");
  step(1);
  run.finish();
  assertEquals(readCali(out[0]).records.length, 1);
  assertEquals(told, [
    'no energy in the stream: this node has no readable energy counter. Run "joulemark doctor" for the reason',
  ]);
});

Deno.test("messages of channels are logged once, from any channel at any time", () => {
  const { run, told, step, start, mark } = runOf(
    { CALI_SERVICES_ENABLE: "event,trace,recorder,statistics" },
    { CALI_SERVICES_ENABLE: "event,trace,recorder,nosuch" },
    { CALI_SERVICES_ENABLE: "event,trace,recorder,nosuch" },
  );
  assertEquals(told, ['Service "nosuch" not found!']);
  const process = start(0, 77, [0]);
  mark("enter", 0.5, process, "a");
  step(1);
  run.finish();
  assertEquals(told.slice(1), [
    "statistics: 1 begin, 0 end, 0 set events; 1 snapshots; 1 threads",
  ]);
});

Deno.test("ends of what was not open are logged in one line at the end", () => {
  const { run, told, step, start, mark } = runOf(TRACE);
  const process = start(0, 77, [0]);
  mark("enter", 0.25, process, "a");
  mark("exit", 0.5, process, "b");
  mark("exit", 0.5, process, "c");
  mark("exit", 0.5, process, "a");
  step(1);
  run.finish();
  assertEquals(told, ["2 end calls had no open region"]);
});
