/** What the command line brings along for a monitor. */
import type { OptionValues } from "../core/option.ts";
import type { MakeOpener } from "../outputs/output.ts";
import type { RunIdle } from "../outputs/run_idle.ts";

/** What the command line decides, beside the request. */
export interface MonitorOptions {
  /** Says one line to the user. */
  tell(line: string): void;
  stdout(text: string): void;
  stderr(text: string): void;
  /** Shows the card, below whatever the command wrote. */
  show(card: string): void;
  /** Stacks of unforeseen errors are shown. */
  readonly debug: boolean;
  /** Stands in the simulated node where no energy counter can be read. */
  simulateIfBlind: boolean;
  /** Version for reports, and the permissions in force. */
  version: string;
  permissions: readonly string[];
  idle?: RunIdle;
  /** The outputs that were asked for, and the values of their options. */
  readonly outputs: readonly MakeOpener[];
  readonly values: OptionValues;
}
