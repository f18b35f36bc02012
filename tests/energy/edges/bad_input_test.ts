/** Whatever comes in, energies are finite and not negative or not told, and add up. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { Attribution } from "../../../src/energy/edges/attribution.ts";
import type { AttributionResult } from "../../../src/energy/edges/attribution.ts";
import { Random } from "../../../src/sources/sim/random.ts";
import { energyOf, loop, PACKAGE, play } from "./_scene.ts";
import { testSeed } from "./_seed.ts";

const LENGTHS = [0.0113, 0.0071, 0.0237];
const WATTS = [100, 220, 160];
const CLEAN = energyOf(LENGTHS, WATTS);

/** The rules that hold for any input. */
function holds(result: AttributionResult, classes: number, label: string): void {
  for (const [kind, { of, totalJ, sampledJ, otherCpus }] of result) {
    let exact = otherCpus.exactJ;
    assert(Number.isFinite(totalJ) && totalJ >= 0, label);
    for (let c = 0; c < classes; c++) {
      const { exactJ, fitJ, seJ, why } = of(c);
      exact += exactJ;
      assert(Number.isFinite(exactJ) && exactJ >= 0, `${label}: ${kind} ${c} exact ${exactJ}`);
      assert(Number.isFinite(sampledJ(c)) && sampledJ(c) >= 0, label);
      if (Number.isNaN(fitJ)) assert(why !== undefined, `${label}: ${c} no reason`);
      else assert(fitJ >= 0 && fitJ <= totalJ * (1 + 1e-9) && seJ >= 0, `${label}: ${c} ${fitJ}`);
    }
    assertAlmostEquals(exact, totalJ, 1e-9 * Math.max(1, totalJ), label);
  }
}

function scene(read: (t: number, k: number) => number, seconds = 30) {
  return play({ seconds, edges: loop(seconds, LENGTHS), read: (t, k) => [read(t, k)] });
}

Deno.test("a clean run is told right, and its parts add up to the counter", () => {
  const result = scene(CLEAN);
  const { of, totalJ } = result.get("package")!;
  holds(result, 4, "clean");
  assertAlmostEquals(totalJ, CLEAN(30), 1e-9);
  WATTS.forEach((watts, r) => {
    const joules = watts * LENGTHS[r] / 0.0421 * 30;
    const { fitJ, seJ } = of(r + 1);
    assertAlmostEquals(fitJ / joules, 1, 0.01);
    assert(seJ < 0.05 * joules);
  });
});

Deno.test("counters that stall, restart, leap or fail leave finite figures or none", () => {
  const random = new Random(testSeed("counters"));
  const at = random.uniform(5, 25);
  const cases: Record<string, (t: number, k: number) => number> = {
    "never a value": () => NaN,
    "never a change": () => 1234,
    "stalls for 4 s": (t) => CLEAN(t > at && t < at + 4 ? at : t),
    "stalls for good": (t) => CLEAN(Math.min(t, at)),
    "restarts at 0": (t) => t < at ? 5000 + CLEAN(t) : CLEAN(t) - CLEAN(at),
    "leaps by a gigajoule": (t) => CLEAN(t) + (t > at ? 1e9 : 0),
    "leaps and comes back": (t, k) => CLEAN(t) + (k === 1500 ? 1e9 : 0),
    "falls and comes back": (t, k) => k === 1500 ? 0 : CLEAN(t),
    "fails now and then": (t) => random.uniform() < 0.1 ? NaN : CLEAN(t),
    "fails for a while": (t) => t > at && t < at + 3 ? NaN : CLEAN(t),
    "infinite": (t, k) => k === 1000 ? Infinity : CLEAN(t),
    "leaps by what could be": (t) => CLEAN(t) + (t > at ? 3000 : 0),
    "noise": () => random.uniform(-1e6, 1e6),
    "falls only": (t) => -CLEAN(t),
    "whole kilojoules": (t) => Math.floor(CLEAN(t) / 1000) * 1000,
  };
  for (const [label, read] of Object.entries(cases)) holds(scene(read), 4, label);
  const restarted = scene(cases["restarts at 0"]).get("package")!;
  assertAlmostEquals(restarted.of(1).fitJ / (WATTS[0] * LENGTHS[0] / 0.0421 * 30), 1, 0.02);
  const failing = scene(cases["fails now and then"]).get("package")!;
  // The last readings may have failed as well.
  assertAlmostEquals(failing.totalJ, CLEAN(30), 6);
});

