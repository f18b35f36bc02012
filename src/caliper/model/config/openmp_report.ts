/**
 * `openmp-report`: threads, and the time in work and in barriers of OpenMP.
 *
 * One thing differs from Caliper: the query over ranks can be read; there its first word is missing.
 * @module
 */

import { ACROSS_RANKS, type Config } from "./config.ts";
import { columns, flag, keyColumn, lets } from "./option.ts";

/** The configuration `openmp-report`. */
export const openmpReport: Config = {
  name: "openmp-report",
  about: "Print times of OpenMP's work and barriers",
  categories: ["output", "region", "metric", "event"],
  services: ["aggregate", "ompt", "event"],
  variables: { CALI_EVENT_ENABLE_SNAPSHOT_INFO: "false" },
  defaults: { "openmp.efficiency": "true", "openmp.times": "true", show_regions: "true" },
  signals: "report",
  options: [
    ACROSS_RANKS,
    keyColumn("show_threads", "Threads one by one", "omp.thread.id", "Thread"),
    keyColumn("show_thread_type", "Initial thread and workers apart", "omp.thread.type", "Type"),
    flag("show_regions", "The tree of regions", {
      local: "group by path",
      cross: "group by path",
    }),
  ],
  finish(draft) {
    const { options } = draft, mpi = draft.wantsMpi("aggregate_across_ranks");
    const format = `format ${options.isEnabled("show_regions") ? "tree" : "table"}`;
    const local = draft.query(
      "local",
      lets({
        "sum#time.duration": "scale(sum#time.duration.ns,1e-9)",
        "n.threads": "first(omp.num.threads)",
        "t.initial": "first(sum#time.duration) if omp.thread.type=initial",
      }),
      columns(
        ["max(n.threads)", "#Threads"],
        ["inclusive_sum(t.initial)", "Time (thread)"],
        ["inclusive_sum(sum#time.duration)", "Time (total)"],
      ),
      format,
    );
    const cross = draft.query(
      "cross",
      columns(
        ["max(max#n.threads)", "#Threads"],
        ["avg(inclusive#t.initial)", "Time (thread) (avg)"],
        ["sum(inclusive#sum#time.duration)", "Time (total)"],
      ),
      format,
    );
    draft.report({
      output: options.get("output", "stderr"),
      mpi,
      local,
      cross: mpi ? cross : local,
    });
  },
};
