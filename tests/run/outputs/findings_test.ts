import { assertEquals } from "@std/assert";
import { type Finding, findingLine, noteLines } from "../../../src/core/finding.ts";
import type { Collector } from "../../../src/marks/rings/collector.ts";
import { findings, type FindingSources } from "../../../src/run/outputs/findings.ts";
import { NO_STEPS } from "../../../src/run/outputs/loop_figures.ts";
import type { RunView } from "../../../src/run/outputs/run_view.ts";

/** A run in which an exit was refused and a source failed. */
const engine = {
  gaps: () => new Map(),
  coverage: { rare: new Map() },
  notes: () => [{ code: "coarse-package", severity: "warning", text: "package energy is coarse" }],
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
    ...["coarse-package", "refused-calls", "late-events", "source-trouble"],
  ]);
  assertEquals(codes(findings({ engine, late: { count: 1 } })), codes(findings(live)));
  assertEquals(findings(live).map(findingLine).slice(1), [
    "calls were ignored: 2 x exit without entry (first by process 7).",
    "1 event came late, by at most 250 ms. Late events count at the next sample.",
    "CPU_ENERGY: stalled (3 times).",
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
    ...["recording-repaired", "coarse-package", "refused-calls", "source-trouble"],
    ...["samples-missed", "idle"],
  ]);
  assertEquals(
    findingLine(list[4]),
    "20 % of the samples were missed (2 of 10), 0 late. Energies stay correct; the power curve has " +
      "gaps. Leave a CPU free, or use a longer --period.",
  );
});

Deno.test("nearly all samples missed are 100 %, without an exponent", () => {
  const loop = { ...NO_STEPS, steps: 15, missed: 4749 };
  const list = findings({ engine, late: { count: 0 }, live: { loop, collector, periodS: 0.1 } });
  const { text } = list.find(({ code }) => code === "samples-missed")!;
  assertEquals(text.split(",")[0], "100 % of the samples were missed (4749 of 4764)");
});

Deno.test("samples missed have a note that matters from 5 % on", () => {
  const severity = (missed: number, late = 0) => {
    const loop = { ...NO_STEPS, steps: 100 - missed, missed, late };
    const list = findings({ engine, late: { count: 0 }, live: { loop, collector, periodS: 0.1 } });
    return list.find(({ code }) => code === "samples-missed")?.severity;
  };
  assertEquals([severity(0), severity(4), severity(5), severity(0, 5)], [
    ...[undefined, "info", "warning", "warning"] as const,
  ]);
});

Deno.test("coarse regions of a component that the table does not show are a minor note", () => {
  const of = (column: "package" | "node") => {
    const values = {
      totals: { seconds: 1, components: new Map(), edp: NaN },
      column,
      regions: [],
      periodsS: new Map(),
      method: "fit" as const,
      stepCount: NaN,
      absence: "",
      monitor: undefined,
    };
    return noteLines(findings({ engine, late: { count: 0 }, values }));
  };
  assertEquals(of("package").minor, []);
  assertEquals(of("node").minor, ["package energy is coarse."]);
});

Deno.test("totals of counters that changed rarely are uncertain", () => {
  const coverage = { rare: new Map([["BOARD_ENERGY", 1], ["GPU_ENERGY", 3], ["OTHER", 2]]) };
  const rough = { ...engine, coverage } as unknown as RunView;
  const found = findings({ engine: rough, late: { count: 0 } }).map(findingLine);
  assertEquals(
    found.filter((line) => line.includes("uncertain")),
    [
      "node energy is uncertain (±5 % or more): 1 update of the counter in the run. Run longer.",
      "GPU energy is uncertain (±5 % or more): 3 updates of the counter in the run. Run longer.",
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

Deno.test("an expression of --phase that no line matched has a note", () => {
  const live = { loop: NO_STEPS, collector, periodS: 0.1, unmatched: "NOPE" };
  const list = findings({ engine, late: { count: 0 }, live });
  assertEquals(
    list.filter(({ code }) => code === "phase-unmatched").map(findingLine),
    [
      '--phase: no output line of the command matched "NOPE". Check the expression. A static or ' +
      "setuid program does not load the library.",
    ],
  );
});

Deno.test("dialects without a region have a note, but not those that make none anyway", () => {
  const noted = (unheard: string[]) => {
    const live = { loop: NO_STEPS, collector, periodS: 0.1, unheard };
    return findings({ engine, late: { count: 0 }, live }).map(findingLine)
      .filter((line) => line.startsWith("--preload:"));
  };
  const [line] = noted(["tau", "io"]);
  assertEquals(line.split(". The")[0], "--preload: no call of tau made a region");
  assertEquals(
    noted(["mpi", "tau", "itt", "nvtx"])[0].split(". The")[0],
    "--preload: no call of any intercepted API made a region",
  );
  assertEquals(noted(["io", "alloc", "pm_mpi"]), []);
});
