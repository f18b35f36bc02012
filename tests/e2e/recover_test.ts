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

/** The runtime under a guardian: the child that goes first where memory runs out. */
function runtimeOf(guardian: number): number {
  const children = Deno.readTextFileSync(`/proc/${guardian}/task/${guardian}/children`).trim();
  const runtime = children.split(" ").find((pid) => {
    return Deno.readTextFileSync(`/proc/${pid}/oom_score_adj`).trim() === "1000";
  });
  assert(runtime !== undefined, `no runtime among ${children}`);
  return Number(runtime);
}

/** Waits for the first checkpoint, a second after the start: on a busy machine that takes its time. */
async function hasBegun(dir: string): Promise<void> {
  while (!exists(`${dir}/joulemark.report.partial`)) await pause(20);
}

/** Starts a run of several marking processes; kills its runtime some time after its first checkpoint. */
async function killed(dir: string, app: string, afterMs: number): Promise<void> {
  const user = alone(dir);
  // Each process marks 1,000 pairs a second; they outlive the monitor.
  const script = Array(4).fill(`${app} 1000 5 >>counts &`).join(" ") + " wait";
  const args = ["run", "-q", "--simulate", "--", "sh", "-c", script];
  const [program, ...rest] = user.words(args);
  const run = new Deno.Command(program, { args: rest, cwd: dir, stdin: "null" }).spawn();
  await hasBegun(dir);
  await pause(afterMs);
  Deno.kill(runtimeOf(run.pid), "SIGKILL");
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
  const seconds = Number(host.application["runtime (s)"]);
  return { processes: processes.count, visits: visits * processes.count, seconds, recovered };
}

endToEnd("recover makes the report of a killed monitor, with the members' visits", async (dir) => {
  const app = build("rate", dir);
  await killed(dir, app, 1500);
  assert(!exists(`${dir}/joulemark.report`));
  const user = alone(dir);
  const out = user.run(["recover"]);
  assertEquals([out.code, out.stdout.trim()], [0, `${Deno.realPathSync(dir)}/joulemark.report`]);
  const { processes, visits, seconds, recovered } = told(`${dir}/joulemark.report`);
  assertEquals(processes, 4);
  // Each process is behind its rate by what a busy machine lets it wait.
  assert(visits > 4000 * (seconds - 0.7) && visits <= 4001 * seconds, `${visits} in ${seconds} s`);
  assert(recovered.startsWith("the monitor was killed"), recovered);
  // Nothing is left to recover.
  assertEquals(user.run(["recover"]).stdout, "");
});

endToEnd(
  "the next run makes the report of a killed monitor, and loses nothing of it",
  async (dir) => {
    const app = build("rate", dir);
    await killed(dir, app, 1200);
    const next = alone(dir).run(["run", "-q", "--", "true"]);
    assertEquals(next.code, 0, next.stderr);
    assertEquals(told(`${dir}/joulemark.report.recovered`).processes, 4);
    assert(exists(`${dir}/joulemark.report`));
  },
);

endToEnd(
  "a monitor killed at any moment leaves a whole entry, and nobody else's session goes",
  async (dir) => {
    const app = build("rate", dir);
    const user = alone(dir);
    /** A run in its own directory; killed so long after its first checkpoint, NaN: never. */
    const run = async (name: string, afterMs: number) => {
      const own = `${dir}/${name}`;
      Deno.mkdirSync(own);
      Deno.chmodSync(own, 0o777);
      const [program, ...rest] = user.words(["run", "-q", "--simulate", "--", app, "1000", "6"]);
      const child = new Deno.Command(program, {
        ...{ args: rest, cwd: own, stdin: "null", stdout: "null", stderr: "null" },
      }).spawn();
      await hasBegun(own);
      await pause(afterMs);
      if (!Number.isNaN(afterMs)) Deno.kill(runtimeOf(child.pid), "SIGKILL");
      return { own, ended: child.status };
    };
    const all = await Promise.all([
      ...["a", "b", "c"].map((name) => run(name, 2000 * Math.random())),
      run("kept", NaN),
    ]);
    // While one goes on, recover does what it can, and leaves that one alone.
    await Promise.all(all.slice(0, 3).map(({ ended }) => ended));
    const recovered = user.run(["recover"]);
    assertEquals(recovered.code, 0, recovered.stderr);
    const { code } = await all[3].ended;
    assertEquals(code, 0);
    assertEquals(told(`${all[3].own}/joulemark.report`).recovered, undefined);
    for (const { own } of all.slice(0, 3)) {
      const path = ["", ".recovered"].map((end) => `${own}/joulemark.report${end}`).find(exists);
      assert(path !== undefined, `no report in ${own}`);
      const { visits, seconds, recovered } = told(path);
      assert(recovered.startsWith("the monitor was killed"), recovered);
      assert(
        visits > 1000 * (seconds - 0.7) && visits <= 1001 * seconds,
        `${visits} in ${seconds} s`,
      );
    }
  },
  60,
);

endToEnd(
  "of 5,000 names a killed monitor leaves more than the longest, each whole",
  async (dir) => {
    const app = build("many_names", dir);
    const user = alone(dir);
    const [program, ...rest] = user.words([
      ...["run", "-q", "--simulate", "--", "sh", "-c", `${app} 5000 1; exec sleep 5`],
    ]);
    const run = new Deno.Command(program, { args: rest, cwd: dir, stdin: "null" }).spawn();
    await hasBegun(dir);
    await pause(3500);
    Deno.kill(runtimeOf(run.pid), "SIGKILL");
    await run.status;
    assertEquals(user.run(["recover"]).code, 0);
    const path = `${dir}/joulemark.report`;
    const [host] = parseReport(Deno.readTextFileSync(path), path).hosts;
    const leftOut = Number(host.joulemark!["regions left out here"] ?? 0);
    // A busy machine has fewer entries, of 1,500 regions at most.
    const told = host.regions!.length;
    assert(told > 1000 && told + leftOut <= 5000, `${told} told, ${leftOut} left out`);
    assert(host.regions!.every(({ fields }) => fields.count === 1));
  },
  60,
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
