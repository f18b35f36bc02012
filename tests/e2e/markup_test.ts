/** Marks in every language, out of order, and from many processes at once, through the executable. */
import {
  assert,
  assertAlmostEquals,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import type { ReportHost } from "../../src/core/report.ts";
import { parseReport } from "../../src/formats/report.ts";
import { BINARY, build, endToEnd, joulemark } from "../_support/programs.ts";

function hostOf(dir: string): { host: ReportHost; text: string } {
  const path = `${dir}/joulemark.report`;
  const text = Deno.readTextFileSync(path);
  return { host: parseReport(text, path).hosts[0], text };
}

/** Visits by region. */
function counts(host: ReportHost): Record<string, number> {
  return Object.fromEntries((host.regions ?? []).map((r) => [r.region, Number(r.fields.count)]));
}

/** Visits of a region over the whole tree. */
function visitsOf(host: ReportHost, region: string): number {
  const { rows } = host.joulemark!.tree as unknown as { rows: { region: string; count: number }[] };
  return rows.filter((row) => row.region === region).reduce((n, { count }) => n + Number(count), 0);
}

function seconds(host: ReportHost, region: string): number {
  return Number(host.regions!.find((r) => r.region === region)!.fields["runtime (s)"]);
}

function has(command: string): boolean {
  try {
    return new Deno.Command(command, { args: ["--version"], stdout: "null", stderr: "null" })
      .outputSync().success;
  } catch {
    return false;
  }
}

/** As endToEnd, where a command is there. */
function withCommand(command: string, name: string, body: (dir: string) => void): void {
  endToEnd(name, body, undefined, unless(has(command), `no ${command}`));
}

function write(dir: string, language: string): void {
  const out = new Deno.Command(BINARY, { args: ["client", language, "--dir", dir] }).outputSync();
  assert(out.success, new TextDecoder().decode(out.stderr));
}

withCommand(
  "python3",
  "run hears a Python program: blocks, decorators, threads, children",
  (dir) => {
    write(dir, "python");
    Deno.writeTextFileSync(
      `${dir}/app.py`,
      `import joulemark, os, threading, time
@joulemark.region("assemble", "MEMORY")
def assemble(): pass
for step in range(20):
    joulemark.epoch()
    with joulemark.region("solve", "COMPUTE"):
        with joulemark.region("inside"): time.sleep(0.005)
    assemble()
joulemark.set_value("step", 20)
def other():
    for i in range(50):
        with joulemark.region("thread"): pass
threads = [threading.Thread(target=other) for i in range(4)]
for t in threads: t.start()
for t in threads: t.join()
if os.fork() == 0:
    with joulemark.region("child"): pass
    os._exit(0)
os.wait()
for i in range(100000):
    joulemark.begin("tight"); joulemark.end("tight")
joulemark.end("never begun")
assert joulemark.active()
`,
    );
    const out = joulemark(dir, ["run", "--", "python3", "app.py"]);
    assertEquals(out.code, 0, out.stderr);
    const { host, text } = hostOf(dir);
    // The child has a region of its own, and the parent is in all others.
    assertEquals(counts(host), {
      tight: 100000,
      thread: 200,
      solve: 20,
      assemble: 20,
      child: 1,
    });
    const solve = seconds(host, "solve");
    assert(solve >= 0.05 && solve < 1, `${solve} s`);
    assertStringIncludes(text, "never begun");
  },
);

withCommand("python3", "a Python program runs as ever without a run", (dir) => {
  write(dir, "python");
  Deno.writeTextFileSync(
    `${dir}/app.py`,
    `import joulemark
joulemark.begin("a"); joulemark.end("a"); joulemark.end("b"); joulemark.epoch()
joulemark.set_value("x", 1); joulemark.overhead(1.0); joulemark.progress_init(3)
assert not joulemark.active()
with joulemark.region("r"): print("done")
`,
  );
  const run = (session: string) =>
    new Deno.Command("python3", { args: ["app.py"], cwd: dir, env: { JOULEMARK_SESSION: session } })
      .outputSync();
  Deno.mkdirSync(`${dir}/open`, { mode: 0o755 });
  Deno.mkdirSync(`${dir}/shut`, { mode: 0o700 });
  Deno.symlinkSync(`${dir}/shut`, `${dir}/link`);
  for (
    const session of ["", "relative", `${dir}/none`, `${dir}/open`, `${dir}/shut`, `${dir}/link`]
  ) {
    const out = run(session);
    assertEquals(new TextDecoder().decode(out.stdout), "done\n", session);
    assertEquals(new TextDecoder().decode(out.stderr), "", session);
  }
});

for (const shell of ["bash", "dash", "zsh", "sh"]) {
  const there = shell === "dash" || shell === "sh" ? hasShell(shell) : has(shell);
  const name = `run hears a script of ${shell}`;
  endToEnd(
    name,
    (dir) => {
      write(dir, "shell");
      Deno.writeTextFileSync(
        `${dir}/script.sh`,
        `set -eu
. ./joulemark.sh
joulemark_begin "compile it"
sleep 0.1
joulemark_end "compile it"
i=0
while [ $i -lt 500 ]; do
  joulemark_epoch
  joulemark_begin quick; joulemark_end quick
  i=$((i + 1))
done
joulemark_begin last
joulemark_end last
`,
      );
      const out = joulemark(dir, ["run", "--", shell, "script.sh"]);
      assertEquals(out.code, 0, out.stderr);
      const { host } = hostOf(dir);
      assertEquals(counts(host), { "compile it": 1, quick: 500, last: 1 });
      assertEquals(host.epoch?.count, 500);
      const least = 0.1, most = Number(host.application["runtime (s)"]);
      const compiling = seconds(host, "compile it");
      assert(compiling >= least && compiling < most, `${compiling} s`);
      // And without a run nothing happens.
      const alone = new Deno.Command(shell, { args: ["script.sh"], cwd: dir }).outputSync();
      assertEquals([alone.code, alone.stdout.length, alone.stderr.length], [0, 0, 0]);
    },
    undefined,
    unless(there, `no ${shell}`),
  );
}

function hasShell(shell: string): boolean {
  return succeeds(shell, "-c", ":");
}

withCommand("gfortran", "run hears a Fortran program: names, handles, epochs", (dir) => {
  write(dir, "fortran");
  Deno.writeTextFileSync(
    `${dir}/app.f90`,
    `program app
  use joulemark
  implicit none
  integer :: i
  integer(joulemark_kind) :: id
  id = joulemark_region("dgemm", JOULEMARK_HINT_COMPUTE)
  do i = 1, 50
    call joulemark_epoch()
    call joulemark_begin("solve")
    call joulemark_end("solve   ")
    call joulemark_enter(id)
    call joulemark_exit(id)
  end do
end program
`,
  );
  const make = "cc -O2 -Wall -Wextra -Werror -c joulemark_fortran.c && " +
    "gfortran -O2 -Wall -Werror -o app joulemark.f90 app.f90 joulemark_fortran.o";
  const made = new Deno.Command("sh", { args: ["-c", make], cwd: dir }).outputSync();
  assert(made.success, new TextDecoder().decode(made.stderr));
  const out = joulemark(dir, ["run", "--", "./app"]);
  assertEquals(out.code, 0, out.stderr);
  const { host } = hostOf(dir);
  assertEquals(counts(host), { solve: 50, dgemm: 50 });
  assertEquals(host.epoch?.count, 50);
});

endToEnd("run mends marks out of order, counts them and names who did it", (dir) => {
  const app = build("mistakes", dir);
  const out = joulemark(dir, ["run", "--", app]);
  assertEquals(out.code, 0, out.stderr);
  const { host, text } = hostOf(dir);
  assertEquals(counts(host), {
    outer: 1,
    step: 1000,
    "begun by main": 1,
    "thread's own": 1,
    "left by the thread": 1,
    after: 1,
  });
  for (
    const mistake of [
      /"inner\\" was still open when \\"outer\\" ended: process \d+": 1/,
      /"inner\\" ended without having begun: process \d+": 1/,
      /"forgotten\\" was still open when \\"step\\" ended: process \d+": 1000/,
      /"begun by main\\" was begun by thread \d+ and ended by another: process \d+, thread \d+": 1/,
      /"never begun\\" ended in \\"thread's own\\" without having begun: process \d+, thread \d+": 1/,
      /"left by the thread\\" was never ended: process \d+, thread \d+": 1/,
      /"left open\\" was never ended: process \d+": 1/,
    ]
  ) assert(mistake.test(text), `no ${mistake} in the report:\n${text.slice(-2500)}`);
  // Each kind has its first place.
  const marks = host.joulemark!.marks as unknown as Record<string, Record<string, string>>;
  const seen = marks["mistakes first seen"];
  assertEquals(Object.keys(seen), Object.keys(marks.mistakes));
  const placeOf = (start: string) => Object.entries(seen).find(([k]) => k.startsWith(start))?.[1];
  assertMatch(placeOf('"forgotten"')!, /^at \d+\.\d{3} s, in "step" > "forgotten"$/);
  assertEquals(placeOf('"left by the thread"'), "its time goes to the thread's end");
  assertEquals(placeOf('"left open"'), "its time goes to the process's end");
  assertStringIncludes(out.stderr, "begin and end calls do not match");
  // Ranks of an MPI job are told as well.
  assertEquals(joulemark(dir, ["run", "-q", "--", app], { PMI_RANK: "3" }).code, 0);
  assert(/was never ended: process \d+ \(rank 3\)": 1/.test(hostOf(dir).text));
});

endToEnd("marks of a signal handler count, and so does each mark that they interrupt", (dir) => {
  const app = build("signals", dir);
  const record = ["--record", "recording"];
  for (const [word, options] of [["plain", []], ["plain", record], ["stack", []]] as const) {
    const out = joulemark(dir, ["run", "-q", ...options, "--", app, word]);
    const [visits, signals] = out.stdout.split(" ").map(Number);
    const { host, text } = hostOf(dir);
    assert(signals > 100, out.stdout);
    assertEquals([word, visitsOf(host, "main"), visitsOf(host, "handler")], [
      word,
      visits,
      signals,
    ]);
    assert(!/files left out|mistakes|marks within marks/.test(text), text.slice(-2500));
  }
});

const HANDLERS = `import signal
import joulemark

signals = 0
names = [f"handler {i}" for i in range(50)]

def on_alarm(*_):
    global signals
    signals += 1
    with joulemark.region(names[signals % 50]):
        pass

signal.signal(signal.SIGALRM, on_alarm)
signal.setitimer(signal.ITIMER_REAL, 0.0003, 0.0003)
for i in range(100000):
    # New names, so that the slow path is interrupted as well.
    joulemark.begin("main" if i % 1000 else f"main {i}")
    joulemark.end("main" if i % 1000 else f"main {i}")
signal.setitimer(signal.ITIMER_REAL, 0)
print(signals)
`;

endToEnd("marks of a handler in Python count, and so does each mark that they interrupt", (dir) => {
  assertEquals(joulemark(dir, ["client", "python", "--dir", "."]).code, 0);
  Deno.writeTextFileSync(`${dir}/app.py`, HANDLERS);
  const out = joulemark(dir, ["run", "-q", "--", "python3", "app.py"]);
  assertEquals(out.code, 0, out.stderr);
  const { host, text } = hostOf(dir);
  const { rows } = host.joulemark!.tree as unknown as { rows: { region: string; count: number }[] };
  const sum = (start: string) =>
    rows.filter(({ region }) => region.startsWith(start)).reduce((n, r) => n + Number(r.count), 0);
  // Where the ring is full this client counts what is nested in a folded visit, and no more.
  const { "marks within marks": left = 0, "nested visits lost": nested = 0 } = host.joulemark!
    .marks as Record<string, number>;
  const signals = Number(out.stdout);
  assert(signals > 100, out.stdout);
  assertEquals(sum("main"), 100000);
  // Those that interrupt the slow path have no name of their own, or are named as left out.
  const other = sum("[joulemark] other");
  assertEquals(sum("handler") + other + Number(left) / 2 + Number(nested), signals);
  assert(other + Number(left) / 2 <= signals / 10, `${other} and ${left} of ${signals}`);
  assert(!text.includes("files left out"), text.slice(-2500));
});

/** A handler that comes when the time of a mark is taken and its record is not made, and takes long. */
const SLOW_HANDLER = `import time
import joulemark

real, inside = joulemark._now, False

def now(clock):
    global inside
    taken = real(clock)
    if not inside and coming:
        coming.pop()
        inside = True
        joulemark.begin("handler")
        time.sleep(0.05)
        joulemark.end("handler")
        inside = False
    return taken

joulemark._now = now
for mark in (joulemark.begin, joulemark.end):
    coming = []
    for i in range(5):
        if mark is joulemark.begin:
            coming.append(i)
        joulemark.begin("main")
        if mark is joulemark.end:
            coming.append(i)
        joulemark.end("main")
`;

endToEnd("a mark that a handler of Python interrupts for long comes after the handler's", (dir) => {
  assertEquals(joulemark(dir, ["client", "python", "--dir", "."]).code, 0);
  Deno.writeTextFileSync(`${dir}/app.py`, SLOW_HANDLER);
  const out = joulemark(dir, ["run", "-q", "--", "python3", "app.py"]);
  assertEquals(out.code, 0, out.stderr);
  const { host, text } = hostOf(dir);
  assertEquals(visitsOf(host, "main"), 10);
  assert(!text.includes("mistakes"), text.slice(-2500));
});

const FULL_RING = `import time
import joulemark

joulemark.begin("main")
until = time.time() + 1.5
while time.time() < until:
    joulemark.begin("a")
    for i in range(50):
        joulemark.begin("b")
        joulemark.begin("c")
        joulemark.end("c")
        joulemark.end("b")
    joulemark.end("a")
joulemark.end("main")
`;
import { succeeds, unless } from "../_support/skipped.ts";

endToEnd(
  "where a ring of Python is full, what is inside a visit without room is in no other",
  (dir) => {
    assertEquals(joulemark(dir, ["client", "python", "--dir", "."]).code, 0);
    Deno.writeTextFileSync(`${dir}/app.py`, FULL_RING);
    const options = ["-q", "--period", "0.4"];
    const out = joulemark(dir, ["run", ...options, "--", "python3", "app.py"]);
    assertEquals(out.code, 0, out.stderr);
    const { host } = hostOf(dir);
    const { rows } = host.joulemark!.tree as unknown as {
      rows: { region: string; depth: number }[];
    };
    assertEquals(rows.map(({ region, depth }) => `${depth} ${region}`), [
      "0 main",
      "1 a",
      "2 b",
      "3 c",
    ]);
    assert(Number((host.joulemark!.marks as Record<string, number>)["nested visits lost"]) > 0);
  },
);

endToEnd(
  "a signal handler that jumps out of a mark leaves the marks after it as they are",
  (dir) => {
    const out = joulemark(dir, ["run", "-q", "--", build("signals", dir), "jump"]);
    const [visits, signals] = out.stdout.split(" ").map(Number);
    const { host, text } = hostOf(dir);
    // What it jumps out of is lost, or was not counted by the program yet.
    const lost = Math.abs(visitsOf(host, "main") - visits);
    assert(signals > 100 && lost <= 20, `${visitsOf(host, "main")} of ${visits}`);
    assertEquals(visitsOf(host, "handler"), signals);
    assert(!/files left out|marks within marks/.test(text), text.slice(-2500));
  },
);

endToEnd("a jump out of a mark that takes room loses that mark, and no other one", (dir) => {
  const out = joulemark(dir, ["run", "-q", "--", build("jump_for_room", dir)]);
  assertEquals([out.code, out.stderr], [0, ""]);
  const { host, text } = hostOf(dir);
  const marks = host.joulemark!.marks as Record<string, number>;
  assertEquals(marks["visits without a path"], 1);
  assertStringIncludes(text, "1 visit found no room for a path");
});

endToEnd("run records values that a C program sets", (dir) => {
  const app = build("values", dir);
  const out = joulemark(dir, ["run", "--record", "recording", "--", app]);
  assertEquals(out.code, 0, out.stderr);
  const rows = Deno.readTextFileSync(`${dir}/recording/events.csv`).split("\n")
    .map((line) => line.split(",").slice(2, 5).join(","));
  for (
    const row of ["set,step,-7", "set,large,9223372036854775807", "set,eps,0.25", "set,mode,fast"]
  ) {
    assert(rows.includes(row), `no ${row} in\n${rows.join("\n")}`);
  }
  assert(rows.includes("attribute,step,int 1024"));
  // What the tracker does not see is no hindrance to a replay.
  assertEquals(joulemark(dir, ["replay", "recording", "--report", "again.report"]).code, 0);
});

endToEnd("run hears 64 processes that start at once, whatever they do", (dir) => {
  const app = build("crowd", dir);
  const kinds = ["killed", "fork", "exec", "close", "long", "names"];
  const lines = Array.from({ length: 64 }, (_, i) => `${app} ${kinds[i] ?? "plain"} &`);
  Deno.writeTextFileSync(`${dir}/all.sh`, lines.join("\n") + "\nwait\n");
  const started = performance.now();
  const out = joulemark(dir, ["run", "--", "sh", "all.sh"]);
  assert(performance.now() - started < 120_000, "it took too long");
  assertEquals(out.code, 0, out.stderr);
  const { host, text } = hostOf(dir);
  const found = counts(host);
  // The forked child is a process of its own; a second image is not, and marks as often again.
  assertEquals(/count: (\d+)\n\s+came later/.exec(text)?.[1], "65");
  const mean = (n: number) => Number((n / 65).toPrecision(6));
  assertAlmostEquals(found.work, mean(6600), 1e-3);
  assertAlmostEquals(found["closed 299"], mean(1), 1e-6);
  assertAlmostEquals(found["n".repeat(4096)], mean(1), 1e-6);
  // 130,815 names, "work" and the one for all others among them.
  assertAlmostEquals(found["[joulemark] other"], mean(140000 - 130814), 1e-2);
  const facts = text.slice(text.indexOf("processes:"));
  assertStringIncludes(facts, "visits under one name");
  assert(/\d+ in fatal/.test(facts), facts);
});
