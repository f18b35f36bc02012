/**
 * `joulemark recover`: the report of a run whose monitor was killed.
 * @module
 */
import { recoverAll } from "../job/place/recover_all.ts";
import { privateBases } from "../job/place/private_base.ts";
import { EXIT } from "./exit_codes.ts";
import { quietOption } from "./command_line/common_options.ts";
import { say, writeStdout } from "./io.ts";
import { cannot, type ParsedOptions } from "./command_line/options.ts";
import type { Verb } from "./command_line/verb.ts";

/** Makes reports of journals that killed monitors left. */
export const recover: Verb = {
  name: "recover",
  usage: ["[DIR]"],
  about: `Makes the report of a run whose monitor was killed, on the node where it ran.

A monitor notes once a second, in memory, what its report would be. Where it was killed, this writes
that: as REPORT, or as REPORT.recovered where there is one. The next run of the same job or user does
the same. DIR is a session, a job's directory, or all jobs of the user, which is the default. A run
whose monitor or processes still run is left alone. The names of the reports go to stdout.`,
  options: [quietOption("no notes on stderr")],
  examples: [
    "joulemark recover",
    "joulemark recover /dev/shm/joulemark-$(id -u)",
    "srun --ntasks-per-node=1 joulemark recover",
  ],
  run,
};

function run({ flags, words }: ParsedOptions): number {
  if (words.length > 1) {
    throw cannot("recover", "one directory at most", String(words.length));
  }
  const log = flags.has("quiet") ? () => {} : say;
  const directories = words.length > 0 ? words : privateBases();
  const reports = directories.flatMap((directory) => recoverAll(directory, log));
  for (const report of reports) writeStdout(`${report}\n`);
  return EXIT.done;
}
