/** A monitor that is killed: its report is made of its journal, by the next one or by recover. */
import { assert, assertEquals } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { reportText } from "../../src/formats/journal.ts";
import { works } from "../_support/preload.ts";
import { BINARY, build, endToEnd, joulemark, type Outcome } from "../_support/programs.ts";

/** Whose runs nobody else tidies up. */
interface Alone {
  /** Its directory in shared memory, as this process sees it. */
  shm: string;
  run(args: string[]): Outcome;
  words(args: string[]): string[];
}

/**
 * A user of its own, where root can make one: what other runs on this machine tidy up is not ours.
 * The executable lies where that user comes.
 */
function alone(dir: string): Alone {
  const binary = `${dir}/bin`;
  Deno.copyFileSync(BINARY, binary);
  Deno.chmodSync(binary, 0o755);
  const id = Deno.uid() === 0 ? 20000 + Deno.pid % 30000 : Deno.uid();
  const drop = Deno.uid() === 0
    ? ["setpriv", "--reuid", String(id), "--regid", String(id), "--clear-groups"]
    : [];
  if (drop.length > 0) Deno.chownSync(dir, id, id);
  return by([...drop, binary], dir, `/dev/shm/joulemark-${id}`);
}

/** Root with a memory file system of its own, for as long as the test. */
function aloneAsRoot(dir: string): Alone {
  // Its output ends when the namespace is made: the process that holds it is named there.
  const script = `unshare -m sh -c 'mount -t tmpfs none /dev/shm && echo $$ &&
    exec sleep 1000 >/dev/null 2>&1' &`;
  const { stdout } = new Deno.Command("sh", { args: ["-c", script] }).outputSync();
  const holder = new TextDecoder().decode(stdout).trim();
  const command = ["nsenter", "-t", holder, "-m", `--wd=${dir}`, BINARY];
  return by(command, dir, `/proc/${holder}/root/dev/shm/joulemark-0`);
}

function by(command: string[], dir: string, shm: string): Alone {
  const words = (args: string[]) => [...command, ...args];
  return {
    shm,
    words,
    run(args) {
      const [program, ...rest] = words(args);
      const out = new Deno.Command(program, { args: rest, cwd: dir, stdin: "null" }).outputSync();
      const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
      return { code: out.code, stdout: text(out.stdout), stderr: text(out.stderr) };
    },
  };
}

/** Who can be alone here: a plain user, and root where namespaces can be made. */
const USERS: readonly (readonly [name: string, make: (dir: string) => Alone])[] = [
  ["plain user", alone],
  ...(Deno.uid() === 0 && works("unshare -m mount -t tmpfs none /mnt")
    ? [["root", aloneAsRoot] as const]
    : []),
];

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

/**
 * Waits until the journal of the run in this directory has so many processes, and marks of theirs: on a busy
 * machine that takes its time. The test's limit ends it.
 */
async function hasBegun(dir: string, processes: number): Promise<void> {
  const isThere = () => {
    if (!exists(`${dir}/joulemark.report.partial`)) return false;
    const text = reportText(Deno.readFileSync(`${dir}/joulemark.report.partial`));
    if (text === "") return false;
    const members = told(text);
    return processes === 0 || (members.processes >= processes && members.visits > 0);
  };
  while (!isThere()) await pause(50);
}

/**
 * A command of so many processes that each mark 1,000 pairs a second and log how many so far, until there is
 * a file `stop`: however long a busy machine takes for all the rest.
 */
function marking(app: string, processes: number): string[] {
  const all = Array.from(
    { length: processes },
    (_, i) => `${app} 1000 100 log${i} & pids="$pids $!"`,
  );
  const wait = "while [ ! -e stop ]; do sleep 0.05; done; kill $pids; wait; exit 0";
  return ["sh", "-c", `cat /proc/uptime >launch; ${all.join("\n")}\n${wait}`];
}

