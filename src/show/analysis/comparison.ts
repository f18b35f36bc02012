/**
 * Two sets of runs as `joulemark compare` sees them: one metric that decides, the others and the
 * regions for information.
 * @module
 */
import { UnknownNameError, UsageError } from "../../core/errors.ts";
import { type NamedReport } from "./comparable.ts";
import {
  type Difference,
  difference,
  type DifferenceOptions,
  eitherWayP,
  holm,
  LEVEL,
  MIN_RUNS,
} from "./difference.ts";
import { comparableFigures, type JobFigures } from "./job_figures.ts";
import { inStartOrder, orderWarnings, pairedBlocks } from "./run_order.ts";

/** Metrics of the job; a region's are `region:NAME` and `region-time:NAME`. */
export const METRICS: Readonly<Record<string, { unit: string; of(job: JobFigures): number }>> = {
  energy: { unit: "J", of: ({ energyJ }) => energyJ },
  time: { unit: "s", of: ({ timeS }) => timeS },
  power: { unit: "W", of: ({ energyJ, timeS }) => energyJ / timeS },
  edp: { unit: "J s", of: ({ energyJ, timeS }) => energyJ * timeS },
};

/** The results of the gate, in the words that people read. */
const VERDICTS = [
  "worse",
  "better",
  "within the limit",
  "more, limit not decided",
  "no significant change",
  "not enough runs",
  "not known",
] as const;
/** Verdict of a comparison. */
export type Verdict = typeof VERDICTS[number];

/** One metric of both sets. */
export interface MetricRow {
  readonly metric: string;
  readonly unit: string;
  readonly a: readonly number[];
  readonly b: readonly number[];
  readonly difference: Difference;
}

/** A region, for information. */
export interface RegionRow extends MetricRow {
  /**
   * Probability that the sets differ by chance, in either direction, corrected for all regions by
   * Holm.
   */
  readonly p: number;
  /** Does the interval that holds for all regions together exclude 0? */
  readonly isSignificant: boolean;
}

/** A region that only runs of one set have. */
export interface LoneRegion {
  readonly name: string;
  /** 0 of the first set, 1 of the other. */
  readonly set: 0 | 1;
  /** Mean of that set. */
  readonly energyJ: number;
}

/** Letters of the two sets, for people. */
export type Letters = readonly [a: string, b: string];

/** Everything that is shown. */
export interface Comparison {
  readonly letters: Letters;
  readonly gate: MetricRow & { readonly maxIncrease: number; readonly verdict: Verdict };
  /** Level of the intervals, two-sided; those of regions hold for all of them together. */
  readonly level: number;
  /** The change that the number of runs is looked for. */
  readonly detect: number;
  /** Metrics of the job. */
  readonly job: readonly MetricRow[];
  /** Energies of regions of at least 1 % of the energy, the largest change first. */
  readonly regions: readonly RegionRow[];
  readonly lone: readonly LoneRegion[];
  /** Parts that the energies are made of. */
  readonly source: string;
  /** Regions that only some runs have. */
  readonly missing: readonly string[];
  /** Regions whose energy is 0, below 0 or absent in a run. */
  readonly unknown: readonly string[];
  /** Pairs of runs in blocks, or two samples. */
  readonly design: "blocks" | "two samples";
  /** The metric of the gate in the order of the runs' starts; empty: the order is not known. */
  readonly order: readonly { readonly set: 0 | 1; readonly value: number }[];
  /** About the order of the runs. */
  readonly warnings: readonly string[];
}

/** Regions below this part of the energy of both sets have no row. */
const MIN_SHARE = 0.01;

/**
 * Compares; runs of one benchmark by their blocks, unless Welch's test is asked for.
 *
 * @param metric A key of {@linkcode METRICS}, `region:NAME` or `region-time:NAME`.
 * @param letters Of a benchmark, the letters of its commands.
 * @throws {UnknownNameError} If there is no such metric or region.
 * @throws {UsageError} If a run lacks the region.
 */
