/** Nested regions without edges: their energy by the time that they took between samples. */
import { assert, assertAlmostEquals } from "@std/assert";
import { Attribution } from "../../../src/energy/edges/attribution.ts";
import { PlatformTopology } from "../../../src/core/machine/topology.ts";
import { RegionTracker } from "../../../src/marks/tracker/tracker.ts";
import { buildTree } from "../../../src/energy/totals/build_tree.ts";
import { Random } from "../../../src/sources/sim/random.ts";
import { testSeed } from "./_seed.ts";

const CPUS = [0, 1, 2, 3];
/** Class 1 is outermost, with 2 and 3 inside it; class 4 is outermost by itself. */
const WATTS = [60, 100, 260, 140, 200];

/** A package whose counter moves each millisecond, and samples of it at 4 to 6 ms. */
class Meter {
  timeS = 0;
  /** By class, since the last sample: time without edges, s. */
  readonly tookS = new Float64Array(5);
  /** When the last sample was, and how long after that the next one is. */
  sampledS = 0;
  periodS = 0.005;
  #joules = 0;
  #shown = 0;
  #shownS = 0;

  /** @param beforeSample Tells what came folded. */
  constructor(
    readonly attribution: Attribution,
    readonly random: Random,
    readonly beforeSample: (meter: Meter) => void,
  ) {}

