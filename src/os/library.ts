/**
 * Where shared libraries lie that are loaded when they are there: GPU and MPI libraries.
 *
 * The executable may load from the directories below and from nowhere else, and paths are compared
 * as written; so a library is looked up by hand, never by the loader's own search.
 * @module
 */
import { listDirectory, statPath } from "./files.ts";
import { libc } from "./libc.ts";

/** Directories that the executable may load from, with all below them. */
export const LIBRARY_DIRECTORIES: readonly string[] = [
  "/usr/lib",
  "/usr/lib64",
  "/lib",
  "/lib64",
  "/opt",
  "/usr/local",
];

const ARCH = Deno.build.arch === "aarch64" ? "aarch64-linux-gnu" : "x86_64-linux-gnu";

/** Usual places, the distribution's own first. */
const PLACES: readonly string[] = [
  `/usr/lib/${ARCH}`,
  "/usr/lib64",
  "/usr/lib",
  `/lib/${ARCH}`,
  "/lib64",
  "/usr/local/lib",
  "/usr/local/lib64",
  "/usr/local/nvidia/lib64",
  "/usr/local/nvidia/lib",
  "/opt/rocm/lib",
  "/usr/lib/wsl/lib",
];

/** A library that was found, or where it lies out of reach. */
export type FoundLibrary =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly outside?: string };

/**
 * Looks a library up.
 *
 * @param name As `libnvidia-ml.so.1`.
 * @param given A whole path that the user names. @default none
 * @param searchPath Directories as in LD_LIBRARY_PATH, looked at first. @default ""
 */
export function findLibrary(name: string, given?: string, searchPath = ""): FoundLibrary {
  const exists = (path: string) => statPath(path) !== undefined;
  if (given !== undefined && given !== "") {
    return exists(given) ? { ok: true, path: given } : { ok: false };
  }
  let outside: string | undefined;
  for (const directory of [...searchPath.split(":"), ...PLACES]) {
    if (!directory.startsWith("/")) continue;
    const path = `${directory.replace(/\/+$/, "")}/${name}`;
    if (!exists(path)) continue;
    if (mayLoad(path)) return { ok: true, path };
    outside ??= path;
  }
  return { ok: false, outside };
}

/** Is it below one of the directories that the executable may load from? */
function mayLoad(path: string): boolean {
  return LIBRARY_DIRECTORIES.some((directory) => path.startsWith(`${directory}/`));
}

const F_SETFD = 2;
const FD_CLOEXEC = 1n;

/** Does something of a library's, and sees that the application inherits nothing it opened. */
export function withoutLeaks<T>(action: () => T): T {
  const before = new Set(listDirectory("/proc/self/fd"));
  const result = action();
  for (const name of listDirectory("/proc/self/fd")) {
    if (!before.has(name)) libc().fcntl(Number(name), F_SETFD, FD_CLOEXEC);
  }
  return result;
}
