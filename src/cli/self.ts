/**
 * How this program starts itself once more.
 *
 * @module
 */

/** Verbs that no help shows: what this program starts itself for. */
export const HIDDEN_VERBS = {
  /** The workload of `demo`, run as an application of its own. */
  demoWorkload: "demo-workload",
  /** A process that reads a part of the nodes for `stats`. */
  statsHelper: "stats-helper",
} as const;

/** This program, with arguments. */
export function selfCommand(...args: string[]): string[] {
  const self = Deno.execPath();
  const packed = (globalThis as { __JOULEMARK_FORM?: string }).__JOULEMARK_FORM === "packed";
  if (packed || Deno.build.standalone) return [self, ...args];
  const permissions = ["--allow-ffi", "--allow-read", "--allow-write", "--allow-env"];
  return [self, "run", "--quiet", "--no-lock", ...permissions, Deno.mainModule, ...args];
}
