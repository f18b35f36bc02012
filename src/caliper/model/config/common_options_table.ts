/**
 * Options that most configurations take: what triggers snapshots, counts and times of regions and
 * loops, output, the tree's looks.
 *
 * Truth: Caliper manual, ConfigManager API, "Built-in options". Names within queries are Caliper's
 * when readers meet them again: as attributes of a profile and as titles of columns.
 * @module
 */

import {
  clauses,
  columns,
  flag,
  kept,
  lets,
  type Option,
  type OptionTable,
  settings,
  spread,
  word,
} from "./option.ts";

const PER_VISIT = (over: string) => `${over}#time.inclusive.duration.ns`;

/** Statistics over iterations, in seconds; `iter.duration.ns` is measured by loop_statistics. */
const ITERATION_SECONDS = lets({
  "ls.min": "scale(min#iter.duration.ns,1e-9)",
  "ls.avg": "scale(avg#iter.duration.ns,1e-9)",
  "ls.max": "scale(max#iter.duration.ns,1e-9)",
});

const EVENT: readonly Option[] = settings(
  ["level", "CALI_EVENT_REGION_LEVEL", "Lowest level of regions that count: 0 to 7, or phase"],
  ["include_branches", "CALI_EVENT_INCLUDE_BRANCHES", "Only what is inside of these regions"],
  [
    "include_regions",
    "CALI_EVENT_INCLUDE_REGIONS",
    "Only regions that one of these filters lets pass",
  ],
  [
    "exclude_regions",
    "CALI_EVENT_EXCLUDE_REGIONS",
    "No regions that one of these filters lets pass",
  ],
);

const METRIC: readonly Option[] = [
  flag("region.count", "How often regions were visited", {
    local: clauses(
      lets({ "rc.count": kept("sum", "region.count") }),
      columns(["sum(rc.count)", "Calls", "count"]),
    ),
    cross: columns(
      ...spread((over) => `${over}(sum#rc.count)`, (over) => `Calls/rank (${over})`, "count"),
      ["sum(sum#rc.count)", "Calls (total)", "count"],
    ),
  }),
  flag("region.stats", "Visits, and the shortest, mean and longest time of one visit", {
    services: ["event", "timer"],
    variables: {
      CALI_TIMER_INCLUSIVE_DURATION: "true",
      CALI_EVENT_ENABLE_SNAPSHOT_INFO: "true",
    },
    local: columns(
      ["sum(sum#region.count)", "Visits", "count"],
      ...spread((over) => `${over}(${PER_VISIT(over)})`, (over) => `Nsec/visit (${over})`, "nsec"),
    ),
    cross: columns(
      ["sum(sum#sum#region.count)", "Visits", "count"],
      ...spread(
        (over) => `${over}(${over}#${PER_VISIT(over)})`,
        (over) => `Nsec/visit (${over})`,
        "nsec",
      ),
    ),
  }),
  flag("loop.stats", "Iterations of loops, and the shortest, mean and longest time of one", {
    services: ["loop_statistics"],
    local: clauses(
      ITERATION_SECONDS,
      columns(
        ["max(max#iter.count)", "Iterations", "count"],
        ...spread((over) => `${over}(ls.${over})`, (over) => `Time/iter (${over})`, "sec"),
      ),
    ),
    cross: columns(
      ["max(max#max#iter.count)", "Iterations", "count"],
      ...spread((over) => `${over}(${over}#ls.${over})`, (over) => `Time/iter (${over})`, "sec"),
    ),
  }),
  flag("async_events", "Timed events of the program: how many, and how long they took", {
    services: ["async_event"],
    local: clauses(
      lets({
        "as.count": "first(count) if async.end",
        "as.min": "scale(min#event.duration.ns,1e-9)",
        "as.avg": "scale(avg#event.duration.ns,1e-9)",
        "as.max": "scale(max#event.duration.ns,1e-9)",
      }),
      columns(
        ["async.end", "Event"],
        ["sum(as.count)", "Count"],
        ...spread((over) => `${over}(as.${over})`, (over) => `Event time (${over})`),
      ),
      "group by async.end",
    ),
    cross: clauses(
      columns(
        ["async.end", "Event"],
        ["sum(sum#as.count)", "Count"],
        ...spread((over) => `${over}(${over}#as.${over})`, (over) => `Event time (${over})`),
      ),
      "group by async.end",
    ),
  }),
  flag("node.order", "In which order regions appeared first", {
    local: columns(["min(aggregate.slot)", "Node order"]),
    cross: columns(["min(min#aggregate.slot)", "Node order"]),
  }),
  word("local_query", "CalQL to add to the query over one process's records", { local: "{}" }),
  word("cross_query", "CalQL to add to the query over all processes' rows", { cross: "{}" }),
];

/** The slot is the number of a row in the order of first appearance. */
const TREE: readonly Option[] = [
  { name: "max_column_width", type: "int", about: "Widest column of the tree, in characters" },
  flag("print.metadata", "Print the globals of the run, too"),
  flag("order_as_visited", "Regions in the order in which they were visited first", {
    local: clauses(
      lets({ "o_a_v.slot": "first(aggregate.slot)" }),
      "aggregate min(o_a_v.slot) order by min#o_a_v.slot",
    ),
    cross: "aggregate min(min#o_a_v.slot) order by min#min#o_a_v.slot",
  }),
];

/** Options by group. */
export const COMMON_OPTIONS: OptionTable = {
  event: EVENT,
  metric: METRIC,
  output: [word("output", "stdout, stderr or a file's name")],
  treeformatter: TREE,
  adiak: [word("adiak.import_categories", "Categories of Adiak's metadata", {
    services: ["adiak_import"],
  })],
};
