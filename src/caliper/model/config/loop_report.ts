/**
 * `loop-report`: a table of loops, then for each loop a table over its iterations.
 *
 * The service loop_monitor takes a snapshot every so many iterations or seconds. The output at the
 * end is more than one query, so the channel carries it as `loops`.
 *
 * Two things differ from Caliper: iterations a second are iterations over nanoseconds times 1e9,
 * Caliper's minimum and maximum are too small by 1e18; and the snapshot behind the last iteration,
 * which covers none, has no row and is not the minimum speed.
 * @module
 */

import type { QueryPair } from "./channel_spec.ts";
import type { ChosenOptions } from "./chosen_options.ts";
import type { ChannelDraft, Config } from "./config.ts";
import { clauses, columns, flag, lets, type Option, quoteWord, word } from "./option.ts";

/** Default number of rows of a series. */
const MAX_ROWS = 20;

/** Settings of loop_monitor; Caliper's default is a snapshot every half second. */
export function monitorVariables(options: ChosenOptions, prefix = ""): Record<string, string> {
  const variables: Record<string, string> = {};
  const given = (name: string) => options.isSet(prefix + name);
  if (given("iteration_interval")) {
    variables.CALI_LOOP_MONITOR_ITERATION_INTERVAL = options.get(`${prefix}iteration_interval`);
  } else {
    const seconds = options.get(`${prefix}time_interval`, "0.5");
    variables.CALI_LOOP_MONITOR_TIME_INTERVAL = seconds;
  }
  if (given("target_loops")) {
    variables.CALI_LOOP_MONITOR_TARGET_LOOPS = options.get(`${prefix}target_loops`);
  }
  return variables;
}

/** Options for the settings of loop_monitor. */
export function monitorOptions(prefix = ""): Option[] {
  return [
    {
      name: `${prefix}iteration_interval`,
      type: "int",
      about: "Measure every so many iterations",
    },
    { name: `${prefix}time_interval`, type: "double", about: "Measure every so many seconds" },
    word(
      `${prefix}target_loops`,
      "Only these loops, a comma-separated list; by default all outermost ones",
    ),
  ];
}

/** The option about the length of series. */
export const MAX_ROWS_OPTION: Option = {
  name: "timeseries.maxrows",
  type: "int",
  about: `Most rows of a series, 0 for all; ${MAX_ROWS} by default`,
};

/** Most rows of a series. */
export function maxRows(options: ChosenOptions): number {
  const given = Number.parseInt(options.get("timeseries.maxrows", String(MAX_ROWS)), 10);
  return Number.isFinite(given) && given > 0 ? given : 0;
}

/** Queries over one loop in blocks of iterations, each with its time and speed. */
export function blocksOf(
  { loop, size, block, keys, format }: {
    loop: string;
    size: number;
    /** Name of the attribute that numbers the blocks. */
    block: string;
    /** Further keys of rows. */
    keys: readonly string[];
    format: string;
  },
): QueryPair {
  const by = `group by ${[...keys, block].join(",")}`;
  const shown = [...keys, block].map((name) => [name] as const);
  const unit = (name: string) => keys.length > 0 ? name : undefined;
  return {
    local: clauses(
      columns(
        ...shown,
        ["scale(time.duration.ns,1e-9)"],
        ["sum(loop.iterations)"],
        ["ratio(loop.iterations,time.duration.ns,1e9)"],
      ),
      by,
      lets({ [block]: `truncate(loop.start_iteration,${size})` }),
      `where loop.start_iteration,loop=${quoteWord(loop)}`,
    ),
    cross: clauses(
      columns(
        ...shown,
        ["max(sum#loop.iterations)", "Iterations", unit("iterations")],
        ["max(scale#time.duration.ns)", "Time (s)", unit("sec")],
        ["avg(ratio#loop.iterations/time.duration.ns)", "Iter/s", unit("iter/s")],
      ),
      by,
      format,
    ).trim(),
  };
}

function summary(draft: ChannelDraft): QueryPair {
  const speed = lets({
    iter_per_sec: "ratio(loop.iterations,time.duration.ns,1e9) if loop.start_iteration",
  });
  return {
    local: draft.query(
      "local",
      speed,
      columns(
        ["loop"],
        ["count()"],
        ["sum(loop.iterations)"],
        ["scale(time.duration.ns,1e-9)"],
        ["min(iter_per_sec)"],
        ["max(iter_per_sec)"],
        ["avg(iter_per_sec)"],
      ),
      "group by loop where loop",
    ),
    cross: draft.query(
      "cross",
      columns(
        ["loop", "Loop"],
        ["max(sum#loop.iterations)", "Iterations"],
        ["max(scale#time.duration.ns)", "Time (s)"],
        ["min(min#iter_per_sec)", "Iter/s (min)"],
        ["max(max#iter_per_sec)", "Iter/s (max)"],
        ["ratio(sum#loop.iterations,scale#time.duration.ns)", "Iter/s (avg)"],
      ),
      "aggregate max(count) group by loop format table",
    ),
  };
}

/** The configuration `loop-report`. */
export const loopReport: Config = {
  name: "loop-report",
  about: "Print times and speeds of loops, as a whole and over their iterations",
  categories: ["metric", "output"],
  services: ["loop_monitor", "timer", "trace"],
  variables: { CALI_CHANNEL_CONFIG_CHECK: "false", CALI_TIMER_UNIT: "sec" },
  signals: "table",
  options: [
    flag("summary", "The table of loops"),
    flag("timeseries", "The tables over iterations"),
    ...monitorOptions(),
    MAX_ROWS_OPTION,
  ],
  finish(draft) {
    const { options } = draft;
    Object.assign(draft.variables, monitorVariables(options));
    draft.more = {
      loops: {
        output: options.get("output", "stdout"),
        summary: summary(draft),
        printSummary: options.isTrue("summary", true),
        series: !options.isTrue("timeseries", true) ? null : {
          maxRows: maxRows(options),
          blocks(loop, size) {
            const format = "format table order by Block";
            const { local, cross } = blocksOf({ loop, size, block: "Block", keys: [], format });
            return { local: draft.query("local", local), cross: draft.query("cross", cross) };
          },
        },
      },
    };
  },
};
