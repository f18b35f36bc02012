/** Marks of several dialects and domains at once: each is matched by itself. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { endToEnd } from "../_support/programs.ts";
import { compile, eventsOf, type Preloaded, preloaded } from "../_support/preload.ts";

const TRACKS = "cc -O2 -Wall -Wextra -Werror -pthread -o tracks PROGRAMS/tracks.c";

/** Pauses of 20 ms that a region's time is. */
function assertPauses(out: Preloaded, region: string, pauses: number): void {
  const found = out.host.regions!.find((r) => r.region === region);
  const seconds = Number(found?.fields["runtime (s)"]);
  assert(
    seconds >= 0.02 * pauses && seconds < 0.02 * pauses + 0.019,
    `${region}: ${seconds} s, expected ${0.02 * pauses} s`,
  );
}

endToEnd("dialects that end in another order do not end each other's regions", (dir) => {
  compile(dir, TRACKS);
  const out = preloaded(dir, "caliper,roctx", ["./tracks", "crossed"]);
  assertEquals(out.counts, { solve: 1, kernel: 1 });
  assertPauses(out, "solve", 2);
  // It owns the CPUs from the end of the one begun before it.
  assertPauses(out, "kernel", 1);
  assert(!out.report.includes("mistakes:"), out.report);
});

endToEnd("a phase's attribute ends with it, below a region of another dialect", (dir) => {
  compile(dir, TRACKS);
  const out = preloaded(dir, "caliper,roctx", ["./tracks", "phases"], {
    options: ["--record", "recording"],
  });
  assertEquals(out.counts, { kernel: 3 });
  const rows = eventsOf(dir).filter((row) => !/^(attribute|region),/.test(row));
  const once = "enter,kernel,UNKNOWN begin,phase,phase enter,phase,UNKNOWN enter,inside,UNKNOWN " +
    "exit,phase end,phase exit,inside exit,kernel";
  assertStringIncludes(rows.join(" "), `${once} ${once} ${once}`);
  assert(!out.report.includes("mistakes:"), out.report);
});

endToEnd("LIKWID's regions may overlap: each counts", (dir) => {
  compile(dir, TRACKS);
  const out = preloaded(dir, "all", ["./tracks", "likwid"]);
  assertEquals(out.counts, { A: 10, B: 10 });
  assert(!out.report.includes("mistakes:"), out.report);
});

endToEnd("a mistake names its dialect, and ends nothing of another one", (dir) => {
  compile(dir, TRACKS);
  const out = preloaded(dir, "caliper,roctx", ["./tracks", "mistake"]);
  assertEquals(out.counts, { outer: 1 });
  assertPauses(out, "outer", 1);
  const report = out.report.replaceAll('\\"', "'");
  assertMatch(report, /'inner' was still open when 'outer' ended: process \d+, caliper"?: 1/);
  assertMatch(report, /ended without having begun: process \d+, roctx"?: 1/);
});
