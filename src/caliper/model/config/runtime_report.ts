/**
 * `runtime-report`: the time of regions as a tree; with several ranks the minimum, mean and maximum
 * over ranks.
 *
 * The local query takes records within regions alone (`leaf()` is the innermost one), so that
 * percentages are of the time in regions.
 *
 * One thing differs from Caliper: `order_by_time` orders. There it names an attribute that does not
 * exist, and the order of visits, a default, has the last word.
 * @module
 */

import { ACROSS_RANKS, type Config, treeFormat } from "./config.ts";
import { clauses, columns, flag, lets } from "./option.ts";

const SECONDS = clauses(
  lets({ "report.t": "scale(sum#time.duration.ns,1e-9)", "report.l": "leaf()" }),
  "where report.l group by path",
);

/** The configuration `runtime-report`. */
export const runtimeReport: Config = {
  name: "runtime-report",
  about: "Print the time of regions",
  categories: ["metric", "output", "region", "treeformatter", "event"],
  services: ["aggregate", "event", "timer"],
  variables: { CALI_EVENT_ENABLE_SNAPSHOT_INFO: "false", CALI_TIMER_UNIT: "sec" },
  defaults: { order_as_visited: "true", "output.append": "true" },
  signals: "report",
  options: [
    flag("calc.inclusive", "Without effect: both times are printed"),
    flag("time.exclusive", "Exclusive times over ranks, too", {
      cross: columns(
        ["min(sum#report.t)", "Min time/rank (E)"],
        ["avg(sum#report.t)", "Avg time/rank (E)"],
        ["max(sum#report.t)", "Max time/rank (E)"],
        ["percent_total(sum#report.t)", "Time % (E)"],
      ),
    }),
    ACROSS_RANKS,
    flag("order_by_time", "Longest exclusive time first"),
    flag("output.append", "Add to files instead of replacing them"),
  ],
  finish(draft) {
    const { options } = draft, format = treeFormat(options);
    const mpi = draft.wantsMpi("aggregate_across_ranks");
    const local = mpi
      ? `${SECONDS} ${columns(["sum(report.t)"], ["inclusive_sum(report.t)"])}`
      : clauses(
        SECONDS,
        columns(
          ["sum(report.t)", "Time (E)"],
          ["inclusive_sum(report.t)", "Time (I)"],
          ["percent_total(report.t)", "Time % (E)"],
          ["inclusive_percent_total(report.t)", "Time % (I)"],
        ),
        format,
      );
    const cross = clauses(
      columns(
        ["min(inclusive#report.t)", "Min time/rank"],
        ["avg(inclusive#report.t)", "Avg time/rank"],
        ["max(inclusive#report.t)", "Max time/rank"],
        ["inclusive_percent_total(sum#report.t)", "Time %"],
      ),
      `group by path ${format}`,
    );
    const localQuery = draft.query("local", local), crossQuery = draft.query("cross", cross);
    // Of several keys the last one dominates, so this one comes behind the order of visits.
    const byTime = !options.isEnabled("order_by_time")
      ? ""
      : mpi
      ? " aggregate sum(sum#report.t) order by sum#sum#report.t desc"
      : " order by sum#report.t desc";
    draft.report({
      output: options.get("output", "stderr"),
      append: options.get("output.append"),
      mpi,
      local: localQuery,
      cross: (mpi ? crossQuery : localQuery) + byTime,
    });
  },
};
