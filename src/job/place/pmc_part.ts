/**
 * The PMC log of a job from what its nodes left beside their reports.
 * @module
 */
import { baseName } from "../../core/names.ts";
import { FormatError } from "../../core/errors.ts";
import { parsePmc, type PmcRecord, type PmcVersion } from "../../formats/pmc/pmc.ts";
import { readFoundText, UserFile } from "../../os/user_file.ts";
import type { NodeSteps } from "../merge/steps.ts";
import { statPath } from "../../os/files.ts";
import { type PartFacts, partFacts, PMC_RESTS } from "./part_files.ts";
import { writePmc } from "../merge/pmc.ts";

/**
 * Collates the `.pmc` beside each report. Nodes without one are logged.
 *
 * @returns What was wrong, a line each.
 * @throws {AccessError} If it cannot be written.
 */
export function writePartsPmc(
  reports: readonly string[],
  out: string,
  version: PmcVersion,
): string[] {
  const troubles: string[] = [];
  const nodes: NodeSteps[] = [];
  reports.forEach((report, i) => {
    const path = report.replace(/\.report(\.partial)?$/, ".pmc");
    const facts: Partial<PartFacts> = partFacts(report) ?? {};
    const host = facts.host ?? baseName(path).slice(0, -".pmc".length);
    try {
      using file = UserFile.found(path);
      const { records, cut } = parsePmc(file.readAll(), { path });
      if (cut) troubles.push(`${path}: truncated in its last record, read up to there`);
      addRests(records, path.replace(/pmc$/, PMC_RESTS));
      nodes.push({ host, rank: facts.rank ?? i, records });
    } catch (error) {
      const reason = error instanceof FormatError ? error.message : `${path}: no steps there`;
      troubles.push(`${reason}. ${host} is left out of the PMC log`);
    }
  });
  return [...troubles, ...writePmc(out, version, nodes)];
}

/** @throws {FormatError} If the file exists and is not ours. */
function addRests(records: PmcRecord[], path: string): void {
  if (statPath(path) === undefined) return;
  const rests = restsIn(readFoundText(path));
  if (rests === undefined || rests.length < records.length) {
    throw new FormatError(path, 0, {
      action: "parse",
      expected: `${records.length} rests of energies`,
    });
  }
  records.forEach((record, i) => record.restsJ = rests[i] ?? undefined);
}

function restsIn(text: string): PmcRecord["restsJ"][] | undefined {
  try {
    const data = JSON.parse(text);
    const isRest = (rest: unknown) =>
      rest === null || Array.isArray(rest) && rest.length === 3 && rest.every(Number.isFinite);
    return Array.isArray(data) && data.every(isRest) ? data : undefined;
  } catch {
    return undefined;
  }
}
