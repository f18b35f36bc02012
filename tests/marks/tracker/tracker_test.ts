import { assertEquals } from "@std/assert";
import { EVENT_NAMES } from "../../../src/core/record.ts";
import { RegionTracker, type TrackerOptions } from "../../../src/marks/tracker/tracker.ts";

const COMPUTE = 2;
const IO = 5;

function node(cpus: number, options: Partial<TrackerOptions> = {}): RegionTracker {
  return new RegionTracker({ topology: { count: () => cpus }, ...options });
}

/** Region names by CPU, `-` outside all, `.` on CPUs of no process. */
function shown(tracker: RegionTracker): string {
  const { used, region } = tracker.cpus;
  return Array.from(region, (r, cpu) => used[cpu] === 0 ? "." : r < 0 ? "-" : tracker.table.name(r))
    .join(" ");
}

/** Changes of region on CPUs: `time CPUs region`; `-` outside all. CPUs that are given up change nothing. */
function edges(tracker: RegionTracker): string[] {
  const lines: string[] = [];
  tracker.pathCpus.listener = (t, cpus, path) => {
    if (path >= 0) lines.push(`${t} ${[...cpus]} ${path > 0 ? tracker.paths.name(path) : "-"}`);
  };
  return lines;
}

/** Records of the last step without starts: `time event visits×seconds`. */
function records(tracker: RegionTracker): string[] {
  const { records } = tracker;
  const lines: string[] = [];
  for (let i = 0; i < records.length; i++) {
    const name = EVENT_NAMES[records.event[i]].replace(/^EVENT_|^REGION_/, "");
    if (name === "START_PROFILE" || name === "AFFINITY") continue;
    const folded = records.visits[i] > 0
      ? ` ${records.visits[i]}×${(records.totalNs[i] * 1e-9).toFixed(3)}`
      : "";
    lines.push(`${tracker.sinceZero(records.timeNs[i])} ${records.process[i]} ${name}${folded}`);
  }
  return lines;
}

Deno.test("step() folds visits within a window into one record at the first entry's place", () => {
  const tracker = node(1);
  const p = tracker.start(0, 7, [0]);
  const [a, b] = ["a", "b"].map((name) => tracker.region(0, p, name, COMPUTE));
  for (const [t, region] of [[1, a], [2, b], [3, a]]) {
    tracker.enter(t, p, region, -1, 0);
    tracker.exit(t + 0.25, p, region, 0);
  }
  tracker.step(4);
  assertEquals(records(tracker), ["1 7 SHORT_REGION 2×0.500", "2 7 SHORT_REGION 1×0.250"]);
});

Deno.test("step() keeps entry and exit of a visit over two windows", () => {
  const tracker = node(1);
  const p = tracker.start(0, 7, [0]);
  const a = tracker.region(0, p, "a", COMPUTE);
  tracker.enter(1, p, a, -1, 0);
  tracker.step(2);
  assertEquals(records(tracker), ["1 7 ENTRY"]);
  tracker.exit(3, p, a, 0);
  tracker.enter(3.25, p, a, -1, 0);
  tracker.exit(3.5, p, a, 0);
  tracker.step(4);
  // The exit's entry was told before, so the next visit begins a record of its own.
  assertEquals(records(tracker), ["3 7 EXIT", "3.25 7 SHORT_REGION 1×0.250"]);
});

Deno.test("step() folds the exit of a visit whose entry was swallowed by folding", () => {
  const tracker = node(1);
  const p = tracker.start(0, 7, [0]);
  const a = tracker.region(0, p, "a", COMPUTE);
  tracker.enter(1, p, a, -1, 0);
  tracker.exit(1.5, p, a, 0);
  tracker.enter(1.75, p, a, -1, 0);
  tracker.step(2);
  assertEquals(records(tracker), ["1 7 SHORT_REGION 1×0.500"]);
  tracker.step(3);
  assertEquals(records(tracker), []);
  tracker.exit(4, p, a, 0);
  tracker.enter(4.5, p, a, -1, 0);
  tracker.exit(4.75, p, a, 0);
  tracker.step(5);
  assertEquals(records(tracker), ["4 7 SHORT_REGION 2×2.500"]);
  assertEquals(tracker.regions()[0].count, 3);
  assertEquals(tracker.regions()[0].runtimeS, 3);
});

