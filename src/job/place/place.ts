/**
 * Node and job of this process, from the variables that schedulers and launchers set for their
 * tasks; under Hydra also from the processes above it. Pure: the caller reads the files.
 *
 * Slurm: srun(1), OUTPUT ENVIRONMENT VARIABLES. Flux: flux-environment(7). PBS: qsub(1B),
 * pbsdsh(1B). PALS: mpiexec(1) of Cray's launcher. LSF: its "Environment variables set for job
 * execution", jsrun's JSM_ names. Open MPI: mpirun(1), ENVIRONMENT. MPICH and Intel MPI: Hydra's
 * PMI_ and MPI_ names.
 * @module
 */
import type { Environment } from "../../core/environment.ts";
import { expandHosts } from "../../core/host_list.ts";

/** One node of a job of several. */
export interface JobNode {
  readonly launcher: "slurm" | "flux" | "pals" | "openmpi" | "hydra" | "jsm" | "lsf" | "pbs";
  /** Scheduler job and step, or MPI launch: text that equals on all of its nodes. */
  readonly job: string;
  /** The text may equal that of another launch too: only time distinguishes them. */
  readonly weak: boolean;
  /** The scheduler started the job again. */
  readonly isRequeued: boolean;
  /** Nodes of the job, if the launcher gives it. */
  readonly nodes?: number;
  /** Names of the nodes, if the launcher gives them. */
  readonly hosts?: readonly string[];
  /** Name of this node, if the launcher has one of its own. */
  readonly name?: string;
  /** Lowest rank on this node; exact for Slurm, else by the usual placement in blocks. */
  readonly rank: number;
  /** Ranks on this node, and of the job. */
  readonly localRanks?: number;
  readonly ranks?: number;
}

/**
 * `undefined` when the job has one node, or there is none.
 *
 * @param read Text of a small file: one that a variable names, or one of a process in /proc. `undefined`: it cannot
 * be read.
 */
export function jobNode(
  env: Environment,
  read: (path: string) => string | undefined = () => undefined,
): JobNode | undefined {
  const look = new Lookup(env, read);
  // Launchers inside of schedulers first: under mpirun the scheduler's step is the launcher's own.
  const node = openMpi(look) ?? slurm(look) ?? flux(look) ?? pals(look) ?? jsm(look) ??
    hydra(look) ?? lsf(look) ?? pbs(look);
  if (node === undefined) return undefined;
  const { nodes, ranks, localRanks, job } = node;
  const several = nodes === undefined
    ? ranks !== undefined && localRanks !== undefined && ranks > localRanks
    : nodes > 1;
  if (!several) return undefined;
  const { restarts } = look, isRequeued = restarts > 0;
  return { ...node, job: isRequeued ? `${job}-restart-${restarts}` : job, isRequeued };
}

/** Owner of a run, as far as the environment names it. */
export interface RunOwner {
  readonly job?: string;
  readonly cluster?: string;
  readonly user?: string;
  /** Number of times that the scheduler started the job again. */
  readonly restarts?: number;
}

/** The scheduler's job, its cluster and the user. */
export function runOwner(env: Environment): RunOwner {
  const first = (...names: string[]) => names.map(env).find((text) => (text ?? "") !== "");
  const { schedulerJob, restarts } = new Lookup(env, () => undefined);
  return {
    job: schedulerJob,
    ...(restarts > 0 ? { restarts } : {}),
    cluster: first("SLURM_CLUSTER_NAME", "LSF_CLUSTER_NAME"),
    user: first("SLURM_JOB_USER", "USER", "LOGNAME"),
  };
}

/** A launcher's answer. */
type Launch = Omit<JobNode, "isRequeued">;

class Lookup {
  constructor(readonly env: Environment, readonly read: (path: string) => string | undefined) {}

  /** A whole number from 0 on, of the first of these that is one. */
  number(...names: string[]): number | undefined {
    for (const name of names) {
      const text = this.env(name);
      if (text !== undefined && /^[0-9]{1,9}$/.test(text)) return Number(text);
    }
  }

