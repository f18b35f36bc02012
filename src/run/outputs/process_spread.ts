/**
 * Spread of region times over processes, in the host's `joulemark:` mapping.
 * @module
 */
import { processSpread, spreadsToNested } from "../../core/process_spread.ts";
import type { Nested } from "../../core/report.ts";
import type { TrackedRun } from "../../marks/tracker/tracked_run.ts";

/** Number of regions reported: those with most time. */
const MAX_REGIONS = 20;

/**
 * `undefined`: there was one process, or none marked a region.
 *
 * @param rankOf Rank of a process within its MPI job, where it has one.
 */
export function processSpreadFacts(
  tracker: Pick<TrackedRun, "processTimes" | "markingCount">,
  rankOf: (pid: number) => string | undefined = () => undefined,
): Nested | undefined {
  if (tracker.markingCount < 2) return undefined;
  const nameOf = (pid: number) => {
    const rank = rankOf(pid);
    return rank === undefined ? `process ${pid}` : `rank ${rank}`;
  };
  const regions = tracker.processTimes(MAX_REGIONS)
    .map(({ name, times }) => ({ name, times: times.filter(({ timeNs }) => timeNs === timeNs) }))
    .filter(({ times }) => times.length > 1);
  if (regions.length === 0) return undefined;
  return spreadsToNested(regions.map(({ name, times }) => processSpread(name, times, nameOf)));
}
