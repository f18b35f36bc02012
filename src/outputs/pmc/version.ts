/** `--pmc-version`: one of pm_mpi_lib's, `4.3` or `4.3.0`. */
import { UsageError } from "../../core/errors.ts";
import { isPmcVersion, PMC_VERSIONS, type PmcVersion } from "../../formats/pmc/log.ts";

/** The default version of a log. */
export const DEFAULT_PMC_VERSION: PmcVersion = "4.4";

/** @throws {UsageError} If it is none. */
export function parsePmcVersion(text: string | undefined): PmcVersion {
  if (text === undefined) return DEFAULT_PMC_VERSION;
  const short = /^v?([0-9]+\.[0-9]+)(?:\.0)?$/.exec(text.trim())?.[1] ?? text;
  if (isPmcVersion(short)) return short;
  throw new UsageError({
    action: "use",
    target: `--pmc-version ${text}`,
    expected: `one of ${PMC_VERSIONS.join(", ")}`,
    found: text,
  });
}
