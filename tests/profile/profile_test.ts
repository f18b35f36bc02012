/** A profile from records: processes, threads, and CPU time that no sample shows. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { stackOf } from "../../src/profile/function_data.ts";
import { functionTable } from "../../src/profile/function_table.ts";
import { Modules } from "../../src/profile/modules.ts";
import { FrameNames } from "../../src/profile/names.ts";
import type { Processes } from "../../src/profile/processes.ts";
import { Profile } from "../../src/profile/profile.ts";
import { RecordReader, type SamplingEvent } from "../../src/profile/records.ts";
import { X86_64 } from "../../src/profile/machine.ts";
import {
  comm,
  cpuTime,
  lost,
  mapping,
  maps,
  sample,
  switched,
  task,
  together,
  withPeriods,
} from "./_records.ts";

const PERIOD = 5e6;
const AT = 0x400000, SP = 0x7ffc00000000;

/** What a profile has of records of one CPU: seconds and samples by stack. */
function profileOf(
  records: readonly Uint8Array[],
  totalNs = 0,
  withKernel = false,
  read: Processes["read"] = () => undefined,
  offCpu = false,
  event: SamplingEvent = "cpu-clock",
) {
  const modules = new Modules(X86_64, () => ({ refused: "not there" }));
  const profile = new Profile(modules, { periodNs: PERIOD, withKernel, offCpu, event });
  profile.processes.read = read;
  const bytes = together(records);
  const to = records.reduce((sum, one) => sum + one.length, 0);
  const seen: number[] = [];
  profile.onSample = ({ timeNs }) => seen.push(timeNs);
  profile.take([{ records: bytes, cpu: 0, from: 0, to }]);
  const names = new FrameNames(profile, {
    open: () => ({ refused: "not there" }),
    debugDirectories: [],
    mayReadLines: () => true,
    kernelSymbols: () => "",
    jitMap: (process) => process === 7 || process === 70 ? "400000 1000 py::step:/a;b.py\n" : "",
  });
  const stacks = new Map<string, { ms: number; samples: number }>();
  const frames = names.frames.bind(names), { trie } = profile;
  const found = profile.finish(new Map([[0, totalNs]])).map((cost) => {
    return Object.assign({ frames: stackOf({ trie, frames }, cost.node) }, cost);
  });
  for (const { frames, ns, samples } of found) {
    const name = frames.map(({ name, suffix }) => name + suffix).join(";");
    stacks.set(name, { ms: Math.round(ns / 1e4) / 100, samples });
  }
  const rows = functionTable(found, { of: () => -1 });
  const off = profile.off.map(({ node, ns, samples }) => {
    const frames = stackOf({ trie: profile.trie, frames: names.frames.bind(names) }, node);
    return [frames.map(({ name }) => name).join(";"), ns, samples];
  });
  return { stacks: Object.fromEntries(stacks), facts: profile.facts, off, rows, seen };
}

const begin = (name: string, process = 7) => [
  comm(name, { process, timeNs: 1 }),
  mapping("//anon", AT, 0x1000, { process, timeNs: 2 }),
];
/** Frames: one caller by frame pointers, then the end. */
const STACK = [0, AT + 0x20];
const REGISTERS = { 16: AT + 0x10, 6: SP, 7: SP };
const hit = (timeNs: number, thread = 7, process = 7) => {
  return sample(REGISTERS, [...STACK, 0, 0], { process, thread, timeNs });
};

Deno.test("a thread's samples share its CPU time by the kernel's count", () => {
  const { stacks } = profileOf([...begin("app"), hit(10e6), hit(15e6), hit(20e6)], 18e6);
  assertEquals(stacks, { "app;py::step:/a;b.py;py::step:/a;b.py": { ms: 18, samples: 3 } });
});

Deno.test("a function of a script is one row, however many processes run it", () => {
  const { rows } = profileOf([
    ...begin("app"),
    ...begin("app", 70),
    hit(10e6),
    hit(15e6, 70, 70),
  ], 10e6);
  assertEquals(rows.map(({ name, totalNs }) => [name, totalNs]), [["py::step:/a;b.py", 10e6]]);
});

Deno.test("a record of another layout ends the look at it where the record ends", () => {
  const reader = new RecordReader(X86_64, { withKernel: true, offCpu: false });
  const one = hit(10e6), bytes = together([one, hit(20e6)]);
  reader.open(bytes);
  // What this layout has as a register is there the number of addresses of the kernel.
  bytes.view.setBigUint64(40, 2n ** 60n, true);
  reader.openSample(0);
  assert(reader.stackBytes <= one.length, String(reader.stackBytes));
  assert(reader.kernelDepth <= one.length / 8);
});

