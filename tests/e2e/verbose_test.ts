/** `-v` of run and replay: the summary has every note of the report. */
import { assert, assertEquals } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { endToEnd, joulemark } from "../_support/programs.ts";

/** Notes of a report, those without influence on the values too. */
function notesIn(path: string): string[] {
  const { hosts } = parseReport(Deno.readTextFileSync(path), path);
  return hosts.flatMap(({ joulemark }) => {
    return [joulemark?.notes, joulemark?.["minor notes"]].flatMap((list) => list as string[] ?? []);
  });
}

endToEnd("run -v and replay -v print every note of the report", (dir) => {
  const run = ["run", "-v", "--simulate", "--period", "0.0005", "--record", "r", "--report", "a"];
  const replay = ["replay", "-v", "--report", "b", "r"];
  for (const args of [[...run, "--", "sleep", "0.3"], replay]) {
    const report = args === replay ? "b" : "a";
    const { code, stderr } = joulemark(dir, args);
    assertEquals(code, 0, stderr);
    const shown = stderr.replaceAll(/\s+/g, " "), notes = notesIn(`${dir}/${report}`);
    for (const note of notes) assert(shown.includes(note), `${note}\n${stderr}`);
    assert(report === "b" || notes.length > 0, stderr);
    assert(!shown.includes("more note"), stderr);
  }
});
