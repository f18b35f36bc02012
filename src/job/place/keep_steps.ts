/**
 * Leaves the records of a PMC log: as the job's log, or in a job of several nodes as this node's part.
 * @module
 */
import { writeDocument } from "../../os/files/whole_file.ts";
import type { PmcRecord, PmcVersion } from "../../formats/pmc/log.ts";
import { encodeRecords } from "../../formats/pmc/binary.ts";
import { writePmc } from "../merge/pmc.ts";
import { PMC_RESTS } from "./part_files.ts";
import type { JobPlace } from "./run_names.ts";

/** Type of {@linkcode keepSteps}. */
export type KeepSteps = typeof keepSteps;

/**
 * Writes the log, or the part.
 *
 * @param place Whose the records are.
 * @returns What was wrong, a line each.
 * @throws {AccessError} If it cannot be written.
 */
export function keepSteps(
  { part, host }: JobPlace,
  path: string,
  version: PmcVersion,
  records: PmcRecord[],
): readonly string[] {
  if (part === undefined) return writePmc(path, version, [{ host, rank: 0, records }]);
  // Collating tells a reading that is missing from 0 J.
  writeDocument(part.pmcPath, encodeRecords(records, NaN));
  const rests = records.map((record) => record.restsJ ?? null);
  if (rests.some((rest) => rest !== null)) part.keep(PMC_RESTS, JSON.stringify(rests));
  return [];
}
