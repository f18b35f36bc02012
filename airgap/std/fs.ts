/**
 * Stands for `@std/fs` where JSR does not answer. Over Deno's own file API, as @std/fs itself is:
 * `node:fs` would cost every start of the program its first `node:` import.
 */

/** What {@linkcode walk} finds: a directory entry with its path. */
export interface WalkEntry extends Deno.DirEntry {
  /** The root as given, then the names below it. */
  path: string;
}

/** @std's options of `walk`. */
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

/** @std's options of `exists`. */
export interface ExistsOptions {
  /** Only a directory counts. @default {false} */
  isDirectory?: boolean;
  /** Only a file counts. @default {false} */
  isFile?: boolean;
}

/** Makes a directory and its parents, unless it is there. */
export function ensureDirSync(dir: string | URL): void {
  Deno.mkdirSync(dir, { recursive: true });
}

/** {@linkcode ensureDirSync}, not waiting. */
export async function ensureDir(dir: string | URL): Promise<void> {
  await Deno.mkdir(dir, { recursive: true });
}

/** Whether something is at a path, links followed. */
export function existsSync(
  path: string | URL,
  options: ExistsOptions = {},
): boolean {
  try {
    return isWanted(Deno.statSync(path), options);
  } catch (error) {
    return isThereDespite(error, path);
  }
}

/** {@linkcode existsSync}, not waiting. */
export async function exists(
  path: string | URL,
  options: ExistsOptions = {},
): Promise<boolean> {
  try {
    return isWanted(await Deno.stat(path), options);
  } catch (error) {
    return isThereDespite(error, path);
  }
}

function isWanted(
  info: Deno.FileInfo,
  { isDirectory, isFile }: ExistsOptions,
): boolean {
  if (isDirectory && isFile) {
    throw new TypeError(
      "ExistsOptions.options.isDirectory and isFile must not be true together",
    );
  }
  return (!isDirectory || info.isDirectory) && (!isFile || info.isFile);
}

/** A refusal by the file system, not by Deno, means that something is there. */
function isThereDespite(error: unknown, path: string | URL): boolean {
  if (error instanceof Deno.errors.NotFound) return false;
  if (
    error instanceof Deno.errors.PermissionDenied &&
    Deno.permissions.querySync({ name: "read", path }).state === "granted"
  ) return true;
  throw error;
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

/** {@linkcode walkSync} as an async iterable, as @std has it. */
export async function* walk(
  root: string | URL,
  options: WalkOptions = {},
): AsyncGenerator<WalkEntry> {
  yield* walkSync(root, options);
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

/** Removes everything inside a directory; makes the directory where there is none. */
export function emptyDirSync(dir: string | URL): void {
  ensureDirSync(dir);
  const path = pathOf(dir);
  for (const { name } of Deno.readDirSync(path)) {
    Deno.removeSync(`${path}/${name}`, { recursive: true });
  }
}

/** {@linkcode emptyDirSync}, as @std has it. */
export function emptyDir(dir: string | URL): Promise<void> {
  return Promise.try(() => emptyDirSync(dir));
}

/** @std's options of `copy`. */
export interface CopyOptions {
  /** Replace what is there. @default {false} */
  overwrite?: boolean;
}

/** Copies a file, a link or a whole directory. */
export function copySync(
  source: string | URL,
  target: string | URL,
  options: CopyOptions = {},
): void {
  const [from, to] = [pathOf(source), pathOf(target)];
  const info = Deno.lstatSync(from);
  if (!options.overwrite && isThere(to)) {
    throw new Deno.errors.AlreadyExists(`'${to}' already exists.`);
  }
  if (info.isSymlink) {
    if (isThere(to)) Deno.removeSync(to);
    Deno.symlinkSync(Deno.readLinkSync(from), to);
  } else if (info.isDirectory) {
    ensureDirSync(to);
    for (const { name } of Deno.readDirSync(from)) {
      copySync(`${from}/${name}`, `${to}/${name}`, options);
    }
  } else {
    Deno.copyFileSync(from, to);
  }
}

/** {@linkcode copySync}, as @std has it. */
export function copy(
  source: string | URL,
  target: string | URL,
  options: CopyOptions = {},
): Promise<void> {
  return Promise.try(() => copySync(source, target, options));
}

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

function pathOf(path: string | URL): string {
  return typeof path === "string" ? path : decodeURIComponent(path.pathname);
}
