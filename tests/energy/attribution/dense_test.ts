/** Very many visits at a time: of their stretches some are fitted, and the others have their powers. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { Random } from "../../../src/core/random.ts";
import { KindEnergies } from "../../../src/energy/attribution/kind.ts";
import { cpusTo } from "./_program.ts";
import { testSeed } from "./_seed.ts";

const MANY = 160, CLASSES = 12, STEP_S = 0.005, VISIT_S = 0.02, UNIT_J = 2 ** -14;
const NOISE = 0.03, NOISE_S = 0.05;

/** Counts slices of work. */
class CountedEnergies extends KindEnergies {
  slices = 0;

  override work(): boolean {
    this.slices++;
    return super.work();
  }
}

/**
 * Threads on a CPU each go from class to class at random; how often they take which changes in phases.
 *
 * @param each Slices of work after each step.
 * @param fewUntilS There are two classes until then.
 * @param lanesInAll Number of threads.
 */
function play(seed: number, seconds: number, each = 1, fewUntilS = 0, lanesInAll = MANY) {
  const random = new Random(seed), watts = cpusTo(CLASSES).map(() => random.uniform(0.5, 1.5));
  const counter = { index: 0, cpus: cpusTo(lanesInAll), updatePeriodS: 0.001 };
  const energies = new CountedEnergies([counter], lanesInAll, false),
    drawnJ = new Float64Array(CLASSES);
  const mixed = (timeS: number) =>
    watts.map((_, c) => c < 2 || timeS >= fewUntilS ? random.uniform(0.1, 1) : 0);
  let mix = mixed(0), phaseEndS = 0, noise = 0, joules = 0;
  const drawn = () => {
    let rest = random.uniform(0, mix.reduce((sum, share) => sum + share, 0)), c = 0;
    while (c < CLASSES - 1 && (rest -= mix[c]) > 0) c++;
    return c;
  };
  const lanes = cpusTo(lanesInAll).map((lane) => {
    energies.live(0, lane, Int32Array.of(lane));
    const c = drawn();
    energies.edge(0, lane, c + 1);
    return { c, sinceS: 0, untilS: random.uniform(0, 2 * VISIT_S) };
  });
  const keeps = Math.exp(-STEP_S / NOISE_S), none = Float64Array.of(NaN);
  energies.step(0, [0], none);
  for (let k = 1; k * STEP_S <= seconds; k++) {
    const nowS = k * STEP_S;
    if (nowS > phaseEndS) [phaseEndS, mix] = [nowS + random.uniform(0.3, 2), mixed(nowS)];
    noise = keeps * noise + NOISE * Math.sqrt(1 - keeps * keeps) * random.normal();
    const draw = (lane: typeof lanes[0], timeS: number) => {
      const j = (timeS - lane.sinceS) * watts[lane.c] * (1 + noise);
      drawnJ[lane.c] += j;
      joules += j;
      lane.sinceS = timeS;
    };
    const changes: { timeS: number; number: number }[] = [];
    lanes.forEach((lane, number) => {
      for (; lane.untilS < nowS; lane.untilS += VISIT_S * random.uniform(0.5, 1.5)) {
        changes.push({ timeS: lane.untilS, number });
      }
    });
    for (const { timeS, number } of changes.sort((a, b) => a.timeS - b.timeS)) {
      draw(lanes[number], timeS);
      lanes[number].c = drawn();
      energies.edge(timeS, number, lanes[number].c + 1);
    }
    for (const lane of lanes) draw(lane, nowS);
    energies.step(nowS, [Math.round(joules / UNIT_J) * UNIT_J], none);
    for (let slice = 0; slice < each; slice++) energies.work();
  }
  const { slices } = energies;
  energies.finish();
  return { energies, drawnJ, slices };
}

// With 100 threads some stretches are fitted, and visits have effects of their own; with 10 all are fitted.
for (const lanes of [MANY, 100, 10]) {
  Deno.test(`${lanes} threads: all energies of a long run are determined, within their errors`, () => {
    let inside = 0;
    // By the third one, a fit takes chance for a power that depends on other threads.
    const seeds = [1, 2, 2048944656, testSeed("dense")];
    for (const seed of seeds) {
      const { energies: { sum }, drawnJ } = play(seed, 300, 1, 0, lanes), all = [...drawnJ.keys()];
      for (const c of all) {
        const { fitJ, seJ } = sum.sum([c + 1]);
        const text = `seed ${seed}, class ${c}: ${fitJ} ± ${seJ}`;
        assert(seJ < 0.05 * fitJ, text);
        const distance = Math.abs(fitJ - drawnJ[c]) / seJ;
        assert(distance < 6, text);
        if (distance <= 2) inside++;
      }
      const total = sum.total(all.map((c) => c + 1)).energyJ;
      assertAlmostEquals(total / drawnJ.reduce((s, j) => s + j, 0), 1, 1e-3);
    }
    assert(inside >= 0.8 * CLASSES * seeds.length, `${inside} inside`);
  });
}

Deno.test("classes that begin later are determined, too", () => {
  const { energies: { sum }, drawnJ } = play(1, 300, 1, 60);
  drawnJ.forEach((joules, c) => {
    const { fitJ, seJ } = sum.sum([c + 1]), text = `class ${c}: ${fitJ} ± ${seJ}, drawn ${joules}`;
    assert(seJ < 0.1 * fitJ && Math.abs(fitJ - joules) < 6 * seJ, text);
  });
});

Deno.test("a step does not fit what a stretch has left to do when the next one is complete", () => {
  // Five stretches of some seconds.
  const [slow, quick] = [0, 1000].map((each) => play(3, 40, each));
  assertEquals(slow.slices, 0, "no work but what is asked for");
  for (let c = 1; c <= CLASSES; c++) {
    assertEquals(slow.energies.sum.sum([c]), quick.energies.sum.sum([c]));
  }
});
