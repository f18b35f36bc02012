/** Raw stats in `query`: jobs and copies as `stats` has them. */
import { assertEquals } from "@std/assert";
import { query } from "../../../src/caliper/query/library.ts";
import { header, json, record } from "../../rawstats/analysis/_files.ts";

const at = (i: number, jobs: string, ...marks: string[]) =>
  record(1760000000 + 300 * i, jobs, ...marks, `cpu 0 ${1000 * i}`);

/** Times of the records of one job. */
function timesOf(texts: string[], job: string): number[] {
  const rows: { jobid: string; time: number }[] = JSON.parse(
    query("SELECT jobid,time FORMAT json", texts),
  );
  return rows.filter(({ jobid }) => jobid.split(",").includes(job)).map(({ time }) => Number(time));
}

Deno.test("query and stats agree on where a job ends, and on records that came twice", async () => {
  const file = header(["!cpu user,E,U=cs"]) + at(0, "7", "%begin 7") + at(1, "7") +
    at(2, "8", "%begin 8") + at(3, "8") + at(2, "8") + at(4, "-", "%end 8") + at(5, "-");
  for (const job of ["7", "8"]) {
    const { times } = await json({ file }, "--job", job);
    assertEquals(timesOf([file], job), times);
    assertEquals(timesOf([file, file], job), times);
  }
});
