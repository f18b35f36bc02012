/**
 * `joulemark doctor --energy`: a small kernel of known shape, and whether the node's counters give the
 * same result for it in two orders. docs/explanation/how-sure.md, "On this node".
 *
 * Two regions, of which one calculates and the other reads memory, take turns in visits of 1, 10 and 100 ms, then
 * come at random. What a region draws depends on neither order, so its power has to come out the same.
 * @module
 */
import { type CounterSpec, type Kind, KINDS } from "../../energy/edges/attribution.ts";
import { type DomainFacts, KindEnergies } from "../../energy/attribution/kind.ts";
import type { FittedEnergy } from "../../energy/attribution/run_sum.ts";

/** Lengths of visits that counters are tried at, s. */
export const LENGTHS_S: readonly number[] = [0.001, 0.01, 0.1];
/** Powers of one region in two orders may differ by so much, beside two errors. */
const MAX_DIFFERENCE = 0.05;
const APART = "the powers in the two orders differ by";
const STEP_S = 0.005;
const DITHER = 0.25;
const REGIONS = 2, LANE = 1;

/** Bench that runs the kernel and reads the counters. Times are seconds on one clock. */
export interface EnergyBench {
  readonly counters: readonly CounterSpec[];
  /** Resolution of each counter, J; NaN: not known. */
  readonly resolutionsJ: readonly number[];
  readonly cpu: number;
  readonly cpuCount: number;
  /** Time now, after one portion of the kernel. */
  work(region: number): number;
  /** A region begins. */
  enter(timeS: number, region: number): void;
  /** Reads all counters, J; NaN where there is none. */
  read(timeS: number, into: Float64Array): void;
}

/** Verdict on one kind of counter and length of visits. */
export interface EnergyVerdict {
  readonly counter: Kind;
  readonly "visits (s)": number;
  readonly trusted: boolean;
  /** True if both orders have a result, and the results differ. */
  readonly contradicts: boolean;
  readonly why?: string;
  /** W of each region in each order; `null`: cannot be determined. */
  readonly "in turn (W)": readonly (number | null)[];
  readonly "at random (W)": readonly (number | null)[];
  readonly "update period (s)": number | null;
  /** `null`, like the three below: not known, because the regions have the same power. */
  readonly "lag (s)": number | null;
  readonly "lag se (s)": number | null;
  /** Each update is the mean of so long, or follows with so long; `null` with a lag: it does not. */
  readonly "moving average (s)": number | null;
  readonly "time constant (s)": number | null;
  readonly "resolution (J)": number | null;
  readonly intervals: number;
  readonly breaks: number;
}

/** Runs all lengths in both orders. @param seconds Altogether. */
export function tryCounters(bench: EnergyBench, seconds: number): EnergyVerdict[] {
  const each = seconds / (2 * LENGTHS_S.length);
  return LENGTHS_S.flatMap((lengthS) => {
    const results = [false, true].map((isRandom) => runOrder(bench, { lengthS, isRandom, each }));
    return KINDS.flatMap((kind) => {
      const both = results.map((result) => result.get(kind));
      return both.every((one) => one !== undefined)
        ? [verdict({ kind, lengthS, resolutionJ: resolutionOf(bench, kind) }, both)]
        : [];
    });
  });
}

/** One kind of counters, in one order. */
interface KindOf {
  readonly of: (classId: number) => FittedEnergy;
  readonly facts: DomainFacts | undefined;
  /** Did one of the counters change? */
  readonly changed: boolean;
}

type Result = ReadonlyMap<Kind, KindOf>;

