import { assertEquals } from "@std/assert";
import { PlatformTopology } from "../../../src/core/machine/topology.ts";
import { RegionTracker } from "../../../src/marks/tracker/tracker.ts";
import { NodeCpus } from "../../../src/marks/rings/node_cpus.ts";

const topology = PlatformTopology.regular({ packages: 1, coresPerPackage: 4, threadsPerCore: 1 });

Deno.test("NodeCpus counts a CPU outside the node as CPU c mod N, and remembers that it did", () => {
  const cpus = new NodeCpus(4, new RegionTracker({ topology }));
  assertEquals(cpus.on([0, 3]), [0, 3]);
  assertEquals(cpus.at(-1), -1);
  assertEquals(cpus.moved, false);
  assertEquals(cpus.on([2, 4, 6, 9]), [0, 1, 2]);
  assertEquals(cpus.at(7), 3);
  assertEquals(cpus.moved, true);
});

Deno.test("NodeCpus puts processes of a larger machine on the node's CPUs", () => {
  const tracker = new RegionTracker({ topology });
  const sink = new NodeCpus(4, tracker);
  const process = sink.start(0, 10, [5, 6]);
  const region = sink.region(0, process, "solve", 2);
  sink.enter(1, process, region, 2, 0);
  sink.threadCpus(1, process, 11, [7]);
  sink.exit(2, process, region, 0);
  sink.shutdown(3, process);
  tracker.step(3);
  assertEquals(tracker.processes()[0].cpus, [1, 2]);
  assertEquals(tracker.regions()[0].runtimeS, 1);
});
