/**
 * The PMC log of a job, collated from the readings of its nodes and written.
 * @module
 */
import { writeDocument } from "../../os/files/whole_file.ts";
import { type PmcVersion, stringifyPmc } from "../../formats/pmc/pmc.ts";
import { collateSteps, type NodeSteps } from "./steps.ts";

/**
 * Collates and writes the job's log.
 *
 * @returns What was wrong with its parts, a line each.
 * @throws {AccessError} If it cannot be written.
 */
export function writePmc(
  path: string,
  version: PmcVersion,
  nodes: readonly NodeSteps[],
): readonly string[] {
  const { log, troubles } = collateSteps(nodes, version);
  writeDocument(path, stringifyPmc(log));
  return troubles;
}
