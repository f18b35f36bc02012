/**
 * Options about OpenMP and about samples.
 *
 * Truth: Caliper manual, ConfigManager API, "OpenMP options" and "Sampling options".
 * @module
 */

import {
  clauses,
  columns,
  flag,
  keyColumn,
  lets,
  type Option,
  type OptionTable,
} from "./option.ts";

const METRIC: readonly Option[] = [
  flag("openmp.times", "Time in work and in barriers of OpenMP", {
    services: ["ompt", "timestamp"],
    local: clauses(
      lets({
        "t.omp.ns": "first(sum#time.duration.ns,time.duration.ns)",
        "t.omp.work": "scale(t.omp.ns,1e-9) if omp.work",
        "t.omp.sync": "scale(t.omp.ns,1e-9) if omp.sync",
        "t.omp.total": "first(t.omp.work,t.omp.sync)",
      }),
      columns(
        ["sum(t.omp.work)", "Time (work)", "sec"],
        ["sum(t.omp.sync)", "Time (barrier)", "sec"],
      ),
    ),
    cross: columns(
      ["avg(sum#t.omp.work)", "Time (work) (avg)", "sec"],
      ["avg(sum#t.omp.sync)", "Time (barrier) (avg)", "sec"],
      ["sum(sum#t.omp.work)", "Time (work) (total)", "sec"],
      ["sum(sum#t.omp.sync)", "Time (barrier) (total)", "sec"],
    ),
  }),
  flag("openmp.efficiency", "Shares of work and of barriers in the time of OpenMP", {
    includes: ["openmp.times"],
    local: columns(
      ["inclusive_ratio(t.omp.work,t.omp.total,100.0)", "Work %", "percent"],
      ["inclusive_ratio(t.omp.sync,t.omp.total,100.0)", "Barrier %", "percent"],
    ),
    cross: columns(
      ["min(iratio#t.omp.work/t.omp.total)", "Work % (min)", "percent"],
      ["avg(iratio#t.omp.work/t.omp.total)", "Work % (avg)", "percent"],
      ["avg(iratio#t.omp.sync/t.omp.total)", "Barrier % (avg)", "percent"],
      ["max(iratio#t.omp.sync/t.omp.total)", "Barrier % (max)", "percent"],
    ),
  }),
  flag("openmp.threads", "Threads of OpenMP one by one", {
    services: ["ompt"],
    local: clauses(
      "group by omp.thread.id,omp.thread.type",
      lets({ "n.omp.threads": "first(omp.num.threads)" }),
      columns(["max(n.omp.threads)", "#Threads"], ["omp.thread.id", "Thread"]),
    ),
    cross: clauses(
      "group by omp.thread.id,omp.thread.type",
      columns(["max(max#n.omp.threads)", "#Threads"], ["omp.thread.id", "Thread"]),
    ),
  }),
];

/** Location of the code that a sample hit; symbollookup finds it at the end of the run. */
const SAMPLING: readonly Option[] = [
  ["source.module", "Program or library that was running", "MODULE", "module", "Module"],
  ["source.function", "Function that was running", "FUNCTION", "source.function", "Function"],
  ["source.location", "File and line that were running", "SOURCELOC", "sourceloc", "Source"],
].map(([name, about, variable, attribute, title]) => ({
  ...keyColumn(name, about, `${attribute}#cali.sampler.pc`, title),
  services: ["symbollookup"],
  variables: { [`CALI_SYMBOLLOOKUP_LOOKUP_${variable}`]: "true" },
}));

/** Options by group. */
export const OPENMP_OPTIONS: OptionTable = { metric: METRIC, sampling: SAMPLING };
