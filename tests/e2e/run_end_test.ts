/** The report says how the command ended, and whose run it was. */
import { assertEquals } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { BINARY, endToEnd, joulemark } from "../_support/programs.ts";

function header(dir: string, name = "joulemark.report") {
  const own = parseReport(Deno.readTextFileSync(`${dir}/${name}`), name).joulemark ?? {};
  const { "exit status": status, "ended by": by, partial, job, cluster, user } = own;
  return { status, by, partial, job, cluster, user };
}

const ENDS: Record<string, [script: string, status?: number, by?: string, partial?: true]> = {
  "good": ["exit 0", 0],
  "failed": ["exit 3", 3],
  "killed": ["kill -KILL $$", undefined, "SIGKILL"],
  "crashed": ["ulimit -c 0; kill -SEGV $$", undefined, "SIGSEGV"],
};

endToEnd("the report has the status of the command, or the signal that ended it", (dir) => {
  for (const [name, [script, status, by, partial]] of Object.entries(ENDS)) {
    joulemark(dir, ["run", "-q", "--report", name, "--", "sh", "-c", script]);
    const found = header(dir, name);
    assertEquals([found.status, found.by, found.partial], [status, by, partial], name);
  }
  const { stdout } = joulemark(dir, ["show", "--json", "failed"]);
  assertEquals(JSON.parse(stdout).joulemark["exit status"], 3);
  const merged = joulemark(dir, ["merge", "-o", "merged", "failed"]);
  assertEquals([merged.code, header(dir, "merged").status], [0, 3], merged.stderr);
});

/** Runs a script, and sends a signal to joulemark when the script has begun. */
async function interrupted(dir: string, signal: Deno.Signal, script: string): Promise<unknown[]> {
  const run = new Deno.Command(BINARY, {
    args: ["run", "-q", "--", "sh", "-c", `: >begun; ${script}`],
    cwd: dir,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  for (;;) {
    await new Promise((go) => setTimeout(go, 20));
    if ([...Deno.readDirSync(dir)].some(({ name }) => name === "begun")) break;
  }
  run.kill(signal);
  await run.status;
  Deno.removeSync(`${dir}/begun`);
  const { status, by, partial } = header(dir);
  return [status, by, partial];
}

endToEnd("a run that a forwarded signal ended is partial", async (dir) => {
  const wait = "while :; do sleep 0.05; done";
  assertEquals(await interrupted(dir, "SIGTERM", wait), [undefined, "SIGTERM", true]);
  assertEquals(await interrupted(dir, "SIGHUP", wait), [undefined, "SIGHUP", true]);
  // A launcher returns 128 + N.
  const launcher = `trap 'exit 143' TERM; ${wait}`;
  assertEquals(await interrupted(dir, "SIGTERM", launcher), [143, "SIGTERM", true]);
  // A command that goes on after it is whole.
  const goesOn = `trap 'exit 5' TERM; ${wait}`;
  assertEquals(await interrupted(dir, "SIGTERM", goesOn), [5, undefined, undefined]);
});

endToEnd("the report has the job, the cluster and the user that the environment names", (dir) => {
  const batch = { SLURM_JOB_ID: "4711", SLURM_CLUSTER_NAME: "big", SLURM_JOB_USER: "ann" };
  joulemark(dir, ["run", "-q", "--", "true"], batch);
  const { job, cluster, user } = header(dir);
  assertEquals([job, cluster, user], ["slurm-4711", "big", "ann"]);
  joulemark(dir, ["run", "-q", "--", "true"], { PBS_JOBID: "7.srv", USER: "bob" });
  assertEquals([header(dir).job, header(dir).user], ["pbs-7.srv", "bob"]);
});

endToEnd("a note says that the command took much longer than its annotated programs", (dir) => {
  assertEquals(joulemark(dir, ["client", "shell", "-q"]).code, 0);
  const marked = ". ./joulemark.sh; joulemark_begin a; sleep 0.1; joulemark_end a";
  Deno.writeTextFileSync(`${dir}/marked.sh`, `${marked}\n`);
  const noted = (script: string) => {
    const { code, stderr } = joulemark(dir, ["run", "--report", "r", "--", "bash", "-c", script]);
    assertEquals(code, 0, stderr);
    const notes = parseReport(Deno.readTextFileSync(`${dir}/r`)).hosts[0].joulemark?.notes ?? [];
    const wanted =
      /^totals and regions cover 0\.[\d.]+ s of the command's [\d.]+ s: from the start /;
    return (notes as string[]).some((note) => wanted.test(note));
  };
  assertEquals(noted("sleep 0.7; bash marked.sh; sleep 0.7"), true);
  assertEquals(noted("bash marked.sh"), false);
  // A script with annotations is measured as a whole.
  assertEquals(noted(`${marked}; sleep 0.7; bash marked.sh; sleep 0.7`), false);
  assertEquals(noted("sleep 1.5"), false);
});
