/** The simulated node's tree on disk, read by the project's own readers. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import type { Reader } from "../../../src/core/machine/host.ts";
import { MachineHost } from "../../../src/os/host.ts";
import { cpufreq } from "../../../src/sources/readers/cpufreq.ts";
import { cpuinfo } from "../../../src/sources/readers/cpuinfo.ts";
import { cray } from "../../../src/sources/readers/cray.ts";
import { msr } from "../../../src/sources/readers/msr.ts";
import { powercap } from "../../../src/sources/readers/powercap.ts";
import { DirectoryTreeWriter } from "../../../src/sources/sim/run_tree_writer.ts";
import { Random } from "../../../src/core/random.ts";
import { SimulatedNode } from "../../../src/sources/sim/simulated_node.ts";
import { presetSpec, type SimSpec } from "../../../src/sources/sim/spec.ts";
import { testSeed } from "./_memory_tree.ts";

const MS = 1e6;

/** A node on disk with a reader's rows, read whenever it publishes. */
class Live implements Disposable {
  readonly dir = Deno.makeTempDirSync({ dir: "/dev/shm", prefix: "joulemark-sim-" });
  readonly writer = new DirectoryTreeWriter(this.dir);
  readonly sim: SimulatedNode;
  readonly host: MachineHost;

  constructor(spec: Partial<SimSpec>) {
    this.sim = new SimulatedNode({ ...presetSpec("both", 4), ...spec }, this.writer);
    this.sim.layOut();
    this.host = new MachineHost(this.dir);
  }

  /** Reads named rows of a reader; values by row and instance. */
  open(reader: Reader, names: readonly string[]) {
    const offer = reader.probe(this.host);
    if (!offer.ok) throw new Error(offer.reason);
    const wanted = names.map((name) => {
      const found = offer.signals.find((s) => s.row.name === name);
      if (found === undefined) throw new Error(`${name}: ${offer.missing?.get(name)?.reason}`);
      return found;
    });
    const reading = reader.open(this.host, wanted);
    const counts = wanted.map((w) => this.host.topology.count(w.row.domain));
    const out = new Float64Array(counts.reduce((a, b) => a + b));
    return {
      out,
      offer,
      read: (ns: number) => (reading.readInto(out, ns * 1e-9), out),
      troubles: () => reading.troubles,
      close: () => reading[Symbol.dispose](),
    };
  }

  [Symbol.dispose](): void {
    this.writer[Symbol.dispose]();
    Deno.removeSync(this.dir, { recursive: true });
  }
}

Deno.test("MSR, powercap and pm_counters read the energy that was drawn, over wraps", () => {
  const seed = testSeed("live");
  const random = new Random(seed);
  // Both registers wrap within the run.
  using live = new Live({ seed, startJ: 2 ** 32 / 2 ** 14 - 40, psys: true });
  const { sim } = live;
  assertEquals(live.host.topology.count("package"), 2);
  assertEquals(live.host.topology.count("cpu"), 4);
  const registers = live.open(msr, [
    "MSR::PKG_ENERGY_STATUS:ENERGY",
    "MSR::DRAM_ENERGY_STATUS:ENERGY",
    "MSR::PLATFORM_ENERGY_STATUS:ENERGY",
  ]);
  const zones = live.open(powercap, [
    "POWERCAP::CPU_ENERGY_CONSUMED",
    "POWERCAP::DRAM_ENERGY_CONSUMED",
  ]);
  const pm = live.open(cray, ["CNL::BOARD_ENERGY", "CNL::BOARD_POWER", "CNL::SAMPLE_STAMP"]);
  sim.publish(0);
  const first = [registers, zones, pm].map((r) => [...r.read(0)]);
  const regions = ["a", "b", "c"];
  const seconds = 4;
  for (let t = 5; t <= seconds * 1000; t += 5) {
    for (let cpu = 0; cpu < sim.cpus; cpu++) {
      if (random.uniform() < 0.3) {
        sim.edge(
          (t - random.uniform(0, 1)) * MS,
          cpu,
          random.uniform() < 0.2 ? undefined : regions[random.below(3)],
        );
      }
    }
    sim.publish(t * MS);
    for (const r of [registers, zones, pm]) r.read(t * MS);
  }
  const truth = sim.truth();
  const gained = [registers, zones, pm].map((r, k) => [...r.out].map((v, i) => v - first[k][i]));
  // What was drawn in the last period and lag is not shown yet: at most 400 W for 2 ms.
  const late = 400 * 0.002;
  truth.package.forEach(({ joules }, pkg) => {
    assertAlmostEquals(gained[0][pkg], joules, late);
    assertAlmostEquals(gained[0][2 + pkg], truth.dram[pkg].joules, 0.2);
    assertAlmostEquals(gained[1][pkg], joules * 61035 * 2 ** 14 / 1e9, late);
    assertAlmostEquals(gained[1][2 + pkg], truth.dram[pkg].joules * 15300 * 2 ** 16 / 1e9, 0.2);
  });
  assertAlmostEquals(gained[0][4], truth.node.joules, 1.5);
  assertAlmostEquals(gained[2][0], truth.node.joules, 800 * 0.11 + 1);
  assert(pm.out[1] > 100 && pm.out[1] < 1000);
  assertAlmostEquals(gained[2][2], seconds - 0.1, 0.11);
  for (const r of [registers, zones, pm]) {
    assertEquals([...r.troubles() ?? []], []);
    r.close();
  }
  assertEquals(truth.lateEdges > 0, true, "edges of this test are out of order on purpose");
});

