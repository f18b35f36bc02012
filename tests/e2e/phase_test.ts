/** `run --phase`: phases from what a program prints, and a program that notices nothing of it. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { BINARY, build, endToEnd, joulemark } from "../_support/programs.ts";
import { CACHE, compile, needing, works } from "../_support/preload.ts";

const decoder = new TextDecoder();

/** The line of a run in a shell. */
function shell(dir: string, line: string, env: Record<string, string> = {}) {
  const out = new Deno.Command("timeout", {
    args: ["60", "sh", "-c", line.replaceAll("RUN", `${BINARY} run -q --simulate --phase`)],
    cwd: dir,
    env: { XDG_CACHE_HOME: CACHE, ...env },
  }).outputSync();
  return { code: out.code, bytes: out.stdout, stdout: decoder.decode(out.stdout), out };
}

function phases(dir: string): Record<string, { count: number; seconds: number }> {
  const path = `${dir}/joulemark.report`;
  const report = Deno.readTextFileSync(path);
  assert(!report.includes("mistakes:"), report.slice(-1500));
  return Object.fromEntries(
    (parseReport(report, path).hosts[0].regions ?? []).map((r) => [r.region, {
      count: Number(r.fields.count),
      seconds: Number(r.fields["runtime (s)"]),
    }]),
  );
}

endToEnd("run --phase makes phases of lines, named for the first group", (dir) => {
  const out = shell(
    dir,
    `RUN '^(\\w+) begins|^step \\d+$' -- sh -c 'echo setup begins; sleep 0.2; echo x; ` +
      `for i in 1 2 3; do echo step $i; sleep 0.1; done; echo step 4x; printf "end begins"'`,
  );
  assertEquals(out.code, 0);
  assertEquals(out.stdout, "setup begins\nx\nstep 1\nstep 2\nstep 3\nstep 4x\nend begins");
  const found = phases(dir);
  assertEquals(Object.keys(found).sort(), ["end", "setup", "step 1", "step 2", "step 3"]);
  assert(Math.abs(found.setup.seconds - 0.2) < 0.05, `${found.setup.seconds} s`);
  assert(Math.abs(found["step 2"].seconds - 0.1) < 0.05, `${found["step 2"].seconds} s`);
  assertEquals(found["step 3"].count, 1);
});

endToEnd("run --phase: a note says that a program printed its lines at once", (dir) => {
  const note = "--phase: 2 of 3 phases took less than 1 ms";
  const lines = "printf '%s begins\\n' one two three";
  const said = (program: string) => {
    const args = ["run", "--simulate", "--phase", "^(\\w+) begins", "--", "sh", "-c", program];
    return joulemark(dir, args).stderr.replaceAll(/\s+/g, " ");
  };
  const late = said(`sleep 0.3; ${lines}; sleep 0.1`);
  assert(late.includes(note), late);
  const good = said("for i in one two three; do echo $i begins; sleep 0.1; done");
  assert(!good.includes("--phase:"), good);
});

needing(
  "bash",
  works("bash -c true"),
  "run --phase counts the phases of a bash script as what they are, whatever it starts",
  (dir) => {
    Deno.writeTextFileSync(
      `${dir}/job.sh`,
      'echo "solve phase"\nfor i in 1 2 3 4; do sleep 0.1; seq 1000 | tail -1 >/dev/null; done\n' +
        'echo "out phase"\nsleep 0.3\nenv | grep JOULEMARK_PHASES\n',
    );
    const out = shell(dir, "RUN '^(\\w+) phase' -- bash job.sh");
    assertEquals(out.stdout, "solve phase\nout phase\n");
    const { solve, out: last } = phases(dir);
    assertEquals([solve.count, last.count], [1, 1]);
    assert(solve.seconds >= 0.3 && last.seconds >= 0.2, JSON.stringify([solve, last]));
    const report = Deno.readTextFileSync(`${dir}/joulemark.report`);
    assertMatch(report, /processes:\n\s+count: 1\n/);
  },
);

/** Helper that is in a region of its own for a while: `NAME [FORKS]`. */
const HELPER = `#include "joulemark.h"
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int c, char **v) {
  int i, forks = c > 2 ? atoi(v[2]) : 0;
  for (i = 0; i < forks && fork() > 0; i++);
  joulemark_begin(v[1]);
  usleep(50000);
  joulemark_end(v[1]);
  while (wait(0) > 0);
  return 0;
}
`;

for (
  const [what, job, wanted] of [
    ["one after the other", "for i in 1 2 3; do ./helper helper; done", { helper: 1 }],
    ["at once", "./helper pack & ./helper check & wait", { pack: 1, check: 1 }],
    ["that fork", "./helper tree 3", { tree: 1 }],
    ["that run others", "sh -c './helper inner; ./helper inner; :'", { inner: 1 }],
  ] as const
) {
  endToEnd(`run --phase: phases count as what they are beside helpers ${what}`, (dir) => {
    Deno.writeTextFileSync(`${dir}/helper.c`, HELPER);
    assertEquals(joulemark(dir, ["client", "c", "--dir", "."]).code, 0);
    compile(dir, "cc -O2 -w -pthread -I. -o helper helper.c");
    Deno.writeTextFileSync(
      `${dir}/job.sh`,
      `echo "solve phase"\nsleep 0.1\n${job}\necho "out phase"\nsleep 0.25\n`,
    );
    assertEquals(shell(dir, "RUN '^(\\w+) phase' -- sh job.sh").code, 0);
    const found = phases(dir), all = { solve: 1, out: 1, ...wanted };
    assertEquals(
      Object.fromEntries(Object.entries(found).map(([n, { count }]) => [n, count])),
      all,
    );
    assert(found.out.seconds >= 0.2 && found.out.seconds < 0.4, `${found.out.seconds} s`);
    for (const name of Object.keys(wanted)) assert(found[name].seconds >= 0.05, name);
    const path = `${dir}/joulemark.report`;
    const [host] = parseReport(Deno.readTextFileSync(path), path).hosts;
    const unmarkedS = Number(host.unmarked!["runtime (s)"]);
    assert(unmarkedS >= 0, `${unmarkedS} s outside of regions`);
    const rows = (host.joulemark!.tree as { rows: { region: string; count: number }[] }).rows;
    assertEquals(Object.fromEntries(rows.map(({ region, count }) => [region, count])), all);
  });
}