/** Least and most pairs that those processes can have made so many seconds after their launch. */
function madeBy(dir: string, seconds: number): [least: number, most: number] {
  const byS = Number(Deno.readTextFileSync(`${dir}/launch`).split(" ")[0]) + seconds;
  const logs = [...Deno.readDirSync(dir)].filter(({ name }) => name.startsWith("log"));
  let least = 0, most = 0;
  for (const { name } of logs) {
    const lines = Deno.readTextFileSync(`${dir}/${name}`).trim().split("\n")
      .map((line) => line.split(" ").map(Number));
    least += lines.findLast(([timeS]) => timeS <= byS)?.[1] ?? 0;
    // A process makes pairs first and writes a line then.
    most += (lines.find(([timeS]) => timeS >= byS) ?? lines.at(-1)!)[1] ?? 0;
  }
  return [least, most];
}

/** At most a checkpoint is lost, and nothing is there that was not. */
function assertWhole(dir: string, { visits, seconds }: { visits: number; seconds: number }): void {
  const [least] = madeBy(dir, seconds - 0.7), [, most] = madeBy(dir, seconds + 0.5);
  assert(visits > 0 && visits >= least && visits <= most, `${least} <= ${visits} <= ${most}`);
}

/** Starts a run of several marking processes; kills its runtime some time after its journal has them all. */
async function killed(dir: string, app: string, user: Alone, processes: number): Promise<void> {
  const [program, ...rest] = user.words([
    "run",
    "-q",
    "--simulate",
    "--",
    ...marking(app, processes),
  ]);
  const run = new Deno.Command(program, { args: rest, cwd: dir, stdin: "null" }).spawn();
  await hasBegun(dir, processes);
  await pause(1200);
  Deno.kill(runtimeOf(run.pid), "SIGKILL");
  // They outlive the monitor.
  await pause(500);
  Deno.writeTextFileSync(`${dir}/stop`, "");
  assertEquals((await run.status).code, 0, "the command's own status");
}

/** The processes, visits and reason of a report. */
function told(text: string) {
  const [host] = parseReport(text, "report").hosts;
  const { recovered, processes, "across processes": across = [] } = host.joulemark as {
    recovered: string;
    processes: Record<string, number>;
    "across processes"?: { region: string; processes: number }[];
  };
  // A region's count is the mean of the processes that have it.
  const having = new Map(across.map(({ region, processes }) => [region, processes]));
  const visits = (host.regions ?? []).reduce((sum, { region, fields }) => {
    return sum + Math.round(Number(fields.count) * (having.get(region) ?? 1));
  }, 0);
  const seconds = Number(host.application["runtime (s)"]);
  return { processes: processes.count, visits, seconds, recovered };
}

for (const [name, make] of USERS) {
  endToEnd(
    `recover makes the report of a killed monitor, with all members (${name})`,
    async (dir) => {
      const app = build("rate", dir), user = make(dir);
      await killed(dir, app, user, 32);
      assert(!exists(`${dir}/joulemark.report`));
      const out = user.run(["recover"]);
      assertEquals([out.code, out.stdout.trim()], [
        0,
        `${Deno.realPathSync(dir)}/joulemark.report`,
      ]);
      const { processes, recovered, ...figures } = told(
        Deno.readTextFileSync(`${dir}/joulemark.report`),
      );
      assertEquals(processes, 32);
      assertWhole(dir, figures);
      assert(recovered.startsWith("the monitor was killed"), recovered);
      const shown = user.run(["show", "joulemark.report"]).stdout;
      assert(shown.startsWith(`PARTIAL: ${recovered}`.slice(0, 60)), shown);
      // Nothing is left to recover.
      assertEquals(user.run(["recover"]).stdout, "");
    },
  );

  endToEnd(`the next run makes the report of a killed monitor (${name})`, async (dir) => {
    const app = build("rate", dir), user = make(dir);
    await killed(dir, app, user, 4);
    const next = user.run(["run", "-q", "--", "true"]);
    assertEquals(next.code, 0, next.stderr);
    assertEquals(told(Deno.readTextFileSync(`${dir}/joulemark.report.recovered`)).processes, 4);
    assert(exists(`${dir}/joulemark.report`));
  });
}