Deno.test("shortVisits() adds what the ring folded to the window's record", () => {
  const tracker = node(1);
  const p = tracker.start(0, 7, [0]);
  const a = tracker.region(0, p, "a", COMPUTE);
  tracker.shortVisits(1, p, a, 1000, 0.5, 0);
  tracker.enter(1.5, p, a, -1, 0);
  tracker.exit(1.75, p, a, 0);
  tracker.step(2);
  assertEquals(records(tracker), ["1 7 SHORT_REGION 1001×0.750"]);
  assertEquals(tracker.foldedVisits, 1000);
  assertEquals(tracker.regions()[0].count, 1001);
});

Deno.test("shortVisits() of another track are that track's in the tree, and one region in the totals", () => {
  const tracker = node(1);
  const p = tracker.start(0, 7, [0]);
  const a = tracker.region(0, p, "a", COMPUTE);
  tracker.shortVisits(1, p, a, 3, 0.5, 0);
  tracker.shortVisits(1, p, a, 4, 0.25, 0, tracker.track("nvtx"));
  tracker.shortVisits(1, p, a, 1, 0.125, 0);
  tracker.step(2);
  const { paths, regionPaths: { stats } } = tracker;
  const told = [1, 2].map((path) => [paths.track(path), stats.count[path], stats.sumNs[path]]);
  assertEquals(told, [["", 4, 0.625e9], ["nvtx", 4, 0.25e9]]);
  assertEquals(tracker.regions()[0].count, 8);
});

Deno.test("enter() inside a region only changes the hint, exit() brings the outer one back", () => {
  const tracker = node(2);
  const p = tracker.start(0, 7, [0, 1]);
  const outer = tracker.region(0, p, "outer", COMPUTE);
  const inner = tracker.region(0, p, "inner", IO);
  tracker.enter(1, p, outer, -1, 0);
  tracker.enter(2, p, inner, -1, 0);
  tracker.step(2.5);
  assertEquals([shown(tracker), tracker.cpus.hint[1]], ["outer outer", IO]);
  tracker.exit(3, p, inner, 0);
  tracker.step(3.5);
  assertEquals([shown(tracker), tracker.cpus.hint[1]], ["outer outer", COMPUTE]);
  tracker.exit(4, p, outer, 0);
  tracker.step(4.5);
  assertEquals([shown(tracker), tracker.cpus.hint[1]], ["- -", 0]);
  assertEquals(tracker.regions().map((r) => [r.name, r.count]), [["outer", 1], ["inner", 0]]);
});

Deno.test("refused calls are counted and change nothing", () => {
  const tracker = node(1);
  const p = tracker.start(0, 7, [0]);
  const a = tracker.region(0, p, "a", COMPUTE);
  const b = tracker.region(0, p, "b", COMPUTE);
  assertEquals(tracker.region(0, p, "c", 11), -1);
  tracker.exit(1, p, a, 0);
  tracker.enter(2, p, a, -1, 0);
  tracker.exit(3, p, b, 0);
  tracker.epoch(4, p, 2);
  tracker.epoch(5, p, 1);
  tracker.enter(6, p, 99, -1, 0);
  tracker.enter(7, 99, a, -1, 0);
  tracker.step(8);
  assertEquals(shown(tracker), "a");
  assertEquals(tracker.cpus.epoch[0], 2);
  assertEquals(
    tracker.refused.map((r) => [r.kind, r.at, r.count]),
    [
      ["region with a hint out of range", 7, 1],
      ["exit without entry", 7, 1],
      ["exit of another region than entered", 7, 1],
      ["epoch that steps back", 7, 1],
      ["enter of an unknown region", 7, 1],
      ["call of a process that is not connected", -1, 1],
    ],
  );
});

Deno.test("a clock that steps back is held, and is counted", () => {
  const tracker = node(1);
  const p = tracker.start(10, 7, [0]);
  const a = tracker.region(10, p, "a", COMPUTE);
  tracker.enter(12, p, a, -1, 0);
  tracker.exit(11, p, a, 0);
  tracker.step(13);
  assertEquals(tracker.regions()[0].runtimeS, 0);
  assertEquals(tracker.refused[0].kind, "time that steps back");
});

