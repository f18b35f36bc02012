import { assert, assertEquals, assertThrows } from "@std/assert";
import { SampleAggregator } from "../../../src/energy/totals/sample_aggregator.ts";
import type { Domain } from "../../../src/core/machine/domain.ts";
import { UsageError } from "../../../src/core/errors.ts";
import {
  type Cell,
  number,
  readVectors,
  topologyOf,
  type VectorSignal,
  VectorSource,
  type VectorTopology,
} from "./_vector_source.ts";

interface Results {
  application: Cell;
  epoch: Cell;
  epoch_last: Cell;
  period_last: Cell;
  region: Record<string, Cell>;
  region_last: Record<string, Cell>;
}

interface Push {
  signal: string;
  domain: Domain;
  index: number;
  mode: "auto" | "total" | "average";
  label: string;
}

interface Case {
  name: string;
  topology: VectorTopology;
  signals: Record<string, VectorSignal>;
  push: Push[];
  period_duration: number | null;
  regions: string[];
  updates: number;
  expect: {
    push_errors: { label: string; code: number }[];
    checkpoints: { after_update: number; period: number; results: Record<string, Results> }[];
  };
}

function push(aggregator: SampleAggregator, p: Push): number {
  if (p.mode === "total") return aggregator.pushSignalTotal(p.signal, p.domain, p.index);
  if (p.mode === "average") return aggregator.pushSignalAverage(p.signal, p.domain, p.index);
  return aggregator.pushSignal(p.signal, p.domain, p.index);
}

function near(actual: number, expected: Cell, what: string): void {
  const e = number(expected);
  const same = Object.is(actual, e) || Math.abs(actual - e) <= 1e-12 * Math.abs(e);
  assert(same, `${what}: expected ${e}, found ${actual}`);
}

for (const c of readVectors<{ cases: Case[] }>("aggregator.json").cases) {
  Deno.test(`SampleAggregator does as the original in ${c.name}`, () => {
    const source = new VectorSource(topologyOf(c.topology), c.signals);
    const aggregator = new SampleAggregator(source);
    if (c.period_duration !== null) aggregator.periodDuration(c.period_duration);
    const handles = new Map<string, number>();
    const failed: string[] = [];
    for (const p of c.push) {
      try {
        handles.set(p.label, push(aggregator, p));
      } catch (error) {
        assert(error instanceof UsageError);
        failed.push(p.label);
      }
    }
    assertEquals(failed, c.expect.push_errors.map((e) => e.label));
    let compared = 0;
    const check = (after: number) => {
      const point = c.expect.checkpoints.find((k) => k.after_update === after);
      if (point === undefined) return;
      assertEquals(aggregator.getPeriod(), point.period);
      for (const [label, r] of Object.entries(point.results)) {
        const i = handles.get(label)!;
        const at = `${label} after update ${after}`;
        near(aggregator.sampleApplication(i), r.application, `application ${at}`);
        near(aggregator.sampleEpoch(i), r.epoch, `epoch ${at}`);
        near(aggregator.sampleEpochLast(i), r.epoch_last, `epoch_last ${at}`);
        near(aggregator.samplePeriodLast(i), r.period_last, `period_last ${at}`);
        for (const [hash, value] of Object.entries(r.region)) {
          near(aggregator.sampleRegion(i, Number(hash)), value, `region ${hash} ${at}`);
          const last = r.region_last[hash];
          near(aggregator.sampleRegionLast(i, Number(hash)), last, `region_last ${hash} ${at}`);
        }
        compared++;
      }
    };
    check(-1);
    for (let row = 0; row < c.updates; row++) {
      source.row = row;
      aggregator.update();
      check(row);
    }
    assert(compared > 0, "nothing was compared");
  });
}

const oneCpu: Record<string, VectorSignal> = {
  TIME: {
    domain: "cpu",
    aggregation: "select_first",
    behavior: "monotone",
    values: [[0], [1], [2], [3], [4]],
  },
  REGION_HASH: {
    domain: "cpu",
    aggregation: "region_hash",
    behavior: "label",
    values: [[7], [7], [7], [8], [8]],
  },
  EPOCH_COUNT: {
    domain: "cpu",
    aggregation: "min",
    behavior: "monotone",
    values: [[0], [0], [0], [0], [0]],
  },
  ENERGY: {
    domain: "cpu",
    aggregation: "sum",
    behavior: "monotone",
    values: [[10], ["NaN"], [14], [15], [17]],
  },
};

function oneCpuAggregator(): { source: VectorSource; aggregator: SampleAggregator } {
  const topology = topologyOf({ packages: 1, cores_per_package: 1, threads_per_core: 1 });
  const source = new VectorSource(topology, oneCpu);
  return { source, aggregator: new SampleAggregator(source) };
}

Deno.test("update() leaves a total alone while its signal is NaN", () => {
  // time    0    1    2    3    4
  // region  7    7    7    8    8
  // J       10   -    14   15   17     7: 4 + 1, 8: 2
  const { source, aggregator } = oneCpuAggregator();
  const energy = aggregator.pushSignal("ENERGY", "cpu", 0);
  for (source.row = 0; source.row < 5; source.row++) aggregator.update();
  assertEquals(aggregator.sampleRegion(energy, 7), 5);
  assertEquals(aggregator.sampleRegion(energy, 8), 2);
  assertEquals(aggregator.sampleApplication(energy), 7);
});

Deno.test("restart() makes the next update the first one", () => {
  const { source, aggregator } = oneCpuAggregator();
  const time = aggregator.pushSignal("TIME", "board", 0);
  for (source.row = 0; source.row < 3; source.row++) aggregator.update();
  assertEquals(aggregator.sampleApplication(time), 2);
  aggregator.restart();
  assertEquals(aggregator.sampleApplication(time), NaN);
  for (; source.row < 5; source.row++) aggregator.update();
  assertEquals(aggregator.sampleApplication(time), 1);
  assertEquals(aggregator.sampleRegion(time, 7), 0);
});

Deno.test("sample_region_last is NAN if period_duration was not called: a value, as GEOPM's program has it", () => {
  const { source, aggregator } = oneCpuAggregator();
  const time = aggregator.pushSignal("TIME", "board", 0);
  for (source.row = 0; source.row < 5; source.row++) aggregator.update();
  assertEquals(aggregator.samplePeriodLast(time), NaN);
  // The visit to 7, from 0 to 3 s, is over; that to 8 is not.
  assertEquals(aggregator.sampleRegionLast(time, 7), 3);
  assertEquals(aggregator.sampleRegionLast(time, 8), 0);
});

Deno.test("SampleAggregator refuses what comes too late or makes no sense", () => {
  const { source, aggregator } = oneCpuAggregator();
  assertThrows(() => aggregator.periodDuration(0), UsageError, "above 0");
  const time = aggregator.pushSignal("TIME", "board", 0);
  source.row = 0;
  aggregator.update();
  assertThrows(() => aggregator.pushSignal("ENERGY", "cpu", 0), UsageError, "first update");
  assertThrows(() => aggregator.periodDuration(1), UsageError, "first update");
  assertThrows(() => aggregator.sampleApplication(time + 100), UsageError, "handle");
});
