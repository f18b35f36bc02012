/**
 * `joulemark collate`: one report of a job by the site's MPI.
 * @module
 */
import { counted } from "../core/counted.ts";
import { messageFor, UsageError } from "../core/errors.ts";
import { Mpi } from "../os/mpi.ts";
import { collate as collateParts } from "../job/place/collate.ts";
import { jobNode } from "../job/place/place.ts";
import { loadYaml } from "../formats/yaml.ts";
import { EXIT, exitCode } from "./exit_codes.ts";
import { outputOption, quietOption } from "./command_line/common_options.ts";
import { say } from "./io.ts";
import { misused, type ParsedOptions } from "./command_line/options.ts";
import type { Verb } from "./command_line/verb.ts";

/** Makes one report of a job by MPI. */
export const collate: Verb = {
  name: "collate",
  usage: ["-o OUT DIR"],
  about:
    `Makes one report of a job from the reports of its hosts, with MPI processes. Run this command inside
the job, with a launcher such as srun or mpirun.

If all nodes share the directory DIR, each process reads a part of the reports. If DIR is on the
disks of the nodes, each process reads the reports of its own node. Rank 0 writes OUT on its node.
The result is equal to the result of "joulemark merge". Use this command if the reports are on the
disks of the nodes, or to merge very many reports faster.

The command uses the MPI library of the launcher. If the launcher has none, it uses the first
library that it finds: libmpi_abi, Open MPI, MPICH. Intel MPI and Cray MPICH are used like MPICH.
The standard ABI of MPI 5 is not tested with a real library.`,
  options: [
    outputOption("report of the job"),
    { name: "mpi-lib", value: "FILE", env: true, help: "MPI library (or JOULEMARK_MPI_LIB)" },
    quietOption("print no notes on stderr"),
    { name: "verbose", short: "v", help: "print the MPI library and the number of processes" },
  ],
  examples: [
    "srun -n 4 --ntasks-per-node=1 joulemark collate -o lu.report lu.report.parts",
    "mpirun -n 4 joulemark collate -o job.report results/",
    "mpiexec -ppn 1 joulemark collate -o job.report /tmp/parts",
  ],
  run,
};

async function run({ text, flags, words }: ParsedOptions): Promise<number> {
  const out = text.output;
  if (out === undefined) throw misused("collate", "-o OUT, the file to write", "none");
  if (words.length !== 1) throw misused("collate", "one directory", String(words.length));
  await loadYaml();
  const env = (name: string) => Deno.env.get(name);
  const mpi = new Mpi({ library: text["mpi-lib"], env });
  const log = (line: string) => {
    if (!flags.has("quiet") && mpi.rank === 0) say(line);
  };
  if (flags.has("verbose")) log(`${mpi.version} (${mpi.flavour}), ${mpi.size} processes`);
  let status: number = EXIT.done;
  try {
    // PMI has the processes of a launch by Hydra, whose proxies are the processes of a scheduler's step.
    const started = Number(env("PMI_SIZE") ?? jobNode(env)?.ranks ?? 1);
    if (mpi.size === 1 && started > 1) throw alone(started, mpi.version);
    const outcome = collateParts(mpi, { directory: words[0], out });
    if (outcome !== undefined) {
      for (const line of outcome.leftOut) log(line);
      log(`${out}: ${counted(outcome.hosts, "host")}${outcome.partial ? ", partial" : ""}`);
      if (outcome.partial) status = EXIT.failed;
    }
  } catch (error) {
    say(messageFor(error, flags.has("debug")));
    status = exitCode(error);
    // Others may wait for this process: continue only after all processes were notified.
    if (status !== EXIT.usage) mpi.abort(status);
  }
  mpi.finalize();
  return status;
}

/** Each of several processes would write the report of its own node. */
function alone(started: number, version: string): UsageError {
  return new UsageError({
    action: "use MPI",
    expected: `${started} processes, because the launcher started ${started}`,
    found: `1 process (${version})`,
    remedy: "use the MPI library of the launcher (--mpi-lib), and in Slurm its kind of MPI, " +
      "such as srun --mpi=pmi2 or --mpi=pmix",
  });
}
