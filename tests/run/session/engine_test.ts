/** The engine turned step by step, and what a live run's recording replays to. */
import { traceTo } from "../../../src/run/outputs/trace.ts";
import { eventLogTo } from "../../../src/run/outputs/event_log.ts";
import { assert, assertEquals } from "@std/assert";
import type { Agent } from "../../../src/core/agent.ts";
import { HASH_UNMARKED, regionHash } from "../../../src/core/hash.ts";
import type { ReportFields } from "../../../src/core/report.ts";
import { HINTS } from "../../../src/core/hints.ts";
import type { OfferedSignal, SignalProvider } from "../../../src/core/signal.ts";
import { PlatformTopology } from "../../../src/core/machine/topology.ts";
import { parseReport, stringifyReport } from "../../../src/formats/report.ts";
import { RegionTracker } from "../../../src/marks/tracker/tracker.ts";
import { Engine, type EngineOptions, profileName } from "../../../src/run/session/engine.ts";
import { RecordingWriter, recordingYaml } from "../../../src/run/recordings/recording.ts";
import { replay } from "../../../src/run/session/replay.ts";
import { type Cell, number, topologyOf } from "../../energy/totals/_vector_source.ts";
import {
  type AppCase,
  APPLICATION_CASES,
  RecordingOnDisk,
  type StepResults,
} from "./_application.ts";
import { bytesLeft } from "../../_support/bytes_left.ts";
import { Random } from "./_random.ts";
import { tableOf } from "./_table.ts";

/** Counters whose values a function gives. */
function counters(
  topology: PlatformTopology,
  value: (name: string, instance: number, timeS: number) => number,
): SignalProvider {
  const signal = (
    name: string,
    domain: "package" | "cpu",
    behavior: "monotone" | "variable",
    agg: "sum" | "average",
  ): OfferedSignal => ({
    row: { name, domain, unit: "", behavior, agg, about: "" },
    source: "test",
    quality: "measured",
  });
  return {
    name: "TEST",
    signals: [
      signal("CPU_ENERGY", "package", "monotone", "sum"),
      signal("CPU_CYCLES_THREAD", "cpu", "monotone", "sum"),
      signal("CPU_POWER", "package", "variable", "sum"),
    ],
    open: (wanted) => ({
      readInto(out, timeS) {
        let at = 0;
        for (const { row } of wanted) {
          for (let i = 0; i < topology.count(row.domain); i++) {
            out[at++] = value(row.name, i, timeS);
          }
        }
      },
      [Symbol.dispose]() {},
    }),
  };
}

const NODE = PlatformTopology.regular({ packages: 2, coresPerPackage: 2, threadsPerCore: 1 });

function engineOn(
  topology: PlatformTopology,
  provider: SignalProvider,
  options: Partial<EngineOptions> & { recordFilter?: string } = {},
): Engine {
  const tracker = new RegionTracker({
    topology,
    profile: "demo",
    recordFilter: options.recordFilter,
  });
  return new Engine({
    topology,
    tracker,
    table: tableOf([provider, tracker]),
    host: "node01",
    profile: "demo",
    startTime: "2024-10-24T08:00:00.000000000+0000",
    version: "v",
    ...options,
  });
}

for (const c of APPLICATION_CASES.filter((c) => c.push !== undefined)) {
  Deno.test(`Engine has the original's samples after every step of ${c.name}`, () => {
    const topology = topologyOf(c.topology);
    const row = { index: -1 };
    const provider = vectorCounters(c, topology, row);
    const engine = engineOn(topology, provider, { reportSignals: c.report_signals });
    const tracker = engine.tracker;
    const handles = new Map<string, number>();
    for (const p of c.push!) {
      handles.set(p.label, engine.aggregator.pushSignal(p.signal, p.domain, p.index));
    }
    let at = 0;
    let compared = 0;
    const processes = new Map<number, number>();
    c.expect.steps.forEach((step, k) => {
      row.index = k;
      engine.read(step.time);
      for (; at < c.events.length && c.events[at].t <= step.time; at++) {
        const e = c.events[at];
        const p = processes.get(e.pid) ?? -1;
        const hint = e.hint === undefined ? -1 : (HINTS as readonly string[]).indexOf(e.hint);
        const { events } = engine;
        if (e.op === "start") {
          const { cpus } = c.processes.find((process) => process.pid === e.pid)!;
          processes.set(e.pid, events.start(e.t, e.pid, cpus));
        } else if (e.op === "region") events.region(e.t, p, e.region!, hint);
        else if (e.op === "enter") {
          events.enter(e.t, p, tracker.table.add(e.region!), hint, 0);
        } else if (e.op === "exit") events.exit(e.t, p, tracker.table.find(e.region!), 0);
        else if (e.op === "epoch") events.epoch(e.t, p, 0);
        else events.shutdown(e.t, p);
      }
      engine.settle(k === c.expect.steps.length - 1);
      for (const [label, expected] of Object.entries(step.results ?? {})) {
        compareResults(engine, handles.get(label)!, expected, `${label} at step ${k}`);
        compared++;
      }
    });
    assert(compared > 0);
  });
}

