/**
 * `sample-report` and `sample-profile`: where the program is when a timer fires, as a tree or into
 * a file. A sample stands for the time between two samples.
 * @module
 */

import type { ChosenOptions } from "./chosen_options.ts";
import { ACROSS_RANKS, type ChannelDraft, type Config, treeFormat } from "./config.ts";
import { columns, flag, quoteWord, word } from "./option.ts";
import { checkFormat, profileFormat, profileName } from "./runtime_profile.ts";

const FREQUENCY = "sample.frequency", DEFAULT_FREQUENCY = "200";
const CALL_PATH = "source.function#callpath.address";

/** Six digits behind the point, as Caliper prints numbers into variables. */
function digits(value: number): string {
  return value.toFixed(6);
}

function checkFrequency(config: string, options: ChosenOptions): string | undefined {
  const text = options.get(FREQUENCY, DEFAULT_FREQUENCY);
  if (!(Number.parseFloat(text) > 0)) return `${config}: Invalid value "${text}" for ${FREQUENCY}`;
}

/** Samples per second: not more than are taken. */
function frequencyOf({ options, facts, remarks }: ChannelDraft, config: string): number {
  const wanted = Number.parseFloat(options.get(FREQUENCY, DEFAULT_FREQUENCY));
  const { samplesHz = Infinity } = facts;
  if (wanted <= samplesHz) return wanted;
  remarks.push(`${config}: ${samplesHz} samples per second are taken, not ${wanted}`);
  return samplesHz;
}

/** The configuration `sample-report`. */
export const sampleReport: Config = {
  name: "sample-report",
  about: "Print a profile made of samples",
  categories: ["output", "sampling", "treeformatter", "region"],
  services: ["sampler", "trace", "pthread"],
  defaults: { "output.append": "true", "source.function": "true" },
  signals: "report",
  options: [
    { name: FREQUENCY, type: "int", about: `Samples a second; ${DEFAULT_FREQUENCY} by default` },
    flag("callpath", "By functions that called each other instead of by regions", {
      services: ["callpath", "symbollookup"],
    }),
    ACROSS_RANKS,
    flag("output.append", "Add to files instead of replacing them"),
  ],
  check: (options) => checkFrequency("sample-report", options),
  finish(draft) {
    const { options } = draft, frequency = Math.max(1, frequencyOf(draft, "sample-report"));
    draft.variables.CALI_SAMPLER_FREQUENCY = digits(frequency);
    const byCalls = options.isEnabled("callpath");
    const tail = `group by ${byCalls ? CALL_PATH : "path"} ${
      treeFormat(options, ...byCalls ? [`path-attributes=${CALL_PATH}`] : [])
    }`;
    const mpi = draft.wantsMpi("aggregate_across_ranks");
    const local = draft.query(
      "local",
      columns(
        ["count()", "Samples"],
        [`scale_count(${digits(1 / frequency)})`, "Time (sec)", "sec"],
      ),
      tail,
    );
    const cross = draft.query(
      "cross",
      columns(
        ["min(scount)", "Min time/rank", "sec"],
        ["max(scount)", "Max time/rank", "sec"],
        ["avg(scount)", "Avg time/rank", "sec"],
        ["sum(scount)", "Total time", "sec"],
        ["percent_total(scount)", "Time %"],
      ),
      tail,
    );
    draft.report({
      output: options.get("output", "stderr"),
      append: options.get("output.append"),
      mpi,
      local,
      cross: mpi ? cross : local,
    });
  },
};

const FORMATS = ["cali", "json", "json-split", "hatchet"];

/** The configuration `sample-profile`. */
export const sampleProfile: Config = {
  name: "sample-profile",
  aliases: ["hatchet-sample-profile"],
  about: "Write a profile made of samples into a file",
  categories: ["adiak", "metadata", "sampling", "output"],
  services: ["sampler", "trace", "pthread"],
  defaults: { callpath: "false", "source.function": "true", "source.module": "true" },
  signals: "profile",
  options: [
    word("output.format", FORMATS.join(", ")),
    { name: FREQUENCY, type: "int", about: `Samples a second; ${DEFAULT_FREQUENCY} by default` },
    flag("callpath", "Functions that called each other, too", {
      services: ["callpath", "symbollookup"],
      local: `${columns([CALL_PATH])} group by ${CALL_PATH}`,
    }),
    flag("use.mpi", "One file for all ranks of MPI; by default if there are any"),
  ],
  check: (options) =>
    checkFormat("sample-profile", FORMATS)(options) ?? checkFrequency("sample-profile", options),
  finish(draft) {
    const { options } = draft, format = profileFormat(options);
    const frequency = frequencyOf(draft, "sample-profile");
    draft.variables.CALI_SAMPLER_FREQUENCY = String(frequency);
    const seconds = digits(1 / frequency);
    draft.report({
      output: profileName(options, format, "sample_profile"),
      mpi: draft.wantsMpi("use.mpi"),
      local: undefined,
      cross: draft.query(
        "local",
        columns(["path"], ["count()"], [`scale_count(${seconds})`, "time", "sec"]),
        `group by path,mpi.rank format ${quoteWord(format)}`,
      ),
    });
  },
};
