/** What another user laid where we read: configuration that nobody named, pipes among reports. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { BINARY, endToEnd, joulemark } from "../_support/programs.ts";
import { NOT_ROOT } from "../_support/skipped.ts";

const NOBODY = 65534;
const ENVIRONMENT = { CALI_CONFIG: "runtime-report(output=own.txt)" };
/** Marked, and too short to matter. */
const RUN = ["demo", "-q", "--simulate"];

endToEnd(
  "a caliper.config of another user is ignored, in a line",
  (dir) => {
    const theirs = `${dir}/theirs`, ours = `${dir}/ours`;
    Deno.mkdirSync(theirs);
    Deno.chownSync(theirs, NOBODY, NOBODY);
    Deno.writeTextFileSync(ours, "as it was");
    const config = `${theirs}/caliper.config`;
    const text = "CALI_SERVICES_ENABLE=event,recorder,trace,timestamp\n" +
      `CALI_RECORDER_FILENAME=${ours}\n`;
    Deno.writeTextFileSync(config, text);
    Deno.chownSync(config, NOBODY, NOBODY);
    const refused = joulemark(theirs, RUN, ENVIRONMENT);
    assertEquals(refused.code, 0, refused.stderr);
    assertMatch(refused.stderr, /caliper\.config is ignored: it belongs to user 65534\n/);
    assertEquals(Deno.readTextFileSync(ours), "as it was");
    assert(Deno.readTextFileSync(`${theirs}/own.txt`).length > 0);
    // A pipe keeps nobody waiting.
    Deno.removeSync(config);
    assertEquals(new Deno.Command("mkfifo", { args: [config] }).outputSync().code, 0);
    const pipe = joulemark(theirs, RUN, ENVIRONMENT);
    assertEquals(pipe.code, 0, pipe.stderr);
    assertMatch(pipe.stderr, /caliper\.config is ignored: it is not a file\n/);
    // One of ours is read, and one that a variable names.
    Deno.removeSync(config);
    Deno.writeTextFileSync(config, text.replace(ours, "stream.cali"));
    assertEquals(joulemark(theirs, RUN, ENVIRONMENT).code, 0);
    assertMatch(Deno.readTextFileSync(`${theirs}/stream.cali`), /^__rec=/);
  },
  120,
  NOT_ROOT,
);

endToEnd(
  "a pipe of another user among reports keeps nobody waiting",
  (dir) => {
    const job = { SLURM_JOB_ID: "77", SLURM_STEP_ID: "0", SLURM_NODEID: "0", SLURM_NNODES: "2" };
    const others = { SLURM_NTASKS: "2", SLURM_PROCID: "0", SLURM_JOB_NUM_NODES: "2" };
    Deno.mkdirSync(`${dir}/x.report.parts`);
    for (const pipe of [`${dir}/x.report.parts/a.json`, `${dir}/x.report.parts/a.report`]) {
      assertEquals(new Deno.Command("mkfifo", { args: [pipe] }).outputSync().code, 0);
      Deno.chownSync(pipe, NOBODY, NOBODY);
    }
    const run = ["run", "-q", "--report", "x.report", "--", "sh", "-c", "sleep 0.2; exit 5"];
    const beganMs = performance.now();
    const { code, stderr } = joulemark(dir, run, { ...job, ...others });
    assertEquals(code, 5, stderr);
    assert(!/unmeasured/.test(stderr), stderr);
    const parts = [...Deno.readDirSync(`${dir}/x.report.parts`)].filter(({ isFile }) => isFile);
    assert(parts.some(({ name }) => name.endsWith(".report")), "the node's own part is there");
    const merged = new Deno.Command("timeout", {
      args: ["10", BINARY, "merge", "-o", "out", "x.report.parts"],
      cwd: dir,
    }).outputSync();
    assertMatch(new TextDecoder().decode(merged.stderr), /a pipe of user 65534/);
    // The guardian ends a monitor that is silent for 20 s.
    assert(performance.now() - beganMs < 15_000);
  },
  undefined,
  NOT_ROOT,
);

endToEnd("a pipe of one's own among a job's parts keeps nobody waiting", (dir) => {
  const job = { SLURM_JOB_ID: "78", SLURM_STEP_ID: "0", SLURM_NODEID: "0", SLURM_NNODES: "2" };
  const others = { SLURM_NTASKS: "2", SLURM_PROCID: "0", SLURM_JOB_NUM_NODES: "2" };
  Deno.mkdirSync(`${dir}/x.report.parts`);
  const ends = ["json", "report", "report.partial", "pmc", "timeline"];
  const pipes = ["a", "b"].flatMap((host) => ends.map((end) => `x.report.parts/${host}.${end}`));
  assertEquals(new Deno.Command("mkfifo", { args: pipes, cwd: dir }).outputSync().code, 0);
  const run = ["run", "-q", "--report", "x.report", "--", "sh", "-c", "sleep 0.2; exit 5"];
  const beganMs = performance.now();
  const { code, stderr } = joulemark(dir, run, { ...job, ...others });
  assertEquals(code, 5, stderr);
  assert(!/unmeasured/.test(stderr), stderr);
  const within = (args: string[]) =>
    new Deno.Command("timeout", { args: ["10", BINARY, ...args], cwd: dir }).outputSync();
  const merged = within(["merge", "-o", "out", "x.report.parts"]);
  assertEquals(merged.code, 1, "a node of two");
  const said = new TextDecoder().decode(merged.stderr);
  assertMatch(said, /a\.report: left out, because it is a pipe of user \d+\n/);
  assertEquals(within(["show", "--html", "x.report.parts", "-o", "x.html"]).code, 0);
  // The guardian ends a monitor that is silent for 20 s.
  assert(performance.now() - beganMs < 15_000);
});
