/** One monitor a node under the launchers of Open MPI and MPICH, where they are installed. */
import { assertEquals } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { BINARY, build, endToEnd } from "../_support/programs.ts";

const LAUNCHERS: Record<string, string[]> = {
  "mpirun.openmpi": ["--allow-run-as-root", "--oversubscribe"],
  "mpirun.mpich": [],
};

for (const [launcher, options] of Object.entries(LAUNCHERS)) {
  const here = new Deno.Command("sh", { args: ["-c", `command -v ${launcher}`] }).outputSync();
  if (!here.success) {
    console.log(`skipped: ${launcher} is not installed`);
    continue;
  }
  endToEnd(`run under ${launcher} has one monitor and one report for four ranks`, (dir) => {
    const app = build("steps", dir);
    const run = [BINARY, "run", "-q", "--simulate", "--", app, "5"];
    const out = new Deno.Command(launcher, {
      args: [...options, "-n", "4", ...run],
      cwd: dir,
      stdin: "null",
    }).outputSync();
    assertEquals(out.code, 0, new TextDecoder().decode(out.stderr));
    const names = [...Deno.readDirSync(dir)].map((e) => e.name).filter((n) => n.includes("report"));
    assertEquals(names, ["joulemark.report"]);
    const [host] = parseReport(Deno.readTextFileSync(`${dir}/joulemark.report`), "r").hosts;
    assertEquals((host.joulemark!.processes as Record<string, number>).count, 4);
  });
}