  /** Number of times that the scheduler started the job again: sbatch(1), bsub(1). */
  get restarts(): number {
    if (this.schedulerJob === undefined) return 0;
    return this.number("SLURM_RESTART_COUNT") ?? (this.env("LSB_RESTART") === "Y" ? 1 : 0);
  }

  /** The scheduler's job, for any launch inside it. */
  get schedulerJob(): string | undefined {
    const { env } = this;
    const of = (name: string, id: string | undefined) => id === undefined ? undefined : name + id;
    return of("slurm-", env("SLURM_JOB_ID") ?? env("SLURM_JOBID")) ??
      of("flux-", env("FLUX_JOB_ID")) ?? of("pbs-", env("PBS_JOBID")) ??
      of("lsf-", lsfJob(env));
  }

  /** Names in a file of one a line, each once. */
  hosts(path: string | undefined): string[] | undefined {
    const text = path === undefined ? undefined : this.read(path);
    const names = text?.split(/\s+/).filter((name) => name !== "");
    return names === undefined || names.length === 0 ? undefined : [...new Set(names)];
  }
}

function slurm(look: Lookup): Launch | undefined {
  const job = look.schedulerJob;
  const step = look.env("SLURM_STEP_ID") ?? look.env("SLURM_STEPID");
  const rank = look.number("SLURM_PROCID");
  // Without a step it is the batch script, alone on the job's first node.
  if (job === undefined || step === undefined || rank === undefined) return undefined;
  if (!job.startsWith("slurm-")) return undefined;
  const here = look.env("SLURM_GTIDS")?.split(",").map(Number).filter(Number.isInteger) ?? [];
  const list = look.env("SLURM_STEP_NODELIST") ?? look.env("SLURM_NODELIST");
  return {
    launcher: "slurm",
    job: `${job}-${step}`,
    weak: false,
    nodes: look.number("SLURM_STEP_NUM_NODES", "SLURM_NNODES") ?? 1,
    hosts: list === undefined ? undefined : expandHosts(list),
    name: look.env("SLURMD_NODENAME"),
    rank: here.length > 0 ? Math.min(...here) : rank - (look.number("SLURM_LOCALID") ?? 0),
    localRanks: here.length > 0 ? here.length : undefined,
    ranks: look.number("SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"),
  };
}

function openMpi(look: Lookup): Launch | undefined {
  const ranks = look.number("OMPI_COMM_WORLD_SIZE");
  const rank = look.number("OMPI_COMM_WORLD_RANK");
  if (ranks === undefined || rank === undefined) return undefined;
  const launch = look.env("PMIX_NAMESPACE") ?? look.env("OMPI_MCA_ess_base_jobid");
  return {
    launcher: "openmpi",
    job: [look.schedulerJob, "openmpi", launch].filter((part) => part !== undefined).join("-"),
    weak: launch === undefined,
    rank: rank - (look.number("OMPI_COMM_WORLD_LOCAL_RANK") ?? 0),
    localRanks: look.number("OMPI_COMM_WORLD_LOCAL_SIZE"),
    ranks,
  };
}

function hydra(look: Lookup): Launch | undefined {
  const ranks = look.number("PMI_SIZE");
  const rank = look.number("PMI_RANK");
  const localRanks = look.number("MPI_LOCALNRANKS");
  if (ranks === undefined || rank === undefined || localRanks === undefined) return undefined;
  return {
    launcher: "hydra",
    job: `${look.schedulerJob ?? "hydra"}-${look.env("PMI_JOBID") ?? hydraPort(look) ?? ranks}`,
    weak: look.env("PMI_JOBID") === undefined,
    rank: rank - (look.number("MPI_LOCALRANKID") ?? 0),
    localRanks,
    ranks,
  };
}

/** Levels of processes between a rank and its proxy, at most. */
const MAX_LEVELS = 64;

/**
 * Port at which Hydra's mpiexec waits for its proxies, `HOST:PORT`: all nodes of a launch have the same,
 * two launches at once have two. It is an argument of the proxy, an ancestor of each rank.
 */
