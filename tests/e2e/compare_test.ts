/** Two sets of runs of the executable, compared by it. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { endToEnd, joulemark } from "../_support/programs.ts";

endToEnd("compare finds a run that takes longer, and knows the machine", (dir) => {
  for (const [set, seconds] of [["a", "0.5"], ["b", "5"]]) {
    for (const i of [1, 2, 3]) {
      const report = `${set}-${i}.report`;
      const out = joulemark(dir, [
        "run",
        "--simulate",
        "-q",
        "--report",
        report,
        "--",
        "sleep",
        seconds,
      ]);
      assertEquals(out.code, 0, out.stderr);
    }
  }
  assertStringIncludes(
    Deno.readTextFileSync(`${dir}/a-1.report`),
    "processor: joulemark simulated processor",
  );
  const [a, b] = ["a", "b"].map((set) => [1, 2, 3].map((i) => `${set}-${i}.report`));
  const longer = joulemark(dir, ["compare", "--metric", "time", ...a, "--", ...b]);
  assertEquals(longer.code, 1, longer.stdout + longer.stderr);
  assertStringIncludes(longer.stdout, "worse: time +");
  assertStringIncludes(longer.stdout, "[simulated node]");
  assertEquals(joulemark(dir, ["compare", "--metric", "time", ...b, "--", ...a]).code, 0);
  assertEquals(joulemark(dir, ["compare", "a-1.report", "--", "b-1.report"]).code, 2);
});
