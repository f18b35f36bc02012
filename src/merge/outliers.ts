/**
 * Who stands out among the hosts of a job: by the median and the median absolute deviation, which
 * one bad host among few cannot hide behind, as it can behind a mean. B. Iglewicz and D. Hoaglin,
 * "How to Detect and Handle Outliers" (1993): beyond 3.5 robust deviations.
 * @module
 */
import { compareTexts } from "../core/names.ts";
import type { HostStatistics } from "./host_statistics.ts";
import type { FieldSums } from "./field_sums.ts";

/** Robust deviations. */
const LIMIT = 3.5;
/** Of a normal distribution, σ over the median absolute deviation. */
const SIGMA = 1.4826;
/** Less than this share of the median is noise whatever the deviation. */
const LEAST_SHARE = 0.01;
/** Three hosts cannot tell which one of them is odd. */
const LEAST_HOSTS = 4;

/** One host in one region or section. */
export interface StandsOut {
  readonly host: string;
  /** The region, or the section's title. */
  readonly where: string;
  readonly field: string;
  readonly value: number;
  readonly median: number;
}

/** Slow ones are stragglers; all others are outliers. Worst first, then by name. */
export interface Standing {
  readonly stragglers: readonly StandsOut[];
  readonly outliers: readonly StandsOut[];
}

/** Finds the hosts that stand out. */
export function standingOut(statistics: HostStatistics): Standing {
  const stragglers: StandsOut[] = [];
  const outliers: StandsOut[] = [];
  const sections = [...statistics.regions.values(), ...statistics.sections.values()];
  for (const section of sections) {
    for (const field of section.fields) {
      for (const found of oddOnes(field, statistics.hosts)) {
        const slow = field.key === "runtime (s)" && found.value > found.median;
        (slow ? stragglers : outliers).push({ ...found, where: section.name, field: field.key });
      }
    }
  }
  return { stragglers: worstFirst(stragglers), outliers: worstFirst(outliers) };
}

function oddOnes(field: FieldSums, hosts: readonly string[]) {
  const kept = field.watched;
  if (kept === undefined || kept.length < LEAST_HOSTS) return [];
  const values = Float64Array.from(kept, ({ value }) => value).sort();
  const middle = median(values);
  const away = Float64Array.from(values, (value) => Math.abs(value - middle)).sort();
  const limit = Math.max(LIMIT * SIGMA * median(away), LEAST_SHARE * Math.abs(middle));
  return kept.filter(({ value }) => Math.abs(value - middle) > limit)
    .map(({ host, value }) => ({ host: hosts[host], value, median: middle }));
}

/** Of sorted values. */
function median(sorted: Float64Array): number {
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

function worstFirst(list: StandsOut[]): StandsOut[] {
  const factor = ({ value, median }: StandsOut) => Math.abs(value - median) / Math.abs(median || 1);
  return list.sort((a, b) =>
    factor(b) - factor(a) || compareTexts(a.host, b.host) || compareTexts(a.where, b.where) ||
    compareTexts(a.field, b.field)
  );
}