Deno.test("time off the CPU is that between leaving it and coming back, where it was left", () => {
  const at = (timeNs: number) => ({ process: 7, timeNs });
  const records = [
    ...begin("app"),
    switched("out", at(10e6)),
    switched("in", at(30e6)),
    switched("preempted", at(40e6)),
    switched("in", at(41e6)),
    switched("out", at(50e6)),
    switched("in", at(53e6)),
    switched("out", at(60e6)),
  ];
  const { off } = profileOf(records, 0, false, undefined, true);
  assertEquals(off, [["app;[off CPU]", 23e6, 2], ["app;[preempted]", 1e6, 1]]);
});

Deno.test("threads that end before their first sample are one stack below their process", () => {
  const threads = [11, 12, 13].flatMap((thread, i) => [
    task("fork", 7, { process: 7, thread, timeNs: 3e6 + i }),
    task("exit", 7, { process: 7, thread, timeNs: 4e6 + i }),
    cpuTime(2e6, { process: 7, thread, timeNs: 4e6 + i }),
  ]);
  const { stacks, facts } = profileOf([...begin("app"), hit(2e6), ...threads], 11e6);
  assertEquals(stacks["app;[short threads]"], { ms: 6, samples: 0 });
  assertEquals(stacks["app;py::step:/a;b.py;py::step:/a;b.py"], { ms: 5, samples: 1 });
  assertEquals([facts.shortNs, facts.cpuNs], [6e6, 11e6]);
});

Deno.test("CPU time that has fewer samples than periods is the kernel's", () => {
  const { stacks } = profileOf([...begin("app"), hit(10e6), hit(30e6)], 41e6);
  // Eight periods, two samples.
  assertEquals(stacks["app;[kernel, not visible]"], { ms: 30, samples: 0 });
  assertEquals(stacks["app;py::step:/a;b.py;py::step:/a;b.py"], { ms: 11, samples: 2 });
});

Deno.test("samples of threads whose events the kernel exchanged are not the kernel's", () => {
  // Each thread has two periods.
  const hiddenMs = (...samples: number[]) => {
    const threads = samples.flatMap((count, i) => {
      const of = { process: 7, thread: 100 + i }, timeNs = 3e6 + 100 * i;
      return [
        task("fork", 7, { ...of, timeNs }),
        ...Array.from({ length: count }, (_, k) => hit(timeNs + 1 + k, of.thread)),
        task("exit", 7, { ...of, timeNs: timeNs + 10 }),
        cpuTime(12e6, { ...of, timeNs: timeNs + 10 }),
      ];
    });
    const { stacks, facts } = profileOf([...begin("app"), ...threads], 12e6 * samples.length);
    const totalMs = Object.values(stacks).reduce((sum, { ms }) => sum + ms, 0);
    assertEquals(totalMs, 12 * samples.length);
    assertEquals(stacks["app;[kernel, not visible]"]?.ms ?? 0, facts.hiddenNs / 1e6);
    return facts.hiddenNs / 1e6;
  };
  assertEquals([hiddenMs(1, 3), hiddenMs(3, 1), hiddenMs(4, 0)], [0, 0, 0]);
  assertEquals([hiddenMs(1, 2), hiddenMs(1, 3, 1), hiddenMs(1, 1, 3)], [5, 5, 5]);
  assertEquals(hiddenMs(0, 2), 12);
});

Deno.test("samples that were lost are not the kernel's", () => {
  const { stacks, facts } = profileOf([
    ...begin("app"),
    hit(10e6),
    hit(30e6),
    lost(6, { process: 7, timeNs: 35e6 }),
  ], 41e6);
  // Eight periods, two samples, six lost.
  assertEquals(stacks["app;[kernel, not visible]"], undefined);
  assertEquals(stacks["app;py::step:/a;b.py;py::step:/a;b.py"], { ms: 41, samples: 2 });
  assertEquals([facts.hiddenNs, facts.lostNs], [0, 0]);
  const none = profileOf([...begin("app"), lost(8, { process: 7, timeNs: 9e6 })], 41e6);
  assertEquals(none.facts.hiddenNs + none.facts.shortNs, 0);
  // Who may sample the kernel has no hidden time, however few are told to be lost.
  const root = profileOf([...begin("app"), lost(3, { process: 7, timeNs: 9e6 })], 41e6, true);
  assertEquals([root.facts.hiddenNs, root.facts.lostNs], [0, 41e6]);
  // The loss is told when another thread has the number of the one that misses it: two periods, one sample.
  const of = { process: 7, thread: 9, timeNs: 40e6 };
  const ended = [task("exit", 7, of), cpuTime(12e6, of), task("fork", 7, of)];
  const told = lost(1, { process: 7, timeNs: 41e6 });
  const late = profileOf([...begin("app"), hit(30e6, 9), ...ended, told], 12e6);
  assertEquals([late.facts.hiddenNs, late.facts.lostNs], [0, 5e6]);
});

