/** `event-trace`: every begin, set and end, as a `.cali` stream. */

import type { ChannelDraft, Config } from "./config.ts";
import { flag, settings, word } from "./option.ts";

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
  signals: "none",
  options: [
    ...settings(["outdir", "CALI_RECORDER_DIRECTORY", "Folder for the file"]),
    flag("trace.io", "I/O calls, too", { services: ["io"] }),
    flag("trace.mpi", "MPI calls, too", {
      services: ["mpi"],
      variables: { CALI_MPI_BLACKLIST: "MPI_Wtime,MPI_Wtick,MPI_Comm_size,MPI_Comm_rank" },
    }),
    flag("trace.openmp", "Events of OpenMP, too", { services: ["ompt"] }),
    flag("time.inclusive", "Inclusive times of regions at their ends", {
      variables: { CALI_TIMER_INCLUSIVE_DURATION: "true" },
    }),
    flag("sampling", "Samples of call paths, too", {
      services: ["pthread", "sampler"],
      servicesIfAny: ["callpath", "symbollookup"],
      variables: { CALI_SAMPLER_FREQUENCY: "200" },
    }),
    {
      name: "sample.frequency",
      type: "int",
      about: "Samples a second, with sampling",
      variables: { CALI_SAMPLER_FREQUENCY: "{}" },
    },
    flag("trace.cuda", "CUDA calls", { services: ["cupti"] }),
    flag("cuda.activities", "CUDA activities", { services: ["cuptitrace"] }),
    flag("trace.kokkos", "Kokkos kernels", { services: ["kokkostime"] }),
    word("papi.counters", "Counters of the processor by PAPI's names", {
      services: ["papi"],
      variables: { CALI_PAPI_COUNTERS: "{}" },
    }),
    flag("perf.topdown.toplevel", "Top-down ratios of level 1", { services: ["perf_topdown"] }),
    flag("perf.topdown.all", "Top-down ratios of levels 1 and 2", { services: ["perf_topdown"] }),
    flag("rocm.activities", "ROCm activities", { services: ["rocprofiler"] }),
    word("rocm.counters", "ROCm counters", { services: ["rocprofiler"] }),
    flag("umpire.allocators", "Statistics of Umpire's allocators", { services: ["umpire"] }),
  ],
  finish: plainOutput,
};
