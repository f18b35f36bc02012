import { assertEquals } from "@std/assert";
import { parseConfigString } from "../../../src/caliper/model/config/config_string.ts";
import { readCali } from "../../../src/caliper/query/library.ts";
import { loopReport, loopSeries } from "../../../src/caliper/channels/loops.ts";
import { Scripted } from "../model/_scripted.ts";

const { loops: REPORT } = parseConfigString("loop-report", {
  mpi: false,
  behaviorOf: () => undefined,
}).channels[0];

/** A process's stream: loops with so many iterations of so many ms, a snapshot every other one. */
function processOf(loops: Record<string, [iterations: number, ms: number]>): string {
  const one = new Scripted("loop_monitor,timer,trace,recorder", {
    CALI_LOOP_MONITOR_ITERATION_INTERVAL: "2",
  });
  const { channel } = one;
  for (const [name, [iterations, ms]] of Object.entries(loops)) {
    channel.begin("loop", name);
    const attribute = channel.attribute(`iteration#${name}`, "int", "asvalue", {
      "class.iteration": true,
    });
    for (let i = 0; i < iterations; i++) {
      channel.begin(attribute, i);
      one.ns += ms * 1e6;
      channel.end(attribute);
    }
    channel.end("loop");
  }
  return channel.flush();
}

/** Lines of a text as lists of words. */
function words(text: string): string[][] {
  return text.split("\n").map((line) => line.trim().split(/\s+/))
    .filter((line) => line[0] !== "");
}

Deno.test("loopReport() has a row of each loop, then one table of iterations for each loop", () => {
  const lines = words(loopReport(REPORT!, [processOf({ outer: [6, 10], other: [4, 5] })]));
  const titles = lines.filter((line) => line.at(-1)!.endsWith(":"));
  assertEquals(titles.map((line) => line.join(" ")), [
    "Loop summary:",
    "Iteration summary (outer):",
    "Iteration summary (other):",
  ]);
  const row = (name: string) => lines.find((line) => line[0] === name)!;
  // Loop, iterations, seconds: Caliper manual, loop-report.
  assertEquals(row("outer").slice(0, 3), ["outer", "6", "0.060000"]);
  assertEquals(row("other").slice(0, 3), ["other", "4", "0.020000"]);
  const series = lines.slice(lines.findIndex((line) => line.join(" ").includes("(outer)")) + 3);
  assertEquals(series.slice(0, 3).map((line) => line.slice(0, 2)), [
    ["0", "2"],
    ["2", "2"],
    ["4", "2"],
  ]);
});

Deno.test("loopReport() without a summary or without series leaves it out", () => {
  const streams = [processOf({ outer: [6, 10] })];
  const summary = loopReport({ ...REPORT!, series: null }, streams);
  assertEquals([summary.includes("Loop summary"), summary.includes("Iteration summary")], [
    true,
    false,
  ]);
  const series = loopReport({ ...REPORT!, printSummary: false }, streams);
  assertEquals([series.includes("Loop summary"), series.includes("(outer)")], [false, true]);
});

Deno.test("loopReport() takes the loops of all processes together, and none without iterations", () => {
  const both = loopReport({ ...REPORT!, series: null }, [
    processOf({ outer: [6, 10], empty: [0, 0] }),
    processOf({ outer: [8, 10] }),
  ]);
  const rows = words(both).filter((line) => line[0] === "outer");
  assertEquals(rows.length, 1);
  const series = loopReport(REPORT!, [processOf({ outer: [2, 1], empty: [0, 0] })]);
  assertEquals([series.includes("(outer)"), series.includes("(empty)")], [true, false]);
  assertEquals(loopReport({ ...REPORT!, printSummary: false }, []), "");
});

Deno.test("loopSeries() is a stream for each loop, of at most as many rows as are wanted", () => {
  const series = REPORT!.series!;
  const stream = processOf({ long: [100, 1], short: [4, 1] });
  const streams = loopSeries(REPORT!.summary, { ...series, maxRows: 10 }, [stream]);
  assertEquals(streams.length, 2);
  const rows = streams.map((one) => readCali(one).records.length);
  assertEquals(rows[0] <= 11 && rows[0] >= 9, true, `${rows[0]} rows`);
});
