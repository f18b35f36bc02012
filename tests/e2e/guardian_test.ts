/** The application is untouchable: limits, signals, deaths of the runtime, seen on the executable. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { reportText } from "../../src/formats/journal.ts";
import { parseReport } from "../../src/formats/report.ts";
import { asEachUser, type User, userIn } from "../_support/plain_user.ts";
import { needing, works } from "../_support/preload.ts";
import { BINARY, endToEnd } from "../_support/programs.ts";
import { NO_STRACE } from "../_support/strace.ts";

const LAUNCHER = ["--default-signal", "--"];

/** A shell's line, with every signal as a login shell has it; `$J` runs the executable. */
function shell(dir: string, script: string, command: readonly string[] = [BINARY]) {
  const { code, signal, stdout, stderr } = new Deno.Command("env", {
    args: [...LAUNCHER, "bash", "-c", script],
    cwd: dir,
    env: { J: command.join(" ") },
    stdin: "null",
  }).outputSync();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, signal, stdout: text(stdout), stderr: text(stderr) };
}

const exists = (path: string) => {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
};

/** What is set up before, and what the line has to name. Applications need some limits themselves. */
const OBSTACLES: [setup: string, reason: string][] = [
  ["ulimit -v 2000000", "the address space (ulimit -v) is limited to 1953 MB"],
  ["ulimit -v 32000000", "the address space (ulimit -v) is limited to 31250 MB"],
  ["ulimit -d 200000", "the data segment (ulimit -d) is limited to 195 MB"],
  ["ulimit -d 512000", "the data segment (ulimit -d) is limited to 500 MB"],
  ["ulimit -f 4", "the size of files (ulimit -f) is limited to 4 kB"],
  ["ulimit -n 12", "the number of open files (ulimit -n) is limited to 12"],
  ["ulimit -n 4", "the number of open files (ulimit -n) is limited to 4"],
  ["mkdir gone; cd gone; rmdir ../gone", "the working directory was removed"],
];

asEachUser("the command runs unmeasured where the runtime cannot", (dir, { command }) => {
  for (const [setup, reason] of OBSTACLES) {
    const line = `${setup}; exec $J run -- sh -c 'echo ran; exit 9'`;
    const { code, stdout, stderr } = shell(dir, line, command);
    assertEquals([code, stdout], [9, "ran\n"], `${setup}: ${stderr}`);
    const lines = stderr.split("\n").filter((line) => line.startsWith("joulemark: "));
    assertEquals(lines.length, 1, stderr);
    assertStringIncludes(lines[0], `joulemark: the command runs unmeasured: ${reason}`);
    assert(!exists(`${dir}/joulemark.report`), setup);
  }
});

asEachUser(
  "a limit on files that leaves marks no room is told where the rest is measured",
  (dir, { command }) => {
    const { code, stderr } = shell(dir, "ulimit -f 20; exec $J run -q -- sh -c 'exit 9'", command);
    const limit =
      "the size of files (ulimit -f) is limited to 20 kB. A limit of 4 MB or more is needed";
    assertEquals([code, stderr], [
      9,
      `joulemark: regions of the command cannot be recorded: ${limit}\n`,
    ]);
    assert(exists(`${dir}/joulemark.report`));
  },
);

asEachUser("limits that are only soft keep nothing from being measured", (dir, { command }) => {
  const limits = "ulimit -Sn 20; ulimit -Sv 4000000; ulimit -Sf 100";
  const { code, stderr } = shell(
    dir,
    `${limits}; $J run -q -- sh -c 'ulimit -Sn; exit 9' >out`,
    command,
  );
  assertEquals([code, stderr], [9, ""]);
  assertEquals(Deno.readTextFileSync(`${dir}/out`), "20\n");
  assert(exists(`${dir}/joulemark.report`));
});

asEachUser("the status is the command's, by the same signal", (dir, { command }) => {
  const status = (script: string) => {
    const { code, signal } = shell(dir, `exec ${script}`, command);
    return [code, signal];
  };
  assertEquals(status("$J run -q -- sh -c 'exit 9'"), [9, null]);
  assertEquals(status("$J run -q -- sh -c 'kill -TERM $$'"), [143, "SIGTERM"]);
  assertEquals(status("$J run -q -- sh -c 'kill -KILL $$'"), [137, "SIGKILL"]);
  assertEquals(status("$J run -q -- sh -c 'kill -XCPU $$'"), [152, "SIGXCPU"]);
  assertEquals(status("$J run -q -- ./none"), [127, null]);
  Deno.writeTextFileSync(`${dir}/text`, "exit 3\n", { mode: 0o644 });
  assertEquals(status("$J run -q -- ./text"), [126, null]);
  assertEquals(status("$J run --nonsense -- true"), [2, null]);
});

