/** `memstat` (also `memusage`): the process's memory in pages, proc(5), /proc/PID/statm. */

import { machineService } from "./machine_service.ts";

/** The service `memstat`. */
export const memstat = machineService("memstat", [
  "memstat.vmsize",
  "memstat.vmrss",
  "memstat.data",
], { aggregatable: true });
