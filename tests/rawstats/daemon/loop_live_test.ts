import { assert, assertEquals, assertMatch } from "@std/assert";
import { parseRawStats } from "../../../src/rawstats/format/rawstats.ts";
import { MachineHost } from "../../../src/os/host.ts";
import { RawMachine } from "../../../src/os/raw_machine.ts";
import { RawCollection } from "../../../src/rawstats/daemon/collection.ts";
import { RawMonitor, type RawMonitorOptions } from "../../../src/rawstats/daemon/loop.ts";
import { RawStore } from "../../../src/rawstats/daemon/store.ts";
import { loadRawNode, writeRawTree } from "../../_support/raw_node.ts";

/** Noon of some day, local time, in microseconds. */
const NOON = new Date(2026, 2, 14, 12).getTime() * 1000;
const S = 1e6;

/** A monitor over the small node, in a directory of its own. */
function bench() {
  const root = Deno.makeTempDirSync();
  writeRawTree(root, loadRawNode("vm-no-energy"), 0);
  const logged: string[] = [];
  const dir = `${root}/out`;
  const make = (options: Partial<RawMonitorOptions> = {}) => {
    const collection = new RawCollection(new RawMachine(new MachineHost(root)));
    const store = new RawStore(dir, "h");
    const log = (line: string) => void logged.push(line);
    const types = new Set(["ps", "cpu"]);
    const monitor = new RawMonitor(collection, store, {
      types,
      log,
      ...options,
    });
    return { monitor, end: () => (store[Symbol.dispose](), collection[Symbol.dispose]()) };
  };
  return {
    make,
    logged,
    dir,
    path: `${dir}/h/current`,
    uptime: `${root}/proc/uptime`,
    records: () => parseRawStats(Deno.readTextFileSync(`${dir}/h/current`)),
    [Symbol.dispose]: () => Deno.removeSync(root, { recursive: true }),
  };
}

Deno.test("RawMonitor writes a header once, then whole record groups under two names", () => {
  using b = bench();
  const { monitor, end } = b.make();
  monitor.start(NOON);
  monitor.tick(NOON + 10 * S);
  end();
  const { records, errors, schemas } = b.records();
  assertEquals(errors, []);
  assertEquals(records.map((r) => [r.timeUs, r.jobs]), [[NOON, "-"], [NOON + 10 * S, "-"]]);
  // all types are in the header, lines are of the chosen ones
  assert(schemas.has("vm"));
  assertEquals(new Set(records[1].lines.map((l) => l.type)), new Set(["ps", "cpu"]));
  const [one, two] = ["current", String(NOON / S)].map((n) => Deno.statSync(`${b.dir}/h/${n}`));
  assertEquals(one.ino, two.ino);
});

Deno.test("RawMonitor labels records with the jobs that marks begin and end", () => {
  using b = bench();
  const { monitor, end } = b.make();
  monitor.start(NOON);
  assertEquals(monitor.mark("begin 7", NOON + 1 * S), undefined);
  monitor.mark("begin 8", NOON + 2 * S);
  monitor.mark("phase two", NOON + 3 * S);
  monitor.mark("end 7", NOON + 4 * S);
  monitor.tick(NOON + 10 * S);
  monitor.mark("end 8", NOON + 11 * S);
  monitor.tick(NOON + 20 * S);
  assertEquals(monitor.mark("begin a,b", NOON + 21 * S), "no job id: a,b");
  end();
  assertEquals(b.records().records.slice(1).map((r) => [r.jobs, ...r.marks]), [
    ["7", "begin 7"],
    ["8,7", "begin 8"],
    ["7,8", "phase two"],
    ["7,8", "end 7"],
    ["8"],
    ["8", "end 8"],
    ["-"],
  ]);
});

Deno.test("RawMonitor follows a job file: end of the one, begin of the other", () => {
  using b = bench();
  let id: string | undefined = "41 node";
  const { monitor, end } = b.make({ jobIdFile: () => id });
  monitor.start(NOON);
  id = "42";
  monitor.tick(NOON + 10 * S);
  id = "-";
  monitor.tick(NOON + 20 * S);
  monitor.tick(NOON + 30 * S);
  end();
  const rows = b.records().records.map((r) => [
    r.jobs,
    ...r.marks.filter((mark) => !mark.startsWith("absent")),
  ]);
  assertEquals(rows, [
    ["41", "begin 41"],
    ["41,42", "end 41", "begin 42"],
    ["42", "end 42"],
    ["-"],
  ]);
});

