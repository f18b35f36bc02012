/** `--pmc-version`: one of pm_mpi_lib's, `4.3` or `4.3.0`. */
import { unusable } from "../../../core/errors.ts";
import { isPmcVersion, PMC_VERSIONS, type PmcVersion } from "../../../formats/pmc/log.ts";

/** @param text Absent: the default. @throws {UsageError} If it is none. */
export function parsePmcVersion(text: string | undefined): PmcVersion {
  if (text === undefined) return "4.4";
  const short = /^v?([0-9]+\.[0-9]+)(?:\.0)?$/.exec(text.trim())?.[1] ?? text;
  if (isPmcVersion(short)) return short;
  throw unusable(`--pmc-version ${text}`, `one of ${PMC_VERSIONS.join(", ")}`, text);
}
