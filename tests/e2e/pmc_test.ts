/** PMC logs of live runs: the library's calls answered, epochs of the application, one node. */
import { assert, assertEquals } from "@std/assert";
import { parsePmc } from "../../src/formats/pmc/pmc.ts";
import { compile, preloaded } from "../_support/preload.ts";
import { build, endToEnd, joulemark } from "../_support/programs.ts";

const DIALECTS = "cc -O2 -Wall -Wextra -Werror -o dialects PROGRAMS/dialects.c";

endToEnd("run --pmc logs the calls of pm_mpi_lib, and a second open begins anew", (dir) => {
  compile(dir, DIALECTS);
  const steps = (version: string) => {
    const options = ["--simulate", "--pmc", "live.pmc", "--pmc-version", version];
    preloaded(dir, "pm_mpi", ["./dialects", "pm_mpi"], { options });
    return parsePmc(Deno.readFileSync(`${dir}/live.pmc`)).records.map((r) => r.step);
  };
  assertEquals(steps("4.3"), [-1, 7, 8]);
  // Binary logs are appended to; a record with both flags is two.
  assertEquals(steps("6.0"), [-1, 1, 2, 2, 3, 4, -1, 7, 8]);
});

endToEnd("run --pmc takes epochs as steps; energy grows and adds up with the report", (dir) => {
  const app = build("steps", dir);
  const out = joulemark(dir, [
    ...["run", "-q", "--simulate", "--pmc", "job.pmc", "--pmc-version", "4.3"],
    ...["--", app, "10", "60"],
  ]);
  assertEquals(out.code, 0, out.stderr);
  const { records } = parsePmc(Deno.readFileSync(`${dir}/job.pmc`));
  assertEquals(records.map((r) => r.step), [-1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  for (let i = 1; i < records.length; i++) {
    assert(records[i].energyJ >= records[i - 1].energyJ);
    assert(records[i].timeS > records[i - 1].timeS);
  }
  const [last] = records.slice(-1);
  assert(last.timeS > 0.55 && last.timeS < 2, String(last.timeS));
  assert(last.energyJ > 50 && last.energyJ < 1000, String(last.energyJ));
});

endToEnd("run --pmc says when there are no steps", (dir) => {
  const out = joulemark(dir, ["run", "-q", "--simulate", "--pmc", "x.pmc", "--", "true"]);
  assertEquals(out.code, 0);
  assert(out.stderr.includes("no steps for the PMC log"), out.stderr);
  const wrong = joulemark(dir, ["run", "--pmc", "x", "--pmc-version", "9", "--", "true"]);
  assertEquals([wrong.code, wrong.stdout], [2, ""]);
});
