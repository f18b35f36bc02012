/**
 * Configurations and options of Caliper that need what cannot be had here: they are known by name,
 * so that they are answered with the reason and with what to use instead.
 * @module
 */

import type { Option, OptionTable } from "./option.ts";

type Row = readonly [name: string, service: string, type?: Option["type"]];

function rows(...list: Row[]): Option[] {
  return list.map(([name, service, type = "bool"]) => ({
    name,
    type,
    about: `Needs the service ${service}, which there is not`,
    services: [service],
  }));
}

/** Options by group. */
export const ABSENT_OPTIONS: OptionTable = {
  region: rows(
    ["profile.cuda", "cupti"],
    ["profile.hip", "roctracer"],
    ["profile.kokkos", "kokkostime"],
  ),
  metric: rows(
    ["cuda.gputime", "cuptitrace"],
    ["cuda.memcpy", "cuptitrace"],
    ["rocm.gputime", "roctracer"],
    ["rocm.alloc.stats", "rocprofiler"],
    ["rocm.activity.stats", "rocprofiler"],
    ["umpire.totals", "umpire"],
    ["umpire.allocators", "umpire"],
    ["umpire.filter", "umpire", "string"],
    ["mem.bandwidth", "pcp.memory"],
    ["mem.read.bandwidth", "pcp.memory"],
    ["mem.write.bandwidth", "pcp.memory"],
    ["papi.topdown.toplevel", "perf_topdown"],
    ["papi.topdown.all", "perf_topdown"],
    ["perf.topdown.toplevel", "perf_topdown"],
    ["perf.topdown.all", "perf_topdown"],
    ["topdown.toplevel", "perf_topdown"],
    ["topdown.all", "perf_topdown"],
  ),
};

/** The service that a configuration would need, by the configuration's name. */
export const ABSENT_CONFIGS: ReadonlyMap<string, string> = new Map([
  ["cuda-activity-report", "cuptitrace"],
  ["cuda-activity-profile", "cuptitrace"],
  ["hatchet-cuda-activity-profile", "cuptitrace"],
  ["rocm-activity-report", "rocprofiler"],
  ["rocm-activity-profile", "rocprofiler"],
  ["nvprof", "nvtx"],
  ["nvtx", "nvtx"],
  ["roctx", "roctx"],
]);
