/**
 * What of a run differs where its job has several nodes: names of files, and of the node.
 * @module
 */
import { asFileName } from "../core/names.ts";
import type { PmcVersion } from "../formats/pmc/log.ts";
import { readText } from "../os/files.ts";
import { outputTarget } from "../os/output_target.ts";
import { JobPart } from "./parts.ts";
import { type JobNode, jobNode } from "./place.ts";

/** The files of a run, whose names depend on its place in a job. Paths are as given. */
export interface RunFiles {
  reportPath: string;
  tracePath?: string;
  eventLogPath?: string;
  recordPath?: string;
  /** Power and energy per step, the log of pm_mpi_lib. */
  pmcPath?: string;
  pmcVersion: PmcVersion;
  /** Trace and event log get `-HOSTNAME`, as those of GEOPM do. */
  hostSuffix: { trace: boolean; eventLog: boolean };
  quiet: boolean;
}

/** A run's place in its job. */
export interface JobPlace<R extends RunFiles = RunFiles> {
  /** The request, with a host's name on every file that each node writes. */
  readonly request: R;
  readonly host: string;
  /** The node's side of the job's report; absent for a job of one node. */
  readonly part?: JobPart;
}

/**
 * Finds the place, and says in the job's directory that this node has begun.
 *
 * @param hostName As the node calls itself.
 */
export function placeInJob<R extends RunFiles>(
  request: R,
  hostName: string,
  tell: (line: string) => void,
): JobPlace<R> {
  const node = jobNode((name) => Deno.env.get(name), readText);
  if (node === undefined) return { request, host: hostName };
  const host = nameOf(node, hostName);
  const suffix = (path: string | undefined) => path && `${path}-${asFileName(host)}`;
  const named: R = {
    ...request,
    tracePath: suffix(request.tracePath),
    eventLogPath: suffix(request.eventLogPath),
    recordPath: suffix(request.recordPath),
    hostSuffix: { trace: false, eventLog: false },
    quiet: request.quiet || node.rank !== 0,
  };
  // Parts lie beside a file: of what goes to a device or a pipe each node writes its own.
  if (outputTarget(request.reportPath).direct) return { request: named, host };
  const pmc = request.pmcPath === undefined
    ? undefined
    : { file: request.pmcPath, version: request.pmcVersion };
  try {
    return {
      request: named,
      host,
      part: new JobPart(node, host, { report: request.reportPath, pmc }),
    };
  } catch (error) {
    tell(`${(error as Error).message}: no parts of the job; this node's report stands alone`);
    return { request: { ...named, reportPath: suffix(request.reportPath)! }, host };
  }
}

/** The launcher's name for the node only where it runs several nodes on one machine. */
function nameOf(node: JobNode, hostName: string): string {
  if (node.name === undefined || hostName.split(".")[0] === node.name.split(".")[0]) {
    return hostName;
  }
  return node.name;
}
