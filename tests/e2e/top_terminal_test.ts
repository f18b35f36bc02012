/** `top` in a terminal: tmux holds one, types keys and says what is on it. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { BINARY, build, endToEnd, joulemark } from "../_support/programs.ts";
import { compile } from "../_support/compiled.ts";
import { NOT_ROOT } from "../_support/skipped.ts";
import { outputOf, without } from "../_support/readers_of_others.ts";

/** A terminal of its own. */
class Tmux implements Disposable {
  readonly #socket: string;

  constructor(dir: string, columns: number, rows: number, command: string) {
    this.#socket = `${dir}/tmux`;
    const size = ["-x", String(columns), "-y", String(rows)];
    // As single words: a user may have no shell that could run a line.
    const shell = ["env", "LC_ALL=C.UTF-8", "sh"];
    this.#run("-f", "/dev/null", "new-session", "-d", ...size, ...shell);
    this.type(`cd ${dir}; PS1='$ '; clear; ${command}; echo status $?`, "Enter");
  }

  type(...keys: string[]): void {
    this.#run("send-keys", ...keys);
  }

  get screen(): string[] {
    return this.#run("capture-pane", "-p").replace(/\n$/, "").split("\n");
  }

  /** Waits until the screen is as wanted; what it was at last. */
  async until(wanted: (text: string) => boolean): Promise<string> {
    let text = "";
    for (let i = 0; i < 100; i++) {
      text = this.screen.join("\n");
      if (wanted(text)) return text;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`not within 10 s; the screen is\n${text}`);
  }

