/**
 * Events through a real ring: marks of this process, drained, put in order, and fed to the tracker.
 * `deno bench -A tests/bench/ring_bench.ts`. On a busy machine the least time says most.
 */
import { PlatformTopology } from "../../src/core/machine/topology.ts";
import { Collector } from "../../src/marks/rings/collector.ts";
import { NodeCpus } from "../../src/marks/rings/node_cpus.ts";
import { Marker } from "../../src/marks/marker/marker.ts";
import { rawNanoseconds } from "../../src/os/clock.ts";
import { RegionTracker } from "../../src/marks/tracker/tracker.ts";
import { OrderedEvents } from "../../src/marks/tracker/ordered_events.ts";
import { RingSession } from "../marks/marker/_ring_session.ts";

/** As many as one ring has room for, with some to spare. */
const EVENTS = 10_000;

const session = new RingSession({ cycles: false });
addEventListener("unload", () => session[Symbol.dispose]());
Deno.env.set("JOULEMARK_SESSION", session.dir);
const marker = Marker.attach();
const originNs = rawNanoseconds();
const nowNs = () => rawNanoseconds() - originNs;
const topology = PlatformTopology.regular({
  packages: 1,
  coresPerPackage: 2,
  threadsPerCore: 1,
});
const tracker = new RegionTracker({ topology, profile: "bench" });
const collector = new Collector({
  directory: session.dir,
  originNs: BigInt(Math.round(originNs)),
  sink: new NodeCpus(2, new OrderedEvents(tracker)),
  nowNs,
});

Deno.bench({
  name: `${EVENTS} events: ring to tracker`,
  group: "ring",
  fn: (bench) => {
    for (let i = 0; i < EVENTS; i += 2) {
      marker.begin("solve");
      marker.end("solve");
    }
    bench.start();
    collector.drain();
    collector.feed(nowNs());
    bench.end();
    tracker.step(nowNs() * 1e-9);
  },
});
