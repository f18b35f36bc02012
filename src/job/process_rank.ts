/**
 * The rank of a process within its MPI job, as its launcher put it into its environment: for people
 * who know their processes by it. mpirun(1) of Open MPI and MPICH, srun(1), flux-run(1), aprun(1).
 * @module
 */
import { guardian } from "../guardian/guardian.ts";
import { readText } from "../os/files.ts";

const VARIABLES = [
  "OMPI_COMM_WORLD_RANK",
  "PMIX_RANK",
  "PMI_RANK",
  "PALS_RANKID",
  "ALPS_APP_PE",
  "FLUX_TASK_RANK",
  "SLURM_PROCID",
];

/** The number as it stands there; `undefined` where nobody gave one, or the process is gone. */
export function rankOf(pid: number): string | undefined {
  // A confined process may not read the environment of another one.
  const own = guardian();
  if (own?.open) return own.rankOf(pid);
  return rankIn(readText(`/proc/${pid}/environ`) ?? "");
}

/** The same, from the text of an environment. */
export function rankIn(environ: string): string | undefined {
  const entries = environ.split("\0");
  for (const name of VARIABLES) {
    const found = entries.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1);
    if (found !== undefined && /^\d{1,9}$/.test(found)) return found;
  }
}
