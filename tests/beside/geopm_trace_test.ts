/** GEOPM's Controller under a simulated clock beside ours: the traces of random programs, row by row. */
import { assert, assertEquals } from "@std/assert";
import { joulemark } from "../_support/programs.ts";
import { Random } from "../fuzz/random.ts";
import {
  type AppCase,
  type AppEvent,
  type AppSignal,
  recordingOf,
} from "../run/session/_application.ts";
import { besidePeer, programPath, shell } from "./_peers.ts";

const CASES = 60;
const REGIONS = ["alpha", "beta", "solve-step", "io"];
/** Times go through whole nanoseconds there. */
const TOLERANCE_S = 2e-9;
const RATES: Record<string, [start: number, rate: number]> = {
  CPU_ENERGY: [1000, 80],
  DRAM_ENERGY: [500, 12],
  CPU_POWER: [80, 0],
  DRAM_POWER: [12, 0],
  CPU_FREQUENCY_STATUS: [2.4e9, 0],
  CPU_CYCLES_THREAD: [0, 4.9e9],
  CPU_CYCLES_REFERENCE: [0, 4e9],
  CPU_CORE_TEMPERATURE: [45, 0],
};

/** Marks of one process: regions that do not overlap, epochs between them, and its end. */
function marksOf(random: Random, pid: number, endS: number): AppEvent[] {
  const events: AppEvent[] = [{ t: 0, pid, op: "start" }];
  let at = 0;
  const later = () => at = Number((at + (1 + random.size(300)) / 1000).toFixed(6));
  const known = new Set<string>();
  while (later() < endS) {
    if (random.once(4)) {
      events.push({ t: at, pid, op: "epoch" });
      continue;
    }
    const region = random.pick(REGIONS);
    if (!known.has(region)) {
      known.add(region);
      events.push({ t: at, pid, op: "region", region, hint: "UNKNOWN" });
    }
    events.push({ t: at, pid, op: "enter", region });
    events.push({ t: later(), pid, op: "exit", region });
  }
  events.push({ t: later(), pid, op: "shutdown" });
  return events;
}

function caseOf(random: Random): AppCase {
  const packages = 1 + random.below(2), cores = 1 + random.below(3), cpus = packages * cores;
  const count = 1 + random.below(cpus), endS = (20 + random.below(900)) / 1000;
  const processes = Array.from({ length: count }, (_, i) => ({ pid: 501 + i, cpus: [i] }));
  if (random.once(2)) {
    processes.at(-1)!.cpus = Array.from({ length: cpus - count + 1 }, (_, i) => count - 1 + i);
  }
  const events = processes.flatMap(({ pid }) => marksOf(random, pid, endS));
  events.sort((a, b) => a.t - b.t);
  const lastS = events.at(-1)!.t, periodS = random.pick([0.005, 0.02, 0.05]);
  const samples = [0.001];
  while (samples.at(-1)! < lastS) {
    samples.push(Number((samples.at(-1)! + periodS * (0.5 + random.below(100) / 100)).toFixed(6)));
  }
  // Made when the loop has ended.
  samples.push(Number((samples.at(-1)! + 0.001).toFixed(6)));
  const signals = Object.fromEntries(
    Object.entries(RATES).map(([name, [start, rate]]): [string, AppSignal] => [name, {
      domain: "board",
      aggregation: "select_first",
      behavior: "variable",
      start: [start],
      rate: [rate],
    }]),
  );
  const topology = { packages, cores_per_package: cores, threads_per_core: 1 };
  const expect = {
    report: [],
    trace: [],
    profile_trace: [],
    regions: {},
    total_time: 0,
    steps: [],
  };
  return { name: "", topology, host: "node01", processes, events, samples, signals, expect };
}

/** The case as the program reads it. */
function textOf(c: AppCase): string {
  const { packages, cores_per_package } = c.topology;
  return [
    `cpus ${packages} ${packages * cores_per_package}`,
    ...Object.entries(RATES).map(([name, numbers]) => `signal ${name} ${numbers.join(" ")}`),
    ...c.events.filter(({ op }) => op !== "region").map(({ t, pid, op, region }) => {
      const cpus = c.processes.find((p) => p.pid === pid)!.cpus.join(" ");
      return `${op} ${t} ${pid} ${op === "start" ? cpus : region ?? ""}`;
    }),
    ...c.samples.map((t) => `sample ${t}`),
    "",
  ].join("\n");
}

const rowsOf = (path: string) =>
  Deno.readTextFileSync(path).trimEnd().split("\n").filter((line) => !line.startsWith("#"))
    .map((line) => line.toLowerCase().split("|"));

besidePeer("geopm", "trace of the last steps: rows of random programs are GEOPM's", (dir, at) => {
  const folders = [
    "libgeopm",
    "libgeopmd/include",
    "libgeopmd/src",
    "libgeopm/include",
    "libgeopm/src",
  ];
  const library = `${at}/libgeopmd/.libs`;
  shell(
    dir,
    `c++ -std=c++17 -O1 -w ${folders.map((f) => `-I${at}/${f}`).join(" ")} -o controller ` +
      `${programPath("geopm_controller.cpp")} ${at}/libgeopm/.libs/libgeopm.a -L${library} ` +
      `-lgeopmd -Wl,-rpath,${library} -ldl -lpthread -lrt`,
  );
  let rows = 0;
  for (let number = 0; number < CASES; number++) {
    const c = caseOf(new Random(7, number));
    Deno.mkdirSync(`${dir}/rec`);
    for (const [name, text] of Object.entries(recordingOf(c))) {
      Deno.writeTextFileSync(`${dir}/rec/${name}`, text);
    }
    Deno.writeTextFileSync(`${dir}/case`, textOf(c));
    shell(dir, "./controller theirs < case");
    const out = joulemark(dir, ["replay", "-q", "--report", "r", "--trace", "ours", "rec"]);
    assertEquals(out.code, 0, out.stderr);
    const [theirs, ours] = [rowsOf(`${dir}/theirs-node01`), rowsOf(`${dir}/ours`)];
    assertEquals(ours[0], theirs[0]);
    // One for each sample but that after the loop.
    assertEquals(theirs.length, c.samples.length);
    assertEquals(
      ours.map(([, ...rest]) => rest),
      theirs.map(([, ...rest]) => rest),
      `case ${number}`,
    );
    theirs.slice(1).forEach(([time], i) => {
      const apartS = Math.abs(Number(time) - Number(ours[i + 1][0]));
      assert(apartS <= TOLERANCE_S, `case ${number}, row ${i + 1}: ${time}, ${ours[i + 1][0]}`);
      rows++;
    });
    shell(dir, "rm -rf rec ours theirs* case");
  }
  assert(rows > 10 * CASES, `${rows} rows`);
});