Deno.test("a function of brief threads has an error as large as its doubt", () => {
  const threads = Array.from({ length: 100 }, (_, i) => 100 + i).flatMap((thread, i) => [
    task("fork", 7, { process: 7, thread, timeNs: 3e6 + i }),
    hit(8e6 + i, thread),
    task("exit", 7, { process: 7, thread, timeNs: 9e6 + i }),
    cpuTime(6e6, { process: 7, thread, timeNs: 9e6 + i }),
  ]);
  const { facts } = profileOf([...begin("app"), ...threads], 600e6);
  assertEquals(facts.briefNs, 600e6);
});

Deno.test("where the kernel is sampled no time is hidden", () => {
  const { facts } = profileOf([...begin("app")], 41e6, true);
  assertEquals(facts.hiddenNs, 0);
});

Deno.test("a child has its parent's code and name until it executes another program", () => {
  const child = { process: 8, timeNs: 5e6 };
  const { stacks } = profileOf([
    ...begin("sh"),
    task("fork", 7, child),
    sample(REGISTERS, [...STACK, 0, 0], { process: 8, timeNs: 6e6 }),
    comm("tool", { process: 8, timeNs: 7e6 }),
    sample({ 16: 0x10, 7: SP }, [], { process: 8, timeNs: 8e6 }),
  ], 10e6);
  const names = Object.keys(stacks);
  assertEquals(names.sort(), ["sh;py::step:/a;b.py;py::step:/a;b.py", "tool;[…];[unknown]"]);
});

Deno.test("a thread that executes a program takes its samples along to the first one's number", () => {
  const first = { process: 7, timeNs: 31e6 }, other = { process: 7, thread: 8, timeNs: 5e6 };
  for (const isCounted of [true, false]) {
    const { stacks, facts } = profileOf([
      ...begin("ex"),
      hit(4e6),
      task("fork", 7, other),
      ...[hit(10e6, 8), hit(20e6, 8), hit(30e6, 8)],
      task("exit", 7, first),
      ...isCounted ? [cpuTime(6e6, first)] : [],
      comm("tool", { process: 7, timeNs: 32e6 }),
      mapping("//anon", AT, 0x1000, { process: 7, timeNs: 33e6 }),
      ...[hit(40e6), hit(50e6)],
      task("exit", 7, { process: 7, timeNs: 60e6 }),
      cpuTime(25e6, { process: 7, timeNs: 61e6 }),
    ], 31e6);
    assertEquals(stacks, {
      "ex;py::step:/a;b.py;py::step:/a;b.py": { ms: 21, samples: 4 },
      "tool;py::step:/a;b.py;py::step:/a;b.py": { ms: 10, samples: 2 },
    });
    assertEquals(facts.cpuNs, 31e6);
  }
});

Deno.test("records of a process that nobody knows, and lost ones, are counted", () => {
  const { facts, stacks } = profileOf([lost(5, { process: 1, timeNs: 1 }), hit(2e6, 99, 99)], 5e6);
  assertEquals(facts.lost, 5);
  assertEquals(Object.keys(stacks), ["?;[…];[unknown]"]);
});

/** As the kernel has it after records were lost. */
const MAPS = `00400000-00401000 r-xp 00000000 00:00 0 
00401000-00402000 rw-p 00000000 08:01 9      /bin/app
`;