asEachUser("dispositions and masks of whoever starts us change no status", (dir, { command }) => {
  const lineOf = (line: string) => shell(dir, line, command);
  const run = "$J run -q -- sh -c 'exit 9'";
  assertEquals(lineOf(`trap '' CHLD; exec ${run}`).code, 9);
  assertEquals(lineOf(`trap '' PIPE INT QUIT TERM HUP USR1; exec ${run}`).code, 9);
  assertEquals(lineOf(`exec 0<&- 1>&- 2>&-; exec ${run}`).code, 9);
  const { stdout } = lineOf(
    "trap '' CHLD USR2; exec $J run -q -- grep SigIgn /proc/self/status",
  );
  const { stdout: plain } = lineOf("trap '' CHLD USR2; exec grep SigIgn /proc/self/status");
  assertEquals(stdout, plain);
});

/** Every signal that can be caught, real-time ones at both ends. SIGCONT comes last and by itself: a
 * stop signal takes one away that waits. */
const SIGNALS = [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16, 17, 20, 21, 22, 23, 24, 25, 26]
  .concat([27, 28, 29, 30, 31, 34, 35, 63, 64, 18]);

asEachUser("every signal that can be caught reaches the application", async (dir, { command }) => {
  const program = `
import os, signal, sys, time
got = []
for n in [int(w) for w in sys.argv[1].split(",")]:
    signal.signal(n, lambda n, frame: got.append(n))
open("ready", "w").close()
end = time.monotonic() + 20
while len(set(got)) < len(sys.argv[1].split(",")) and time.monotonic() < end: time.sleep(0.04)
print(",".join(map(str, sorted(set(got)))))
sys.exit(7)
`;
  Deno.writeTextFileSync(`${dir}/catch.py`, program);
  const list = SIGNALS.join(",");
  const child = new Deno.Command("env", {
    args: [...LAUNCHER, ...command, "run", "-q", "--", "python3", "catch.py", list],
    cwd: dir,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const output = child.output();
  while (!exists(`${dir}/ready`)) await new Promise((go) => setTimeout(go, 10));
  // the runtime's name for a signal lacks some: kill(1) has all of them
  for (const signal of SIGNALS) {
    if (signal === 18) await new Promise((go) => setTimeout(go, 500));
    new Deno.Command("kill", { args: ["-s", String(signal), String(child.pid)] }).outputSync();
  }
  const { code, stdout, stderr } = await output;
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  const all = SIGNALS.toSorted((a, b) => a - b).join(",");
  assertEquals([text(stdout), code], [`${all}\n`, 7], text(stderr));
  assert(exists(`${dir}/joulemark.report`));
});

/** Starts a run, waits until its application says so, and gives the pids of its processes. */
async function start(
  dir: string,
  { command, binary }: User,
  options: string[],
  script: string,
) {
  const child = new Deno.Command("env", {
    args: [
      ...LAUNCHER,
      ...command,
      "run",
      "-q",
      ...options,
      "--",
      "sh",
      "-c",
      `echo >ready; ${script}`,
    ],
    cwd: dir,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  while (!exists(`${dir}/ready`)) await new Promise((go) => setTimeout(go, 10));
  const children = Deno.readTextFileSync(`/proc/${child.pid}/task/${child.pid}/children`);
  const pids = children.trim().split(" ").map(Number);
  const isRuntime = (pid: number) => Deno.readLinkSync(`/proc/${pid}/exe`) === binary;
  return {
    child,
    runtime: pids.find(isRuntime)!,
    application: pids.find((pid) => !isRuntime(pid))!,
  };
}

asEachUser("a killed runtime costs the measurement, not the application", async (dir, user) => {
  const { child, runtime } = await start(dir, user, ["--checkpoint", "0.2"], "sleep 2; exit 9");
  await new Promise((go) => setTimeout(go, 1200));
  Deno.kill(runtime, "SIGKILL");
  const { code, stderr } = await child.output();
  assertEquals(code, 9);
  assertMatch(
    new TextDecoder().decode(stderr),
    /^joulemark: the monitor ended \(signal 9\); .*\n$/,
  );
  assert(exists(`${dir}/joulemark.report.partial`) || exists(`${dir}/joulemark.report`));
});

/** Nice levels of a process's threads but the first. */
function helperLevels(pid: number): number[] {
  const ids = [...Deno.readDirSync(`/proc/${pid}/task`)].map(({ name }) => Number(name));
  return ids.filter((id) => id !== pid).map((id) => {
    const stat = Deno.readTextFileSync(`/proc/${pid}/task/${id}/stat`);
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]);
  });
}

needing(
  "right to a nice level below 0",
  works('test "$(nice -n -1 nice)" = -1'),
  "what makes the runtime's machine code comes before a program of many threads",
  async (dir) => {
    const own = userIn(dir, Deno.uid() === 0 ? "root" : "plain user");
    const { child, runtime } = await start(
      dir,
      own,
      [],
      "while [ ! -e stop ]; do sleep 0.05; done",
    );
    // Where it never is, the test's limit ends it.
    while (!helperLevels(runtime).some((level) => level === -20)) {
      await new Promise((go) => setTimeout(go, 20));
    }
    Deno.writeTextFileSync(`${dir}/stop`, "");
    assertEquals((await child.output()).code, 0);
  },
);

endToEnd("a stopped runtime does not keep the application's status (each user)", async (dir) => {
  // The wait is long: both at once.
  const users = [userIn(dir)];
  if (users[0].become.length > 0) users.push(userIn(`${dir}/root`, "root"));
  await Promise.all(users.map(async (user, i) => {
    const place = i === 0 ? dir : `${dir}/root`;
    Deno.mkdirSync(place, { recursive: true });
    const { child, runtime } = await start(place, user, [], "sleep 0.3; exit 9");
    Deno.kill(runtime, "SIGSTOP");
    const begin = performance.now();
    const { code, stderr } = await child.output();
    assertEquals(code, 9, user.name);
    assert(performance.now() - begin < 30_000);
    assertStringIncludes(
      new TextDecoder().decode(stderr),
      "before its report was left (by its guardian: it did not answer in time)",
    );
  }));
});

endToEnd("a runtime that no signal ends does not keep the application's status", async (dir) => {
  // As in a call to a file server that hangs: a frozen process ends only when it is thawed.
  const group = makeGroup("freezer", { "freezer.state": "THAWED" });
  if (group === undefined) return console.log("skipped: no freezer of cgroups version 1");
  try {
    const { child, runtime } = await start(dir, userIn(dir, "root"), [], "sleep 0.3; exit 9");
    Deno.writeTextFileSync(`${group}/cgroup.procs`, `${runtime}`);
    Deno.writeTextFileSync(`${group}/freezer.state`, "FROZEN");
    await new Promise((go) => setTimeout(go, 1000));
    // It shortens the wait for the report.
    child.kill("SIGTERM");
    const begin = performance.now();
    const { code } = await child.status;
    assertEquals(code, 9);
    assert(performance.now() - begin < 20_000);
    Deno.writeTextFileSync(`${group}/freezer.state`, "THAWED");
    assertStringIncludes(await new Response(child.stderr).text(), "it did not answer in time");
    await child.stdout.cancel();
  } finally {
    Deno.writeTextFileSync(`${group}/freezer.state`, "THAWED");
    // Its process is still ending.
    while (Deno.readTextFileSync(`${group}/cgroup.procs`) !== "") {
      await new Promise((go) => setTimeout(go, 20));
    }
    Deno.removeSync(group);
  }
});

asEachUser(
  "with the guardian killed the application goes on, and the report is left",
  async (dir, user) => {
    const { child, application } = await start(dir, user, [], "sleep 1.5; echo done >end");
    child.kill("SIGKILL");
    await child.output();
    Deno.statSync(`/proc/${application}`);
    for (let i = 0; i < 100 && !exists(`${dir}/joulemark.report`); i++) {
      await new Promise((go) => setTimeout(go, 100));
    }
    assertEquals(Deno.readTextFileSync(`${dir}/end`), "done\n");
    const [host] = parseReport(Deno.readTextFileSync(`${dir}/joulemark.report`), "r").hosts;
    assert(Number(host.application["runtime (s)"]) > 1.4);
  },
);

asEachUser(
  "a signal that may end the job leaves a report of the time so far",
  async (dir, user) => {
    const { child } = await start(
      dir,
      user,
      ["--checkpoint", "100"],
      "trap '' TERM; exec sleep 10",
    );
    await new Promise((go) => setTimeout(go, 2500));
    child.kill("SIGTERM");
    await new Promise((go) => setTimeout(go, 700));
    const text = reportText(Deno.readFileSync(`${dir}/joulemark.report.partial`));
    const [host] = parseReport(text, "r").hosts;
    assert(Number(host.application["runtime (s)"]) > 2.3, text);
    const group = Deno.readTextFileSync(`/proc/${child.pid}/task/${child.pid}/children`);
    child.kill("SIGKILL");
    for (const pid of group.trim().split(" ")) Deno.kill(Number(pid), "SIGKILL");
    await child.output();
  },
);

/** Two other programs have the CPU of a script, in which `$N $J` has a tenth of it. */
function onBusyCpu(dir: string, script: string) {
  const busy = "sh -c 'while :; do :; done' & pids=\"$pids $!\"; ";
  const line =
    `taskset -cp 0 $$ >pid; N='nice -n 6'; ${busy}${busy}${script}; status=$?; kill $pids; exit $status`;
  return shell(dir, line);
}

endToEnd("on a busy CPU the command waits until its request is checked", (dir) => {
  const out = onBusyCpu(dir, "$N $J run -q --report-signals NO_SUCH -- echo ran");
  assertEquals([out.code, out.stdout], [2, ""], out.stderr);
  assertStringIncludes(out.stderr, 'unknown signal "NO_SUCH"');
});

endToEnd("a run that is refused leaves the outputs of an earlier run as they were", (dir) => {
  const outputs = "--trace trace --event-log log --perfetto tracks --record rec";
  const text = (name: string) => Deno.readTextFileSync(`${dir}/${name}`);
  const names = () => [...Deno.readDirSync(dir)].map(({ name }) => name).sort();
  Deno.writeTextFileSync(`${dir}/plain`, "text");
  const before = names();
  const refused = () => {
    for (
      const [asked, status] of [
        ["--report-signals NO_SUCH -- true", 2],
        ["--trace-signals TIME@moon -- true", 2],
        ["--counters NO_SUCH -- true", 2],
        ["--cali-config no-such -- true", 2],
        ["-- ./plain", 126],
        ["-- ./nowhere", 127],
      ] as const
    ) {
      const out = shell(dir, `$J run -q ${outputs} ${asked}`);
      assertEquals([out.code, out.stdout], [status, ""], out.stderr);
    }
  };
  refused();
  assertEquals(names(), before);
  Deno.mkdirSync(`${dir}/rec`);
  const files = ["trace", "log", "tracks", "rec/events.csv", "rec/samples.csv"];
  for (const name of files) Deno.writeTextFileSync(`${dir}/${name}`, `earlier ${name}\n`);
  refused();
  assertEquals(files.map(text), files.map((name) => `earlier ${name}\n`));
  const out = shell(dir, `$J run -q ${outputs} -- true`);
  assertEquals(out.code, 0, out.stderr);
  for (const name of files) assertEquals([name, text(name).includes("earlier")], [name, false]);
});

endToEnd("on a busy CPU each rank has what the monitor changes in its environment", (dir) => {
  const rank = "$N $J run -q --python -- sh -c 'echo ${PYTHONPATH:+changed}'";
  const launch = "export SLURM_JOB_ID=$$ SLURM_STEP_ID=0 SLURM_JOB_NODELIST=here; ";
  const ranks = `for r in 0 1 2 3; do SLURM_PROCID=$r ${rank} & all="$all $!"; done; wait $all`;
  const out = onBusyCpu(dir, launch + ranks);
  assertEquals([out.code, out.stdout], [0, "changed\n".repeat(4)], out.stderr);
});

endToEnd("a stopped job has its shell back, and goes on", (dir) => {
  // script(1) gives the shell a terminal; Ctrl-Z is the byte 26
  const run = `${BINARY} run -q -- sh -c 'echo one; sleep 1.2; echo two; exit 9'`;
  Deno.writeTextFileSync(`${dir}/job`, `set -m; ${run}; echo stopped $?; fg; echo status $?\n`);
  const { stdout } = shell(
    dir,
    "{ sleep 0.6; printf '\\032'; sleep 3; } | script -qec 'bash job' /dev/null",
  );
  const lines = stdout.replaceAll("\r", "").replaceAll("^Z", "").split("\n").filter((l) =>
    /^(one|two|st)/.test(l)
  );
  assertEquals(lines, ["one", "stopped 148", "two", "status 9"], stdout);
});

endToEnd("one launch is one session, whatever the rank; a batch script has none", (dir) => {
  const key = (env: Record<string, string>) => {
    const lines = Object.entries(env).map(([name, value]) => `${name}=${value}`).join(" ");
    const { stdout } = shell(dir, `exec env ${lines} $J run -q -- sh -c 'echo $JOULEMARK_SESSION'`);
    return stdout.trim().split("/").at(-2)!;
  };
  const own = Date.now();
  const step = { SLURM_JOBID: `${own}`, SLURM_STEP_ID: "2" };
  assertEquals(key({ ...step, SLURM_PROCID: "1", SLURM_NODEID: "1" }), `slurm-${own}-2-1`);
  assertEquals(key({ ...step, PMIX_NAMESPACE: "a" }), `slurm-${own}-2-0-a`);
  assertEquals(key({ FLUX_JOB_ID: `f${own}`, FLUX_TASK_RANK: "3" }), `flux-f${own}`);
  assertEquals(key({ PBS_JOBID: `${own}.srv/x`, PBS_TASKNUM: "2" }), `pbs-${own}.srv_x`);
  assertEquals(key({ LSB_JOBID: `${own}`, LSB_JOBINDEX: "3", LSF_PM_TASKID: "1" }), `lsf-${own}-3`);
  assertEquals(key({ PBS_JOBID: "7", PMIX_NAMESPACE: `n${own}` }), `mpi-n${own}`);
  assertMatch(key({ PMI_RANK: "0", MPI_LOCALNRANKS: "2" }), /^mpi-hydra-\d+$/);
  for (const name of ["SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "FLUX_JOB_ID", "NONE"]) {
    assertMatch(key({ [name]: `${own}` }), /^own-\d+-\d+$/);
  }
  assertMatch(key({ PMIX_NAMESPACE: "x".repeat(200) }), /^mpi-x{76}-[0-9a-f]{1,8}$/);
});

endToEnd("ranks that are not elected never start a runtime", async (dir) => {
  const job = { SLURM_JOB_ID: `g${Deno.pid}`, SLURM_STEP_ID: String(Date.now()) };
  const begin = (script: string, options: string[] = []) =>
    new Deno.Command("env", {
      args: [...LAUNCHER, BINARY, "run", "-q", ...options, "--", "sh", "-c", script],
      cwd: dir,
      env: job,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).output();
  const first = begin("echo >ready; sleep 1");
  while (!exists(`${dir}/ready`)) await new Promise((go) => setTimeout(go, 10));
  // the second one is its own command: same process, our executable nowhere
  const second = await begin("readlink /proc/$$/exe; ls -l /proc/$PPID/exe");
  const text = new TextDecoder().decode(second.stdout);
  assertEquals([second.code, text.includes(BINARY)], [0, false], text);
  await first;
  // a request that is refused is refused for all
  const refused = await Promise.all([1, 2, 3, 4].map(() => begin("echo ran", ["--nonsense"])));
  assertEquals(refused.map(({ code }) => code), [2, 2, 2, 2]);
  assertEquals(refused.map(({ stdout }) => stdout.length), [0, 0, 0, 0]);
});

endToEnd(
  "the application is let go after a second where the runtime hangs",
  (dir) => {
    // strace holds the runtime's threads at their first futex for longer than the guardian waits
    const { code, stdout } = shell(
      dir,
      "exec strace -f -qq -o /dev/null -e trace=memfd_create " +
        "-e inject=memfd_create:delay_enter=2500000 $J run -q -- sh -c 'date +%s%N; exit 9'",
    );
    assertEquals(code, 9);
    assertMatch(stdout, /^\d+\n$/);
  },
  undefined,
  NO_STRACE,
);

/** A cgroup of version 1 or 2 that this test may limit; `undefined` where there is none. */
function makeGroup(controller: string, limits: Record<string, string>): string | undefined {
  for (const base of [`/sys/fs/cgroup/${controller}`, "/sys/fs/cgroup"]) {
    const group = `${base}/joulemark-test-${Deno.pid}`;
    try {
      Deno.mkdirSync(group);
    } catch {
      continue;
    }
    try {
      for (const [name, value] of Object.entries(limits)) {
        Deno.writeTextFileSync(`${group}/${name}`, value);
      }
      return group;
    } catch {
      Deno.removeSync(group);
    }
  }
}

asEachUser("a limit on processes keeps no command from running", (dir, { command }) => {
  for (const most of ["1", "2", "3", "5"]) {
    const group = makeGroup("pids", { "pids.max": most });
    if (group === undefined) return console.log("skipped: no cgroup of processes to limit");
    try {
      const line = `echo $$ >${group}/cgroup.procs; exec $J run -- /bin/echo ran`;
      const { code, stdout, stderr } = shell(dir, line, command);
      assertEquals([code, stdout], [0, "ran\n"], `${most}: ${stderr}`);
      assertMatch(stderr, /^joulemark: the command runs unmeasured: .*\n$/, most);
    } finally {
      Deno.removeSync(group);
    }
  }
});

/** Takes memory, some each time, until somebody in the group was killed. */
const GROW = `
import os, sys, time
events = [p for p in (sys.argv[1] + "/memory.oom_control", sys.argv[1] + "/memory.events") if os.path.exists(p)][0]
def kills(): return int([l.split()[1] for l in open(events) if l.startswith("oom_kill ")][0])
before, data = kills(), [bytearray(90 << 20)]
while kills() == before and len(data) < 800:
    data.append(bytearray(1 << 19))
    time.sleep(0.04)
print("killed", kills() - before)
`;

endToEnd("where memory runs out the runtime is the first to go", (dir) => {
  const group = makeGroup("memory", { "memory.limit_in_bytes": "150M" }) ??
    makeGroup("", { "memory.max": "150M", "memory.swap.max": "0" });
  if (group === undefined) return console.log("skipped: no cgroup of memory to limit");
  try {
    Deno.writeTextFileSync(`${dir}/grow.py`, GROW);
    // Before the kernel has counted what the runtime gave back it may choose once more, some
    // milliseconds later: Linux 6.18, in half of the cases.
    for (let tries = 1;; tries++) {
      const run = `$J run -q --report try${tries}.report -- python3 grow.py ${group}`;
      const line = `echo $$ >${group}/cgroup.procs; exec ${run}`;
      const { code, stdout, stderr } = shell(dir, line);
      assertMatch(stderr, /^joulemark: the monitor ended \(signal 9\); .*\n$/, stderr);
      if (code === 137 && tries < 8) continue;
      assertEquals([code, stdout], [0, "killed 1\n"], stderr);
      break;
    }
  } finally {
    Deno.removeSync(group);
  }
});

asEachUser("a limit on files that is reached midway costs the trace alone", (dir, { command }) => {
  // 300 kB, hard: as many rows as that, and the report is smaller
  const options = "-q --simulate --period 0.0005 --trace t";
  const untilSaid = "while [ ! -s said ]; do sleep 0.05; done; exit 9";
  const { code } = shell(
    dir,
    `ulimit -f 300; exec $J run ${options} -- sh -c '${untilSaid}' 2>said`,
    command,
  );
  const said = Deno.readTextFileSync(`${dir}/said`);
  assertEquals(code, 9, said);
  assertMatch(said, /^joulemark: cannot write "t": file too large\. The rest is left out\n$/);
  assert(exists(`${dir}/joulemark.report`));
  assert(Deno.statSync(`${dir}/t`).size <= 300 * 1024);
});

endToEnd("a program by its path is run", (dir) => {
  Deno.writeTextFileSync(`${dir}/app`, "#!/bin/sh\necho $1 $2; exit 9\n", { mode: 0o755 });
  const { code, stdout } = shell(dir, "exec $J ./app one --two");
  assertEquals([code, stdout], [9, "one --two\n"]);
  assert(exists(`${dir}/joulemark.report`));
});

endToEnd("a report for - goes to standard output, behind what the command printed", (dir) => {
  const line = "JOULEMARK_SIMULATE=1 exec $J run -q --report - -- echo printed";
  const { code, stdout } = shell(dir, line);
  assertEquals(code, 0);
  assertMatch(stdout, /^printed\nGEOPM Version: /);
  assertStringIncludes(stdout, "simulated");
  assert(!exists(`${dir}/-`));
});

needing(
  "mount namespaces",
  works("unshare -m mount -t tmpfs none /mnt"),
  "without a directory that can be written, the command runs, and a line says what helps",
  (dir) => {
    const mounts = ["/dev/shm", "/run", "/tmp"].map((at) => `mount -t tmpfs -o ro none ${at}`);
    const { code, stdout, stderr } = shell(
      dir,
      `exec unshare -m sh -c 'cd / && exec 9<"$0" && ${mounts.join(" && ")} &&
        exec /proc/self/fd/9 run -q -- sh -c "echo ran; exit 9"' $J`,
    );
    assertEquals([code, stdout], [9, "ran\n"], stderr);
    assertMatch(stderr, /Read-only file system; make one of them writable.*tmpfs.*\n$/);
  },
);