function vectorCounters(
  c: AppCase,
  topology: PlatformTopology,
  row: { index: number },
): SignalProvider {
  const signals = Object.entries(c.signals).map(([name, s]): OfferedSignal => ({
    row: {
      name,
      domain: s.domain,
      unit: "",
      behavior: s.behavior,
      agg: s.aggregation,
      about: "",
    },
    source: "vector",
    quality: "measured",
  }));
  return {
    name: "VECTOR",
    signals,
    open: (wanted) => ({
      readInto(out) {
        let at = 0;
        for (const { row: { name, domain } } of wanted) {
          const s = c.signals[name];
          for (let i = 0; i < topology.count(domain); i++) {
            const t = c.samples[row.index];
            const cell = (cells: Cell[]) => number(cells[i] ?? cells[0]);
            out[at++] = s.values === undefined
              ? cell(s.start!) + cell(s.rate!) * t
              : cell(s.values[row.index]);
          }
        }
      },
      [Symbol.dispose]() {},
    }),
  };
}

function compareResults(engine: Engine, i: number, expected: StepResults, what: string): void {
  const { aggregator } = engine;
  const near = (actual: number, cell: Cell | "<any>", name: string) => {
    if (cell === "<any>") return;
    const e = number(cell);
    const same = Object.is(actual, e) || Math.abs(actual - e) <= 1e-9 * Math.max(1, Math.abs(e));
    assert(same, `${name} of ${what}: expected ${e}, found ${actual}`);
  };
  near(aggregator.sampleApplication(i), expected.application, "application");
  near(aggregator.sampleEpoch(i), expected.epoch, "epoch");
  near(aggregator.sampleEpochLast(i), expected.epoch_last, "epoch last");
  near(aggregator.samplePeriodLast(i), expected.period_last, "period last");
  for (const [hash, value] of Object.entries(expected.region)) {
    near(aggregator.sampleRegion(i, Number(hash)), value, hash);
    near(aggregator.sampleRegionLast(i, Number(hash)), expected.region_last[hash], hash);
  }
}

/** One event of a made-up run: told to an engine when its time has come. */
interface Told {
  t: number;
  log(engine: Engine, handles: number[]): void;
}

const REGIONS = ["alpha", "beta", "gamma", "nested"];

/** Processes, threads, short visits, epochs, deaths: a random run in order of time. */
function randomRun(random: Random, processes: number, end: number): Told[] {
  const told: Told[] = [];
  for (let p = 0; p < processes; p++) {
    told.push(...randomProcess(random, p, end));
  }
  return told.sort((a, b) => a.t - b.t);
}

function randomProcess(random: Random, p: number, end: number): Told[] {
  const told: Told[] = [];
  let t = random.int(0, 3) === 0 ? random.next() * 0.3 : p * 1e-6;
  const step = (most: number) => t = Math.round((t + random.next() * most) * 1e9) / 1e9;
  const add = (log: Told["log"]) => told.push({ t, log });
  const time = t;
  add((engine, handles) => handles[p] = engine.events.start(time, 1000 + p, [p % 4]));
  while (t < end) {
    step(0.02);
    const at = t;
    const region = random.pick(REGIONS);
    const kind = random.int(0, 9);
    if (kind === 0) add((e, h) => e.events.epoch(at, h[p], 0));
    else if (kind === 1) {
      const count = random.int(1, 1000);
      add((e, h) => {
        e.events.shortVisits(at, h[p], e.tracker.table.add(region), count, count * 1e-6, 0);
      });
    } else {
      const thread = random.int(0, 6) === 0 ? 70 + p : 0;
      add((e, h) => e.events.enter(at, h[p], e.tracker.table.add(region), 2, thread));
      step(random.int(0, 2) === 0 ? 0.05 : 0.001);
      const left = t;
      add((e, h) => e.events.exit(left, h[p], e.tracker.table.find(region), thread));
    }
  }
  const last = t;
  if (random.int(0, 5) === 0) add((e, h) => e.events.died(last, h[p]));
  else add((e, h) => e.events.shutdown(last, h[p]));
  return told;
}

