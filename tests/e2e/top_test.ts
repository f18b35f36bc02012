/** What a process is doing now, asked from outside. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { compile } from "../_support/compiled.ts";
import { NOT_ROOT } from "../_support/skipped.ts";
import { BINARY, build, endToEnd, joulemark } from "../_support/programs.ts";

/** Runs a body while the program waits inside its regions. */
async function whileItWaits(dir: string, body: (pid: number) => void): Promise<void> {
  const app = build("waits_inside", dir, ["-pthread"]);
  const run = new Deno.Command(BINARY, {
    args: ["run", "-q", "--simulate", "--", "sh", "-c", `echo $$; exec ${app}`],
    cwd: dir,
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = run.stdout.getReader(), decoder = new TextDecoder();
  let text = "";
  while (!text.includes("ready")) {
    const { value, done } = await reader.read();
    assert(!done, text);
    text += decoder.decode(value);
  }
  try {
    // The monitor drains its rings every 5 ms.
    await new Promise((resolve) => setTimeout(resolve, 100));
    body(Number.parseInt(text));
  } finally {
    await run.stdin.close();
    await reader.cancel();
    await run.status;
  }
}

endToEnd(
  "top --context shows open regions, and time and energies since the last annotation",
  (dir) => {
    return whileItWaits(dir, (pid) => {
      const out = joulemark(dir, ["top", "--context", String(pid)]);
      assertEquals(out.code, 0, out.stderr);
      const lines = out.stdout.trimEnd().split("\n").map((line) => line.split("\t"));
      assertEquals(lines[0].slice(0, 2), [String(pid), "main > solve"]);
      assertEquals(lines[1][1], "worker");
      // As a pulled snapshot: each thread has its time, the main thread the energies.
      const values = (line: string[]) =>
        new Map(line.slice(2).map((text) => text.split("=", 2) as [string, string]));
      assertEquals([...values(lines[0]).keys()], [
        "time.duration.ns",
        "CPU_ENERGY",
        "DRAM_ENERGY",
        "BOARD_ENERGY",
      ]);
      assertEquals([...values(lines[1]).keys()], ["time.duration.ns"]);
      for (const line of lines.slice(0, 2)) {
        const waitedS = Number(values(line).get("time.duration.ns")) * 1e-9;
        assert(waitedS > 0.08 && waitedS < 60, String(waitedS));
      }
      const json = JSON.parse(joulemark(dir, ["top", "--context", String(pid), "--json"]).stdout);
      assertEquals(json.pid, pid);
      assertEquals(json.threads[0].regions, ["main", "solve"]);
      const first = values(lines[0]);
      // Power is the quotient of both.
      const between = (later: number, earlier: string) => later - Number(first.get(earlier));
      const now = json.threads[0].values;
      const passedNs = between(now["time.duration.ns"], "time.duration.ns");
      const grownJ = between(now.CPU_ENERGY, "CPU_ENERGY");
      assert(passedNs > 0 && grownJ > 0, `${grownJ} J in ${passedNs} ns`);
      const powerW = now.CPU_ENERGY / (now["time.duration.ns"] * 1e-9);
      assert(powerW > 10 && powerW < 1000, `${powerW} W`);
      const page = joulemark(dir, ["top", "--interval", "0.1"]);
      assertMatch(page.stdout, new RegExp(`^${pid} +- +- +main > solve$`, "m"));
    });
  },
);

endToEnd("top says what is in the way, in one line", (dir) => {
  const wrong = joulemark(dir, ["top", "--context", "me"]);
  assertEquals(wrong.code, 2);
  const none = joulemark(dir, ["top", "--context", String(Deno.pid)]);
  assertEquals([none.code, none.stderr.trimEnd().split("\n").length], [1, 1]);
  assertStringIncludes(none.stderr, "does not run under joulemark");
  assertEquals(joulemark(dir, ["top", "--context", "4194304"]).code, 1);
});

/** Runs ./app where no other monitor is seen, and asks for its functions. */
function functionsOf(dir: string, run: string, top: string): string {
  compile("e2e/programs/functions/shares.c", `${dir}/app`, ["-O2"]);
  const script = `mount -t tmpfs none /dev/shm
    ${run.replace("JOULEMARK", BINARY)} ./app 5000 > /dev/null 2>&1 & sleep 1
    ${BINARY} top ${top}; wait`;
  const out = new Deno.Command("unshare", { args: ["-m", "sh", "-c", script], cwd: dir })
    .outputSync();
  return new TextDecoder().decode(out.stdout) + new TextDecoder().decode(out.stderr);
}

endToEnd(
  "top --functions shows the functions with most time since the last page",
  (dir) => {
    const text = functionsOf(dir, "JOULEMARK run -q --functions --", "--functions --interval 1.5");
    assertMatch(text, /^function +share time \(s\) {2}module$/m);
    const [, share, seconds] = /^heavy +([\d.]+) % +([\d.]+) {2}app$/m.exec(text)!.map(Number);
    assert(share > 60 && share < 90, text);
    assert(seconds > 0.2 && seconds < 3, text);
    assertMatch(text, /^light +[\d.]+ % +[\d.]+ {2}app$/m);
    const [head] = text.split("function ");
    assert(!head.includes("process"), text);
    const run = "JOULEMARK run -q --functions=499 --";
    const json = JSON.parse(functionsOf(dir, run, "--functions --json"));
    assertEquals([json.functions[0].name, json.functions[0].module], ["heavy", "app"]);
  },
  undefined,
  NOT_ROOT,
);

endToEnd(
  "top --functions says in one line why there are none",
  (dir) => {
    const plain = functionsOf(dir, "JOULEMARK run -q --", "--functions");
    assertMatch(plain, /^no functions: start the command by joulemark run --functions$/m);
    // Threads cannot sample themselves either: the library cannot be built.
    compile("e2e/programs/without_perf.c", `${dir}/without_perf`, []);
    const none = `env PATH=/nowhere CC= XDG_CACHE_HOME= HOME=${dir} ./without_perf 13`;
    const run = `${none} JOULEMARK run -q --functions --`;
    const refused = functionsOf(dir, run, "--functions").replaceAll(/\s+/g, " ");
    assertMatch(
      refused,
      /no functions: .* perf\. Ask an administrator for sysctl kernel\.perf_event_paranoid=2 $/,
    );
  },
  undefined,
  NOT_ROOT,
);