endToEnd("a killed run whose report has no place any more goes after a week", async (dir) => {
  const user = alone(dir), place = `${dir}/place`;
  Deno.mkdirSync(place);
  Deno.chmodSync(place, 0o777);
  const report = `${place}/joulemark.report`;
  const [program, ...rest] = user.words(["run", "-q", "--report", report, "--", "sleep", "4"]);
  const run = new Deno.Command(program, { args: rest, cwd: dir, stdin: "null" }).spawn();
  await hasBegun(place, 0);
  await pause(1200);
  Deno.kill(runtimeOf(run.pid), "SIGKILL");
  assertEquals((await run.status).code, 0);
  Deno.removeSync(place, { recursive: true });
  const find = () => {
    const args = [user.shm, "-path", "*/s-*/report"];
    const { stdout } = new Deno.Command("find", { args, stderr: "null" }).outputSync();
    return new TextDecoder().decode(stdout).split("\n").filter((path) => {
      return path !== "" && Deno.readTextFileSync(path).startsWith(`${place}/`);
    });
  };
  const sessions = find();
  if (sessions.length === 0) return console.log("skipped: no memory file system of its own");
  assertEquals(user.run(["run", "-q", "--", "true"]).code, 0);
  assertEquals(find(), sessions, "its directory may come back");
  const week = Date.now() / 1000 - 8 * 86400;
  Deno.utimeSync(sessions[0], week, week);
  assertEquals(user.run(["run", "-q", "--", "true"]).code, 0);
  assertEquals(find(), []);
});

endToEnd(
  "a monitor killed at any moment leaves a whole entry, and nobody else's session goes",
  async (dir) => {
    const app = build("rate", dir);
    const user = alone(dir);
    /** A run in its own directory; killed so long after it has begun, NaN: never. */
    const run = async (name: string, afterMs: number) => {
      const own = `${dir}/${name}`;
      Deno.mkdirSync(own);
      Deno.chmodSync(own, 0o777);
      const [program, ...rest] = user.words(["run", "-q", "--simulate", "--", ...marking(app, 1)]);
      const child = new Deno.Command(program, {
        args: rest,
        cwd: own,
        stdin: "null",
        stdout: "null",
        stderr: "null",
      }).spawn();
      await hasBegun(own, 1);
      const stop = () => Deno.writeTextFileSync(`${own}/stop`, "");
      if (Number.isNaN(afterMs)) return { ended: child.status, own, stop };
      await pause(afterMs);
      Deno.kill(runtimeOf(child.pid), "SIGKILL");
      await pause(500);
      stop();
      return { ended: child.status, own, stop };
    };
    const all = await Promise.all([
      ...["a", "b", "c"].map((name) => run(name, 2000 * Math.random())),
      run("kept", NaN),
    ]);
    // While one goes on, recover does what it can, and leaves that one alone.
    await Promise.all(all.slice(0, 3).map(({ ended }) => ended));
    const recovered = user.run(["recover"]);
    assertEquals(recovered.code, 0, recovered.stderr);
    all[3].stop();
    const { code } = await all[3].ended;
    assertEquals(code, 0);
    assertEquals(
      told(Deno.readTextFileSync(`${all[3].own}/joulemark.report`)).recovered,
      undefined,
    );
    for (const { own } of all.slice(0, 3)) {
      const path = ["", ".recovered"].map((end) => `${own}/joulemark.report${end}`).find(exists);
      assert(path !== undefined, `no report in ${own}`);
      const { recovered, ...figures } = told(Deno.readTextFileSync(path));
      assert(recovered.startsWith("the monitor was killed"), recovered);
      assertWhole(own, figures);
    }
  },
);

