/** `run --probe`: functions of programs that mark nothing, by the kernel's probes. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { endToEnd, joulemark } from "../_support/programs.ts";
import { compile, needing, preloadedOptions, works } from "../_support/preload.ts";
import { userIn } from "../_support/plain_user.ts";
import { bestOf } from "../_support/tries.ts";

/** Where perf allows: uprobes in the kernel, and the right to place them. */
const MAY_PROBE = works(
  "test -d /sys/bus/event_source/devices/uprobe && " +
    "{ test $(id -u) = 0 || test $(cat /proc/sys/kernel/perf_event_paranoid) -lt 0; }",
);
const COMPILER = works("c++ --version");

interface Row {
  region: string;
  depth: number;
  track: string;
  count: number;
  "runtime (s)": number;
}

interface Tree {
  processes: number;
  rows: Row[];
}

needing(
  "uprobes or C++ compiler",
  MAY_PROBE && COMPILER,
  "run --probe: calls of functions are regions, in threads and children, whatever leaves them",
  (dir) => {
    compile(dir, "c++ -O2 -foptimize-sibling-calls -pthread -o app PROGRAMS/probed.cpp");
    const names = ["solve", "inner", "throws", "jumps", "goes_on", "last", "recursive", "leaves"];
    const probes = names.map((name) => `./app:${name}`).join();
    bestOf(3, () => {
      const { stdout, host, report } = preloadedOptions(dir, ["--probe", probes], ["./app"]);
      assertMatch(stdout, /^\d+ \d\.\d+\n$/);
      const { rows, processes } = host.joulemark?.tree as unknown as Tree;
      assertEquals(processes, 2);
      // Means over processes.
      const count = (name: string) =>
        2 * rows.filter(({ region }) => region === name).reduce((sum, { count }) => sum + count, 0);
      // Four and one of the child's; within those, six that throw, and five of a thread.
      assertEquals(count("solve"), 5);
      assertEquals(count("inner"), 15 + 6 + 5);
      // What an exception or a long jump leaves counts once.
      assertEquals(count("throws"), 6);
      assertEquals(count("jumps"), 3);
      assertEquals([count("goes_on"), count("last"), count("recursive")], [1, 1, 4]);
      assertEquals(count("leaves"), 2);
      assert(rows.every(({ track }) => track === "probe"));
      // One calls the other at its end: none is within the other.
      assertEquals(rows.find(({ region }) => region === "last")?.depth, 0);
      assertEquals(rows.filter(({ region }) => region === "recursive").length, 4);
      assert(!report.includes("mistakes:"), report.slice(-2000));
      const took = Number(stdout.split(" ")[1]) / 4 * 5;
      const seconds = 2 * rows.find(({ region }) => region === "solve")!["runtime (s)"];
      // The child's is in it too; the clocks are read in the functions' callers.
      assert(Math.abs(seconds - took) < 0.05 * took, `${seconds} and ${took} s`);
    });
  },
);

needing(
  "uprobes or C++ compiler",
  MAY_PROBE && COMPILER,
  "run --probe takes patterns, functions of libraries, and marks beside",
  (dir) => {
    compile(dir, "c++ -O2 -pthread -o app PROGRAMS/probed.cpp");
    const out = preloadedOptions(dir, ["--probe", "./app:s*e,./app:las*"], ["./app"]);
    assertEquals(Object.keys(out.counts).sort(), ["last", "solve"]);
    // A library's, in a program that was there before; with what the program marks itself.
    compile(dir, "cc -O2 -o app2 PROGRAMS/mixed_probe.c");
    const both = preloadedOptions(dir, ["--preload", "geopm", "--probe", "libc.so.6:qsort_r"], [
      "./app2",
    ]);
    const { rows } = both.host.joulemark?.tree as unknown as Tree;
    assertEquals(rows.map(({ region, depth, count }) => [region, depth, count]), [
      ["outer", 0, 2],
      ["qsort_r", 1, 6],
    ]);
  },
);

