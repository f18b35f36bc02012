/**
 * Facts about a process that a confined monitor asks the guardian for: from its environment whether it was given
 * a session, and its rank within its MPI job, as its launcher put it there, for people who know their processes by
 * it (mpirun(1) of Open MPI and MPICH, srun(1), flux-run(1), aprun(1)); and how it ended.
 * @module
 */
import { SESSION_VARIABLE } from "../../core/events/ring_layout.ts";
import { guardian } from "../guardian/guardian.ts";
import { readText, statPath } from "../../os/files.ts";
import { statusInProc } from "../../os/process_watch.ts";

const VARIABLES = [
  "OMPI_COMM_WORLD_RANK",
  "PMIX_RANK",
  "PMI_RANK",
  "PALS_RANKID",
  "ALPS_APP_PE",
  "FLUX_TASK_RANK",
  "SLURM_PROCID",
];

/** Ranks that were read, of processes that may have ended since. */
const known = new Map<number, string>();
const MAX_KNOWN = 65_536;

/** The number as written there; `undefined` if none was given, or the process ended before it was read. */
export function rankOf(pid: number): string | undefined {
  const rank = readRank(pid) ?? known.get(pid);
  if (rank !== undefined && known.size < MAX_KNOWN) known.set(pid, rank);
  return rank;
}

function readRank(pid: number): string | undefined {
  // A confined process may not read the environment of another one.
  const own = guardian();
  if (own?.open) return own.lookAt(pid)?.rank;
  return rankIn(readText(`/proc/${pid}/environ`) ?? "");
}

/**
 * Was a process given a session? By its environment, as of its last execve(2).
 *
 * @param directory The session's: this process's own, if a guardian is asked.
 * @returns `undefined` if that cannot be read, or the process is gone.
 */
export function isInSession(pid: number, directory: string): boolean | undefined {
  const own = guardian();
  if (own?.open && own.directory === directory) return own.lookAt(pid)?.isMember;
  return readText(`/proc/${pid}/environ`)?.split("\0")
    .includes(`${SESSION_VARIABLE}=${directory}`);
}

/** The lower half of the inode of the namespace that a process's number is of: pid_namespaces(7). 0: it cannot be seen. */
export function namespaceOf(pid: number): number {
  const own = guardian();
  if (own?.open) return own.namespaceOf(pid);
  return (statPath(`/proc/${pid}/ns/pid`)?.inode ?? 0) % 2 ** 32;
}

/** Status of a process that ended and whose parent has not taken it, as in wait(2); `undefined`: not known. */
export function statusOf(pid: number): number | undefined {
  const own = guardian();
  return own?.open ? own.statusOf(pid) : statusInProc(pid);
}

/** Rank from the text of an environment. */
export function rankIn(environ: string): string | undefined {
  const entries = environ.split("\0");
  for (const name of VARIABLES) {
    const found = entries.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1);
    if (found !== undefined && /^\d{1,9}$/.test(found)) return found;
  }
}
