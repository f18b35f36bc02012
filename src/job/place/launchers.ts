/**
 * Launchers: commands that start an application on the nodes of a job.
 * @module
 */
import { baseName } from "../../core/names.ts";

/** Debian's names end in the MPI's own. */
const LAUNCHERS = /^(srun|(mpirun|mpiexec)(\.\w+)?|orterun|prterun|prun|aprun|jsrun|ibrun|flux)$/;

/** Is it the name of a launcher, without folders? */
export function isLauncher(name: string): boolean {
  return LAUNCHERS.test(name);
}

/** Default name of a run: the application's, without the launcher before it. */
export function applicationName(
  command: readonly string[],
  isProgram: (word: string) => boolean,
): string {
  const at = isLauncher(baseName(command[0])) ? applicationAt(command, isProgram) : 0;
  return baseName(command[Math.max(0, at)]);
}

/**
 * Index of the application: the first word with a slash, or that is a program and no value of an
 * option; −1 if only the options of that launcher could decide.
 */
export function applicationAt(
  command: readonly string[],
  isProgram: (word: string) => boolean,
): number {
  const marked = command.indexOf("--", 1);
  if (marked > 0 && marked + 1 < command.length) return marked + 1;
  for (let i = 1; i < command.length; i++) {
    const word = command[i];
    if (word.startsWith("-") || !isProgram(word)) continue;
    const before = command[i - 1];
    const isValue = before.startsWith("-") && !before.includes("=");
    if (word.includes("/") || !isValue) return i;
  }
  return -1;
}