function turn(engine: Engine, told: Told[], samples: number[]): void {
  const handles: number[] = [];
  let at = 0;
  samples.forEach((t, k) => {
    engine.read(t);
    for (; at < told.length && told[at].t <= t; at++) told[at].log(engine, handles);
    engine.settle(k === samples.length - 1);
  });
}

const STEPS = Array.from({ length: 81 }, (_, k) => Math.round(k * 0.015 * 1e9) / 1e9);
const energy = (name: string, i: number, t: number) =>
  name === "CPU_POWER" ? 50 + 10 * Math.sin(t * 9) : Math.round((i + 1) * t * 6e4) / 64;

function reportOf(engine: Engine): string {
  return stringifyReport(engine.document([engine.report()]));
}

Deno.test("regions and unmarked add up to the application, per signal and domain (seeded)", () => {
  for (let seed = 1; seed <= 30; seed++) {
    const random = new Random(seed);
    const engine = engineOn(NODE, counters(NODE, energy));
    const { aggregator } = engine;
    const domains = ["board", "package", "core", "cpu"] as const;
    const pushed = domains.flatMap((domain) =>
      Array.from({ length: NODE.count(domain) }, (_, i) => [
        aggregator.pushSignal("TIME", domain, i),
        ...(domain === "core" || domain === "cpu"
          ? []
          : [aggregator.pushSignal("CPU_ENERGY", domain, i)]),
        aggregator.pushSignal("CPU_CYCLES_THREAD", domain, i),
      ])
    ).flat();
    turn(engine, randomRun(random, random.int(1, 6), 1), STEPS);
    for (const i of pushed) {
      const parts = [...REGIONS.map(regionHash), HASH_UNMARKED, 0]
        .reduce((sum, hash) => sum + aggregator.sampleRegion(i, hash), 0);
      const whole = aggregator.sampleApplication(i);
      assert(
        Math.abs(parts - whole) <= 1e-9 * Math.max(1, whole),
        `seed ${seed}: ${parts} ${whole}`,
      );
    }
    const report = engine.report();
    const marked = report.regions!.reduce((sum, r) => sum + Number(r.fields["runtime (s)"]), 0);
    const all = marked + Number(report.unmarked!["runtime (s)"]);
    assert(Math.abs(all - Number(report.application["runtime (s)"])) < 1e-9, `seed ${seed}`);
  }
});

Deno.test("the order in which processes are emitted does not matter (seeded)", () => {
  for (let seed = 1; seed <= 20; seed++) {
    // One process a CPU: where processes share one, the last writer is meant to win.
    const reports = [1, 2, 3].map((order) => {
      const random = new Random(seed);
      const byProcess = [0, 1, 2, 3].map((p) => randomProcess(random, p, 1));
      const shuffled = new Random(order).shuffled(byProcess);
      const engine = engineOn(NODE, counters(NODE, energy), {
        reportSignals: "CPU_ENERGY@package",
      });
      turn(engine, shuffled.flat().sort((a, b) => a.t - b.t), STEPS);
      return reportOf(engine);
    });
    assertEquals(reports[1], reports[0], `seed ${seed}`);
    assertEquals(reports[2], reports[0], `seed ${seed}`);
  }
});

Deno.test("a report in mid-run disturbs nothing (seeded)", () => {
  for (let seed = 1; seed <= 10; seed++) {
    const [plain, watched] = [false, true].map((watch) => {
      const engine = engineOn(NODE, counters(NODE, energy));
      const told = randomRun(new Random(seed), 3, 1);
      const handles: number[] = [];
      let at = 0;
      for (const t of STEPS) {
        engine.read(t);
        for (; at < told.length && told[at].t <= t; at++) told[at].log(engine, handles);
        if (watch) engine.report();
        engine.settle();
        if (watch) parseReport(reportOf(engine));
      }
      return reportOf(engine);
    });
    assertEquals(watched, plain, `seed ${seed}`);
  }
});

