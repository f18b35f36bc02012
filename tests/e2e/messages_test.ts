/** What the executable answers to wrong requests: what failed, why, what to do, in one line. */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { BINARY, endToEnd, joulemark, unbroken } from "../_support/programs.ts";

const UTF8 = { LANG: "C.UTF-8", LC_ALL: "C.UTF-8", COLUMNS: "80" };

endToEnd("an unknown name is answered with the nearest one or the list", (dir) => {
  const line = (args: string[]) => {
    const { code, stdout, stderr } = joulemark(dir, args);
    assertEquals([code, stdout], [2, ""], args.join(" "));
    return stderr;
  };
  assertEquals(
    line(["client", "xyz"]),
    'joulemark client: unknown language "xyz"; available: c, fortran, python, go, rust, shell, ' +
      "preload\n",
  );
  assertMatch(
    line(["run", "--perod", "1", "--", "true"]),
    /^joulemark run: unknown option "--perod"\. Did you mean --period\? See joulemark run --help\n$/,
  );
  assertMatch(
    line(["run", "--zzzzzz", "--", "true"]),
    /^joulemark run: unknown option "--zzzzzz"\. See joulemark run --help\n$/,
  );
  assertMatch(line(["demo", "--repeat", "2"]), /^joulemark demo: unknown option "--repeat"/);
  assertMatch(
    line(["run", "--without", "XYZ", "--", "true"]),
    /^joulemark run: unknown source "XYZ"; available: AMDGPU, .*\n$/,
  );
  assertEquals(
    line(["shwo"]),
    'joulemark: unknown verb "shwo". Did you mean "show"? To measure a program: ' +
      "joulemark run -- shwo\n",
  );
  assertMatch(line(["man", "foo"]), /"foo"; available: run, .*\n$/);
  assertMatch(line(["run", "--color", "blue", "--", "true"]), /"blue".*auto, always, never\n$/);
});

endToEnd(
  "a wrong value is one line with the option as it is typed, and nothing is written",
  (dir) => {
    const topology =
      "--placement 2 --nodes n[1-4] --topology nowhere -- srun -w {nodes} {run} true";
    const expected: [string, string][] = [
      [
        "top --interval 0",
        'top: cannot use "--interval=0": expected a number of seconds above 0, found 0',
      ],
      [
        "replay --period x rec",
        'replay: cannot use "--period=x": expected a number of seconds above 0, found x',
      ],
      [
        "read CPU_ENERGY package 99",
        'read: cannot read "CPU_ENERGY@package-99": expected an index below 1, found 99',
      ],
      [
        "read CPU_ENERGY core 0",
        'read: cannot read "CPU_ENERGY@core-0": expected one of the domains board, package, found core',
      ],
      [
        "replay nowhere",
        'replay: cannot replay "nowhere": no such file or directory',
      ],
      [
        "demo true",
        "demo: expected options only, found true. To measure a command: joulemark run -- ./app",
      ],
      [
        "replay .",
        'replay: cannot replay ".": expected a directory that joulemark run --record made, found no samples.csv in it',
      ],
      ["read TIME board 7", 'read: cannot read "TIME@board-7": expected an index below 1, found 7'],
      [`study ${topology}`, 'study: cannot read "nowhere": no such file or directory'],
      [
        "bench --pause x true true",
        'bench: cannot use "--pause=x": expected a number of seconds above 0, found x',
      ],
    ];
    for (const [line, answer] of expected) {
      const { code, stdout, stderr } = joulemark(dir, line.split(" "));
      assertEquals([code, stdout, stderr], [2, "", `joulemark ${answer}\n`], line);
    }
    assertEquals(
      joulemark(dir, ["--period", "1", "./app"]).stderr,
      'joulemark: unknown option "--period". Options come after the verb: joulemark run [options] -- ./app\n',
    );
    const shown = joulemark(dir, ["show", "--schema", "-o", "."]);
    assertEquals(
      [shown.code, shown.stderr.includes('cannot write ".": is a directory')],
      [1, true],
      shown.stderr,
    );
    assertEquals([...Deno.readDirSync(dir)], []);
  },
);

endToEnd("a file that is not there is named, with the reports that are", (dir) => {
  const none = joulemark(dir, ["show", "nosuch.report"]);
  assertEquals(none.code, 2);
  assertEquals(
    none.stderr,
    "joulemark show: nosuch.report: no such file. There is no report in this directory\n",
  );
  Deno.writeTextFileSync(`${dir}/flow.timeline`, "{}");
  assertEquals(
    joulemark(dir, ["show", "flow.timeline"]).stderr,
    'joulemark show: cannot show "flow.timeline": expected a report, found the timeline of one. ' +
      "Show the report next to it\n",
  );
  for (const name of ["flow", "h1"]) Deno.writeTextFileSync(`${dir}/${name}.report`, "");
  assertEquals(
    joulemark(dir, ["show", "nosuch.report"]).stderr,
    "joulemark show: nosuch.report: no such file. Reports here: flow.report, h1.report\n",
  );
});

endToEnd("a report that cannot be written is one line, and the command runs", (dir) => {
  const out = joulemark(dir, ["run", "--report", "/nonexist/x", "--", "true"], UTF8);
  assertEquals(out.code, 0);
  assertMatch(
    out.stderr,
    /^joulemark: cannot write \/nonexist\/x: no such directory\. The command runs; no report will be written\.\n/,
  );
});

