/**
 * Start of this program by itself.
 *
 * @module
 */

/** Verbs that no help shows: what this program starts itself for. */
export const HIDDEN_VERBS = {
  /** The workload of `demo`, run as an application of its own. */
  demoWorkload: "demo-workload",
  /** A process that reads a part of the nodes for `stats`. */
  statsHelper: "stats-helper",
  /** A process that holds a GPU library. */
  libraryHelper: "library-helper",
} as const;

let isProgram = false;

/** Sets that this process is the program, not another one that uses it as a library. */
export function beTheProgram(): void {
  isProgram = true;
}

/** Is this the executable? A run from source may depend on settings that are not seen here. */
export function canStartItself(): boolean {
  return isProgram && (isPacked() || Deno.build.standalone);
}

function isPacked(): boolean {
  return (globalThis as { __JOULEMARK_FORM?: string }).__JOULEMARK_FORM === "packed";
}

/** Command that starts this program, with arguments. */
export function selfCommand(...args: string[]): string[] {
  const self = Deno.execPath();
  if (isPacked() || Deno.build.standalone) return [self, ...args];
  const permissions = ["--allow-ffi", "--allow-read", "--allow-write", "--allow-env"];
  return [self, "run", "--quiet", "--no-lock", ...permissions, Deno.mainModule, ...args];
}
