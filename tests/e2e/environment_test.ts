/** Environments that a run must not disturb, nor be disturbed by. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { BINARY, build, endToEnd, joulemark } from "../_support/programs.ts";
import { asEachUser } from "../_support/plain_user.ts";
import { NOT_ROOT, succeeds, unless } from "../_support/skipped.ts";

/** Runs a script of bash, where `$J` is the executable. */
function bash(dir: string, script: string, env: Record<string, string> = {}) {
  const out = new Deno.Command("bash", {
    args: ["-c", script],
    cwd: dir,
    env: { J: BINARY, ...env },
    stdin: "null",
  }).outputSync();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code: out.code, stdout: text(out.stdout), stderr: text(out.stderr) };
}

/** Ends with 3 where the flag comes while it waits. */
const AWAIT_FLAG = "for i in $(seq 100); do [ -e flag ] && exit 3; sleep 0.05; done; exit 9";

/** How the application closes its copy of the pipe that the test reads. */
const CLOSES: Record<string, string> = {
  "standard output": `exec "$@" sh -c 'exec >&-; ${AWAIT_FLAG}'`,
  "another descriptor": `exec 5>&1 >/dev/null; exec "$@" sh -c 'exec 5>&-; ${AWAIT_FLAG}'`,
};

asEachUser(
  "who reads from the application sees the end when the application closes",
  async (dir, user) => {
    for (const [name, script] of Object.entries(CLOSES)) {
      for (const options of [[], ["--trace", "t"], ["--simulate"]]) {
        const words = [...user.command, "run", "-q", ...options, "--"];
        const run = new Deno.Command("bash", {
          args: ["-c", script, "bash", ...words],
          cwd: dir,
          stdin: "null",
          stdout: "piped",
          stderr: "null",
        }).spawn();
        await run.stdout.pipeTo(new WritableStream());
        Deno.writeTextFileSync(`${dir}/flag`, "");
        assertEquals((await run.status).code, 3, `${name}, ${options}`);
        Deno.removeSync(`${dir}/flag`);
      }
    }
  },
);

endToEnd("a lock that the application gives up is free", (dir) => {
  const app = "exec 8>&-; flock -w 5 f true && exit 3";
  const { code } = bash(dir, `exec 8>f; flock 8; exec "$J" run -q -- sh -c '${app}'`);
  assertEquals(code, 3);
});

endToEnd("an output into a descriptor gets there", (dir) => {
  const cut = bash(
    dir,
    '"$J" run -q --report /dev/fd/5 -- true 5>r; "$J" run -q --report - -- true',
  );
  assertStringIncludes(Deno.readTextFileSync(`${dir}/r`), "GEOPM Version");
  assertStringIncludes(cut.stdout, "GEOPM Version");
  const channel = bash(dir, '"$J" run -q --cali-config "runtime-report(output=stdout)" -- true');
  assertEquals(channel.code, 0, channel.stderr);
});

endToEnd("what the user preloads is loaded into the application alone", (dir) => {
  const source = `#include <stdio.h>
__attribute__((constructor)) static void begin(void) { puts("hello"); }
__attribute__((destructor)) static void end(void) { puts("bye"); }
`;
  Deno.writeTextFileSync(`${dir}/n.c`, source);
  const made = bash(
    dir,
    "cc -shared -fPIC -o n.so n.c && mkdir junk && echo junk >junk/libgcc_s.so.1",
  );
  assertEquals(made.code, 0, made.stderr);
  for (const name of ["LD_PRELOAD", "LD_AUDIT"]) {
    const [plain, measured] = ["", '"$J" run -q --'].map((run) => {
      return bash(dir, `export ${name}=$PWD/n.so; exec ${run === "" ? "" : run} /bin/true`);
    });
    assertEquals(measured, plain, name);
  }
  const debug = bash(
    dir,
    'LD_DEBUG=statistics LD_DEBUG_OUTPUT=log "$J" run -q -- /bin/true; ls log.* | wc -l',
  );
  assertEquals(debug.stdout.trim(), "1", debug.stderr);
  const library = { LD_LIBRARY_PATH: `${dir}/junk` };
  const out = joulemark(
    dir,
    ["run", "-q", "--", "sh", "-c", "echo $LD_LIBRARY_PATH; exit 3"],
    library,
  );
  assertEquals(out, { code: 3, stdout: `${dir}/junk\n`, stderr: "" });
  assertEquals(joulemark(dir, ["--version"], library).code, 0);
});

