/** `event-trace`: every begin, set and end, as a `.cali` stream. */

import type { ChannelDraft, Config } from "./config.ts";
import { settings } from "./option.ts";

/** Handles the option `output` of configurations whose other options are in tables. */
export function plainOutput(draft: ChannelDraft): void {
  if (!draft.options.isSet("output")) return;
  for (const service of ["RECORDER", "REPORT", "MPIREPORT"]) {
    draft.variables[`CALI_${service}_FILENAME`] = draft.options.get("output");
  }
}

/** The configuration `event-trace`. */
export const eventTrace: Config = {
  name: "event-trace",
  about: "Record begin and end of regions as a .cali stream",
  categories: ["output", "metadata", "event"],
  services: ["async_event", "event", "recorder", "timer", "trace"],
  variables: { CALI_CHANNEL_FLUSH_ON_EXIT: "false" },
  signals: "none",
  options: [
    ...settings(["outdir", "CALI_RECORDER_DIRECTORY", "Folder for the file"]),
    { name: "trace.io", type: "bool", about: "I/O calls, too", services: ["io"] },
    {
      name: "trace.mpi",
      type: "bool",
      about: "MPI calls, too",
      services: ["mpi"],
      variables: { CALI_MPI_BLACKLIST: "MPI_Wtime,MPI_Wtick,MPI_Comm_size,MPI_Comm_rank" },
    },
    { name: "trace.openmp", type: "bool", about: "Events of OpenMP, too", services: ["ompt"] },
    {
      name: "time.inclusive",
      type: "bool",
      about: "Inclusive times of regions at their ends",
      variables: { CALI_TIMER_INCLUSIVE_DURATION: "true" },
    },
    {
      name: "sampling",
      type: "bool",
      about: "Samples of call paths, too",
      services: ["pthread", "sampler"],
      servicesIfAny: ["callpath", "symbollookup"],
      variables: { CALI_SAMPLER_FREQUENCY: "200" },
    },
    {
      name: "sample.frequency",
      type: "int",
      about: "Samples a second, with sampling",
      variables: { CALI_SAMPLER_FREQUENCY: "{}" },
    },
    { name: "trace.cuda", type: "bool", about: "CUDA calls", services: ["cupti"] },
    { name: "cuda.activities", type: "bool", about: "CUDA activities", services: ["cuptitrace"] },
    { name: "trace.kokkos", type: "bool", about: "Kokkos kernels", services: ["kokkostime"] },
    {
      name: "papi.counters",
      type: "string",
      about: "Counters of the processor by PAPI's names",
      services: ["papi"],
      variables: { CALI_PAPI_COUNTERS: "{}" },
    },
    {
      name: "perf.topdown.toplevel",
      type: "bool",
      about: "Top-down ratios of level 1",
      services: ["perf_topdown"],
    },
    {
      name: "perf.topdown.all",
      type: "bool",
      about: "Top-down ratios of levels 1 and 2",
      services: ["perf_topdown"],
    },
    { name: "rocm.activities", type: "bool", about: "ROCm activities", services: ["rocprofiler"] },
    { name: "rocm.counters", type: "string", about: "ROCm counters", services: ["rocprofiler"] },
    {
      name: "umpire.allocators",
      type: "bool",
      about: "Statistics of Umpire's allocators",
      services: ["umpire"],
    },
  ],
  finish: plainOutput,
};