Deno.test("RawMonitor begins a new file at midnight and at SIGHUP", () => {
  using b = bench();
  const { monitor, end } = b.make();
  const midnight = new Date(2026, 2, 15).getTime() * 1000;
  monitor.start(midnight - 5 * S);
  monitor.tick(midnight + 5 * S);
  monitor.rotate(midnight + 8 * S);
  monitor.tick(midnight + 15 * S);
  end();
  const names = [...Deno.readDirSync(`${b.dir}/h`)].map((e) => e.name).sort();
  assertEquals(
    names,
    [-5, 5, 8].map((s) => String(midnight / S + s)).concat("current").sort(),
  );
  for (const name of names) {
    const { records, errors } = parseRawStats(Deno.readTextFileSync(`${b.dir}/h/${name}`));
    assertEquals(errors, []);
    assertEquals(records.length, name === names[0] || name === names[1] ? 1 : 2);
  }
  assertEquals(b.records().records[0].marks[0], "rotate -");
});

Deno.test("RawMonitor begins a new file, with a header, after the file was emptied", () => {
  using b = bench();
  const { monitor, end } = b.make();
  monitor.start(NOON);
  monitor.tick(NOON + 10 * S);
  Deno.truncateSync(b.path);
  monitor.tick(NOON + 20 * S);
  monitor.tick(NOON + 30 * S);
  end();
  const { records, errors } = b.records();
  assertEquals(errors, []);
  assertEquals(records.map((r) => r.timeUs), [NOON + 20 * S, NOON + 30 * S]);
  assertEquals(b.logged, [`${b.dir}/h/current was removed or cut; a new file begins`]);
});

Deno.test("RawMonitor goes on with a file that was cut at any byte", () => {
  using b = bench();
  const first = b.make();
  first.monitor.start(NOON);
  first.monitor.tick(NOON + 10 * S);
  first.end();
  const whole = Deno.readFileSync(b.path);
  const second = new TextDecoder().decode(whole).lastIndexOf("\n\n") + 1;
  for (let cut = second; cut <= whole.length; cut += 1) {
    Deno.writeFileSync(b.path, whole.subarray(0, cut));
    const { monitor, end } = b.make();
    monitor.start(NOON + 60 * S);
    end();
    const { records, errors } = b.records();
    assertEquals(errors, [], `cut at ${cut}`);
    // a cut time line leaves one record, any more of it two, then ours
    const before = records.length - 1;
    assert(before === 1 || before === 2, `cut at ${cut}: ${records.length} records`);
    const gap = before === 1 ? 60 : 50;
    assertEquals(records.at(-1)!.marks, [`gap ${gap}`], `cut at ${cut}`);
  }
});

Deno.test("RawMonitor starts a new file where one of another day or with another header is", () => {
  using b = bench();
  const first = b.make();
  first.monitor.start(NOON);
  first.end();
  const next = b.make();
  next.monitor.start(NOON + 86400 * S);
  next.end();
  assertEquals(b.records().records.length, 1);
  const text = Deno.readTextFileSync(b.path);
  Deno.writeTextFileSync(b.path, text.replace("!ps ctxt,E", "!ps contexts,E"));
  const third = b.make();
  third.monitor.start(NOON + 86410 * S);
  third.end();
  assertEquals(b.records().records.length, 1);
  assertEquals([...Deno.readDirSync(`${b.dir}/h`)].length, 4);
});

Deno.test("RawMonitor holds no more descriptors after many records and days than after one", () => {
  using b = bench();
  const { monitor, end } = b.make({ types: undefined });
  const descriptors = () => [...Deno.readDirSync("/proc/self/fd")].length;
  monitor.start(NOON);
  monitor.tick(NOON + 10 * S);
  const before = descriptors();
  for (let i = 1; i <= 300; i++) monitor.tick(NOON + i * 3600 * S);
  assertEquals(descriptors(), before);
  end();
  assertEquals(monitor.written, 302);
});

