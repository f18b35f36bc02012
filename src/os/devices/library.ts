/**
 * Finding shared libraries that are loaded when they exist: GPU and MPI libraries.
 *
 * The executable may load from the directories below and from nowhere else, and paths are compared
 * as written; so a library is looked up by hand, never by the loader's own search.
 * @module
 */
import type { Absence } from "../../core/signal.ts";
import { isElevated } from "../confinement/caller_rights.ts";
import { closeFile, listDirectory, O, openFile, statPath } from "../files.ts";
import { libc } from "../libc.ts";

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
const LIBRARY_FOLDERS: readonly string[] = [
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

/** A library that was found, or its path if it may not be loaded. */
export type FoundLibrary =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly outside?: string };

/**
 * Looks a library up.
 *
 * @param names As `libnvidia-ml.so.1`, by preference.
 * @param given A whole path that the user names. @default none
 * @param searchPath Directories as in LD_LIBRARY_PATH, looked at first. @default ""
 */
export function findLibrary(
  names: string | readonly string[],
  given?: string,
  searchPath = "",
): FoundLibrary {
  // Code that the caller names would have the rights of this executable.
  if (isElevated()) [given, searchPath] = [undefined, ""];
  const exists = (path: string) => statPath(path) !== undefined;
  if (given !== undefined && given !== "") {
    return exists(given) ? { ok: true, path: given } : { ok: false };
  }
  let outside: string | undefined;
  for (const name of [names].flat()) {
    for (const directory of [...searchPath.split(":"), ...LIBRARY_FOLDERS]) {
      if (!directory.startsWith("/")) continue;
      const path = `${directory.replace(/\/+$/, "")}/${name}`;
      if (!exists(path)) continue;
      if (mayLoad(path)) return { ok: true, path };
      outside ??= path;
    }
  }
  return { ok: false, outside };
}

/** Is it below one of the directories that the executable may load from? */
function mayLoad(path: string): boolean {
  return LIBRARY_DIRECTORIES.some((directory) => path.startsWith(`${directory}/`));
}

const F_DUPFD_CLOEXEC = 1030;
const F_SETFD = 2;
const FD_CLOEXEC = 1n;
const STANDARD = [1, 2] as const;

/**
 * Does something of a library's. The application inherits nothing that it opened, and what it prints
 * goes nowhere: the library's complaints come back as a status, in our words.
 */
export function confined<T>(action: () => T): T {
  const before = new Set(listDirectory("/proc/self/fd"));
  const nowhere = openFile("/dev/null", O.WRONLY);
  const kept = STANDARD.map((fd) => libc().fcntl(fd, F_DUPFD_CLOEXEC, 3n));
  // If a standard descriptor is closed or cannot be kept, it is left as it is.
  STANDARD.forEach((fd, i) => kept[i] >= 0 && nowhere >= 0 && libc().dup2(nowhere, fd));
  try {
    return action();
  } finally {
    STANDARD.forEach((fd, i) => {
      if (kept[i] < 0) return;
      libc().dup2(kept[i], fd);
      closeFile(kept[i]);
    });
    closeFile(nowhere);
    for (const name of listDirectory("/proc/self/fd")) {
      if (!before.has(name)) libc().fcntl(Number(name), F_SETFD, FD_CLOEXEC);
    }
  }
}

/** A library of GPUs, in this process or in one of its own. */
export interface GpuLibrary<Device, Query, Handle> extends Disposable {
  readonly path: string;
  readonly devices: readonly Device[];
  /** Halves of the last answer. */
  readonly low: number;
  readonly high: number;
  /**
   * Prepares a query: called with a device's handle, it answers a status and leaves the halves of the figure
   * in `low` and `high`. Allocates nothing when called.
   */
  query(name: Query): (handle: Handle) => number;
  /** Meaning of a status other than 0, in few words. */
  text(status: number): string;
  /** Does the status mean that the GPU is lost for good? */
  isGone(status: number): boolean;
  /** A sample begins. */
  refresh?(): void;
}

/** Why a library is not open. */
export type NotOpen = { readonly ok: false } & Absence;

/**
 * Opens what was looked up.
 *
 * @param name What is missing if nothing was found.
 */
export function loadLibrary<S extends Deno.ForeignLibraryInterface>(
  found: FoundLibrary,
  name: string,
  symbols: S,
): { ok: true; path: string; symbols: Deno.DynamicLibrary<S>["symbols"] } | NotOpen {
  if (!found.ok) {
    const { outside } = found;
    if (outside === undefined) return { ok: false, kind: "absent", reason: `no ${name}` };
    return {
      ok: false,
      kind: "unusable",
      reason: `${outside} is in a directory from which the executable may not load libraries`,
      remedy: `ln -s ${outside} /usr/local/lib/`,
    };
  }
  const { path } = found;
  try {
    return { ok: true, path, symbols: confined(() => Deno.dlopen(path, symbols).symbols) };
  } catch (error) {
    const forbidden = error instanceof Deno.errors.NotCapable;
    const reason = `${path}: ${(error as Error).message.split("\n")[0]}`;
    return { ok: false, kind: forbidden ? "forbidden" : "unusable", reason };
  }
}
