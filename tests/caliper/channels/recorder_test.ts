import { assertAlmostEquals, assertEquals } from "@std/assert";
import { PROPERTY, SNAPSHOT_NAME, TYPE } from "../../../src/core/events/ring_layout.ts";
import {
  type FrameSource,
  FunctionSamples,
} from "../../../src/caliper/channels/function_samples.ts";
import { ROOT } from "../../../src/core/path_stats.ts";
import { ContextNode } from "./_node.ts";

const TRACE = { CALI_SERVICES_ENABLE: "event,timer,trace,recorder" };
const EVENTS = { CALI_SERVICES_ENABLE: "event,trace,recorder" };

const withSignals = (names: string) => ({
  CALI_SERVICES_ENABLE: "event,joulemark,trace,recorder",
  CALI_JOULEMARK_SIGNALS: names,
});

Deno.test("events wait for the sample that settles them, and are emitted at their own times", () => {
  const node = new ContextNode([TRACE]);
  const process = node.start(0, 100, [0]);
  node.step(0);
  node.enter(0.25, process, "a");
  node.exit(0.75, process, "a");
  assertEquals(node.records(), []);
  node.step(1);
  assertEquals(node.column("time.offset.ns"), [250_000_000, 750_000_000]);
  assertEquals(node.column("time.duration.ns"), [250_000_000, 500_000_000]);
  assertEquals(node.column("process.id"), ["100", "100"]);
});

Deno.test("snapshots between two steps get counters as they were in between", () => {
  const node = new ContextNode([withSignals("BOARD_ENERGY,CPU_POWER")], {
    value: (name, _, timeS) => name === "CPU_POWER" ? 50 : 100 * timeS * timeS,
  });
  const process = node.start(0, 100, [0, 1, 2, 3]);
  node.step(0);
  node.enter(0.25, process, "a");
  node.exit(0.75, process, "a");
  node.step(1);
  node.enter(1.5, process, "a");
  node.exit(2, process, "a");
  node.step(2);
  // 100 J grew evenly in the first second, 300 J in the next.
  assertEquals(node.column("BOARD_ENERGY"), [25, 50, 25 + 150, 150]);
  assertEquals(node.column("CPU_POWER"), [100, 100, 100, 100]);
});

Deno.test("events after the last sample are emitted at the end, without counters", () => {
  const node = new ContextNode([withSignals("BOARD_ENERGY")], { value: (_n, _i, s) => 10 * s });
  const process = node.start(0, 100, [0]);
  node.step(0);
  node.enter(0.5, process, "a");
  node.step(1);
  node.exit(1.5, process, "a");
  assertEquals(node.column("BOARD_ENERGY"), [5]);
  node.recorder.finish();
  assertEquals(node.column("BOARD_ENERGY"), [5, undefined]);
  assertEquals(node.records()[1]["event.end#region"], "a");
});

Deno.test("a run without a single sample is emitted whole at the end", () => {
  const node = new ContextNode([TRACE]);
  const process = node.start(0, 100, [0]);
  node.enter(0.25, process, "a");
  node.exit(0.5, process, "a");
  node.end(0.5, process);
  node.recorder.finish();
  assertEquals(node.column("time.offset.ns"), [250_000_000, 500_000_000]);
});

Deno.test("ends that match nothing are counted and change nothing", () => {
  const node = new ContextNode([EVENTS]);
  const process = node.start(0, 100, [0]);
  node.exit(0.1, process, "never");
  node.enter(0.2, process, "a");
  node.exit(0.3, process, "b");
  node.exit(0.35, process, "a", 7);
  node.exit(0.4, process, "a");
  node.step(1);
  assertEquals(node.recorder.unmatched, 3);
  assertEquals(node.column("region"), [undefined, ["a"]]);
  assertEquals(node.channels[0].log, []);
});

