/**
 * Gives permissions back that are needed no more, so that code which runs later cannot use them.
 *
 * Functions of libraries that are open go on working; opening another one is refused from now on.
 * @module
 */

import { bindForRunning, compileForRunning } from "../libc.ts";

/**
 * Permissions that a monitor needs only until it samples: opening libraries, and the environment.
 */
const DROPPED = ["ffi", "env"] as const;

/**
 * @param often Calls of libc will be many from here on.
 * @returns Names of the permissions that were given back.
 */
export function dropPermissions(often = true): string[] {
  bindForRunning();
  compileForRunning(often);
  const dropped: string[] = [];
  for (const name of DROPPED) {
    try {
      if (Deno.permissions.revokeSync({ name }).state !== "granted") dropped.push(name);
    } catch {
      // A runtime that cannot give it back keeps it.
    }
  }
  return dropped;
}
