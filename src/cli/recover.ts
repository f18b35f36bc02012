/**
 * `joulemark recover`: the report of a run whose monitor was killed.
 * @module
 */
import { recoverFile } from "../job/place/recover.ts";
import { recoverAll } from "../job/place/recover_all.ts";
import { privateBases } from "../job/place/private_base.ts";
import { EXIT } from "./exit_codes.ts";
import { quietOption } from "./command_line/common_options.ts";
import { say, writeStdout } from "./io.ts";
import { misused, type ParsedOptions } from "./command_line/options.ts";
import type { Verb } from "./command_line/verb.ts";

/** Makes reports of what killed monitors left. */
export const recover: Verb = {
  name: "recover",
  usage: ["[REPORT.partial|DIR]"],
  about: `Makes the report of a run whose monitor was killed.

During the run the monitor writes its current report to the file REPORT.partial: once a second, on a
file server (NFS, Lustre, GPFS) every 10 seconds (--checkpoint). If the monitor was killed, this
command writes that report to REPORT, or to REPORT.recovered if REPORT exists. Without this command,
the next run of the same job or user on this node also does so. That run always uses the name
REPORT.recovered, because its own report may have the name REPORT.

DIR is the session directory of one run, the directory of a job, or the directory of all jobs of the
user (default). These directories are on the node of the run. Runs that have not ended are skipped.
The command prints the names of the reports on stdout.`,
  options: [quietOption("print no notes on stderr")],
  examples: [
    "joulemark recover",
    "joulemark recover joulemark.report.partial",
    'srun -n "$SLURM_NNODES" --ntasks-per-node=1 joulemark recover',
  ],
  run,
};

function run({ flags, words }: ParsedOptions): number {
  if (words.length > 1) {
    throw misused("recover", "one file or directory at most", String(words.length));
  }
  const log = flags.has("quiet") ? () => {} : say;
  const places = words.length > 0 ? words : privateBases();
  const reports = places.flatMap((place) => {
    return place.endsWith(".partial") ? [recoverFile(place)] : recoverAll(place, log);
  });
  for (const report of reports) writeStdout(`${report}\n`);
  return EXIT.done;
}
