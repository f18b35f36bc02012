/** What the command line brings along for a monitor. */
import type { OptionValues } from "../../core/option.ts";
import type { Guardian } from "../../job/guardian/guardian.ts";
import type { MakeOpener, OutputSite } from "../outputs/output.ts";
import type { RunParts } from "./run_parts.ts";
import type { RunRequest } from "../request/request.ts";
import type { RunReportOptions } from "../outputs/run_report.ts";

/** The command and its guardian. */
export interface MonitorPlan {
  readonly guardian: Guardian;
  /** Of the command: changes of its environment and the other fields of the guardian's command.h. */
  readonly changes: readonly string[];
}

/** What the command line decides, beside the request. */
export interface MonitorOptions
  extends
    Pick<OutputSite, "tell" | "stdout" | "stderr">,
    Pick<RunReportOptions, "version" | "permissions" | "countersChecked" | "idle" | "show"> {
  /** Stacks of unforeseen errors are shown. */
  readonly debug: boolean;
  /** Uses the simulated node where no energy counter can be read. */
  simulateIfBlind: boolean;
  /** The outputs that were asked for, and the values of their options. */
  readonly outputs: readonly MakeOpener[];
  readonly values: OptionValues;
  /** Values of Caliper's variables, which ask for channels. */
  readonly channelTexts: readonly string[];
  /** What only some runs need. */
  readonly parts: RunParts;
  /** What to measure where the request cannot be; where there is nothing else it throws the error. */
  otherwise(error: unknown): { readonly request: RunRequest; readonly options: MonitorOptions };
}
