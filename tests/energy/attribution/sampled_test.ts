/** Energies of functions from samples: errors, coverage, and what is refused. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { SAMPLED_CAUSES, SampledPowers } from "../../../src/energy/attribution/sampled.ts";
import { SampledSum, WaitingPowers } from "../../../src/energy/attribution/sampled_sum.ts";
import { own, shown } from "../../_support/judge_functions.ts";
import { sampledProgram } from "../../_support/sampled_program.ts";
import { testSeed } from "./_seed.ts";

const SEEDS = [1, 2, 3, testSeed("sampled functions")];
const MANY_SEEDS = [...SEEDS, 4, 5, 6, 7, 8, 9, 10, 11];

Deno.test("functions with long visits: all energies are determined, where shares by time are far off", () => {
  const found = shown({ functions: 30, hz: 199, kind: "long" }, SEEDS),
    text = JSON.stringify(found);
  assert(found.told > 0.98 && found.inside >= 0.9, text);
  assert(found.worst < 0.08 && found.worstByTime > 0.3, text);
});

Deno.test("100 functions with long visits are determined at 997 Hz", () => {
  const found = shown({ functions: 100, hz: 997, kind: "long" }, SEEDS.slice(2));
  assert(found.told > 0.98 && found.inside >= 0.9 && found.worst < 0.05, JSON.stringify(found));
});

Deno.test("functions that stay are determined, however the period fits between readings", () => {
  for (const [hz, isDithered] of [[99, false], [150, false], [199, true], [300, true]] as const) {
    const found = shown({ functions: 10, hz, kind: "stays", cpus: 4, isDithered }, SEEDS);
    const text = `${hz} Hz: ${JSON.stringify(found)}`;
    assert(found.told > 0.95 && found.inside >= 0.88 && found.worst < 0.06, text);
  }
});

Deno.test("functions with visits of all lengths: what is determined holds, at 997 Hz most is", () => {
  const found = shown({ functions: 30, hz: 997, kind: "mixed" }, SEEDS),
    text = JSON.stringify(found);
  assert(found.told > 0.55 && found.inside >= 0.88 && found.worstTold < 0.14, text);
  const rare = shown({ functions: 30, hz: 199, kind: "mixed" }, SEEDS);
  assert(rare.told < 0.5 && rare.inside >= 0.8, JSON.stringify(rare));
  // A caller of several functions is known better than each of them.
  assert(found.groupsTold > 0.8 && found.groupsInside >= 0.8, text);
});

Deno.test("functions with short visits, or without phases, are mostly refused", () => {
  for (const kind of ["short", "steady"] as const) {
    const found = shown({ functions: 30, hz: 199, kind }, SEEDS);
    assert(found.told < 0.25, `${kind}: ${JSON.stringify(found)}`);
  }
});

Deno.test("a counter of 100 ms and whole joules tells less, and that holds", () => {
  const found = shown({ functions: 30, hz: 199, kind: "long", counter: "node" }, SEEDS);
  assert(found.told > 0.6 && found.inside >= 0.85, JSON.stringify(found));
});

Deno.test("time that is not running has an energy of its own", () => {
  for (const off of [0.1, 0.3]) {
    const settings = { functions: 30, hz: 199, kind: "long", off } as const;
    const found = shown(settings, SEEDS), text = JSON.stringify(found);
    assert(found.told > 0.95 && found.inside >= 0.88, text);
    const inside = SEEDS.filter((seed) => {
      const { domain, idleJ } = sampledProgram({ ...settings, seed });
      const powers = new SampledPowers(domain), { energyJ, seJ } = own(powers, powers.idle);
      return Math.abs(energyJ - idleJ) <= 3 * seJ;
    });
    assert(inside.length >= SEEDS.length - 1, text);
  }
});

Deno.test("energies of all functions and of time that is not running add up to the counter's", () => {
  const { domain } = sampledProgram({ functions: 12, hz: 199, kind: "mixed", seed: 5, off: 0.2 });
  const powers = new SampledPowers(domain);
  const all = Array.from({ length: 13 }, (_, r) => own(powers, r).energyJ);
  assertAlmostEquals(all.reduce((sum, j) => sum + j, 0), domain.totalJ, 1e-6 * domain.totalJ);
});

Deno.test("too little, or what no power fits, is refused with a reason", () => {
  const made = sampledProgram({ functions: 3, hz: 199, kind: "long", seed: 5, seconds: 4 }).domain;
  const none = new SampledPowers({ ...made, stretches: [] });
  assertEquals(own(none, 0).why, SAMPLED_CAUSES.counter);
  const [stretch] = made.stretches;
  const short = {
    ...stretch,
    energyJ: stretch.energyJ.slice(0, 8),
    lengthS: stretch.lengthS.slice(0, 8),
  };
  const empty = {
    interval: new Int32Array(0),
    classOf: new Int32Array(0),
    classS: () => new Float64Array(3 * 8),
  };
  const bare = { ...short, ...empty, busyS: new Float64Array(8), seconds: new Float64Array(0) };
  const few = new SampledPowers({ ...made, stretches: [{ ...bare, isOdd: new Uint8Array(0) }] });
  assertEquals(own(few, 0).why, SAMPLED_CAUSES.counter);
  const still = { ...stretch, energyJ: new Float64Array(stretch.energyJ.length) };
  const flat = new SampledPowers({ ...made, totalJ: 0, stretches: [still] });
  for (let r = 0; r < 3; r++) assert(!(own(flat, r).energyJ > 0));
});

Deno.test("energies of functions add up to the energy of their region, and gain from it", () => {
  let before = 0, determined = 0, inside = 0;
  for (const seed of MANY_SEEDS) {
    const n = 12,
      { domain, truthJ } = sampledProgram({
        functions: n,
        hz: 199,
        kind: "mixed",
        seed,
        off: 0.2,
      });
    const powers = new SampledPowers(domain), regions = [3, 6, 12];
    // Outside of regions is what is not running and the last functions.
    const regionOf = (r: number) => regions.findIndex((end) => r < end) % 2 + 1;
    const whole = [0, 1, 2].map((g) =>
      Float64Array.from({ length: n + 1 }, (_, r) => {
        return (r === n ? 0 : regionOf(r)) === g ? powers.seconds(r) : 0;
      })
    );
    const trueJ = [1, 2].map((g) =>
      truthJ.reduce((sum, j, r) => regionOf(r) === g ? sum + j : sum, 0)
    );
    const energyJ = Float64Array.from(trueJ, (j) => 1.002 * j), seJ = energyJ.map((j) => 0.004 * j);
    const covariance = -0.5 * seJ[0] * seJ[1];
    const covarianceJ2 = Float64Array.of(seJ[0] ** 2, covariance, covariance, seJ[1] ** 2);
    const sum = new SampledSum([powers], whole, domain.totalJ, { energyJ, covarianceJ2 });
    const one = (r: number) => {
      const times = new Float64Array(n + 1), region = r === n ? 0 : regionOf(r);
      times[r] = powers.seconds(r);
      return sum.energy(new Map([[region, times]]), "short");
    };
    const regionJ = [0, 0, 0];
    for (let r = 0; r <= n; r++) {
      const found = one(r);
      regionJ[r === n ? 0 : regionOf(r)] += found.energyJ;
      if (r === n) continue;
      if (own(powers, r).why === undefined) before++;
      if (found.why !== undefined) continue;
      determined++;
      if (Math.abs(found.energyJ - truthJ[r]) <= 2 * found.seJ) inside++;
    }
    const restJ = domain.totalJ - energyJ[0] - energyJ[1];
    [restJ, ...energyJ].forEach((j, g) => assertAlmostEquals(regionJ[g], j, 1e-6 * domain.totalJ));
    // Sums of regions have the errors of their marks.
    for (const g of [1, 2]) {
      const { energyJ: joules, seJ: error, why } = sum.energy(new Map([[g, whole[g]]]), "short");
      assertAlmostEquals(joules, energyJ[g - 1], 1e-6 * joules);
      assertAlmostEquals(error, seJ[g - 1], 1e-3 * error);
      assertEquals(why, undefined);
    }
    const both = sum.energy(new Map([[1, whole[1]], [2, whole[2]]]), "short");
    assertAlmostEquals(both.seJ, Math.sqrt(covarianceJ2.reduce((a, b) => a + b)), 1e-3 * both.seJ);
  }
  const text = `${before}, ${determined}, ${inside} of ${12 * MANY_SEEDS.length}`;
  assert(determined > before && inside >= 0.88 * determined, text);
});

Deno.test("waiting in a region may draw another power than elsewhere", () => {
  for (const seed of SEEDS) {
    const n = 12,
      { domain, truthJ, idleJ } = sampledProgram({
        functions: n,
        hz: 199,
        kind: "long",
        seed,
        off: 0.3,
      });
    const powers = new SampledPowers(domain), size = powers.size + 1;
    const isInside = (r: number) => r < n / 2, waitS = powers.idleS / 2;
    const whole = [false, true].map((inside) =>
      Float64Array.from({ length: size }, (_, r) => {
        if (r === n + 1) return inside ? waitS : 0;
        return r === n ? waitS : isInside(r) === inside ? powers.seconds(r) : 0;
      })
    );
    const inside = truthJ.reduce((sum, j, r) => isInside(r) ? sum + j : sum, 0);
    // Threads that wait there spin, and so draw three times as much.
    const energyJ = Float64Array.of(inside + 1.5 * idleJ);
    const covarianceJ2 = Float64Array.of((0.002 * energyJ[0]) ** 2);
    const waiting = new WaitingPowers(1, powers.meanW, powers.powerW(powers.idle));
    const sum = new SampledSum([powers, waiting], whole, domain.totalJ + idleJ, {
      energyJ,
      covarianceJ2,
    });
    const region = sum.energy(new Map([[1, whole[1]]]), "short");
    assertAlmostEquals(region.seJ, 0.002 * energyJ[0], 1e-5 * region.seJ);
    for (let r = 0; r < n / 2; r++) {
      const times = new Float64Array(size);
      times[r] = powers.seconds(r);
      const { energyJ: joules, seJ } = sum.energy(new Map([[1, times]]), "short");
      assert(Math.abs(joules - truthJ[r]) < 4 * seJ, `${seed}: ${joules} ± ${seJ}, ${truthJ[r]}`);
      assert(seJ < 0.3 * joules, `${seed}: ${joules} ± ${seJ}`);
    }
  }
});
