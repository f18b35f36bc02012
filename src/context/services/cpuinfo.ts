/** `cpuinfo`: the CPU on which a thread was when the snapshot was taken, and its NUMA node. */

import { machineService } from "./machine_service.ts";

/** The service `cpuinfo`. */
export const cpuinfo = machineService("cpuinfo", ["cpuinfo.cpu", "cpuinfo.numa_node"]);
