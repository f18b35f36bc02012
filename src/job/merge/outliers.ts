/**
 * Outliers among the hosts of a job: by the median and the median absolute deviation, which
 * one bad host among few cannot hide behind, as it can behind a mean. B. Iglewicz and D. Hoaglin,
 * "How to Detect and Handle Outliers" (1993): beyond 3.5 robust deviations.
 * @module
 */
import { middle } from "../../core/agg.ts";
import { compareTexts } from "../../core/names.ts";
import type { HostStatistics } from "./host_statistics.ts";
import type { FieldSums } from "./field_sums.ts";

/** Robust deviations. */
const MAX_ROBUST_DEVIATIONS = 3.5;
/** Ratio of σ to the median absolute deviation for a normal distribution. */
const SIGMA = 1.4826;
/** Less than this share of the median is noise for any deviation. */
const MIN_SHARE = 0.01;
/** Minimum number of hosts: with three or fewer the odd one cannot be identified. */
const MIN_HOSTS = 4;

/** One host in one region or section. */
export interface Outlier {
  readonly host: string;
  /** The region, or the section's title. */
  readonly where: string;
  readonly field: string;
  readonly value: number;
  readonly median: number;
}

/** Slow ones are stragglers; all others are outliers. Worst first, then by name. */
export interface Standing {
  readonly stragglers: readonly Outlier[];
  readonly outliers: readonly Outlier[];
}

/** Finds the outlying hosts. */
export function standingOut(statistics: HostStatistics): Standing {
  const stragglers: Outlier[] = [];
  const outliers: Outlier[] = [];
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
  const { watched } = field;
  if (watched === undefined || watched.count < MIN_HOSTS) return [];
  const kept = watched.values.subarray(0, watched.count);
  const median = middle(kept.slice().sort());
  const away = kept.map((value) => Math.abs(value - median)).sort();
  const limit = Math.max(
    MAX_ROBUST_DEVIATIONS * SIGMA * middle(away),
    MIN_SHARE * Math.abs(median),
  );
  const found: { host: string; value: number; median: number }[] = [];
  kept.forEach((value, k) => {
    if (Math.abs(value - median) <= limit) return;
    found.push({ host: hosts[watched.hosts[k]], value, median });
  });
  return found;
}

function worstFirst(list: Outlier[]): Outlier[] {
  const factor = ({ value, median }: Outlier) => Math.abs(value - median) / Math.abs(median || 1);
  return list.sort((a, b) =>
    factor(b) - factor(a) || compareTexts(a.host, b.host) || compareTexts(a.where, b.where) ||
    compareTexts(a.field, b.field)
  );
}
