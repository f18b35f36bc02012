/** The bounded series of a page: no peak lost, means that keep their energy, constant memory. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { PowerSeries } from "../../../src/show/page/series.ts";
import { TraceSeries } from "../../../src/show/page/trace_series.ts";
import { TraceScanner } from "../../../src/formats/trace/scanner.ts";
import { Random } from "../../../src/core/random.ts";

const ONE = [{ name: "package", unit: "W" }];

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
    series.region(i * 0.001, (i + 1) * 0.001, Math.floor(i / 250_000));
  }
  const { domains: [line], bucketS, region, names } = series.timeline(
    "n",
    ["a", "b", "c", "d"],
    2000,
  );
  assert(line.mean.length <= 2000 && line.mean.length > 900, String(line.mean.length));
  assertAlmostEquals(
    line.mean.reduce<number>((sum, v) => sum + v! * bucketS, 0),
    joules,
    joules * 0.01,
  );
  for (const peak of peaks) {
    assert(line.max.some((value) => Math.abs(value! - peak) < 0.1), String(peak));
  }
  assertEquals(names, ["a", "b", "c", "d"]);
  const third = region.filter((one) => one === 2).length;
  assertAlmostEquals(third, region.length / 4, 2);
});

Deno.test("the power of a counter is calculated between its changes, never as zero and a spike", () => {
  const series = new PowerSeries(ONE);
  // Ten publications a second of a node that draws 300 W, read every 5 ms.
  for (let i = 0; i <= 400; i++) series.energy(0, i * 0.005, 300 * Math.floor(i / 20) * 0.1);
  const { domains: [line] } = series.timeline("n", []);
  const known = line.mean.filter((value) => value !== null);
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
    series.region((i - 1) * 0.01, i * 0.01, 0);
  }
  const { domains: [line] } = series.timeline("n", ["a"]);
  const powers = new Set(line.mean.filter((value) => value !== null));
  assertEquals([...powers], [200]);
  assert(line.mean.some((value) => value === null));
});

Deno.test("a series restarts, is empty, and orders what overlaps", () => {
  const series = new PowerSeries(ONE, 16);
  assertEquals(series.timeline("n", []).region, []);
  series.power(0, 0, 100, 5);
  series.clear();
  series.power(0, 7, 7.5, 9);
  series.power(0, 8, 7, 1000);
  series.power(0, NaN, 9, 1000);
  const { startS, domains } = series.timeline("n", []);
  assertEquals([startS, new Set(domains[0].max.filter((v) => v !== null))], [7, new Set([9])]);
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
  const { host, names, domains, region } = series.timeline(new Map([[0x1000, "solve"]]), 1);
  assertEquals([host, names, series.errors.length], ["n1", ["solve"], 1]);
  assertEquals(domains[0].name, "package");
  assertEquals(new Set(domains[0].mean.filter((v) => v !== null)), new Set([150]));
  assert(region.includes(0) && region.includes(-1));
});