Deno.test("a process whose records were lost is read as it is now", () => {
  const asked: number[] = [];
  const read = (process: number) => {
    asked.push(process);
    return process === 7 ? { name: "app", maps: MAPS } : undefined;
  };
  const { stacks } = profileOf(
    [
      ...[comm("sh", { process: 7, timeNs: 1 }), lost(5, { process: 7, timeNs: 2 })],
      ...[hit(3e6), hit(4e6), hit(5e6, 99, 99), hit(6e6, 99, 99)],
    ],
    20e6,
    false,
    read,
  );
  assertEquals(Object.keys(stacks), [
    "app;py::step:/a;b.py;py::step:/a;b.py",
    "?;[…];[unknown]",
  ]);
  assertEquals(asked, [7, 99]);
  assertEquals(profileOf([hit(3e6)], 5e6, false, read).stacks, {
    "?;[…];[unknown]": { ms: 5, samples: 1 },
  });
});

Deno.test("a child whose records were lost has the code of the process that it was forked from", () => {
  const at = 0x7f1234560000, fixed = 0x400000;
  const stacksAt = (address: number) => {
    const child = sample({ 16: address + 0x10, 7: SP }, [0], { process: 9, timeNs: 9e6 });
    const records = [
      comm("app", { process: 7, timeNs: 1 }),
      mapping("/bin/app", address, 0x1000, { process: 7, timeNs: 2 }),
      lost(5, { process: 7, timeNs: 3 }),
      child,
    ];
    return Object.keys(profileOf(records, 5e6).stacks);
  };
  assertEquals(stacksAt(at), ["app;[app, not there]"]);
  // Any program may be at a fixed address.
  assertEquals(stacksAt(fixed), ["?;[…];[unknown]"]);
});

Deno.test("CPU time of which every record was lost is in the total", () => {
  const counted = [
    task("exit", 1, { process: 7, timeNs: 4e6 }),
    cpuTime(2e6, { process: 7, timeNs: 4e6 }),
  ];
  const { facts, stacks } = profileOf([...begin("app"), ...counted], 42e6);
  assertEquals([facts.cpuNs, stacks["?;[kernel, not visible]"].ms], [42e6, 40]);
});

Deno.test("a process goes on until its first thread ends, if records of threads were lost", () => {
  const other = { process: 7, thread: 8, timeNs: 3e6 };
  const { stacks } = profileOf([...begin("app"), task("exit", 7, other), hit(4e6)], 5e6);
  assertEquals(Object.keys(stacks), ["app;py::step:/a;b.py;py::step:/a;b.py"]);
});

Deno.test("a program that the kernel does not sample is named", () => {
  const at = (timeNs: number) => ({ process: 7, timeNs });
  const all = [...begin("sh"), comm("sudo", at(3e6)), task("exit", 1, at(4e6))];
  assertEquals(profileOf(all, 5e6).facts.unseen, ["sudo"]);
  const ended = [...begin("app"), task("exit", 1, at(4e6))];
  assertEquals(profileOf(ended, 5e6).facts.unseen, []);
});

Deno.test("endOf() finds where later records begin", () => {
  const modules = new Modules(X86_64, () => ({ refused: "" }));
  const profile = new Profile(modules, {
    periodNs: PERIOD,
    withKernel: false,
    offCpu: false,
    event: "cpu-clock",
  });
  const records = [hit(1e6), hit(2e6), hit(3e6)];
  const bytes = together(records), to = 3 * records[0].length;
  assertEquals(profile.endOf(bytes, 0, to, 2e6), 2 * records[0].length);
  assertEquals(profile.endOf(bytes, 0, to, 5e6), to);
  assertEquals(profile.endOf(bytes, 0, to, 0), 0);
});

Deno.test("all stacks add up to the CPU time", () => {
  const threads = [20, 21].flatMap((thread) => [
    task("fork", 7, { process: 7, thread, timeNs: 3e6 }),
    ...[10, 20, 30].map((ms) => hit(ms * 1e6 + thread, thread)),
    task("exit", 7, { process: 7, thread, timeNs: 50e6 }),
    cpuTime(17e6, { process: 7, thread, timeNs: 50e6 }),
  ]);
  const { stacks } = profileOf([...begin("app"), hit(2e6), ...threads], 40e6);
  const sum = Object.values(stacks).reduce((total, { ms }) => total + ms, 0);
  assertAlmostEquals(sum, 40, 0.05);
});

Deno.test("a thread whose count was lost has its part of the rest, though it has a count of a CPU where it never ran", () => {
  const at = { process: 7, thread: 20, timeNs: 50e6 };
  const thread = [
    task("fork", 7, { process: 7, thread: 20, timeNs: 3e6 }),
    ...[hit(10e6, 20), task("exit", 7, at), cpuTime(0, at)],
  ];
  const { stacks, facts } = profileOf([...begin("app"), hit(2e6), ...thread], 40e6);
  const sum = Object.values(stacks).reduce((total, { ms }) => total + ms, 0);
  assertEquals([sum, facts.cpuNs], [40, 40e6]);
});

