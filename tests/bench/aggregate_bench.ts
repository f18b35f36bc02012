/**
 * Cost of SampleAggregator.update() for each pushed signal, and of the tracker for each event.
 *
 * The baseline aggregates region hash and epoch count again for every signal, the plain way.
 * Run: `deno bench -A --config CONFIG tests/bench/aggregate_bench.ts`; figures: docs/explanation/overhead.md.
 */
import { SampleAggregator } from "../../src/energy/totals/sample_aggregator.ts";
import { aggregate } from "../../src/core/agg.ts";
import type { Domain } from "../../src/core/machine/domain.ts";
import type { SignalSource } from "../../src/core/signal.ts";
import { PlatformTopology } from "../../src/core/machine/topology.ts";
import { RegionTracker } from "../../src/marks/tracker/tracker.ts";

const CPUS = 64;
const SIGNALS = 26;

/** A batch whose values are simply there, as they are after settling. */
class Settled implements SignalSource {
  readonly values = new Float64Array(256);
  readonly #handles = new Map<string, number>();

  pushSignal(name: string, domain: Domain, index: number): number {
    const key = `${name}@${domain}-${index}`;
    let handle = this.#handles.get(key);
    if (handle === undefined) this.#handles.set(key, handle = this.#handles.size);
    return handle;
  }

  sample(handle: number): number {
    return this.values[handle];
  }

  behavior(): "monotone" {
    return "monotone";
  }
}

function prepared(domain: Domain): { source: Settled; step: () => void } {
  const source = new Settled();
  const aggregator = new SampleAggregator(source);
  for (let i = 0; i < SIGNALS; i++) aggregator.pushSignal(`S${i}`, domain, 0);
  const hash = source.pushSignal("REGION_HASH", domain, 0);
  const time = source.pushSignal("TIME", "board", 0);
  let k = 0;
  const step = () => {
    k++;
    source.values[time] = k * 0.005;
    source.values[hash] = (k >> 3) & 7;
    for (let i = 3; i < SIGNALS; i++) source.values[i] = k * i;
    aggregator.update();
  };
  for (let i = 0; i < 20000; i++) step();
  return { source, step };
}

const board = prepared("board");
const hashes = new Float64Array(CPUS).fill(7);
const all = Int32Array.from({ length: CPUS }, (_, i) => i);
let sink = 0;

Deno.bench({
  name: `update of ${SIGNALS} signals: scope aggregated for each signal (${CPUS} CPUs)`,
  group: "aggregator",
  baseline: true,
  fn() {
    for (let i = 0; i < SIGNALS; i++) {
      sink += aggregate("region_hash", hashes, all) + aggregate("min", hashes, all);
    }
    board.step();
  },
});
Deno.bench({
  name: `update of ${SIGNALS} signals: scope aggregated once a step`,
  group: "aggregator",
  fn() {
    sink += aggregate("region_hash", hashes, all) + aggregate("min", hashes, all);
    board.step();
  },
});

const topology = PlatformTopology.regular({
  packages: 2,
  coresPerPackage: CPUS / 2,
  threadsPerCore: 1,
});

/** Thousand enter/exit pairs of each of eight regions, then a step. */
function pairs(tracker: RegionTracker, cpus: number[]): () => void {
  let t = 0;
  const process = tracker.start(t, 100, cpus);
  const regions = Array.from({ length: 8 }, (_, i) => tracker.region(t, process, `r${i}`, 2));
  return () => {
    for (let n = 0; n < 1000; n++) {
      for (let r = 0; r < 8; r++) {
        tracker.enter(t += 1e-6, process, regions[r], -1, 0);
        tracker.exit(t += 1e-6, process, regions[r], 0);
      }
    }
    tracker.step(t);
  };
}

for (
  const [label, cpus] of [["1 CPU", [0]], ["64 CPUs", [...topology.cpus("board", 0)]]] as const
) {
  const run = pairs(new RegionTracker({ topology }), [...cpus]);
  for (let i = 0; i < 50; i++) run();
  Deno.bench({ name: `16,000 events and a step: process on ${label}`, group: "tracker", fn: run });
}

addEventListener("unload", () => void sink);
