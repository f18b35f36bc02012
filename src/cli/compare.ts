/**
 * `joulemark compare`: two sets of reports, and whether one metric has grown.
 * @module
 */
import { refuseOutputAmongInputs } from "../job/place/part_files.ts";
import { differences, type NamedReport } from "../show/analysis/comparable.ts";
import {
  compare as compareSets,
  type Comparison,
  type Letters,
  METRICS,
} from "../show/analysis/comparison.ts";
import {
  comparisonJson,
  comparisonJunit,
  type ComparisonNotes,
  comparisonText,
  outcomeOf,
  verdictText,
} from "../show/analysis/print_comparison.ts";
import { benchPlace } from "../show/analysis/run_order.ts";
import { simulatedBy } from "../core/simulated.ts";
import { unusable } from "../core/errors.ts";
import { writeDocument } from "../os/files/whole_file.ts";
import { readRuns } from "../job/place/read_runs.ts";
import { loadYaml } from "../formats/yaml.ts";
import { EXIT } from "./exit_codes.ts";
import { say, writeFormat } from "./io.ts";
import { formatOptions, outputOption, quietOption } from "./command_line/common_options.ts";
import { misused, type ParsedOptions, parseFormat, parsePercent } from "./command_line/options.ts";
import type { Verb } from "./command_line/verb.ts";

const FORMATS = ["text", "json", "junit", "html"] as const;
/** Compares two sets of reports. */
export const compare: Verb = {
  name: "compare",
  usage: ["[options] A... -- B...", "[options] DIR"],
  about:
    `Compares two sets of runs; exits with status 1 if the chosen metric increased significantly.

A and B are reports, one per run, or directories with reports; a directory REPORT.parts is one run
of several hosts. Run-to-run variation is estimated from repeated runs: use at least three per set,
better five. DIR is the directory of a benchmark of two commands (joulemark bench).

The result is the ratio B/A with a confidence interval (Student's t test of the logarithms). The
exit status is 1 if the whole interval is above the allowed increase. If A and B do not differ, at
most 1 of 100 comparisons ends with status 1.`,
  options: [
    {
      name: "metric",
      value: "M",
      default: "energy",
      words: Object.keys(METRICS),
      help: "metric of the verdict: energy, time, power, edp (energy-delay product), region:NAME " +
        "(energy of a region), or region-time:NAME (runtime of a region)",
    },
    {
      name: "max-increase",
      value: "P%",
      default: "0",
      help: "allowed increase, in percent",
    },
    {
      name: "level",
      value: "P%",
      default: "98.5",
      help: "confidence level of the interval, two-sided",
    },
    {
      name: "welch",
      help: "use Welch's test also for sets of equal size, for example if one set varies more " +
        "(default: only for sets of different size)",
    },
    {
      name: "detect",
      value: "P%",
      default: "5",
      help: "print how many runs are needed to detect a change of P %",
    },
    { name: "strict", help: "exit with status 3 if the result is not decided" },
    { name: "force", help: "compare runs that are not comparable; the reasons become notes" },
    ...formatOptions(FORMATS),
    outputOption("write to FILE instead of stdout"),
    quietOption("print no notes on stderr"),
  ],
  sides: true,
  notes: `Verdicts and exit statuses:
  worse                    1
  better                   0
  within the limit         0
  no significant change    0, or 3 with --strict
  more, limit not decided  0, or 3 with --strict
  not enough runs          2
  not known                2

"joulemark explain verdict" defines the verdicts. "not known" means that a run does not have the
metric. The status is also 2 if the runs are not comparable. This is so if a counter failed for a
while, or if the runs differ in version, number of hosts, processor, base frequency, simulation or
counters.`,
  examples: [
    "joulemark compare old-*.report -- new-*.report",
    "joulemark compare --metric region:solve --max-increase 2% before/ -- after/",
    "joulemark compare --format junit -o energy.xml main/ -- branch/",
  ],
  run,
};

