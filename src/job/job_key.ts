/**
 * Which `run`s on a node belong together: those of one user, one scheduler job and step, or one MPI
 * launch. Without either, each `run` is its own.
 *
 * Variables are those that the schedulers document for their job steps: srun(1), qsub(1B),
 * bsub(1), flux-run(1), PMIx and Hydra for launches outside a scheduler.
 * @module
 */
import type { Environment } from "../core/environment.ts";

/** A scheduler job, or an MPI launch. */
export interface JobIdentity {
  readonly scheduler: "slurm" | "pbs" | "lsf" | "flux" | "mpi";
  /** Text that equals for two processes of the same job and step. */
  readonly key: string;
}

/**
 * `undefined` when the environment names neither.
 *
 * @param parent Process that started this one: Hydra gives its processes of a node nothing else in
 * common but their proxy.
 */
export function jobIdentity(env: Environment, parent?: number): JobIdentity | undefined {
  const slurm = env("SLURM_JOB_ID") ?? env("SLURM_JOBID");
  if (slurm !== undefined) {
    const step = env("SLURM_STEP_ID") ?? "batch";
    // Several of Slurm's nodes may be one machine; on any other the number changes nothing.
    const node = env("SLURM_NODEID") ?? "0";
    return { scheduler: "slurm", key: `slurm-${slurm}-${step}-${node}` };
  }
  const flux = env("FLUX_JOB_ID");
  if (flux !== undefined) return { scheduler: "flux", key: `flux-${flux}` };
  const launch = mpiLaunch(env);
  const pbs = env("PBS_JOBID");
  if (pbs !== undefined) return { scheduler: "pbs", key: `pbs-${pbs}-${launch ?? "batch"}` };
  const lsf = env("LSB_JOBID");
  if (lsf !== undefined) {
    const index = env("LSB_JOBINDEX") ?? "0";
    return { scheduler: "lsf", key: `lsf-${lsf}-${index}-${launch ?? "batch"}` };
  }
  if (launch !== undefined) return { scheduler: "mpi", key: `mpi-${launch}` };
  const hydra = env("PMI_RANK") !== undefined && env("MPI_LOCALNRANKS") !== undefined;
  return hydra && parent !== undefined
    ? { scheduler: "mpi", key: `mpi-hydra-${parent}` }
    : undefined;
}

/** What the launcher of an MPI program gives to all of its processes alike. */
function mpiLaunch(env: Environment): string | undefined {
  return env("PALS_APID") ?? env("PMIX_NAMESPACE") ?? env("OMPI_MCA_ess_base_jobid") ??
    env("PMI_JOBID") ?? env("HYDRA_JOBID") ?? env("MPIRUN_ID");
}
