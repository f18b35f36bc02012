/** What a process is doing now, asked from outside. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
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
