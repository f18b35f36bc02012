/**
 * Processes that ended while a region was open, in the host's `joulemark:` mapping.
 * @module
 */
import type { Nested } from "../../core/report.ts";
import type { ProcessSummary } from "../../marks/tracker/process_list.ts";

const MAX_LISTED = 20;

/** Empty: there are none. */
export function endedInside(processes: readonly ProcessSummary[]): { [key: string]: Nested } {
  const open = processes.filter((p) => p.openRegion !== undefined && p.end !== "running");
  if (open.length === 0) return {};
  const listed = open.slice(0, MAX_LISTED).map((p) => `${p.pid} in ${p.openRegion}`);
  return { "ended inside a region": listed };
}
