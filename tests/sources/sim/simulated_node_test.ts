/** The simulated node: its power model and the counters that follow it. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { Random } from "../../../src/core/random.ts";
import { SimulatedNode } from "../../../src/sources/sim/simulated_node.ts";
import { presetSpec, type SimSpec } from "../../../src/sources/sim/spec.ts";
import type { DomainTruth } from "../../../src/sources/sim/truth.ts";
import { MemoryTree, testSeed } from "./_memory_tree.ts";

const MS = 1e6;

function node(spec: Partial<SimSpec>): { sim: SimulatedNode; tree: MemoryTree } {
  const tree = new MemoryTree();
  const sim = new SimulatedNode({ ...presetSpec("both", 4), raplPeriodS: 0.001, ...spec }, tree);
  sim.layOut();
  return { sim, tree };
}

/** Regions at random on all CPUs, published every 5 ms. */
function wander(sim: SimulatedNode, seconds: number, seed: number): void {
  const random = new Random(seed);
  const names = ["a", "b", "c", undefined];
  const edges: [number, number, string | undefined][] = [];
  for (let cpu = 0; cpu < sim.cpus; cpu++) {
    for (let t = random.uniform(0, 5) * MS; t < seconds * 1e9; t += random.uniform(0.2, 20) * MS) {
      edges.push([t, cpu, names[random.below(4)]]);
    }
  }
  edges.sort((x, y) => x[0] - y[0]);
  let next = 0;
  for (let t = 5 * MS; t <= seconds * 1e9; t += 5 * MS) {
    while (next < edges.length && edges[next][0] <= t) sim.edge(...edges[next++]);
    sim.publish(t);
  }
}

function sumOf(truth: DomainTruth): number {
  let sum = truth.unmarked.joules + truth.unowned.joules;
  for (const region of truth.regions.values()) sum += region.joules;
  return sum;
}

Deno.test("truth() adds up: classes to domains, domains to the node", () => {
  const seed = testSeed("adds up");
  const { sim } = node({ seed });
  wander(sim, 3, seed);
  const truth = sim.truth();
  const domains = [...truth.package, ...truth.dram, truth.node];
  for (const domain of domains) {
    assertAlmostEquals(sumOf(domain) / domain.joules, 1, 1e-9);
    assert(domain.joules > 0);
  }
  const parts = [...truth.package, ...truth.dram].reduce((n, d) => n + d.joules, 0);
  assertAlmostEquals(truth.node.joules, parts + 60 * truth.seconds, 1e-6);
  const cpuSeconds = [...truth.node.regions.values()].reduce((n, r) => n + r.cpuSeconds, 0) +
    truth.node.unmarked.cpuSeconds + truth.node.unowned.cpuSeconds;
  assertAlmostEquals(cpuSeconds, truth.seconds * sim.cpus, 1e-6);
  assertEquals(truth.lateEdges, 0);
});

Deno.test("a region's energy is its watts times its time, beside its share of idle power", () => {
  const { sim } = node({
    packages: 1,
    coresPerPackage: 4,
    noise: 0,
    visitNoise: 0,
    rampS: 0,
    idleW: 40,
    dramIdleW: 0,
    regions: { hot: { watts: 25, dramWatts: 3 }, cold: 5 },
  });
  // Two CPUs of four belong to a process: each carries half of the idle power.
  sim.edge(0, 0, "hot");
  sim.edge(0, 1, "cold");
  sim.edge(300 * MS, 0, "cold");
  sim.edge(300 * MS, 1, undefined);
  sim.publish(1000 * MS);
  const truth = sim.truth();
  const hot = truth.package[0].regions.get("hot")!;
  assertAlmostEquals(hot.joules, 0.3 * (25 + 20), 1e-9);
  assertAlmostEquals(hot.cpuSeconds, 0.3, 1e-12);
  assertAlmostEquals(truth.dram[0].regions.get("hot")!.joules, 0.9, 1e-9);
  const cold = truth.package[0].regions.get("cold")!;
  assertAlmostEquals(cold.joules, (0.3 + 0.7) * (5 + 20), 1e-9);
  assertAlmostEquals(truth.package[0].unowned.joules, 0, 1e-12);
});

Deno.test("power reaches a new region by a ramp whose integral is exact", () => {
  const { sim } = node({
    packages: 1,
    coresPerPackage: 1,
    noise: 0,
    visitNoise: 0,
    rampS: 0.002,
    idleW: 0,
    regions: { hot: 100 },
  });
  sim.edge(0, 0, "hot");
  // Cells, publications and edges in between change nothing.
  for (let t = 0.3; t < 50; t += 0.7) sim.publish(t * MS);
  sim.publish(50 * MS);
  const joules = sim.truth().package[0].joules;
  assertAlmostEquals(joules, 100 * (0.05 - 0.002 * (1 - Math.exp(-25))), 1e-8);
});

