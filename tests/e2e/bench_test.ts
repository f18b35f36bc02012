/** Benchmarks of the executable: blocks, failures, formats, and the reports that they leave. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { BINARY, endToEnd, joulemark } from "../_support/programs.ts";

const SIMULATE = ["bench", "--simulate", "--seed", "7"];

/** Rows of the long table of a directory. */
function rowsOf(dir: string, name: string): Record<string, unknown>[] {
  const { code, stdout, stderr } = joulemark(dir, ["show", "--format", "jsonl", name]);
  assertEquals(code, 0, stderr);
  return stdout.trim().split("\n").map((line) => JSON.parse(line));
}

endToEnd("bench finds the command that takes longer, by blocks in random order", (dir) => {
  const args = [...SIMULATE, "-r", "4", "--metric", "time", "--dir", "d"];
  const out = joulemark(dir, [...args, "sleep 0.1", "sleep 0.5 | cat"]);
  assertEquals(out.code, 1, out.stdout + out.stderr);
  assertStringIncludes(
    out.stdout,
    "bench: 2 commands, 4 blocks in random order (seed 7), 1 warm-up",
  );
  assertStringIncludes(out.stdout, "SIMULATED counters: no value here is a measurement.");
  assertMatch(out.stdout, /^B +sleep 0\.5 \| cat +\d+(\.\d+)? ± .* 4$/m);
  assertMatch(out.stdout, /^B ÷ A: time \+\d+\.\d % \[\+.*\] \(98\.5 %\): worse$/m);
  assertMatch(out.stdout, /^reports d\/; page: d\/compare\.html$/m);
  assertStringIncludes(Deno.readTextFileSync(`${dir}/d/compare.html`), "<html");
  assertMatch(out.stderr, /^block 4 of 4, B ÷ A time \+/m);
  // The reports have their places, and compare takes the blocks.
  const rows = rowsOf(dir, "d").filter(({ path, component }) => path === "/" && !component);
  assertEquals(
    rows.map(({ run }) => run),
    [..."1234"].map((n) => `A${n}`).concat(
      [..."1234"].map((n) => `B${n}`),
    ),
  );
  const positions = rows.filter(({ block }) => block === 1).map(({ position }) => position);
  assertEquals(positions.sort(), [1, 2]);
  const sets = ["A", "B"].map((set) => ["1", "2", "3", "4"].map((n) => `d/${set}-${n}.report`));
  const compared = joulemark(dir, ["compare", "--metric", "time", ...sets[0], "--", ...sets[1]]);
  assertEquals(compared.code, 1);
  assertStringIncludes(compared.stdout, "in blocks");
  assert(!compared.stdout.includes("came before all"), compared.stdout);
  const whole = joulemark(dir, ["compare", "--metric", "time", "d"]);
  assertEquals([whole.code, whole.stdout], [1, compared.stdout]);
  // A directory with reports is no place for others.
  assertEquals(joulemark(dir, [...args, "true", "true"]).code, 2);
});

endToEnd("bench's progress compares the parts of the energy that all runs have", (dir) => {
  // Most runs of some milliseconds end before the node's counter changes, every 0.1 s.
  const args = ["bench", "--simulate", "-w", "0", "-r", "3", "--dir", "d", "true", "sleep 0.4"];
  const out = joulemark(dir, args);
  const last = /^block 3 .*energy (\S+) %/m.exec(out.stderr)![1];
  assertEquals(/^B ÷ A: energy (\S+) %/m.exec(out.stdout)![1], last, out.stdout);
});

endToEnd("bench of several commands compares each with the first one", (dir) => {
  const args = [...SIMULATE, "-r", "3", "-w", "0", "--format", "json"];
  const words = ["--", "sleep", "0.1", "--", "sleep", "0.1", "--", "sh", "-c", "sleep 0.1"];
  const out = joulemark(dir, [...args, ...words]);
  const json = JSON.parse(out.stdout);
  assertEquals(json.commands.map(({ set, runs }: Record<string, unknown>) => [set, runs]), [
    ["A", 3],
    ["B", 3],
    ["C", 3],
  ]);
  assertEquals(json.comparisons.map(({ set }: { set: string }) => set), ["B", "C"]);
  assertEquals(json.comparisons[0].design, "blocks");
  assert(Math.abs(json.comparisons[0].level - 0.9925) < 1e-9);
  assertEquals(json.commands[2].command, "sh -c sleep 0.1");
  const junit = joulemark(dir, [...SIMULATE, "-r", "3", "-w", "0", "--format", "junit", ...words]);
  assertEquals(junit.stdout.match(/<testcase /g)!.length, 2, junit.stdout);
  const html = [...SIMULATE, "-r", "3", "-w", "0", "--format", "html", "-o", "all.html", ...words];
  joulemark(dir, html);
  const page = Deno.readTextFileSync(`${dir}/all.html`);
  for (const text of ["3 commands: energy", "B ÷ A: Energy of", "C ÷ A: Energy of"]) {
    assertStringIncludes(page, text);
  }
});