/** What a profile has of records of threads that sample themselves. */
function timerProfileOf(records: readonly Uint8Array[], read?: Processes["read"]) {
  return profileOf(records, 0, false, read, false, "timer");
}

const OWN_MAPS = "400000-401000 r-xp 00000000 00:00 0 \n";
const ownBegin = (name: string, timeNs: number, process = 7) => [
  comm(name, { process, timeNs }),
  maps(OWN_MAPS, { process, timeNs }),
];
const STEPS = "app;py::step:/a;b.py;py::step:/a;b.py";

Deno.test("a sample of a timer stands for all its periods", () => {
  const records = [...ownBegin("app", 1), hit(5e6), withPeriods(hit(10e6), 4)];
  const { stacks, facts, seen } = timerProfileOf(records);
  assertEquals(stacks, { [STEPS]: { ms: 25, samples: 5 } });
  assertEquals(seen, [5e6, 10e6, 10e6, 10e6, 10e6]);
  assertEquals([facts.samples, facts.cpuNs, facts.hiddenNs, facts.briefNs], [5, 25e6, 0, 0]);
});

Deno.test("a thread with a timer has the time that it counted, in samples or without", () => {
  const at = (thread: number) => ({ process: 7, thread, timeNs: 20e6 });
  const records = [
    ...ownBegin("app", 1),
    ...[hit(5e6), hit(10e6, 8), cpuTime(8e6, at(8)), cpuTime(2e6, at(9))],
  ];
  const { stacks, facts } = timerProfileOf(records);
  assertEquals(stacks, {
    [STEPS]: { ms: 13, samples: 2 },
    "app;[short threads]": { ms: 2, samples: 0 },
  });
  assertEquals([facts.cpuNs, facts.shortNs], [15e6, 2e6]);
});

Deno.test("a program that a process executes begins without the count of the one before", () => {
  const at = { process: 7, timeNs: 30e6 };
  const records = [
    ...[...ownBegin("one", 1), hit(5e6), hit(10e6)],
    ...[...ownBegin("two", 15e6), hit(20e6), cpuTime(7e6, at)],
  ];
  const { stacks } = timerProfileOf(records);
  assertEquals(Object.entries(stacks).map(([name, { ms }]) => [name.split(";")[0], ms]), [
    ["one", 10],
    ["two", 7],
  ]);
});

Deno.test("mappings are read again at an unknown address, ten times a second at most", () => {
  let reads = 0;
  const none = { process: 7, timeNs: 1 };
  const records = [comm("app", none), ...Array.from({ length: 50 }, (_, i) => hit(i * 1e7 + 2))];
  timerProfileOf(records, () => {
    reads++;
    return { name: "app", maps: "" };
  });
  assertEquals(reads, 5);
  const { stacks } = timerProfileOf(records, () => ({ name: "app", maps: OWN_MAPS }));
  assertEquals(Object.keys(stacks), [STEPS]);
});

Deno.test("a line of mappings that was truncated is left out", () => {
  const { stacks } = timerProfileOf([
    comm("app", { process: 7, timeNs: 1 }),
    maps(OWN_MAPS.trimEnd(), { process: 7, timeNs: 1 }),
    hit(2e6),
  ]);
  assertEquals(Object.keys(stacks), ["app;[…];[unknown]"]);
});

Deno.test("a library in the place of an unloaded one has its own functions", () => {
  const loaded = (lines: string, timeNs: number) => maps(lines, { process: 7, timeNs });
  const one = "400000-401000 r-xp 00000000 08:01 5 /lib/one.so\n";
  const { stacks } = timerProfileOf([
    comm("app", { process: 7, timeNs: 1 }),
    ...[loaded(one, 1), hit(2e6)],
    ...[loaded(one.replace("5 /lib/one", "6 /lib/two"), 3e6), hit(4e6)],
    ...[loaded("500000-501000 r-xp 00000000 08:01 7 /lib/else.so\n", 5e6), hit(6e6)],
  ]);
  assertEquals(Object.keys(stacks).map((name) => name.split(";").at(-1)), [
    "[one.so, not there]",
    "[two.so, not there]",
    "[unknown]",
  ]);
});