Deno.test("a region that an attribute announced has that attribute only", () => {
  const node = new ContextNode([EVENTS]);
  const process = node.start(0, 100, [0]);
  // As the ring has CALI_MARK_LOOP_BEGIN, CALI_MARK_PHASE_BEGIN: the attribute, then the region.
  const properties = PROPERTY.enterFollows | 256;
  for (const [name, value] of [["phase", "setup"], ["loop", "steps"], ["comm.region", "halo"]]) {
    node.attribute(0.1, process, "begin", name, value, { properties });
    node.enter(0.1, process, value);
    node.enter(0.2, process, "inside");
    node.exit(0.3, process, "inside");
    node.exit(0.4, process, value);
    node.attribute(0.4, process, "end", name);
  }
  node.step(1);
  assertEquals(node.recorder.unmatched, 0);
  assertEquals(node.channels[0].log, []);
  const inside = node.records().filter((record) => record["event.begin#region"] === "inside");
  assertEquals(inside.map(({ phase, loop, "comm.region": comm }) => [phase, loop, comm]), [
    [["setup"], undefined, undefined],
    [undefined, ["steps"], undefined],
    [undefined, undefined, ["halo"]],
  ]);
  const regions = node.records().flatMap((record) => record["event.begin#region"] ?? []);
  assertEquals(regions, ["inside", "inside", "inside"]);
});

Deno.test("an attribute announces a region of its own thread only", () => {
  const node = new ContextNode([EVENTS]);
  const process = node.start(0, 100, [0]);
  node.attribute(0.1, process, "begin", "phase", "p", { properties: PROPERTY.enterFollows | 256 });
  node.enter(0.15, process, "elsewhere", 7);
  node.enter(0.2, process, "p");
  node.step(1);
  const begun = node.records().flatMap((record) => record["event.begin#region"] ?? []);
  assertEquals(begun, ["elsewhere"]);
});

Deno.test("the name of snapshots takes one, in every channel", () => {
  const plain = { CALI_SERVICES_ENABLE: "trace,recorder" };
  const node = new ContextNode([plain, plain]);
  const process = node.start(0, 100, [0]);
  node.enter(0.1, process, "a");
  node.attribute(0.2, process, "set", SNAPSHOT_NAME);
  node.step(1);
  for (const channel of [0, 1]) {
    assertEquals(node.records(channel), [{ "process.id": "100", region: ["a"] }]);
  }
});

Deno.test("attributes keep type, properties and digits; globals become run metadata", () => {
  const node = new ContextNode([{ CALI_SERVICES_ENABLE: "trace,recorder" }]);
  const process = node.start(0, 100, [0]);
  const asValue = { properties: 1 };
  node.attribute(0.1, process, "set", "x", 0.1, { ...asValue, type: TYPE.double });
  node.attribute(0.1, process, "set", "far", "18446744073709551615", {
    ...asValue,
    type: TYPE.uint,
  });
  node.attribute(0.1, process, "set", "on", 1, { ...asValue, type: TYPE.bool });
  node.attribute(0.1, process, "set", "size", 64, { properties: 512, type: TYPE.int });
  node.attribute(0.2, process, "set", SNAPSHOT_NAME);
  node.step(1);
  const [record] = node.records();
  assertEquals(record, {
    "process.id": "100",
    x: 0.1,
    far: 18446744073709551615n,
    on: true,
    size: 64,
  });
  const { tree } = node.channels[0];
  assertEquals(tree.isGlobal(tree.attributeByName("size")), true);
});

Deno.test("iterations of a loop carry the mark by which loop services know them", () => {
  const node = new ContextNode([{
    CALI_SERVICES_ENABLE: "loop_monitor,trace,recorder",
    CALI_LOOP_MONITOR_ITERATION_INTERVAL: "2",
  }]);
  const process = node.start(0, 100, [0]);
  node.attribute(0.1, process, "begin", "loop", "l", { properties: PROPERTY.enterFollows | 256 });
  node.enter(0.1, process, "l");
  for (let i = 0; i < 4; i++) {
    const type = TYPE.int, properties = 1;
    node.attribute(0.2, process, "begin", "iteration#l", i, { type, properties });
    node.attribute(0.3, process, "end", "iteration#l");
  }
  node.step(1);
  assertEquals(node.column("loop.iterations"), [0, 2, 2]);
  assertEquals(node.column("loop.start_iteration"), [undefined, 0, 2]);
});

