/** Many runs of one job on one node: one monitor, one report. */
import { assert, assertEquals } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { BINARY, build, endToEnd, joulemark } from "../_support/programs.ts";

endToEnd("run elects one monitor among 32 that start at once", async (dir) => {
  const app = build("die_inside", dir);
  const job = { SLURM_JOB_ID: `t${Deno.pid}`, SLURM_STEP_ID: String(Date.now()) };
  const runs = Array.from({ length: 32 }, () =>
    new Deno.Command(BINARY, {
      args: ["run", "-q", "--", app, "calm"],
      cwd: dir,
      env: job,
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).output());
  const outputs = await Promise.all(runs);
  for (const out of outputs) {
    assertEquals(out.code, 0, new TextDecoder().decode(out.stderr));
    assertEquals(new TextDecoder().decode(out.stderr), "");
  }
  const files = [...Deno.readDirSync(dir)].map((e) => e.name).filter((n) => n.includes("report"));
  // All of them overlap: each stays in its region for 50 ms, and the first waits for the last.
  assertEquals(files, ["joulemark.report"]);
  const [host] = parseReport(Deno.readTextFileSync(`${dir}/joulemark.report`), "r").hosts;
  const processes = host.joulemark!.processes as Record<string, number>;
  assertEquals(processes.count, 32);
  assertEquals(host.regions![0].fields.count, 1);
});

endToEnd("run inside a run joins it", (dir) => {
  const app = build("die_inside", dir);
  const inner = `${BINARY} run -q --report inner.report -- ${app} calm`;
  const out = joulemark(dir, ["run", "-q", "--", "sh", "-c", `${inner}; ${inner}`]);
  assertEquals(out.code, 0, out.stderr);
  const [host] = parseReport(Deno.readTextFileSync(`${dir}/joulemark.report`), "r").hosts;
  assertEquals((host.joulemark!.processes as Record<string, number>).count, 2);
  assert(![...Deno.readDirSync(dir)].some((e) => e.name === "inner.report"));
});

endToEnd("run beside another run does not write its report", async (dir) => {
  const start = (seconds: string) =>
    new Deno.Command(BINARY, {
      args: ["run", "-q", "--", "sleep", seconds],
      cwd: dir,
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    });
  const first = start("1.5").output();
  await new Promise((go) => setTimeout(go, 500));
  const second = await start("0.1").output();
  assert(new TextDecoder().decode(second.stderr).includes("joulemark.report-2"));
  await first;
  const names = [...Deno.readDirSync(dir)].map((e) => e.name).sort();
  assertEquals(names, ["joulemark.report", "joulemark.report-2"]);
});
