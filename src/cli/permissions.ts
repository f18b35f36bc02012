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
    why: "libc reads the counters and starts the application; GPU and MPI libraries if present",
  },
  { flag: "--allow-read", why: "recordings, reports and queries, wherever the user keeps them" },
  { flag: "--allow-write", why: "reports, traces and recordings, where the user wants them" },
  { flag: "--allow-env", why: "JOULEMARK_ and GEOPM_ settings, and those of the scheduler" },
  { flag: "--no-prompt", why: "never ask in the middle of a job" },
];

/** Flags for `deno run` and `deno compile`. */
export function permissionFlags(): string[] {
  return PERMISSIONS.map((p) => p.flag);
}