Deno.test("folded visits are one record with their number and their time", () => {
  const node = new ContextNode([TRACE]);
  const process = node.start(0, 100, [0]);
  node.enter(0.1, process, "a");
  node.calls.shortVisits(0.5, process, node.region("tiny"), 1000, 0.25, 0);
  node.calls.shortVisits(0.5, process, node.region("MPI_Send"), 1000, 0.25, 0);
  node.exit(0.6, process, "a");
  node.step(1);
  const [, folded, end] = node.records();
  // They are outermost visits, as in the report.
  assertEquals(folded.region, ["tiny"]);
  assertEquals([folded["region.count"], folded["time.duration.ns"]], [1000, 250_000_000]);
  assertEquals(end["time.duration.ns"], 250_000_000);
  assertEquals(node.records().length, 3);
});

Deno.test("folded visits have the time after the first of them", () => {
  const node = new ContextNode([TRACE]);
  const process = node.start(0, 100, [0]);
  node.enter(0.1, process, "a");
  node.exit(0.2, process, "a");
  node.calls.shortVisits(0.25, process, node.region("tiny"), 10, 0.5, 0);
  node.enter(0.8, process, "a");
  node.exit(0.9, process, "a");
  node.calls.shortVisits(0.9, process, node.region("last"), 10, 0.0625, 0);
  node.end(1, process);
  node.step(1);
  node.recorder.finish();
  const told = node.records().filter((record) => record["region.count"] !== undefined);
  assertEquals(told.map((record) => [record.region, record["time.duration.ns"]]), [
    [["a"], 100e6],
    [["tiny"], 500e6],
    [["a"], 100e6],
    [["last"], 62.5e6],
  ]);
  assertEquals(node.column("joulemark.time.missing.ns").every((ns) => ns === undefined), true);
});

Deno.test("folded visits have their time without visits nested in them", () => {
  const node = new ContextNode([TRACE]);
  const process = node.start(0, 100, [0]);
  const out = node.paths.add(ROOT, "out"), inner = node.paths.add(out, "in");
  const none = { count: 0, sumNs: 0, sumSquareNs2: 0, minNs: Infinity, maxNs: -Infinity };
  node.calls.shortVisits(0.5, process, node.region("out"), 4, 0.25, 0);
  node.calls.folded(0.5, process, 0, { ...none, path: out, selfNs: -125e6 });
  node.calls.folded(0.5, process, 0, {
    path: inner,
    count: 8,
    sumNs: 125e6,
    sumSquareNs2: 0,
    minNs: 1e6,
    maxNs: 5e7,
    selfNs: 125e6,
  });
  node.end(1, process);
  node.step(1);
  node.recorder.finish();
  const told = node.records();
  assertEquals(
    told.map((record) => [record.region, record["region.count"], record["time.duration.ns"]]),
    [[["out"], 4, 125e6], [["out", "in"], 8, 125e6]],
  );
});

Deno.test("an end ends the region of its own track", () => {
  const node = new ContextNode([TRACE]);
  const process = node.start(0, 100, [0]);
  node.enter(0.125, process, "a");
  node.enter(0.25, process, "b", 0, "nvtx");
  node.enter(0.5, process, "a", 0, "nvtx");
  node.exit(0.625, process, "a");
  node.exit(0.75, process, "a", 0, "nvtx");
  node.exit(0.875, process, "b", 0, "nvtx");
  node.exit(0.9, process, "b");
  node.step(1);
  const sums = new Map<string, number>();
  for (const record of node.records()) {
    const path = [record.region ?? []].flat().join("/");
    sums.set(path, (sums.get(path) ?? 0) + Number(record["time.duration.ns"]) / 1e6);
  }
  assertEquals(Object.fromEntries(sums), {
    "": 125,
    a: 125,
    "a/b": 250,
    "a/b/a": 125,
    "b/a": 125,
    b: 125,
  });
  assertEquals(node.recorder.unmatched, 1);
});

