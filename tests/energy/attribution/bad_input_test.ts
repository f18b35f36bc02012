/** Whatever comes in, energies are finite or not determined, with a reason, and add up. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { KindEnergies } from "../../../src/energy/attribution/kind.ts";
import { Random } from "../../../src/core/random.ts";

const LENGTHS = [0.0113, 0.0071, 0.0237];
const WATTS = [100, 220, 160];
const CPUS = Int32Array.of(0, 1, 2, 3);
const PERIOD_S = LENGTHS.reduce((a, b) => a + b);

/** Energy up to a time of the regions in turn, seen once a millisecond. */
function clean(t: number): number {
  const y = Math.max(0, Math.floor((t - 0.0003) / 0.000977) * 0.000977);
  const whole = Math.floor(y / PERIOD_S);
  let left = y - whole * PERIOD_S;
  let joules = whole * LENGTHS.reduce((sum, s, i) => sum + s * WATTS[i], 0);
  LENGTHS.forEach((length, i) => {
    joules += Math.min(Math.max(left, 0), length) * WATTS[i];
    left -= length;
  });
  return joules;
}

/** Regions in turn, and readings of one counter. */
function scene(read: (t: number, k: number) => number, seconds = 20): KindEnergies {
  const energies = new KindEnergies(
    [{ index: 0, cpus: [...CPUS], updatePeriodS: 0.001 }],
    4,
    false,
  );
  energies.live(0, 1, CPUS);
  let next = 0, region = 0;
  for (let k = 0; k * 0.005 <= seconds; k++) {
    const t = k * 0.005;
    for (; next <= t; region = (region + 1) % 3) {
      energies.edge(next, 1, region + 1);
      next += LENGTHS[region];
    }
    energies.step(t, [read(t, k)], [NaN]);
  }
  energies.finish();
  return energies;
}

/** Rules for any input. */
function holds({ sum }: KindEnergies, label: string): void {
  assert(Number.isFinite(sum.totalJ) && sum.totalJ >= 0, label);
  for (const id of sum.indexOf.keys()) {
    const { fitJ, seJ, why } = sum.sum([id]);
    if (Number.isNaN(fitJ)) assert(why !== undefined, `${label}: class ${id} has no reason`);
    else assert(fitJ >= 0 && fitJ <= sum.totalJ * (1 + 1e-9) && seJ >= 0, `${label}: ${fitJ}`);
  }
}

Deno.test("a clean run is right, and its parts add up to the counter", () => {
  const energies = scene(clean);
  holds(energies, "clean");
  assertAlmostEquals(energies.sum.totalJ, clean(20), 1e-9);
  WATTS.forEach((watts, r) => {
    const joules = watts * LENGTHS[r] / PERIOD_S * 20, { fitJ } = energies.sum.sum([r + 1]);
    assertAlmostEquals(fitJ / joules, 1, 0.02);
  });
});

Deno.test("counters that stall, restart, leap or fail leave finite values or none", () => {
  const random = new Random(5);
  const at = 8.2;
  const cases: Record<string, (t: number, k: number) => number> = {
    "never a value": () => NaN,
    "never a change": () => 1234,
    "stalls for 4 s": (t) => clean(t > at && t < at + 4 ? at : t),
    "stalls for good": (t) => clean(Math.min(t, at)),
    "restarts at 0": (t) => t < at ? 5000 + clean(t) : clean(t) - clean(at),
    "leaps by a gigajoule": (t) => clean(t) + (t > at ? 1e9 : 0),
    "leaps and comes back": (t, k) => clean(t) + (k === 1500 ? 1e9 : 0),
    "falls and comes back": (t, k) => k === 1500 ? 0 : clean(t),
    "fails now and then": (t) => random.uniform() < 0.1 ? NaN : clean(t),
    "fails for a while": (t) => t > at && t < at + 3 ? NaN : clean(t),
    infinite: (t, k) => k === 1000 ? Infinity : clean(t),
    "leaps by what could be": (t) => clean(t) + (t > at ? 3000 : 0),
    noise: () => random.uniform(-1e6, 1e6),
    "falls only": (t) => -clean(t),
    "whole kilojoules": (t) => Math.floor(clean(t) / 1000) * 1000,
  };
  for (const [label, read] of Object.entries(cases)) holds(scene(read), label);
  const { fitJ } = scene(cases["restarts at 0"]).sum.sum([1]);
  assertAlmostEquals(fitJ / (WATTS[0] * LENGTHS[0] / PERIOD_S * 20), 1, 0.03);
});

