/**
 * `joulemark doctor --energy`: a small kernel of known shape, and whether the node's counters give the
 * same result for it in two orders. docs/how-sure.md, "On this node".
 *
 * Two regions run the same instructions in visits of 1, 10 and 100 ms, first in turn, then at random. What a
 * region draws depends on neither order, so its power has to come out the same.
 * @module
 */
import { Attribution, type CounterSpec, type Kind, KINDS } from "../../energy/edges/attribution.ts";
import type { ClassEnergy } from "../../energy/edges/add_up.ts";

/** Lengths of visits that counters are tried at, s. */
export const LENGTHS_S: readonly number[] = [0.001, 0.01, 0.1];
/** Powers of one region in two orders may differ by so much, beside two errors. */
const MAX_DIFFERENCE = 0.05;
const APART = "the two orders differ by";
const STEP_S = 0.005;
const DITHER = 0.25;
const REGIONS = 2;

/** What runs the kernel and reads the counters. Times are seconds on one clock. */
export interface EnergyBench {
  readonly counters: readonly CounterSpec[];
  readonly cpu: number;
  readonly cpuCount: number;
  /** Time now, after one portion of the kernel. */
  work(region: number): number;
  /** A region begins. */
  enter(timeS: number, region: number): void;
  /** Reads all counters, J; NaN where there is none. */
  read(timeS: number, into: Float64Array): void;
}

/** What was found for one kind of counter and length of visits. */
export interface EnergyVerdict {
  readonly counter: Kind;
  readonly "visits (s)": number;
  readonly trusted: boolean;
  /** Both orders have a result, and the results differ. */
  readonly contradicts: boolean;
  readonly why?: string;
  /** W of each region in each order; `null`: cannot be determined. */
  readonly "in turn (W)": readonly (number | null)[];
  readonly "at random (W)": readonly (number | null)[];
  readonly "update period (s)": number | null;
  readonly "lag (s)": number | null;
  readonly intervals: number;
  readonly "begun anew": number;
}

/** Runs all lengths in both orders. @param seconds Altogether. */
export function tryCounters(bench: EnergyBench, seconds: number): EnergyVerdict[] {
  const each = seconds / (2 * LENGTHS_S.length);
  return LENGTHS_S.flatMap((lengthS) => {
    const results = [false, true].map((isRandom) => runOrder(bench, { lengthS, isRandom, each }));
    return KINDS.flatMap((kind) => {
      const both = results.map((result) => result.get(kind));
      return both.every((one) => one !== undefined) ? [verdict(kind, lengthS, both)] : [];
    });
  });
}

type Result = ReturnType<Attribution["result"]>;
type KindOf = NonNullable<ReturnType<Result["get"]>>;

function runOrder(
  bench: EnergyBench,
  { lengthS, isRandom, each }: { lengthS: number; isRandom: boolean; each: number },
): Result {
  const { counters, cpuCount } = bench;
  const attribution = new Attribution({ cpuCount, counters, method: "fit" });
  const cpus = [bench.cpu];
  const values = new Float64Array(counters.length);
  const stamps = new Float64Array(counters.length).fill(NaN);
  let region = 0;
  let t = bench.work(region);
  const beginS = t;
  bench.read(t, values);
  attribution.edge(t, cpus, -1);
  attribution.edge(t, cpus, region);
  bench.enter(t, region);
  attribution.step(t, values, stamps);
  let leaveS = t + lengthS;
  let next = 1;
  let stepS = t + STEP_S;
  while (t < beginS + each) {
    t = bench.work(region);
    if (t >= leaveS) {
      region = isRandom ? Math.floor(Math.random() * REGIONS) : (region + 1) % REGIONS;
      bench.enter(t, region);
      attribution.edge(t, cpus, region);
      leaveS = t + lengthS * (0.5 + Math.random());
    }
    if (t < stepS) continue;
    bench.read(t, values);
    attribution.step(t, values, stamps);
    while (stepS <= t) {
      stepS = beginS + (++next + DITHER * (2 * Math.random() - 1)) * STEP_S;
    }
  }
  return attribution.result(true);
}

function verdict(
  counter: Kind,
  lengthS: number,
  [turn, random]: readonly (KindOf | undefined)[],
): EnergyVerdict {
  const classes = Array.from({ length: REGIONS }, (_, r) => r + 1);
  const inTurn = classes.map((c) => turn!.of(c));
  const atRandom = classes.map((c) => random!.of(c));
  const [facts] = turn!.counters;
  const why = doubt(inTurn, atRandom, facts.changes);
  const watts = (list: readonly ClassEnergy[]) =>
    list.map((one) => isReported(one) ? one.powerW : null);
  return {
    counter,
    "visits (s)": lengthS,
    trusted: why === undefined,
    contradicts: why?.startsWith(APART) === true,
    ...(why === undefined ? {} : { why }),
    "in turn (W)": watts(inTurn),
    "at random (W)": watts(atRandom),
    "update period (s)": finite(facts.updatePeriodS),
    "lag (s)": finite(facts.lagS),
    intervals: facts.intervals,
    "begun anew": Math.max(0, facts.breaks - 1),
  };
}

/** Why the two orders are no proof; `undefined`: they agree. */
function doubt(
  inTurn: readonly ClassEnergy[],
  atRandom: readonly ClassEnergy[],
  changes: number,
): string | undefined {
  if (changes === 0) return "the counter stands still";
  const untold = [...inTurn, ...atRandom].find((one) => !isReported(one));
  if (untold !== undefined) return `cannot be told (${untold.why ?? "no energy"})`;
  for (let r = 0; r < inTurn.length; r++) {
    const [one, other] = [inTurn[r], atRandom[r]];
    const apart = Math.abs(one.powerW - other.powerW);
    const error = Math.hypot(
      one.powerW * one.seJ / one.fitJ,
      other.powerW * other.seJ / other.fitJ,
    );
    if (apart > 2 * error + MAX_DIFFERENCE * one.powerW) {
      return `${APART} ${(100 * apart / one.powerW).toFixed(0)} %`;
    }
  }
  return undefined;
}

function isReported({ fitJ }: ClassEnergy): boolean {
  return Number.isFinite(fitJ) && fitJ > 0;
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? Number(value.toPrecision(4)) : null;
}
