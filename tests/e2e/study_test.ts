/** A study of the executable: interleaved, interrupted, resumed; table and picture. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { endToEnd, joulemark } from "../_support/programs.ts";

endToEnd("study finds the sweet spot, and goes on where it was interrupted", (dir) => {
  const script = `case $T in 1) sleep 0.4;; 3) sleep 0.1;; *) sleep 0.3;; esac; echo "T is $T"`;
  const args = ["study", "--vary", "T=4,3,1", "--repeat", "2"];
  const command = ["--", "sh", "-c", script];
  const env = { JOULEMARK_SIMULATE: "1" };
  const first = joulemark(dir, [...args, ...command], env);
  assertEquals(first.code, 0, first.stderr);
  assertStringIncludes(first.stdout, "sweet spot: T=3");
  assertStringIncludes(first.stdout, "simulated");
  const order = first.stderr.trim().split("\n").map((line) => /T=([0-9])/.exec(line)![1]);
  assertEquals(order, ["4", "3", "1", "4", "3", "1"]);
  const log = `${dir}/joulemark-study/study.jsonl`;
  assertEquals(Deno.readTextFileSync(`${dir}/joulemark-study/T=1-2.out`), "T is 1\n");
  assertStringIncludes(Deno.readTextFileSync(`${dir}/joulemark-study/study.svg`), "simulated");
  const page = Deno.readTextFileSync(`${dir}/joulemark-study/study.html`);
  assertStringIncludes(page, "Simulated (simulated counters)");
  assertStringIncludes(page, '"title":"Energy against runtime');
  assertEquals(joulemark(dir, [...args, ...command], env).code, 2);
  const lines = Deno.readTextFileSync(log).split("\n");
  Deno.writeTextFileSync(log, lines.slice(0, 5).join("\n") + "\n" + lines[5].slice(0, 20));
  const again = joulemark(dir, [...args, "--resume", "--json", ...command], env);
  assertEquals(again.code, 0, again.stderr);
  assertEquals(again.stderr.trim().split("\n").length, 2);
  const { tables } = JSON.parse(again.stdout);
  assertEquals(tables[0].rows.map((row: Record<string, unknown>) => row.runs), [2, 2, 2]);
});

endToEnd("study compares the parts of the energy that all runs have", (dir) => {
  // Most runs of some milliseconds end before the node's counter changes, every 0.1 s.
  const args = ["study", "--repeat", "4", "--vary", "T=0,0.4", "--", "sh", "-c", "sleep $T"];
  const out = joulemark(dir, args, { JOULEMARK_SIMULATE: "1" });
  assertEquals(out.code, 0, out.stderr);
  const sources = /^energy of (.*)$/m.exec(out.stdout)![1];
  assert(["node", "package + memory"].includes(sources), sources);
});

endToEnd("study tells of runs that fail, and of a command that is not there", (dir) => {
  const env = { JOULEMARK_SIMULATE: "1" };
  const args = ["study", "--repeat", "1", "--vary", "T=0,1", "--", "sh", "-c", "exit $T"];
  const out = joulemark(dir, args, env);
  assertEquals(out.code, 1);
  assertStringIncludes(out.stderr, "failed with status 1");
  assert(!out.stdout.includes("T=1"));
  assertEquals(joulemark(dir, ["study", "--vary", "T=1", "--", "nosuchcommand"]).code, 127);
  assertEquals(joulemark(dir, ["study", "--", "true"]).code, 2);
});

endToEnd(
  "study --placement: all nodes from the same chassis, from a different chassis, from a different group",
  (dir) => {
    // Names of an XC30 by a table; the launcher stands in for srun.
    const nodes = ["c0-0c0", "c0-0c1", "c2-0c0"].flatMap((chassis, i) =>
      [0, 1, 2, 3].map((slot) =>
        `nid${String(100 * i + slot).padStart(5, "0")} ${chassis}s${slot}n0`
      )
    );
    Deno.writeTextFileSync(`${dir}/table`, nodes.join("\n"));
    Deno.writeTextFileSync(
      `${dir}/launch`,
      '#!/bin/sh\necho "on $1 = $JOULEMARK_NODES"\nshift\nexec "$@"\n',
    );
    Deno.chmodSync(`${dir}/launch`, 0o755);
    const placed = [
      "--placement",
      "4",
      "--topology",
      "table",
      "--nodes",
      "nid00[000-003,100-103,200-203]",
    ];
    const out = joulemark(dir, [
      ...["study", ...placed, "--repeat", "1", "--json"],
      ...["--", "./launch", "{nodes}", "{run}", "sleep", "0.2"],
    ], { JOULEMARK_SIMULATE: "1" });
    assertEquals(out.code, 0, out.stderr);
    const [sweep, table] = JSON.parse(out.stdout).tables;
    assertEquals(sweep.rows.map((row: Record<string, unknown>) => row.setting), [
      "placement=one chassis",
      "placement=two chassis",
      "placement=two groups",
    ]);
    assert(sweep.rows.every((row: Record<string, number>) => row["energy (J)"] > 0));
    assertEquals(table.rows.map((row: Record<string, unknown>) => row.in), [
      "c0-0c0",
      "c0-0c0 + c0-0c1",
      "c0-0c0 + c2-0c0",
    ]);
    const last = "nid00000,nid00001,nid00200,nid00201";
    const said = Deno.readTextFileSync(`${dir}/joulemark-study/placement=two_groups-1.out`);
    assertStringIncludes(said, `on ${last} = ${last}`);
    const none = joulemark(dir, ["study", "--placement", "4", "--nodes", "a[1-8]", "--", "true"]);
    assertEquals(none.code, 2);
    assertStringIncludes(none.stderr, "one chassis: no chassis has 4 of the nodes");
  },
);
