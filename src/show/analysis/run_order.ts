/**
 * The order of runs: blocks of a benchmark, and warnings about a node that changes slowly.
 * @module
 */
import { isMapping, type Report } from "../../core/report.ts";
import { startSeconds } from "../../core/start_time.ts";
import type { NamedReport } from "./comparable.ts";
import { figures } from "./quantity_text.ts";
import { robustDeviation, summarize } from "./statistics.ts";
import { studentShare } from "./student.ts";

/** Place of a run in a benchmark, as its report has it under `bench:`. */
export interface BenchPlace {
  /** Letter of the command. */
  readonly set: string;
  /** From 1 on. */
  readonly block: number;
  /** Place in the block, from 1 on. */
  readonly position: number;
  /** Seed of the order, which all runs of one benchmark share. */
  readonly seed: number;
}

/** The place of a run; `undefined`: it is not of a benchmark. */
export function benchPlace({ joulemark }: Report): BenchPlace | undefined {
  const { bench } = joulemark ?? {};
  if (!isMapping(bench)) return undefined;
  const { set, block, position, seed } = bench;
  const isWhole = [block, position, seed].every(Number.isInteger);
  if (typeof set !== "string" || !isWhole) return undefined;
  return { set, block: Number(block), position: Number(position), seed: Number(seed) };
}

/** Runs of two commands of one benchmark, one pair a block; `undefined`: the sets are something else. */
export function pairedBlocks<T extends Pick<NamedReport, "report">>(
  a: readonly T[],
  b: readonly T[],
): { a: T[]; b: T[] } | undefined {
  const [placesA, placesB] = [a, b].map((runs) => runs.map(({ report }) => benchPlace(report)));
  const all = [...placesA, ...placesB];
  const isOne = (values: readonly unknown[]) => new Set(values).size === 1;
  if (all.includes(undefined) || !isOne(all.map((place) => place?.seed))) return undefined;
  const [setsA, setsB] = [placesA, placesB].map((places) => places.map((place) => place?.set));
  if (!isOne(setsA) || !isOne(setsB) || setsA[0] === setsB[0]) return undefined;
  const blocks = placesA.map((place) => place!.block);
  const ofB = new Map(b.map((run, i) => [placesB[i]!.block, run]));
  if (new Set(blocks).size < a.length || ofB.size < b.length) return undefined;
  const both = a.flatMap((run, i) => {
    const other = ofB.get(blocks[i]);
    return other === undefined ? [] : [{ a: run, b: other }];
  });
  return { a: both.map((pair) => pair.a), b: both.map((pair) => pair.b) };
}

/** A drift is reported below this probability. */
const MAX_DRIFT_P = 0.01;
/** The first run of a set is reported if it is so many robust deviations away from the others. */
const MAX_FIRST_SIGMAS = 4;
/** Other runs of a set without which its first run is not judged. */
const MIN_OTHERS = 4;
/** Logarithms that differ by rounding alone are equal. */
const ROUNDING = 1e-12;

/** One run in the order of the session. */
interface Started {
  readonly set: 0 | 1;
  readonly startS: number;
  /** The metric, and its logarithm. */
  readonly value: number;
  readonly y: number;
}

/** The metric of each run in the order of the starts; empty: the order is not known. */
export function inStartOrder(
  sets: readonly [a: readonly NamedReport[], b: readonly NamedReport[]],
  values: readonly [a: readonly number[], b: readonly number[]],
): { readonly set: 0 | 1; readonly value: number }[] {
  return startedRuns(sets, values).map(({ set, value }) => ({ set, value }));
}

function startedRuns(
  sets: readonly [a: readonly NamedReport[], b: readonly NamedReport[]],
  values: readonly [a: readonly number[], b: readonly number[]],
): Started[] {
  const runs = sets.flatMap((set, k) =>
    set.map(({ report }, i): Started => ({
      set: k as 0 | 1,
      startS: startSeconds(report.startTime),
      value: values[k][i],
      y: Math.log(values[k][i]),
    }))
  );
  const isKnown = runs.every(({ startS, y }) => Number.isFinite(startS) && Number.isFinite(y));
  const isOrdered = new Set(runs.map(({ startS }) => startS)).size === runs.length;
  if (!isKnown || !isOrdered) return [];
  return runs.sort((one, other) => one.startS - other.startS);
}

/**
 * Warnings about the order of the runs, for people.
 *
 * @param metric Its name.
 * @param letters Of both sets.
 * @param values Of each set, in the order of its runs.
 */
export function orderWarnings(
  metric: string,
  letters: readonly [a: string, b: string],
  sets: readonly [a: readonly NamedReport[], b: readonly NamedReport[]],
  values: readonly [a: readonly number[], b: readonly number[]],
): string[] {
  const runs = startedRuns(sets, values);
  if (runs.length === 0 || sets.some((set) => set.length < 2)) return [];
  return [...apart(letters, runs), ...drift(metric, runs), ...firstRuns(metric, letters, runs)];
}

function apart([a, b]: readonly string[], runs: readonly Started[]): string[] {
  const changes = runs.filter(({ set }, i) => i > 0 && set !== runs[i - 1].set).length;
  if (changes > 1) return [];
  const [first, last] = runs[0].set === 0 ? [a, b] : [b, a];
  return [
    `All ${first} runs came before all ${last} runs: a slow change of the node looks like a ` +
    "difference. Use joulemark bench.",
  ];
}

/** The slope against the order, the same within both sets. */
function drift(metric: string, runs: readonly Started[]): string[] {
  const means = [0, 1].map((set) => {
    const own = [...runs.keys()].filter((i) => runs[i].set === set);
    return { x: mean(own), y: mean(own.map((i) => runs[i].y)) };
  });
  const points = runs.map(({ set, y }, i) => ({ x: i - means[set].x, y: y - means[set].y }));
  const xx = sum(points.map(({ x }) => x * x)), slope = sum(points.map(({ x, y }) => x * y)) / xx;
  const rest = sum(points.map(({ x, y }) => (y - slope * x) ** 2));
  const degrees = runs.length - 3;
  if (!(degrees > 0) || Math.abs(slope) < ROUNDING) return [];
  const t = slope / Math.sqrt(rest / degrees / xx);
  const p = 2 * (1 - studentShare(Math.abs(t), degrees));
  if (!(p < MAX_DRIFT_P)) return [];
  const change = Math.expm1(slope * (runs.length - 1));
  const how = change > 0 ? "grew" : "fell";
  return [`${metric} per run ${how} by ${percent(change)} during the session (p ${figures(p, 1)})`];
}

function firstRuns(
  metric: string,
  letters: readonly string[],
  runs: readonly Started[],
): string[] {
  return [0, 1].flatMap((set) => {
    const [first, ...others] = runs.filter((run) => run.set === set).map(({ y }) => y);
    if (others.length < MIN_OTHERS) return [];
    const { median } = summarize(others);
    const sigma = Math.max(ROUNDING, robustDeviation(others, median));
    if (Math.abs(first - median) <= MAX_FIRST_SIGMAS * sigma) return [];
    const away = Math.expm1(first - median);
    const how = away > 0 ? "above" : "below";
    return [
      `${metric} of the first run of ${letters[set]} is ${percent(away)} ${how} the other ` +
      "runs. Make more warm-up runs before the first run (bench --warmup)",
    ];
  });
}

function percent(change: number): string {
  return `${figures(100 * Math.abs(change), 2)} %`;
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}
