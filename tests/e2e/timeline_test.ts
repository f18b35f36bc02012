/** The `.timeline` beside a report: its name, what it holds, when it is written, and what is left out without it. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { reportTotals } from "../../src/core/job_totals.ts";
import type { PageData, TimelineFile } from "../../src/show/page/data.ts";
import { pageDataOf } from "../_support/page_data.ts";
import { BINARY, endToEnd, joulemark } from "../_support/programs.ts";

const MAX_BYTES = 300_000;

function timelineAt(path: string): TimelineFile {
  assert(Deno.statSync(path).size <= MAX_BYTES, path);
  return JSON.parse(Deno.readTextFileSync(path));
}

function namesIn(dir: string): string[] {
  return [...Deno.readDirSync(dir)].map(({ name }) => name).sort();
}

endToEnd(
  "a run leaves a timeline with the energy of its report, and show makes all views of it",
  async (dir) => {
    const run = ["demo", "--simulate", "-q", "--report", "a.report", "--html", "own.html"];
    assertEquals(joulemark(dir, run).code, 0);
    assertEquals(namesIn(dir), ["a.report", "a.timeline", "own.html"]);
    const file = timelineAt(`${dir}/a.timeline`);
    const report = parseReport(Deno.readTextFileSync(`${dir}/a.report`), "a.report");
    assertEquals([file.format, file.started], ["joulemark-page/2", report.startTime]);
    const [timeline] = file.timelines;
    assertEquals(timeline.series.map(({ name }) => name).slice(0, 3), [
      "node",
      "package",
      "memory",
    ]);
    const totals = reportTotals(report).components;
    for (const [k, kind] of (["node", "package", "dram"] as const).entries()) {
      const joules = timeline.series[k].mean.reduce<number>((sum, watts) => {
        return sum + (watts ?? 0) * timeline.bucket_s;
      }, 0);
      const { joules: all } = totals.get(kind)!;
      // The first window of a counter begins after the start.
      assertAlmostEquals(joules, all, 0.1 * all, kind);
    }
    assert(file.regions.name.includes("assemble"), String(file.regions.name));
    assert(timeline.strips.length > 0);
    assertEquals(file.processes!.label.length, 2);
    // The page that the run made and the page made of its files are the same.
    assertEquals(joulemark(dir, ["show", "--html", "-o", "later.html", "a.report"]).code, 0);
    const [own, later] = await Promise.all(["own.html", "later.html"].map((name) => {
      return pageDataOf(Deno.readTextFileSync(`${dir}/${name}`));
    }));
    assertEquals(later.timelines, own.timelines);
    assertEquals(later.processes, own.processes);
    assertEquals(later.missing, []);
    const { stdout } = joulemark(dir, ["show", "--json", "a.report"]);
    const data: PageData = JSON.parse(stdout);
    assertEquals(data.timelines, own.timelines);
  },
);

endToEnd(
  "without a timeline, or with that of another run, one line says what is missing",
  (dir) => {
    const run = (...args: string[]) => {
      const command = ["run", "--simulate", "-q", ...args, "--", "sleep", "0.2"];
      assertEquals(joulemark(dir, command).code, 0);
    };
    run("--no-timeline", "--report", "a.report");
    assertEquals(namesIn(dir), ["a.report"]);
    const missing = (path: string) => {
      const data: PageData = JSON.parse(joulemark(dir, ["show", "--json", path]).stdout);
      assertEquals(data.missing.length, data.timelines.length === 0 ? 1 : 0);
      return data.timelines.length === 0;
    };
    assert(missing("a.report"));
    run("--report", "a.report");
    assert(!missing("a.report"));
    // A later run of this name without a timeline leaves the old file, which is not its own.
    run("--no-timeline", "--report", "a.report");
    assert(missing("a.report"));
    Deno.writeTextFileSync(`${dir}/a.timeline`, '{"format":"joulemark-page/2","timelines":[{}]}');
    assert(missing("a.report"));
    // Another name has the ending added; a device has no file beside it.
    run("--report", "b");
    assert(!missing("b"));
    run("--report", "/dev/null");
    assertEquals(namesIn(dir), ["a.report", "a.timeline", "b", "b.timeline"]);
  },
);

endToEnd("a run that is cut off leaves the timeline of the time so far", async (dir) => {
  const run = new Deno.Command(BINARY, {
    args: [
      "run",
      "--simulate",
      "-q",
      "--",
      "sh",
      "-c",
      "trap '' TERM; : >begun; sleep 60",
    ],
    cwd: dir,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const until = async (name: string) => {
    while (!namesIn(dir).includes(name)) await new Promise((wait) => setTimeout(wait, 20));
  };
  await until("begun");
  await new Promise((wait) => setTimeout(wait, 700));
  run.kill("SIGTERM");
  await until("joulemark.timeline");
  const [timeline] = timelineAt(`${dir}/joulemark.timeline`).timelines;
  assert(timeline.series[0].mean.length > 20);
  const { stdout } = joulemark(dir, ["show", "--json", "joulemark.report.partial"]);
  assertEquals((JSON.parse(stdout) as PageData).timelines.length, 1, stdout.slice(0, 500));
  run.kill("SIGKILL");
  await run.status;
});

endToEnd("merge makes one timeline of those beside its reports", (dir) => {
  for (const name of ["n1", "n2"]) {
    const run = ["run", "--simulate", "-q", "--report", `${name}.report`, "--", "sleep", "0.3"];
    assertEquals(joulemark(dir, run).code, 0);
    for (const ending of ["report", "timeline"]) {
      const path = `${dir}/${name}.${ending}`;
      const text = Deno.readTextFileSync(path);
      const { hosts: [{ host }] } = parseReport(Deno.readTextFileSync(`${dir}/n1.report`), "n1");
      const own = ending === "report"
        ? text.replaceAll(new RegExp(`^  ${host}:`, "gm"), `  ${name}:`)
        : text.replace(`"host":"${host}"`, `"host":"${name}"`);
      if (name === "n2") Deno.writeTextFileSync(path, own);
    }
  }
  const merged = joulemark(dir, ["merge", "--force", "-o", "job.report", "n1.report", "n2.report"]);
  assert(merged.code <= 1, merged.stderr);
  const file = timelineAt(`${dir}/job.timeline`);
  assertEquals([file.hosts, file.timelines.map(({ host }) => host).length], [2, 3]);
  const data: PageData = JSON.parse(joulemark(dir, ["show", "--json", "job.report"]).stdout);
  assertEquals(data.timelines.map(({ host }) => host), file.timelines.map(({ host }) => host));
  assertEquals(data.missing, []);
  const joules = (k: number) => {
    const { bucket_s, series: [{ mean }] } = data.timelines[k];
    return mean.reduce<number>((sum, value) => sum + (value ?? 0) * bucket_s, 0);
  };
  assertAlmostEquals(joules(0), joules(1) + joules(2), 0.01 * joules(0));
});
