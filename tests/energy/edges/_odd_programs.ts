/** Programs whose regions do not come evenly over the run: some begin it, some come late. */
import { makeProgram, type ProgramVisit, type SimProgram } from "../../_support/sim_programs.ts";
import { Random } from "../../../src/sources/sim/random.ts";

const NS = 1e9;

/** A region `setup` that begins the run and never comes again. */
export const SETUP = 5;

/**
 * Short unmarked time, then `setup` of 1.4 s and 100 W, then regions at random, then unmarked time
 * again.
 */
export function startUp(seed: number, seconds: number): SimProgram {
  const made = makeProgram("random 10 ms", { seed, seconds });
  const random = new Random(seed + 17);
  const beginS = random.uniform(0.05, 0.15);
  const mainS = beginS + 1.4;
  const endNs = (seconds - random.uniform(0.05, 0.15)) * NS;
  const visits: ProgramVisit[] = [
    { process: 0, region: SETUP, startNs: beginS * NS, endNs: mainS * NS },
  ];
  for (const { process, region, startNs, endNs: until } of made.visits) {
    const from = startNs + mainS * NS;
    if (from >= endNs) break;
    visits.push({ process, region, startNs: from, endNs: Math.min(endNs, until + mainS * NS) });
  }
  const watts = (100 - made.spec.idleW) / made.spec.coresPerPackage;
  return {
    ...made,
    visits,
    regions: [...made.regions, "setup"],
    spec: {
      ...made.spec,
      regions: { ...made.spec.regions, setup: { watts, dramWatts: 1 } },
    },
  };
}

/** Two regions in the first two fifths of the run, two others in the next, then the last with one of the first. */
export function phases(seed: number, seconds: number): SimProgram {
  const made = makeProgram("random 10 ms", { seed, seconds });
  const random = new Random(seed + 19);
  const pairs = [[0, 1], [2, 3], [4, 1]];
  const visits: ProgramVisit[] = [];
  const endNs = seconds * NS;
  for (let startNs = 0; startNs < endNs;) {
    const share = startNs / endNs;
    const pair = pairs[share < 0.4 ? 0 : share < 0.7 ? 1 : 2];
    const until = Math.min(endNs, startNs + Math.round(random.uniform(0.005, 0.015) * NS));
    visits.push({ process: 0, region: pair[random.below(2)], startNs, endNs: until });
    startNs = until;
  }
  return { ...made, visits };
}