Deno.test("totals cut at a step and added are the totals of the whole run (seeded)", () => {
  for (let seed = 1; seed <= 20; seed++) {
    const random = new Random(seed);
    const told = randomRun(random, 4, 1);
    const cut = random.int(5, STEPS.length - 5);
    const engine = engineOn(NODE, counters(NODE, energy));
    const i = engine.aggregator.pushSignal("CPU_ENERGY", "package", 1);
    const hashes = [...REGIONS.map(regionHash), HASH_UNMARKED];
    const handles: number[] = [];
    let at = 0;
    let first: number[] = [];
    STEPS.forEach((t, k) => {
      engine.read(t);
      for (; at < told.length && told[at].t <= t; at++) told[at].log(engine, handles);
      engine.settle();
      if (k !== cut) return;
      first = hashes.map((hash) => engine.aggregator.sampleRegion(i, hash));
      engine.aggregator.restart();
      engine.aggregator.update();
    });
    const second = hashes.map((hash) => engine.aggregator.sampleRegion(i, hash));
    const whole = engineOn(NODE, counters(NODE, energy));
    const j = whole.aggregator.pushSignal("CPU_ENERGY", "package", 1);
    turn(whole, told, STEPS);
    hashes.forEach((hash, k) => {
      const expected = whole.aggregator.sampleRegion(j, hash);
      assert(Math.abs(first[k] + second[k] - expected) < 1e-9, `seed ${seed}`);
    });
  }
});

Deno.test("replay of a run's recording is the run: report, trace and event log (seeded)", async () => {
  for (let seed = 1; seed <= 12; seed++) {
    const random = new Random(seed);
    const live = { report: "", trace: "", log: "", events: "", samples: "" };
    const tracker = new RegionTracker({ topology: NODE, profile: "demo" });
    const provider = counters(NODE, energy);
    const recorder = new RecordingWriter(
      { write: (text) => live.events += text },
      { write: (text) => live.samples += text },
      {
        regionName: (handle) => tracker.table.name(handle),
        trackName: (handle) => tracker.tracks.name(handle),
        pid: (handle) => tracker.process(handle).pid,
        hasThread: (process, thread) => tracker.hasThread(process, thread),
        paths: tracker.paths,
      },
    );
    const engine = new Engine({
      topology: NODE,
      tracker,
      table: tableOf([provider, tracker]),
      host: "node01",
      profile: "demo",
      startTime: "2024-10-24T08:00:00.000000000+0000",
      version: "v",
      reportSignals: "CPU_POWER,CPU_ENERGY@package",
      outputs: [
        traceTo({
          sink: { write: (text) => live.trace += text, restart: () => live.trace = "" },
        }),
        eventLogTo({ write: (text) => live.log += text, restart: () => live.log = "" }),
        ({ batch }) => ({
          events: recorder,
          sample: (timeS) => recorder.samples(timeS, batch),
        }),
      ],
    });
    const yaml = recordingYaml({
      host: "node01",
      profile: "demo",
      agent: "monitor",
      startTime: "2024-10-24T08:00:00.000000000+0000",
      topology: NODE,
    }, engine.batch);
    const told = randomRun(random, 4, 1);
    if (seed % 2 === 0) {
      told.unshift({ t: 0, log: (e) => void e.events.startCommand(0, 999, [0, 1, 2, 3]) });
      for (const event of told.slice(1)) event.t = Math.max(event.t, 0.05);
    }
    turn(engine, told, STEPS);
    live.report = reportOf(engine);
    using recording = new RecordingOnDisk({
      "recording.yaml": yaml,
      "events.csv": live.events,
      "samples.csv": live.samples,
    });
    const again = { trace: "", log: "" };
    const replayed = await replay(recording.path, {
      makeTable: tableOf,
      version: "v",
      reportSignals: "CPU_POWER,CPU_ENERGY@package",
      outputs: () => [
        traceTo({
          sink: { write: (text) => again.trace += text, restart: () => again.trace = "" },
        }),
        eventLogTo({ write: (text) => again.log += text, restart: () => again.log = "" }),
      ],
    });
    delete replayed.host.joulemark;
    assertEquals(replayed.repairs.lines(), [], `seed ${seed}`);
    assertEquals(stringifyReport(engine.document([replayed.host])), live.report, `seed ${seed}`);
    assertEquals(again.trace, live.trace, `seed ${seed}`);
    assertEquals(again.log, live.log, `seed ${seed}`);
  }
});

Deno.test("an event of a settled sample is emitted at the earliest open time, and counted", () => {
  const engine = engineOn(NODE, counters(NODE, energy));
  const p = engine.events.start(0, 7, [0]);
  const a = engine.events.region(0, p, "a", 2);
  engine.read(1);
  engine.settle();
  engine.events.enter(0.5, p, a, -1, 0);
  engine.events.exit(2, p, a, 0);
  engine.events.shutdown(2, p);
  engine.read(3);
  engine.settle(true);
  assertEquals([engine.events.late, engine.events.mostLateS > 0.49], [1, true]);
  assert(Math.abs(engine.tracker.regions()[0].runtimeS - 1) < 1e-6);
});

