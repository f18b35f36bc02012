/**
 * `joulemark merge`: reports of many hosts into one.
 * @module
 */
import { counted } from "../core/counted.ts";
import { jsonText } from "../core/printable.ts";
import { clockLine, clockOffsets } from "../job/merge/clocks.ts";
import {
  jobFacts,
  partFacts,
  refuseOutputAmongInputs,
  reportFiles,
  timelinePath,
} from "../job/place/part_files.ts";
import { parseReport } from "../formats/report.ts";
import { loadYaml } from "../formats/yaml.ts";
import { writeDocument } from "../os/files/whole_file.ts";
import { isWrittenInto } from "../os/output_place.ts";
import { isPlainFile, readFoundText } from "../os/user_file.ts";
import { mergeFiles } from "../job/place/merge_parts.ts";
import { writePartsPmc } from "../job/place/pmc_part.ts";
import { parsePmcVersion } from "../run/outputs/pmc/version.ts";
import { EXIT } from "./exit_codes.ts";
import { sharedOptions } from "../run/request/run_options.ts";
import { outputOption, quietOption } from "./command_line/common_options.ts";
import { say } from "./io.ts";
import { misused, type ParsedOptions } from "./command_line/options.ts";
import type { Verb } from "./command_line/verb.ts";

/** Merges reports of many hosts. */
export const merge: Verb = {
  name: "merge",
  usage: ["-o OUT REPORT...|DIR"],
  about: `Merges the reports of many hosts into one report of the job.

A directory stands for its files *.report and *.parts/*.report. If it contains REPORT.parts, the
file REPORT is not read, because it is made of the parts. A second report of a host, missing and
truncated reports, and reports of another time are left out. So are reports whose job, profile,
agent or version differs from the first report in the list. A line on stderr names each report that
is left out. The result is then marked "partial", and the exit status is 1. --force also merges
reports that differ. If nothing can be merged, no file is written and the exit status is 2. OUT must
not be one of the reports.

The key "joulemark:" of the result has statistics over hosts (mean, standard deviation, minimum,
maximum), stragglers (slow hosts) and outliers (hosts with unusual values). The timeline files next
to the reports are merged into one file next to OUT.`,
  options: [
    outputOption("report of the job"),
    {
      name: "pmc",
      value: "FILE",
      help: "also write the PMC log of the job, from the .pmc files next to the reports",
    },
    ...sharedOptions(["pmc-version"]),
    { name: "force", help: "also merge reports of different runs; the result names them" },
    quietOption("print no notes on stderr"),
  ],
  examples: [
    "joulemark merge -o job.report joulemark.report.parts",
    "joulemark merge -o job.report node1.report node2.report",
    "joulemark merge -o job.report --pmc job.pmc results/",
  ],
  run,
};

async function run({ text, flags, words }: ParsedOptions): Promise<number> {
  const out = text.output;
  if (out === undefined || words.length === 0) {
    const expected = out === undefined ? "-o OUT, the file to write" : "a report or a directory";
    throw misused("merge", expected, "none");
  }
  refuseOutputAmongInputs(words, out);
  if (text.pmc !== undefined) refuseOutputAmongInputs(words, text.pmc);
  const version = parsePmcVersion(text["pmc-version"]);
  const log = flags.has("quiet") ? () => {} : say;
  const paths = reportFiles(words, out, log);
  const parts = paths.map((path) => partFacts(path)).filter((facts) => facts !== undefined);
  await loadYaml();
  const outcome = mergeFiles(paths, out, {
    facts: () => jobFacts(parts),
    force: flags.has("force"),
  });
  for (const line of [...outcome.leftOut, ...outcome.forced ?? []]) log(line);
  for (const offset of clockOffsets(parts)) {
    if (Math.abs(offset.offsetS) > 0.5 + offset.residualS) log(clockLine(offset));
  }
  const merged = paths.filter((path) => !outcome.leftOut.some((line) => line.includes(path)));
  await mergeTimelines(merged, out, outcome.head, log);
  if (text.pmc !== undefined) {
    for (const line of writePartsPmc(merged, text.pmc, version)) log(line);
  }
  log(`${out}: ${counted(outcome.hosts, "host")}${outcome.partial ? ", partial" : ""}`);
  return outcome.partial ? EXIT.failed : EXIT.done;
}

/** Writes the timelines beside reports as one beside their result; there may be none. */
async function mergeTimelines(
  paths: readonly string[],
  out: string,
  head: string,
  log: (line: string) => void,
): Promise<void> {
  const files = paths.map((path) => timelinePath(path.replace(/\.partial$/, ""))).filter(
    isPlainFile,
  );
  if (files.length === 0 || isWrittenInto(out)) return;
  const { mergedFile, timelinesIn } = await import("../show/page/job_timelines.ts");
  const { startTime } = parseReport(head + "\n", out);
  const texts = function* () {
    for (const file of files) yield readFoundText(file);
  };
  const complain = (index: number) => log(`${files[index]}: not a timeline of joulemark; left out`);
  const file = mergedFile(timelinesIn(texts(), complain), files.length, startTime);
  if (file !== undefined) writeDocument(timelinePath(out), jsonText(file) + "\n");
}
