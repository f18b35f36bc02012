/**
 * Regions that are there at one end of the run only: every change of a counter is an interval, and
 * what lies beyond the first and last of them is in the standard error.
 */
import { assert } from "@std/assert";
import { phases, SETUP, startUp } from "./_odd_programs.ts";
import { testSeed } from "./_seed.ts";
import { measureProgram, type Outcome, summarise, type Way, WAYS } from "./_table.ts";

const SLOW: Way = { name: "RAPL, 0.2 s steps", kind: "package", periodS: 0.2 };
const ALL_WAYS = [...WAYS, SLOW];
const SEEDS = 8;

function outcomes(make: typeof startUp, seconds: number, seed: number): Outcome[][] {
  const byWay = ALL_WAYS.map((): Outcome[] => []);
  for (let k = 0; k < SEEDS; k++) {
    measureProgram(make(seed + 7919 * k, seconds), ALL_WAYS).forEach((o, i) => byWay[i].push(o));
  }
  return byWay;
}

Deno.test("Attribution tells a region that begins the run within its error, and unmarked time", () => {
  const all = outcomes(startUp, 40, testSeed("start-up"));
  all.forEach((list, i) => {
    const { name } = ALL_WAYS[i];
    // Of eight, four may be beyond two standard errors by chance, in one of some thousand runs of this
    // test; none is far off, and the pooled coverage is held below.
    const beyond = list.filter(({ fit, se }) => fit[SETUP] > 2 * se[SETUP]);
    for (const { fit, se, why, sumError } of list) {
      assert(why[SETUP] === undefined, `${name}: ${why[SETUP]}`);
      assert(fit[SETUP] < Math.max(0.02, 4 * se[SETUP]), `${name}: ${fit[SETUP]} ${se[SETUP]}`);
      assert(se[SETUP] < 0.03, `${name}: ${se[SETUP]}`);
      assert(sumError < 1e-9);
    }
    assert(beyond.length <= 4, `${name}: ${beyond.length} of ${SEEDS}`);
    // What the counter has not shown yet at the first and last step: a millisecond or two of 60 W.
    const far = list.filter(({ unmarked: { joules, fitJ, seJ } }) =>
      !Number.isNaN(fitJ) && Math.abs(fitJ - joules) > 2 * seJ + 0.12
    );
    assert(far.length <= 4, `${name}: ${far.map(({ unmarked }) => JSON.stringify(unmarked))}`);
    const told = list.filter(({ unmarked }) => !Number.isNaN(unmarked.fitJ));
    // Two slow steps hold any, and one of them idle time as well: half are uncertain.
    const isAll = ALL_WAYS[i].kind === "package" && ALL_WAYS[i] !== SLOW;
    if (isAll) assert(told.length === SEEDS, name);
  });
  const pooled = summarise(all.flat());
  console.log(`coverage ${pooled.covered}, error / SE ${pooled.spread}`);
  assert(pooled.covered >= 0.9 && pooled.spread > 0.4, `${pooled.covered} ${pooled.spread}`);
});

Deno.test("Attribution tells regions that come late as surely as those that come first", () => {
  const all = outcomes(phases, 60, testSeed("phases"));
  all.forEach((list, i) => {
    const { covered, spread, told } = summarise(list);
    console.log(`${ALL_WAYS[i].name}: told ${told}, coverage ${covered}, error / SE ${spread}`);
    assert(told >= 0.9, `${ALL_WAYS[i].name}: told ${told}`);
    // Errors hold what cannot be excluded; those of 40 figures that are right lie above.
    assert(spread > 0.25 && spread < 2, `${ALL_WAYS[i].name}: error / SE ${spread}`);
  });
  assert(summarise(all.flat()).covered >= 0.88);
});
