/**
 * `spot`: a profile for the Spot web pages, times of regions over ranks, on wish with series over
 * the iterations of loops. What is written is no single query, so the channel carries it as `spot`;
 * the series come from a second channel.
 * @module
 */

import type { ChannelDraft, Config } from "./config.ts";
import { type Column, columns, flag, lets, word } from "./option.ts";
import {
  blocksOf,
  MAX_ROWS_OPTION,
  maxRows,
  monitorOptions,
  monitorVariables,
} from "./loop_report.ts";

const FORMAT_VERSION = "2";
const SERIES_OPTIONS = ["maxrows", "iteration_interval", "time_interval", "target_loops", "metrics"]
  .map((name) => `timeseries.${name}`);

/** Columns for minimum, maximum, mean and total over ranks. */
function overRanks(attribute: string, suffix: string): Column[] {
  return [
    [`min(${attribute})`, `Min time/rank${suffix}`, "sec"],
    [`max(${attribute})`, `Max time/rank${suffix}`, "sec"],
    [`avg(${attribute})`, `Avg time/rank${suffix}`, "sec"],
    [`sum(${attribute})`, `Total time${suffix}`, "sec"],
  ];
}

/** The channel of the series; it cannot be asked for by itself. */
const series: Config = {
  name: "spot.timeseries",
  about: "Measure loops over their iterations, for spot",
  categories: ["metric"],
  services: ["loop_monitor", "timer", "trace"],
  variables: { CALI_CHANNEL_CONFIG_CHECK: "false", CALI_TIMER_UNIT: "sec" },
  signals: "table",
  options: monitorOptions(),
};

function seriesOf(draft: ChannelDraft): ChannelDraft {
  const { options } = draft;
  const nested = draft.nest(series, options.get("timeseries.metrics"));
  Object.assign(nested.variables, monitorVariables(options, "timeseries."));
  return nested;
}

/** The configuration `spot`. */
export const spot: Config = {
  name: "spot",
  about: "Write a profile for Spot",
  categories: ["adiak", "metadata", "metric", "output", "region", "event"],
  services: ["aggregate", "event", "timer"],
  variables: {
    CALI_CHANNEL_CONFIG_CHECK: "false",
    CALI_EVENT_ENABLE_SNAPSHOT_INFO: "false",
    CALI_TIMER_SNAPSHOT_DURATION: "true",
    CALI_TIMER_INCLUSIVE_DURATION: "false",
  },
  defaults: { "node.order": "true", "region.count": "true", "time.exclusive": "true" },
  signals: "report",
  options: [
    flag("time.exclusive", "Exclusive times, too", {
      local: columns(["scale(sum#time.duration.ns,1e-9)", "Time (exc)", "sec"]),
      cross: columns(...overRanks("scale#sum#time.duration.ns", " (exc)")),
    }),
    flag("time.variance", "Variance of times over ranks", {
      cross: columns(["variance(inclusive#sum#time.duration)", "Variance time/rank"]),
    }),
    flag("timeseries", "Series over the iterations of loops"),
    MAX_ROWS_OPTION,
    ...monitorOptions("timeseries."),
    word("timeseries.metrics", "Options for the series, a list as in parentheses"),
    word("outdir", "Folder for the file"),
  ],
  check(options) {
    if (options.isEnabled("timeseries")) return undefined;
    const idle = SERIES_OPTIONS.find((name) => options.isSet(name));
    return idle && `${idle} is set but the timeseries option is not enabled`;
  },
  finish(draft) {
    const { options } = draft, wantsSeries = options.isEnabled("timeseries");
    const nested = wantsSeries ? seriesOf(draft) : null;
    const made = nested?.finish();
    draft.remarks.push(...made?.remarks ?? []);
    draft.more = {
      spot: {
        output: options.get("output"),
        directory: options.get("outdir"),
        profile: {
          local: draft.query(
            "local",
            lets({ "sum#time.duration": "scale(sum#time.duration.ns,1e-9)" }),
            columns(["inclusive_sum(sum#time.duration)"]),
            "group by path",
          ),
          cross: draft.query(
            "cross",
            `${columns(["*"], ...overRanks("inclusive#sum#time.duration", ""))} group by path`,
          ),
        },
        series: nested === null || made === undefined ? null : {
          channel: { ...made.channel, options: {} },
          loops: {
            maxRows: maxRows(options),
            blocks(loop, size) {
              const keys = ["cali.channel", "loop"];
              const { local, cross } = blocksOf({ loop, size, block: "block", keys, format: "" });
              return { local: nested.query("local", local), cross: nested.query("cross", cross) };
            },
          },
        },
        globals: {
          "spot.format.version": FORMAT_VERSION,
          "spot.options": options.enabledBools().join(","),
          "spot.channels": wantsSeries ? "regionprofile,timeseries" : "regionprofile",
        },
      },
    };
  },
};
