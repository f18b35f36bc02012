/**
 * Runs whose beginning or end is not like the rest: a region that begins the run, counters that appear late, die
 * early, move in whole joules or have a part of the CPUs. What is told lies within its error, unmarked time too.
 */
import { assert, assertAlmostEquals } from "@std/assert";
import { Attribution } from "../../../src/energy/edges/attribution.ts";
import { Chance, type EventModel, REGIONS, runEvents } from "./_event_node.ts";
import { testSeed } from "./_seed.ts";

const SECONDS = 30;
const SEEDS = 4;
/** Regions of the simulation that stand for unmarked time, and for one that begins the run. */
const UNMARKED = REGIONS - 1, SETUP = REGIONS - 2;

/** A little unmarked time, a region of its own for two seconds, then three others and unmarked time. */
function* visits(chance: Chance) {
  yield { region: UNMARKED, lengthS: chance.within(0.05, 0.2) };
  yield { region: SETUP, lengthS: 2 };
  for (;;) {
    yield { region: chance.below(3), lengthS: chance.within(0.004, 0.02) };
    if (chance.unit() < 0.2) yield { region: UNMARKED, lengthS: chance.within(0.001, 0.01) };
  }
}

const PLAIN: EventModel = {
  name: "plain",
  additive: true,
  cpus: 4,
  processOf: () => 0,
  visits,
};
const SLOW = { periodS: 0.1, jitterS: 0.001, unitJ: 1, lagS: 0.005 };

/** Seconds in which the counter can be read, and the machine. */
const CASES: Readonly<Record<string, { readS: [number, number]; model: EventModel }>> = {
  "from the start": { readS: [0, SECONDS], model: PLAIN },
  "whole joules at 10 Hz": { readS: [0, SECONDS], model: { ...PLAIN, counter: SLOW } },
  "appears late, in setup": { readS: [1.2, SECONDS], model: PLAIN },
  "appears late, in whole joules": { readS: [1.2, SECONDS], model: { ...PLAIN, counter: SLOW } },
  "appears after setup": { readS: [9, SECONDS], model: PLAIN },
  "dies early": { readS: [0, 13], model: PLAIN },
  "appears late and dies early": { readS: [1.5, 20], model: PLAIN },
  "has half of the CPUs": {
    readS: [0, SECONDS],
    model: { ...PLAIN, cpus: 8, counted: (cpu) => cpu < 4 },
  },
};

interface Figure {
  readonly label: string;
  readonly trueJ: number;
  readonly fitJ: number;
  readonly seJ: number;
}

function figures(name: string, seed: number): Figure[] {
  const { readS: [fromS, untilS], model } = CASES[name];
  const run = runEvents({ ...model, span: [fromS, untilS] }, seed, SECONDS);
  const attribution = new Attribution({
    cpuCount: model.cpus,
    method: "fit",
    counters: [{
      kind: "package",
      index: 0,
      cpus: run.cpus[0],
      updatePeriodS: model.counter === undefined ? 0.001 : 0.1,
    }],
  });
  const stamp = Float64Array.of(NaN), value = new Float64Array(1);
  let next = 0;
  for (const { t, joules } of run.steps) {
    for (; next < run.edges.length && run.edges[next].t <= t; next++) {
      const { t: at, cpus, region } = run.edges[next];
      attribution.edge(at, cpus, region === UNMARKED ? -1 : region);
    }
    value[0] = t >= fromS && t <= untilS ? joules[0] : NaN;
    attribution.step(t, value, stamp);
  }
  const { of, totalJ } = attribution.result(true).get("package")!;
  const all = run.drawnJ.reduce((sum, joules) => sum + joules, 0);
  // The first and the last reading show updates of up to a period and a lag before them.
  const slackJ = 2 * (model.counter === undefined ? 0.003 : 0.12) * all / (untilS - fromS);
  assertAlmostEquals(totalJ, all, slackJ + 2, name);
  let sum = 0;
  const list: Figure[] = [];
  for (let c = 0; c < REGIONS; c++) {
    const { exactJ, fitJ, seJ, why } = of(c);
    sum += exactJ;
    assert(Number.isFinite(exactJ) && exactJ >= 0, `${name}: ${c} ${exactJ}`);
    assert(Number.isFinite(fitJ) || why !== undefined, `${name}: ${c}`);
    const trueJ = run.drawnJ[c === 0 ? UNMARKED : c - 1];
    list.push({ label: `${name}, ${c === 0 ? "unmarked" : c - 1}`, trueJ, fitJ, seJ });
  }
  assertAlmostEquals(sum / totalJ, 1, 1e-9, name);
  return list;
}

Deno.test("beginnings and ends of counters and programs: what is told lies within its error", () => {
  const seed = testSeed("warm-up");
  const list = Object.keys(CASES).flatMap((name, k) =>
    Array.from({ length: SEEDS }, (_, n) => figures(name, seed + 7919 * (SEEDS * k + n))).flat()
  );
  const present = list.filter(({ trueJ }) => trueJ > 0);
  const told = present.filter(({ fitJ }) => Number.isFinite(fitJ));
  // The first reading comes up to a step after the counter appeared, and shows an update that is older.
  const within = (times: number) => ({ trueJ, fitJ, seJ }: Figure) =>
    Math.abs(fitJ - trueJ) <= times * seJ + 1.5;
  const beyond = told.filter((figure) => !within(2)(figure));
  console.log(`${told.length} of ${present.length} told, ${beyond.length} beyond two errors`);
  const about = beyond.map((figure) => JSON.stringify(figure)).join("\n");
  assert(told.length >= 0.8 * present.length, `${told.length} of ${present.length} told`);
  // Five in a hundred by chance.
  assert(beyond.length <= 0.12 * told.length, about);
  for (const figure of told) assert(within(5)(figure), about);
  // A region that was over before the counter appeared has none of its energy.
  for (const { fitJ } of list.filter(({ trueJ }) => trueJ === 0)) assert(!(fitJ > 0.5), `${fitJ}`);
});
