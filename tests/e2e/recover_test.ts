/** A monitor that is killed: its report is made of its journal, by the next one or by recover. */
import { assert, assertEquals } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { BINARY, build, endToEnd, joulemark, type Outcome } from "../_support/programs.ts";

/**
 * A user of its own, where root can make one: what other runs on this machine tidy up is not ours.
 * The executable lies where that user comes.
 */
function alone(
  dir: string,
): { run: (args: string[]) => Outcome; words: (args: string[]) => string[] } {
  const binary = `${dir}/bin`;
  Deno.copyFileSync(BINARY, binary);
  Deno.chmodSync(binary, 0o755);
  const id = 20000 + Deno.pid % 30000;
  const drop = Deno.uid() === 0
    ? ["setpriv", "--reuid", String(id), "--regid", String(id), "--clear-groups"]
    : [];
  if (drop.length > 0) Deno.chownSync(dir, id, id);
  const words = (args: string[]) => [...drop, binary, ...args];
  return {
    words,
    run(args) {
      const [program, ...rest] = words(args);
      const out = new Deno.Command(program, { args: rest, cwd: dir, stdin: "null" }).outputSync();
      const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
      return { code: out.code, stdout: text(out.stdout), stderr: text(out.stderr) };
    },
  };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Starts a run of several marking processes, and kills its runtime by SIGKILL after some time. */
async function killed(dir: string, app: string, afterMs: number): Promise<void> {
  const user = alone(dir);
  // Each process marks 1,000 pairs a second for 4 s; they outlive the monitor.
  const script = Array(4).fill(`${app} 1000 3.5 >>counts &`).join(" ") + " wait";
  const args = ["run", "-q", "--simulate", "--", "sh", "-c", script];
  const [program, ...rest] = user.words(args);
  const run = new Deno.Command(program, { args: rest, cwd: dir, stdin: "null" }).spawn();
  await pause(afterMs);
  // The guardian is the process that was started; the runtime is its child that is no command.
  const children = Deno.readTextFileSync(`/proc/${run.pid}/task/${run.pid}/children`).trim();
  const runtime = children.split(" ").find((pid) => {
    return Deno.readTextFileSync(`/proc/${pid}/oom_score_adj`).trim() === "1000";
  });
  assert(runtime !== undefined, `no runtime among ${children}`);
  new Deno.Command("kill", { args: ["-KILL", runtime] }).outputSync();
  assertEquals((await run.status).code, 0, "the command's own status");
}

/** The processes, visits and reason of a recovered report. */
function told(path: string) {
  const [host] = parseReport(Deno.readTextFileSync(path), path).hosts;
  const { recovered, processes } = host.joulemark as {
    recovered: string;
    processes: Record<string, number>;
  };
  const visits = (host.regions ?? []).reduce((n, r) => n + Number(r.fields.count), 0);
  return { processes: processes.count, visits: visits * processes.count, recovered };
}

endToEnd("recover makes the report of a killed monitor, with the members' visits", async (dir) => {
  const app = build("rate", dir);
  await killed(dir, app, 3000);
  assert(!exists(`${dir}/joulemark.report`));
  const user = alone(dir);
  const out = user.run(["recover"]);
  assertEquals([out.code, out.stdout.trim()], [0, `${Deno.realPathSync(dir)}/joulemark.report`]);
  const { processes, visits, recovered } = told(`${dir}/joulemark.report`);
  assertEquals(processes, 4);
  // Killed about 3 s after the start, of which the last second may be missing.
  assert(visits > 4 * 1000 && visits < 4 * 3500, `${visits} visits`);
  assert(recovered.startsWith("the monitor was killed"), recovered);
  // Nothing is left to recover.
  assertEquals(user.run(["recover"]).stdout, "");
});

endToEnd(
  "the next run makes the report of a killed monitor, and loses nothing of it",
  async (dir) => {
    const app = build("rate", dir);
    await killed(dir, app, 2500);
    const next = alone(dir).run(["run", "-q", "--", "true"]);
    assertEquals(next.code, 0, next.stderr);
    assertEquals(told(`${dir}/joulemark.report.recovered`).processes, 4);
    assert(exists(`${dir}/joulemark.report`));
  },
);

endToEnd("recover refuses what is no directory, in one line", (dir) => {
  const out = joulemark(dir, ["recover", `${dir}/none`]);
  assert(out.code !== 0 && out.stderr.trim().split("\n").length === 1, out.stderr);
});

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
