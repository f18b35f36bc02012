/**
 * Times of regions over the processes of a job, out of those of its hosts: sections of their own among
 * the statistics over hosts, so that no order of hosts shows.
 * @module
 */
import { type ProcessSpread, spreadsFromNested } from "../../core/process_spread.ts";
import type { ReportHost } from "../../core/report.ts";
import type { SectionSums } from "./field_sums.ts";
import type { Statistics } from "./job_totals.ts";

const PROCESSES = "Job processes ";
const BUCKET = "bucket ";
/** Number of regions reported: those with most time. */
const MAX_REGIONS = 20;

/** Adds what one host's own mapping has. */
export function addJobProcesses(statistics: Statistics, host: ReportHost, number: number): void {
  for (const spread of spreadsFromNested(host.joulemark?.["across processes"])) {
    const { processes, meanS, deviationS, leastS, mostS, buckets } = spread;
    const fields: { [key: string]: number } = {
      processes,
      seconds: meanS * processes,
      least: leastS,
      most: mostS,
      squares: (processes - 1) * deviationS ** 2 + processes * meanS ** 2,
    };
    for (const [bucket, count] of buckets) fields[BUCKET + bucket] = count;
    const section = statistics.section(PROCESSES + spread.region);
    section.add(fields, host.host, number, { hasSpread: false });
  }
}

/** Spreads over the job, those with most time first; the extremes are named by their host. */
export function jobProcesses(statistics: Statistics): ProcessSpread[] {
  const sections = [...statistics.sections].filter(([title]) => title.startsWith(PROCESSES));
  return sections.map(([title, section]) => spreadOf(title.slice(PROCESSES.length), section))
    .sort((a, b) => b.meanS * b.processes - a.meanS * a.processes || (a.region < b.region ? -1 : 1))
    .slice(0, MAX_REGIONS);
}

function spreadOf(region: string, section: SectionSums): ProcessSpread {
  const sum = (key: string) => section.field(key).sum.value;
  const processes = sum("processes"), meanS = sum("seconds") / processes;
  const buckets = new Map<number, number>();
  for (const { key, sum } of section.fields) {
    if (key.startsWith(BUCKET)) buckets.set(Number(key.slice(BUCKET.length)), sum.value);
  }
  const least = section.field("least"), most = section.field("most");
  const variance = (sum("squares") - processes * meanS ** 2) / (processes - 1);
  return {
    region,
    processes,
    meanS,
    buckets,
    deviationS: processes > 1 ? Math.sqrt(Math.max(0, variance)) : 0,
    leastS: least.min,
    mostS: most.max,
    least: least.minHost,
    most: most.maxHost,
  };
}
