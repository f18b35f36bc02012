/** A trace of events is shown by its regions, not line by line. */
import { assertEquals, assertMatch } from "@std/assert";
import { BINARY, endToEnd, joulemark } from "../_support/programs.ts";

const JOB = `. ./joulemark.sh
i=0
while [ $i -lt 300 ]; do
  joulemark_begin step
  joulemark_begin solve
  # A monitor without a CPU reads all other annotations at one time.
  if [ $i = 150 ]; then sleep 0.3; fi
  joulemark_end solve
  joulemark_end step
  i=$((i + 1))
done
`;

endToEnd("show tells the regions of a trace, and what prints its records", (dir) => {
  new Deno.Command(BINARY, { args: ["client", "shell", "--dir", dir] }).outputSync();
  Deno.writeTextFileSync(`${dir}/job.sh`, JOB);
  const run = joulemark(dir, [
    ...["run", "-q", "--simulate", "--cali", "trace.cali", "--", "sh", "job.sh"],
  ]);
  assertEquals([run.code, run.stderr], [0, ""]);
  const { code, stdout } = joulemark(dir, ["show", "trace.cali"]);
  assertEquals(code, 0);
  assertMatch(stdout, /^region +visits +time \(s\) +own time \(s\) +energy \(J\)$/m);
  const of = (region: string) => {
    return new RegExp(`^${region} +(\\S+) +(\\S+) +(\\S+) `, "m").exec(stdout)!.slice(1).map(
      Number,
    );
  };
  const [visits, wholeS, ownS] = of("step");
  const [inner, innerS] = of(" {2}solve");
  assertEquals([visits, inner], [300, 300]);
  assertEquals(Number((ownS + innerS - wholeS).toFixed(3)), 0);
  assertMatch(stdout, /^1\d\d\d records: joulemark query -T FILE prints each$/m);
  assertMatch(stdout, /^simulated counters$/m);
});