Deno.test("threads with regions of their own set the CPUs they are bound to", () => {
  const tracker = node(4);
  const p = tracker.start(0, 7, [0, 1, 2, 3]);
  const [main, work, deep] = ["main", "work", "deep"].map((n) => tracker.region(0, p, n, COMPUTE));
  tracker.threadCpus(0, p, 71, [1]);
  tracker.threadCpus(0, p, 72, [2]);
  tracker.enter(1, p, main, -1, 0);
  tracker.enter(2, p, work, -1, 71);
  tracker.enter(2, p, work, -1, 72);
  tracker.enter(3, p, deep, -1, 72);
  tracker.step(3.5);
  assertEquals(shown(tracker), "main work work main");
  tracker.exit(4, p, deep, 72);
  tracker.exit(4, p, work, 72);
  tracker.step(4.5);
  assertEquals(shown(tracker), "main work main main");
  tracker.exit(5, p, main, 0);
  tracker.step(5.5);
  assertEquals(shown(tracker), "- work - -");
  tracker.exit(6, p, work, 71);
  tracker.step(6.5);
  assertEquals(shown(tracker), "- - - -");
  const totals = Object.fromEntries(tracker.regions().map((r) => [r.name, [r.count, r.runtimeS]]));
  assertEquals(totals, { main: [1, 4], work: [2, 6], deep: [0, 0] });
  const [t71, t72] = tracker.process(p).threads;
  const visits = new Float64Array(2);
  for (const track of [t71, t72]) track.addTotals(visits, new Float64Array(2));
  assertEquals([t71.id, visits[work]], [71, 2]);
});

Deno.test("among processes that share a CPU the last writer wins", () => {
  const tracker = node(2);
  const p = tracker.start(0, 7, [0, 1]);
  const q = tracker.start(0, 8, [1]);
  const [a, b] = ["a", "b"].map((name) => tracker.region(0, p, name, COMPUTE));
  tracker.enter(1, q, b, COMPUTE, 0);
  tracker.enter(2, p, a, -1, 0);
  tracker.step(2.5);
  assertEquals(shown(tracker), "a a");
  tracker.exit(3, q, b, 0);
  tracker.step(3.5);
  assertEquals(shown(tracker), "a -");
});

Deno.test("a process that dies leaves its region, and its open visit uncounted", () => {
  const tracker = node(2);
  const p = tracker.start(0, 7, [0]);
  const q = tracker.start(0, 8, [1]);
  const a = tracker.region(0, p, "a", COMPUTE);
  tracker.enter(1, p, a, -1, 0);
  tracker.died(2, p);
  tracker.enter(1, q, a, COMPUTE, 0);
  tracker.exit(3, q, a, 0);
  tracker.shutdown(4, q);
  tracker.step(5);
  assertEquals(shown(tracker), "- -");
  assertEquals(tracker.regions().map((r) => [r.count, r.runtimeS]), [[0.5, 1]]);
  assertEquals(tracker.processes().map((s) => [s.pid, s.end, s.openRegion]), [
    [7, "died", "a"],
    [8, "shutdown", undefined],
  ]);
  assertEquals(tracker.finished, true);
  // One never said that it stopped, so the application lasts to the last step.
  assertEquals(tracker.runtimeS, 5);
});

Deno.test("means divide by every process that ever connected", () => {
  const tracker = node(1);
  for (let i = 0; i < 4; i++) {
    const p = tracker.start(i, 100 + i, [0]);
    const a = tracker.region(i, p, "a", COMPUTE);
    if (i < 3) {
      tracker.enter(i + 0.1, p, a, -1, 0);
      tracker.exit(i + 0.6, p, a, 0);
    }
    tracker.shutdown(i + 0.9, p);
    tracker.step(i + 0.95);
  }
  assertEquals(tracker.regions()[0].count, 0.75);
  assertEquals(tracker.regions()[0].runtimeS, 0.375);
  assertEquals(tracker.runtimeS, 3.9);
});

