/**
 * Groups of runs beside each other: means and deviations over the runs of a group, as M. Bareford
 * (2015), section 4.1, compares compilers.
 * @module
 */
import { groupOutliers } from "./outlier_groups.ts";
import { type Run, valuesOf } from "./runs.ts";
import { summarize, type Summary } from "./statistics.ts";

/** Runs of the same kind. */
export interface RunGroup {
  readonly name: string;
  readonly runs: readonly Run[];
}

/** Summary of a group. */
export interface GroupSummary {
  readonly name: string;
  /** Each over the runs of the group. */
  readonly energyJ: Summary;
  readonly runtimeS: Summary;
  readonly meanPowerW: Summary;
  /** Mean energy over that of the most sparing group. */
  readonly ratio: number;
  /** Energy, if the outlying steps took what the others take, and its ratio. */
  readonly likeJ: Summary;
  readonly likeRatio: number;
  /** Outlying steps, over runs: how many, their energy, and how much larger than the rest. */
  readonly outliers: { readonly count: number; readonly energyJ: number; readonly factor: number };
}

/** In the order given. */
export function compareRuns(groups: readonly RunGroup[]): GroupSummary[] {
  const summaries = groups.map(({ name, runs }) => ({
    name,
    energyJ: summarize(runs.map((run) => run.energyJ)),
    runtimeS: summarize(runs.map((run) => run.runtimeS)),
    meanPowerW: summarize(runs.map((run) => run.meanPowerW)),
    likeJ: summarize(runs.map(likeEnergyJ)),
    outliers: outliersOf(runs),
  }));
  const least = leastOf(summaries.map((summary) => summary.energyJ.mean));
  const leastLike = leastOf(summaries.map((summary) => summary.likeJ.mean));
  return summaries.map((summary) => ({
    ...summary,
    ratio: summary.energyJ.mean / least,
    likeRatio: summary.likeJ.mean / leastLike,
  }));
}

/** The minimum of the values that are known. */
function leastOf(values: readonly number[]): number {
  return Math.min(...values.filter((value) => !Number.isNaN(value)));
}

/** Energy of a run whose outlying steps take the mean of the others. */
function likeEnergyJ(run: Run): number {
  const { body, groups } = groupOutliers(valuesOf(run, "energy"));
  return groups.reduce((all, { sum, count }) => all - sum + count * body.mean, run.energyJ);
}

/** Means over the runs whose energy is known. */
function outliersOf(runs: readonly Run[]): GroupSummary["outliers"] {
  const perRun = runs.filter((run) => !Number.isNaN(run.energyJ)).map((run) => {
    const { body, groups } = groupOutliers(valuesOf(run, "energy"));
    const energyJ = groups.reduce((sum, group) => sum + group.sum, 0);
    const count = groups.reduce((sum, group) => sum + group.count, 0);
    return { count, energyJ, factor: count === 0 ? NaN : energyJ / count / body.mean };
  });
  const mean = (of: (one: typeof perRun[number]) => number) => {
    return summarize(perRun.map(of).filter((value) => !Number.isNaN(value))).mean;
  };
  return {
    count: mean((one) => one.count),
    energyJ: mean((one) => one.energyJ),
    factor: mean((one) => one.factor),
  };
}

/** Runs whose names differ only in a number at the end are one group: `cray-1`, `cray-2`. */
export function groupByName(runs: readonly Run[]): RunGroup[] {
  const stem = (name: string) => name.replace(/[-_.]?(?:run)?[-_]?[0-9]+$/, "") || name;
  const groups = Map.groupBy(runs, (run) => stem(run.name));
  if ([...groups.values()].every((list) => list.length === 1)) {
    return runs.map((run) => ({ name: run.name, runs: [run] }));
  }
  return [...groups].map(([name, list]) => ({ name, runs: list }));
}