Deno.test("processes are distinguished by mpi.rank or process.id; threads share it", () => {
  const node = new ContextNode([TRACE], { ranks: { 101: "3" } });
  const first = node.start(0, 100, [0]), ranked = node.start(0.1, 101, [1]);
  node.enter(0.2, ranked, "r");
  node.enter(0.3, first, "f");
  node.enter(0.4, ranked, "t", 555);
  node.step(1);
  const who = node.records().map((
    r,
  ) => [r["event.begin#region"], r["mpi.rank"], r["process.id"] && Number(r["process.id"])]);
  assertEquals(who, [["r", 3, undefined], ["f", undefined, 100], ["t", 3, undefined]]);
  assertEquals(node.joined, [
    { channel: 0, thread: 1, first: 1, pid: 101 },
    { channel: 0, thread: 2, first: 2, pid: 100 },
    { channel: 0, thread: 3, first: 1, pid: 101 },
  ]);
});

Deno.test("a thread that marks before the main thread does has the process's context as well", () => {
  const node = new ContextNode([TRACE]);
  const process = node.start(0, 100, [0]);
  node.enter(0.5, process, "t", 555);
  node.enter(0.75, process, "m");
  node.step(1);
  assertEquals(node.column("process.id"), ["100", "100"]);
  // The main thread began with its process, the other one with what it marked first.
  assertEquals(node.column("time.duration.ns"), [0, 750_000_000]);
  assertEquals(node.joined.map(({ thread, first }) => [thread, first]), [[1, 1], [2, 1]]);
});

Deno.test("energies of processes and of their main threads alone add up to the node's", () => {
  const node = new ContextNode([withSignals("CPU_ENERGY")], {
    // Package 1 takes twice what package 0 takes.
    value: (_name, instance, timeS) => 10 * timeS * (instance + 1),
  });
  const a = node.start(0, 100, [0, 1]);
  node.step(0);
  const b = node.start(0.5, 101, [2, 3]);
  const threads = [[a, 0], [b, 0], [a, 9]];
  for (const [process, thread] of threads) node.enter(0.75, process, "x", thread);
  node.step(1);
  for (const [process, thread] of threads) node.exit(2, process, "x", thread);
  node.step(2);
  node.end(2, a);
  node.end(2, b);
  node.step(3);
  const byThread = node.records().map((
    record,
  ) => [Number(record["process.id"]), record.CPU_ENERGY]);
  const sum = byThread.reduce((total, [, joules]) => total + Number(joules ?? 0), 0);
  // 30 J/s for two seconds; the node is one domain here, so its CPUs share it evenly.
  assertAlmostEquals(sum, 60, 1e-9);
  assertEquals(byThread.filter(([, joules]) => joules === undefined).length, 2);
  const of = (pid: number) =>
    byThread.filter(([id]) => id === pid).reduce((total, [, j]) => total + Number(j ?? 0), 0);
  assertAlmostEquals(of(101), 30 * 1.5 / 2, 1e-9);
});

Deno.test("energies by package are those of the processes on it", () => {
  const node = new ContextNode([withSignals("CPU_ENERGY@package")], {
    value: (_name, instance, timeS) => 10 * timeS * (instance + 1),
  });
  const a = node.start(0, 100, [0, 1]), b = node.start(0, 101, [2]);
  node.step(0);
  for (const process of [a, b]) node.enter(1, process, "x");
  node.step(1);
  const energies = node.records().map((record) => {
    return [record["CPU_ENERGY-package-0"], record["CPU_ENERGY-package-1"]];
  });
  assertEquals(energies, [[10, 0], [0, 20]]);
});

Deno.test("a process that was replaced uses nothing", () => {
  const node = new ContextNode([withSignals("BOARD_ENERGY")], { value: (_n, _i, s) => 100 * s });
  const shell = node.start(0, 100, []), real = node.start(0, 101, [0]);
  node.step(0);
  for (const process of [shell, real]) node.enter(1, process, "x");
  node.step(1);
  assertEquals(node.column("BOARD_ENERGY"), [0, 100]);
});

