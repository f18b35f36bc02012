/** What `merge` joins, and what it refuses. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { stringifyReport } from "../../src/formats/report.ts";
import { hostReport } from "../job/merge/_generated.ts";
import { endToEnd, joulemark } from "../_support/programs.ts";

/** Writes a host's report; with the start of its run, where it is another. */
function write(dir: string, host: string, number: number, startTime?: string): string {
  const report = hostReport(host, number, { regions: 2 });
  if (startTime !== undefined) report.startTime = startTime;
  const path = `${dir}/${host}.report`;
  Deno.writeTextFileSync(path, stringifyReport(report));
  return path;
}

endToEnd("merge -o X X Y: an output among the inputs is refused before anything is read", (dir) => {
  write(dir, "x", 1);
  const before = Deno.readTextFileSync(`${dir}/x.report`);
  Deno.writeTextFileSync(`${dir}/y.report`, "no report at all\n");
  Deno.linkSync(`${dir}/x.report`, `${dir}/link`);
  for (const out of ["x.report", "./x.report", "link"]) {
    const got = joulemark(dir, ["merge", "-o", out, "x.report", "y.report"]);
    assertEquals(got.code, 2);
    assertStringIncludes(got.stderr, "not one of the inputs");
    assert(!got.stderr.includes("y.report"), got.stderr);
  }
  assertEquals(Deno.readTextFileSync(`${dir}/x.report`), before);
  const names = [...Deno.readDirSync(dir)].map(({ name }) => name).sort();
  assertEquals(names, ["link", "x.report", "y.report"]);
});

endToEnd("a report that is not there is left out, and the result is partial", (dir) => {
  write(dir, "a", 1);
  const some = joulemark(dir, ["merge", "-o", "job", "lost.report", "a.report"]);
  assertEquals(some.code, 1);
  assertStringIncludes(some.stderr, "lost.report: cannot be read (No such file or directory)");
  assertStringIncludes(some.stderr, "job: 1 host, partial");
  assertStringIncludes(Deno.readTextFileSync(`${dir}/job`), "1 report left out: lost.report");
  Deno.removeSync(`${dir}/job`);
  const none = joulemark(dir, ["merge", "-o", "job", "lost.report", "gone.report"]);
  assertEquals(none.code, 2);
  assertStringIncludes(none.stderr, 'cannot merge "lost.report": no such file or directory');
  assertEquals([...Deno.readDirSync(dir)].map(({ name }) => name), ["a.report"]);
});

endToEnd("reports of runs three weeks apart are named; --force joins them", (dir) => {
  write(dir, "a", 1);
  write(dir, "b", 2, "2024-10-24T08:00:05.000000000+0000");
  write(dir, "c", 3, "2024-11-14T08:00:00.000000000+0000");
  // the same moment as the others, in another zone
  write(dir, "d", 4, "2024-10-24T10:00:02.000000000+0200");
  const words = ["a.report", "b.report", "c.report", "d.report"];
  const apart = joulemark(dir, ["merge", "-o", "job", ...words]);
  assertEquals(apart.code, 1);
  const [line, last] = apart.stderr.split("\n");
  assertStringIncludes(line, 'c.report: start time "2024-11-14T08:00:00.000000000+0000"');
  assertStringIncludes(line, "lie between the runs; left out (--force merges it)");
  assertEquals(last, "joulemark: job: 3 hosts, partial");
  assertStringIncludes(Deno.readTextFileSync(`${dir}/job`), "1 report left out: c.report");
  const forced = joulemark(dir, ["merge", "--force", "-o", "job", ...words]);
  assertEquals(forced.code, 0);
  assertStringIncludes(forced.stderr, "joined by --force");
  const text = Deno.readTextFileSync(`${dir}/job`);
  assertStringIncludes(text, "joined by force:");
  assertStringIncludes(text, "hosts: 4");
});

endToEnd("an earlier result in the directory is left out and named", (dir) => {
  write(dir, "a", 1);
  write(dir, "b", 2);
  assertEquals(joulemark(dir, ["merge", "-o", "job.report", "."]).code, 0);
  const first = Deno.readTextFileSync(`${dir}/job.report`);
  const again = joulemark(dir, ["merge", "-o", "job.report", "."]);
  assertEquals(again.code, 0);
  assertStringIncludes(again.stderr, "job.report: left out, because it is the earlier result");
  assertEquals(Deno.readTextFileSync(`${dir}/job.report`), first);
});

endToEnd("the report of a job is left out beside the parts that it is made of", (dir) => {
  Deno.mkdirSync(`${dir}/node/lu.report.parts`, { recursive: true });
  write(dir, "node/lu.report.parts/a", 1);
  write(dir, "node/lu.report.parts/b", 2);
  const parts = ["merge", "-o", "job", "node/lu.report.parts"];
  assertEquals(joulemark(dir, parts).code, 0);
  Deno.copyFileSync(`${dir}/job`, `${dir}/node/lu.report`);
  const all = joulemark(dir, ["merge", "-o", "all", "node"]);
  assertEquals([all.code, all.stderr], [0, "joulemark: all: 2 hosts\n"]);
  assertEquals(Deno.readTextFileSync(`${dir}/all`), Deno.readTextFileSync(`${dir}/job`));
});

endToEnd("a timeline that joulemark did not write is named by merge and show", (dir) => {
  write(dir, "a", 1);
  write(dir, "b", 2);
  Deno.writeTextFileSync(`${dir}/a.timeline`, '{"junk": 1}');
  const line = "joulemark: a.timeline: not a timeline of joulemark; left out\n";
  const merged = joulemark(dir, ["merge", "-o", "job", "a.report", "b.report"]);
  assertEquals([merged.code, merged.stderr], [0, `${line}joulemark: job: 2 hosts\n`]);
  const shown = joulemark(dir, ["show", "--html", "-o", "a.html", "a.report"]);
  assertEquals(shown.code, 0);
  assertStringIncludes(shown.stderr, line);
});