Deno.test("programs of every odd kind leave finite values or none", () => {
  const power = (t: number) => 150 * Math.floor(t * 1000) / 1000;
  const run = (
    edges: readonly (readonly [number, number])[],
    { seconds = 10, lives = true, cpus = CPUS } = {},
  ) => {
    const counter = { index: 0, cpus: [...CPUS], updatePeriodS: 0.001 };
    const energies = new KindEnergies([counter], 4, false);
    if (lives) energies.live(0, 1, cpus);
    let next = 0;
    for (let k = 0; k * 0.005 <= seconds; k++) {
      const t = k * 0.005;
      for (; next < edges.length && edges[next][0] <= t; next++) {
        energies.edge(edges[next][0], 1, edges[next][1]);
      }
      energies.step(t, [power(t)], [NaN]);
    }
    energies.finish();
    return energies;
  };
  const none = run([]);
  holds(none, "no region");
  assertAlmostEquals(none.sum.sum([0]).fitJ, 1500, 0.2);
  const single = run([[0, 1]]);
  holds(single, "a single region");
  assertAlmostEquals(single.sum.sum([1]).fitJ, 1500, 0.2);
  const empty = run([[1, 1], [1, 0]]);
  holds(empty, "a visit of no length");
  assertEquals(empty.sum.sum([1]).fitJ, 0);
  assertEquals(empty.sum.sum([5]).fitJ, 0);
  holds(run([], { lives: false }), "no process");
  holds(run([[9.9999, 1]]), "the last moment");
  holds(run([[5, 1]], { cpus: Int32Array.of(99) }), "a CPU that the node does not have");
  holds(run([[5, 1]], { cpus: new Int32Array(0) }), "no CPU");
  holds(run([], { seconds: 0.005 }), "one interval");
  holds(run([], { seconds: 0 }), "one step");
});

Deno.test("clocks that step back or leap leave finite values or none", () => {
  const random = new Random(6);
  for (const leap of [-3, 3, 1e6]) {
    const counter = { index: 0, cpus: [...CPUS], updatePeriodS: 0.001 };
    const energies = new KindEnergies([counter], 4, false);
    energies.live(0, 1, CPUS);
    for (let k = 0; k < 3000; k++) {
      const t = k * 0.005 + (k > 2000 ? leap : 0);
      energies.edge(t, 1, random.below(4));
      energies.step(t, [k * 0.7], [NaN]);
    }
    energies.finish();
    holds(energies, `leap ${leap}`);
  }
});

Deno.test("restart() forgets everything before it", () => {
  const energies = new KindEnergies(
    [{ index: 0, cpus: [...CPUS], updatePeriodS: 0.001 }],
    4,
    false,
  );
  energies.live(0, 1, CPUS);
  energies.edge(0, 1, 1);
  for (let k = 0; k < 100; k++) energies.step(k * 0.005, [k], [NaN]);
  energies.restart();
  energies.live(0.5, 2, CPUS);
  energies.edge(0.5, 2, 2);
  for (let k = 100; k < 200; k++) energies.step(k * 0.005, [k], [NaN]);
  energies.finish();
  assertEquals(energies.sum.totalJ, 99);
  assertEquals(energies.sum.sum([1]).fitJ, 0);
  assertAlmostEquals(energies.sum.sum([2]).fitJ, 99, 1e-9);
});

Deno.test("time without begin and end has its part of the lane's energy", () => {
  const random = new Random(8);
  const energies = new KindEnergies([{ index: 0, cpus: [0], updatePeriodS: 0.001 }], 1, false);
  energies.live(0, 1, Int32Array.of(0));
  const watts = [60, 180];
  let joules = 0, inside = 0, t = 0, insideJ = 0;
  for (let k = 0; k < 3000; k++) {
    const part = k % 7 < 3 ? random.uniform(0.2, 0.9) : 0;
    energies.step(t, [joules], [NaN]);
    t += 0.005;
    // Class 2 has a part of the step, within class 1.
    energies.edge(t - 0.005, 1, 1);
    if (part > 0) energies.fold(1, 2, part * 0.005, 1);
    joules += 0.005 * (watts[1] * part + watts[0] * (1 - part));
    inside += part * 0.005;
    insideJ += 0.005 * watts[1] * part;
  }
  energies.step(t, [joules], [NaN]);
  energies.finish();
  const { fitJ, seJ, cpuS } = energies.sum.sum([2]);
  assertAlmostEquals(cpuS, inside, 0.01);
  assert(Math.abs(fitJ - insideJ) < 4 * seJ + 0.02 * insideJ, `${fitJ} ± ${seJ}, ${insideJ}`);
});
