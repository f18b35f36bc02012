/** Files that were cut, or that hold more than they seem to: a clear line each and a status, never a stack. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { gzipSync } from "node:zlib";
import { cpuTimeOf } from "../_support/cpu_time.ts";
import { BINARY, endToEnd, joulemark } from "../_support/programs.ts";
import { bestOf } from "../_support/tries.ts";

endToEnd(
  "a .gz that is cut in its first bytes is reported in clear lines, with status 2",
  (dir) => {
    const packed = gzipSync(new TextEncoder().encode("$hpcperfstats 2.3.5\n".repeat(100)));
    Deno.mkdirSync(`${dir}/recording`);
    for (const length of [2, 5, 10, 15, 20]) {
      Deno.writeFileSync(`${dir}/cut.gz`, packed.subarray(0, length));
      Deno.writeFileSync(`${dir}/recording/samples.csv.gz`, packed.subarray(0, length));
      for (
        const args of [
          ["query", "cut.gz"],
          ["stats", "cut.gz"],
          ["merge", "cut.gz", "-o", "out"],
          ["pmc", "cut.gz"],
          ["replay", "recording"],
        ]
      ) {
        const out = joulemark(dir, args);
        const what = `${args[0]} of ${length} bytes: ${out.stderr}`;
        assertEquals(out.code, 2, what);
        assertMatch(out.stderr, /expected|found|[Cc]annot/, what);
        assert(!/TypeError|^ {4}at /m.test(out.stderr), what);
        assert(out.stderr.trimEnd().split("\n").length <= 3, what);
      }
    }
  },
);

endToEnd("query --strict reports a .cali that is cut inside its last line", (dir) => {
  const text =
    "__rec=node,id=12,attr=10,data=64,parent=1\n__rec=node,id=13,attr=8,data=x,parent=12\n" +
    "__rec=ctx,attr=13,data=1234\n";
  Deno.writeTextFileSync(`${dir}/whole.cali`, text);
  Deno.writeTextFileSync(`${dir}/cut.cali`, text.slice(0, -3));
  const query = (...args: string[]) => joulemark(dir, ["query", ...args]);
  assertEquals(query("--strict", "whole.cali").code, 0);
  assertEquals(query("--strict", "whole.cali").stderr, "");
  const strict = query("--strict", "cut.cali");
  assertEquals(strict.code, 1);
  assertMatch(strict.stderr, /^joulemark: Error reading cut\.cali:3: the last line has no end/);
});

endToEnd("query keeps an earlier output if no input can be read", (dir) => {
  Deno.writeTextFileSync(`${dir}/a.cali`, "__rec=node,id=12,attr=10,data=64,parent=1\n");
  Deno.mkdirSync(`${dir}/folder`);
  for (const input of ["nosuch", "folder"]) {
    Deno.writeTextFileSync(`${dir}/out`, "earlier");
    assertEquals(joulemark(dir, ["query", "-o", "out", input]).code, 2);
    assertEquals(Deno.readTextFileSync(`${dir}/out`), "earlier");
    assertEquals(joulemark(dir, ["query", "-o", "out", input, "a.cali"]).code, 2);
    assertEquals(Deno.readTextFileSync(`${dir}/out`), "__rec=globals\n");
  }
});

endToEnd("query of a stream damaged in the last line is not silent, wherever it is cut", (dir) => {
  const text =
    "__rec=node,id=12,attr=10,data=64,parent=1\n__rec=node,id=13,attr=8,data=x,parent=12\n" +
    "__rec=ctx,attr=13,data=1234\n__rec=globals,ref=13\n";
  const ends = text.lastIndexOf("__rec=ctx");
  for (let length = ends + 1; length <= text.length; length += 3) {
    const part = text.slice(0, length);
    Deno.writeTextFileSync(`${dir}/cut.cali`, part);
    const out = joulemark(dir, ["query", "-e", "cut.cali"]);
    // The status is cali-query's.
    assertEquals(out.code, 0);
    const said = out.stderr.trimEnd().split("\n").filter((line) => line !== "");
    if (part.endsWith("\n")) assertEquals(said, []);
    else {
      assertEquals(said.length, 1, part);
      assertMatch(said[0], /^joulemark: Error reading cut\.cali: /);
    }
  }
  Deno.writeTextFileSync(`${dir}/cut.cali`, text.slice(0, text.indexOf("34")));
  const { stdout, stderr } = joulemark(dir, ["query", "-e", "cut.cali"]);
  assertEquals(stdout, "x=12\n");
  assertMatch(stderr, /the last line has no end: is it cut\?/);
  assertEquals(joulemark(dir, ["query", "--quiet", "-e", "cut.cali"]).stderr, "");
  const shown = joulemark(dir, ["show", "cut.cali"]);
  assertEquals(shown.code, 0, shown.stderr);
  assertMatch(shown.stderr, /the last line has no end: is it cut\?/);
  const page = joulemark(dir, ["show", "--html", "-o", "cut.html", "cut.cali"]);
  assertEquals(page.code, 0, page.stderr);
  const html = Deno.readTextFileSync(`${dir}/cut.html`);
  assertMatch(html, /cut\.cali:3: the last line has no end: is it cut\?/);
});

endToEnd("a .gz that holds a thousand times its size is read in bounded memory", async (dir) => {
  Deno.writeFileSync(`${dir}/bomb.gz`, gzipSync(new Uint8Array(320 << 20).fill(97)));
  const child = new Deno.Command(BINARY, {
    args: ["stats", `${dir}/bomb.gz`],
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let mostKb = 0;
  const watch = setInterval(() => {
    try {
      const text = Deno.readTextFileSync(`/proc/${child.pid}/status`);
      mostKb = Math.max(mostKb, Number(/^VmHWM:\s*(\d+)/m.exec(text)?.[1] ?? 0));
    } catch {
      // it ended
    }
  }, 5);
  const { code, stderr } = await child.output();
  clearInterval(watch);
  assertEquals(code, 2);
  assertMatch(new TextDecoder().decode(stderr), /lines of at most \d+ bytes, found a longer one/);
  assert(mostKb > 0 && mostKb < 350_000, `${mostKb} kB`);
});

endToEnd("a .gz of empty lines costs about what one of statistics lines does", (dir) => {
  const size = 48 << 20;
  const write = (name: string, line: string) => {
    const bytes = new TextEncoder().encode(line.repeat(Math.floor(size / line.length)));
    Deno.writeFileSync(`${dir}/${name}`, gzipSync(bytes, { level: 1 }));
  };
  write("empty.gz", "\n");
  write("full.gz", "a 1 2\n");
  const cost = (name: string) => {
    return cpuTimeOf(dir, ["sh", "-c", `"$0" stats ${name}; [ $? = 2 ]`, BINARY]).seconds;
  };
  bestOf(3, () => {
    const [empty, full] = [cost("empty.gz"), cost("full.gz")];
    assert(empty < 2 * full, `${empty} and ${full} CPU s`);
  });
});

endToEnd("a report that is cut says in every format what it covers", (dir) => {
  const whole = Deno.readTextFileSync(
    new URL("../vectors/summary/normal.report", import.meta.url),
  );
  Deno.writeTextFileSync(`${dir}/cut.report`, whole.slice(0, 1500));
  const show = (...options: string[]) => joulemark(dir, ["show", ...options, "cut.report"]);
  const covers = /partial: cut\.report is truncated or damaged; it was read up to line 71/i;
  const { stdout } = show();
  assertMatch(stdout, covers);
  assertMatch(stdout, /energy not available: it is not in the part/);
  assert(!stdout.includes("doctor"), stdout);
  assertMatch(
    show("--format", "markdown").stdout,
    /^\*\*PARTIAL: cut\.report .*\n\n\*\*SIMULATED /,
  );
  assertMatch(show("--format", "csv").stderr, covers);
  assertMatch(show("--format", "jsonl").stderr, covers);
  // A failed command does not hide it.
  const failed = whole.replace("exit status: 0", "exit status: 3").slice(0, 3500);
  Deno.writeTextFileSync(`${dir}/failed.report`, failed);
  assertMatch(
    joulemark(dir, ["show", "failed.report"]).stdout,
    /^FAILED: .* exit status 3.*\nPARTIAL: failed\.report is truncated/,
  );
  // One of a job's.
  Deno.mkdirSync(`${dir}/job.parts`);
  Deno.writeTextFileSync(`${dir}/job.parts/a.report`, whole.slice(0, 3500));
  Deno.writeTextFileSync(`${dir}/job.parts/b.report`, whole.replaceAll("node01", "node02"));
  const job = joulemark(dir, ["show", "job.parts"]);
  assertMatch(job.stdout, /^PARTIAL: 1 report left out: job\.parts\/a\.report;/);
});
