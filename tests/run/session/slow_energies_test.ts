/** Energies at the begin and the end of a run, of counters that are renewed rarely. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { SlowEnergies } from "../../../src/run/session/slow_energies.ts";
import { Batch, type NameTable, type ResolvedName } from "../../../src/sources/signals/batch.ts";
import { PlatformTopology } from "../../../src/core/machine/topology.ts";
import type { SignalRow } from "../../../src/core/signal.ts";

const PERIOD_S = 0.1, SAMPLE_S = 0.005;
const ROW: SignalRow = {
  name: "NODE_ENERGY",
  domain: "board",
  unit: "J",
  behavior: "monotone",
  agg: "sum",
  about: "",
};

/** True energy at a time, J. */
type Course = (timeS: number) => number;

/** A batch over one counter that shows the energy at its last renewal. */
function batchOf(course: Course, phaseS: number, periodS = PERIOD_S) {
  const provider = {
    name: "TEST",
    signals: [],
    open: () => ({
      readInto(out: Float64Array, timeS: number) {
        out[0] = course(Math.floor((timeS - phaseS) / PERIOD_S) * PERIOD_S + phaseS);
      },
      [Symbol.dispose]() {},
    }),
  };
  const signal = { row: ROW, source: "", quality: "measured" as const, updatePeriodS: periodS };
  const found: ResolvedName = { kind: "offered", provider, signal, phase: "read" };
  const table: NameTable = { resolve: () => found, names: () => [] };
  const topology = PlatformTopology.regular({
    packages: 1,
    coresPerPackage: 1,
    threadsPerCore: 1,
  });
  const batch = new Batch(topology, table);
  batch.pushSignal("NODE_ENERGY", "board", 0);
  return batch;
}

/** Energy of a run from `startS` on, and for how long it was read on. */
function energyOf(batch: Batch, startS: number, endS: number): [joules: number, afterS: number] {
  batch.read(startS);
  const first = batch.values[0];
  const slow = new SlowEnergies(batch);
  slow.begin(startS);
  for (let t = startS + SAMPLE_S; t < endS; t += SAMPLE_S) {
    batch.read(t);
    slow.read(t);
  }
  batch.read(endS);
  slow.read(endS);
  const last = batch.values.slice();
  let nowS = endS;
  slow.end();
  slow.readOn((untilS) => nowS = untilS)(last, endS);
  return [last[0] - first, nowS - endS];
}

const constant = (watts: number): Course => (timeS) => 5000 + watts * timeS;
/** Power that is higher in the run. */
const busy = (startS: number, endS: number): Course => (timeS) =>
  5000 + 100 * timeS + 200 * Math.min(Math.max(timeS - startS, 0), endS - startS);

for (const phaseS of [0, 0.013, 0.05, 0.087]) {
  Deno.test(`a counter of 0.1 s has the energy of the run, wherever its changes are (${phaseS})`, () => {
    const [joules, afterS] = energyOf(batchOf(constant(300), phaseS), 10, 13);
    assertAlmostEquals(joules, 900, 2);
    assert(afterS <= 2.2 * PERIOD_S + 1e-9, `${afterS}`);
    const [more] = energyOf(batchOf(busy(10, 13), phaseS), 10, 13);
    // The power before the begin is not known: at most a quarter of a period of the difference.
    assertAlmostEquals(more, 900, 0.25 * PERIOD_S * 200 + 2);
    const [short] = energyOf(batchOf(constant(300), phaseS), 10, 10.16);
    assertAlmostEquals(short, 48, 2);
  });
}

Deno.test("a run that is shorter than the period, with a change in it, has its own energy", () => {
  const [joules] = energyOf(batchOf(constant(300), 0.05), 10.03, 10.07);
  assertAlmostEquals(joules, 12, 2);
});

Deno.test("a counter that is renewed more often than known gives back what was taken away", () => {
  const [joules] = energyOf(batchOf(constant(300), 0.05, 0.4), 10.03, 13);
  assertAlmostEquals(joules, 891, 2);
});

Deno.test("values never step back", () => {
  const batch = batchOf(busy(10.5, 13), 0.09);
  batch.read(10);
  const slow = new SlowEnergies(batch);
  slow.begin(10);
  for (let t = 10 + SAMPLE_S, last = batch.values[0]; t < 11; t += SAMPLE_S) {
    batch.read(t);
    slow.read(t);
    assert(batch.values[0] >= last, `${t}`);
    last = batch.values[0];
  }
});

Deno.test("a run without a change of its counter stays without energy, and is not waited for", () => {
  assertEquals(energyOf(batchOf(constant(300), 0.05), 10.06, 10.14), [0, 0]);
});

Deno.test("a counter that is renewed each millisecond is as it is read", () => {
  const batch = batchOf(constant(300), 0.05, 0.001);
  batch.read(0);
  assert(new SlowEnergies(batch).isEmpty);
});