endToEnd("a failed, an interrupted and a killed run come first in summary and report", (dir) => {
  const run = (command: string, report: string) =>
    joulemark(dir, ["run", "--simulate", "--report", report, "--", "sh", "-c", command], UTF8);
  const failed = run("sleep 0.2; exit 3", "f.report");
  assertMatch(failed.stderr, /^\nFAILED: the command ended with exit status 3; all values cover /);
  assertStringIncludes(failed.stderr, "report f.report (marked: exit status 3)");
  const killed = run("sleep 0.2; kill -KILL $$", "k.report");
  assertMatch(killed.stderr, /^\nFAILED: the command was killed by SIGKILL after /);
  for (const [name, first] of [["f.report", "FAILED"], ["k.report", "FAILED"]]) {
    assertMatch(joulemark(dir, ["show", name], UTF8).stdout, new RegExp(`^${first}: `));
  }
});

endToEnd("run, show and replay print one summary", (dir) => {
  const words = ["--simulate", "--record", "rec", "--report", "r", "--", "sleep", "1.2"];
  const run = joulemark(dir, ["run", ...words], UTF8);
  const first = (text: string) =>
    unbroken(text).split("\n").find((line) => line.startsWith("sleep:"));
  const shown = joulemark(dir, ["show", "r"], UTF8).stdout;
  assertMatch(first(run.stderr)!, /^sleep: 1\.\d+ s, \d+ J ±\d\.\d % \(node counter\), mean \d+ W/);
  assertEquals(first(shown), first(run.stderr));
  const replayed = joulemark(dir, ["replay", "rec", "--report", "s"], UTF8);
  assertMatch(first(replayed.stderr)!, /^sleep: 1\.\d+ s, \d+ J /);
});

endToEnd(
  "a summary has the width of COLUMNS, ASCII without UTF-8, and colour on request",
  (dir) => {
    const run = (env: Record<string, string>, ...options: string[]) => {
      const args = ["run", "--simulate", ...options, "--", "sleep", "0.2"];
      return joulemark(dir, args, { ...UTF8, ...env }).stderr;
    };
    const narrow = run({ COLUMNS: "50" });
    assertEquals(narrow.split("\n").filter((line) => line.length > 50), []);
    assertMatch(run({ LC_ALL: "C" }), /^[\x20-\x7e\n]*$/);
    // deno-lint-ignore no-control-regex
    assertMatch(run({ NO_COLOR: "1" }, "--color", "always"), /\x1b\[1msleep: /);
    // deno-lint-ignore no-control-regex
    assertEquals(/\x1b/.test(run({})), false);
  },
);

endToEnd("a replay knows how the command ended", (dir) => {
  for (
    const [script, key, value] of [["exit 3", "exit status", 3], [
      "kill -9 $$",
      "ended by",
      "SIGKILL",
    ]]
  ) {
    joulemark(dir, ["run", "-q", "--simulate", "--record", "r1", "--", "sh", "-c", String(script)]);
    const { stderr } = joulemark(dir, ["replay", "r1", "--report", "again.report"]);
    assertMatch(stderr, /^\nFAILED: /);
    const path = `${dir}/again.report`;
    assertEquals(parseReport(Deno.readTextFileSync(path), path).joulemark![String(key)], value);
    Deno.removeSync(`${dir}/r1`, { recursive: true });
  }
});

endToEnd("a full standard output is one line, and no output of a run less", (dir) => {
  const bash = (line: string) => {
    const out = new Deno.Command("bash", { args: ["-c", line], cwd: dir, env: { J: BINARY } })
      .outputSync();
    return { code: out.code, stderr: new TextDecoder().decode(out.stderr) };
  };
  assertEquals(bash('"$J" run -q --simulate -- true').code, 0);
  const verbs = [
    "show joulemark.report",
    "query -t joulemark.report",
    "read --list",
    "doctor",
    "--version",
  ];
  for (const verb of verbs) {
    const { code, stderr } = bash(`"$J" ${verb} >/dev/full`);
    assertEquals([code, stderr.trimEnd().split("\n").length], [1, 1], stderr);
    assertMatch(stderr, /cannot write "standard output": no space left on device\. Give/);
  }
  joulemark(dir, ["client", "shell", "-q"]);
  const script = ". ./joulemark.sh; joulemark_begin a; sleep 0.2; joulemark_end a; exit 4";
  const config = "--cali-config 'runtime-report(output=stdout)'";
  const run = bash(`"$J" run -q --simulate --report r ${config} -- bash -c '${script}' >/dev/full`);
  assertEquals([run.code, run.stderr.trimEnd().split("\n").length], [4, 1], run.stderr);
  assertMatch(run.stderr, /cannot write .*standard output.*: no space left on device/);
  assertEquals(Deno.statSync(`${dir}/r`).isFile, true);
  // The reader may have ended.
  const early = `"$J" run -q --simulate --report p ${config} -- bash -c '${script}' | true`;
  assertEquals(bash(`set -o pipefail; ${early}`).code, 4);
  assertEquals(Deno.statSync(`${dir}/p`).isFile, true);
});
