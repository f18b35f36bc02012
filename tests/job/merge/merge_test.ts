/** Many reports into one: any order, bad input, statistics, and the file as it comes out. */
import { assert, assertAlmostEquals, assertEquals, assertStringIncludes } from "@std/assert";
import { merge } from "../../../src/cli/merge.ts";
import type { Nested, Report } from "../../../src/core/report.ts";
import { parseReport, stringifyReport } from "../../../src/formats/report.ts";
import { ExactSum, moments } from "../../../src/job/merge/exact_sum.ts";
import { hostTexts } from "../../../src/job/merge/read_report.ts";
import { capture } from "../../_support/capture.ts";
import { Random } from "../../run/session/_random.ts";
import { hostReport, writeJob } from "./_generated.ts";

type Mapping = { [key: string]: Nested };

/** A directory with files, merged. */
async function merged(files: Record<string, string>, order?: string[], more: string[] = []) {
  const dir = Deno.makeTempDirSync();
  try {
    for (const [name, text] of Object.entries(files)) {
      Deno.mkdirSync(`${dir}/${name}`.replace(/\/[^/]*$/, ""), { recursive: true });
      Deno.writeTextFileSync(`${dir}/${name}`, text);
    }
    const words = order === undefined ? [dir] : order.map((name) => `${dir}/${name}`);
    const out = `${dir}/out/job`;
    Deno.mkdirSync(`${dir}/out`);
    const got = await capture(merge, ["-o", out, ...more, ...words]);
    let text: string | undefined;
    try {
      text = Deno.readTextFileSync(out);
    } catch {
      // None was made.
    }
    const left = [...Deno.readDirSync(`${dir}/out`)].map(({ name }) => name);
    const stderr = got.stderr.replaceAll(`${dir}/`, "").trimEnd().split("\n");
    return { code: got.code, stderr, text, left };
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
}

const text = (host: string, n: number, more = {}) =>
  stringifyReport(hostReport(host, n, { regions: 3, ...more }));
const own = (report: Report) => report.joulemark as Mapping;

Deno.test("merge ignores the order of hosts, and keeps their sections unchanged", async () => {
  const files: Record<string, string> = {};
  for (let n = 0; n < 7; n++) files[`n${n}.report`] = text(`n${n}`, n);
  const names = Object.keys(files);
  const first = await merged(files);
  assertEquals([first.code, first.left], [0, ["job"]]);
  const random = new Random(5);
  for (let i = 0; i < 5; i++) {
    assertEquals((await merged(files, random.shuffled(names))).text, first.text);
  }
  const report = parseReport(first.text!);
  assertEquals(report.hosts.map((h) => h.host), ["n0", "n1", "n2", "n3", "n4", "n5", "n6"]);
  assertEquals(hostTexts(first.text!), names.map((name) => hostTexts(files[name])[0]));
  assertEquals(report.startTime, "2024-10-24T08:00:00.000000000+0000");
});

Deno.test("merge reports minimum, maximum, mean and deviation over hosts", async () => {
  const files: Record<string, string> = {};
  for (let n = 0; n < 9; n++) files[`n${n}.report`] = text(`n${n}`, n);
  const { text: out } = await merged(files);
  const seen = Object.values(files).map((t) =>
    Number(parseReport(t).hosts[0].regions![1].fields["runtime (s)"])
  );
  const mean = seen.reduce((a, b) => a + b) / 9;
  const deviation = Math.sqrt(seen.reduce((s, x) => s + (x - mean) ** 2, 0) / 8);
  const across = own(parseReport(out!))["across hosts"] as Mapping;
  const field = ((across.Regions as Mapping).region_01 as Mapping)["runtime (s)"] as Mapping;
  assertAlmostEquals(field.mean as number, mean, 1e-5 * mean);
  assertAlmostEquals(field.deviation as number, deviation, 1e-5 * deviation);
  assertEquals(field.min, Math.min(...seen));
  assertEquals(field["max host"], `n${seen.indexOf(Math.max(...seen))}`);
});

Deno.test("merge reports no deviation of a single host", async () => {
  const { text: out } = await merged({
    "n0.report": text("n0", 0),
    "n1.report": text("n1", 1).replaceAll("region_01", "other"),
  });
  const { "across hosts": across, totals } = own(parseReport(out!));
  const regions = (across as Mapping).Regions as Mapping;
  const keys = ["mean", "min", "min host", "max", "max host"];
  assertEquals(Object.keys((regions.other as Mapping)["runtime (s)"] as Mapping), keys);
  const { text: single } = await merged({ "n0.report": text("n0", 0) });
  assertEquals(single!.includes("host deviation (J)"), false);
  assertEquals("host deviation (J)" in ((totals as Mapping).package as Mapping), true);
});

Deno.test("merge names stragglers and outliers", async () => {
  const files: Record<string, string> = {};
  for (let n = 0; n < 6; n++) {
    const report = hostReport(`n${n}`, n, { regions: 2 });
    if (n === 4) report.hosts[0].regions![0].fields["runtime (s)"] = 25;
    if (n === 2) report.hosts[0].application["package-energy (J)"] = 400;
    files[`n${n}.report`] = stringifyReport(report);
  }
  const facts = own(parseReport((await merged(files)).text!));
  assertEquals((facts.stragglers as string[]).length, 1);
  assertStringIncludes(
    (facts.stragglers as string[])[0],
    "n4: runtime (s) of region_00 25, median",
  );
  assertStringIncludes((facts.outliers as string[])[0], "n2: package-energy (J) of Application");
});

Deno.test("merge leaves out duplicates, strangers and torn reports, a line each", async () => {
  const good = text("a", 1);
  const out = await merged({
    "1.report": good,
    "2.report": text("a", 2),
    "3.report": text("b", 3, { version: "3.1.0+joulemark.9.9.9" }),
    "4.report": text("c", 4, { profile: "another" }),
    "5.report": text("d", 5).slice(0, -700),
    "6.report": "",
    "7.report": "not a report\n",
    "8.report": text("e", 8),
  });
  assertEquals(out.code, 1);
  assertEquals(out.stderr.length, 7);
  assertStringIncludes(out.stderr[0], "2.report: host a is in 1.report already");
  assertStringIncludes(out.stderr[1], 'version "3.1.0+joulemark.9.9.9"');
  assertStringIncludes(out.stderr[2], 'profile "another"');
  assertStringIncludes(out.stderr[3], "5.report");
  const report = parseReport(out.text!);
  assertEquals(report.hosts.map((h) => h.host), ["a", "e"]);
  assertEquals(own(report).partial, "6 reports left out");
  assertEquals((own(report)["left out"] as string[]).length, 6);
  assertEquals(hostTexts(out.text!)[0], hostTexts(good)[0]);
});

Deno.test("merge of a report cut anywhere leaves it out, and never a wrong figure", async () => {
  const whole = text("b", 2);
  const random = new Random(3);
  for (let i = 0; i < 30; i++) {
    const cut = whole.slice(0, random.int(0, whole.length - 2));
    const out = await merged({ "1.report": text("a", 1), "2.report": cut });
    assertEquals([out.code, parseReport(out.text!).hosts.length], [1, 1], `cut at ${cut.length}`);
  }
});

Deno.test("merge makes no file of nothing", async () => {
  for (const files of [{ "x.report": "rubbish" }, {}] as Record<string, string>[]) {
    const out = await merged(files);
    assertEquals([out.code, out.text, out.left, out.stderr.length], [2, undefined, [], 1]);
  }
  const missing = await merged({}, ["nosuch"]);
  assertEquals(missing.code, 2);
  assertStringIncludes(missing.stderr[0], '"nosuch"');
});

Deno.test("merge marks partial where a host is", async () => {
  const half = hostReport("b", 2, { regions: 1 });
  half.hosts[0].joulemark!.partial = "the run goes on";
  const out = await merged({ "a.report": text("a", 1), "b.report": stringifyReport(half) });
  const facts = own(parseReport(out.text!));
  assertEquals([out.code, facts["hosts partial"]], [1, ["b"]]);
});

Deno.test("merge reads other YAML than its own layout", async () => {
  const wide = text("b", 2).replace(/^( +)/gm, "$1$1").replace("monitor", "'monitor'  # agent");
  const out = await merged({ "a.report": text("a", 1), "b.report": wide });
  assertEquals(out.stderr, ["joulemark: out/job: 2 hosts"]);
  assertEquals(hostTexts(out.text!)[1], hostTexts(text("b", 2))[0]);
});

Deno.test("merge takes parts, checkpoints of lost nodes, and the nodes' word on the job", async () => {
  const facts = (host: string, offsetS: number) =>
    JSON.stringify({
      format: "joulemark-part/1",
      host,
      job: "slurm-7-0",
      nodes: 3,
      hosts: ["a", "b", "c"],
      rank: host === "a" ? 0 : 2,
      startS: 1,
      endS: 2,
      clocks: [{ beforeS: 100 + offsetS, afterS: 100.002 + offsetS, sharedS: 100.001 }],
    });
  const out = await merged({
    "j.report.parts/a.report": text("a", 1),
    "j.report.parts/a.json": facts("a", 0),
    "j.report.parts/b.report.partial": text("b", 2),
    "j.report.parts/b.json": facts("b", 3600),
    "j.report.parts/a.report.partial": text("a", 9),
  });
  assertEquals(out.code, 1);
  const own1 = own(parseReport(out.text!));
  assertEquals([own1.partial, own1["hosts missing"]], ["2 of 3 hosts", ["c"]]);
  assertStringIncludes(out.stderr[0], "b: its clock is 3600 s ahead");
  assertEquals(own1.clocks, {
    reference: "times of files in the directory of the parts",
    "residual (s)": 0.01,
    "spread (s)": 3600,
    off: ["b: its clock is 3600 s ahead (known to 0.010 s)"],
  });
});

Deno.test("ExactSum has the same sum in any order, to the last bit", () => {
  const random = new Random(11);
  const values = Array.from({ length: 400 }, () => {
    return (random.next() - 0.4) * 10 ** (random.next() * 40 - 20);
  });
  values.push(1e300, -1e300, 5e-324, 0.1, -0);
  const of = (list: number[]) => {
    const sum = new ExactSum();
    const squares = new ExactSum();
    for (const value of list) {
      sum.add(value);
      squares.addSquare(value);
    }
    return [sum.scaled(), squares.scaled()];
  };
  const first = of(values);
  for (let i = 0; i < 10; i++) assertEquals(of(random.shuffled(values)), first);
  const sum = new ExactSum();
  const squares = new ExactSum();
  for (const value of [1, 2, 3, 4]) {
    sum.add(value);
    squares.addSquare(value);
  }
  assertEquals(moments(4, sum, squares), { mean: 2.5, deviation: Math.sqrt(5 / 3) });
  for (const value of [5e-324, -2.2250738585072014e-308, 1.7976931348623157e308, 0.1, 1 / 3]) {
    const one = new ExactSum();
    one.add(value);
    assertEquals(moments(1, one, new ExactSum()).mean, value);
  }
});

Deno.test("merge of a thousand hosts keeps little in memory, and adds up", async () => {
  const dir = Deno.makeTempDirSync();
  try {
    writeJob(dir, 1000, { regions: 5 });
    const out = `${dir}/job.report`;
    const got = await capture(merge, ["-q", "-o", out, dir]);
    assertEquals([got.code, got.stderr], [0, ""]);
    assertEquals(parseReport(Deno.readTextFileSync(out)).hosts.length, 1000);
    // The result lies among its sources now, and is none of them.
    const again = Deno.readTextFileSync(out);
    assertEquals((await capture(merge, ["-q", "-o", out, dir])).code, 0);
    assert(Deno.readTextFileSync(out) === again);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
});
