/** Samples beside those of `perf record --call-graph dwarf` in one run: the same stacks, as often. */
import { assert } from "@std/assert";
import { readFolded } from "../_support/folded.ts";
import { PROGRAMS } from "../_support/function_ways.ts";
import { BINARY, endToEnd } from "../_support/programs.ts";
import { succeeds, unless } from "../_support/skipped.ts";

const LIMIT_S = 120, HZ = 997;
/** Errors of sampling that shares may differ by, and what perf and joulemark see at begin and end. */
const ERRORS = 4, EDGES = 0.02;
/** Stacks with less of the time are too rare for a comparison. */
const SHARE_LEAST = 0.03;
/** Share of stacks with frames without a name: a sample of execve(2) is in a program that is gone. */
const UNKNOWN_MOST = 0.05;
const NO_PERF = unless(
  succeeds("perf", "record", "-o", "/dev/null", "-e", "cpu-clock:u", "true"),
  "perf record is not allowed, or there is none",
);

/** Samples by stack, the process left out: the innermost function last. */
type Stacks = Map<string, number>;

/** Stacks of `perf script`: lines of a sample are the innermost function first. */
function perfStacks(text: string): Stacks {
  const out: Stacks = new Map();
  for (const sample of text.split("\n\n")) {
    const [name, ...lines] = sample.trim().split("\n");
    if (name?.trim() !== "app") continue;
    const frames = lines.map((line) =>
      line.trim().replace(/^[0-9a-f]+ /, "").replace(/[@(].*$/, "")
    );
    const key = frames.reverse().join(";");
    out.set(key, (out.get(key) ?? 0) + 1);
  }
  return out;
}

/** Stacks of the application itself, without the kernel's part. */
function ownStacks(path: string): Stacks {
  const out: Stacks = new Map();
  for (const { frames: [name, ...frames], samples } of readFolded(path)) {
    if (name !== "app") continue;
    const key = frames.filter((frame) => !/_\[k\]$|^\[kernel/.test(frame)).join(";");
    out.set(key, (out.get(key) ?? 0) + samples);
  }
  return out;
}

function total(stacks: Stacks): number {
  return stacks.values().reduce((sum, count) => sum + count, 0);
}

/** Samples with a stack of perf's, which knows no name of some frames. */
function samplesOf(own: Stacks, stack: string): number {
  const names = stack.split(";");
  const isAlike = (other: string[]) =>
    other.length === names.length &&
    names.every((name, i) => name === "[unknown]" || name === other[i]);
  return [...own].reduce((sum, [key, count]) => isAlike(key.split(";")) ? sum + count : sum, 0);
}

const BUILDS: Readonly<Record<string, string>> = {
  "functions and their callers": "cc -O2 -g -o app PROGRAMS/shares.c",
  "a stripped program": "cc -O2 -g -o app PROGRAMS/shares.c && objcopy --strip-debug app",
  "frame pointers": "cc -O2 -fno-omit-frame-pointer -o app PROGRAMS/shares.c",
  "a program at a fixed address": "cc -O2 -no-pie -o app PROGRAMS/shares.c",
  "recursion": "cc -O1 -o app PROGRAMS/recursion.c",
  "threads": "cc -O2 -pthread -o app PROGRAMS/threads.c",
  "members of C++ classes": "c++ -O2 -o app PROGRAMS/shares.cpp",
  "a signal's handler": "cc -O2 -o app PROGRAMS/signals.c",
};

for (const [name, build] of Object.entries(BUILDS)) {
  endToEnd(
    `stacks are those of perf, as often: ${name}`,
    (dir) => {
      const shell = (script: string) => {
        const out = new Deno.Command("sh", { args: ["-c", script], cwd: dir }).outputSync();
        assert(out.success, new TextDecoder().decode(out.stderr));
        return new TextDecoder().decode(out.stdout);
      };
      shell(build.replaceAll("PROGRAMS/", PROGRAMS));
      const record = `perf record -q -F ${HZ} -e cpu-clock:u --call-graph dwarf,16384 -o perf.data`;
      const command = `${BINARY} run -q --functions=${HZ} --stack-bytes=16384 --folded f`;
      const script = `${command} -- ${record} ./app >/dev/null; test $? -le 3`;
      shell(script);
      const perf = perfStacks(
        shell("perf script -i perf.data -F comm,ip,sym --no-inline 2>/dev/null"),
      );
      const own = ownStacks(`${dir}/f`), perfs = total(perf), owns = total(own);
      assert(perfs > 100 && owns > 100, `${perfs} and ${owns} samples`);
      const shown = [...perf].filter(([, count]) => count >= SHARE_LEAST * perfs);
      assert(shown.length > 0, JSON.stringify([...perf]));
      for (const [stack, count] of shown) {
        const share = count / perfs, found = samplesOf(own, stack) / owns;
        const error = Math.sqrt(share * (1 - share) * (1 / perfs + 1 / owns));
        const text = `${stack}: ${share} by perf, ${found}\n${JSON.stringify([...own])}`;
        assert(Math.abs(found - share) <= ERRORS * error + EDGES, text);
      }
      const unknown = [...own].filter(([stack]) => stack.includes("[unknown]"));
      assert(total(new Map(unknown)) <= UNKNOWN_MOST * owns, JSON.stringify(unknown));
    },
    LIMIT_S,
    NO_PERF,
  );
}
