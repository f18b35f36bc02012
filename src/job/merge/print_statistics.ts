/**
 * Statistics over hosts as printed under the report's `joulemark:` key, six significant digits.
 * @module
 */
import { rounded } from "../../core/number_format.ts";
import type { Nested } from "../../core/report.ts";
import type { HostStatistics } from "./host_statistics.ts";
import type { SectionSums } from "./field_sums.ts";
import type { Outlier } from "./outliers.ts";

/** Named one by one; the rest is counted. */
const MAX_NAMED = 50;

type Mapping = { [key: string]: Nested };

/** Statistics of every region and section; fields that are 0 on all hosts are left out. */
export function acrossHosts(statistics: HostStatistics): Mapping {
  const regions: Mapping = {};
  for (const sums of longestFirst(statistics)) regions[key(sums.name)] = section(sums);
  const own: Mapping = {};
  if (statistics.regions.size > 0) own.Regions = regions;
  for (const title of ["Unmarked Totals", "Epoch Totals", "Application Totals"]) {
    const sums = statistics.sections.get(title);
    if (sums !== undefined) own[title] = section(sums);
  }
  return own;
}

/** The outliers, a line each. */
export function listed(found: readonly Outlier[]): Nested {
  const lines = found.slice(0, MAX_NAMED).map(({ host, where, field, value, median }) =>
    `${host}: ${field} of ${where} ${rounded(value)}, median ${rounded(median)}`
  );
  if (found.length > MAX_NAMED) lines.push(`and ${found.length - MAX_NAMED} more`);
  return lines;
}

/** Regions in the order of a host's own section: by mean runtime, equal ones by name. */
function longestFirst(statistics: HostStatistics): SectionSums[] {
  const means = new Map<SectionSums, number>();
  for (const sums of statistics.regions.values()) {
    const mean = sums.fields.find((f) => f.key === "runtime (s)")?.result().mean;
    means.set(sums, mean ?? 0);
  }
  return [...means.keys()].sort((a, b) =>
    means.get(b)! - means.get(a)! || (a.name < b.name ? -1 : 1)
  );
}

function section(sums: SectionSums): Mapping {
  const mapping: Mapping = { hosts: sums.hosts };
  for (const field of sums.fields) {
    const { count, mean, deviation, min, minHost, max, maxHost } = field.result();
    if (count === 0 || (min === 0 && max === 0)) continue;
    mapping[field.key] = {
      mean: rounded(mean),
      ...Number.isNaN(deviation) ? {} : { deviation: rounded(deviation) },
      min: rounded(min),
      "min host": minHost,
      max: rounded(max),
      "max host": maxHost,
    };
  }
  return mapping;
}

/** Mappings cannot keep whole numbers as keys in their place. */
function key(name: string): string {
  return /^[0-9]+$/.test(name) ? `region ${name}` : name;
}
