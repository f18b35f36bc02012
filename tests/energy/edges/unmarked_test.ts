/**
 * Unmarked time at the ends of a run is not of the power of that between regions, and a slow counter has few
 * intervals of either.
 */
import { assert } from "@std/assert";
import { testSeed } from "./_seed.ts";
import { runWaiting, type WaitingProgram } from "./_waiting_program.ts";

const SEEDS = 30;
const SLOW = { updateS: 0.2, toldS: 0.1, stepS: 0.005, lagS: 0.01, unitJ: 1 };
const SELDOM = { updateS: 0.001, toldS: 0.001, stepS: 0.2, lagS: 0.0004, unitJ: 1e-4 };
const PROGRAM = { seconds: 60, startS: 1.3, endS: 0.7, gapW: 90 };

const CASES: readonly [name: string, program: WaitingProgram][] = [
  ["counter of 0.2 s, short gaps, ends of less", {
    ...PROGRAM,
    ...SLOW,
    endsW: 60,
    gapS: [0.002, 0.02],
    visitS: [0.002, 0.05],
  }],
  ["counter of 0.2 s, ends of more", {
    ...PROGRAM,
    ...SLOW,
    endsW: 140,
    gapS: [0.002, 0.05],
    visitS: [0.02, 0.2],
  }],
  ["counter of 0.2 s, all of one power", {
    ...PROGRAM,
    ...SLOW,
    endsW: 90,
    gapS: [0.002, 0.05],
    visitS: [0.02, 0.2],
  }],
  ["steps of 0.2 s, ends of less", {
    ...PROGRAM,
    ...SELDOM,
    startS: 0.3,
    endS: 0.3,
    endsW: 60,
    gapS: [0.01, 0.03],
    visitS: [0.05, 0.15],
  }],
];

for (const [name, program] of CASES) {
  Deno.test(`unmarked time is within its error: ${name}`, () => {
    const seed = testSeed(name);
    let told = 0, within = 0, regions = 0, regionsWithin = 0;
    for (let k = 0; k < SEEDS; k++) {
      runWaiting(program, seed + 7919 * k).forEach(({ drawnJ, fitJ, seJ }, c) => {
        if (Number.isNaN(fitJ)) return;
        const isIn = Math.abs(fitJ - drawnJ) <= 2 * seJ;
        if (c === 0) {
          told++;
          if (isIn) within++;
        } else {
          regions++;
          if (isIn) regionsWithin++;
        }
      });
    }
    console.log(`unmarked ${within} of ${told}, regions ${regionsWithin} of ${regions}`);
    // 97 % and more of each on other seeds; where powers differ 0 to 31 %, before they had one each.
    assert(told >= 12 && within >= 0.8 * told, `${within} of ${told}`);
    assert(regions >= 4 * SEEDS - 20 && regionsWithin >= 0.85 * regions, `${regionsWithin}`);
  });
}
