/** What the kernel holds the running monitor to, and that it still measures; the application is free. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { compile } from "../_support/compiled.ts";
import { BINARY, endToEnd } from "../_support/programs.ts";
import { NO_STRACE } from "../_support/strace.ts";
import { NOT_ROOT, unless } from "../_support/skipped.ts";

const status = (path: string) => {
  const text = Deno.readTextFileSync(path);
  return ["NoNewPrivs", "Seccomp", "CapEff"].map((key) => {
    return new RegExp(`^${key}:\\s*(\\S+)`, "m").exec(text)![1].replace(/^0+$/, "0");
  });
};

/** Is landlock(7) in the kernel that this runs on? Said by `doctor`. */
const HAS_LANDLOCK = (() => {
  const { stdout } = new Deno.Command(BINARY, { args: ["doctor", "--json"] }).outputSync();
  return /restricted while a command runs \(landlock/.test(new TextDecoder().decode(stdout));
})();

/** The process that measures, below the guardian. */
function runtimeOf(guardian: number, application: number): number {
  const children = Deno.readTextFileSync(`/proc/${guardian}/task/${guardian}/children`);
  return children.trim().split(" ").map(Number).find((pid) => pid !== application)!;
}

/** Waits for something that is not there yet. */
async function eventually<T>(look: () => T | undefined, limitMs = 20_000): Promise<T> {
  for (const end = Date.now() + limitMs; Date.now() < end;) {
    try {
      const found = look();
      if (found !== undefined) return found;
    } catch {
      // not there yet
    }
    await new Promise((go) => setTimeout(go, 20));
  }
  throw new Error("expected it to be there by now");
}

const isConfined = (runtime: number) => {
  const threads = [...Deno.readDirSync(`/proc/${runtime}/task`)];
  const all = threads.map(({ name }) => status(`/proc/${runtime}/task/${name}/status`).join(" "));
  return all.length > 2 && all.every((one) => one === "1 2 0") ? true : undefined;
};

for (const user of ["root", "nobody"]) {
  endToEnd(
    `every thread of the running monitor is confined, the application is not (${user})`,
    async (dir) => {
      if (Deno.uid() !== 0 && user === "root") return;
      Deno.chmodSync(dir, 0o777);
      const become = user === "root" || Deno.uid() !== 0
        ? []
        : ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
      const script =
        "echo $$ >pid; grep -E 'NoNewPrivs|Seccomp:|CapEff' /proc/self/status >free; sleep 2";
      const child = new Deno.Command("env", {
        args: [...become, BINARY, "run", "-q", "--trace", "a.trace", "--", "sh", "-c", script],
        cwd: dir,
        stdin: "null",
        stdout: "null",
        stderr: "piped",
      }).spawn();
      const application = await eventually(() => {
        return Number(Deno.readTextFileSync(`${dir}/pid`)) || undefined;
      });
      const runtime = runtimeOf(child.pid, application);
      await eventually(() => isConfined(runtime));
      const { code, stderr } = await child.output();
      assertEquals([code, new TextDecoder().decode(stderr)], [0, ""]);
      const plain = status("/proc/self/status");
      const free = status(`${dir}/free`);
      assertEquals(free.slice(0, 2), plain.slice(0, 2));
      if (user === "root") assertEquals(free[2], plain[2]);
      const [host] = parseReport(Deno.readTextFileSync(`${dir}/joulemark.report`), "r").hosts;
      const { paths, ...rest } = host.joulemark!.confinement as Record<string, string>;
      assertEquals(rest, { capabilities: "none", "system calls": "filtered" });
      if (HAS_LANDLOCK) {
        const limits = paths as unknown as Record<string, string[]>;
        assertEquals(limits.written.slice(1), [Deno.realPathSync(dir)]);
        assert(limits.read.includes("/proc") && limits.read.includes("/sys"), limits.read.join());
        assertEquals(limits.executed as unknown, "none");
      } else assertMatch(paths, /^not restricted: (this kernel has no|landlock is switched off)/);
      // sampling goes on: rows at the period until the end
      const rows = Deno.readTextFileSync(`${dir}/a.trace`).split("\n").filter((l) =>
        /^[0-9]/.test(l)
      );
      assert(rows.length > 100, `${rows.length} rows`);
    },
  );
}

for (const user of ["root", "nobody"]) {
  endToEnd(
    `no thread of the running monitor opens or executes what it has not declared (${user})`,
    async (dir) => {
      if (NOT_ROOT !== undefined) {
        return console.log("skipped: to trace another process takes root");
      }
      if (!HAS_LANDLOCK) return console.log("skipped: no landlock in this kernel");
      const attempt = `${dir}/attempt`;
      compile("e2e/programs/attempt.c", attempt, []);
      Deno.chmodSync(dir, 0o755);
      for (const name of ["out", "closed"]) {
        Deno.mkdirSync(`${dir}/${name}`);
        Deno.writeTextFileSync(`${dir}/${name}/file`, "as it was");
        for (const path of [`${dir}/${name}`, `${dir}/${name}/file`]) Deno.chmodSync(path, 0o777);
      }
      const become = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
      const script = `echo $$ >${dir}/out/pid; cat ${dir}/closed/file; read line`;
      const child = new Deno.Command("env", {
        args: [
          ...[...user === "root" ? [] : become, BINARY, "run", "-q"],
          ...["--report", `${dir}/out/a.report`, "--", "sh", "-c", script],
        ],
        cwd: `${dir}/closed`,
        stdin: "piped",
        stdout: "piped",
        stderr: "piped",
      }).spawn();
      const application = await eventually(() => {
        return Number(Deno.readTextFileSync(`${dir}/out/pid`)) || undefined;
      });
      const runtime = runtimeOf(child.pid, application);
      await eventually(() => isConfined(runtime));
      const refused = [
        ...["read:/etc/passwd", `read:${dir}/closed/file`, `write:${dir}/closed/file`],
        ...[`new:${dir}/closed/new`, `remove:${dir}/closed/file`, "run:/bin/true"],
        ...[`run:${dir}/out/file`, `read:/proc/${application}/environ`],
        `read:/proc/${application}/maps`,
      ];
      const allowed = [
        ...[
          "read:/proc/stat",
          `read:/proc/${application}/stat`,
          "read:/sys/devices/system/cpu/online",
        ],
        ...[`write:${dir}/out/file`, `new:${dir}/out/new`],
      ];
      const tries = (...what: string[]) => {
        return new Deno.Command(attempt, { args: [String(runtime), ...what] }).outputSync();
      };
      const linesOf = (bytes: Uint8Array) => {
        return new TextDecoder().decode(bytes).trim().split("\n").map((line) => line.split(" "));
      };
      // A thread that was not running is confined when it runs, and one that it made at the next look.
      let looks = 0;
      await eventually(() => {
        const { code, stdout } = tries(refused[0]);
        const isRefused = linesOf(stdout).every(([_tid, _what, result]) => Number(result) < 0);
        looks = isRefused ? looks + 1 : 0;
        return code === 77 || looks === 5 ? true : undefined;
      });
      const tried = tries(...refused, ...allowed, `remove:${dir}/out/new`);
      const writer = child.stdin.getWriter();
      await writer.write(new TextEncoder().encode("go on\n"));
      await writer.close();
      const { code, stdout, stderr } = await child.output();
      if (tried.code === 77) return console.log("skipped: no thread can be traced here");
      const lines = linesOf(tried.stdout);
      assertEquals(tried.code, 0);
      const threads = new Set(lines.map(([tid]) => tid));
      assert(threads.size > 2, `${threads.size} threads`);
      for (const [tid, what, result] of lines) {
        const says = `thread ${tid}: ${what}: ${result}`;
        // EACCES by landlock and by the kernel's check of tracing, EPERM by the filter
        if (refused.includes(what)) assert(result === "-13" || result === "-1", says);
        else assert(Number(result) >= 0, says);
      }
      // the application is free, and the run is whole
      assertEquals(new TextDecoder().decode(stdout), "as it was");
      assertEquals([code, new TextDecoder().decode(stderr)], [0, ""]);
      assertEquals(Deno.readTextFileSync(`${dir}/closed/file`), "as it was");
      const [host] = parseReport(Deno.readTextFileSync(`${dir}/out/a.report`), "r").hosts;
      assert(Number(host.application["runtime (s)"]) > 0);
    },
  );
}

/** System calls of the confinement that fail, and what the report then says of capabilities and of paths. */
const REFUSALS = [
  [
    "landlock_create_ruleset:error=ENOSYS",
    /^none$/,
    /^not restricted: this kernel has no landlock/,
  ],
  ["landlock_create_ruleset:error=EOPNOTSUPP", /^none$/, /^not restricted: landlock is switched/],
  ["landlock_add_rule:error=ENOMEM", /^none$/, /^not restricted: no ruleset \(Out of memory\)/],
  ["landlock_add_rule:error=ENOMEM:when=1", /^none$/, /^not restricted: no ruleset/],
  ["landlock_restrict_self:error=E2BIG:when=1", /^kept: a thread refused/, /^not restricted: a th/],
  [
    "rt_tgsigqueueinfo:error=EPERM:when=2+",
    /^kept: a thread cannot be/,
    /^not restricted: a thread/,
  ],
] as const;

endToEnd(
  "the confinement makes few system calls, and binds no function of libc",
  (dir) => {
    const { code } = new Deno.Command("strace", {
      args: ["-f", "-qq", "-o", `${dir}/calls`, BINARY, "run", "-q", "--", "sleep", "0.3"],
      cwd: dir,
    }).outputSync();
    assertEquals(code, 0);
    const lines = Deno.readTextFileSync(`${dir}/calls`).split("\n");
    const from = lines.findIndex((line) => line.includes(" landlock_create_ruleset("));
    const to = lines.findIndex((line) => line.includes(" seccomp("));
    const thread = lines[from].split(" ")[0];
    const own = lines.slice(from, to + 1).filter((line) => line.startsWith(`${thread} `));
    const made = own.flatMap((line) => /^\d+ +(\w+)\(/.exec(line)?.[1] ?? []);
    const count = (name: string) => made.filter((one) => one === name).length;
    // The session's directory, the report's, /proc and /sys.
    assertEquals([count("landlock_create_ruleset"), count("landlock_add_rule")], [2, 4]);
    assertEquals([count("seccomp"), count("landlock_restrict_self"), count("capset")], [1, 1, 1]);
    // A function that is bound gets memory to execute; the heap may get other memory at any time.
    assertEquals(own.filter((line) => line.includes("PROT_EXEC")), []);
    const all = lines.slice(from).filter((line) => / landlock_restrict_self\(/.test(line)).length;
    assert(count("rt_tgsigqueueinfo") <= all, `${all} threads: ${made.join(" ")}`);
    // What is waited for late threads apart.
    const looks = ["openat", "getdents64", "close", "nanosleep"];
    const rest = made.filter((name) => !looks.includes(name)).length - count("rt_tgsigqueueinfo");
    assert(rest <= 20, made.join(" "));
  },
  undefined,
  NO_STRACE ?? unless(HAS_LANDLOCK, "no landlock in this kernel"),
);

endToEnd(
  "a kernel that refuses a step of the confinement costs that, and not the run",
  (dir) => {
    for (const [fault, capabilities, paths] of REFUSALS) {
      const call = fault.slice(0, fault.indexOf(":"));
      const { code, stderr } = new Deno.Command("strace", {
        args: [
          ...["-f", "-qq", "-o", "/dev/null", "-e", `trace=${call}`, "-e", `inject=${fault}`],
          ...[BINARY, "run", "-q", "--", "sh", "-c", "sleep 0.3; exit 4"],
        ],
        cwd: dir,
      }).outputSync();
      assertEquals([code, new TextDecoder().decode(stderr)], [4, ""], fault);
      const [host] = parseReport(Deno.readTextFileSync(`${dir}/joulemark.report`), "r").hosts;
      const found = host.joulemark!.confinement as Record<string, string>;
      assertMatch(found.capabilities, capabilities, fault);
      assertMatch(found.paths, paths, fault);
      assertEquals(found["system calls"], "filtered", fault);
      Deno.removeSync(`${dir}/joulemark.report`);
    }
  },
  undefined,
  NO_STRACE ?? unless(HAS_LANDLOCK, "no landlock in this kernel"),
);

endToEnd("the daemon executes nothing once it has begun, and goes on", async (dir) => {
  const env = { JOULEMARK_MONITOR_SOCKET: `${dir}/monitor.sock` };
  const args = ["monitor", "-q", "--dir", `${dir}/out`, "--interval", "0.3"];
  const metrics = ["--metrics", `unix:${dir}/metrics.sock`];
  const child = new Deno.Command(BINARY, { args: [...args, ...metrics], env, stderr: "piped" })
    .spawn();
  try {
    await eventually(() => {
      const threads = [...Deno.readDirSync(`/proc/${child.pid}/task`)];
      const all = threads.map(({ name }) => status(`/proc/${child.pid}/task/${name}/status`));
      return all.every(([noNew, filter]) => noNew === "1" && filter === "2") ? true : undefined;
    });
    const marked = await new Deno.Command(BINARY, { args: ["mark", "confined"], env }).output();
    assertEquals(marked.code, 0, new TextDecoder().decode(marked.stderr));
    const [host] = [...Deno.readDirSync(`${dir}/out`)].map(({ name }) => name);
    const files = () => [...Deno.readDirSync(`${dir}/out/${host}`)].length;
    const current = () => Deno.readTextFileSync(`${dir}/out/${host}/current`);
    assertMatch(current(), /^%confined$/m);
    const before = files();
    child.kill("SIGHUP");
    await eventually(() => files() > before ? true : undefined);
    // a record of all types after the file was changed
    await eventually(() => /^cpu 0 .*\n[^]*^cpu 0 /m.test(current()) ? true : undefined);
    child.kill("SIGTERM");
    const { code, stderr } = await child.output();
    assertEquals([code, new TextDecoder().decode(stderr)], [0, ""]);
  } finally {
    try {
      child.kill("SIGKILL");
    } catch {
      // it ended
    }
  }
});

endToEnd(
  "no thread of the daemon opens what it has not declared",
  async (dir) => {
    const attempt = `${dir}/attempt`;
    compile("e2e/programs/attempt.c", attempt, []);
    Deno.mkdirSync(`${dir}/run`);
    Deno.mkdirSync(`${dir}/jobs`);
    Deno.writeTextFileSync(`${dir}/secret`, "as it was");
    const child = new Deno.Command(BINARY, {
      args: [
        ...["monitor", "-q", "--dir", `${dir}/out`, "--interval", "0.3"],
        ...["--jobid-file", `${dir}/jobs/id`, "--metrics", `unix:${dir}/run/metrics.sock`],
      ],
      env: { JOULEMARK_MONITOR_SOCKET: `${dir}/run/monitor.sock` },
      stderr: "piped",
    }).spawn();
    try {
      const [host] = await eventually(() => {
        const names = [...Deno.readDirSync(`${dir}/out`)].map(({ name }) => name);
        return names.length > 0 ? names : undefined;
      });
      const refused = [
        ...["read:/root", `read:${dir}/secret`, `write:${dir}/secret`, `new:${dir}/new`],
        ...[`remove:${dir}/secret`, "run:/bin/true", "write:/etc/passwd"],
      ];
      const allowed = ["read:/proc/stat", "read:/etc/passwd", `new:${dir}/out/${host}/new`];
      const tries = (what = [...refused, ...allowed]) => {
        const { code, stdout } = new Deno.Command(attempt, {
          args: [String(child.pid), ...what],
        }).outputSync();
        const lines = new TextDecoder().decode(stdout).trim().split("\n");
        return { code, lines: lines.map((line) => line.split(" ")) };
      };
      const isHeld = ([_tid, what, result]: string[]) => {
        return refused.includes(what) ? result === "-13" || result === "-1" : Number(result) >= 0;
      };
      // The filter comes last. A process that is only starting is left alone.
      await eventually(() => {
        const threads = [...Deno.readDirSync(`/proc/${child.pid}/task`)];
        const all = threads.map(({ name }) => status(`/proc/${child.pid}/task/${name}/status`));
        return all.every(([noNew, filter]) => noNew === "1" && filter === "2") ? true : undefined;
      });
      if (tries(["read:/proc/stat"]).code === 77) {
        return console.log("skipped: no thread can be traced here");
      }
      // What does no harm, until threads that were late are confined too.
      await eventually(() => tries([refused[0]]).lines.every(isHeld) ? true : undefined);
      const { code: traced, lines } = tries();
      assertEquals([traced, lines.filter((line) => !isHeld(line))], [0, []]);
      assert(lines.length > 2 * (refused.length + allowed.length), `${lines.length} lines`);
      assertEquals(Deno.readTextFileSync(`${dir}/secret`), "as it was");
      // What comes later is read all the same: the file of the job, once it is there.
      Deno.writeTextFileSync(`${dir}/jobs/id`, "4711\n");
      const current = () => Deno.readTextFileSync(`${dir}/out/${host}/current`);
      await eventually(() => /^%begin 4711$/m.test(current()) ? true : undefined);
      child.kill("SIGTERM");
      const { code, stderr } = await child.output();
      assertEquals([code, new TextDecoder().decode(stderr)], [0, ""]);
      assertEquals([...Deno.readDirSync(`${dir}/run`)], [], "its sockets are gone");
    } finally {
      try {
        child.kill("SIGKILL");
      } catch {
        // it ended
      }
    }
  },
  undefined,
  NOT_ROOT ?? unless(HAS_LANDLOCK, "no landlock in this kernel"),
);

endToEnd(
  "root keeps its capabilities where outputs go to another user's directory",
  async (dir) => {
    Deno.mkdirSync(`${dir}/theirs`, { mode: 0o755 });
    Deno.chownSync(`${dir}/theirs`, 65534, 65534);
    const { code } = await new Deno.Command(BINARY, {
      args: ["run", "-q", "--report", `${dir}/theirs/a.report`, "--", "sleep", "0.3"],
      cwd: dir,
    }).output();
    assertEquals(code, 0);
    const [host] = parseReport(Deno.readTextFileSync(`${dir}/theirs/a.report`), "r").hosts;
    const { capabilities } = host.joulemark!.confinement as Record<string, string>;
    assertMatch(capabilities, /^kept: .*\/theirs is another user's/);
  },
  undefined,
  NOT_ROOT,
);

endToEnd(
  "capabilities of the file are for counters: no interpreter, no foreign files",
  (dir) => {
    const file = `${dir}/capable`;
    Deno.copyFileSync(BINARY, file);
    const made = new Deno.Command("setcap", {
      args: ["cap_dac_read_search+ep", file],
      stderr: "null",
    });
    try {
      if (!made.outputSync().success) return console.log("skipped: no file capabilities here");
    } catch {
      return console.log("skipped: no setcap");
    }
    Deno.chmodSync(dir, 0o755);
    const run = (args: string[], env: Record<string, string> = {}) => {
      const { stdout, stderr } = new Deno.Command("setpriv", {
        args: ["--reuid=65534", "--regid=65534", "--clear-groups", file, ...args],
        cwd: dir,
        env,
      }).outputSync();
      return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    };
    const code = "console.log(Deno.readTextFileSync('/etc/shadow'))";
    const raw = run(["eval", code], { JOULEMARK_RAW_DENO: "1" });
    assertMatch(raw, /unknown verb "eval"/);
    assertMatch(run(["query", "/etc/shadow"]), /Cannot open file/);
    // Nor by a tree of links, the file of a job, or Caliper's.
    const secret = `${dir}/secret`;
    Deno.writeTextFileSync(secret, "hunter2 hunter3\n", { mode: 0o600 });
    Deno.mkdirSync(`${dir}/tree/proc/sys/kernel`, { recursive: true });
    for (const name of ["ostype", "osrelease", "version", "hostname"]) {
      Deno.symlinkSync(secret, `${dir}/tree/proc/sys/kernel/${name}`);
    }
    for (const name of ["cpuinfo", "stat"]) Deno.symlinkSync(secret, `${dir}/tree/proc/${name}`);
    for (
      const args of [
        ["monitor", "--once", "--root", "tree"],
        ["monitor", "--once", "--root=tree"],
        ["monitor", "--once", "--jobid-file", secret],
        ["monitor", "--once", `--jobid-file=${secret}`],
        ["doctor", "--root", "tree"],
        ["run", "-q", "--probe", `${secret}:main`, "--", "true"],
      ]
    ) assert(!run(args).includes("hunter"), args.join(" "));
    assert(!run(["run", "-q", "--", "true"], { CALI_CONFIG_FILE: secret }).includes("hunter"));
    Deno.symlinkSync(secret, `${dir}/caliper.config`);
    const cali = { CALI_CONFIG_PROFILE: "hunter2", CALI_LOG_VERBOSITY: "1" };
    assert(!run(["run", "-q", "--", "true"], cali).includes("hunter3"));
  },
  undefined,
  NOT_ROOT,
);

endToEnd(
  "root has a report in directories that it may write only by a capability",
  (dir) => {
    for (const [name, mode, owner] of [["mine", 0o555, 0], ["theirs", 0o755, 20001]] as const) {
      Deno.mkdirSync(`${dir}/${name}`);
      Deno.chownSync(`${dir}/${name}`, owner, owner);
      Deno.chmodSync(`${dir}/${name}`, mode);
      const args = ["run", "-q", "--simulate", "--trace", "trace", "--", "true"];
      const out = new Deno.Command(BINARY, { args, cwd: `${dir}/${name}` }).outputSync();
      assertEquals([out.code, new TextDecoder().decode(out.stderr)], [0, ""], name);
      for (const file of ["joulemark.report", "trace"]) {
        assert(Deno.statSync(`${dir}/${name}/${file}`).size > 0, `${name}/${file}`);
      }
    }
  },
  undefined,
  NOT_ROOT,
);
