/** A load that follows late, as a fast counter and a slow one show it. */
import { assert, assertEquals } from "@std/assert";
import { KindEnergies } from "../../../src/energy/attribution/kind.ts";
import { Random } from "../../../src/core/random.ts";

const CPUS = Int32Array.of(0, 1), WATTS = [12, 30, 60, 95], SECONDS = 30, LAG_S = 0.003;
/** Steps of the load's power. */
const STEP_S = 0.0002;

/** Visits of classes at random: power follows each one's with a time constant. */
function visits(loadS: number, random: Random) {
  const all: { startS: number; classId: number }[] = [], drawnJ = [0, 0, 0, 0];
  // By step: its power, and the energy at its begin.
  const wattsOf: number[] = [], joulesAt = [0];
  for (let t = 0, power = WATTS[0]; t < SECONDS;) {
    const classId = Math.floor(random.uniform(0, 4)), endS = t + random.uniform(0.004, 0.06);
    const watts = WATTS[classId] * (1 + 0.02 * random.normal());
    all.push({ startS: t, classId });
    const beginJ = joulesAt[wattsOf.length];
    for (; t < Math.min(endS, SECONDS); t = wattsOf.length * STEP_S) {
      power += (watts - power) * (loadS > 0 ? 1 - Math.exp(-STEP_S / loadS) : 1);
      joulesAt.push(joulesAt[wattsOf.length] + power * STEP_S);
      wattsOf.push(power);
    }
    drawnJ[classId] += joulesAt[wattsOf.length] - beginJ;
  }
  const energyAt = (timeS: number) => {
    const k = Math.min(Math.max(0, Math.floor(timeS / STEP_S)), wattsOf.length - 1);
    return joulesAt[k] + (timeS - k * STEP_S) * wattsOf[k];
  };
  return { all, drawnJ, energyAt };
}

/** Errors of the slow counter's energies, in standard errors, by class; and its response. */
function play(loadS: number, seed: number) {
  const random = new Random(seed), { all, drawnJ, energyAt } = visits(loadS, random);
  const cpus = [0, 1];
  const fast = new KindEnergies([{ index: 0, cpus, updatePeriodS: 0.001 }], 2, false);
  const counters = [{ index: 1, cpus, updatePeriodS: 0.1 }];
  const slow = new KindEnergies(counters, 2, false, fast);
  const kinds = [fast, slow];
  let next = 0;
  for (const kind of kinds) kind.live(0, 0, CPUS);
  const steps = SECONDS / 0.005;
  for (let k = 0; k <= steps; k++) {
    const inside = k === 0 || k === steps ? 0 : random.uniform(0, 0.25);
    const timeS = 0.005 * (k + inside);
    for (; next < all.length && all[next].startS <= timeS; next++) {
      for (const kind of kinds) kind.edge(all[next].startS, 0, all[next].classId);
    }
    const fastJ = energyAt(Math.floor(timeS / 0.00098) * 0.00098 - 0.0003);
    const slowJ = energyAt(Math.floor((timeS + 0.04) / 0.1) * 0.1 - 0.04 - LAG_S);
    fast.step(timeS, [Math.floor(fastJ * 2 ** 14) / 2 ** 14], [NaN]);
    slow.step(timeS, [Math.floor(slowJ * 100) / 100], [NaN]);
  }
  for (const kind of kinds) kind.finish();
  const errors = drawnJ.map((joules, c) => {
    const { fitJ, seJ } = slow.sum.sum([c]);
    return Math.abs(fitJ - joules) / seJ;
  });
  return { errors, kernel: slow.facts.get(0)!.response!.kernel };
}

Deno.test("a slow counter's energies know the time constant of the load from a fast counter", () => {
  for (const [loadS, seed] of [[0.006, 1], [0.006, 2], [0.012, 3], [0.002, 4]]) {
    const { errors, kernel } = play(loadS, seed);
    assert(kernel.isKnown && Math.abs(kernel.orderS / loadS - 1) < 0.1, `${kernel.orderS} s`);
    assert(errors.every((z) => z < 3), errors.join());
    assert(errors.filter((z) => z <= 2).length >= 3, errors.join());
  }
});

Deno.test("without a time constant of the load a slow counter's answer is its own", () => {
  const { kernel } = play(0, 5);
  assertEquals([kernel.isLoad, kernel.isKnown], [false, undefined]);
});
