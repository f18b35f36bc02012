/** The bounded series of a page: no peak lost, means that keep their energy, constant memory. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { PowerSeries } from "../../../src/show/page/power_series.ts";
import { TraceSeries } from "../../../src/show/page/trace_series.ts";
import { TraceScanner } from "../../../src/formats/trace/scanner.ts";
import { Random } from "../../../src/core/random.ts";

const ONE = [{ name: "package", unit: "W" }];
const NAMES = ["", "a", "b", "c", "d"];

/** The series as a file, with regions that are all outermost. */
function documentOf(series: PowerSeries, maxBuckets?: number) {
  const file = series.document({
    host: "n",
    started: "x",
    process: "rank 0",
    paths: { parent: () => 0, name: (path) => NAMES[path] },
  }, maxBuckets);
  return { ...file.timelines[0], names: file.regions.name };
}

/** An outermost region and nothing nested. */
const line = (path: number) => [path, 0, 0];

Deno.test("a million samples lose no peak and no joule", () => {
  const random = new Random(5);
  const series = new PowerSeries(ONE);
  let joules = 0;
  const peaks: number[] = [];
  for (let i = 0; i < 1_000_000; i++) {
    const isPeak = i % 99_991 === 50_000;
    const value = isPeak ? 900 + i / 1e6 : 200 + 10 * random.normal();
    if (isPeak) peaks.push(value);
    joules += value * 0.001;
    series.power(0, i * 0.001, (i + 1) * 0.001, value);
    series.path(i * 0.001, (i + 1) * 0.001, line(1 + Math.floor(i / 250_000)));
  }
  const { series: [power], bucket_s, strips, names } = documentOf(series);
  assert(power.mean.length <= 1200 && power.mean.length >= 600, String(power.mean.length));
  assertAlmostEquals(
    power.mean.reduce<number>((sum, v) => sum + v! * bucket_s, 0),
    joules,
    joules * 0.01,
  );
  for (const peak of peaks) {
    assert(power.max!.some((value) => Math.abs(value! - peak) < 0.1), String(peak));
  }
  assertEquals(names, ["a", "b", "c", "d"]);
  assertEquals(strips.length, 1);
  assertEquals(strips[0].map(([, , region]) => region), [0, 1, 2, 3]);
  for (const [, buckets] of strips[0]) assertAlmostEquals(buckets, power.mean.length / 4, 2);
});

Deno.test("the power of a counter is calculated between its changes, never as zero and a spike", () => {
  const series = new PowerSeries(ONE);
  // Ten publications a second of a node that draws 300 W, read every 5 ms.
  for (let i = 0; i <= 400; i++) series.energy(0, i * 0.005, 300 * Math.floor(i / 20) * 0.1);
  const { series: [power] } = documentOf(series);
  const known = power.mean.filter((value) => value !== null);
  assert(known.length > 300);
  // The window that began in the midst of a publication is the one that is off.
  assert(known.slice(40).every((value) => value === 300), String(new Set(known)));
  assert(known.every((value) => value! > 0));
});

Deno.test("a counter that goes back or is away for a while leaves a gap", () => {
  const series = new PowerSeries(ONE);
  for (let i = 0; i <= 1000; i++) {
    const joules = i < 300 ? 2 * i : i < 600 ? NaN : 2 * (i - 600);
    series.energy(0, i * 0.01, joules);
    series.path((i - 1) * 0.01, i * 0.01, line(1));
  }
  const { series: [power] } = documentOf(series);
  const powers = new Set(power.mean.filter((value) => value !== null));
  assertEquals([...powers], [200]);
  assert(power.mean.some((value) => value === null));
});

Deno.test("a series restarts, is empty, and orders what overlaps", () => {
  const series = new PowerSeries(ONE, 16);
  assertEquals(documentOf(series).strips, []);
  series.power(0, 0, 100, 5);
  series.clear();
  series.power(0, 7, 7.5, 9);
  series.power(0, 8, 7, 1000);
  series.power(0, NaN, 9, 1000);
  const { start_s, series: [power] } = documentOf(series);
  assertEquals([start_s, new Set(power.max!.filter((v) => v !== null))], [7, new Set([9])]);
});

Deno.test("a trace gives the same series, with the names of a report's regions", () => {
  const rows = Array.from({ length: 100 }, (_, i) => {
    return `${i * 0.1}|${i < 50 ? "0x00001000" : "0x725e8066"}|${i * 15}\n`;
  });
  const text = '# geopm_version: 3.1.0\n# start_time: x\n# profile_name: "p"\n# node_name: n1\n' +
    `# agent: monitor\nTIME|REGION_HASH|CPU_ENERGY\n${rows.join("")}0.1|ragged\n`;
  const series = new TraceSeries();
  const scanner = new TraceScanner("x.trace", series);
  scanner.push(new TextEncoder().encode(text));
  scanner.end();
  const { regions, timelines: [timeline] } = series.timeline(new Map([[0x1000, "solve"]]));
  assertEquals([timeline.host, regions.name, series.errors.length], ["n1", ["solve"], 1]);
  const [power] = timeline.series;
  assertEquals(power.name, "package");
  assertEquals(new Set(power.mean.filter((v) => v !== null)), new Set([150]));
  const [[[from, buckets]]] = timeline.strips;
  assert(from === 0 && buckets < power.mean.length * 0.6, String(buckets));
});
