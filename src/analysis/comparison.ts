/**
 * Two sets of runs as `joulemark compare` sees them: one metric that decides, the others and the
 * regions for information.
 * @module
 */
import { UnknownNameError } from "../core/errors.ts";
import { type NamedReport } from "./comparable.ts";
import { ALARM_P, type Difference, difference, eitherWayP, holm } from "./difference.ts";
import { type JobFigures, jobFigures } from "./job_figures.ts";

/** Metrics of the job; a region's are `region:NAME` and `region-time:NAME`. */
export const METRICS: Readonly<Record<string, { unit: string; of(job: JobFigures): number }>> = {
  energy: { unit: "J", of: ({ energyJ }) => energyJ },
  time: { unit: "s", of: ({ timeS }) => timeS },
  power: { unit: "W", of: ({ energyJ, timeS }) => energyJ / timeS },
  edp: { unit: "J s", of: ({ energyJ, timeS }) => energyJ * timeS },
};

/** The result of the gate. */
export type Verdict = "pass" | "fail" | "none";

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
  /** That the sets differ by chance, in either direction, corrected for all regions by Holm. */
  readonly p: number;
}

/** Everything that is shown. */
export interface Comparison {
  readonly gate: MetricRow & { readonly maxIncrease: number; readonly verdict: Verdict };
  /** Metrics of the job. */
  readonly job: readonly MetricRow[];
  /** Energies, the greatest change first. */
  readonly regions: readonly RegionRow[];
  /** What the energies are made of. */
  readonly source: string;
  /** Regions that only some runs have. */
  readonly missing: readonly string[];
}

/**
 * Compares.
 *
 * @param metric A key of {@linkcode METRICS}, `region:NAME` or `region-time:NAME`.
 * @param maxIncrease 0.03 for 3 %.
 * @throws {UnknownNameError} If there is no such metric, or a run has no such region.
 */
export function compare(
  a: readonly NamedReport[],
  b: readonly NamedReport[],
  { metric = "energy", maxIncrease = 0 }: { metric?: string; maxIncrease?: number } = {},
): Comparison {
  const [jobsA, jobsB] = [a, b].map((runs) => runs.map(({ report }) => jobFigures(report)));
  const all = [...jobsA, ...jobsB];
  const names = [...new Set(all.flatMap(({ regions }) => [...regions.keys()]))];
  const shared = names.filter((name) => all.every(({ regions }) => regions.has(name)));
  const row = (name: string): MetricRow => {
    const { unit, of } = metricOf(name, shared);
    const [va, vb] = [jobsA.map(of), jobsB.map(of)];
    return { metric: name, unit, a: va, b: vb, difference: difference(va, vb, maxIncrease) };
  };
  const gate = row(metric);
  const regions = shared.map((name) => row(`region:${name}`))
    .filter(({ difference }) => Number.isFinite(difference.change));
  const ps = holm(regions.map(({ a, b }) => eitherWayP(a, b)));
  const apart = ({ difference: { a, b } }: MetricRow) => Math.abs(b.mean - a.mean);
  return {
    gate: { ...gate, maxIncrease, verdict: verdictOf(gate.difference) },
    job: Object.keys(METRICS).map(row),
    regions: regions.map((region, i) => ({ ...region, p: ps[i] }))
      .sort((x, y) => apart(y) - apart(x)),
    source: all[0].source,
    missing: names.filter((name) => !shared.includes(name)),
  };
}

function metricOf(
  name: string,
  regions: readonly string[],
): { unit: string; of: (job: JobFigures) => number } {
  const [, kind, region] = /^(region|region-time):(.*)$/s.exec(name) ?? [];
  if (kind === undefined) {
    if (Object.hasOwn(METRICS, name)) return METRICS[name];
    const known = [...Object.keys(METRICS), ...regions.map((one) => `region:${one}`)];
    throw new UnknownNameError("metric", name, known);
  }
  if (!regions.includes(region)) throw new UnknownNameError("region of all runs", region, regions);
  return kind === "region"
    ? { unit: "J", of: (job) => job.regions.get(region)!.energyJ }
    : { unit: "s", of: (job) => job.regions.get(region)!.timeS };
}

function verdictOf({ p }: Difference): Verdict {
  return Number.isNaN(p) ? "none" : p <= ALARM_P ? "fail" : "pass";
}
