/**
 * `runtime-profile`, also `hatchet-region-profile`: times of regions into a file for Hatchet and
 * Thicket, one row for each region and rank.
 * @module
 */

import type { ChosenOptions } from "./chosen_options.ts";
import type { Config } from "./config.ts";
import { columns, flag, lets, quoteWord, word } from "./option.ts";

/**
 * The file of a profile: the suffix follows from the format.
 *
 * @param otherwise Its name, without a suffix, if none is given.
 */
export function profileName(options: ChosenOptions, format: string, otherwise: string): string {
  const name = options.get("output", otherwise);
  if (name === "stdout" || name === "stderr") return name;
  const suffix = format === "cali" ? ".cali" : ".json";
  return name.endsWith(suffix) ? name : name + suffix;
}

/** The formatter of a profile, by the option `output.format`. */
export function profileFormat(options: ChosenOptions): string {
  const format = options.get("output.format", "cali");
  return format === "hatchet" ? "cali" : format;
}

/** A check of the option `output.format`, in Caliper's words. */
export function checkFormat(config: string, known: readonly string[]) {
  return (options: ChosenOptions): string | undefined => {
    const format = options.get("output.format", "cali");
    if (!known.includes(format)) return `${config}: Invalid output format "${format}"`;
  };
}

/** The configuration `runtime-profile`. */
export const runtimeProfile: Config = {
  name: "runtime-profile",
  aliases: ["hatchet-region-profile"],
  about: "Write the time of regions into a file",
  categories: ["adiak", "metadata", "metric", "output", "region", "event"],
  services: ["aggregate", "event", "timer"],
  variables: { CALI_EVENT_ENABLE_SNAPSHOT_INFO: "false", CALI_TIMER_UNIT: "sec" },
  defaults: { "node.order": "true" },
  signals: "profile",
  options: [
    word("output.format", "cali, hatchet, json or json-split"),
    flag("use.mpi", "One file for all ranks of MPI; by default if there are any"),
    flag("time.inclusive", "Inclusive times, too", {
      local: columns(["inclusive_scale(sum#time.duration.ns,1e-9)", "time (inc)", "sec"]),
    }),
  ],
  check: checkFormat("runtime-profile", ["cali", "json", "json-split", "hatchet"]),
  finish(draft) {
    const { options } = draft, format = profileFormat(options), mpi = draft.wantsMpi("use.mpi");
    if (mpi) draft.variables.CALI_AGGREGATE_KEY = "mpi.rank";
    draft.report({
      output: profileName(options, format, "region_profile"),
      mpi,
      local: undefined, // rows of ranks stay apart, so there is nothing to do before they meet
      cross: draft.query(
        "local",
        lets({ "sum#time.duration": "scale(sum#time.duration.ns,1e-9)" }),
        columns(["*"], ["sum(sum#time.duration)", "time", "sec"]),
        `group by path,mpi.rank format ${quoteWord(format)}`,
      ),
    });
  },
};
