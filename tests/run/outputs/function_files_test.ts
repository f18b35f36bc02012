/** The report of functions, and their lines in the summary. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Frame, FunctionData } from "../../../src/profile/function_data.ts";
import { FRAME } from "../../../src/profile/profile.ts";
import { ROOT, StackTrie } from "../../../src/profile/stack_trie.ts";
import {
  type FunctionFileSources,
  writeFunctions,
} from "../../../src/run/outputs/function_files.ts";
import { functionFacts, functionLines } from "../../../src/show/analysis/summary_functions.ts";

/** Stacks as texts: `main;f_[g]`. The names of frames are addresses in a list. */
function dataOf(stacks: Readonly<Record<string, number>>): FunctionData {
  const trie = new StackTrie(), names: string[] = [];
  const process = trie.child(ROOT, FRAME.process, 0);
  const costs = Object.entries(stacks).map(([stack, samples]) => {
    const node = stack.split(";").reduce((parent, name) => {
      return trie.child(parent, 0, names.push(name) - 1);
    }, process);
    return { node, ns: samples * 5e6, samples, briefNs: 0 };
  });
  const samples = costs.reduce((sum, { samples }) => sum + samples, 0);
  const facts = { samples, frames: 100, guessedFrames: 20, lost: 0, cpuNs: samples * 5e6 };
  return {
    hz: 199,
    periodNs: 5e6,
    event: "cpu-clock",
    durationNs: 1e9,
    trie,
    costs,
    off: [],
    modules: [{ path: "/bin/app", buildId: "", isWithoutTable: true }],
    facts: facts as FunctionData["facts"],
    frames: (module, address): Frame[] => {
      const [, name, suffix] = /^(.*?)(_\[g\])?$/.exec(names[address]) ?? [];
      const frame = { suffix: suffix ?? "", module: 0, address, start: address };
      return [Object.assign(frame, { name: module === FRAME.process ? "app" : name })];
    },
  };
}

const sources = {
  run: { header: { version: "joulemark.1", profile: "app", startTime: "" } },
  paths: {},
  site: {},
} as unknown as FunctionFileSources;

Deno.test("a stack with a guessed frame is not complete, and the summary has the share of guesses", () => {
  const stacks = { "main;f": 60, "main;g_[g];h": 30, "[…];h": 10 };
  const { facts: report } = writeFunctions(dataOf(stacks), [], sources);
  assertEquals([report["complete (%)"], report["guessed frames (%)"]], [60, 20]);
  const lines = functionLines(
    functionFacts([report])!,
    { width: 80, ascii: false, color: false },
    undefined,
  );
  assertMatch(
    lines.at(-1)!,
    /^100 samples at 199 Hz; stacks 60 % complete, 20 % of frames guessed$/,
  );
});

Deno.test("the report lists 200 functions, and says how many it does not", () => {
  const names = Array.from({ length: 250 }, (_, i) => [`f${i}`, 1]);
  const { facts: report } = writeFunctions(dataOf(Object.fromEntries(names)), [], sources);
  assertEquals((report.list as unknown[]).length, 201);
  assertEquals(report["functions not listed"], 50);
  const lines = functionLines(
    functionFacts([report])!,
    { width: 80, ascii: false, color: false },
    undefined,
  );
  assertMatch(lines[11], /^\(240 more functions\) +1.20 s +96.0 %$/);
});

Deno.test("the summary counts no functions that only call others", () => {
  const callers = Array.from({ length: 250 }, (_, i) => `caller${i}`).join(";");
  const { facts: report } = writeFunctions(dataOf({ [`${callers};f`]: 60 }), [], sources);
  const look = { width: 80, ascii: false, color: false };
  const lines = functionLines(functionFacts([report])!, look, undefined);
  assertEquals(lines.map((line) => line.split(/ {2,}/)[0]), [
    "function",
    "f",
    "60 samples at 199 Hz; stacks 100 % complete, 20 % of frames guessed",
  ]);
});

Deno.test("the page has the stacks with most time, however long their names are", () => {
  const long = (i: number) => `Nest<${"std::vector<double>, ".repeat(100)}${i}>`;
  const stacks = Object.fromEntries(Array.from({ length: 400 }, (_, i) => [
    Array.from({ length: 10 }, (_, depth) => long(10 * i + depth)).concat(`f${i}`).join(";"),
    1000 - i,
  ]));
  const { tree: { name, parent } } = writeFunctions(dataOf(stacks), [], sources);
  const leaves = name.filter((one) => /^f\d+$/.test(one));
  assert(leaves.length > 100, `${leaves.length} stacks`);
  assertEquals(leaves, Array.from(leaves, (_, i) => `f${i}`));
  assert(parent.every((above, i) => above < i));
});
