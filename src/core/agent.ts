/**
 * Agents: what may be added to a run, its trace and its report, as geopm::Agent(3) allows.
 *
 * An agent here observes and reports; it sets no controls. `docs/how-to/coming-from-geopm.md` has a worked
 * example.
 * @module
 */
import type { Domain } from "./machine/domain.ts";
import type { ReportFields } from "./report.ts";
import type { SignalFormat } from "./signal.ts";

/** Requests of an agent for signals, before the first sample. */
export interface AgentPlatform {
  /** Requests a signal. @returns Its handle for samples. */
  pushSignal(name: string, domain: Domain, index: number): number;
  /** Instances of a domain on this node. */
  count(domain: Domain): number;
}

/** A column that an agent adds to the trace, after all others. */
export interface AgentColumn {
  /** Title of the column. */
  readonly name: string;
  /** Format of its values in print. @default "double" */
  readonly format?: SignalFormat;
}

/** An addition to a run. Every method but the name and period is optional. */
export interface Agent {
  /** Written in the header of report and trace. */
  readonly name: string;
  /** Default period in seconds, for a run without `--period`. */
  readonly waitS: number;
  /** Columns that it adds to the trace; none if absent. */
  readonly traceColumns?: readonly AgentColumn[];
  /** Requests the signals that it samples. */
  init?(platform: AgentPlatform): void;
  /** Sees the samples of a step. */
  step?(sample: (handle: number) => number): void;
  /** Fills in its trace columns for the step. */
  traceValues?(out: Float64Array): void;
  /** Pairs for the head of the report. */
  reportHeader?(): ReportFields;
  /** Pairs for the host's section. */
  reportHost?(): ReportFields;
  /** Pairs for one region, or for the unmarked region by its hash. */
  reportRegion?(hash: number): ReportFields | undefined;
}

/** The built-in agent: it only watches. GEOPM's own steps every 0.2 s, ours every 5 ms. */
export const MONITOR: Agent = { name: "monitor", waitS: 0.005 };
