/** Many runs of one job on one node: one monitor, one report. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
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

/** Starts a run that goes on until `REPORT.off` is there, and waits until it is measured. */
async function longRun(
  dir: string,
  report: string,
  env: Record<string, string>,
  more: string[] = [],
) {
  const run = new Deno.Command(BINARY, {
    args: [
      "run",
      "-q",
      "--report",
      report,
      ...more,
      "--",
      "sh",
      "-c",
      `: >${report}.on; until [ -e ${report}.off ]; do sleep 0.05; done`,
    ],
    cwd: dir,
    env,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).output();
  while (!exists(`${dir}/${report}.on`)) await new Promise((go) => setTimeout(go, 10));
  return { ended: run };
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

const own = Date.now();
/** Launches that are no launch of the run before them: variables of the first and of the second one. */
const APART: Record<string, [Record<string, string>, Record<string, string>]> = {
  "a Slurm batch": [{ SLURM_JOB_ID: `${own}` }, { SLURM_JOB_ID: `${own}` }],
  "a PBS batch": [{ PBS_JOBID: `${own}` }, { PBS_JOBID: `${own}` }],
  "an LSF batch": [{ LSB_JOBID: `${own}` }, { LSB_JOBID: `${own}` }],
  "a Flux batch": [{ FLUX_JOB_ID: `${own}` }, { FLUX_JOB_ID: `${own}` }],
  "two MPI launches in a Slurm batch": [
    { SLURM_JOB_ID: `${own}`, PMIX_NAMESPACE: "1", PMIX_RANK: "0" },
    { SLURM_JOB_ID: `${own}`, PMIX_NAMESPACE: "2", PMIX_RANK: "0" },
  ],
  "two runs in one task of a step": [
    { SLURM_JOB_ID: `${own}`, SLURM_STEP_ID: "1", SLURM_PROCID: "0" },
    { SLURM_JOB_ID: `${own}`, SLURM_STEP_ID: "1", SLURM_PROCID: "0" },
  ],
};

endToEnd("the summary names the page that was written beside another run's", async (dir) => {
  const first = await longRun(dir, "p.report", {}, ["--html", "p.html"]);
  const args = ["run", "--simulate", "--report", "p.report", "--html", "p.html", "--", "true"];
  const second = joulemark(dir, args);
  assertStringIncludes(second.stderr, "report p.report-2; page p-2.html\n");
  assertStringIncludes(second.stderr, "another run writes p.html; this run writes p-2.html\n");
  assert(exists(`${dir}/p-2.html`));
  Deno.writeTextFileSync(`${dir}/p.report.off`, "");
  assertEquals((await first.ended).code, 0);
});

endToEnd("a second run in a batch measures for itself, and its request is checked", async (dir) => {
  for (const [i, [name, [one, two]]] of Object.entries(APART).entries()) {
    const first = await longRun(dir, `${i}.report`, one, ["--trace", `${i}.trace`]);
    const args = ["run", "-q", "--report", `${i}.report`, "--trace", `${i}.trace`];
    const second = joulemark(dir, [...args, "--", "sh", "-c", "exit 4"], two);
    assertEquals(second.code, 4, name);
    assertStringIncludes(second.stderr, `this run writes ${i}.report-2`);
    const wrong = joulemark(dir, ["run", "--no-such-option", "--", "touch", `${i}.ran`], two);
    assertEquals(wrong.code, 2, name);
    assertStringIncludes(wrong.stderr, "--no-such-option");
    for (const file of [`${i}.report-2`, `${i}.trace-2`]) assert(exists(`${dir}/${file}`), name);
    assert(!exists(`${dir}/${i}.ran`));
    Deno.writeTextFileSync(`${dir}/${i}.report.off`, "");
    assertEquals((await first.ended).code, 0);
    for (const file of [`${i}.report`, `${i}.trace`]) assert(exists(`${dir}/${file}`), name);
  }
});

endToEnd("processes of a launch by MPI without ranks share a monitor in a batch", async (dir) => {
  const launch = { SLURM_JOB_ID: `${own}`, SLURM_PROCID: "0", MPIRUN_ID: "1" };
  const first = await longRun(dir, "a", launch);
  const run = ["run", "-q", "--report", "a", "--", "sh", "-c", "exit 4"];
  assertEquals(joulemark(dir, run, launch), { code: 4, stdout: "", stderr: "" });
  Deno.writeTextFileSync(`${dir}/a.off`, "");
  await first.ended;
  assert(!exists(`${dir}/a-2`));
});

endToEnd("a member with other options is checked, and one line names the report", async (dir) => {
  const step = { SLURM_JOB_ID: `${own}`, SLURM_STEP_ID: "7" };
  const task = (n: number, ...options: string[]) => {
    const args = ["run", "-q", ...options, "--", "sh", "-c", "exit 4"];
    return joulemark(dir, args, { ...step, SLURM_PROCID: String(n) });
  };
  const first = await longRun(dir, "a", { ...step, SLURM_PROCID: "0" });
  assertEquals(task(1, "--report", "a"), { code: 4, stdout: "", stderr: "" });
  const other = task(2, "--report", "b");
  assertEquals(other.code, 4);
  assertMatch(other.stderr, new RegExp(`^joulemark: this run belongs .* are in ${dir}/a\n$`));
  // Once for each kind of request.
  assertEquals(task(3, "--report", "b").stderr, "");
  const wrong = task(4, "--period", "no");
  assertEquals(wrong.code, 2);
  assertStringIncludes(wrong.stderr, "--period=no");
  Deno.writeTextFileSync(`${dir}/a.off`, "");
  await first.ended;
  assert(!exists(`${dir}/b`));
});

endToEnd("a run inside a run measures for itself", (dir) => {
  const app = build("die_inside", dir);
  const inner = `${BINARY} run -q -- ${app} calm`;
  const script = `${inner}; ${inner}; ${BINARY} run --no-such-option -- true; echo $?`;
  const out = joulemark(dir, ["run", "-q", "--", "sh", "-c", script]);
  assertEquals([out.code, out.stdout], [0, "2\n"], out.stderr);
  const report = (name: string) =>
    parseReport(Deno.readTextFileSync(`${dir}/${name}`), name).hosts[0];
  assertEquals(report("joulemark.report").regions ?? [], []);
  assertEquals(report("joulemark.report-2").regions!.length, 1);
});

endToEnd("a run inside a run that cannot measure says whose report has its processes", (dir) => {
  const app = build("die_inside", dir);
  const inner = `ulimit -v 20000000; ${BINARY} run -q --report b -- ${app} calm`;
  const out = joulemark(dir, ["run", "-q", "--", "sh", "-c", inner]);
  assertEquals(out.code, 0);
  assertMatch(
    out.stderr,
    new RegExp(`unmeasured: .*; its processes are in ${dir}/joulemark.report\n$`),
  );
  const [host] = parseReport(Deno.readTextFileSync(`${dir}/joulemark.report`), "r").hosts;
  assertEquals(host.regions!.length, 1);
  assert(!exists(`${dir}/b`));
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
  assertEquals(names, [
    "joulemark.report",
    "joulemark.report-2",
    "joulemark.report-2.timeline",
    "joulemark.timeline",
  ]);
});
