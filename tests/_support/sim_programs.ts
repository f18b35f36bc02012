/**
 * Seeded programs with known power, for tests and benches of the energy of regions.
 *
 * Five regions of 90 to 300 W on one package, in the patterns that attribution has to distinguish:
 * visits at random, loops, phases, several processes that are not aligned, power that drifts.
 * @module
 */
import { Random } from "../../src/core/random.ts";
import { presetSpec, type SimSpec } from "../../src/sources/sim/spec.ts";

/** The patterns; see {@linkcode makeProgram}. */
export const PROGRAM_NAMES = [
  "random 1-50 ms",
  "random 2 ms",
  "random 10 ms",
  "loop 5 x 2 ms",
  "loop 1-50 ms",
  "two-phase",
  "4 processes",
  "drift 10 %",
  "locked loop",
] as const;

/** One of them. */
export type ProgramName = typeof PROGRAM_NAMES[number];

/** One process of a program. */
export interface ProgramProcess {
  readonly pid: number;
  readonly cpus: readonly number[];
}

/** One visit of a process to a region, ns since the program's start. */
export interface ProgramVisit {
  readonly process: number;
  readonly region: number;
  readonly startNs: number;
  readonly endNs: number;
}

/** A program and the node that it runs on. */
export interface SimProgram {
  readonly name: ProgramName;
  readonly spec: SimSpec;
  readonly seconds: number;
  readonly regions: readonly string[];
  readonly processes: readonly ProgramProcess[];
  /** In order of their start. */
  readonly visits: readonly ProgramVisit[];
}

const REGIONS = ["assemble", "solve", "exchange", "update", "output"] as const;
const IDLE_W = 50;
const MIN_W = 90;
const MAX_W = 300;
const CPUS = 4;
const MS = 1e6;

/** Length of the next visit in ms, by the region and the time of the run in 0–1. */
interface Pattern {
  next(region: number, share: number, random: Random): number;
  length(region: number, random: Random): number;
}

const anyOther = (region: number, _share: number, random: Random) =>
  (region + 1 + random.below(REGIONS.length - 1)) % REGIONS.length;
const inTurn = (region: number) => (region + 1) % REGIONS.length;
const about = (ms: number, share: number) => (_: number, random: Random) =>
  ms * random.uniform(1 - share, 1 + share);

/** Mean lengths of the loop of different regions, 1 to 50 ms. */
const LOOP_MS = [1, 4, 12, 25, 50];

/** Of the first half of a two-phase run, and of the second, in tenths. */
const PHASE_WEIGHTS = [[4, 3, 1, 1, 1], [1, 1, 1, 3, 4]];

const PATTERNS: Readonly<Record<ProgramName, Pattern>> = {
  "random 1-50 ms": { next: anyOther, length: (_, random) => random.uniform(1, 50) },
  "random 2 ms": { next: anyOther, length: about(2, 0.5) },
  "random 10 ms": { next: anyOther, length: about(10, 0.5) },
  "loop 5 x 2 ms": { next: inTurn, length: about(2, 0.1) },
  "loop 1-50 ms": { next: inTurn, length: (r, random) => about(LOOP_MS[r], 0.1)(r, random) },
  "two-phase": {
    next: (_, share, random) => weighted(PHASE_WEIGHTS[share < 0.5 ? 0 : 1], random),
    length: about(10, 0.5),
  },
  "4 processes": { next: anyOther, length: (_, random) => random.uniform(1, 50) },
  "drift 10 %": { next: anyOther, length: about(10, 0.5) },
  "locked loop": { next: inTurn, length: () => 2 },
};

/**
 * Makes a program.
 *
 * `random …`: any other region next, of uniform length. `loop …`: always the same order, lengths
 * within 10 %. `two-phase`: the mix of regions changes half-way. `4 processes`: one a CPU, each at
 * random by itself; elsewhere one process owns all CPUs. `drift 10 %`: power swings by less than
 * one cycle a run. `locked loop`: exactly 10 ms.
 */
export function makeProgram(
  name: ProgramName,
  { seed, seconds, counters = "both" }: {
    seed: number;
    seconds: number;
    counters?: SimSpec["preset"];
  },
): SimProgram {
  const random = new Random(seed);
  const totals = REGIONS.map((_, i) => MIN_W + (MAX_W - MIN_W) * i / (REGIONS.length - 1));
  shuffle(totals, random);
  const alone = name !== "4 processes";
  const processes = Array.from({ length: alone ? 1 : CPUS }, (_, i) => ({
    pid: 1000 + i,
    cpus: alone ? Array.from({ length: CPUS }, (_, cpu) => cpu) : [i],
  }));
  const visits = processes.flatMap((_, process) => {
    return visitsOf(PATTERNS[name], process, seconds, random);
  });
  visits.sort((a, b) => a.startNs - b.startNs);
  return {
    name,
    seconds,
    regions: REGIONS,
    processes,
    visits,
    spec: {
      ...presetSpec(counters, CPUS),
      seed: random.bits(),
      packages: 1,
      coresPerPackage: CPUS,
      idleW: IDLE_W,
      dramIdleW: 5,
      rampS: 0,
      regions: Object.fromEntries(REGIONS.map((region, i) => [region, {
        watts: (totals[i] - IDLE_W) / CPUS,
        dramWatts: random.uniform(1, 6),
      }])),
      ...(name === "drift 10 %"
        ? { drift: 0.1, driftPeriodS: seconds / random.uniform(0.3, 0.9) }
        : {}),
    },
  };
}

function visitsOf(
  pattern: Pattern,
  process: number,
  seconds: number,
  random: Random,
): ProgramVisit[] {
  const visits: ProgramVisit[] = [];
  const endNs = seconds * 1e9;
  let region = random.below(REGIONS.length);
  for (let startNs = 0; startNs < endNs;) {
    const next = Math.min(startNs + Math.round(pattern.length(region, random) * MS), endNs);
    visits.push({ process, region, startNs, endNs: next });
    startNs = next;
    region = pattern.next(region, startNs / endNs, random);
  }
  return visits;
}

function weighted(weights: readonly number[], random: Random): number {
  let left = random.uniform(0, weights.reduce((a, b) => a + b));
  for (let i = 0; i < weights.length; i++) {
    left -= weights[i];
    if (left < 0) return i;
  }
  return weights.length - 1;
}

function shuffle(list: number[], random: Random): void {
  for (let i = list.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [list[i], list[j]] = [list[j], list[i]];
  }
}