Deno.test("progress counts units on their CPU and ends with the region", () => {
  const tracker = node(2);
  const p = tracker.start(0, 7, [0, 1]);
  const a = tracker.region(0, p, "a", COMPUTE);
  const progress = () =>
    [0, 1].map((cpu) => tracker.cpus.unitsDone[cpu] / tracker.cpus.unitsTotal[cpu]);
  tracker.enter(1, p, a, -1, 0);
  tracker.tprofInit(1, p, 1); // nothing to share
  assertEquals(progress(), [NaN, NaN]);
  tracker.tprofInit(1, p, 4);
  for (const cpu of [0, 1, 1]) tracker.tprofPost(2, p, cpu);
  assertEquals(progress(), [0.25, 0.5]);
  tracker.exit(3, p, a, 0);
  assertEquals(progress(), [NaN, NaN]);
});

Deno.test("hint times grow by whole steps, under the hint at the step before", () => {
  const tracker = node(2);
  const p = tracker.start(0, 7, [0]);
  const a = tracker.region(0, p, "a", IO);
  const hintS = (hint: number) => tracker.cpus.hintNs[hint][0] * 1e-9;
  tracker.step(0);
  tracker.enter(0.9, p, a, -1, 0);
  tracker.step(1);
  assertEquals([hintS(0), hintS(IO)], [1, 0]);
  tracker.exit(1.1, p, a, 0);
  tracker.step(3);
  assertEquals([hintS(0), hintS(IO)], [1, 2]);
  assertEquals(tracker.cpus.used[1], 0);
});

Deno.test("EPOCH_COUNT of a CPU without epochs ends with its last process", () => {
  const tracker = node(2);
  const p = tracker.start(0, 7, [0]);
  const q = tracker.start(0, 8, [1]);
  tracker.epoch(1, q, 0);
  tracker.step(1);
  assertEquals([...tracker.cpus.epoch], [0, 1]);
  tracker.shutdown(2, p);
  tracker.shutdown(2, q);
  tracker.step(2);
  assertEquals([...tracker.cpus.epoch], [NaN, 1]);
});

Deno.test("a process that marks takes the place of the launched command", () => {
  const tracker = node(2);
  tracker.startCommand(1, 5, [0, 1]);
  tracker.step(1.5);
  assertEquals([shown(tracker), tracker.processCount, tracker.generation], ["- -", 1, 1]);
  assertEquals(records(tracker), []);
  const p = tracker.start(3, 6, [1]);
  tracker.step(3.5);
  assertEquals([shown(tracker), tracker.processCount, tracker.generation], [". -", 1, 2]);
  assertEquals(tracker.elapsedS, 0.5);
  tracker.shutdown(4, p);
  tracker.step(4.5);
  assertEquals(tracker.runtimeS, 1);
});

Deno.test("the launched command that marks by itself goes on from its launch", () => {
  const tracker = node(2);
  const command = tracker.startCommand(1, 5, [0, 1]);
  tracker.step(1.5);
  assertEquals(tracker.start(3, 5, [1]), command);
  tracker.step(3.5);
  assertEquals([shown(tracker), tracker.generation, tracker.elapsedS], [". -", 1, 2.5]);
  assertEquals(tracker.records.length, 2); // start, and the one CPU it has now
});

Deno.test("the paths of CPUs follow every change of region, CPU by CPU where threads share", () => {
  const tracker = node(2), found = edges(tracker);
  const p = tracker.start(0, 7, [0, 1]);
  const a = tracker.region(0, p, "a", COMPUTE);
  const b = tracker.region(0, p, "b", COMPUTE);
  tracker.threadCpus(0, p, 70, [1]);
  tracker.enter(1, p, a, -1, 0);
  tracker.enter(2, p, b, -1, 70);
  tracker.exit(3, p, b, 70);
  tracker.shutdown(4, p);
  assertEquals(found, ["0 0,1 -", "1 0,1 a", "2 1 b", "3 1 a", "4 0,1 -"]);
});

