/**
 * Stands for `@std/fs` where JSR does not answer. Over Deno's own file API, as @std/fs itself is:
 * `node:fs` would cost every start of the program its first `node:` import.
 */

/** What {@linkcode walkSync} finds: a directory entry with its path. */
export interface WalkEntry extends Deno.DirEntry {
  /** The root as given, then the names below it. */
  path: string;
}

/** @std's options of `walkSync`. */
export interface WalkOptions {
  /** How far to go down; 0: the root alone. @default {Infinity} */
  maxDepth?: number;
  /** @default {true} */
  includeFiles?: boolean;
  /** @default {true} */
  includeDirs?: boolean;
  /** @default {true} */
  includeSymlinks?: boolean;
  /** Go through links. @default {false} */
  followSymlinks?: boolean;
  /** Files whose path ends so, with or without the dot. */
  exts?: string[];
  /** Only paths that match one of these. */
  match?: RegExp[];
  /** No path that matches one of these, nor what is below it. */
  skip?: RegExp[];
}

/** Everything below a directory, the directory first; the order within one is the system's. */
export function* walkSync(
  root: string | URL,
  options: WalkOptions = {},
): Generator<WalkEntry> {
  const path = pathOf(root);
  const info = Deno.statSync(path);
  yield* walkEntry({
    path,
    name: path.replace(/\/+$/, "").replace(/^.*\//, ""),
    isFile: info.isFile,
    isDirectory: info.isDirectory,
    isSymlink: false,
  }, options);
}

function* walkEntry(
  entry: WalkEntry,
  options: WalkOptions,
): Generator<WalkEntry> {
  const { maxDepth = Infinity, includeDirs = true } = options;
  if (options.skip?.some((pattern) => pattern.test(entry.path))) return;
  if (includeDirs && isIncluded(entry.path, options)) yield entry;
  if (maxDepth < 1) return;
  for (const found of Deno.readDirSync(entry.path)) {
    const path = entry.path.endsWith("/") ? entry.path + found.name : `${entry.path}/${found.name}`;
    yield* walkFound({ ...found, path }, {
      ...options,
      maxDepth: maxDepth - 1,
    });
  }
}

function* walkFound(
  entry: WalkEntry,
  options: WalkOptions,
): Generator<WalkEntry> {
  const {
    includeFiles = true,
    includeSymlinks = true,
    followSymlinks = false,
  } = options;
  if (entry.isSymlink) {
    if (!followSymlinks) {
      if (includeSymlinks && isIncluded(entry.path, options)) yield entry;
      return;
    }
    const path = Deno.realPathSync(entry.path);
    const { isFile, isDirectory } = Deno.lstatSync(path);
    entry = { ...entry, path, isFile, isDirectory, isSymlink: false };
  }
  if (entry.isDirectory) yield* walkEntry(entry, options);
  else if (includeFiles && isIncluded(entry.path, options)) yield entry;
}

function isIncluded(path: string, { exts, match, skip }: WalkOptions): boolean {
  if (exts && !exts.some((ext) => path.endsWith(dotted(ext)))) return false;
  if (match && !match.some((pattern) => pattern.test(path))) return false;
  return !skip?.some((pattern) => pattern.test(path));
}

function dotted(ext: string): string {
  return ext.startsWith(".") ? ext : `.${ext}`;
}

function pathOf(path: string | URL): string {
  return typeof path === "string" ? path : decodeURIComponent(path.pathname);
}