endToEnd("run --phase leaves the output byte for byte, its order and where it goes", (dir) => {
  const bytes = crypto.getRandomValues(new Uint8Array(65536));
  Deno.writeFileSync(`${dir}/random`, bytes);
  const copy = "sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do cat random; done'";
  const piped = shell(dir, `RUN x -- ${copy}`);
  assertEquals(piped.bytes.length, 655360);
  for (let i = 0; i < 10; i++) {
    assertEquals(piped.bytes.subarray(65536 * i, 65536 * (i + 1)), bytes, `piece ${i}`);
  }
  // To a file: all of it is there when the command is over.
  shell(dir, `RUN x -- ${copy} > all`);
  assertEquals(Deno.statSync(`${dir}/all`).size, 655360);
  const both = "sh -c 'for i in 1 2 3 4 5 6 7 8 9; do echo out $i; echo err $i >&2; done'";
  assertEquals(shell(dir, `RUN x -- ${both} 2>&1`).stdout, shell(dir, `${both} 2>&1`).stdout);
});

endToEnd("run --phase passes the status, signals and a broken pipe on", (dir) => {
  assertEquals(shell(dir, "RUN x -- sh -c 'echo x; exit 7'").code, 7);
  assertEquals(shell(dir, "RUN x -- sh -c 'echo x; kill -TERM $$'; echo $?").stdout, "x\n143\n");
  const broken = shell(dir, "{ RUN x -- yes; echo $? >&2; } | head -n 1");
  assertEquals(broken.stdout, "y\n");
  // 141: ended by SIGPIPE, as without us.
  assertMatch(decoder.decode(broken.out.stderr), /^141\n$/m);
  // No child that the program does not know, no descriptor, no variable.
  const alone =
    "sh -c 'ls -1 /proc/self/fd | wc -l; env | grep -c PHASE; ps -o pid= --ppid $$ | wc -l'";
  assertEquals(shell(dir, `RUN x -- ${alone}`).stdout, shell(dir, alone).stdout);
});

endToEnd("run --phase goes on when the monitor is gone, and with what is left behind", (dir) => {
  const killed = shell(
    dir,
    `RUN '^(p\\d)' -- sh -c 'echo p1; sleep 0.5; ` +
      `for p in $(ps -o pid= --ppid $PPID); do [ $p = $$ ] || kill -9 $p; done; ` +
      `sleep 0.3; echo p2; sleep 0.1; echo p3; exit 5'`,
  );
  assertEquals([killed.stdout, killed.code], ["p1\np2\np3\n", 5]);
  // Somebody keeps the output open: the run does not wait for that.
  const start = Date.now();
  shell(dir, `RUN '^(p\\d)' -- sh -c 'echo p1; sleep 20 2>/dev/null & sleep 0.2' > out`);
  assert(Date.now() - start < 10_000, `${Date.now() - start} ms`);
  assertEquals(phases(dir).p1.count, 1);
});

needing(
  "script(1)",
  works("script -qec true /dev/null"),
  "run --phase: what was a terminal is one, as wide as it was",
  (dir) => {
    compile(dir, "cc -O2 -o tty PROGRAMS/tty.c");
    const line = "script -qec 'stty rows 33 cols 77; COMMAND' /dev/null < /dev/null";
    const alone = shell(dir, line.replace("COMMAND", "./tty"));
    assertStringIncludes(alone.stdout, "terminal 33 77\r\n");
    const watched = shell(dir, line.replace("COMMAND", "RUN ^term -- ./tty"));
    assertEquals(watched.stdout, alone.stdout);
    assertEquals(Object.keys(phases(dir)), ["term"]);
  },
);

endToEnd("run --phase refuses what is no expression", (dir) => {
  for (
    const [bad, found] of [["(", "unterminated"], ["a+?", "lazy"], ["(?:x)", "(?"], [
      "[\\D]",
      "\\D",
    ]]
  ) {
    const out = joulemark(dir, ["run", "--phase", bad, "--", "true"]);
    assertEquals(out.code, 2, bad);
    assertStringIncludes(out.stderr, `--phase ${bad}`);
    assertStringIncludes(out.stderr.toLowerCase(), found.toLowerCase());
  }
});

endToEnd("a parent that includes the header and never marks is no process of the means", (dir) => {
  const app = build("parent", dir);
  const out = joulemark(dir, ["run", "-q", "--simulate", "--", app]);
  assertEquals(out.code, 0, out.stderr);
  const path = `${dir}/joulemark.report`;
  const [host] = parseReport(Deno.readTextFileSync(path), path).hosts;
  const work = host.regions!.find(({ region }) => region === "work")!;
  assertEquals(Number(work.fields.count), 4);
  assert(Number(work.fields["runtime (s)"]) >= 0.2);
});
