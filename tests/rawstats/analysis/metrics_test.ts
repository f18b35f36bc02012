import { assertEquals } from "@std/assert";
import { JOB_METRICS } from "../../../src/rawstats/analysis/metrics.ts";

Deno.test("docs/reference/job-metrics.md lists every job metric as the program calculates it", () => {
  const page = Deno.readTextFileSync(
    new URL("../../../docs/reference/job-metrics.md", import.meta.url),
  );
  const rows = JOB_METRICS.map(({ name, unit, formula }) =>
    `| \`${name}\` | ${unit || "-"} | ${formula} |`
  );
  const written = page.split("\n").filter((line) => /^\| `[a-z_0-9]+` \| \S+ \| /.test(line));
  assertEquals(written, rows);
});
