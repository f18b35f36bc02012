/** `ompt`: parallel regions of OpenMP, which the interposition library reports, as `omp.parallel`. */

import type { Service, ServiceHost } from "../service.ts";
import { NONE } from "../tree.ts";
import { libraryAttribute } from "./library_attribute.ts";

/** Prefix of the library's names for OpenMP events: docs/how-to/annotate.md. */
export const OMPT_PREFIX = "[OMPT]";

/** The service `ompt`. */
export function ompt(host: ServiceHost): Service {
  const parallel = libraryAttribute(host, "omp.parallel");
  return {
    name: "ompt",
    adopt: (region) => region.startsWith(OMPT_PREFIX) ? parallel : NONE,
  };
}
