/**
 * The parts of a run that differ in a job of several nodes: names of files, and of the node.
 * @module
 */
import { asFileName } from "../../core/names.ts";
import type { PmcVersion } from "../../formats/pmc/log.ts";
import { isWrittenInto } from "../../os/output_place.ts";
import type { JobPart } from "./parts.ts";
import type { JobNode } from "./place.ts";

/** The parts of a run that depend on its place in a job. */
export interface RunFiles {
  readonly reportPath: string;
  /** The log of pm_mpi_lib, if one is asked for. */
  readonly pmc?: { readonly file: string; readonly version: PmcVersion };
  readonly quiet: boolean;
  /** Time between two checkpoints, s. */
  readonly checkpointS?: number;
}

/** A run's place in its job. */
export interface JobPlace {
  readonly reportPath: string;
  readonly host: string;
  /** Suffix of the name of every file that each node writes; absent for a job of one node. */
  readonly fileSuffix?: string;
  /** The summary of one node is enough. */
  readonly quiet: boolean;
  /** The node's side of the job's report; absent for a job of one node. */
  readonly part?: JobPart;
}

/** A node of a job of several, and how it records itself; loaded only there. */
export interface NodeOfJob {
  readonly node: JobNode;
  readonly JobPart: typeof JobPart;
}

/**
 * Finds the place, and records in the job's directory that this node has begun.
 *
 * @param job Absent for a job of one node.
 * @param hostName As the node calls itself.
 */
export function placeInJob(
  { reportPath, pmc, quiet, checkpointS }: RunFiles,
  job: NodeOfJob | undefined,
  hostName: string,
  log: (line: string) => void,
): JobPlace {
  if (job === undefined) return { reportPath, host: hostName, quiet };
  const { node, JobPart } = job;
  const host = nameOf(node, hostName);
  const fileSuffix = asFileName(host);
  const place = { reportPath, host, fileSuffix, quiet: quiet || node.rank !== 0 };
  // Parts are beside a file: with a device or a pipe as output each node writes its own.
  if (isWrittenInto(reportPath)) return place;
  try {
    const part = new JobPart(node, host, { report: reportPath, pmc, checkpointS });
    if (part.jobReport !== reportPath && node.rank === 0) {
      const who = node.isRequeued ? "an earlier start of this job, or another run," : "another run";
      log(`${reportPath} belongs to ${who}; this job writes ${part.jobReport}`);
    }
    return { ...place, reportPath: part.jobReport, part };
  } catch (error) {
    log(
      `${
        (error as Error).message
      }. No parts of the job are written; this node has a report of its own`,
    );
    return { ...place, reportPath: `${reportPath}-${fileSuffix}` };
  }
}

/** The launcher's name for the node only if it runs several nodes on one machine. */
function nameOf(node: JobNode, hostName: string): string {
  if (node.name === undefined || hostName.split(".")[0] === node.name.split(".")[0]) {
    return hostName;
  }
  return node.name;
}
