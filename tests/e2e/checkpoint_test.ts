/** What a checkpoint says of its run: that it goes on, that it was cut off, or nothing. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { reportText } from "../../src/formats/journal.ts";
import { parseReport } from "../../src/formats/report.ts";
import type { PageData } from "../../src/show/page/data.ts";
import { BINARY, endToEnd, joulemark } from "../_support/programs.ts";

const CHECKPOINT = "joulemark.report.partial";

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** A process with all that it started. */
function family(pid: number): number[] {
  try {
    const children = Deno.readTextFileSync(`/proc/${pid}/task/${pid}/children`).trim();
    return [pid, ...children.split(" ").filter(Boolean).flatMap((one) => family(Number(one)))];
  } catch {
    return [];
  }
}

/** State of the run as the summary and the page's data have it; the long table calls its values partial. */
function states(dir: string, file: string): string[] {
  const { stdout } = joulemark(dir, ["show", file]);
  const data: PageData = JSON.parse(joulemark(dir, ["show", "--json", file]).stdout);
  const csv = joulemark(dir, ["show", "--format", "csv", file]).stdout.split("\n");
  const quality = csv[0].split(",").indexOf("quality");
  assertEquals(csv[2].split(",")[quality], "simulated");
  return [stdout.split("\n")[0], data.failed!].map((line) => {
    return /^PARTIAL: (.*); values cover this part only\.$/.exec(line)?.[1] ?? line;
  });
}

endToEnd("a checkpoint knows whether its run goes on or was cut off", async (dir) => {
  const run = new Deno.Command(BINARY, {
    args: ["run", "--simulate", "-q", "--", "sleep", "60"],
    cwd: dir,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  try {
    while (!exists(`${dir}/${CHECKPOINT}`)) await new Promise((wait) => setTimeout(wait, 50));
    assertEquals(new Set(states(dir, CHECKPOINT)), new Set(["the run goes on"]));
    Deno.copyFileSync(`${dir}/${CHECKPOINT}`, `${dir}/copy.report`);
    assertEquals(new Set(states(dir, "copy.report")), new Set(["as of the last checkpoint"]));
  } finally {
    for (const pid of family(run.pid)) Deno.kill(pid, "SIGKILL");
    await run.status;
  }
  assertEquals(new Set(states(dir, CHECKPOINT)), new Set(["cut off: no end was written"]));
  const compared = joulemark(dir, ["compare", CHECKPOINT, "--", CHECKPOINT]);
  assertMatch(compared.stderr, /cut off: no end was written/);
});

endToEnd("--checkpoint below a second holds where nobody marks", async (dir) => {
  const run = new Deno.Command(BINARY, {
    args: ["run", "-q", "--checkpoint", "0.2", "--", "sleep", "60"],
    cwd: dir,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const seconds = new Set<number>();
  try {
    while (!exists(`${dir}/${CHECKPOINT}`)) await new Promise((wait) => setTimeout(wait, 50));
    while (seconds.size < 6) {
      const text = reportText(Deno.readFileSync(`${dir}/${CHECKPOINT}`));
      seconds.add(Number(parseReport(text).hosts[0].application["runtime (s)"]));
      await new Promise((wait) => setTimeout(wait, 20));
    }
  } finally {
    for (const pid of family(run.pid)) Deno.kill(pid, "SIGKILL");
    await run.status;
  }
  const times = [...seconds], gaps = times.slice(1).map((time, i) => time - times[i]);
  assert(Math.min(...gaps) < 0.6, `${times}`);
});
