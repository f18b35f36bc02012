/** Counters of the launched command against `perf stat` around the same execution. */
import { assert, assertEquals } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { compile } from "../_support/compiled.ts";
import { endToEnd, joulemark } from "../_support/programs.ts";
import { NOT_ROOT, succeeds, unless } from "../_support/skipped.ts";

const PAIRS = [
  ["TASK_CLOCK", "task-clock", 1e-3],
  ["PAGE_FAULTS", "page-faults", 1],
  ["CONTEXT_SWITCHES", "context-switches", 1],
] as const;

/** A plain user may count a process's events in the kernel up to this level: perf_event_paranoid. */
const MAX_PARANOID = 1;
const MISSING = unless(
  succeeds("perf", "stat", "-e", "task-clock,context-switches", "true"),
  "perf stat is missing or may not count",
) ?? unless(
  NOT_ROOT === undefined ||
    Number(Deno.readTextFileSync("/proc/sys/kernel/perf_event_paranoid")) <= MAX_PARANOID,
  "a plain user may not count context switches here",
);

/** `perf stat -x,`: count, unit, event, … a line. */
function perfCounts(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of text.split("\n")) {
    const [count, , event] = line.split(",");
    if (event !== undefined) counts.set(event.replace(/:.*$/, ""), Number(count));
  }
  return counts;
}

endToEnd(
  "counters of the command agree with perf stat within 2 %, children included",
  (dir) => {
    const program = `${dir}/known_events`;
    compile("e2e/programs/known_events.c", program, []);
    const signals = PAIRS.map(([name]) => `PERF_APP::${name}`).join(",");
    const events = PAIRS.map(([, event]) => event).join(",");
    // Ours is around perf itself, whose own part is small beside that of the program.
    const out = joulemark(dir, [
      "run",
      "--report-signals",
      signals,
      "--",
      ...["perf", "stat", "-x,", "-o", `${dir}/perf.csv`, "-e", events, program],
    ]);
    assertEquals(out.code, 0, out.stderr);
    const theirs = perfCounts(Deno.readTextFileSync(`${dir}/perf.csv`));
    const [host] = parseReport(Deno.readTextFileSync(`${dir}/joulemark.report`), "report").hosts;
    for (const [name, event, scale] of PAIRS) {
      const mine = Number(host.application[`PERF_APP::${name}`]);
      const other = theirs.get(event)! * scale;
      const off = (mine - other) / other;
      console.log(`${event}: ours ${mine}, perf ${other} (${(off * 100).toFixed(2)} %)`);
      assert(other > 0 && Math.abs(off) < 0.02, `${event}: ours ${mine}, perf's ${other}`);
    }
  },
  undefined,
  MISSING,
);
