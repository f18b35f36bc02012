/** A load that follows late, as a fast counter and a slow one show it. */
import { assert, assertEquals } from "@std/assert";
import { KindEnergies } from "../../../src/energy/attribution/kind.ts";
import { Random } from "../../../src/core/random.ts";

const CPUS = Int32Array.of(0, 1), WATTS = [12, 30, 60, 95], SECONDS = 30, LAG_S = 0.003;
/** Steps of the load's power. */
const STEP_S = 0.0002;

/** Time constants of the load and of the slow counter's own filter; 0: there is none. */
interface Times {
  readonly loadS: number;
  readonly filterS: number;
}

/** A power that follows a given one with a time constant, and its energy over time. */
class Follower {
  watts = WATTS[0];
  readonly #wattsOf: number[] = [];
  readonly #joulesAt = [0];
  readonly #gain: number;

  constructor(orderS: number) {
    this.#gain = orderS > 0 ? 1 - Math.exp(-STEP_S / orderS) : 1;
  }

  get joules(): number {
    return this.#joulesAt[this.#wattsOf.length];
  }

  step(watts: number): void {
    this.watts += (watts - this.watts) * this.#gain;
    this.#joulesAt.push(this.joules + this.watts * STEP_S);
    this.#wattsOf.push(this.watts);
  }

  joulesTo(timeS: number): number {
    const k = Math.min(Math.max(0, Math.floor(timeS / STEP_S)), this.#wattsOf.length - 1);
    return this.#joulesAt[k] + (timeS - k * STEP_S) * this.#wattsOf[k];
  }
}

/** Visits of classes at random: the load's power follows each one's, and the slow counter's own filter follows it. */
function visits({ loadS, filterS }: Times, random: Random) {
  const all: { startS: number; classId: number }[] = [], drawnJ = [0, 0, 0, 0];
  const load = new Follower(loadS), filter = new Follower(filterS);
  let steps = 0;
  for (let t = 0; t < SECONDS;) {
    const classId = Math.floor(random.uniform(0, 4)), endS = t + random.uniform(0.004, 0.06);
    const watts = WATTS[classId] * (1 + 0.02 * random.normal()), beginJ = load.joules;
    all.push({ startS: t, classId });
    for (; t < Math.min(endS, SECONDS); t = ++steps * STEP_S) {
      load.step(watts);
      filter.step(load.watts);
    }
    drawnJ[classId] += load.joules - beginJ;
  }
  return { all, drawnJ, load, filter };
}

/** Errors of the slow counter's energies, in standard errors, by class; and its response. */
function play(times: Times, seed: number) {
  const random = new Random(seed), { all, drawnJ, load, filter } = visits(times, random);
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
    const fastJ = load.joulesTo(Math.floor(timeS / 0.00098) * 0.00098 - 0.0003);
    const slowJ = filter.joulesTo(Math.floor((timeS + 0.04) / 0.1) * 0.1 - 0.04 - LAG_S);
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
    const { errors, kernel } = play({ loadS, filterS: 0 }, seed);
    assert(kernel.isKnown && Math.abs(kernel.orderS / loadS - 1) < 0.1, `${kernel.orderS} s`);
    assert(errors.every((z) => z < 3), errors.join());
    assert(errors.filter((z) => z <= 2).length >= 3, errors.join());
  }
});

Deno.test("a slow counter that filters a load that follows late has both time constants", () => {
  for (const seed of [1, 2]) {
    const { errors, kernel } = play({ loadS: 0.01, filterS: 0.06 }, seed);
    assert(Math.abs(kernel.loadS - 0.01) < 0.001 && kernel.orderS > 0.05, JSON.stringify(kernel));
    assert(errors.every((z) => z < 3), errors.join());
    assert(errors.filter((z) => z <= 2).length >= 3, errors.join());
  }
});

Deno.test("without a time constant of the load a slow counter's answer is its own", () => {
  const { kernel } = play({ loadS: 0, filterS: 0 }, 5);
  assertEquals([kernel.loadS, kernel.isKnown], [0, undefined]);
});
