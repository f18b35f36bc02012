/**
 * What a run costs grows as its names, threads and call paths do, and no faster: by CPU time of all its
 * processes, which a busy machine stretches but not fourfold. Four times as much quadratic work is 16
 * times, so there is room between the two.
 */
import { assert } from "@std/assert";
import { cpuTimeOf } from "../_support/cpu_time.ts";
import { BINARY, build, endToEnd } from "../_support/programs.ts";
import { bestOf } from "../_support/tries.ts";

const TIMES = 4;
/** Half way, by factors, between what is linear and what is quadratic: 4 and 16. */
const MOST = 8;
/** Less than this is nothing to compare: CPU s. */
const LEAST_S = 0.1;

function grows(
  what: string,
  program: string,
  { args, some, options = [] }: {
    args: (count: number) => string[];
    some: number;
    options?: string[];
  },
): void {
  endToEnd(`what a run costs grows as ${what}, and no faster`, (dir) => {
    const app = build(program, dir);
    const run = [BINARY, "run", "-q", "--simulate", ...options, "--", app];
    holdLinear(some, (count) => cpuTimeOf(dir, [...run, ...args(count)]).seconds);
  }, 200);
}

/** @param cost CPU seconds of so many. */
function holdLinear(some: number, cost: (count: number) => number): void {
  bestOf(3, () => {
    const base = cost(1);
    const few = Math.max(LEAST_S, cost(some) - base), many = cost(TIMES * some) - base;
    const text = `${some}: ${few.toFixed(2)} s, ${TIMES} times as many: ${many.toFixed(2)} s`;
    assert(many < MOST * few, text);
    console.log(text);
  });
}

grows("names", "many_names", { args: (count) => [String(count), "0.3"], some: 25_000 });
grows("call paths of a channel", "many_names", {
  args: (count) => [String(count), "0.3"],
  some: 6000,
  options: ["--cali-config", "runtime-report,output=report.txt"],
});
grows("threads", "many_threads", {
  args: (count) => [String(count), "20", "1"],
  some: 5000,
});

// A recording does not tell where threads end: all of them are there until the process ends.
endToEnd("what a replay costs grows as threads, and no faster", (dir) => {
  const app = build("many_threads", dir);
  const recorded = (count: number) => {
    const recording = `${dir}/recording-${count}`;
    cpuTimeOf(dir, [
      BINARY,
      "run",
      "-q",
      "--record",
      recording,
      "--",
      app,
      String(count),
      "10",
      "4",
    ]);
    return recording;
  };
  const some = 5000;
  const recordings = new Map([1, some, TIMES * some].map((count) => [count, recorded(count)]));
  holdLinear(some, (count) => {
    return cpuTimeOf(dir, [BINARY, "replay", "-q", recordings.get(count)!]).seconds;
  });
}, 200);
