/** What the kernel holds the running monitor to, and that it still measures; the application is free. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { BINARY, endToEnd } from "../_support/programs.ts";

const status = (path: string) => {
  const text = Deno.readTextFileSync(path);
  return ["NoNewPrivs", "Seccomp", "CapEff"].map((key) => {
    return new RegExp(`^${key}:\\s*(\\S+)`, "m").exec(text)![1].replace(/^0+$/, "0");
  });
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
      await new Promise((go) => setTimeout(go, 1200));
      const application = Number(Deno.readTextFileSync(`${dir}/pid`));
      const children = Deno.readTextFileSync(`/proc/${child.pid}/task/${child.pid}/children`);
      const runtime = children.trim().split(" ").map(Number).find((pid) => pid !== application)!;
      const threads = [...Deno.readDirSync(`/proc/${runtime}/task`)].map(({ name }) => {
        return status(`/proc/${runtime}/task/${name}/status`);
      });
      assert(threads.length > 2);
      for (const thread of threads) assertEquals(thread, ["1", "2", "0"]);
      const { code, stderr } = await child.output();
      assertEquals([code, new TextDecoder().decode(stderr)], [0, ""]);
      const plain = status("/proc/self/status");
      const free = status(`${dir}/free`);
      assertEquals(free.slice(0, 2), plain.slice(0, 2));
      if (user === "root") assertEquals(free[2], plain[2]);
      const [host] = parseReport(Deno.readTextFileSync(`${dir}/joulemark.report`), "r").hosts;
      const { paths, ...rest } = host.joulemark!.confinement as Record<string, string>;
      assertEquals(rest, { capabilities: "none", "system calls": "filtered" });
      assertMatch(paths, /^not restricted: (landlock would close|this kernel has no landlock)/);
      // sampling goes on: rows at the period until the end
      const rows = Deno.readTextFileSync(`${dir}/a.trace`).split("\n").filter((l) =>
        /^[0-9]/.test(l)
      );
      assert(rows.length > 100, `${rows.length} rows`);
    },
  );
}

endToEnd(
  "root keeps its capabilities where outputs go to another user's directory",
  async (dir) => {
    if (Deno.uid() !== 0) return;
    Deno.mkdirSync(`${dir}/theirs`, { mode: 0o755 });
    Deno.chownSync(`${dir}/theirs`, 65534, 65534);
    const { code } = await new Deno.Command(BINARY, {
      args: ["run", "-q", "--report", `${dir}/theirs/a.report`, "--", "sleep", "0.3"],
      cwd: dir,
    }).output();
    assertEquals(code, 0);
    const [host] = parseReport(Deno.readTextFileSync(`${dir}/theirs/a.report`), "r").hosts;
    const { capabilities } = host.joulemark!.confinement as Record<string, string>;
    assertMatch(capabilities, /^kept: .*theirs is another user's/);
  },
);

endToEnd("capabilities of the file are for counters: no interpreter, no foreign files", (dir) => {
  if (Deno.uid() !== 0) return;
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
  assertMatch(raw, /no such verb "eval"/);
  assertMatch(run(["query", "/etc/shadow"]), /Cannot open file/);
});
