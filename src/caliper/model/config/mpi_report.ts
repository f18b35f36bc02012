/** `mpi-report`: calls of MPI's functions and the time in them, over all ranks. */

import type { Config } from "./config.ts";
import { plainOutput } from "./event_trace.ts";
import { columns, lets } from "./option.ts";

/** The configuration `mpi-report`. */
export const mpiReport: Config = {
  name: "mpi-report",
  about: "Print the time in functions of MPI",
  categories: ["event", "output"],
  services: ["aggregate", "event", "mpi", "mpireport", "timer"],
  variables: {
    CALI_EVENT_TRIGGER: "mpi.function",
    CALI_EVENT_ENABLE_SNAPSHOT_INFO: "false",
    CALI_TIMER_INCLUSIVE_DURATION: "false",
    CALI_MPI_BLACKLIST: "MPI_Comm_size,MPI_Comm_rank,MPI_Wtime",
    CALI_MPIREPORT_WRITE_ON_FINALIZE: "false",
  },
  signals: "table",
  finish(draft) {
    plainOutput(draft);
    draft.variables.CALI_MPIREPORT_CONFIG = draft.query(
      "local", // the one query is over the records of all ranks
      lets({ "sum#time.duration": "scale(sum#time.duration.ns,1e-9)" }),
      columns(
        ["mpi.function", "Function"],
        ["min(count)", "Count (min)"],
        ["max(count)", "Count (max)"],
        ["min(sum#time.duration)", "Time (min)"],
        ["max(sum#time.duration)", "Time (max)"],
        ["avg(sum#time.duration)", "Time (avg)"],
        ["percent_total(sum#time.duration)", "Time %"],
      ),
      "group by mpi.function format table order by percent_total#sum#time.duration desc",
    );
    if (!draft.facts.mpi) {
      draft.remarks.push("mpi-report: nothing will be printed: the program does not run under MPI");
    }
  },
};