endToEnd("bench stops at a command that fails, or leaves the block out", (dir) => {
  const failing = "echo one; echo two >&2; exit 3";
  const out = joulemark(dir, [...SIMULATE, "-r", "3", "true", failing]);
  assertEquals([out.code, out.stdout], [1, ""]);
  assertStringIncludes(out.stderr, `run 1 of "${failing}" ended with status 3; its last lines:\n`);
  assertStringIncludes(out.stderr, "one\ntwo\n");
  const once = "sleep 0.1; test -e failed || { touch failed; exit 3; }";
  const going = joulemark(dir, [
    ...SIMULATE,
    "-w",
    "0",
    "-i",
    "-r",
    "4",
    "--dir",
    "i",
    "true",
    once,
  ]);
  assertStringIncludes(going.stdout, "3 blocks");
  assertMatch(going.stdout, /^left out: block 1 \(B: status 3\)$/m);
  const names = [...Deno.readDirSync(`${dir}/i`)].map(({ name }) => name);
  assert(names.includes("B-1.report.failed"), names.join());
  assertEquals(joulemark(dir, ["bench", "true", "nosuchcommand"]).code, 127);
  assertEquals(joulemark(dir, ["bench"]).code, 2);
  assertEquals(joulemark(dir, ["bench", "--metric", "enrgy", "true", "true"]).code, 2);
});

