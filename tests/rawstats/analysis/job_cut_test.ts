/** Where a job ends whose end mark nobody wrote. */
import { assertEquals } from "@std/assert";
import { RecordJobs } from "../../../src/rawstats/format/record_jobs.ts";
import { header, json, printed, record } from "./_files.ts";

/** Jobs of each record: time line, then marks. */
function jobsOf(records: readonly (readonly string[])[], withEnd: string[] = []): string[] {
  const jobs = new RecordJobs(new Set(withEnd));
  return records.map(([line, ...marks]) => jobs.take(line, marks).sort().join());
}

Deno.test("a job without an end mark ends with the record that begins the next one", () => {
  const records = [["7", "begin 7"], ["7"], ["8", "begin 8"], ["8"], ["-", "end 8"], ["-"]];
  assertEquals(jobsOf(records, ["8"]), ["7", "7", "7,8", "8", "8", ""]);
  // known by time lines alone
  assertEquals(jobsOf([["7"], ["8", "begin 8"], ["8"]]), ["7", "7,8", "8"]);
});

Deno.test("a job without an end mark ends where time lines name other jobs, or none", () => {
  assertEquals(jobsOf([["7", "begin 7"], ["7"], ["9"], ["9"]]), ["7", "7", "9", "9"]);
  assertEquals(jobsOf([["7", "begin 7"], ["7"], ["-"], ["-"]]), ["7", "7", "", ""]);
});

Deno.test("jobs that share a node are not cut by each other", () => {
  const records = [["7", "begin 7"], ["7,8", "begin 8"], ["7,8"], ["8", "end 7"], ["8", "end 8"]];
  assertEquals(jobsOf(records, ["7", "8"]), ["7", "7,8", "7,8", "7,8", "8"]);
  // the labels of files written by hand: marks decide, since there are end marks
  const marked = [["0", "begin 7"], ["0", "begin 8"], ["0"], ["0", "end 7"], ["0", "end 8"], ["0"]];
  assertEquals(jobsOf(marked, ["7", "8"]), ["7", "7,8", "7,8", "7,8", "8", ""]);
});

Deno.test("marks of several jobs are marks of each", () => {
  const records = [["1,2", "begin 1,2"], ["1,2"], ["1,2", "end 1,2"], ["-"]];
  assertEquals(jobsOf(records, ["1", "2"]), ["1,2", "1,2", "1,2", ""]);
});

Deno.test("stats --job of a job that another one follows has its samples alone", async () => {
  const at = (i: number, jobs: string, user: number, ...marks: string[]) =>
    record(1760000000 + 300 * i, jobs, ...marks, `cpu 0 ${user} ${1000 * i}`);
  const file = header(["!cpu user,E,U=cs idle,E,U=cs"]) + at(0, "7", 0, "%begin 7") +
    at(1, "7", 30000) + at(2, "7", 60000) + at(3, "8", 63000, "%begin 8") + at(4, "8", 66000) +
    at(5, "8", 69000) + at(6, "-", 72000, "%end 8") + at(7, "-", 75000);
  const seven = await json({ file }, "--job", "7");
  assertEquals(seven.times.length, 4);
  assertEquals(seven.series.cpu["0"].user.delta, [null, 30000, 30000, 3000]);
  assertEquals(seven.metrics.avg_cpuusage, 0.7);
  assertEquals((await printed({ file }, "--job", "7")).stderr, "");
  const { jobs } = await json({ file });
  assertEquals(Object.keys(jobs), ["7", "8"]);
  assertEquals([jobs["7"].whole, jobs["8"].whole], [true, true]);
});

Deno.test("stats: %begin 1,2 begins two jobs, not a third one", async () => {
  const at = (i: number, ...marks: string[]) =>
    record(1760000000 + 60 * i, "1,2", ...marks, `cpu 0 ${100 * i}`);
  const file = header(["!cpu user,E,U=cs"]) + at(0, "%begin 1,2") + at(1) + at(2, "%end 1,2");
  const { jobs } = await json({ file });
  assertEquals(Object.keys(jobs), ["1", "2"]);
  assertEquals([jobs["1"].whole, jobs["2"].whole], [true, true]);
});
