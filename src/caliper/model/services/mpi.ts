/**
 * `mpi`: calls of MPI, which the interposition library reports, as `mpi.function`; the rank, as
 * `mpi.rank`. CALI_MPI_WHITELIST and CALI_MPI_BLACKLIST name calls that are received, or are not.
 * @module
 */

import { wordsOf } from "../config_words.ts";
import type { Service, ServiceHost } from "../service.ts";
import { NONE } from "../tree.ts";
import { libraryAttribute } from "./library_attribute.ts";

/** The service `mpi`. */
export function mpi(host: ServiceHost): Service {
  const functions = libraryAttribute(host, "mpi.function");
  const white = new Set(wordsOf(host.config("CALI_MPI_WHITELIST")));
  const black = new Set(wordsOf(host.config("CALI_MPI_BLACKLIST")));
  for (const name of ["MSG_TRACING", "MSG_PATTERN"]) {
    const value = host.config(`CALI_MPI_${name}`);
    if (value !== undefined && value !== "false") {
      host.log(
        `mpi: sizes and partners of messages are not recorded: CALI_MPI_${name} has no effect`,
      );
    }
  }
  return {
    name: "mpi",
    adopt(region: string): number {
      if (!region.startsWith("MPI_") || black.has(region)) return NONE;
      return white.size === 0 || white.has(region) ? functions : NONE;
    },
  };
}