asEachUser("a command is looked up as execvp(3) does", (dir, { command, name }) => {
  const script =
    `mkdir -p a b c d; printf '#!/no/such\\n' >c/app; printf '#!/bin/sh\\necho good\\n' >b/app
    echo 'echo shell' >d/app; chmod 755 b/app c/app d/app; printf '#!/bin/sh\\necho other\\n' >a/app`;
  assertEquals(bash(dir, script).code, 0);
  if (Deno.uid() === 0 && name === "plain user") Deno.chownSync(`${dir}/a/app`, 0, 0);
  Deno.chmodSync(`${dir}/a/app`, name === "plain user" && Deno.uid() === 0 ? 0o700 : 0o644);
  const [run, ...words] = [...command, "run", "-q", "--"];
  const outcome = (first: string, args: string[]) => {
    const PATH = [...first.split(":").map((part) => `${dir}/${part}`), Deno.env.get("PATH")].join(
      ":",
    );
    const [program, ...rest] = args;
    const out = new Deno.Command(program, { args: rest, cwd: dir, env: { PATH }, stdin: "null" });
    const { code, stdout } = out.outputSync();
    return `${code} ${new TextDecoder().decode(stdout)}`;
  };
  const become = command.slice(0, -1);
  for (const first of ["a:b", "c:b", "none:b", "a:c:d", "a", "c"]) {
    const plain = outcome(first, [...become, "env", "app"]);
    assertEquals(outcome(first, [run, ...words, "app"]), plain, first);
  }
});

asEachUser(
  "without a byte for files the command runs, and one line names the limit",
  (dir, user) => {
    const run = user.command.join(" ");
    const app = 'sh -c "echo ran; exit 3"';
    const hard = bash(dir, `{ ulimit -f 0; ${run} run -q -- ${app}; echo $?; } 2>&1 | cat`);
    assertMatch(hard.stdout, /^joulemark: the command runs unmeasured: .*ulimit -f.*\nran\n3\n$/);
    const soft = bash(
      dir,
      `{ ulimit -Sf 0; ${run} run -q -- sh -c 'ulimit -f; exit 3'; echo $?; } | cat`,
    );
    assertEquals(soft.stdout, "0\n3\n", soft.stderr);
    assert(Deno.statSync(`${dir}/joulemark.report`).size > 0);
  },
);

endToEnd("a variable that names the process names the application", (dir) => {
  const script = (run: string) =>
    `export LISTEN_PID=$$ WATCHDOG_PID=$$ LISTEN_FDS=1; exec ${run} bash -c 'echo $((LISTEN_PID - $$)) $((WATCHDOG_PID - $$))'`;
  assertEquals(bash(dir, script("")).stdout, "0 0\n");
  assertEquals(bash(dir, script('"$J" run -q --')).stdout, "0 0\n");
  const other = bash(dir, `LISTEN_PID=1 "$J" run -q -- sh -c 'echo $LISTEN_PID'`);
  assertEquals(other.stdout, "1\n");
});

/** A run of a program that leaves what a ring file needs, and then marks. */
function left(dir: string, way: string, ...who: string[]) {
  const { code, stderr } = joulemark(dir, ["run", "-q", "--", `${dir}/leaves_room`, way, ...who]);
  const [host] = parseReport(Deno.readTextFileSync(`${dir}/joulemark.report`), "r").hosts;
  const regions = Object.fromEntries(host.regions!.map((r) => [r.region, r.fields.count]));
  const processes = host.joulemark!.processes as Record<string, unknown>;
  const notes = (host.joulemark!.notes as string[] | undefined ?? []).join("\n");
  return { code, stderr, regions, notAttached: processes["not attached"], notes };
}

endToEnd("a first mark after a filter of system calls counts, and ends nothing", (dir) => {
  build("leaves_room", dir);
  const first = left(dir, "filter");
  assertEquals([first.code, first.stderr, first.regions.main], [3, "", 100]);
  const thread = left(dir, "filter", "thread");
  assertEquals([thread.code, thread.regions.main], [3, 100]);
  const child = left(dir, "filter", "fork");
  assertEquals([child.code, child.regions, child.notAttached], [3, { main: 100 }, 1]);
  assertStringIncludes(child.notes, "1 forked process could not open a file of the run");
});

endToEnd(
  "a child as another user, or in another root directory, is counted as not attached",
  (dir) => {
    build("leaves_room", dir);
    for (const way of ["user", "root"]) {
      const child = left(dir, way, "fork");
      assertEquals([child.code, child.regions, child.notAttached], [3, { main: 100 }, 1], way);
    }
    const whole = left(dir, "none", "fork");
    // Each of them is in a region that the other never enters.
    assertEquals(whole.regions, { main: 100, child: 100 });
    assertEquals(whole.notAttached, undefined);
  },
  undefined,
  NOT_ROOT,
);