endToEnd(
  "of 5,000 names a killed monitor leaves more than the longest, each whole",
  async (dir) => {
    const app = build("many_names", dir);
    const user = alone(dir);
    const [program, ...rest] = user.words([
      ...["run", "-q", "--simulate", "--", "sh", "-c"],
      `${app} 5000 1; while [ ! -e stop ]; do sleep 0.05; done`,
    ]);
    const run = new Deno.Command(program, { args: rest, cwd: dir, stdin: "null" }).spawn();
    await hasBegun(dir, 1);
    await pause(3500);
    Deno.kill(runtimeOf(run.pid), "SIGKILL");
    Deno.writeTextFileSync(`${dir}/stop`, "");
    await run.status;
    const recovered = user.run(["recover"]);
    assertEquals(recovered.code, 0, recovered.stderr);
    const path = `${dir}/joulemark.report`;
    assert(exists(path), `recover: ${recovered.stdout}${recovered.stderr}`);
    const [host] = parseReport(Deno.readTextFileSync(path), path).hosts;
    const leftOut = Number(host.joulemark!["regions left out here"] ?? 0);
    // A busy machine has fewer entries, of 1,500 regions at most.
    const told = host.regions!.length;
    assert(told > 1000 && told + leftOut <= 5000, `${told} told, ${leftOut} left out`);
    assert(host.regions!.every(({ fields }) => fields.count === 1));
  },
);

endToEnd(
  "what a node leaves that died is read by name, and kept when the next run takes the name",
  async (dir) => {
    const app = build("rate", dir), partial = "joulemark.report.partial";
    /** A run of which nothing but its file is left. */
    const dead = async () => {
      for (const { name } of Deno.readDirSync(dir)) {
        if (/^(log|launch|stop)/.test(name)) Deno.removeSync(`${dir}/${name}`);
      }
      const [program, ...rest] = ["run", "-q", "--simulate", "--", ...marking(app, 2)];
      const user = alone(dir), words = user.words([program, ...rest]);
      const child = new Deno.Command(words[0], { args: words.slice(1), cwd: dir, stdin: "null" });
      const run = child.spawn();
      await hasBegun(dir, 2);
      await pause(1200);
      const going = user.run(["recover", partial]);
      assertEquals([going.code, going.stderr.trim().split("\n").length], [2, 1], going.stderr);
      assert(going.stderr.includes("a run that goes on"), going.stderr);
      Deno.kill(runtimeOf(run.pid), "SIGKILL");
      Deno.kill(run.pid, "SIGKILL");
      await run.status;
      Deno.writeTextFileSync(`${dir}/stop`, "");
      await pause(500);
      Deno.removeSync(user.shm, { recursive: true });
      return user;
    };
    const user = await dead();
    const visitsOf = (args: string[]) => {
      const out = user.run(args);
      assertEquals(out.code, 0, out.stderr);
      return out.stdout;
    };
    assert(visitsOf(["show", partial]).startsWith("PARTIAL: cut off"), "show");
    assert(
      visitsOf(["query", "-q", "select region,visits where region=a format csv", partial])
        .includes("a,"),
      "query",
    );
    assert(visitsOf(["show", "--format", "csv", partial]).includes(",a,"), "tidy");
    user.run(["merge", "-o", "merged.report", partial]);
    assert(visitsOf(["show", "merged.report"]).includes("PARTIAL"), "merge");
    const out = user.run(["recover", partial]);
    assertEquals([out.code, out.stdout.trim()], [0, "joulemark.report"], out.stderr);
    const { processes, recovered, ...figures } = told(
      Deno.readTextFileSync(`${dir}/joulemark.report`),
    );
    assertEquals([processes, exists(`${dir}/${partial}`)], [2, false]);
    assert(recovered.startsWith("the monitor was killed"), recovered);
    assertWhole(dir, figures);
    // The next run of that name finds it, too.
    await dead();
    const next = user.run(["run", "-q", "--", "true"]);
    assertEquals(next.code, 0, next.stderr);
    assert(next.stderr.includes("was left by another run"), next.stderr);
    const kept = told(Deno.readTextFileSync(`${dir}/joulemark.report.recovered`));
    assertEquals(kept.processes, 2);
    assert(!exists(`${dir}/${partial}`));
  },
);

endToEnd("recover refuses what is no directory, in one line", (dir) => {
  const out = joulemark(dir, ["recover", `${dir}/none`]);
  assert(out.code === 2 && out.stderr.trim().split("\n").length === 1, out.stderr);
});

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