async function run(options: ParsedOptions): Promise<number> {
  const { text, flags, words, left } = options;
  const format = parseFormat(options, FORMATS);
  const maxIncrease = parsePercent("max-increase", text["max-increase"] ?? "0");
  const level = parsePercent("level", text.level ?? "98.5");
  if (!(level >= 0.5 && level < 1)) {
    throw unusable(`--level ${text.level}`, "per cent from 50 to below 100", text.level);
  }
  const detect = parsePercent("detect", text.detect ?? "5");
  if (words.length === 0 || left === 0 || left === words.length) {
    const found = left === undefined ? "no --" : left === 0 ? "none before it" : "none after it";
    throw misused("compare", "reports on both sides of --", found);
  }
  refuseOutputAmongInputs(words, text.output, "write");
  // A run that counts twice would have no spread.
  const sides = [words.slice(0, left), left === undefined ? [] : words.slice(left)];
  const twice = sides.flatMap((side) => side.filter((word, i) => side.indexOf(word) < i))[0];
  if (twice !== undefined) {
    throw misused("compare", "each report of a side once", `"${twice}" twice`);
  }
  await loadYaml();
  const read = (paths: readonly string[]) => paths.flatMap((path) => readRuns(path));
  const { a, b, letters } = left === undefined
    ? commandsOf(read(words))
    : { a: read(words.slice(0, left)), b: read(words.slice(left)), letters: undefined };
  const reasons = differences([...a, ...b]);
  if (reasons.length > 0 && !flags.has("force")) {
    for (const reason of reasons) {
      say(`Not comparable: ${reason}. To compare anyway, use --force`);
    }
    return EXIT.usage;
  }
  const comparison = compareSets(a, b, {
    metric: text.metric,
    maxIncrease,
    level,
    detect,
    welch: flags.has("welch"),
    letters,
  });
  const profiles = [...new Set([...a, ...b].map(({ report }) => report.profile))];
  const notes: ComparisonNotes = {
    ...profiles.length > 1 ? { profiles } : {},
    simulated: simulatedBy(a[0].report),
    overruled: reasons,
  };
  const output = format === "html"
    ? await html(comparison, { a, b }, notes)
    : format === "junit"
    ? comparisonJunit([{ comparison, notes }])
    : { text: comparisonText, json: comparisonJson }[format](comparison, notes);
  if (text.output === undefined) writeFormat(format, output);
  else writeDocument(text.output, output);
  const outcome = outcomeOf(comparison.gate.verdict, flags.has("strict"));
  if (outcome !== "pass" && !flags.has("quiet")) say(`compare: ${verdictText(comparison)}`);
  return { pass: EXIT.done, fail: EXIT.failed, open: EXIT.undecided, none: EXIT.usage }[outcome];
}

/** The runs of a benchmark by command. @throws {UsageError} If it has not two, or the runs are something else. */
function commandsOf(
  runs: readonly NamedReport[],
): { a: NamedReport[]; b: NamedReport[]; letters: Letters } {
  const sets = Map.groupBy(runs, ({ report }) => benchPlace(report)?.set ?? "");
  if (sets.has("")) throw misused("compare", "reports on both sides of --", "no --");
  const [a, b, ...others] = [...sets].sort(([one], [other]) => one < other ? -1 : 1);
  if (b !== undefined && others.length === 0) {
    return { a: a[1], b: b[1], letters: [a[0], b[0]] };
  }
  throw misused("compare", "two commands of a benchmark, or --", `${sets.size}`);
}

async function html(
  comparison: Comparison,
  sets: { a: readonly NamedReport[]; b: readonly NamedReport[] },
  notes: ComparisonNotes,
): Promise<string> {
  const { comparePage } = await import("../show/page/compare_page.ts");
  const { loadedPageHtml } = await import("../show/page/html.ts");
  return await loadedPageHtml(comparePage(comparison, sets, notes));
}
