/**
 * Everything that happens before a node's monitor is known: the command is looked up, the monitor
 * elected, and whoever is not elected becomes the application at once.
 *
 * Many processes of a job come here together, so nothing but libc is loaded on this way.
 * @module
 */
import { isHumanError } from "../core/errors.ts";
import { SESSION_VARIABLE } from "../core/ring_layout.ts";
import { readText, readWhole } from "../os/files.ts";
import {
  formatInherited,
  FORWARDED_SET,
  guessInherited,
  inheritedIsExact,
  inheritedState,
  signalsAreBlocked,
} from "../os/inherited.ts";
import { libc } from "../os/libc.ts";
import { environment, findCommand, handOver, type Launch, setSignalMask } from "../os/process.ts";
import { elect, type Elected, joinOuter } from "../job/election.ts";
import type { Environment } from "../core/environment.ts";
import { jobIdentity } from "../job/job_key.ts";

/** What `run` goes on with. */
export type Prepared =
  | { readonly kind: "monitor"; readonly elected: Elected; readonly launch: Launch }
  /** The command cannot run: status and reason, as a shell has them. */
  | { readonly kind: "refused"; readonly status: number; readonly reason: string };

/**
 * Looks up the command, elects the monitor. Returns only for the elected one, or when the command
 * cannot run; all others become the command.
 *
 * @param tell Says one line to the user.
 * @param changes Of the command's environment, where it is monitored.
 */
export function prepare(
  command: readonly string[],
  env: Environment,
  tell: (line: string) => void,
  changes: Readonly<Record<string, string>> = {},
): Prepared {
  if (!inheritedIsExact() && !signalsAreBlocked()) startAgain();
  const found = findCommand(command[0], env("PATH"));
  if (!("path" in found)) return { kind: "refused", ...found };
  const launch = (session: string | undefined): Launch => ({
    path: found.path,
    args: command,
    env: environment({ ...(session === undefined ? {} : changes), [SESSION_VARIABLE]: session }),
    inherited: inheritedState(),
  });
  try {
    const outer = env(SESSION_VARIABLE);
    const joined = outer === undefined ? undefined : joinOuter(outer);
    if (joined !== undefined) handOver(launch(joined.directory));
    const elected = elect(jobIdentity(env, libc().getppid()), cycleCounterIsSteady());
    if (elected.role === "member") handOver(launch(elected.directory));
    return { kind: "monitor", elected, launch: launch(elected.directory) };
  } catch (error) {
    // Whatever happens to us, the application runs.
    tell(isHumanError(error) ? error.message : String(error));
    tell("the command runs unmonitored");
    return becomeCommand(launch(undefined));
  }
}

/** The command takes this process's place; a refusal of the kernel is told as a shell does. */
export function becomeCommand(launch: Launch): Prepared {
  try {
    handOver(launch);
  } catch (error) {
    return { kind: "refused", status: 126, reason: (error as Error).message };
  }
}

/**
 * Executes this program once more with the forwarded signals blocked: without the stub there is no
 * other way to have them blocked in all threads.
 */
function startAgain(): void {
  const line = readWhole("/proc/self/cmdline");
  if (line === undefined) return;
  const words = new TextDecoder().decode(line).split("\0").slice(0, -1);
  const at = words.length - Deno.args.length;
  if (at < 1) return;
  const state = guessInherited();
  words.splice(at, 0, formatInherited(state));
  setSignalMask(state.blocked | FORWARDED_SET);
  try {
    handOver({
      path: "/proc/self/exe",
      args: words,
      env: environment({}),
      // Nothing is restored yet: the next start hands it on.
      inherited: { ...state, blocked: state.blocked | FORWARDED_SET, openFiles: NaN },
    });
  } catch {
    // Then signals end the monitor as they end any program; the application is not touched.
    setSignalMask(state.blocked);
  }
}

/** May stamps be cycles? Only where the kernel itself keeps time by a counter that never stops. */
export function cycleCounterIsSteady(): boolean {
  const source = readText("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  if (Deno.build.arch === "aarch64") return source?.trim() === "arch_sys_counter";
  if (source?.trim() !== "tsc") return false;
  const cpuinfo = readText("/proc/cpuinfo") ?? "";
  const flags = /^flags\s*:(.*)$/m.exec(cpuinfo)?.[1] ?? "";
  return /\bconstant_tsc\b/.test(flags) && /\bnonstop_tsc\b/.test(flags);
}
