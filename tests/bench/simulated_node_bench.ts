/**
 * What the simulated node costs its host: one publication every 5 ms, with 200 edges a second on
 * each CPU. `deno run -A tests/bench/simulated_node_bench.ts`.
 */
import { DirectoryTreeWriter } from "../../src/sources/sim/run_tree_writer.ts";
import { SimulatedNode } from "../../src/sources/sim/simulated_node.ts";
import { presetSpec } from "../../src/sources/sim/spec.ts";

const TICKS = 4000;

for (const cpus of [2, 8, 48, 128]) {
  for (const preset of ["rapl", "cray"] as const) {
    const dir = Deno.makeTempDirSync({ dir: "/dev/shm", prefix: "joulemark-sim-" });
    using writer = new DirectoryTreeWriter(dir);
    const sim = new SimulatedNode(presetSpec(preset, cpus), writer);
    sim.layOut();
    const names = ["a", "b", "c", "d", undefined];
    let edge = 0;
    const tick = (t: number) => {
      for (let cpu = 0; cpu < sim.cpus; cpu++) sim.edge((t - 1) * 1e6, cpu, names[edge++ % 5]);
      sim.publish(t * 1e6);
    };
    for (let i = 1; i <= 500; i++) tick(i * 5);
    const heap = Deno.memoryUsage().heapUsed;
    const start = performance.now();
    for (let i = 501; i <= 500 + TICKS; i++) tick(i * 5);
    const us = (performance.now() - start) * 1000 / TICKS;
    const grown = (Deno.memoryUsage().heapUsed - heap) / 1024;
    console.log(
      `${preset}, ${cpus} CPUs: ${us.toFixed(0)} µs a tick, ${(us / 50).toFixed(1)} % of a core ` +
        `at 5 ms (heap ${grown.toFixed(0)} KiB after ${TICKS} ticks)`,
    );
    Deno.removeSync(dir, { recursive: true });
  }
}
