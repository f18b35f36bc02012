/** Parts of a monitor that the command line brings. */
import type { OptionValues } from "../../core/option.ts";
import type { Guardian } from "../../job/guardian/guardian.ts";
import type { MakeOpener, OutputSite } from "../outputs/output.ts";
import type { RunParts } from "./run_parts.ts";
import type { RunRequest } from "../request/request.ts";
import type { RunReportOptions } from "../outputs/run_report.ts";

/** The command and its guardian. */
export interface MonitorPlan {
  readonly guardian: Guardian;
  /** Changes of the command's environment and the other fields of the guardian's command.h. */
  readonly changes: readonly string[];
}

/** Decisions of the command line in addition to the request. */
export interface MonitorOptions
  extends
    Pick<OutputSite, "log" | "stdout" | "stderr">,
    Pick<RunReportOptions, "version" | "permissions" | "countersChecked" | "idle" | "show"> {
  /** Stacks of unforeseen errors are shown. */
  readonly debug: boolean;
  /** Uses the simulated node if no energy counter can be read. */
  simulateIfBlind: boolean;
  /** The outputs that were asked for, and the values of their options. */
  readonly outputs: readonly MakeOpener[];
  readonly values: OptionValues;
  /** Values of Caliper's variables, which ask for channels. */
  readonly channelTexts: readonly string[];
  /** Parts that only some runs need. */
  readonly parts: RunParts;
  /** Gives the measurement that replaces an impossible one; if there is none it throws the error. */
  otherwise(error: unknown): { readonly request: RunRequest; readonly options: MonitorOptions };
}
