/** The simulated node follows the marks of a real program, and everything says that it did. */
import { assert, assertAlmostEquals, assertEquals, assertStringIncludes } from "@std/assert";
import { regionRows } from "../../src/core/region_rows.ts";
import { parseReport } from "../../src/formats/report.ts";
import { build, endToEnd, joulemark } from "../_support/programs.ts";

const WATTS = { a: 20, b: 5, c: 40, d: 1 };

endToEnd("run --simulate gives regions the power that the node was described with", (dir) => {
  const app = build("four_regions", dir);
  const spec = {
    preset: "rapl",
    idleW: 40,
    regions: WATTS,
    noise: 0,
    visitNoise: 0,
    rampS: 0,
    seed: 7,
  };
  Deno.writeTextFileSync(`${dir}/node.json`, JSON.stringify(spec));
  const out = joulemark(dir, ["run", "--simulate=node.json", "--", app, "0.6"]);
  assertEquals(out.code, 0, out.stderr);
  assertStringIncludes(out.stderr, "SIMULATED counters");
  const text = Deno.readTextFileSync(`${dir}/joulemark.report`);
  assertStringIncludes(text, "simulated: simulated node");
  const [host] = parseReport(text, "report").hosts;
  assertEquals(host.regions!.length, 4);
  const cpus = navigator.hardwareConcurrency;
  const packages = cpus >= 2 ? 2 : 1;
  const nodeCpus = packages * Math.ceil(cpus / packages);
  for (const [name, watts] of Object.entries(WATTS)) {
    const { fields } = host.regions!.find((r) => r.region === name)!;
    const expected = packages * spec.idleW + nodeCpus * watts;
    // A step at either edge belongs to the neighbour: two of 120 samples.
    assertAlmostEquals(Number(fields["power (W)"]), expected, 0.06 * expected, name);
  }
  const sources = host.joulemark!.sources as Record<string, { quality: string }>;
  assertEquals(sources.CPU_ENERGY.quality, "simulated");
});

endToEnd("a nested region has a power of its own on the simulated node", (dir) => {
  const watts = { elements: 40, scatter: 4, stream: 15 };
  const spec = { preset: "rapl", idleW: 40, regions: watts, noise: 0, visitNoise: 0, rampS: 0 };
  Deno.writeTextFileSync(`${dir}/node.json`, JSON.stringify(spec));
  const out = joulemark(dir, ["demo", "--simulate=node.json"]);
  assertEquals(out.code, 0, out.stderr);
  const report = parseReport(Deno.readTextFileSync(`${dir}/joulemark.report`), "report");
  const { rows } = regionRows(report);
  const nested = rows.filter(({ depth }) => depth === 1).map(({ region }) => region).sort();
  assertEquals(nested, ["elements", "scatter"]);
  const cpus = navigator.hardwareConcurrency;
  const packages = cpus >= 2 ? 2 : 1;
  const nodeCpus = packages * Math.ceil(cpus / packages);
  for (const [name, watt] of Object.entries(watts)) {
    const { powerW } = rows.find(({ region }) => region === name)!.energies.get("package")!;
    const expected = packages * spec.idleW + nodeCpus * watt;
    assertAlmostEquals(powerW, expected, 0.05 * expected, name);
  }
});

endToEnd("demo ends with a card and a report, whatever the node has", (dir) => {
  const out = joulemark(dir, ["demo"]);
  assertEquals(out.code, 0, out.stderr);
  const text = Deno.readTextFileSync(`${dir}/joulemark.report`);
  const report = parseReport(text, "report");
  const [host] = report.hosts;
  assertEquals(report.profile, "demo");
  assert(host.regions!.length >= 3);
  assert(Number(host.application["package-energy (J)"]) > 0);
  assert(host.epoch !== undefined);
  const simulated = out.stderr.includes("SIMULATED counters");
  assertEquals(text.includes("simulated: simulated node"), simulated);
  assert([...Deno.readDirSync(dir)].every((e) => /^joulemark\.(report|timeline)$/.test(e.name)));
});

endToEnd("replay of a live recording gives the live report, trace and event log", (dir) => {
  const live = joulemark(dir, [
    "demo",
    "--record",
    "rec",
    "--trace",
    "live.trace",
    "--event-log",
    "live.log",
    "--report",
    "live.report",
    "--report-signals",
    "CPU_ENERGY@package,TIME@cpu",
  ]);
  assertEquals(live.code, 0, live.stderr);
  const again = joulemark(dir, [
    "replay",
    "rec",
    "--report",
    "again.report",
    "--trace",
    "again.trace",
    "--event-log",
    "again.log",
    "--report-signals",
    "CPU_ENERGY@package,TIME@cpu",
  ]);
  assertEquals(again.code, 0, again.stderr);
  const read = (name: string) => Deno.readTextFileSync(`${dir}/${name}`);
  assertEquals(read("again.trace"), read("live.trace"));
  assertEquals(read("again.log"), read("live.log"));
  const bare = (name: string) => {
    const report = parseReport(read(name), name);
    for (const host of report.hosts) {
      delete host.joulemark;
      // Our own memory is our own overhead.
      delete host.application["geopmctl memory HWM (B)"];
    }
    delete report.joulemark;
    return report;
  };
  assertEquals(bare("again.report"), bare("live.report"));
});
