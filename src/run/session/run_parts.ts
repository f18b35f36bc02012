/**
 * Parts of the program that only some runs need. They are loaded before the monitor begins, because
 * its loop waits for nothing: every process of a job pays for what is loaded.
 * @module
 */
import type { OptionValues } from "../../core/option.ts";
import type { Reader } from "../../core/machine/host.ts";
import { jobNode, type RunOwner, runOwner } from "../../job/place/place.ts";
import type { isJobReport } from "../../job/place/claim_parts.ts";
import { directoryOf } from "../../job/place/claim.ts";
import type { NodeOfJob } from "../../job/place/run_names.ts";
import type { KeepSteps } from "../../job/place/keep_steps.ts";
import { readText, statPath } from "../../os/files.ts";
import type { ProbedRun, Probes } from "../../marks/rings/probes.ts";
import { READERS_BUT_RAW } from "../../sources/readers/all.ts";
import type { RunRequest } from "../request/request.ts";
import type { simulationFor } from "./simulation.ts";

/** Parts of a run in addition to the monitor. */
export interface RunParts {
  readonly readers: readonly Reader[];
  readonly owner: RunOwner;
  /** Absent if nothing is to be simulated. */
  readonly simulationFor?: typeof simulationFor;
  /** Place of this node in a job of several; absent for a job of one node. */
  readonly job?: NodeOfJob;
  /** Absent if no job of several nodes left or makes parts of this report. */
  readonly isJobReport?: typeof isJobReport;
  /** Absent if no PMC log is asked for. */
  readonly keepSteps?: KeepSteps;
  /** Absent if no functions are probed, or none can be. */
  readonly probes?: (run: ProbedRun) => Probes;
}

/** Options that decide in addition to the request. */
export interface RunPartsOptions {
  readonly values: OptionValues;
  /** Caliper's channels are asked for: their variables name signals too. */
  readonly channels: boolean;
  /** A node without energy counters may be replaced. */
  readonly simulateIfBlind: boolean;
  /** Called with the reason why a requested part is not available. */
  log(line: string): void;
}

/** Loads what a run needs. */
export async function loadRunParts(
  request: RunRequest,
  { values, channels, simulateIfBlind, log }: RunPartsOptions,
): Promise<RunParts> {
  const env = (name: string) => Deno.env.get(name);
  const node = jobNode(env, readText);
  const asked = [request.reportSignals, ...[...values.values()].map(({ text }) => text)];
  const namesRaw = channels || asked.some((text) => /\braw\b/i.test(text));
  const simulates = simulateIfBlind || request.simulate !== undefined;
  return {
    owner: runOwner(env),
    readers: namesRaw
      ? (await import("../../sources/readers/with_raw.ts")).READERS
      : READERS_BUT_RAW,
    ...simulates ? { simulationFor: (await import("./simulation.ts")).simulationFor } : {},
    ...node === undefined
      ? {}
      : { job: { node, JobPart: (await import("../../job/place/parts.ts")).JobPart } },
    ...node === undefined && statPath(directoryOf(request.reportPath)) !== undefined
      ? { isJobReport: (await import("../../job/place/claim_parts.ts")).isJobReport }
      : {},
    ...request.probes.length > 0
      ? (await import("./open_probes.ts")).openProbes(request.probes, log)
      : {},
    ...values.has("pmc")
      ? { keepSteps: (await import("../../job/place/keep_steps.ts")).keepSteps }
      : {},
  };
}