Deno.test("RAPL registers change every ms by the lag's delay, in 32 bits of the true unit", () => {
  const { sim, tree } = node({ noise: 0, visitNoise: 0, rampS: 0, raplLagS: 0.0004, startJ: 100 });
  for (let cpu = 0; cpu < 4; cpu++) sim.edge(0, cpu, "a");
  const changes: number[] = [];
  let last = tree.register(0, 0x611);
  assertEquals(last, BigInt(100 * 16384));
  for (let t = 0.05; t < 10; t += 0.05) {
    sim.publish(t * MS);
    const now = tree.register(0, 0x611);
    if (now !== last) changes.push(t);
    last = now;
  }
  assertEquals(changes.length, 9);
  changes.forEach((t, i) => assert(t >= i + 1.4 - 1e-6 && t < i + 1.45 + 1e-6, `${t}`));
  assertEquals(tree.register(1, 0x611), last);
  const watts = sim.truth().package[0].joules / sim.truth().seconds;
  assertAlmostEquals(Number(last) / 16384 - 100, watts * 0.009, 2 / 16384);
});

Deno.test("RAPL registers and powercap wrap where a real node's do", () => {
  const startJ = 2 ** 32 / 2 ** 16 - 5;
  const { sim, tree } = node({ startJ });
  const zone = "/sys/class/powercap/intel-rapl:0/intel-rapl:0:0";
  const range = Number(tree.text(`${zone}/max_energy_range_uj`));
  assertEquals(range, 65712999613);
  assertEquals(
    Number(tree.text("/sys/class/powercap/intel-rapl:0/max_energy_range_uj")),
    262143328850,
  );
  let wraps = 0;
  let registerWraps = 0;
  let last = Number(tree.text(`${zone}/energy_uj`));
  let register = tree.register(0, 0x619);
  let total = 0;
  for (let t = 5; t <= 2000; t += 5) {
    sim.publish(t * MS);
    const now = Number(tree.text(`${zone}/energy_uj`));
    if (now < last) wraps++;
    total += now >= last ? now - last : now - last + range + 1;
    last = now;
    if (tree.register(0, 0x619) < register) registerWraps++;
    register = tree.register(0, 0x619);
    assert(register < 2n ** 32n);
  }
  assertEquals([wraps, registerWraps], [1, 1]);
  const truth = sim.truth().dram[0].joules;
  // 0.27 % more: the driver's unit is cut to 15300 nJ.
  assertAlmostEquals(total * 1e-6 / (truth * 15300 / (2 ** -16 * 1e9)), 1, 2e-3);
});

Deno.test("pm_counters publish ten times a second, whole, with freshness and stamps", () => {
  const { sim, tree } = node({ pmLagS: 0.004, noise: 0 });
  const dir = "/sys/cray/pm_counters";
  const first = Number(tree.text(`${dir}/freshness`));
  const startJ = parseInt(tree.text(`${dir}/energy`));
  const seen: number[] = [];
  let last = first;
  for (let cpu = 0; cpu < 4; cpu++) sim.edge(0, cpu, "a");
  for (let t = 1; t <= 1050; t++) {
    sim.publish(t * MS);
    const now = Number(tree.text(`${dir}/freshness`));
    if (now !== last) seen.push(t);
    if (now !== last) assertEquals(now, last + 1);
    last = now;
  }
  assertEquals(seen, Array.from({ length: 10 }, (_, i) => (i + 1) * 100 + 4));
  const [joules, unit, stamp, us] = tree.text(`${dir}/energy`).trimEnd().split(" ");
  assertEquals([unit, us, stamp], ["J", "us", String(1_700_000_000_000_000 + 1_000_000)]);
  const truth = sim.truth();
  const atStamp = truth.node.joules * (1 / truth.seconds);
  assertAlmostEquals(Number(joules) - startJ, atStamp, 1.5);
  assertEquals(tree.text(`${dir}/power_cap`).split(" ")[0], "0");
  assertAlmostEquals(parseInt(tree.text(`${dir}/power`)), atStamp, 3);
  assertEquals(tree.text(`${dir}/raw_scan_hz`), "10\n");
});

Deno.test("without stamps a pm_counters line ends with its unit", () => {
  const { sim, tree } = node({ stamps: false });
  sim.publish(500 * MS);
  assert(/^\d+ J\n$/.test(tree.text("/sys/cray/pm_counters/energy")));
});

Deno.test("presets have the counters that they name", () => {
  for (const preset of ["rapl", "cray", "both"] as const) {
    const tree = new MemoryTree();
    const sim = new SimulatedNode(presetSpec(preset, 3), tree);
    sim.layOut();
    sim.publish(200 * MS);
    assertEquals(sim.cpus, 4, "as many in each package");
    assertEquals(tree.files.has("/dev/cpu/0/msr"), preset !== "cray");
    assertEquals(tree.files.has("/sys/class/powercap/intel-rapl:0/energy_uj"), preset !== "cray");
    assertEquals(tree.files.has("/sys/cray/pm_counters/energy"), preset !== "rapl");
    assertEquals(JSON.parse(tree.text("/.root.json")).simulated, true);
  }
});

