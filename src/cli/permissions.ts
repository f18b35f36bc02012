/**
 * The permissions that both forms of the executable are built with, and why each is needed.
 *
 * What they mean together: with FFI permission for libc, the program may do whatever its user may;
 * the list keeps the JavaScript honest (no network at all), the kernel enforces the rest.
 * @module
 */
import { LIBC_PATHS } from "../os/bind.ts";
import { LIBRARY_DIRECTORIES } from "../os/devices/library.ts";

/** One permission with its reason; `doctor` prints them. */
export interface Permission {
  readonly flag: string;
  readonly why: string;
}

/** In the order of the command line. */
export const PERMISSIONS: readonly Permission[] = [
  {
    flag: `--allow-ffi=${[...LIBC_PATHS, ...LIBRARY_DIRECTORIES].join(",")}`,
    why:
      "calls of the C library, which read the counters and start the application, and calls of " +
      "GPU and MPI libraries",
  },
  { flag: "--allow-read", why: "recordings, reports and queries in directories of the user" },
  { flag: "--allow-write", why: "reports, traces and recordings in directories of the user" },
  { flag: "--allow-env", why: "variables JOULEMARK_ and GEOPM_, and variables of the scheduler" },
  { flag: "--no-prompt", why: "never ask the user during a job" },
];

/** Flags for `deno run` and `deno compile`. */
export function permissionFlags(): string[] {
  return PERMISSIONS.map((p) => p.flag);
}
