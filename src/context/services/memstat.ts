/** `memstat` (also `memusage`): the process's memory in pages, proc(5), /proc/PID/statm. */

import { machineService } from "./machine_service.ts";

/** See the module. */
export const memstat = machineService("memstat", [
  "memstat.vmsize",
  "memstat.vmrss",
  "memstat.data",
], { aggregatable: true });