Deno.test("RawMonitor begins a new file when another process took the one it writes", () => {
  using b = bench();
  const { monitor, end } = b.make();
  monitor.start(NOON);
  Deno.renameSync(b.path, `${b.dir}/h/taken`);
  monitor.tick(NOON + 10 * S);
  monitor.tick(NOON + 20 * S);
  Deno.removeSync(`${b.dir}/h`, { recursive: true });
  monitor.tick(NOON + 30 * S);
  end();
  assertEquals(b.records().records.map((r) => r.timeUs), [NOON + 30 * S]);
  assertEquals(b.logged.length, 2);
});

Deno.test("RawMonitor goes on when nothing can be written, and marks the gap", () => {
  using b = bench();
  const { monitor, end } = b.make();
  monitor.start(NOON);
  const before = Deno.readFileSync(b.path);
  // the limit of file sizes stands for a full disk: the write fails after a part
  const { records } = withFileLimit(before.length + 100, () => {
    monitor.tick(NOON + 10 * S);
    monitor.tick(NOON + 20 * S);
    return b.records();
  });
  assertEquals(records.length, 1);
  assertEquals(Deno.readFileSync(b.path), before);
  assertEquals([monitor.written, monitor.lost], [1, 2]);
  monitor.tick(NOON + 30 * S);
  end();
  assertEquals(b.records().records.at(-1)!.marks, ["gap 30"]);
  assertEquals(b.logged.length, 2);
  assertMatch(b.logged[0], /^cannot write to .*: .*\. The monitor continues$/);
});

/** Runs with a limit on the size of files, and SIGXFSZ ignored. */
function withFileLimit<T>(bytes: number, run: () => T): T {
  const c = Deno.dlopen("/lib/x86_64-linux-gnu/libc.so.6", {
    setrlimit: { parameters: ["i32", "buffer"], result: "i32" },
    getrlimit: { parameters: ["i32", "buffer"], result: "i32" },
    signal: { parameters: ["i32", "u64"], result: "u64" },
  }).symbols;
  const RLIMIT_FSIZE = 1, SIGXFSZ = 25, SIG_IGN = 1n;
  c.signal(SIGXFSZ, SIG_IGN);
  const limits = new BigUint64Array(2);
  const memory = new Uint8Array(limits.buffer);
  c.getrlimit(RLIMIT_FSIZE, memory);
  const soft = limits[0];
  limits[0] = BigInt(bytes);
  c.setrlimit(RLIMIT_FSIZE, memory);
  try {
    return run();
  } finally {
    limits[0] = soft;
    c.setrlimit(RLIMIT_FSIZE, memory);
  }
}

Deno.test("RawMonitor takes a comma list from the job file, and reports words that are no ids", () => {
  using b = bench();
  let text: string | undefined = "11,12";
  const { monitor, end } = b.make({ jobIdFile: () => text });
  monitor.start(NOON);
  monitor.tick(NOON + 10 * S);
  text = "12,13";
  monitor.tick(NOON + 20 * S);
  text = `14,${"x".repeat(80)}`;
  monitor.tick(NOON + 30 * S);
  monitor.tick(NOON + 40 * S);
  end();
  const rows = b.records().records.map((r) => [
    r.jobs,
    ...r.marks.filter((mark) => !mark.startsWith("absent")),
  ]);
  assertEquals(rows, [
    ["11,12", "begin 11", "begin 12"],
    ["11,12"],
    ["11,12,13", "end 11", "begin 13"],
    ["12,13,14", "end 12", "end 13", "begin 14"],
    ["14"],
  ]);
  assertEquals(b.logged, [`no job id in the job file: ${"x".repeat(80)}`]);
});

Deno.test("RawMonitor begins a new file after a boot: its header has the time of the boot", () => {
  using b = bench();
  const first = b.make();
  first.monitor.start(NOON);
  first.end();
  Deno.writeTextFileSync(b.uptime, "3600.00 1.00\n");
  const second = b.make();
  // one hour of uptime: the boot was after the record of the first file
  second.monitor.start(NOON + 3610 * S);
  second.monitor.tick(NOON + 3620 * S);
  second.end();
  assertEquals(b.records().records.length, 2);
  assertEquals(b.records().properties.get("uptime"), "3600");
});
