import { assertEquals } from "@std/assert";
import { type Finding, findingLine } from "../../../src/core/finding.ts";
import type { Collector } from "../../../src/marks/rings/collector.ts";
import { findings, type FindingSources } from "../../../src/run/outputs/findings.ts";
import { NO_STEPS } from "../../../src/run/outputs/loop_figures.ts";
import type { RunView } from "../../../src/run/outputs/run_view.ts";

/** A run in which an exit was refused and a source failed. */
const engine = {
  gaps: () => new Map(),
  coverage: { rare: new Map() },
  notes: () => ["package energy of a cannot be told"],
  tracker: {
    startupS: 0,
    runtimeS: 10,
    refused: [{ subject: "", kind: "exit without entry", text: "", at: 7, count: 2 }],
  },
  batch: {
    readings: [{ reading: { troubles: [{ subject: "CPU_ENERGY", text: "stalled", count: 3 }] } }],
  },
} as unknown as RunView;

const collector = {
  counts: { folded: 0, other: 0, lost: 0, nestedLost: 0, pathless: 0 },
  foldedHere: 0,
  outOfOrder: [],
  refusedFiles: [],
  garbage: 0,
  mistakes: { list: [], total: 0 },
  messages: { remarks: new Set() },
} as unknown as Collector;

function codes(list: readonly Finding[]): string[] {
  return list.map(({ code }) => code);
}

Deno.test("a live run and its replay have the same findings", () => {
  const live: FindingSources = {
    engine,
    late: { count: 1, mostS: 0.25 },
    live: { loop: NO_STEPS, collector, periodS: 0.1 },
  };
  assertEquals(codes(findings(live)), [
    ...["outputs", "refused-calls", "late-events", "source-trouble"],
  ]);
  assertEquals(codes(findings({ engine, late: { count: 1 } })), codes(findings(live)));
  assertEquals(findings(live).map(findingLine).slice(1), [
    "2 x exit without entry (first by process 7)",
    "1 event came late, by 250 ms at most",
    "CPU_ENERGY: stalled (3 times)",
  ]);
});

Deno.test("repairs of a recording come first, samples missed and the idle node last", () => {
  const loop = { ...NO_STEPS, steps: 8, missed: 2 };
  const list = findings({
    engine,
    late: { count: 0 },
    repairs: ["events.csv:12: row left out"],
    live: { loop, collector, periodS: 0.1 },
    idle: ["the node was not idle"],
  });
  assertEquals(codes(list), [
    ...["recording-repaired", "outputs", "refused-calls", "source-trouble"],
    ...["samples-missed", "idle"],
  ]);
  assertEquals(
    findingLine(list[4]),
    "2 of 10 samples missed, 0 late; where that is many, leave a CPU free or give a longer --period",
  );
});

Deno.test("totals of counters that changed rarely are called rough", () => {
  const coverage = { rare: new Map([["BOARD_ENERGY", 1], ["GPU_ENERGY", 3], ["OTHER", 2]]) };
  const rough = { ...engine, coverage } as unknown as RunView;
  const found = findings({ engine: rough, late: { count: 0 } }).map(findingLine);
  assertEquals(
    found.filter((line) => line.includes("rough")),
    [
      "node-energy is rough: its counter changed once; " +
      "gpu-energy is rough: its counter changed 3 times; a longer run helps",
    ],
  );
});

Deno.test("what was lost is an error, what was only folded is not", () => {
  const counts = { folded: 5, other: 1, lost: 2, nestedLost: 3, pathless: 4 };
  const lossy = { ...collector, counts, garbage: 6 } as unknown as Collector;
  const live = { loop: NO_STEPS, collector: lossy, periodS: 0.1 };
  const list = findings({ engine, late: { count: 0 }, live });
  assertEquals(list.filter(({ severity }) => severity === "error").map(({ code }) => code), [
    ...["visits-lost", "threads-without-room", "records-left-out"],
  ]);
  assertEquals(list.find(({ code }) => code === "folded-visits")?.severity, "info");
});

Deno.test("dialects without a region are told, but those that make none anyway", () => {
  const told = (unheard: string[]) => {
    const live = { loop: NO_STEPS, collector, periodS: 0.1, unheard };
    return findings({ engine, late: { count: 0 }, live }).map(findingLine)
      .filter((line) => line.startsWith("--preload:"));
  };
  const [line] = told(["tau", "io"]);
  assertEquals(line.split(";")[0], "--preload: no call of tau made a region");
  assertEquals(
    told(["mpi", "tau", "itt", "nvtx"])[0].split(";")[0],
    "--preload: no call of what it answers made a region",
  );
  assertEquals(told(["io", "alloc", "pm_mpi"]), []);
});