Deno.test("cpuinfo and pthread report place and thread, of the event's own CPU", () => {
  const node = new ContextNode([{ CALI_SERVICES_ENABLE: "event,cpuinfo,pthread,trace,recorder" }]);
  const process = node.start(0, 100, [0]);
  node.calls.at(3);
  node.enter(0.1, process, "a");
  node.calls.at(0);
  node.enter(0.2, process, "t", 555);
  // Nothing told the CPU of this one.
  node.exit(0.3, process, "a");
  node.step(1);
  const told = node.records().map((r) => {
    return [r["cpuinfo.cpu"], r["cpuinfo.numa_node"], r["pthread.id"], r["pthread.is_master"]];
  });
  assertEquals(told, [
    [3, 1, 100, true],
    [0, 0, 555, false],
    [undefined, undefined, 100, true],
  ]);
});

Deno.test("sampler samples every thread at steps, of processes that still run", () => {
  const node = new ContextNode([{
    CALI_SERVICES_ENABLE: "sampler,trace,recorder",
    CALI_SAMPLER_FREQUENCY: "10",
  }]);
  const a = node.start(0, 100, [0]), b = node.start(0, 101, [1]);
  node.enter(0.01, a, "a");
  node.enter(0.01, a, "t", 555);
  node.enter(0.01, b, "b");
  for (let step = 1; step <= 5; step++) {
    node.step(step * 0.05);
    if (step === 3) node.end(0.16, b);
  }
  const samples = new Map<string, number>();
  for (const { region } of node.records()) {
    const name = String(region);
    samples.set(name, (samples.get(name) ?? 0) + 1);
  }
  assertEquals([...samples].sort(), [["a", 2], ["b", 1], ["t", 2]]);
});

Deno.test("channels of one run do not see each other", () => {
  const filtered = { ...EVENTS, CALI_EVENT_INCLUDE_REGIONS: "b" };
  const node = new ContextNode([EVENTS, filtered]);
  const process = node.start(0, 100, [0]);
  for (const name of ["a", "b"]) {
    node.enter(0.1, process, name);
    node.exit(0.2, process, name);
  }
  node.step(1);
  assertEquals([node.records(0).length, node.records(1).length], [4, 2]);
});

Deno.test("a phase that an outer region ends takes its attribute with it", () => {
  const node = new ContextNode([EVENTS]);
  const process = node.start(0, 100, [0]);
  node.step(0);
  node.enter(0.1, process, "outer");
  node.attribute(0.2, process, "begin", "phase", "p", { properties: PROPERTY.enterFollows | 256 });
  node.enter(0.2, process, "p");
  // What was open inside is ended by the exit of the outer one, without a word of its own.
  node.exit(0.5, process, "p");
  node.exit(0.5, process, "outer");
  node.enter(0.6, process, "next");
  node.exit(0.7, process, "next");
  node.step(1);
  const ends = node.records().flatMap((record) => {
    return [record["event.end#phase"], record["event.end#region"]].filter((v) => v !== undefined);
  });
  assertEquals(ends, ["p", "outer", "next"]);
  assertEquals(node.recorder.unmatched, 0);
});

/** 100 W, told ten times a second: steps of 10 J. */
const staircase = (_name: string, _i: number, timeS: number) => Math.floor(timeS * 10 + 1e-6) * 10;

