/**
 * The groups of variables that Caliper has without a file, for `CALI_CONFIG_PROFILE`.
 *
 * Two things differ from Caliper, whose reports name attributes that its services do not make any
 * more (`function`, `time.duration`) and so print nothing: here they name those of today.
 *
 * Truth: Caliper manual, Configuration, "Built-in configuration profiles".
 * @module
 */

import type { Groups } from "./config_file.ts";
import { clauses, columns, lets } from "./option.ts";

const CHEAP_MPI = "MPI_Comm_rank,MPI_Comm_size,MPI_Wtick,MPI_Wtime";
const SECONDS = lets({ "sum#time.duration": "scale(sum#time.duration.ns,1e-9)" });

/** Fresh copies of the groups. */
export function builtinGroups(): Groups {
  const groups: Record<string, Record<string, string>> = {
    "serial-trace": {
      CALI_SERVICES_ENABLE: "event,recorder,timestamp,trace",
      CALI_TIMER_INCLUSIVE_DURATION: "true",
    },
    "event-trace": { CALI_SERVICES_ENABLE: "event,recorder,timestamp,trace" },
    "thread-trace": { CALI_SERVICES_ENABLE: "event,pthread,recorder,timestamp,trace" },
    "mpi-msg-trace": {
      CALI_SERVICES_ENABLE: "event,mpi,recorder,timestamp,trace",
      CALI_MPI_BLACKLIST: CHEAP_MPI,
      CALI_MPI_MSG_TRACING: "true",
      CALI_RECORDER_FILENAME: "%mpi.rank%.cali",
    },
    "flat-function-profile": {
      CALI_SERVICES_ENABLE: "aggregate,event,report,timestamp",
      CALI_TIMER_INCLUSIVE_DURATION: "true",
      CALI_REPORT_CONFIG: clauses(
        columns(["event.end#region"], ["sum(sum#time.inclusive.duration.ns)", undefined, "nsec"]),
        "where event.end#region group by event.end#region format table",
        "order by sum#sum#time.inclusive.duration.ns desc",
      ),
    },
    "runtime-report": {
      CALI_SERVICES_ENABLE: "aggregate,event,report,timestamp",
      CALI_EVENT_ENABLE_SNAPSHOT_INFO: "false",
      CALI_REPORT_CONFIG: clauses(
        SECONDS,
        columns(
          ["inclusive_sum(sum#time.duration)", "Inclusive time"],
          ["sum(sum#time.duration)", "Exclusive time"],
          ["percent_total(sum#time.duration)", "Time %"],
        ),
        "group by path format tree",
      ),
      CALI_REPORT_FILENAME: "stderr",
    },
    "mpi-runtime-report": {
      CALI_SERVICES_ENABLE: "aggregate,event,mpi,mpireport,timestamp",
      CALI_MPI_BLACKLIST: CHEAP_MPI,
      CALI_EVENT_ENABLE_SNAPSHOT_INFO: "false",
      CALI_MPIREPORT_CONFIG: clauses(
        SECONDS,
        columns(
          ["min(sum#time.duration)", "Min time/rank"],
          ["max(sum#time.duration)", "Max time/rank"],
          ["avg(sum#time.duration)", "Avg time/rank"],
          ["percent_total(sum#time.duration)", "Time % (total)"],
        ),
        "group by path format tree",
      ),
      CALI_MPIREPORT_FILENAME: "stderr",
    },
  };
  return new Map(Object.entries(groups));
}
