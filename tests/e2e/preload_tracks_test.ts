/** Marks of several dialects and domains at once: each is matched by itself. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { endToEnd, joulemark } from "../_support/programs.ts";
import { parseReport } from "../../src/formats/report.ts";
import {
  compile,
  eventsOf,
  needing,
  type Preloaded,
  preloaded,
  spansOf,
  works,
} from "../_support/preload.ts";

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

endToEnd("ranges of two NVTX domains do not end each other", (dir) => {
  compile(dir, "cc -O2 -Wall -Wextra -Werror -rdynamic -o injected PROGRAMS/injected.c -ldl");
  const out = preloaded(dir, "nvtx", ["./injected", "domains"]);
  assertEquals(out.counts, { solve: 1, kernel: 1 });
  assertPauses(out, "solve", 2);
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
  // The first one with its place: when, and in which regions.
  assertMatch(report, /calls do not match; the first: .* \(first at \d+\.\d{3} s, in '\w+'/);
});

endToEnd("ranges by id overlap and end on any thread: spans of exact time", (dir) => {
  compile(dir, TRACKS);
  const out = preloaded(dir, "all", ["./tracks", "ranges"]);
  // They do not stand among the regions, whose figures know nothing of them.
  assertEquals(out.counts, { around: 1 });
  assertPauses(out, "around", 4);
  const spans = spansOf(out);
  assertEquals(spans.map(({ span, track, count }) => [span, track, count]), [
    ["a", "roctx", 1],
    ["b", "roctx", 1],
    ["handed", "roctx", 1],
  ]);
  spans.forEach((span, i) => {
    const expected = [0.04, 0.04, 0.02][i];
    assert(
      span["time (s)"] >= expected && span["time (s)"] < expected + 0.02,
      JSON.stringify(span),
    );
  });
  assert(!out.report.includes("mistakes:"), out.report);
});

for (const [word, version] of [["crossed", 2], ["ranges", 2], ["nothing", 1]] as const) {
  endToEnd(
    `a recording of ${word} is of version ${version}, and its replay is the live report`,
    (dir) => {
      compile(dir, TRACKS);
      const live = preloaded(dir, "caliper,roctx", ["./tracks", word], {
        options: ["--record", "recording"],
      });
      const recorded = Deno.readTextFileSync(`${dir}/recording/recording.yaml`);
      assertMatch(recorded, new RegExp(`^format: "?joulemark-recording/${version}"?\n`));
      const [header, ...rows] = Deno.readTextFileSync(`${dir}/recording/events.csv`).trimEnd()
        .split("\n");
      const columns = "time,process,event,region,value,thread";
      assertEquals(header, version === 2 ? `${columns},track,span` : columns);
      for (const row of rows) assertEquals(row.split(",").length, header.split(",").length, row);
      const out = joulemark(dir, ["replay", "--report", "again.report", "recording"]);
      assertEquals(out.code, 0, out.stderr);
      const path = `${dir}/again.report`;
      const host = parseReport(Deno.readTextFileSync(path), path).hosts[0];
      assertEquals(host.regions, live.host.regions);
      assertEquals(host.joulemark?.spans, live.host.joulemark?.spans);
    },
  );
}

const PYTHON = `import joulemark, threading
import asyncio, time
@joulemark.region("task")
async def task(i):
    await asyncio.sleep(0.1)
    return i
@joulemark.region("numbers")
def numbers():
    got = yield 1
    time.sleep(0.05)
    yield got
@joulemark.region("stream")
async def stream():
    for i in range(3):
        await asyncio.sleep(0.01)
        yield i
async def main():
    assert await asyncio.gather(task(1), task(2), task(3)) == [1, 2, 3]
    assert [i async for i in stream()] == [0, 1, 2]
asyncio.run(main())
n = numbers()
assert next(n) == 1 and n.send("sent") == "sent"
assert next(n, "end") == "end"
handed = joulemark.span_begin("handed")
t = threading.Thread(target=joulemark.span_end, args=(handed,)); t.start(); t.join()
`;

needing(
  "python3",
  works("python3 -c 'import asyncio'"),
  "@region of async functions and generators is a span of their whole time",
  (dir) => {
    Deno.writeTextFileSync(`${dir}/app.py`, PYTHON);
    assertEquals(joulemark(dir, ["client", "python", "--dir", "."]).code, 0);
    const out = joulemark(dir, ["run", "--", "python3", "app.py"]);
    assertEquals(out.code, 0, out.stderr);
    const path = `${dir}/joulemark.report`;
    const [host] = parseReport(Deno.readTextFileSync(path), path).hosts;
    const spans = spansOf({ host });
    assertEquals(spans.map(({ span, count }) => [span, count]), [
      ["handed", 1],
      ["numbers", 1],
      ["stream", 1],
      ["task", 3],
    ]);
    const [, numbers, stream, task] = spans.map((span) => span["time (s)"]);
    assert(numbers >= 0.05 && numbers < 0.1, `numbers: ${numbers} s`);
    assert(stream >= 0.03 && stream < 0.13, `stream: ${stream} s`);
    assert(task >= 0.3 && task < 0.45, `three tasks of 0.1 s: ${task} s`);
  },
);

endToEnd(
  "names behind handles, and Fortran's, are kept whole; null pointers are counted and said",
  (dir) => {
    compile(dir, "cc -O2 -Wall -Wextra -Werror -o app PROGRAMS/long_names.c");
    const out = preloaded(dir, "all,perfstubs,scorep", ["./app"]);
    const counts: Record<string, number> = { "[joulemark] other": 2 };
    const fortran = ["fortran tau", "fortran likwid", "fortran craypat"];
    for (const word of ["perfstubs", "tau", "scorep", ...fortran]) {
      for (const end of ["first", "second"]) counts[`${word.padEnd(4000, "n")} ${end}`] = 1;
    }
    for (const end of ["first", "second"]) counts[`${"phase".padEnd(4000, "n")} ${end} [7]`] = 1;
    assertEquals(out.counts, counts);
    assert(!/mistakes:/.test(out.report), out.report.slice(-3000));
    assertStringIncludes(
      out.report,
      "2 visits have no name: there was no room for more names, or the names are null pointers",
    );
  },
);
