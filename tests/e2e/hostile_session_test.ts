/** What an application leaves in the session directory never keeps the run from its end. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { endToEnd, joulemark } from "../_support/programs.ts";

endToEnd("run ends whatever lies in the session directory, and names it", (dir) => {
  const script = `cd "$JOULEMARK_SESSION" && mkfifo 7.sh 7.7 && mkdir 8.sh && : >run.1 &&
    : >run.2 && truncate -s 1T 9.sh &&
    printf 'b - \\033[31mred\\ne - \\033[31mred\\n' >$$.sh; sleep 0.5; exit 5`;
  const startedMs = performance.now();
  const out = joulemark(dir, ["run", "--simulate", "--", "sh", "-c", script]);
  assertEquals(out.code, 5, out.stderr);
  assert(performance.now() - startedMs < 15_000, "the run waited");
  assert(!out.stderr.includes("\x1b"), "an escape sequence reached the terminal");
  const shown = joulemark(dir, ["show", "joulemark.report"]);
  // The summary of a busy machine's run may have more important notes.
  assertStringIncludes(shown.stdout, "files of annotations were refused; the first:");
  assertStringIncludes(shown.stdout, "\\x1b[31mred");
  assert(!shown.stdout.includes("\x1b"), "an escape sequence reached the terminal");
  const text = Deno.readTextFileSync(`${dir}/joulemark.report`);
  for (
    const name of [
      "/7.sh: a pipe",
      "/7.7: a pipe",
      "/8.sh: a directory",
      "process 1 is",
      "/9.sh: more at once",
    ]
  ) {
    assertStringIncludes(text, name);
  }
  assert(!text.includes("\x1b"));
});