Deno.test("noise has the deviation and the memory that it was given", () => {
  const seed = testSeed("noise");
  const { sim, tree } = node({
    seed,
    noise: 0.03,
    noiseMemoryS: 0.05,
    packages: 1,
    coresPerPackage: 1,
    rampS: 0,
    idleW: 200,
    visitNoise: 0,
    raplLagS: 0,
    startJ: 0,
  });
  const watts: number[] = [];
  let last = 0;
  for (let t = 1; t <= 60_000; t++) {
    sim.publish(t * MS);
    const now = Number(tree.register(0, 0x611)) / 16384;
    watts.push((now - last) * 1000);
    last = now;
  }
  const mean = watts.reduce((a, b) => a + b) / watts.length;
  const deviation = Math.sqrt(watts.reduce((n, w) => n + (w - mean) ** 2, 0) / watts.length);
  let lagged = 0;
  for (let i = 50; i < watts.length; i++) lagged += (watts[i] - mean) * (watts[i - 50] - mean);
  const correlation = lagged / (watts.length - 50) / deviation ** 2;
  // 60 s hold about 600 independent pieces: six standard errors.
  assertAlmostEquals(mean, 200, 200 * 0.03 * Math.sqrt(1 / 600) * 6);
  assertAlmostEquals(deviation / 200, 0.03, 0.03 * 6 / Math.sqrt(1200));
  assertAlmostEquals(correlation, Math.exp(-1), 0.25);
});

Deno.test("CPUs that enter together are one visit, with one factor", () => {
  const seed = testSeed("visits");
  const { sim } = node({
    seed,
    noise: 0,
    visitNoise: 0.05,
    packages: 1,
    coresPerPackage: 2,
    rampS: 0,
    idleW: 0,
    regions: { a: 100 },
  });
  const energies: number[] = [];
  let before = 0;
  for (let visit = 0; visit < 400; visit++) {
    const t = visit * 10 * MS;
    sim.edge(t, 0, "a");
    sim.edge(t, 1, "a");
    sim.publish(t + 10 * MS);
    const now = sim.truth().package[0].joules;
    energies.push((now - before) / 2);
    before = now;
  }
  const mean = energies.reduce((a, b) => a + b) / 400;
  const deviation = Math.sqrt(energies.reduce((n, e) => n + (e - mean) ** 2, 0) / 400) / mean;
  assertAlmostEquals(deviation, 0.05, 0.05 * 6 / Math.sqrt(800));
});

Deno.test("APERF, MPERF and TSC give busy time and frequency", () => {
  const { sim, tree } = node({ regions: { half: { watts: 10, busy: 0.5, hz: 3e9 } } });
  sim.publish(5 * MS);
  const read = () => [0x10, 0xe7, 0xe8].map((r) => Number(tree.register(0, r)));
  const before = read();
  sim.edge(5 * MS, 0, "half");
  sim.publish(1005 * MS);
  const [tsc, mperf, aperf] = read().map((value, i) => value - before[i]);
  assertAlmostEquals(tsc, 2.4e9, 10);
  assertAlmostEquals(mperf / tsc, 0.5, 1e-6);
  assertAlmostEquals(aperf / mperf * 2.4e9, 3e9, 10);
  assertEquals((tree.register(0, 0x198) >> 8n) & 0xffn, 30n);
  assertEquals(tree.text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq"), "3000000\n");
});

Deno.test("the same seed gives the same node, another seed another one", () => {
  const seed = testSeed("same");
  const trees = [seed, seed, seed + 1].map((s) => {
    const { sim, tree } = node({ seed: s });
    wander(sim, 0.3, seed);
    return [...tree.files].map(([path, bytes]) => [path, [...bytes]]);
  });
  assertEquals(trees[0], trees[1]);
  assert(JSON.stringify(trees[0]) !== JSON.stringify(trees[2]));
});

Deno.test("edges that come late or from foreign CPUs do no harm", () => {
  const { sim } = node({});
  sim.edge(10 * MS, 0, "a");
  sim.publish(20 * MS);
  sim.edge(15 * MS, 0, "b");
  sim.edge(30 * MS, 99, "a");
  sim.edge(30 * MS, -1, "a");
  sim.leave(40 * MS, 0);
  sim.publish(35 * MS);
  sim.publish(100 * MS);
  const truth = sim.truth();
  assertEquals(truth.lateEdges, 1);
  assertAlmostEquals(truth.node.regions.get("a")!.cpuSeconds, 0.01, 1e-12);
  assertAlmostEquals(truth.node.regions.get("b")!.cpuSeconds, 0.02, 1e-12);
  assertAlmostEquals(sumOf(truth.node), truth.node.joules, 1e-9);
});