  #run(...args: string[]): string {
    return outputOf("tmux", ["-S", this.#socket, "-u", ...args]);
  }

  [Symbol.dispose](): void {
    this.#run("kill-server");
  }
}

endToEnd(
  "top on a terminal of 80 × 24: regions, courses, pause, sort, filter, quit",
  async (dir) => {
    const app = build("four_regions", dir);
    const run = new Deno.Command(BINARY, {
      args: ["run", "-q", "--simulate", "--", app, "40"],
      cwd: dir,
      stdout: "null",
      stderr: "null",
    }).spawn();
    try {
      await new Promise((resolve) => setTimeout(resolve, 500));
      using tmux = new Tmux(dir, 80, 24, `${BINARY} top --simulate --interval 0.3`);
      const first = await tmux.until((text) => /four|regions now +[abcd] \(1\)/.test(text));
      assertEquals(first.split("\n").length, 24);
      assertMatch(first, /^joulemark top /);
      assertMatch(first, /^package power +\d+\.\d .* W +\S+ {2}0[–-]\d+ W$/m);
      await tmux.until((text) => /^package power .*[▁▂▃▄▅▆▇█]{3} {2}0–\d+ W$/m.test(text));
      assertMatch(first, /^package limit +\d/m);
      assertMatch(
        first,
        /q quit {2}p pause {2}s sort: process {2}f filter {2}t functions {2}h help$/m,
      );
      assertMatch(first, /^\d+ +- +- +[abcd]$/m);
      tmux.type("s");
      await tmux.until((text) => text.includes("s sort: rank"));
      tmux.type("f", "n", "o", "n", "e");
      const filtered = await tmux.until((text) => text.includes("filter: none_"));
      assert(!/^\d+ +- +- +[abcd]$/m.test(filtered));
      tmux.type("Escape");
      await tmux.until((text) => text.includes("f filter  t functions"));
      tmux.type("p");
      const paused = await tmux.until((text) => text.includes("p go on"));
      await new Promise((resolve) => setTimeout(resolve, 800));
      assertEquals(tmux.screen.join("\n"), paused);
      tmux.type("q");
      await tmux.until((text) => text.includes("status 0"));
      // The shell's own screen is there again, and takes what is typed.
      tmux.type("echo back $((6*7))", "Enter");
      const after = await tmux.until((text) => text.includes("back 42"));
      assert(!after.includes("package power"));
    } finally {
      run.kill("SIGINT");
      await run.status;
    }
  },
  undefined,
  without("tmux"),
);

endToEnd(
  "t shows functions on a terminal, and processes again",
  async (dir) => {
    compile("e2e/programs/functions/shares.c", `${dir}/app`, ["-O2"]);
    // No other monitor is seen there.
    const script = `mount -t tmpfs none /dev/shm
      ${BINARY} run -q --functions -- ./app 60000 > /dev/null 2>&1 &
      ${BINARY} top --interval 0.3; kill $!; wait`;
    Deno.writeTextFileSync(`${dir}/watch.sh`, script);
    using tmux = new Tmux(dir, 80, 24, "unshare -m sh watch.sh");
    await tmux.until((text) => text.includes("t functions"));
    tmux.type("t");
    const text = await tmux.until((text) => /^heavy +[\d.]+ % +[\d.]+ {2}app$/m.test(text));
    assertMatch(text, /f filter {2}t processes {2}h help$/m);
    tmux.type("t");
    await tmux.until((text) => text.includes("t functions") && !text.includes("heavy"));
    tmux.type("q");
    await tmux.until((text) => text.includes("status"));
  },
  undefined,
  without("tmux") ?? NOT_ROOT,
);

for (const [columns, rows] of [[200, 50], [40, 10]]) {
  endToEnd(
    `top on a terminal of ${columns} × ${rows}`,
    async (dir) => {
      using tmux = new Tmux(dir, columns, rows, `${BINARY} top --simulate --interval 0.2`);
      const text = await tmux.until((text) => /package power/.test(text));
      const lines = text.split("\n");
      assertEquals(lines.length, rows);
      assertMatch(lines.at(-1)!, /^q quit {2}p pause/);
      assert(lines.every((line) => line.length <= columns));
      if (columns === 40) assertMatch(text, /\.\.\.$/m);
      tmux.type("C-c");
      await tmux.until((text) => text.includes("status 0"));
      tmux.type("echo back $((6*7))", "Enter");
      await tmux.until((text) => text.includes("back 42"));
    },
    undefined,
    without("tmux"),
  );
}

endToEnd(
  "top gives the terminal back when a signal ends it",
  async (dir) => {
    const command = `sh -c 'echo $$ > pid; exec ${BINARY} top --simulate'`;
    using tmux = new Tmux(dir, 80, 24, command);
    await tmux.until((text) => text.includes("package power"));
    outputOf("kill", [Deno.readTextFileSync(`${dir}/pid`).trim()]);
    const after = await tmux.until((text) => text.includes("status 0"));
    assert(!after.includes("package power"));
    tmux.type("echo back $((6*7))", "Enter");
    await tmux.until((text) => text.includes("back 42"));
  },
  undefined,
  without("tmux"),
);

endToEnd(
  "on a terminal nothing but the answer is said",
  () => {
    const said = outputOf("script", ["-qec", `${BINARY} --version`, "/dev/null"]);
    assertMatch(said, /^joulemark \S+ \([^)]*\)\r\n$/);
  },
  undefined,
  without("script"),
);

endToEnd("top over a pipe is one page of plain lines", (dir) => {
  const { code, stdout, stderr } = joulemark(dir, ["top", "--simulate", "--interval", "0.2"]);
  assertEquals([code, stderr], [0, ""]);
  assert(!stdout.includes("\x1b"));
  assertMatch(stdout, /^package power +\d+\.\d {2}\d+\.\d W$/m);
  // Other commands of this user may run.
  assertMatch(stdout, /^no (program runs|process) under joulemark /m);
  assert(stdout.split("\n").every((line) => line.length <= 80));
  const json = JSON.parse(
    joulemark(dir, ["top", "--simulate", "--json", "--interval", "0.2"]).stdout,
  );
  assert(json.node.some((q: { name: string }) => q.name === "package power"));
});
