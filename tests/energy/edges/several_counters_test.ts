/** Several packages, their memory and the node: each by itself, then added up. */
import { OTHER } from "../../../src/energy/edges/attribution.ts";
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import type { CounterSpec } from "../../../src/energy/edges/attribution.ts";
import { Random } from "../../../src/sources/sim/random.ts";
import { play } from "./_scene.ts";
import { testSeed } from "./_seed.ts";

const COUNTERS: readonly CounterSpec[] = [
  { kind: "package", index: 0, cpus: [0, 1], updatePeriodS: 0.001 },
  { kind: "package", index: 1, cpus: [2, 3], updatePeriodS: 0.001 },
  { kind: "dram", index: 0, cpus: [0, 1], updatePeriodS: 0.001 },
  { kind: "node", index: 0, cpus: [0, 1, 2, 3] },
];
/** W of one CPU in a region: package, memory. Region 2 runs on the second package only. */
const WATTS = [[20, 8], [60, 2], [35, 5]];

/** Two processes that are not aligned, one a package; energies by region and counter. */
function program(random: Random, seconds: number) {
  const edges: { t: number; cpus: number[]; region: number }[] = [];
  const joules = [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]];
  const pieces: { t: number; watts: number[] }[] = [];
  for (const pkg of [0, 1]) {
    const cpus = [2 * pkg, 2 * pkg + 1];
    edges.push({ t: 0, cpus, region: -1 });
    let region = 0;
    for (let t = 0; t < seconds;) {
      const length = Math.min(random.uniform(0.003, 0.03), seconds - t);
      edges.push({ t, cpus, region });
      const [watts, dram] = WATTS[region].map((w) => 2 * w * (1 + 0.02 * random.normal()));
      const change = [0, 0, 0, 0];
      change[pkg] = watts;
      change[2] = pkg === 0 ? dram : 0;
      change[3] = watts + dram;
      change.forEach((w, k) => joules[k][region] += w * length);
      pieces.push({ t, watts: change }, { t: t + length, watts: change.map((w) => -w) });
      t += length;
      region = (region + 1 + random.below(pkg === 0 ? 1 : 2)) % (pkg === 0 ? 2 : 3);
    }
  }
  edges.sort((a, b) => a.t - b.t);
  pieces.sort((a, b) => a.t - b.t);
  return { edges, joules, pieces };
}

Deno.test("Attribution tells each counter by itself, and adds packages up", () => {
  const random = new Random(testSeed("several"));
  const seconds = 40;
  const { edges, joules, pieces } = program(random, seconds);
  let next = 0;
  let last = 0;
  const power = [0, 0, 0, 0];
  const energy = [0, 0, 0, 0];
  const advance = (to: number) => {
    power.forEach((w, k) => energy[k] += w * (to - last));
    last = to;
  };
  const read = (t: number) => {
    const seen = Math.max(0, Math.floor((t - 0.0002) / 0.000977) * 0.000977);
    for (; next < pieces.length && pieces[next].t <= seen; next++) {
      advance(pieces[next].t);
      pieces[next].watts.forEach((w, k) => power[k] += w);
    }
    advance(seen);
    return [...energy];
  };
  const result = play({ counters: COUNTERS, seconds, edges, read });
  const packages = result.get("package")!;
  const fits: [string, (r: number) => number, number][] = [
    ["package", (r) => joules[0][r] + joules[1][r], 0.02],
    ["dram", (r) => joules[2][r], 0.04],
    ["node", (r) => joules[3][r], 0.04],
  ];
  for (const [kind, truth, within] of fits) {
    const { of, totalJ } = result.get(kind as "package")!;
    let sum = of(0).exactJ;
    for (let r = 0; r < 3; r++) {
      const { fitJ, exactJ, seJ } = of(r + 1);
      sum += exactJ;
      if (truth(r) === 0) assertEquals(fitJ, 0);
      else assertAlmostEquals(fitJ / truth(r), 1, within, `${kind} ${r} ± ${seJ}`);
    }
    assertAlmostEquals(sum / totalJ, 1, 1e-9, kind);
  }
  assertEquals(packages.counters.map(({ index }) => index), [0, 1]);
  // Region 2 never ran on the first package: that part is 0 for certain.
  assert(packages.counters[0].untold.every((c) => c !== 3));
});

