/** Ranks that are not equally long in a region: report, tables and page name the last one. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { spreadsFromNested } from "../../src/core/process_spread.ts";
import { parseReport } from "../../src/formats/report.ts";
import { BINARY, endToEnd, joulemark } from "../_support/programs.ts";

endToEnd("run tells who of several ranks is longest in a region", (dir) => {
  new Deno.Command(BINARY, { args: ["client", "shell", "--dir", dir] }).outputSync();
  Deno.writeTextFileSync(
    `${dir}/rank.sh`,
    `. ./joulemark.sh
joulemark_begin solve
sleep "$1"
joulemark_end solve
`,
  );
  Deno.writeTextFileSync(
    `${dir}/job.sh`,
    `for rank in 0 1 2 3; do
  seconds=0.2
  [ $rank = 2 ] && seconds=1.5
  OMPI_COMM_WORLD_RANK=$rank sh rank.sh $seconds &
done
wait
`,
  );
  const caliper = (file: string) => ["--cali-config", `runtime-report(output=${file})`];
  const outputs = ["--html", "run.html", "--record", "rec", ...caliper("live.txt")];
  const args = ["run", "-q", "--simulate", ...outputs, "--", "sh", "job.sh"];
  const out = joulemark(dir, args);
  assertEquals([out.code, out.stderr], [0, ""]);
  const path = `${dir}/joulemark.report`;
  const { hosts: [host] } = parseReport(Deno.readTextFileSync(path), path);
  const [spread, ...others] = spreadsFromNested(host.joulemark?.["across processes"]);
  assertEquals([spread.region, spread.processes, others.length], ["solve", 4, 0]);
  assertEquals(spread.most, "rank 2");
  // Marks of a plain shell happen when they are read.
  assert(spread.mostS > 1.2 && spread.leastS < spread.mostS - 0.5, JSON.stringify(spread));
  assert(Math.abs(Number(host.regions![0].fields["runtime (s)"]) - spread.meanS) < 1e-4);
  const shown = joulemark(dir, ["show", "joulemark.report"]).stdout;
  assertStringIncludes(shown, "Regions over processes");
  assert(/^solve +4 .* rank 2 /m.test(shown), shown);
  const page = Deno.readTextFileSync(`${dir}/run.html`);
  assertStringIncludes(page, "Regions over processes");
  assertStringIncludes(page, "rank 2");
  // A replay knows the ranks, for its report and Caliper's outputs.
  const replayOutputs = ["--report", "replayed.report", ...caliper("replayed.txt")];
  joulemark(dir, ["replay", "-q", ...replayOutputs, "rec"]);
  const replayed = parseReport(Deno.readTextFileSync(`${dir}/replayed.report`), "replayed.report");
  const [again] = spreadsFromNested(replayed.hosts[0].joulemark?.["across processes"]);
  assertEquals([again.region, again.most], ["solve", "rank 2"]);
  const headOf = (file: string) => Deno.readTextFileSync(`${dir}/${file}`).split("\n")[0];
  assertStringIncludes(headOf("live.txt"), "Max time/rank");
  assertEquals(headOf("replayed.txt"), headOf("live.txt"));
  // One process has no spread.
  joulemark(dir, ["run", "-q", "--simulate", "--", "sh", "rank.sh", "0.01"]);
  assert(!Deno.readTextFileSync(path).includes("across processes"));
});
