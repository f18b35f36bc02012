/**
 * Preparation of a command: it is guarded, and so measured, or refused.
 * @module
 */
import type { Environment } from "../../core/environment.ts";
import { spellingsWithValue } from "../../core/option.ts";
import { type Guardian, guardian } from "../../job/guardian/guardian.ts";
import { inheritedIsExact } from "../../os/inherited.ts";
import { fileSizeLimit, findCommand, handOver } from "../../os/process.ts";
import { RUN_OPTIONS } from "../request/run_options.ts";

/** Result of the preparation, with which `run` goes on. */
export type Prepared =
  | { readonly kind: "guarded"; readonly guardian: Guardian }
  /** The command cannot run: status and reason, as a shell has them. */
  | { readonly kind: "refused"; readonly status: number; readonly reason: string };

/**
 * The guardian of this process, which holds the command ready. Without one the command is looked
 * up, and this process becomes the guardian, or if that cannot be, the command.
 *
 * @param log Writes one line to the user.
 */
export async function prepare(
  command: readonly string[],
  env: Environment,
  log: (line: string) => void,
): Promise<Prepared> {
  const own = guardian();
  if (own !== undefined) {
    logLimits(own.pid, log);
    return { kind: "guarded", guardian: own };
  }
  const found = findCommand(command[0], env("PATH"));
  if (!("path" in found)) return { kind: "refused", ...found };
  let reason = "it did not exist a moment ago. Start the command again";
  if (!inheritedIsExact()) {
    const { startGuardian } = await import("../../job/guardian/start.ts");
    reason = await startGuardian(Deno.args, spellingsWithValue(RUN_OPTIONS));
  }
  log(`the command runs unmeasured: ${reason}`);
  return { kind: "refused", status: 126, reason: become(found.path, command) };
}

/** Becomes another program; returns only if that cannot be, with the reason. */
function become(path: string, args: readonly string[]): string {
  try {
    return handOver({ path, args });
  } catch (error) {
    return (error as Error).message;
  }
}

/** Minimum file size limit: with less, a process cannot make its ring file. */
const MIN_RING_BYTES = 65536;

/** Says what keeps a command from marking. */
function logLimits(pid: number, log: (line: string) => void): void {
  const mostBytes = fileSizeLimit(pid);
  if (mostBytes >= MIN_RING_BYTES) return;
  const limit = `the size of files (ulimit -f) is limited to ${Math.floor(mostBytes / 1024)} kB`;
  log(`regions of the command cannot be recorded: ${limit}. A limit of 4 MB or more is needed`);
}