Deno.test("Attribution gives the energy of packages without the application to other CPUs", () => {
  const edges = [{ t: 0, cpus: [0, 1], region: -1 }, { t: 0, cpus: [0, 1], region: 0 }];
  const read = (t: number) => [100 * t, 30 * t, 10 * t, 150 * t];
  const result = play({ counters: COUNTERS, seconds: 5, edges, read });
  const { of, totalJ, otherCpus } = result.get("package")!;
  assertAlmostEquals(totalJ, 650, 1e-9);
  assertAlmostEquals(otherCpus.fitJ, 150, 1e-9);
  assertAlmostEquals(otherCpus.exactJ, 150, 1e-9);
  // The update that the first reading shows was half a period before, on average.
  assertAlmostEquals(of(0).exactJ, 0.05, 1e-3);
  assertAlmostEquals(of(0).exactJ + of(1).exactJ, 500, 1e-9);
  assertAlmostEquals(of(1).fitJ, 499.95, 0.1);
});

/** Two packages of two CPUs, both at constant power. */
const TWO = [0, 1].map((index) => ({
  kind: "package" as const,
  index,
  cpus: [2 * index, 2 * index + 1],
}));

Deno.test("Attribution gives CPUs to nobody while none of their processes lives", () => {
  const edges = [
    { t: 0, cpus: [0, 1], region: -1 },
    { t: 0, cpus: [0, 1], region: 0 },
    // The second process comes late, and ends early.
    { t: 1, cpus: [2, 3], region: -1 },
    { t: 1, cpus: [2, 3], region: 0 },
    { t: 3, cpus: [2, 3], region: -1 },
    { t: 3, cpus: [2, 3], region: OTHER },
  ];
  const read = (t: number) => [100 * t, 30 * t];
  const result = play({ counters: TWO, seconds: 5, edges, read });
  const { of, totalJ, otherCpus } = result.get("package")!;
  assertAlmostEquals(totalJ, 650, 1e-9);
  assertAlmostEquals(otherCpus.exactJ, 90, 0.5);
  assertAlmostEquals(of(1).exactJ, 560, 0.5);
  assertAlmostEquals(of(0).exactJ + of(1).exactJ + otherCpus.exactJ, 650, 1e-9);
});

Deno.test("Attribution makes 300 regions fit: the longest by themselves, the rest untold", () => {
  const random = new Random(testSeed("300 regions"));
  const seconds = 60;
  const edges = [{ t: 0, cpus: [0, 1, 2, 3], region: -1 }];
  for (let t = 0; t < seconds; t += random.uniform(0.001, 0.008)) {
    // The first hundred come ten times as often.
    const region = random.uniform() < 0.9 ? random.below(100) : 100 + random.below(200);
    edges.push({ t, cpus: [0, 1, 2, 3], region });
  }
  const read = (t: number) => [150 * Math.floor(t * 1024) / 1024, 0, 0, 0];
  const counters = [{ ...COUNTERS[0], cpus: [0, 1, 2, 3] }];
  const { of, totalJ, counters: [facts] } = play({ counters, seconds, edges, read })
    .get("package")!;
  let sum = 0;
  let told = 0;
  for (let c = 0; c <= 300; c++) {
    const { exactJ, fitJ, why } = of(c);
    sum += exactJ;
    if (Number.isFinite(fitJ)) told += fitJ;
    else assert(why !== undefined);
  }
  assertAlmostEquals(sum / totalJ, 1, 1e-9);
  assertAlmostEquals((told + facts.jointJ) / totalJ, 1, 1e-9);
  // Of 300, a few of the rare ones may never have run.
  assert(facts.untold.length >= 90);
});