Deno.test("threads that are not bound have an equal part of the CPUs while they are in regions", () => {
  const tracker = node(4), found = edges(tracker);
  const p = tracker.start(0, 7, [0, 1, 2, 3]);
  const [a, b, c] = ["a", "b", "c"].map((name) => tracker.region(0, p, name, COMPUTE));
  tracker.enter(1, p, a, -1, 70);
  tracker.enter(2, p, b, -1, 71);
  // The mask is the process's.
  tracker.threadCpus(3, p, 72, [0, 1, 2, 3]);
  tracker.enter(3, p, c, -1, 72);
  tracker.enter(4, p, c, -1, 71);
  tracker.exit(5, p, a, 70);
  tracker.exit(6, p, c, 71);
  tracker.exit(7, p, b, 71);
  tracker.exit(8, p, c, 72);
  assertEquals(found, [
    "0 0,1,2,3 -",
    "1 0,1,2,3 a",
    "2 0,1 b",
    "3 0 c",
    "4 1 c",
    "5 2 c",
    "5 3 c",
    "6 1,3 b",
    "7 1 c",
    "7 3 c",
    "8 0,1,2,3 -",
  ]);
});

Deno.test("of more threads than CPUs the one that entered a region first gives way", () => {
  const tracker = node(2), found = edges(tracker);
  const p = tracker.start(0, 7, [0, 1]);
  const [all, a, b] = ["all", "a", "b"].map((name) => tracker.region(0, p, name, COMPUTE));
  tracker.enter(1, p, all, -1, 0);
  tracker.enter(2, p, a, -1, 70);
  tracker.enter(3, p, b, -1, 71);
  tracker.exit(4, p, a, 70);
  tracker.exit(5, p, b, 71);
  assertEquals(found, ["0 0,1 -", "1 0,1 all", "2 0 a", "3 1 b", "4 0 all", "5 1 all"]);
});

Deno.test("processes that are not bound have an equal part of the CPUs, and keep it when others begin or end", () => {
  const tracker = node(2), found = edges(tracker);
  const p = tracker.start(0, 7, [0, 1]), a = tracker.region(0, p, "a", COMPUTE);
  tracker.enter(1, p, a, -1, 0);
  const q = tracker.start(2, 8, [0, 1]), b = tracker.region(2, q, "b", COMPUTE);
  tracker.enter(3, q, b, -1, 0);
  tracker.enter(4, q, a, -1, 0);
  tracker.exit(5, p, a, 0);
  tracker.enter(6, p, a, -1, 0);
  tracker.shutdown(7, q);
  assertEquals(found, ["0 0,1 -", "1 0,1 a", "3 0 b", "4 0 a", "5 1 a", "6 0 a", "7 1 a"]);
});

Deno.test("the end of a child leaves the region that its parent began since", () => {
  const tracker = node(2), found = edges(tracker);
  const parent = tracker.start(0, 7, [0, 1]), child = tracker.start(1, 8, [0, 1]);
  const kid = tracker.region(1, child, "kid", COMPUTE);
  const dad = tracker.region(1, parent, "dad", COMPUTE);
  tracker.enter(1, child, kid, -1, 0);
  tracker.exit(2, child, kid, 0);
  tracker.enter(3, parent, dad, -1, 0);
  // It is noticed late.
  tracker.shutdown(4, child);
  tracker.step(5);
  assertEquals(shown(tracker), "dad dad");
  assertEquals(found.at(-1), "3 0,1 dad");
});

Deno.test("the paths of CPUs have nested regions, and the region around them when they end", () => {
  const tracker = node(2), found = edges(tracker);
  const p = tracker.start(0, 7, [0, 1]);
  const [a, b, c] = ["a", "b", "c"].map((name) => tracker.region(0, p, name, COMPUTE));
  tracker.threadCpus(0, p, 70, [1]);
  tracker.enter(1, p, a, -1, 0);
  tracker.enter(2, p, b, -1, 0);
  // CPU 1 shows the thread, which changes do not move that it does not show.
  tracker.enter(3, p, c, -1, 70);
  tracker.exit(4, p, b, 0);
  tracker.enter(5, p, b, -1, 0);
  tracker.exit(6, p, c, 70);
  tracker.exit(7, p, b, 0);
  assertEquals(found, [
    "0 0,1 -",
    "1 0,1 a",
    "2 0,1 b",
    "3 1 c",
    "4 0 a",
    "5 0 b",
    "6 1 b",
    "7 0,1 a",
  ]);
});

