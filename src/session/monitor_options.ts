/** What the command line brings along for a monitor. */

import type { ContextRun } from "../channels/run.ts";
import type { RunIdle } from "../outputs/run_idle.ts";

/** See the module. */
export interface MonitorOptions {
  /** Says one line to the user. */
  tell(line: string): void;
  /** Shows the card, below whatever the command wrote. */
  show(card: string): void;
  /** Errors show where they come from. */
  debug: boolean;
  /** Stands in the simulated node where no energy counter can be read. */
  simulateIfBlind: boolean;
  /** Version for reports, and the permissions in force. */
  version: string;
  permissions: readonly string[];
  idle?: RunIdle;
  /** Caliper's channels, where any were asked for. */
  contexts?: ContextRun;
}