Deno.test("between two changes of a slow counter regions get their part by time", () => {
  const node = new ContextNode([withSignals("BOARD_ENERGY")], {
    value: staircase,
    updatePeriodS: 0.1,
  });
  const process = node.start(0, 100, [0]);
  for (let step = 0; step <= 200; step++) {
    const timeS = step * 0.01;
    // 30 ms in a, 70 ms in b, off the beat of the counter.
    if (step % 10 === 2) node.enter(timeS - 0.005, process, "a");
    if (step % 10 === 5) {
      node.exit(timeS - 0.005, process, "a");
      node.enter(timeS - 0.005, process, "b");
    }
    if (step % 10 === 1 && step > 10) node.exit(timeS + 0.004, process, "b");
    node.step(timeS);
  }
  node.recorder.finish();
  const by = (name: string) => {
    const ends = node.records().filter((record) => record["event.end#region"] === name);
    return ends.map((record) => Number(record.BOARD_ENERGY)).slice(1, -2);
  };
  for (const joules of by("a")) assertAlmostEquals(joules, 3, 1e-6);
  for (const joules of by("b")) assertAlmostEquals(joules, 7, 0.2);
  assertEquals(by("a").length > 10, true);
  const all = node.records().reduce((sum, r) => sum + Number(r.BOARD_ENERGY ?? 0), 0);
  assertAlmostEquals(all, 200, 10);
});

Deno.test("a slow counter that stops delays nothing for long", () => {
  const node = new ContextNode([withSignals("BOARD_ENERGY,CPU_POWER")], {
    value: (name, _i, timeS) => name === "CPU_POWER" ? Math.round(timeS * 100) / 2 : 42,
    updatePeriodS: 0.1,
  });
  const process = node.start(0, 100, [0]);
  for (let step = 0; step <= 100; step++) {
    if (step === 50) node.enter(0.5, process, "a");
    node.step(step * 0.01);
  }
  assertEquals(node.column("BOARD_ENERGY"), [0]);
  // Power is that of the step in which it was, although it was told later.
  assertEquals(node.column("CPU_POWER"), [50]);
});

Deno.test("a counter that changes at every sample is correct beside one that seldom does", () => {
  const slow = new ContextNode([withSignals("CPU_ENERGY,BOARD_ENERGY")], {
    value: (name, i, timeS) =>
      name === "CPU_ENERGY" ? (i + 1) * 100 * timeS : staircase("", 0, timeS),
    updatePeriodS: (name) => name === "CPU_ENERGY" ? 0.001 : 0.1,
  });
  const process = slow.start(0, 100, [0, 1, 2, 3]);
  for (let step = 0; step <= 60; step++) {
    const timeS = step * 0.01;
    if (step > 0 && step % 4 === 0) slow.enter(timeS - 0.003, process, "a");
    if (step > 0 && step % 4 === 2) slow.exit(timeS - 0.003, process, "a");
    if (step === 20) slow.exit(timeS - 0.001, process, "nothing");
    slow.step(timeS);
  }
  slow.recorder.finish();
  const rows = slow.records().slice(2, -3);
  // 300 W in both packages together, 20 ms from mark to mark.
  for (const row of rows) assertAlmostEquals(Number(row.CPU_ENERGY), 6, 1e-6);
  assertEquals(rows.length > 20, true);
});

/** Frames by number: each is called by the one before it. */
const FRAMES: FrameSource = {
  callerOf: (frame) => frame - 1,
  addressOf: (process, frame) => frame === 1 ? undefined : 1000 * process + frame,
  placeOf: (frame) => ({ name: `f${frame}`, file: "a.c", line: frame, module: "/a" }),
};

const SAMPLED = {
  CALI_SERVICES_ENABLE: "event,sampler,symbollookup,timer,trace,recorder",
  CALI_SAMPLER_FREQUENCY: "100",
};

Deno.test("samples of functions come late, and are emitted in the region of their time", () => {
  const node = new ContextNode([SAMPLED]), samples = new FunctionSamples(100, FRAMES);
  node.recorder.takeFunctions(samples);
  const process = node.start(0, 100, [0]);
  const rows = () =>
    node.records().map((row) => [row.region, row["source.function#cali.sampler.pc"]]);
  node.step(0);
  node.enter(0.1, process, "a");
  node.exit(0.2, process, "a");
  node.step(0.3);
  assertEquals(rows(), []);
  samples.add(0.15, 3, 100, 100, 3);
  samples.add(0.17, 3, 100, 555, 4);
  samples.add(0.35, 3, 100, 100, 2);
  samples.knownS = 0.4;
  node.step(0.31);
  // Events after the step are not known yet.
  assertEquals(rows(), [[undefined, undefined], [["a"], "f3"], [undefined, "f4"], [
    ["a"],
    undefined,
  ]]);
  node.enter(0.33, process, "b");
  node.step(0.36);
  assertEquals(rows().slice(4), [[undefined, undefined], [["b"], "f2"]]);
  assertEquals(node.column("cali.sampler.pc").filter((pc) => pc !== undefined), [
    100003,
    100004,
    100002,
  ]);
  node.recorder.finish();
  assertEquals(node.recorder.foreignShare, 0);
});