function hydraPort(look: Lookup): string | undefined {
  let pid = "self";
  for (let level = 0; level < MAX_LEVELS; level++) {
    // proc_pid_stat(5): pid (any name) state ppid
    const parent = look.read(`/proc/${pid}/stat`)?.replace(/^.*\)/s, "").trim().split(" ")[1];
    if (parent === undefined || Number(parent) <= 1) return undefined;
    pid = parent;
    const [name, ...words] = look.read(`/proc/${pid}/cmdline`)?.split("\0") ?? [];
    const port = words[words.indexOf("--control-port") + 1];
    if (/(^|\/)(hydra_)?pmi_proxy$/.test(name) && words.includes("--control-port")) return port;
  }
}

function flux(look: Lookup): Launch | undefined {
  const id = look.env("FLUX_JOB_ID");
  const rank = look.number("FLUX_TASK_RANK");
  if (id === undefined || rank === undefined) return undefined;
  return {
    launcher: "flux",
    job: `flux-${id}`,
    weak: false,
    nodes: look.number("FLUX_JOB_NNODES"),
    rank: rank - (look.number("FLUX_TASK_LOCAL_ID") ?? 0),
    ranks: look.number("FLUX_JOB_SIZE"),
  };
}

function pals(look: Lookup): Launch | undefined {
  const id = look.env("PALS_APID");
  const rank = look.number("PALS_RANKID");
  if (id === undefined || rank === undefined) return undefined;
  const hosts = look.hosts(look.env("PBS_NODEFILE"));
  return {
    launcher: "pals",
    job: `pals-${id}`,
    weak: false,
    nodes: hosts?.length,
    hosts,
    rank: rank - (look.number("PALS_LOCAL_RANKID") ?? 0),
    localRanks: look.number("PALS_LOCAL_SIZE"),
    ranks: look.number("PMI_SIZE"),
  };
}

function jsm(look: Lookup): Launch | undefined {
  const rank = look.number("JSM_NAMESPACE_RANK");
  const ranks = look.number("JSM_NAMESPACE_SIZE");
  if (rank === undefined || ranks === undefined) return undefined;
  const step = look.env("LSF_JSRUN_STEP_ID") ?? look.env("JSM_JSRUN_NAMESPACE");
  return {
    launcher: "jsm",
    job: `${look.schedulerJob ?? "jsm"}-${step ?? ranks}`,
    weak: step === undefined,
    rank: rank - (look.number("JSM_NAMESPACE_LOCAL_RANK") ?? 0),
    localRanks: look.number("JSM_NAMESPACE_LOCAL_SIZE"),
    ranks,
  };
}

/** Tasks of blaunch; its hosts come as `HOST SLOTS HOST SLOTS`. */
function lsf(look: Lookup): Launch | undefined {
  const task = look.number("LSF_PM_TASKID");
  const words = look.env("LSB_MCPU_HOSTS")?.trim().split(/\s+/) ?? [];
  const job = lsfJob(look.env);
  if (task === undefined || job === undefined || words.length < 2) return undefined;
  const hosts = [...new Set(words.filter((_, i) => i % 2 === 0))];
  // blaunch counts its tasks from 1.
  return {
    launcher: "lsf",
    job: `lsf-${job}`,
    weak: false,
    nodes: hosts.length,
    hosts,
    rank: Math.max(0, task - 1),
  };
}

/** Tasks of pbsdsh. */
function pbs(look: Lookup): Launch | undefined {
  const job = look.env("PBS_JOBID");
  const node = look.number("PBS_NODENUM");
  const hosts = look.hosts(look.env("PBS_NODEFILE"));
  // In the job's own script there is no task number, and it is alone on the first node.
  if (job === undefined || node === undefined || hosts === undefined) return undefined;
  const task = look.number("PBS_TASKNUM");
  if (task === undefined || task <= 1) return undefined;
  return {
    launcher: "pbs",
    job: `pbs-${job}`,
    weak: false,
    nodes: hosts.length,
    hosts,
    rank: node,
  };
}

function lsfJob(env: Environment): string | undefined {
  const id = env("LSB_JOBID");
  return id === undefined ? undefined : `${id}-${env("LSB_JOBINDEX") ?? "0"}`;
}