endToEnd(
  "a forked child of a Python program as another user is counted as not attached",
  (dir) => {
    const program = `import os, joulemark
with joulemark.region("main"):
    pass
os.setuid(20001)
if os.fork() == 0:
    for i in range(3):
        with joulemark.region("child"):
            pass
    os._exit(0)
os._exit(3 if os.wait()[1] == 0 else 7)
`;
    Deno.writeTextFileSync(`${dir}/p.py`, program);
    assertEquals(joulemark(dir, ["client", "python", "--dir", dir]).code, 0);
    const run = joulemark(dir, ["run", "-q", "--", "python3", "p.py"]);
    assertEquals([run.code, run.stderr], [3, ""]);
    const [host] = parseReport(Deno.readTextFileSync(`${dir}/joulemark.report`), "r").hosts;
    const processes = host.joulemark!.processes as Record<string, unknown>;
    assertEquals(processes["not attached"], 1);
  },
  undefined,
  NOT_ROOT ?? unless(succeeds("python3", "-V"), "no Python"),
);

endToEnd("a file of a channel is no other output's", (dir) => {
  const run = (options: string, env: Record<string, string> = {}) => {
    const command = "-- sh -c 'echo ran; exit 4'";
    return bash(dir, `"$J" run -q --simulate --report x ${options} ${command}`, env);
  };
  const refused = run("--cali-config 'runtime-report(output=./x)'");
  assertEquals([refused.code, refused.stdout], [2, ""], refused.stderr);
  assertStringIncludes(
    refused.stderr,
    "expected a path that no other output has, found the path of --report",
  );
  const both = run("--cali-config 'runtime-report(output=y),event-trace(output=./y)'");
  assertEquals([both.code, both.stdout], [2, ""], both.stderr);
  assertMatch(
    both.stderr,
    /expected a path that no other output has, found the path of channel \S+: .*y/,
  );
  const found: Record<string, string>[] = [
    { CALI_CONFIG: "runtime-report(output=./x)" },
    { CALI_SERVICES_ENABLE: "event,trace,recorder", CALI_RECORDER_FILENAME: "x" },
  ];
  for (const env of found) {
    const out = run("", env);
    assertEquals([out.code, out.stdout], [4, "ran\n"], out.stderr);
    assertMatch(out.stderr, /x of channel \S+ is ignored: --report has the same path/);
    assertMatch(Deno.readTextFileSync(`${dir}/x`), /^GEOPM Version/);
  }
  // The report and its timeline have their places without an option, too.
  const plain = (options: string, env: Record<string, string> = {}) => {
    return bash(dir, `"$J" run -q --simulate ${options} -- sh -c 'echo ran; exit 4'`, env);
  };
  for (const name of ["joulemark.report", "joulemark.timeline", "./joulemark.report"]) {
    const unnamed = plain(`--cali-config 'runtime-report(output=${name})'`);
    assertEquals([unnamed.code, unnamed.stdout], [2, ""], unnamed.stderr);
    assertMatch(unnamed.stderr, /found the path of the (report|timeline beside the report .*): /);
    const variable = plain("", { CALI_CONFIG: `event-trace(output=${name})` });
    assertEquals(variable.code, 4);
    assertMatch(variable.stderr, /is ignored: the (report|timeline .*) has the same path/);
  }
  assertEquals(plain("--no-timeline --cali joulemark.timeline").code, 4);
  const geopm = { GEOPM_REPORT: "" };
  assertEquals(plain("--cali-config 'event-trace(output=geopm.report)'", geopm).code, 2);
});

endToEnd("a pipe that a writer fills late is read, though it is asked for twice", (dir) => {
  const config = "CALI_SERVICES_ENABLE=event,trace,recorder";
  bash(dir, "mkfifo f");
  const ran = (text: string, options: string, env: Record<string, string> = {}) => {
    const command = `"$J" run -q --simulate ${options} -- sh -c 'echo ran; exit 4'`;
    return bash(dir, `(sleep 1.2; printf '${text}' >f) & ${command}`, env);
  };
  for (
    const out of [
      ran(`${config}\\n`, "", { CALI_CONFIG_FILE: "f" }),
      ran('{"a":"b"}', "--cali-config 'runtime-report,metadata(file=f)'"),
    ]
  ) {
    assertEquals([out.code, out.stdout], [4, "ran\n"], out.stderr);
    assertMatch(
      out.stderr,
      /^joulemark: [^:]+: no regions were found, so nothing is written[^\n]*\n$/,
    );
  }
  const silent = bash(dir, `"$J" run --cali-config 'runtime-report,metadata(file=f)' -- echo ran`);
  assertEquals([silent.code, silent.stdout], [2, ""], silent.stderr);
});