Deno.test("programs of every odd kind leave finite figures or none", () => {
  const cpus = [0, 1, 2, 3];
  const start = { t: 0, cpus, region: -1 };
  const power = (t: number) => [150 * Math.floor(t * 1000) / 1000];
  const run = (edges: Parameters<typeof play>[0]["edges"], seconds = 10) =>
    play({ seconds, edges, read: power });

  const none = run([start]);
  holds(none, 1, "no region");
  assertAlmostEquals(none.get("package")!.of(0).fitJ, 1500, 0.2);

  const single = run([start, { t: 0.0001, cpus, region: 0 }]);
  holds(single, 2, "a single region");
  assertAlmostEquals(single.get("package")!.of(1).exactJ, 1500, 1);
  assertAlmostEquals(single.get("package")!.of(1).fitJ, 1500, 1);

  const empty = run([start, { t: 1, cpus, region: 0 }, { t: 1, cpus, region: -1 }]);
  holds(empty, 2, "a visit of no length");
  assertEquals(empty.get("package")!.of(1).fitJ, 0);
  assertEquals(empty.get("package")!.of(5).fitJ, 0);

  holds(run([]), 1, "no process");
  holds(run([{ t: 9.9999, cpus, region: 0 }]), 2, "the last moment");
  holds(run([start, { t: 5, cpus: [], region: 0 }, { t: 6, cpus: [99], region: 0 }]), 2, "no CPU");
  holds(run([start], 0.005), 1, "one interval");
  holds(run([start], 0), 1, "one step");
});

Deno.test("regions that are never apart are not told, and their sum is", () => {
  const seconds = 20;
  const edges: { t: number; cpus: number[]; region: number }[] = [
    { t: 0, cpus: [0, 1, 2, 3], region: -1 },
  ];
  const random = new Random(testSeed("never apart"));
  let joules = 0;
  const marks: { t: number; j: number }[] = [{ t: 0, j: 0 }];
  for (let t = 0.01; t < seconds;) {
    // Regions 0 and 1 side by side, or region 2, or region 3.
    const which = random.below(3);
    const length = random.uniform(0.002, 0.02);
    if (which === 0) {
      edges.push({ t, cpus: [0, 1], region: 0 }, { t, cpus: [2, 3], region: 1 });
    } else edges.push({ t, cpus: [0, 1, 2, 3], region: which + 1 });
    joules += length * [200, 120, 260][which] * (1 + 0.03 * random.normal());
    t += length;
    marks.push({ t, j: joules });
  }
  const read = (t: number) => {
    const y = Math.max(0, Math.floor((t - 0.0002) / 0.000977) * 0.000977);
    let low = 0;
    let high = marks.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (marks[middle].t <= y) low = middle;
      else high = middle;
    }
    const [a, b] = [marks[low], marks[high]];
    return [a.j + (b.j - a.j) * Math.min(1, (y - a.t) / (b.t - a.t))];
  };
  const result = play({ seconds, edges, read });
  holds(result, 5, "never apart");
  const { of, counters, totalJ } = result.get("package")!;
  assertEquals(of(1).why, "always in the same mix with other regions");
  assertEquals(of(2).why, "always in the same mix with other regions");
  assert(of(3).why === undefined && of(4).why === undefined);
  const [facts] = counters;
  assert(facts.untold.includes(1) && facts.untold.includes(2));
  // So is the short unmarked time at the beginning.
  const told = [0, 3, 4].map((c) => of(c).fitJ).filter(Number.isFinite);
  assertAlmostEquals(told.reduce((a, b) => a + b, facts.jointJ), totalJ, 1e-9 * totalJ);
  assert(facts.jointSeJ > 0 && facts.jointSeJ < 0.05 * facts.jointJ);
});

Deno.test("regions of equal power are equal within their errors", () => {
  const lengths = [0.0041, 0.0089, 0.0023];
  const read = (
    t: number,
  ) => [Math.floor(150 * Math.floor(t / 0.000977) * 0.000977 * 16384) / 16384];
  const result = play({ seconds: 30, edges: loop(30, lengths), read });
  holds(result, 4, "equal");
  const { of } = result.get("package")!;
  lengths.forEach((length, r) => {
    const joules = 150 * 30 * length / 0.0153;
    assertAlmostEquals(of(r + 1).fitJ / joules, 1, 0.01);
  });
});

Deno.test("clocks that step back or leap leave finite figures or none", () => {
  const random = new Random(testSeed("clocks"));
  for (const leap of [-3, 3, 1e6]) {
    const attribution = new Attribution({ cpuCount: 4, counters: [PACKAGE], method: "fit" });
    const value = new Float64Array(1);
    const stamp = Float64Array.of(NaN);
    attribution.edge(0, [0, 1, 2, 3], -1);
    for (let k = 0; k < 4000; k++) {
      const t = k * 0.005 + (k > 2000 ? leap : 0);
      attribution.edge(t, [0, 1, 2, 3], random.below(4) - 1);
      value[0] = k * 0.7;
      attribution.step(t, value, stamp);
    }
    holds(attribution.result(true), 4, `leap ${leap}`);
  }
});

Deno.test("restart() forgets everything before it", () => {
  const attribution = new Attribution({ cpuCount: 4, counters: [PACKAGE], method: "exact" });
  const stamp = Float64Array.of(NaN);
  attribution.edge(0, [0, 1, 2, 3], 0);
  for (let k = 0; k < 100; k++) attribution.step(k * 0.005, Float64Array.of(k), stamp);
  attribution.restart();
  attribution.edge(0.5, [0, 1], 1);
  for (let k = 100; k < 200; k++) attribution.step(k * 0.005, Float64Array.of(k), stamp);
  const { of, totalJ } = attribution.result(true).get("package")!;
  assertEquals(totalJ, 99);
  assertEquals(of(1).exactJ, 0);
  assertAlmostEquals(of(2).exactJ, 99, 1e-9);
});