Deno.test("clocks, temperatures and frequencies are read", () => {
  using live = new Live({ regions: { r: { watts: 20, busy: 1, hz: 3e9 } } });
  const clocks = live.open(msr, [
    "MSR::APERF:ACNT",
    "MSR::MPERF:MCNT",
    "MSR::THERM_STATUS:TEMPERATURE",
  ]);
  const sticker = live.open(cpuinfo, ["CPUINFO::FREQ_STICKER", "CPUINFO::FREQ_MAX"]);
  const current = live.open(cpufreq, ["CPUFREQ::SCALING_CUR_FREQ"]);
  live.sim.publish(5 * MS);
  const before = [...clocks.read(5 * MS)];
  live.sim.edge(5 * MS, 2, "r");
  live.sim.publish(105 * MS);
  const after = clocks.read(105 * MS);
  assertAlmostEquals((after[2] - before[2]) / (after[6] - before[6]) * 2.4e9, 3e9, 100);
  assert(after[8] > 20 && after[8] < 100, `${after[8]} °C`);
  assertEquals([sticker.read(0)[0], sticker.out[4]], [2.4e9, 3.4e9]);
  assertEquals(current.read(0)[2], 3e9);
  for (const r of [clocks, sticker, current]) r.close();
});

Deno.test("a tree never shows what the processor does not have", () => {
  using live = new Live({ preset: "rapl" });
  const offer = msr.probe(live.host);
  assert(offer.ok);
  const names = offer.signals.map((s) => s.row.name);
  assert(!names.some((name) => /PP0|PP1|PLATFORM_ENERGY/.test(name) && /:ENERGY$/.test(name)));
  assertEquals(cray.probe(live.host).ok, false);
  assert(live.host.simulated);
});

Deno.test("DirectoryTreeWriter cuts a file that becomes shorter, and makes it again", () => {
  const dir = Deno.makeTempDirSync({ prefix: "joulemark-tree-" });
  try {
    using writer = new DirectoryTreeWriter(`${dir}/`);
    const bytes = (text: string) => new TextEncoder().encode(text);
    const text = () => Deno.readTextFileSync(`${dir}/a/b/c`);
    writer.put("/a/b/c", "12345\n", 0o600);
    writer.patch("/a/b/c", 0, bytes("99\n"), true);
    assertEquals(text(), "99\n");
    writer.patch("/a/b/c", 0, bytes("100\n"), true);
    assertEquals(text(), "100\n");
    writer.patch("/a/b/c", 1, bytes("7"));
    assertEquals(text(), "170\n");
    writer.put("/a/b/c", "new\n");
    writer.patch("/a/b/c", 0, bytes("N"));
    assertEquals(text(), "New\n");
    assertEquals([...Deno.readDirSync(`${dir}/a/b`)].length, 1);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
});
