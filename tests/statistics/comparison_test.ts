/**
 * How often the interval of a comparison covers the truth, and how often it raises an alarm without a difference:
 * simulated sessions with fixed seeds, through the code that `compare` and `bench` run.
 */
import { assert } from "@std/assert";
import { Random } from "../../src/core/random.ts";
import { type Difference, difference } from "../../src/show/analysis/difference.ts";
import { type SessionBlock, sessionRuns } from "../../src/show/study/session.ts";

const SESSIONS = 4000;
const RUNS = [3, 5, 10];
/** True ratio of the sets. */
const RATIO = 1.05;

/** A run's factor. */
type Noise = (random: Random) => number;

const normal = (deviation: number): Noise => (random) => Math.exp(deviation * random.normal());
/** One run in eight takes a fifth more. */
const skewed: Noise = (random) => normal(0.02)(random) * (random.uniform() < 1 / 8 ? 1.2 : 1);

/** Share of the sessions for which something holds of their comparison. */
function share(
  seed: number,
  session: (random: Random) => Difference,
  holds: (found: Difference) => boolean,
): number {
  const random = new Random(seed);
  let count = 0;
  for (let i = 0; i < SESSIONS; i++) if (holds(session(random))) count++;
  return count / SESSIONS;
}

const covers = ({ low, high }: Difference) => low <= RATIO - 1 && RATIO - 1 <= high;
const alarms = ({ low, high }: Difference) => low > 0 || high < 0;

/** Two samples of so many runs. */
function samples(runs: number, noises: readonly [Noise, Noise], welch = false, level = 0.95) {
  return (random: Random) => {
    const [a, b] = noises.map((noise) => Array.from({ length: runs }, () => noise(random)));
    return difference(a, b.map((value) => RATIO * value), { level, welch });
  };
}

/** A benchmark of two commands; `drift` is the growth of the node's energy over the session. */
function session(
  how: { blocks?: number; precision?: number; level?: number; drift?: number; ratio: number },
) {
  return (random: Random) => {
    const { drift = 0, ratio, ...plan } = how;
    let run = 0;
    const all = 2 * (how.blocks ?? 40);
    const limits = { sets: 2, warmup: 0, seed: random.bits(), ...plan, maxTimeS: 200 };
    const session = sessionRuns(limits, { nowS: () => run });
    let next = session.next();
    while (next.done !== true) {
      const grown = 1 + drift * run++ / (all - 1);
      const share = next.value.set === 1 ? ratio : 1;
      next = session.next(100 * grown * share * normal(0.02)(random));
    }
    const found = next.value;
    const of = (set: number) => found.map(({ values }: SessionBlock) => values[set]);
    return difference(of(0), of(1), { level: how.level, blocks: true });
  };
}

function between(share: number, low: number, high: number, cell: string): void {
  assert(low <= share && share <= high, `${cell}: ${(100 * share).toFixed(2)} %`);
}

for (const runs of RUNS) {
  Deno.test(`of ${SESSIONS} sessions of ${runs} runs a set 95 of 100 intervals hold the truth`, () => {
    for (const [i, deviation] of [0.02, 0.2].entries()) {
      const noise = normal(deviation);
      const share95 = share(10 * runs + i, samples(runs, [noise, noise]), covers);
      between(share95, 0.94, 0.96, `normal ${deviation}`);
    }
    between(share(20 * runs, samples(runs, [skewed, skewed]), covers), 0.94, 0.99, "skewed");
    const uneven = [normal(0.05), normal(0.2)] as const;
    between(share(30 * runs, samples(runs, uneven), covers), 0.91, 0.96, "5 against 20 %");
    between(share(40 * runs, samples(runs, uneven, true), covers), 0.94, 0.965, "Welch");
    const drifting = session({ blocks: runs, level: 0.95, drift: 0.1, ratio: RATIO });
    between(share(50 * runs, drifting, covers), 0.94, 0.96, "drift, blocks in random order");
  });
}

Deno.test("a command against itself raises an alarm in at most 2 of 100 sessions", () => {
  for (const blocks of RUNS) {
    between(share(60 + blocks, session({ blocks, ratio: 1 }), alarms), 0.005, 0.02, `${blocks}`);
  }
  const precise = session({ precision: 0.02, ratio: 1 });
  between(share(70, precise, alarms), 0.005, 0.025, "until the interval is narrow");
});
