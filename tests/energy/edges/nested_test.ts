/** Nested regions: the energy of a region with all inside it, and its error, covariances included. */
import { assert, assertAlmostEquals } from "@std/assert";
import { Attribution } from "../../../src/energy/edges/attribution.ts";
import type { KindResult } from "../../../src/energy/edges/add_up.ts";
import { makeProgram } from "../../_support/sim_programs.ts";
import { runProgram } from "../../_support/sim_recording.ts";
import { testSeed } from "./_seed.ts";
import { edgesOf } from "./_table.ts";

/** Classes: 1 is around 2 and 3, 4 is around 5. */
const PARENTS = [-1, 0, 1, 1, 0, 4];
const parentOf = (c: number) => PARENTS[c] ?? 0;

/** A program of five classes, and what each drew. */
function run(seed: number, kind: "package" | "node"): { result: KindResult; joules: number[] } {
  const made = makeProgram("random 10 ms", { seed, seconds: 40 });
  const program = { ...made, spec: { ...made.spec, raplPeriodS: 0.000977 } };
  const attribution = new Attribution({
    cpuCount: program.spec.coresPerPackage,
    method: "fit",
    counters: [{
      kind,
      index: 0,
      cpus: program.processes[0].cpus,
      updatePeriodS: kind === "package" ? 0.001 : 0.1,
    }],
    parentOf,
  });
  const edges = edgesOf(program);
  let next = 0;
  const sim = runProgram(program, { dither: 0.25 }, (step) => {
    for (; next < edges.length && edges[next].ns * 1e-9 <= step.timeS; next++) {
      attribution.edge(edges[next].ns * 1e-9, edges[next].cpus, edges[next].region);
    }
    const value = kind === "package" ? step.packageJ : step.nodeJ;
    attribution.step(step.timeS, Float64Array.of(value), Float64Array.of(NaN));
  });
  const truth = kind === "package" ? sim.truth().package[0] : sim.truth().node;
  const joules = program.regions.map((region) => truth.regions.get(region)!.joules);
  return { result: attribution.result(true).get(kind)!, joules: [0, ...joules] };
}

Deno.test("a region with all inside it has their sum, within an error of its own", () => {
  const seed = testSeed("nested");
  let covered = 0;
  let told = 0;
  let squares = 0;
  for (let k = 0; k < 12; k++) {
    const { result, joules } = run(seed + 7919 * k, k % 2 === 0 ? "package" : "node");
    for (const family of [[1, 2, 3], [4, 5], [1, 2, 3, 4, 5], [2], [5]]) {
      const { fitJ, seJ } = result.sum(family);
      const parts = family.map((c) => result.of(c).fitJ).reduce((a, b) => a + b);
      if (!Number.isNaN(parts)) assertAlmostEquals(fitJ / parts, 1, 1e-9);
      assert(Number.isFinite(fitJ), `${family}: ${result.sum(family).why}`);
      const error = Math.abs(fitJ - family.reduce((sum, c) => sum + joules[c], 0));
      told++;
      squares += (error / seJ) ** 2;
      if (error <= 2 * seJ) covered++;
    }
    // What one region takes too much the one beside it has too little, but not all that is
    // uncertain is between them.
    const single = [1, 2, 3].reduce((sum, c) => sum + result.of(c).seJ, 0);
    assert(result.sum([1, 2, 3]).seJ < single, `${result.sum([1, 2, 3]).seJ} ${single}`);
    const all = result.sum([0, 1, 2, 3, 4, 5]);
    assertAlmostEquals(all.exactJ / result.totalJ, 1, 1e-9);
    assertAlmostEquals(all.fitJ / result.totalJ, 1, 1e-9);
  }
  console.log(`coverage ${covered} of ${told}, error / SE ${Math.sqrt(squares / told)}`);
  assert(covered >= 0.85 * told, `${covered} of ${told}`);
});

Deno.test("power is that of the domain while all its CPUs are there", () => {
  const { result, joules } = run(testSeed("power"), "package");
  // One process owns all four CPUs, so a region's power is its energy over its time.
  const { powerW, fitJ } = result.sum([1]);
  assert(powerW > 80 && powerW < 320, String(powerW));
  assertAlmostEquals(fitJ / joules[1], 1, 0.05);
});

Deno.test("of many nested regions the seldom ones count with the region around them", () => {
  // 40 outermost regions of 5 ms; in each, now and then one of 40 short ones.
  const parents = [-1, ...Array.from({ length: 40 }, () => 0)];
  for (let top = 1; top <= 40; top++) for (let k = 0; k < 5; k++) parents.push(top);
  const attribution = new Attribution({
    cpuCount: 4,
    method: "fit",
    counters: [{ kind: "package", index: 0, cpus: [0, 1, 2, 3], updatePeriodS: 0.001 }],
    parentOf: (c) => parents[c] ?? 0,
  });
  const cpus = [0, 1, 2, 3];
  attribution.edge(0, cpus, -1);
  let joules = 0;
  const marks: [number, number][] = [[0, 0]];
  const truth = new Float64Array(parents.length);
  let random = testSeed("seldom") | 1;
  const next = () => (random = Math.imul(random, 48271) & 0x7fffffff) / 0x7fffffff;
  let nextStep = 0;
  for (let t = 0; t < 60;) {
    const top = 1 + Math.floor(40 * next());
    const inside = 41 + (top - 1) * 5 + Math.floor(5 * next());
    for (const [c, length] of [[top, 0.004 + 0.004 * next()], [inside, 0.0004 * next()]]) {
      while (nextStep <= t) {
        attribution.step(nextStep, Float64Array.of(at(marks, nextStep)), Float64Array.of(NaN));
        nextStep += 0.005 * (1 + 0.25 * (next() - 0.5));
      }
      attribution.edge(t, cpus, c - 1);
      const watts = 100 + (c <= 40 ? 4 * c : 4 * parents[c]);
      joules += watts * length;
      truth[c <= 40 ? c : parents[c]] += watts * length;
      t += length;
      marks.push([t, joules]);
    }
  }
  const result = attribution.result(true).get("package")!;
  let told = 0;
  for (let top = 1; top <= 40; top++) {
    const family = [top, ...[0, 1, 2, 3, 4].map((k) => 41 + (top - 1) * 5 + k)];
    const { fitJ } = result.sum(family);
    if (Number.isNaN(fitJ)) continue;
    told++;
    assert(Math.abs(fitJ / truth[top] - 1) < 0.1, `${top}: ${fitJ} ${truth[top]}`);
  }
  assert(told >= 35, `${told} of 40 told`);
});

/** Energy at a time, of a counter that shows it at once. */
function at(marks: readonly (readonly [number, number])[], t: number): number {
  const shown = Math.floor(t / 0.000977) * 0.000977;
  let k = marks.length - 1;
  while (k > 0 && marks[k - 1][0] > shown) k--;
  if (k === 0) return 0;
  const [t0, j0] = marks[k - 1];
  const [t1, j1] = marks[k];
  return t1 > t0 ? j0 + (j1 - j0) * Math.min(1, (shown - t0) / (t1 - t0)) : j1;
}