Deno.test("a process that marks makes trace and totals begin with it", () => {
  let trace = "";
  const sink = { write: (text: string) => trace += text, restart: () => trace = "" };
  const engine = engineOn(NODE, counters(NODE, energy), {
    outputs: [traceTo({ sink })],
  });
  engine.events.startCommand(0, 7, [0, 1]);
  for (const t of [0, 1]) {
    engine.read(t);
    engine.settle();
  }
  const p = engine.events.start(1.5, 8, [1]);
  for (const t of [2, 3]) {
    engine.read(t);
    engine.settle();
  }
  engine.events.shutdown(3.5, p);
  engine.read(4);
  engine.settle(true);
  const rows = trace.split("\n").filter((line) => /^[0-9]/.test(line));
  assertEquals(rows.map((row) => row.split("|")[0]), ["0.5", "1.5"]);
  const { application } = engine.report();
  assertEquals([application["runtime (s)"], application["sync-runtime (s)"]], [2, 2]);
});

Deno.test("trace rows can be kept further apart than steps", () => {
  let trace = "";
  const engine = engineOn(NODE, counters(NODE, energy), {
    outputs: [traceTo({ sink: { write: (text) => trace += text }, periodS: 0.2 })],
  });
  engine.events.start(0, 8, [1]);
  for (let k = 0; k <= 100; k++) {
    engine.read(k * 0.005);
    engine.settle();
  }
  const times = trace.split("\n").filter((line) => /^[0-9]/.test(line)).map((l) => l.split("|")[0]);
  assertEquals(times, ["0", "0.2", "0.4"]);
});

/** The example of docs/how-to/coming-from-geopm.md: watches the highest power, and tells it everywhere. */
class PeakAgent implements Agent {
  readonly name = "peak";
  readonly waitS = 0.01;
  readonly traceColumns = [{ name: "PEAK_POWER", format: "float" as const }];
  #handle = -1;
  #peakW = NaN;

  init(platform: { pushSignal(name: string, domain: "board", index: number): number }): void {
    this.#handle = platform.pushSignal("CPU_POWER", "board", 0);
  }

  step(sample: (handle: number) => number): void {
    const power = sample(this.#handle);
    if (!(power <= this.#peakW)) this.#peakW = power;
  }

  traceValues(out: Float64Array): void {
    out[0] = this.#peakW;
  }

  reportHeader() {
    return { "Peak agent": "example" };
  }

  reportHost() {
    return { "Peak power": this.#peakW };
  }

  reportRegion(hash: number): ReportFields {
    return hash === HASH_UNMARKED ? { "peak-unmarked": 1 } : { "peak-region": 2 };
  }
}

Deno.test("an agent adds to header, host, regions and trace", () => {
  let trace = "";
  const engine = engineOn(NODE, counters(NODE, energy), {
    agent: new PeakAgent(),
    outputs: [traceTo({ sink: { write: (text) => trace += text } })],
  });
  turn(engine, randomRun(new Random(3), 2, 1), STEPS);
  const report = parseReport(reportOf(engine));
  assertEquals([report.agent, report.header], ["peak", { "Peak agent": "example" }]);
  assertEquals(Number(report.hosts[0].agent["Peak power"]) > 100, true);
  assertEquals(report.hosts[0].regions!.every((r) => r.fields["peak-region"] === 2), true);
  assertEquals(report.hosts[0].unmarked!["peak-unmarked"], 1);
  assertEquals("peak-region" in report.hosts[0].application, false);
  assertEquals(trace.split("\n")[5].endsWith("|PEAK_POWER"), true);
});

Deno.test("profileName() drops what a report cannot hold", () => {
  assertEquals(profileName('a"b\nc'), "abc");
  assertEquals(profileName('"\n'), "default");
});

Deno.test("steps and events leave nothing behind but a few boxed arguments", () => {
  const still: SignalProvider = {
    ...counters(NODE, energy),
    // The other tests' counters would allocate themselves.
    open: () => ({ readInto: (out) => void out.fill(1), [Symbol.dispose]() {} }),
  };
  const engine = engineOn(NODE, still);
  const p = engine.events.start(0, 7, [0, 1]);
  const a = engine.events.region(0, p, "a", 2);
  let t = 0;
  const step = () => {
    engine.read(t += 1e-3);
    engine.settle();
  };
  // Thirty signals: one number boxed for each would be 480 bytes.
  const perStep = bytesLeft(step);
  assert(perStep < 200, `${perStep} bytes a step`);
  const perStepAndPair = bytesLeft(() => {
    engine.events.enter(t += 1e-4, p, a, -1, 0);
    engine.events.exit(t += 1e-4, p, a, 0);
    step();
  });
  assert(perStepAndPair < 400, `${perStepAndPair} bytes a step and two events`);
});