function runOrder(
  bench: EnergyBench,
  { lengthS, isRandom, each }: { lengthS: number; isRandom: boolean; each: number },
): Result {
  const { counters, cpuCount } = bench;
  const kinds = KINDS.flatMap((kind) => {
    const at = counters.flatMap((counter, k) => counter.kind === kind ? [k] : []);
    const energies = new KindEnergies(at.map((k) => counters[k]), cpuCount, kind === "gpu");
    return at.length === 0 ? [] : [{ kind, at, energies }];
  });
  const cpus = Int32Array.of(bench.cpu);
  const values = new Float64Array(counters.length);
  const stamps = new Float64Array(counters.length).fill(NaN);
  const step = (timeS: number) => {
    for (const { at, energies } of kinds) energies.step(timeS, at.map((k) => values[k]), stamps);
  };
  let region = 0;
  let t = bench.work(region);
  const beginS = t;
  bench.read(t, values);
  const first = values.slice();
  for (const { energies } of kinds) {
    energies.live(t, LANE, cpus);
    energies.edge(t, LANE, region + 1);
  }
  bench.enter(t, region);
  step(t);
  let leaveS = t + lengthS;
  let next = 1;
  let stepS = t + STEP_S;
  while (t < beginS + each) {
    t = bench.work(region);
    if (t >= leaveS) {
      region = isRandom ? Math.floor(Math.random() * REGIONS) : (region + 1) % REGIONS;
      bench.enter(t, region);
      for (const { energies } of kinds) energies.edge(t, LANE, region + 1);
      leaveS = t + lengthS * (0.5 + Math.random());
    }
    if (t < stepS) continue;
    bench.read(t, values);
    step(t);
    while (stepS <= t) {
      stepS = beginS + (++next + DITHER * (2 * Math.random() - 1)) * STEP_S;
    }
  }
  return new Map(kinds.map(({ kind, at, energies }) => {
    energies.finish();
    const [facts] = energies.facts.values();
    const changed = at.some((k) => values[k] !== first[k]);
    return [kind, { of: (c) => energies.sum.sum([c]), facts, changed }];
  }));
}

/** Resolution of the counters of a kind, J; NaN: not known. */
function resolutionOf({ counters, resolutionsJ }: EnergyBench, kind: Kind): number {
  return resolutionsJ[counters.findIndex((counter) => counter.kind === kind)];
}

function verdict(
  { kind, lengthS, resolutionJ }: { kind: Kind; lengthS: number; resolutionJ: number },
  [turn, random]: readonly (KindOf | undefined)[],
): EnergyVerdict {
  const classes = Array.from({ length: REGIONS }, (_, r) => r + 1);
  const inTurn = classes.map((c) => turn!.of(c));
  const atRandom = classes.map((c) => random!.of(c));
  const { facts } = turn!;
  // Regions of the same power look the same whatever the lag.
  const shows = inTurn.every(isReported) && differ(inTurn[0], inTurn[1]);
  const response = shows ? facts?.response : undefined, kernel = response?.kernel;
  const why = turn!.changed || random!.changed
    ? doubt(inTurn, atRandom, facts)
    : "the counter is stalled";
  const watts = (list: readonly FittedEnergy[]) =>
    list.map((one) => isReported(one) ? one.powerW : null);
  return {
    counter: kind,
    "visits (s)": lengthS,
    trusted: why === undefined,
    contradicts: why?.startsWith(APART) === true,
    ...(why === undefined ? {} : { why }),
    "in turn (W)": watts(inTurn),
    "at random (W)": watts(atRandom),
    "update period (s)": finite(facts?.periodS),
    "lag (s)": finite(kernel?.lagS),
    "lag se (s)": finite(response && Number(response.lagSeS.toPrecision(2))),
    "moving average (s)": finite(kernel?.meanS || undefined),
    "time constant (s)": finite(kernel?.orderS || undefined),
    "resolution (J)": finite(resolutionJ),
    intervals: facts?.response?.intervals ?? 0,
    breaks: facts?.breaks ?? 0,
  };
}

/** Why the two orders are no proof; `undefined`: they agree. */
function doubt(
  inTurn: readonly FittedEnergy[],
  atRandom: readonly FittedEnergy[],
  facts: DomainFacts | undefined,
): string | undefined {
  if (facts === undefined || !(facts.periodS > 0)) {
    return "cannot be determined (the counter changes too seldom)";
  }
  const unknown = [...inTurn, ...atRandom].find((one) => !isReported(one));
  if (unknown !== undefined) return `cannot be determined (${unknown.why ?? "no energy"})`;
  for (let r = 0; r < inTurn.length; r++) {
    const [one, other] = [inTurn[r], atRandom[r]];
    if (differ(one, other)) {
      const apart = Math.abs(one.powerW - other.powerW);
      return `${APART} ${(100 * apart / one.powerW).toFixed(0)} %`;
    }
  }
  return undefined;
}

/** Do two powers differ by more than errors explain, and by more than is of interest? */
function differ(one: FittedEnergy, other: FittedEnergy): boolean {
  const errorOf = ({ powerW, seJ, fitJ }: FittedEnergy) => powerW * seJ / fitJ;
  const error = Math.hypot(errorOf(one), errorOf(other));
  return Math.abs(one.powerW - other.powerW) > 2 * error + MAX_DIFFERENCE * one.powerW;
}

function isReported({ fitJ }: FittedEnergy): boolean {
  return Number.isFinite(fitJ) && fitJ > 0;
}

function finite(value = NaN): number | null {
  return Number.isFinite(value) ? Number(value.toPrecision(4)) : null;
}
