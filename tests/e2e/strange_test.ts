/** Environments that nobody thought of: the command runs as it would alone, and is measured. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { BINARY, endToEnd } from "../_support/programs.ts";
import { asEachUser } from "../_support/plain_user.ts";
import { needing, works } from "../_support/preload.ts";

/** A line of bash in a folder, with every signal as a login shell has it. */
function shell(dir: string, script: string, env: Record<string, string> = {}) {
  const { code, stdout, stderr } = new Deno.Command("env", {
    args: ["--default-signal", "--", "bash", "-c", script],
    cwd: dir,
    env: { J: BINARY, ...env },
    stdin: "null",
  }).outputSync();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

/** It ran measured, without a word: what it printed. */
function measured(dir: string, script: string, env: Record<string, string> = {}): string {
  const { code, stdout, stderr } = shell(dir, script, env);
  assertEquals([code, stderr], [9, ""], script);
  const reports = [...Deno.readDirSync(dir)].filter(({ name }) => name === "joulemark.report");
  assertEquals(reports.length, 1, script);
  Deno.removeSync(`${dir}/joulemark.report`);
  return stdout;
}

endToEnd("a home that is none, or has files for other programs, is nothing to us", (dir) => {
  const run = "$J run -q -- sh -c 'echo $HOME; exit 9'";
  Deno.mkdirSync(`${dir}/home`);
  Deno.writeTextFileSync(`${dir}/home/.npmrc`, "//npm.example/:_authToken=${NO_SUCH_TOKEN}\n=\n");
  assertEquals(measured(dir, run, { HOME: `${dir}/home` }), `${dir}/home\n`);
  assertEquals(measured(dir, run, { HOME: "/dev/null" }), "/dev/null\n");
  assertEquals(measured(dir, `unset HOME; ${run}`), "\n");
  assertEquals(measured(dir, `HOME=$'/\\xff'; ${run} >/dev/null`), "");
  assertEquals(shell(dir, "$J --version", { HOME: "/dev/null" }).code, 0);
  // What we start ourselves has the user's own.
  const study = "$J study -q --vary X=1 --repeat 1 -- sh -c 'echo $HOME >home-seen'";
  shell(dir, study, { HOME: "/dev/null" });
  assertEquals(Deno.readTextFileSync(`${dir}/home-seen`), "/dev/null\n");
});

endToEnd("a working directory and arguments that are no text are passed on", (dir) => {
  const { code, stdout, stderr } = shell(
    dir,
    "mkdir $'d\\xff'; cd $'d\\xff'; $J run -q -- sh -c 'printf %s \"$1\"; exit 9' x $'\\xfe' | xxd -p;" +
      " ls; exit ${PIPESTATUS[0]}",
  );
  assertEquals([code, stdout, stderr], [0, "fe\njoulemark.report\njoulemark.timeline\n", ""]);
});

endToEnd("a script without an interpreter's line is the shell's, as for execvp(3)", (dir) => {
  Deno.writeTextFileSync(`${dir}/script`, 'echo "$0 $1 $#"; exit 9\n', { mode: 0o755 });
  assertEquals(measured(dir, "$J run -q -- ./script one two"), "./script one 2\n");
  Deno.writeFileSync(`${dir}/zeros`, new Uint8Array(64), { mode: 0o755 });
  const { code, stderr } = shell(dir, "$J run -q -- ./zeros");
  const reason = "Exec format error";
  assertEquals([code, stderr], [126, `joulemark: cannot run "./zeros": ${reason}\n`]);
  assertEquals(shell(dir, "$J run -q -- ''").code, 127);
  Deno.writeTextFileSync(`${dir}/lost`, "#! /none/sh -x\necho\n", { mode: 0o755 });
  const lost = shell(dir, "$J run -q -- ./lost");
  const why = 'interpreter "/none/sh" not found';
  assertEquals([lost.code, lost.stderr], [127, `joulemark: cannot run "./lost": ${why}\n`]);
});

endToEnd("an empty or zero JOULEMARK_SIMULATE simulates nothing", (dir) => {
  for (const value of ["", "0", "off"]) {
    const { code, stderr } = shell(dir, `JOULEMARK_SIMULATE=${value} $J run -q -- true`);
    assertEquals([code, stderr], [0, ""], value);
    assertEquals(Deno.readTextFileSync(`${dir}/joulemark.report`).includes("simulated"), false);
  }
  const wrong = shell(dir, "JOULEMARK_SIMULATE=rappl $J run -q -- true");
  assertEquals(wrong.code, 2);
  assertStringIncludes(wrong.stderr, "Use rapl, cray, both, or a JSON file");
});

endToEnd("a small stack is raised where that may be, else named", (dir) => {
  assertEquals(measured(dir, "ulimit -Ss 128; $J run -q -- sh -c 'ulimit -s; exit 9'"), "128\n");
  const { code, stderr } = shell(dir, "ulimit -s 128; $J run -q -- sh -c 'exit 9'");
  const named = "the stack (ulimit -s) is limited to 128 kB; ask for 8 MB";
  assertEquals([code, stderr], [9, `joulemark: the command runs unmeasured: ${named}\n`]);
});

/** Prints how often it got SIGUSR1. argv[1]: who sends it, and to whom. */
const COUNTING = `
import os, signal, sys, time
got = 0
def count(n, frame):
    global got
    got += 1
    if got > 1: print("again", flush=True)
signal.signal(signal.SIGUSR1, count)
if sys.argv[1] == "itself": os.kill(0, signal.SIGUSR1)
elif sys.argv[1] == "its child":
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)
        os.kill(0, signal.SIGUSR1)
        time.sleep(0.5)
        os._exit(0)
    while got == 0: time.sleep(0.01)
elif sys.argv[1] == "its parent": os.kill(os.getppid(), signal.SIGUSR1)
end = time.monotonic() + 0.4
while time.monotonic() < end: time.sleep(0.02)
print(got)
sys.exit(9)
`;

endToEnd("a signal that the application sends to its own group reaches it once", (dir) => {
  Deno.writeTextFileSync(`${dir}/counting.py`, COUNTING);
  const run = (who: string) =>
    measured(dir, `exec setsid -w $J run -q -- python3 counting.py '${who}'`);
  assertEquals(run("itself"), "1\n");
  assertEquals(run("its child"), "1\n");
  // That is us, and no signal for the application.
  assertEquals(run("its parent"), "0\n");
});

endToEnd("timers of the process that executes us go on in the command", (dir) => {
  const ask = `import signal as s
print(*[s.getitimer(t)[0] > 0 for t in (s.ITIMER_REAL, s.ITIMER_VIRTUAL, s.ITIMER_PROF)])
import sys; sys.exit(9)`;
  const start = `import os, signal as s, sys
for t in (s.ITIMER_REAL, s.ITIMER_VIRTUAL, s.ITIMER_PROF): s.setitimer(t, 100)
os.execvp(sys.argv[1], sys.argv[1:])`;
  Deno.writeTextFileSync(`${dir}/ask.py`, ask);
  Deno.writeTextFileSync(`${dir}/start.py`, start);
  assertEquals(
    measured(dir, "exec python3 start.py $J run -q -- python3 ask.py"),
    "True True True\n",
  );
});

needing(
  "root, and chrt",
  Deno.uid() === 0 && works("chrt -R -r 5 true"),
  "a scheduling class that is reset on fork is the command's all the same",
  (dir) => {
    const said = measured(dir, "chrt -R -r 5 $J run -q -- sh -c 'chrt -p $$; exit 9'");
    assertStringIncludes(said, "SCHED_RR|SCHED_RESET_ON_FORK");
  },
);

const NAMESPACE = works("unshare -Urm mount -t tmpfs none /run");

needing(
  "namespaces of users",
  NAMESPACE,
  "where /dev/shm is full, closed or without files a run finds another place",
  (dir) => {
    const places = {
      full: "mount -t tmpfs -o size=64k t /dev/shm; head -c 65536 /dev/zero >/dev/shm/x",
      closed: "mount -t tmpfs -o ro t /dev/shm",
      "without files": "mount -t tmpfs -o nr_inodes=1 t /dev/shm",
    };
    const seen = `case $JOULEMARK_SESSION in /tmp/*|/run/*) echo elsewhere;; esac; exit 9`;
    for (const [what, mount] of Object.entries(places)) {
      const script =
        `U=${Deno.uid()}; mount -t tmpfs t /run; mkdir -p /run/user/$U; { ${mount}; } 2>/dev/null
        exec $J run -q -- sh -c '${seen}'`;
      const said = measured(dir, 'exec unshare -Urm sh -c "$S"', { S: script });
      assertEquals(said, "elsewhere\n", what);
    }
  },
);

needing(
  "namespaces of users",
  NAMESPACE,
  "root of a container without rights has the place of the user that it is",
  (dir) => {
    Deno.chmodSync(dir, 0o777);
    const isRoot = Deno.uid() === 0;
    const become = isRoot ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : "";
    const uid = isRoot ? 65534 : Deno.uid();
    const said = measured(
      dir,
      `exec ${become}unshare -Ur $J run -q -- sh -c 'id -u; echo $JOULEMARK_SESSION; exit 9'`,
    );
    assert(new RegExp(`^0\n/.*/joulemark-${uid}(\\.[0-9a-f]+)?/`).test(said), said);
  },
);

endToEnd("a verb that cannot start here says so in one line", (dir) => {
  const reasons = {
    "mkdir gone; cd gone; rmdir ../gone":
      "the working directory was removed; start from one that exists",
    "ulimit -v 4000000": "the address space (ulimit -v) is limited to 3906 MB; ask for none",
    "ulimit -d 200000": "the data segment (ulimit -d) is limited to 195 MB; ask for 2 GB or more",
    "ulimit -s 128": "the stack (ulimit -s) is limited to 128 kB; ask for 8 MB",
    "ulimit -n 10": "the number of open files (ulimit -n) is limited to 10; ask for 64 or more",
    "ulimit -f 4": "the size of files (ulimit -f) is limited to 4 kB; ask for 4 MB or more",
  };
  for (const [setup, reason] of Object.entries(reasons)) {
    const out = shell(dir, `${setup}; exec $J --version`);
    assertEquals(
      out,
      { code: 1, stdout: "", stderr: `joulemark: cannot start: ${reason}\n` },
      setup,
    );
  }
});

if (NAMESPACE) {
  asEachUser("without /proc a verb says so, and a command runs", (dir, { become, binary }) => {
    // Without /proc nobody is told whose root's directory in there is.
    const script = `mount -t tmpfs t /dev/shm; mount -t tmpfs t /proc
      $J --version; echo $?; exec $J run -- sh -c 'exit 9'`;
    const line = `exec ${become.join(" ")} unshare -Urm sh -c "$S"`;
    const { code, stdout, stderr } = shell(dir, line, { S: script, J: binary });
    const reason = "there is no /proc; mount it";
    const lines = [`cannot start: ${reason}`, `the command runs unmeasured: ${reason}`];
    assertEquals([code, stdout, stderr], [
      9,
      "1\n",
      lines.map((line) => `joulemark: ${line}\n`).join(""),
    ]);
  });
}
