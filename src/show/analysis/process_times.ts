/**
 * Spread of region times over processes, as a table and as a plot.
 * @module
 */
import {
  bucketMiddleS,
  type ProcessSpread,
  spreadQuantileS,
  spreadsFromNested,
} from "../../core/process_spread.ts";
import type { Report } from "../../core/report.ts";
import type { Panel } from "./picture.ts";
import { columnsOf, details, type Table } from "./table.ts";

/** Regions drawn. */
const MAX_DRAWN = 6;

/** Spreads of a report: the job's, or those of each host by itself. */
export function processSpreads(
  { joulemark, hosts }: Report,
): { host: string; of: ProcessSpread }[] {
  const job = spreadsFromNested(joulemark?.["across processes"]);
  if (job.length > 0) return job.map((of) => ({ host: "", of }));
  return hosts.flatMap(({ host, joulemark }) =>
    spreadsFromNested(joulemark?.["across processes"]).map((of) => ({
      host: hosts.length > 1 ? host : "",
      of,
    }))
  );
}

/** `most / mean`: the part of a region that is waiting for its last process. */
export function processTable(report: Report): Table {
  const spreads = processSpreads(report);
  return {
    title: "Regions over processes",
    columns: columnsOf(
      ...details(["host"], spreads.every(({ host }) => host === "")),
      // Columns that do not fit are left out from the right.
      ...["region", "processes", "mean (s)", "maximum (s)", "maximum in", "maximum ÷ mean"],
      ...["minimum (s)", "minimum in", "p50 (s)", "± (s)"],
    ),
    rows: spreads.map(({ host, of }) => [
      ...[host, of.region, of.processes, of.meanS, of.mostS, of.most, of.mostS / of.meanS],
      ...[of.leastS, of.least, spreadQuantileS(of, 0.5), of.deviationS],
    ]),
  };
}

/** Processes by time, each region's in parts of its mean, so that imbalance is seen as width. */
export function processPanel(report: Report): Panel | undefined {
  const drawn = processSpreads(report).filter(({ of }) => of.processes > 2).slice(0, MAX_DRAWN);
  if (drawn.length === 0) return undefined;
  return {
    title: "Times over processes",
    xTitle: "time in the region / mean over processes",
    yTitle: "processes",
    series: drawn.map(({ host, of }) => {
      const buckets = [...of.buckets.keys()].sort((a, b) => a - b);
      return {
        name: host === "" ? of.region : `${of.region} on ${host}`,
        kind: "points" as const,
        x: buckets.map((bucket) => bucketMiddleS(bucket) / of.meanS),
        y: buckets.map((bucket) => of.buckets.get(bucket)!),
        labels: buckets.map((_, i) => i === buckets.length - 1 ? of.most : ""),
      };
    }),
  };
}
