/**
 * `joulemark run -- srun ./app` where it should be `srun joulemark run -- ./app`: of a job of several
 * nodes only what runs on this one would be measured.
 * @module
 */
import { baseName } from "../../core/names.ts";
import type { Environment } from "../../core/environment.ts";
import { applicationAt, isLauncher } from "./launchers.ts";

/** The part of the machine that is read. */
export interface LaunchPlace {
  readonly env: Environment;
  /** Text of a file; `undefined` when it cannot be read. */
  read(path: string): string | undefined;
  /** Is it a program that the shell would find? */
  isProgram(word: string): boolean;
}

/**
 * A line about a launcher behind `run`, in an allocation of several nodes; `undefined`: all is well.
 *
 * @param command The command of `run`.
 */
export function wrongOrder(command: readonly string[], place: LaunchPlace): string | undefined {
  const name = baseName(command[0]);
  if (!isLauncher(name)) return undefined;
  const nodes = nodesOf(place);
  if (nodes < 2) return undefined;
  return `the job has ${nodes} nodes, but only processes that ${name} starts on this node are measured. ` +
    `To measure all nodes: ${rightLine(command, place)}`;
}

/** Nodes of the allocation; 1 inside of a step, if another launcher has this node alone. */
function nodesOf({ env, read }: LaunchPlace): number {
  const number = (name: string) => Number(env(name) ?? "");
  if ((env("SLURM_JOB_ID") ?? "") !== "") {
    return (env("SLURM_STEP_ID") ?? "") !== "" ? 1 : number("SLURM_JOB_NUM_NODES") || 1;
  }
  const file = env("PBS_NODEFILE") ?? "";
  if (file !== "") {
    return new Set((read(file) ?? "").split("\n").map((line) => line.trim()).filter(Boolean)).size;
  }
  const hosts = (env("LSB_MCPU_HOSTS") ?? "").trim().split(/\s+/);
  // Host and slots, in turn. jsrun counts the launch node too, where nothing runs.
  return env("JSM_NAMESPACE_RANK") === undefined ? Math.floor(hosts.length / 2) : 1;
}

/** The command with `joulemark run` before the application. */
function rightLine(command: readonly string[], { isProgram }: LaunchPlace): string {
  const at = applicationAt(command, isProgram);
  const words = at < 0
    ? [command[0], "[options]", "joulemark", "run", "--", "./app"]
    : [...command.slice(0, at), "joulemark", "run", "--", ...command.slice(at)];
  return words.map((word) => /[\s'"$`\\|&;<>()*?]/.test(word) ? `'${word}'` : word).join(" ");
}