export function compare(
  givenA: readonly NamedReport[],
  givenB: readonly NamedReport[],
  { metric = "energy", letters = ["A", "B"], ...options }:
    & { metric?: string; letters?: Letters }
    & DifferenceOptions = {},
): Comparison {
  const { maxIncrease = 0, level = LEVEL, detect = 0.05, welch = false } = options;
  const paired = welch ? undefined : pairedBlocks(givenA, givenB);
  const { a, b } = paired ?? { a: givenA, b: givenB };
  const blocks = paired !== undefined;
  const all = comparableFigures([...a, ...b].map(({ report }) => report));
  const [jobsA, jobsB] = [all.slice(0, a.length), all.slice(a.length)];
  const names = [...new Set(all.flatMap(({ regions }) => [...regions.keys()]))];
  const shared = names.filter((name) => all.every(({ regions }) => regions.has(name)));
  const row = (name: string, at = level): MetricRow => {
    const { unit, of } = metricOf(name, shared);
    const [va, vb] = [jobsA.map(of), jobsB.map(of)];
    const apart = difference(va, vb, { ...options, level: at, blocks });
    return { metric: name, unit, a: va, b: vb, difference: apart };
  };
  const [, asked] = /^region(?:-time)?:(.*)$/s.exec(metric) ?? [];
  if (asked !== undefined && names.includes(asked) && !shared.includes(asked)) {
    throw new UsageError({
      target: `region "${asked}" is not in every run`,
      remedy: "choose a region that every run has",
    });
  }
  const gate = row(metric);
  const job = Object.keys(METRICS).map((name) => row(name));
  const [{ difference: energy }] = job;
  const isLarge = ({ difference: { a, b } }: MetricRow) =>
    !(a.mean < MIN_SHARE * energy.a.mean && b.mean < MIN_SHARE * energy.b.mean);
  const rows = shared.map((name) => ({ name, row: row(`region:${name}`) }));
  const isKnown = ({ difference: { change } }: MetricRow) => Number.isFinite(change);
  const large = rows.filter(({ row }) => isKnown(row) && isLarge(row))
    .map(({ row }) => row.metric);
  // The region of the gate stands outside of the correction.
  const family = large.filter((name) => name !== metric);
  const regions = large.map((name) => {
    return name === metric ? gate : row(name, 1 - (1 - level) / Math.max(1, family.length));
  });
  const ps = holm(regions.map(({ metric: name, difference }) => {
    return name === metric ? NaN : eitherWayP(difference);
  }));
  return {
    letters,
    gate: { ...gate, maxIncrease, verdict: verdictOf(gate, maxIncrease) },
    level,
    detect,
    job,
    regions: regions.map((region, i) => ({
      ...region,
      p: Number.isNaN(ps[i]) ? eitherWayP(region.difference) : ps[i],
      isSignificant: region.difference.low > 0 || region.difference.high < 0,
    })).sort((x, y) => changeJ(y) - changeJ(x)),
    lone: [...loneOf(0, jobsA, jobsB), ...loneOf(1, jobsB, jobsA)],
    source: all[0].source,
    missing: names.filter((name) => !shared.includes(name)),
    unknown: rows.filter(({ row }) => !isKnown(row)).map(({ name }) => name),
    design: blocks ? "blocks" : "two samples",
    order: inStartOrder([a, b], [gate.a, gate.b]),
    warnings: orderWarnings(metric, letters, [a, b], [gate.a, gate.b]),
  };
}

/** Regions of all runs and of one set, the largest change in joules first. */
export function allRegions(
  { regions, lone }: Pick<Comparison, "regions" | "lone">,
): (RegionRow | LoneRegion)[] {
  return [...regions, ...lone].sort((x, y) => changeJ(y) - changeJ(x));
}

function changeJ(row: RegionRow | LoneRegion): number {
  if ("set" in row) return row.energyJ || 0;
  const { difference: { a, b } } = row;
  return Math.abs(b.mean - a.mean);
}

function loneOf(
  set: 0 | 1,
  own: readonly JobFigures[],
  other: readonly JobFigures[],
): LoneRegion[] {
  const names = new Set(own.flatMap(({ regions }) => [...regions.keys()]));
  return [...names].filter((name) => other.every(({ regions }) => !regions.has(name)))
    .map((name) => {
      const values = own.flatMap(({ regions }) => regions.get(name)?.energyJ ?? []);
      return { name, set, energyJ: values.reduce((sum, j) => sum + j, 0) / values.length };
    });
}

/** A metric of one run; NaN: not known. @throws {UnknownNameError} If there is no such metric. */
export function metricValue(name: string, job: JobFigures): number {
  const [, kind, region] = /^(region|region-time):(.*)$/s.exec(name) ?? [];
  if (kind === undefined) return metricOf(name, []).of(job);
  return job.regions.has(region) ? metricOf(name, [region]).of(job) : NaN;
}

/** @param regions Regions that all runs have. */
export function metricOf(
  name: string,
  regions: readonly string[],
): { unit: string; of: (job: JobFigures) => number } {
  const [, kind, region] = /^(region|region-time):(.*)$/s.exec(name) ?? [];
  if (kind === undefined) {
    if (Object.hasOwn(METRICS, name)) return METRICS[name];
    const times = regions.length === 0 ? ["NAME"] : regions;
    const known = [
      ...Object.keys(METRICS),
      ...times.flatMap((one) => [`region:${one}`, `region-time:${one}`]),
    ];
    throw new UnknownNameError("metric", name, known);
  }
  if (!regions.includes(region)) throw new UnknownNameError("region", region, regions);
  return kind === "region"
    ? { unit: "J", of: (job) => job.regions.get(region)!.energyJ }
    : { unit: "s", of: (job) => job.regions.get(region)!.timeS };
}

function verdictOf({ a, b, difference }: MetricRow, maxIncrease: number): Verdict {
  if (Number.isNaN(difference.change)) return "not known";
  if (Math.min(a.length, b.length) < MIN_RUNS) return "not enough runs";
  const { low, high } = difference;
  if (low > maxIncrease) return "worse";
  if (high < 0) return "better";
  if (maxIncrease === 0) return "no significant change";
  if (high <= maxIncrease) return "within the limit";
  return low > 0 ? "more, limit not decided" : "no significant change";
}
