/** Every whole run of the original library, replayed as a recording. */
import { traceTo } from "../../../src/run/outputs/trace.ts";
import { eventLogTo } from "../../../src/run/outputs/event_log.ts";
import { assert, assertEquals } from "@std/assert";
import { HINTS } from "../../../src/core/hints.ts";
import { formatHex } from "../../../src/core/number_format.ts";
import { EVENT_NAMES } from "../../../src/core/record.ts";
import { stringifyReport } from "../../../src/formats/report.ts";
import { RegionTracker } from "../../../src/marks/tracker/tracker.ts";
import { replay } from "../../../src/run/session/replay.ts";
import { type Cell, number, topologyOf } from "../../energy/totals/_vector_source.ts";
import {
  type AppCase,
  APPLICATION_CASES,
  recordingOf,
  RecordingOnDisk,
  sameReport,
  VECTOR_VERSION,
} from "./_application.ts";
import { tableOf } from "./_table.ts";

/** The same run with regions of equal runtime in the order of the expected report. */
function reordered(report: string, expected: string[]): string {
  const blocks = report.split("    -\n");
  const names = expected.filter((line) => line.startsWith('      region: "'));
  if (names.length < 2) return report;
  const tails = blocks.at(-1)!.split("    Unmarked Totals:\n");
  const regions = [...blocks.slice(1, -1), tails[0]];
  regions.sort((a, b) =>
    names.findIndex((n) => a.startsWith(n)) - names.findIndex((n) => b.startsWith(n))
  );
  return [blocks[0], ...regions].join("    -\n") + "    Unmarked Totals:\n" + tails[1];
}

for (const c of APPLICATION_CASES) {
  Deno.test(`replay() makes the original's report, trace and event log of ${c.name}`, async () => {
    using recording = new RecordingOnDisk(recordingOf(c));
    let trace = "";
    let eventLog = "";
    const result = await replay(recording.path, {
      makeTable: tableOf,
      version: VECTOR_VERSION,
      reportSignals: c.report_signals,
      outputs: () => [
        traceTo({ sink: { write: (lines) => trace += lines }, signals: c.trace_signals }),
        eventLogTo({ write: (lines) => eventLog += lines }),
      ],
    });
    delete result.host.joulemark;
    const report = stringifyReport(result.engine.document([result.host]));
    assertEquals(sameReport(reordered(report, c.expect.report), c.expect.report), []);
    assertEquals(trace.split("\n"), c.expect.trace);
    assertEquals(eventLog.split("\n"), c.expect.profile_trace);
    assertEquals(result.partial, false);
    assertEquals(result.repairs.lines(), []);
  });

  Deno.test(`RegionTracker has the original's records and CPU states in ${c.name}`, () => {
    const tracker = new RegionTracker({
      topology: topologyOf(c.topology),
      profile: c.profile ?? "demo",
    });
    const handles = new Map<number, number>();
    let at = 0;
    for (const step of c.expect.steps) {
      for (; at < c.events.length && c.events[at].t <= step.time; at++) {
        log(tracker, handles, c, at);
      }
      tracker.step(step.time);
      compareRecords(tracker, step.records);
      step.cpu.forEach((cpu, i) => {
        const { used, region, hint } = tracker.cpus;
        const hash = region[i] < 0 ? 0x725e8066 : tracker.hashOf(region[i]);
        assertEquals(used[i] === 0 ? "NaN" : formatHex(hash), cpu.region_hash);
        assertEquals(used[i] === 0 ? "INACTIVE" : HINTS[hint[i]], cpu.hint);
        const total = tracker.cpus.unitsTotal[i];
        const progress = total === 0 ? NaN : tracker.cpus.unitsDone[i] / total;
        assertEquals(progress, number(cpu.progress));
      });
    }
    near(tracker.runtimeS, c.expect.total_time);
    const regions = Object.fromEntries(tracker.regions().map((r) => [r.name, r]));
    assertEquals(Object.keys(regions).sort(), Object.keys(c.expect.regions).sort());
    for (const [name, expected] of Object.entries(c.expect.regions)) {
      assertEquals(formatHex(regions[name].hash), expected.hash);
      near(regions[name].runtimeS, expected.runtime_average);
      near(regions[name].count, expected.count_average);
    }
  });
}

function near(actual: number, expected: Cell): void {
  const e = number(expected);
  assert(Math.abs(actual - e) <= 1e-12 * Math.abs(e), `expected ${e}, found ${actual}`);
}

function log(tracker: RegionTracker, handles: Map<number, number>, c: AppCase, at: number): void {
  const e = c.events[at];
  const handle = handles.get(e.pid) ?? -1;
  const hint = e.hint === undefined ? -1 : (HINTS as readonly string[]).indexOf(e.hint);
  switch (e.op) {
    case "start": {
      const { cpus } = c.processes.find((p) => p.pid === e.pid)!;
      handles.set(e.pid, tracker.start(e.t, e.pid, cpus));
      return;
    }
    case "region":
      tracker.region(e.t, handle, e.region!, hint);
      return;
    case "enter":
      return tracker.enter(e.t, handle, tracker.table.add(e.region!), hint, 0);
    case "exit":
      return tracker.exit(e.t, handle, tracker.table.find(e.region!), 0);
    case "epoch":
      return tracker.epoch(e.t, handle, 0);
    case "shutdown":
      return tracker.shutdown(e.t, handle);
  }
  throw new Error(`no such op ${e.op}`);
}

function compareRecords(
  tracker: RegionTracker,
  expected: AppCase["expect"]["steps"][number]["records"],
): void {
  const { records } = tracker;
  assertEquals(
    expected.map((r) => [r.time, r.process, r.event]),
    Array.from(
      { length: records.length },
      (_, i) => [
        tracker.sinceZero(records.timeNs[i]),
        records.process[i],
        EVENT_NAMES[records.event[i]],
      ],
    ),
  );
  expected.forEach((r, i) => {
    if (r.value !== undefined) assertEquals(records.signal[i], r.value);
    if (r.hash !== undefined) assertEquals(formatHex(records.signal[i]), r.hash);
    if (r.num_complete !== undefined) assertEquals(records.visits[i], r.num_complete);
    if (r.total_time !== undefined) near(records.totalNs[i] * 1e-9, r.total_time);
  });
}