needing(
  "uprobes or C++ compiler",
  MAY_PROBE && COMPILER,
  "run --probe FILE:PROVIDER:POINT: points for tracers, in pairs, alone and behind a semaphore",
  (dir) => {
    compile(dir, "cc -O2 -o app PROGRAMS/points.c");
    bestOf(3, () => {
      const { stdout, host, report } = preloadedOptions(dir, ["--probe", "./app:heat:*"], [
        "./app",
      ]);
      const [listens, took] = stdout.split(" ").map(Number);
      const { rows } = host.joulemark?.tree as unknown as Tree;
      assertEquals(rows.map(({ region, track, count }) => [region, track, count]).sort(), [
        ["heat:rare", "usdt", 12],
        ["heat:step", "usdt", 12],
      ]);
      assertEquals([listens, Number(rows.find((r) => r.region === "heat:rare")!["runtime (s)"])], [
        ...[1, 0],
      ]);
      const seconds = rows.find(({ region }) => region === "heat:step")!["runtime (s)"];
      assert(Math.abs(seconds - took) < 0.01 * took, `${seconds} and ${took} s`);
      assert(!report.includes("mistakes:"), report.slice(-2000));
    });
    // A point that nobody asks for stays as it is, and a pair may be named.
    const pair = ["--probe", "./app:heat:step__start..step__done"];
    const out = preloadedOptions(dir, pair, ["./app"]);
    assertEquals([out.counts, out.stdout.split(" ")[0]], [{ "heat:step": 12 }, "0"]);
    const wrong = joulemark(dir, ["run", "--probe", "./app:heat:stop", "--", "./app"]);
    assertEquals(wrong.code, 2);
    assertMatch(wrong.stderr, /expected a static trace point in this file, found none/);
  },
);

needing(
  "uprobes or C++ compiler",
  MAY_PROBE && COMPILER,
  "run --probe takes names of C++ as people write them, overloads together",
  (dir) => {
    for (const kind of ["-pie -fPIE", "-no-pie"]) {
      compile(dir, `c++ -O2 ${kind} -o app PROGRAMS/plain_names.cpp`);
      const functions = ["Solver::Solver", "Solver::~Solver", "Solver::step"]
        .map((name) => `./app:heat::${name}`);
      const out = preloadedOptions(dir, ["--probe", functions.join()], ["./app"]);
      assertEquals(out.counts, {
        "heat::Solver::Solver": 1,
        "heat::Solver::~Solver": 1,
        "heat::Solver::step": 6,
      }, kind);
      const all = preloadedOptions(dir, ["--probe", "./app:heat::*wait"], ["./app"]);
      assertEquals(all.counts, { "heat::Solver::wait": 8 }, kind);
    }
    compile(dir, "strip -o bare app");
    const out = joulemark(dir, ["run", "--probe", "./bare:heat::Solver::step", "--", "./bare"]);
    assertEquals(out.code, 2);
    assertEquals(out.stderr.trimEnd().split("\n").length, 1, out.stderr);
  },
);

endToEnd("run --probe refuses what is not there in one line", (dir) => {
  Deno.writeTextFileSync(`${dir}/text`, "no program");
  for (
    const [value, found] of [
      ["app", "no colon"],
      ["./nowhere:solve", "no such file"],
      ["./text:solve", "no ELF file"],
      ["libc.so.6:qsrt", "did you mean qsort?"],
    ]
  ) {
    const out = joulemark(dir, ["run", "--probe", value, "--", "true"]);
    assertEquals(out.code, 2, value);
    assertStringIncludes(out.stderr, found);
    assertEquals(out.stderr.trimEnd().split("\n").length, 1, out.stderr);
  }
});

needing(
  "setpriv(1), or not root",
  Deno.uid() !== 0 || works("setpriv --reuid 65534 true"),
  "run --probe: where perf allows none the command runs, and one line says why",
  (dir) => {
    const out = userIn(dir).joulemark([
      ...["run", "-q", "--simulate", "--probe", "libc.so.6:qsort_r", "--"],
      ...["sh", "-c", "echo ran; exit 3"],
    ]);
    assertEquals([out.code, out.stdout], [3, "ran\n"], out.stderr);
    assertMatch(out.stderr, /no probes: .+\. The command runs without probes/);
  },
);
