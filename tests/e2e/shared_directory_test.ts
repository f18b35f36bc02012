/** Root writes where everybody may: what another user planted there is refused, and the run goes on. */
import { assertEquals, assertMatch } from "@std/assert";
import { endToEnd, joulemark } from "../_support/programs.ts";

const isRoot = Deno.uid() === 0;

/** A sticky directory with a link that user 65534 planted, to a file of ours. */
function plant(dir: string, link: string): { shared: string; ours: string } {
  Deno.chmodSync(dir, 0o755);
  const shared = `${dir}/shared`;
  Deno.mkdirSync(shared);
  Deno.chmodSync(shared, 0o1777);
  Deno.writeTextFileSync(`${dir}/ours`, "ours");
  const args = ["--reuid=65534", "--regid=65534", "--clear-groups", "ln", "-s", `${dir}/ours`];
  const made = new Deno.Command("setpriv", { args: [...args, `${shared}/${link}`] }).outputSync();
  assertEquals(made.code, 0);
  return { shared, ours: `${dir}/ours` };
}

const planted = /cannot write ".*": a link of user 65534, .*\. Remove it/;

for (const link of ["x.report", "x.report.partial", "x.trace"]) {
  endToEnd(`run: a planted link ${link} is refused in a line, and the command runs`, (dir) => {
    if (!isRoot) return console.log("skipped: another user's link needs root");
    const { shared, ours } = plant(dir, link);
    const out = joulemark(dir, [
      ...["run", "-q", "--simulate", "--checkpoint", "0.2", "--report", `${shared}/x.report`],
      ...["--trace", `${shared}/x.trace`, "--", "sh", "-c", "sleep 1.3; echo ran; exit 7"],
    ]);
    assertEquals(out.code, 7);
    assertEquals(out.stdout, "ran\n");
    const lines = out.stderr.trimEnd().split("\n");
    assertEquals(lines.filter((line) => planted.test(line)).length, 1, out.stderr);
    assertEquals(Deno.readTextFileSync(ours), "ours");
    // What nobody touched is there.
    const left = [...Deno.readDirSync(shared)].map((entry) => entry.name);
    assertEquals(left.some((name) => name.endsWith(".new")), false);
    assertEquals(left.includes("x.trace"), true);
    if (link !== "x.report") assertMatch(Deno.readTextFileSync(`${shared}/x.report`), /Hosts:/);
  });
}

endToEnd("merge and query: a planted link ends the verb with a line", (dir) => {
  if (!isRoot) return console.log("skipped: another user's link needs root");
  const { shared, ours } = plant(dir, "all.report");
  joulemark(dir, ["run", "-q", "--simulate", "--report", "a.report", "--", "sleep", "0.2"]);
  const merged = joulemark(dir, ["merge", "a.report", "-o", `${shared}/all.report`]);
  assertMatch(merged.stderr, planted);
  assertEquals(merged.code === 0, false);
  const asked = joulemark(dir, ["query", "a.report", "-o", `${shared}/all.report`]);
  assertMatch(asked.stderr, planted);
  assertEquals(asked.code === 0, false);
  for (const out of [merged, asked]) assertEquals(out.stderr.trimEnd().split("\n").length, 1);
  assertEquals(Deno.readTextFileSync(ours), "ours");
});

endToEnd("capture: a planted link in place of the directory is refused", (dir) => {
  if (!isRoot) return console.log("skipped: another user's link needs root");
  const { shared } = plant(dir, "x");
  Deno.mkdirSync(`${dir}/empty`);
  const args = ["--reuid=65534", "--regid=65534", "--clear-groups", "ln", "-s", `${dir}/empty`];
  new Deno.Command("setpriv", { args: [...args, `${shared}/tree`] }).outputSync();
  const out = joulemark(dir, ["capture", `${shared}/tree`]);
  assertMatch(
    out.stderr,
    /cannot capture to ".*": a link of user 65534/,
  );
  assertEquals(out.code === 0, false);
  assertEquals([...Deno.readDirSync(`${dir}/empty`)], []);
});

endToEnd("a planted link in place of the parts gets no lock where it leads", (dir) => {
  if (!isRoot) return console.log("skipped: another user's link needs root");
  const { shared, ours } = plant(dir, "x.report.parts");
  Deno.removeSync(ours);
  Deno.mkdirSync(ours);
  const job = { SLURM_JOB_ID: "79", SLURM_STEP_ID: "0", SLURM_NODEID: "0", SLURM_NNODES: "2" };
  const out = joulemark(dir, [
    ...["run", "-q", "--simulate", "--report", `${shared}/x.report`, "--", "sh", "-c", "exit 7"],
  ], { ...job, SLURM_NTASKS: "2", SLURM_PROCID: "0", SLURM_JOB_NUM_NODES: "2" });
  assertEquals(out.code, 7);
  assertEquals([...Deno.readDirSync(ours)], []);
});