Deno.test("samples of a process without annotations are those of the command, or left out", () => {
  const node = new ContextNode([SAMPLED]), samples = new FunctionSamples(100, FRAMES);
  node.recorder.takeFunctions(samples);
  samples.knownS = Infinity;
  node.start(0, 100, [0], "command");
  samples.add(0.1, 0, 100, 100, 2);
  samples.add(0.15, 0, 101, 101, 3);
  node.step(0.2);
  assertEquals(node.column("process.id"), ["100", "100"]);
  assertEquals(node.recorder.hasOnlyFunctions, true);
  node.withdraw(0);
  const process = node.start(0.2, 102, [0]);
  samples.add(0.25, 0, 101, 101, 3);
  samples.add(0.26, 0, 102, 102, 3);
  node.enter(0.3, process, "a");
  node.step(0.4);
  assertEquals(node.column("process.id").slice(2), ["102", "102"]);
  assertEquals([node.recorder.foreignShare, node.recorder.hasOnlyFunctions], [0.25, false]);
});

Deno.test("samples of functions get counters as they were at their own times", () => {
  const config = { ...SAMPLED, CALI_JOULEMARK_SIGNALS: "BOARD_ENERGY,CPU_ENERGY" };
  config.CALI_SERVICES_ENABLE += ",joulemark";
  // One counter changes ten times a second, two packages have one that always grows.
  const node = new ContextNode([config], {
    value: (name, _i, timeS) => {
      return name === "CPU_ENERGY" ? 50 * timeS : Math.floor(timeS * 10 + 1e-9) * 10;
    },
    updatePeriodS: (name) => name === "CPU_ENERGY" ? 0.001 : 0.1,
  });
  const samples = new FunctionSamples(100, FRAMES);
  node.recorder.takeFunctions(samples);
  const process = node.start(0, 100, [0, 1, 2, 3]);
  for (let step = 0; step <= 100; step++) {
    const timeS = step * 0.01;
    if (step % 5 === 3) samples.add(timeS - 0.01, 0, 100, 100, 3);
    samples.knownS = timeS - (step < 50 ? 0 : 0.05);
    if (step % 10 === 5) node.enter(timeS - 0.003, process, "a");
    if (step % 10 === 7) node.exit(timeS - 0.003, process, "a");
    node.step(timeS);
  }
  samples.knownS = Infinity;
  node.recorder.finish();
  let beforeS = NaN, sampled = 0;
  for (const row of node.records()) {
    const timeS = Number(row["time.offset.ns"]) / 1e9;
    if (timeS < 0.9 && beforeS > 0) {
      for (const name of ["BOARD_ENERGY", "CPU_ENERGY"]) {
        assertAlmostEquals(Number(row[name]), 100 * (timeS - beforeS), 1e-6, `${name} ${timeS}`);
      }
    }
    beforeS = timeS;
    if (row["cali.sampler.pc"] !== undefined) sampled++;
  }
  assertEquals(sampled, 20);
});

Deno.test("a command that another rank took the place of keeps its records if it annotates", () => {
  const node = new ContextNode([EVENTS]);
  const command = node.start(0, 100, [0], "command");
  node.start(1, 101, [1]);
  node.withdraw(command);
  assertEquals(node.recorder.withdrawn, [100]);
  node.start(2, 100, [0]);
  assertEquals(node.recorder.withdrawn, []);
});
