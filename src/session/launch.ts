/**
 * What becomes of a command before it runs: guarded, and so measured, or refused.
 * @module
 */
import type { Environment } from "../core/environment.ts";
import { type Guardian, guardian } from "../guardian/guardian.ts";
import { INHERITED_FLAG, inheritedIsExact, inheritedState } from "../os/inherited.ts";
import { environment, findCommand, handOver } from "../os/process.ts";

/** What `run` goes on with. */
export type Prepared =
  | { readonly kind: "guarded"; readonly guardian: Guardian }
  /** The command cannot run: status and reason, as a shell has them. */
  | { readonly kind: "refused"; readonly status: number; readonly reason: string };

/**
 * The guardian of this process, which holds the command ready. Without one the command is looked
 * up, and this process becomes the guardian, or if that cannot be, the command. A guardian finds
 * the command behind "--": where that is missing this program starts anew, with it.
 *
 * @param log Writes one line to the user.
 */
export async function prepare(
  command: readonly string[],
  env: Environment,
  log: (line: string) => void,
): Promise<Prepared> {
  const own = guardian();
  if (own !== undefined) return { kind: "guarded", guardian: own };
  const found = findCommand(command[0], env("PATH"));
  if (!("path" in found)) return { kind: "refused", ...found };
  let reason = 'expected "--" before it';
  if (inheritedIsExact()) {
    const args = Deno.args.filter((word) => !word.startsWith(INHERITED_FLAG));
    const again = separated(args, command);
    if (again !== undefined) become("/proc/self/exe", ["joulemark", ...again]);
  } else {
    const { startGuardian } = await import("../guardian/start.ts");
    reason = await startGuardian(Deno.args);
  }
  log(`the command runs unmeasured: ${reason}`);
  return { kind: "refused", status: 126, reason: become(found.path, command) };
}

/** The arguments with "--" before the command; `undefined`: it stands there already. */
function separated(args: readonly string[], command: readonly string[]): string[] | undefined {
  const at = args.length - command.length;
  const isThere = args[at - 1] === "--" || command.some((word, i) => args[at + i] !== word);
  return isThere ? undefined : [...args.slice(0, at), "--", ...command];
}

/** Becomes another program; returns only where that cannot be, with the reason. */
function become(path: string, args: readonly string[]): string {
  try {
    return handOver({ path, args, env: environment({}), inherited: inheritedState() });
  } catch (error) {
    return (error as Error).message;
  }
}