endToEnd(
  "a pipe in the place of an input is read, or left out when it is silent for 2 s",
  (dir) => {
    bash(
      dir,
      `mkfifo f; mkdir -p t/proc; mkfifo t/.root.json t/proc/cpuinfo; cp /bin/true app
    "$J" run -q --simulate --idle 1 --report idle -- sleep 0.2`,
    );
    const timed = (options: string, env: Record<string, string> = {}) => {
      const begin = performance.now();
      const out = bash(dir, `"$J" ${options}`, env);
      return { ...out, tookS: (performance.now() - begin) / 1000 };
    };
    const command = "-- sh -c 'echo ran; exit 4'";
    for (const option of ["--idle f", "--simulate=f", "--probe ./f:main"]) {
      const out = timed(`run -q ${option} ${command}`);
      assertEquals([out.code, out.stdout], [2, ""], option);
      assert(out.tookS < 6, `${option}: ${out.tookS} s`);
    }
    for (
      const [option, env, name] of [
        ["", { CALI_CONFIG_FILE: "f" }, "f"],
        ["--root t", {}, "t/"],
      ] as const
    ) {
      const out = timed(`run -q ${option} ${command}`, env);
      assertEquals([out.code, out.stdout], [4, "ran\n"], option);
      assertMatch(out.stderr, new RegExp(`^joulemark: ${name}.* is a pipe without data for 2 s`));
      assert(out.tookS < 6, `${option}: ${out.tookS} s`);
    }
    for (const verb of ["read --list", "doctor"]) {
      const out = timed(`${verb} --root t`);
      assertEquals(out.code, 0, out.stderr);
      assertStringIncludes(out.stderr, "is a pipe without data for 2 s");
      assert(out.tookS < 6, `${verb}: ${out.tookS} s`);
    }
    // One with a writer is read, also where the writer comes late.
    const named = bash(
      dir,
      `(sleep 0.5; cat idle >f) & "$J" run -q --simulate --idle f ${command}`,
    );
    assertEquals(named, { code: 4, stdout: "ran\n", stderr: "" });
    const nameless = bash(dir, `"$J" run -q --simulate --idle <(sleep 0.5; cat idle) ${command}`);
    assertEquals(nameless, { code: 4, stdout: "ran\n", stderr: "" });
  },
);

endToEnd("two outputs of one path are refused; one from GEOPM's variables is dropped", (dir) => {
  const run = (args: string[], env: Record<string, string> = {}) => {
    return joulemark(dir, ["run", "-q", ...args, "--", "touch", "ran"], env);
  };
  const has = (name: string) => [...Deno.readDirSync(dir)].some((entry) => entry.name === name);
  for (const args of [["--report", "y", "--html", `${dir}/y`], ["--trace", "joulemark.report"]]) {
    const { code, stderr } = run(args);
    assertEquals([code, has("ran")], [2, false], stderr);
    assertStringIncludes(stderr, "a path that no other output has");
  }
  const geopm = run(["--trace", "z"], { GEOPM_REPORT: "z" });
  assertEquals(geopm.code, 0);
  assertStringIncludes(geopm.stderr, "GEOPM_REPORT=z is ignored: --trace has the same path");
  assert(Deno.readTextFileSync(`${dir}/z`).startsWith("#") && has("geopm.report"));
  const nowhere = run(["--report", "/dev/null", "--trace", "/dev/null", "--html", "/dev/null"]);
  assertEquals([nowhere.code, nowhere.stderr], [0, ""]);
});

endToEnd("no output replaces a file that it reads, or a file of another kind", (dir) => {
  const run = (words: string) => bash(dir, `"$J" ${words}`);
  Deno.mkdirSync(`${dir}/job`);
  assertEquals(run("run -q --simulate --report job/h0.report -- true").code, 0);
  const report = Deno.readTextFileSync(`${dir}/job/h0.report`);
  Deno.writeTextFileSync(`${dir}/job/h1.report`, report.replaceAll(/^ {2}\S+:$/gm, "  other:"));
  for (
    const words of [
      "show --html -o job/h0.report job/h0.report",
      "show --format csv -o job/h0.report job/h0.report",
      "compare -o job/h0.report job/h0.report job/h1.report -- job/h1.report job/h0.report",
      "query -t -o job/h0.report job/h0.report",
      "merge -o job/h0.report job",
    ]
  ) {
    const { code, stderr } = run(words);
    assertEquals(code, 2, `${words}: ${stderr}`);
    assertMatch(stderr, /not one of the inputs/, words);
    assertEquals(Deno.readTextFileSync(`${dir}/job/h0.report`), report, words);
  }
  assertEquals(run("run -q --simulate --report y.report --trace y.timeline -- true").code, 2);
  Deno.writeTextFileSync(`${dir}/v.timeline`, "precious\n");
  const kept = run("run -q --simulate --report v.report -- true");
  assertMatch(kept.stderr, /v.timeline is another program's file; the timeline is not written/);
  assertEquals(Deno.readTextFileSync(`${dir}/v.timeline`), "precious\n");
});