Deno.test("exit() ends the region of its own track, in any order of the tracks' ends", () => {
  const tracker = node(1);
  const p = tracker.start(0, 7, [0]);
  const [solve, kernel] = ["solve", "kernel"].map((name) => tracker.region(0, p, name, COMPUTE));
  const [caliper, roctx] = ["caliper", "roctx"].map((name) => tracker.track(name));
  tracker.enter(1, p, solve, -1, 0, caliper);
  tracker.enter(2, p, kernel, -1, 0, roctx);
  tracker.step(2.5);
  assertEquals(shown(tracker), "solve");
  tracker.exit(3, p, solve, 0, caliper);
  tracker.step(3.5);
  // The one begun earliest that is still open owns the CPU, and counts from there.
  assertEquals(shown(tracker), "kernel");
  assertEquals(records(tracker), ["3 7 EXIT", "3 7 ENTRY"]);
  tracker.exit(5, p, kernel, 0, roctx);
  tracker.step(6);
  assertEquals(shown(tracker), "-");
  assertEquals(tracker.regions().map((r) => [r.name, r.runtimeS, r.count]), [
    ["solve", 2, 1],
    ["kernel", 2, 1],
  ]);
  assertEquals(tracker.refusedCalls, 0);
});

Deno.test("exit() of an inner track leaves the hint of the latest that is open", () => {
  const tracker = node(1);
  const p = tracker.start(0, 7, [0]);
  const [a, b, c] = ["a", "b", "c"].map((n, i) => tracker.region(0, p, n, [COMPUTE, IO, 4][i]));
  const [one, two] = ["nvtx/one", "nvtx/two"].map((name) => tracker.track(name));
  const { track } = tracker.process(p);
  tracker.enter(1, p, a, -1, 0);
  tracker.enter(2, p, b, -1, 0, one);
  tracker.enter(3, p, c, -1, 0, two);
  assertEquals(track.hint, 4);
  tracker.exit(4, p, b, 0, one);
  assertEquals(track.hint, 4);
  tracker.exit(5, p, c, 0, two);
  assertEquals(track.hint, COMPUTE);
  tracker.exit(6, p, a, 0);
  assertEquals(tracker.regions().map((r) => r.count), [1, 0, 0]);
});

Deno.test("exit() finds the regions of a track that overlap: each counts", () => {
  const tracker = node(1);
  const p = tracker.start(0, 7, [0]);
  const [a, b] = ["a", "b"].map((name) => tracker.region(0, p, name, COMPUTE));
  const likwid = tracker.track("likwid");
  for (let t = 0; t < 40; t += 4) {
    tracker.enter(t, p, a, -1, 0, likwid);
    tracker.enter(t + 1, p, b, -1, 0, likwid);
    tracker.exit(t + 2, p, a, 0, likwid);
    tracker.exit(t + 3, p, b, 0, likwid);
  }
  tracker.step(41);
  assertEquals(tracker.regions().map((r) => [r.name, r.runtimeS, r.count]), [
    ["a", 20, 10],
    ["b", 10, 10],
  ]);
  // What is not open on the track is refused, whatever another one has open.
  tracker.enter(42, p, a, -1, 0);
  tracker.exit(43, p, a, 0, likwid);
  assertEquals(tracker.lastRefusal, "exit without entry");
  tracker.exit(44, p, a, 0);
  assertEquals(tracker.regions()[0].count, 11);
});

Deno.test("span() adds up what overlaps, and leaves the regions as they are", () => {
  const tracker = node(1);
  const p = tracker.start(0, 7, [0]);
  const a = tracker.region(0, p, "a", COMPUTE);
  tracker.enter(1, p, a, -1, 0);
  const span = (timeS: number, kind: "begin" | "end", id: number, name = "get", track = "") =>
    tracker.span(timeS, p, 0, { kind, id, name, track });
  span(2, "begin", 1);
  span(3, "begin", 2);
  span(3, "begin", 3, "get", "nvtx");
  span(5, "end", 1);
  tracker.exit(5, p, a, 0);
  span(7, "end", 2);
  span(8, "end", 3);
  span(8, "begin", 9, "never ended");
  span(9, "end", 3);
  assertEquals(tracker.lastRefusal, "end of a span that is not open");
  tracker.step(10);
  assertEquals(tracker.spans(), [
    { name: "get", track: "", count: 2, timeS: 7 },
    { name: "get", track: "nvtx", count: 1, timeS: 5 },
  ]);
  assertEquals(tracker.regions().map((r) => [r.name, r.runtimeS, r.count]), [["a", 4, 1]]);
});