  /** A visit of 0.2 to 3 ms. @param isFolded It has no edges. @returns Its energy, J. */
  visit(c: number, isFolded: boolean): number {
    const { random } = this;
    let joules = 0;
    for (let left = random.uniform(0.0002, 0.003); left > 0;) {
      const nextS = Math.min(this.#shownS + 0.000977, this.sampledS + this.periodS);
      const length = Math.min(left, nextS - this.timeS);
      const part = WATTS[c] * (1 + 0.03 * random.normal()) * length;
      joules += part;
      this.#joules += part;
      if (isFolded) this.tookS[c] += length;
      this.timeS += length;
      left -= length;
      if (this.timeS >= this.#shownS + 0.000977 - 1e-12) {
        [this.#shownS, this.#shown] = [this.timeS, this.#joules];
      }
      if (this.timeS >= this.sampledS + this.periodS - 1e-12) this.#sample();
    }
    return joules;
  }

  #sample(): void {
    this.beforeSample(this);
    this.tookS.fill(0);
    this.attribution.step(this.timeS, Float64Array.of(this.#shown), Float64Array.of(NaN));
    this.sampledS = this.timeS;
    this.periodS = 0.005 * this.random.uniform(0.75, 1.25);
  }
}

/** Visits of 0.2 to 3 ms: of the outermost regions by edges, of what is nested by time alone. */
function run(seed: number) {
  const random = new Random(seed);
  const attribution = new Attribution({
    cpuCount: 4,
    method: "fit",
    counters: [{ kind: "package", index: 0, cpus: CPUS, updatePeriodS: 0.001 }],
    parentOf: (c) => c === 2 || c === 3 ? 1 : 0,
    outermostOf: (c) => c === 2 || c === 3 ? 1 : c,
  });
  const truth = new Float64Array(5);
  attribution.edge(0, CPUS, -1);
  let outer = 0, mix = 0.5;
  const meter = new Meter(attribution, random, ({ tookS }) => {
    if (outer === 0) return;
    for (const path of [1, 2, 3]) attribution.folded(path - 1, tookS[path], CPUS);
  });
  while (meter.timeS < 40) {
    // Now and then the other outermost region, and another mix inside the first.
    if (random.uniform() < 0.05) {
      outer = outer === 1 ? 4 : 1;
      mix = random.uniform();
      attribution.edge(meter.timeS, CPUS, outer - 1);
    }
    const inside = random.uniform() < mix ? 2 : random.uniform() < 0.5 ? 3 : 1;
    const c = outer === 1 ? inside : outer;
    truth[c] += meter.visit(c, true);
  }
  return { result: attribution.result(true).get("package")!, truth };
}

Deno.test("nested regions that come folded have the energy of the time that they took", () => {
  const seed = testSeed("folded");
  let covered = 0, squares = 0, told = 0;
  for (let k = 0; k < 10; k++) {
    const { result, truth } = run(seed + 7919 * k);
    for (const family of [[1], [2], [3], [4], [1, 2, 3]]) {
      const { fitJ, seJ, why } = result.sum(family);
      assert(Number.isFinite(fitJ), `${family}: ${why}`);
      const joules = family.reduce((sum, c) => sum + truth[c], 0);
      assertAlmostEquals(fitJ / joules, 1, 0.05, `${family}`);
      told++;
      squares += ((fitJ - joules) / seJ) ** 2;
      if (Math.abs(fitJ - joules) <= 2 * seJ) covered++;
    }
    const all = result.sum([0, 1, 2, 3, 4]);
    assertAlmostEquals(all.exactJ / result.totalJ, 1, 1e-9);
    // A part that cannot be told, as unmarked time of some ms, may be below 0 by its error.
    const isWhole = [0, 1, 2, 3, 4].every((c) => result.sum([c]).why === undefined);
    assertAlmostEquals(all.fitJ / result.totalJ, 1, isWhole ? 1e-9 : 1e-3);
  }
  console.log(`coverage ${covered} of ${told}, error / SE ${Math.sqrt(squares / told)}`);
  assert(covered >= 0.8 * told, `${covered} of ${told}`);
});

/**
 * Visits of 0.2 to 3 ms: class 1 by edges, 0, 2 and 3 outside of it, 2 and 3 folded.
 *
 * @param around What CPUs show outside of class 1: unmarked, or another thread's region.
 */
function runWhole(seed: number, around: number) {
  const random = new Random(seed);
  const attribution = new Attribution({
    cpuCount: 4,
    method: "fit",
    counters: [{ kind: "package", index: 0, cpus: CPUS, updatePeriodS: 0.001 }],
  });
  const truth = new Float64Array(5);
  attribution.edge(0, CPUS, around - 1);
  let isEdge = false, mix = 0.5;
  const meter = new Meter(attribution, random, ({ tookS }) => {
    for (const path of [2, 3]) {
      attribution.folded(path - 1, tookS[path], CPUS, { isPast: isEdge, isNested: false });
    }
  });
  while (meter.timeS < 40) {
    if (random.uniform() < 0.02) mix = random.uniform();
    const c = random.uniform() < 0.25
      ? 1
      : random.uniform() < mix
      ? 2
      : random.uniform() < 0.5
      ? 3
      : 0;
    if (isEdge !== (c === 1)) attribution.edge(meter.timeS, CPUS, c === 1 ? 0 : around - 1);
    isEdge = c === 1;
    truth[c === 0 ? around : c] += meter.visit(c, true);
  }
  return { result: attribution.result(true).get("package")!, truth };
}

Deno.test("whole outermost visits that come folded have the energy of the time that they took", () => {
  const seed = testSeed("whole");
  let covered = 0, told = 0, asked = 0;
  for (let k = 0; k < 10; k++) {
    const around = k % 2 === 0 ? 0 : 4;
    const { result, truth } = runWhole(seed + 7919 * k, around);
    assert(result.counters[0].lack?.why === "visits came without their times");
    for (const family of [[around], [1], [2], [3], [2, 3]]) {
      const { fitJ, seJ } = result.sum(family);
      const joules = family.reduce((sum, c) => sum + truth[c], 0);
      asked++;
      if (Number.isNaN(fitJ)) continue;
      assertAlmostEquals(fitJ / joules, 1, 0.1, `${family}`);
      told++;
      if (Math.abs(fitJ - joules) <= 2 * seJ) covered++;
    }
    const all = result.sum([0, 1, 2, 3, 4]);
    assertAlmostEquals(all.exactJ / result.totalJ, 1, 1e-9);
    assertAlmostEquals(all.fitJ / result.totalJ, 1, 1e-3);
  }
  console.log(`coverage ${covered} of ${told} told of ${asked}`);
  assert(told >= 0.9 * asked && covered >= 0.8 * told, `${covered} of ${told} of ${asked}`);
});

/**
 * Visits of 0.2 to 3 ms: class 1 all the time, 2 and 3 inside it, in their order for a part of each period
 * and folded when there is no more room, until the next look.
 */
function runMixed(seed: number) {
  const random = new Random(seed);
  const attribution = new Attribution({
    cpuCount: 4,
    method: "fit",
    counters: [{ kind: "package", index: 0, cpus: CPUS, updatePeriodS: 0.001 }],
    parentOf: (c) => c === 2 || c === 3 ? 1 : 0,
    outermostOf: (c) => c === 2 || c === 3 ? 1 : c,
  });
  const truth = new Float64Array(5);
  attribution.edge(0, CPUS, 0);
  let mix = 0.5;
  const meter = new Meter(attribution, random, ({ tookS }) => {
    for (const path of [2, 3]) {
      if (tookS[path] === 0) continue;
      attribution.folded(path - 1, tookS[path], CPUS, { isPast: false, isNested: true });
    }
  });
  while (meter.timeS < 40) {
    if (random.uniform() < 0.05) mix = random.uniform();
    const c = random.uniform() < mix ? 2 : random.uniform() < 0.5 ? 3 : 1;
    const isFull = meter.timeS >= meter.sampledS + 0.4 * meter.periodS;
    const isFolded = isFull && c !== 1, hasEdges = !isFull && c !== 1;
    if (hasEdges) attribution.edge(meter.timeS, CPUS, c - 1);
    truth[c] += meter.visit(c, isFolded);
    if (hasEdges) attribution.edge(meter.timeS, CPUS, 0);
  }
  return { result: attribution.result(true).get("package")!, truth };
}

Deno.test("nested regions that come folded now and then have the energy of all the time that they took", () => {
  const seed = testSeed("mixed");
  let covered = 0, told = 0, asked = 0;
  for (let k = 0; k < 10; k++) {
    const { result, truth } = runMixed(seed + 7919 * k);
    for (const family of [[1], [2], [3], [1, 2, 3]]) {
      const { fitJ, seJ } = result.sum(family);
      const joules = family.reduce((sum, c) => sum + truth[c], 0);
      asked++;
      if (Number.isNaN(fitJ)) continue;
      assertAlmostEquals(fitJ / joules, 1, 0.1, `${family}`);
      told++;
      if (Math.abs(fitJ - joules) <= 2 * seJ) covered++;
    }
    const all = result.sum([0, 1, 2, 3]);
    assertAlmostEquals(all.exactJ / result.totalJ, 1, 1e-9);
    assertAlmostEquals(all.fitJ / result.totalJ, 1, 1e-3);
  }
  console.log(`coverage ${covered} of ${told} told of ${asked}`);
  assert(told >= 0.9 * asked && covered >= 0.8 * told, `${covered} of ${told} of ${asked}`);
});

Deno.test("the tracker adds folded visits to the tree, and does not count their outermost twice", () => {
  const topology = PlatformTopology.regular({ packages: 1, coresPerPackage: 4, threadsPerCore: 1 });
  const tracker = new RegionTracker({ topology });
  const folded: { path: number; seconds: number; cpus: number }[] = [];
  tracker.pathCpus.listener = () => {};
  tracker.pathCpus.foldedListener = (path, seconds, { length }) => {
    folded.push({ path, seconds, cpus: length });
  };
  const p = tracker.start(0, 1, [0, 1]);
  const main = tracker.region(0, p, "main", 0);
  tracker.folding(0, p, 0);
  tracker.enter(0, p, main, -1, 0);
  const outer = tracker.paths.add(0, "main");
  const inner = tracker.paths.add(outer, "solve");
  const add = (path: number, count: number, sumNs: number, selfNs: number) =>
    tracker.folded(1, p, 0, {
      path,
      count,
      sumNs,
      sumSquareNs2: sumNs * sumNs / Math.max(1, count),
      selfNs,
      minNs: count > 0 ? sumNs / count : Infinity,
      maxNs: count > 0 ? sumNs / count : 0,
    });
  add(inner, 4, 8e8, 8e8);
  add(outer, 0, 0, 2e8);
  tracker.exit(1, p, main, 0);
  add(outer, 1, 1e9, 0);
  tracker.foldedLengths(1, p, 0, { path: inner, bucket: 110, visits: 4 });
  const tree = buildTree({ paths: tracker.paths, stats: tracker.regionPaths.stats, processes: 1 })!;
  const rows = tree.rows.map(({ region, count, runtimeS, selfS }) => ({
    region,
    count,
    runtimeS: Number(runtimeS.toFixed(9)),
    selfS: Number(selfS.toFixed(9)),
  }));
  assert(
    JSON.stringify(rows) === JSON.stringify([
      { region: "main", count: 1, runtimeS: 1, selfS: 0.2 },
      { region: "solve", count: 4, runtimeS: 0.8, selfS: 0.8 },
    ]),
    JSON.stringify(rows),
  );
  assert(JSON.stringify(folded[0]) === JSON.stringify({ path: inner, seconds: 0.8, cpus: 2 }));
});