/** Starts a benchmark, and has the end of it. */
function benchmark(dir: string, args: string[]) {
  const process = new Deno.Command(BINARY, {
    args: [...SIMULATE, "-q", ...args],
    cwd: dir,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  return { process, output: process.output() };
}

endToEnd("bench checks its outputs and options before the first run", (dir) => {
  Deno.writeTextFileSync(`${dir}/file`, "");
  const commands = ["touch ran", "true"];
  for (
    const [options, words] of [
      [
        ["-o", "nosuch/out.txt"],
        /^joulemark bench: cannot write "nosuch\/out\.txt": no such directory/i,
      ],
      [["--dir", "file/d"], /^joulemark bench: cannot make "file\/d": not a directory/i],
      [["--precision", "0"], /--precision 0": expected per cent above 0/],
      [["--metric", "region:"], /unknown region/],
      [["--metric", "enrgy"], /enrgy/],
    ] as const
  ) {
    const { code, stdout, stderr } = joulemark(dir, [...SIMULATE, ...options, ...commands]);
    assert(code !== 0, stdout);
    assertMatch(stderr, words);
    assertEquals(stderr.trim().split("\n").length, 1, stderr);
    assert(![...Deno.readDirSync(dir)].some(({ name }) => name === "ran"), options.join(" "));
  }
  // A region is known after one run.
  const out = joulemark(dir, [...SIMULATE, "--metric", "region:solve", "echo >>ran", "true"]);
  assertEquals([out.code, Deno.readTextFileSync(`${dir}/ran`)], [2, "\n"], out.stderr);
  assertMatch(out.stderr, /solve/);
});

endToEnd("bench cleans up after a failure and after a signal, too", async (dir) => {
  const cleanup = ["--cleanup", "touch cleaned"];
  const isCleaned = () => {
    const found = [...Deno.readDirSync(dir)].some(({ name }) => name === "cleaned");
    if (found) Deno.removeSync(`${dir}/cleaned`);
    return found;
  };
  assertEquals(joulemark(dir, [...SIMULATE, ...cleanup, "true", "false"]).code, 1);
  assert(isCleaned());
  for (const [signal, status] of [["SIGTERM", 143], ["SIGINT", 130]] as const) {
    const { process, output } = benchmark(dir, [...cleanup, "touch begun; sleep 30", "true"]);
    const hasBegun = () => [...Deno.readDirSync(dir)].some(({ name }) => name === "begun");
    while (!hasBegun()) await new Promise((wait) => setTimeout(wait, 50));
    Deno.removeSync(`${dir}/begun`);
    process.kill(signal);
    const { code, stderr } = await output;
    assertEquals(code, status);
    assertMatch(new TextDecoder().decode(stderr), new RegExp(`bench: ended by ${signal}`));
    assert(isCleaned(), signal);
  }
});

endToEnd("bench runs what it is asked to run around the commands, and options of a run", (dir) => {
  const out = joulemark(dir, [
    ...[
      ...SIMULATE,
      "-q",
      "-r",
      "2",
      "--dir",
      "d",
      "--trace",
      "t.trace",
      "--setup",
      "echo s >>log",
    ],
    ...[
      "--prepare",
      "echo p >>log",
      "--cleanup",
      "echo c >>log",
      "sleep 0.1; echo A >>log",
      "sleep 0.1; echo B >>log",
    ],
  ]);
  // Two blocks are too few for a verdict.
  assertEquals([out.code, out.stderr], [2, ""]);
  assertStringIncludes(out.stdout, "not enough runs for a verdict, 2 of at least 3");
  const log = Deno.readTextFileSync(`${dir}/log`).split("\n").join("");
  assertMatch(log, /^sspApB(pApB|pBpA){2}c$/);
  const names = [...Deno.readDirSync(`${dir}/d`)].map(({ name }) => name);
  for (const name of ["A-1-t.trace", "B-2-t.trace"]) assert(names.includes(name), names.join());
});

endToEnd("{run} may stand before a command, in words and in a shell's text", (dir) => {
  const commands = ["{run} sleep 0.1", "env X=1 {run} sleep 0.1", "X=1 {run} sleep 0.1 >/dev/null"];
  const out = joulemark(dir, [...SIMULATE, "-q", "-r", "1", "-w", "0", "--dir", "d", ...commands]);
  assertEquals([out.code, out.stderr], [2, ""]);
  const names = [...Deno.readDirSync(`${dir}/d`)].map(({ name }) => name).filter((name) =>
    name.endsWith(".report")
  ).sort();
  assertEquals(names, ["A-1.report", "B-1.report", "C-1.report"]);
  for (const name of names) {
    assertMatch(Deno.readTextFileSync(`${dir}/d/${name}`), /^Profile: "sleep"$/m);
  }
  // A setup may make what is run.
  const made = ["--setup", "ln -sf /bin/sleep a", "--dir", "e", "./a 0.1", "./a 0.1"];
  const setUp = joulemark(dir, [...SIMULATE, "-q", "-r", "1", ...made]);
  assertStringIncludes(setUp.stdout, "not enough runs for a verdict", setUp.stderr);
});

endToEnd("run --repeat runs a command several times, and has mean and deviation", (dir) => {
  const args = ["run", "--repeat", "3", "--simulate", "--report", "lu.report"];
  const out = joulemark(dir, [...args, "--", "sh", "-c", "sleep 0.1; echo run >>log"]);
  assertEquals(out.code, 0, out.stderr);
  assertStringIncludes(out.stdout, "; mean ± standard deviation of a run\n");
  assertMatch(out.stdout, /^3 runs of sh -c /);
  assertMatch(out.stdout, /^energy of (node|package)/m);
  // Some of these runs are shorter than the update period of the node's counter.
  const brief = ["run", "--repeat", "5", "--simulate", "--report", "brief.report"];
  const short = joulemark(dir, [...brief, "--", "sleep", "0.05"]);
  assertEquals(short.code, 0, short.stderr);
  assertMatch(short.stdout, /^A +sleep 0\.05 +\d+(\.\d+)? ± .* 5$/m);
  assert(!short.stderr.includes("Not comparable"), short.stderr);
  assertEquals(Deno.readTextFileSync(`${dir}/log`), "run\nrun\nrun\n");
  const rows = rowsOf(dir, "lu").filter(({ path, component }) => path === "/" && !component);
  assertEquals(rows.map(({ run }) => run), ["A1", "A2", "A3"]);
  const failed = joulemark(dir, ["run", "--repeat=2", "--simulate", "--", "false"]);
  assertEquals(failed.code, 1, failed.stdout);
  assert(failed.stderr.endsWith('run 1 of "false" ended with status 1\n'), failed.stderr);
  const seven = ["run", "--repeat=2", "--simulate", "--", "sh", "-c", "exit 7"];
  assertEquals(joulemark(dir, seven).code, 7);
  assertEquals(joulemark(dir, ["run", "--repeat", "0", "--", "true"]).code, 2);
});
