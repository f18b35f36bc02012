/** A study of the executable: interleaved, interrupted, resumed; table and picture. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { endToEnd, joulemark } from "../_support/programs.ts";

endToEnd("study finds the sweet spot, and goes on where it was interrupted", (dir) => {
  const script = `case $T in 1) sleep 0.4;; 3) sleep 0.1;; *) sleep 0.3;; esac; echo "T is $T"`;
  const args = ["study", "--vary", "T=4,3,1", "--repeat", "2"];
  const command = ["--", "sh", "-c", script];
  const env = { JOULEMARK_SIMULATE: "" };
  const first = joulemark(dir, [...args, ...command], env);
  assertEquals(first.code, 0, first.stderr);
  assertStringIncludes(first.stdout, "sweet spot: T=3");
  assertStringIncludes(first.stdout, "simulated");
  const order = first.stderr.trim().split("\n").map((line) => /T=([0-9])/.exec(line)![1]);
  assertEquals(order, ["4", "3", "1", "4", "3", "1"]);
  const log = `${dir}/joulemark-study/study.jsonl`;
  assertEquals(Deno.readTextFileSync(`${dir}/joulemark-study/T=1-2.out`), "T is 1\n");
  assertStringIncludes(Deno.readTextFileSync(`${dir}/joulemark-study/study.svg`), "simulated");
  assertEquals(joulemark(dir, [...args, ...command], env).code, 2);
  const lines = Deno.readTextFileSync(log).split("\n");
  Deno.writeTextFileSync(log, lines.slice(0, 5).join("\n") + "\n" + lines[5].slice(0, 20));
  const again = joulemark(dir, [...args, "--resume", "--json", ...command], env);
  assertEquals(again.code, 0, again.stderr);
  assertEquals(again.stderr.trim().split("\n").length, 2);
  const { tables } = JSON.parse(again.stdout);
  assertEquals(tables[0].rows.map((row: Record<string, unknown>) => row.runs), [2, 2, 2]);
});

endToEnd("study tells of runs that fail, and of a command that is not there", (dir) => {
  const env = { JOULEMARK_SIMULATE: "" };
  const args = ["study", "--repeat", "1", "--vary", "T=0,1", "--", "sh", "-c", "exit $T"];
  const out = joulemark(dir, args, env);
  assertEquals(out.code, 1);
  assertStringIncludes(out.stderr, "failed with status 1");
  assert(!out.stdout.includes("T=1"));
  assertEquals(joulemark(dir, ["study", "--vary", "T=1", "--", "nosuchcommand"]).code, 127);
  assertEquals(joulemark(dir, ["study", "--", "true"]).code, 2);
});
