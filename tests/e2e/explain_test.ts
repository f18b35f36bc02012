/** What a live run leaves can be asked for, key by key. */
import { assertEquals } from "@std/assert";
import { BINARY, endToEnd, joulemark } from "../_support/programs.ts";
import { unexplained } from "../_support/unexplained.ts";

const JOB = `. ./joulemark.sh
for rank in 0 1; do
  (
    joulemark_begin solve
    joulemark_begin "inner part"
    sleep 0.4
    joulemark_end "inner part"
    joulemark_end solve
    joulemark_end never
    joulemark_epoch
  ) &
done
wait
`;

endToEnd("explain knows every key of a live run's report", (dir) => {
  new Deno.Command(BINARY, { args: ["client", "shell", "--dir", dir] }).outputSync();
  Deno.writeTextFileSync(`${dir}/job.sh`, JOB);
  const options = ["--simulate", "--idle", "0.3"];
  for (const [i, more] of [options, []].entries()) {
    const { code, stderr } = joulemark(dir, ["run", "-q", ...more, "--", "sh", "job.sh"]);
    assertEquals(code, 0, stderr);
    const report = Deno.readTextFileSync(`${dir}/joulemark.report`);
    assertEquals(unexplained(report), []);
    Deno.writeTextFileSync(`${dir}/${i}.report`, report.replace(/^( {2})\S+:$/m, `$1node${i}:`));
  }
  assertEquals(joulemark(dir, ["merge", "--force", "-o", "job", "0.report", "1.report"]).code, 0);
  assertEquals(unexplained(Deno.readTextFileSync(`${dir}/job`)), []);
  assertEquals(joulemark(dir, ["explain", "package-energy-self-se (J)"]).code, 0);
});
