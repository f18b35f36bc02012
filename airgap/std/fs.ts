/** Stands for `@std/fs` if JSR does not answer: what the program and its tests call of it. */

/** A directory entry with its path. */
export interface WalkEntry extends Deno.DirEntry {
  /** The root as given, then the names below it. */
  path: string;
}

/** Options of @std that are called here. */
export interface WalkOptions {
  /** How far to go down; 0: the root alone. @default {Infinity} */
  maxDepth?: number;
  /** @default {true} */
  includeFiles?: boolean;
  /** @default {true} */
  includeDirs?: boolean;
  /** Endings of paths, with or without the dot. @default all paths */
  exts?: string[];
  /** Paths that match are left out, with all that is below them. */
  skip?: RegExp[];
}

/** Lists all below a directory, the directory first. Links are listed and not followed. */
export function* walkSync(path: string, options: WalkOptions = {}): Generator<WalkEntry> {
  const { isFile, isDirectory } = Deno.statSync(path);
  const name = path.replace(/\/+$/, "").replace(/^.*\//, "");
  yield* walk({ path, name, isFile, isDirectory, isSymlink: false }, options);
}

function* walk(entry: WalkEntry, options: WalkOptions): Generator<WalkEntry> {
  const { maxDepth = Infinity, includeFiles = true, includeDirs = true, exts, skip } = options;
  const { path, isDirectory, isFile } = entry;
  if (skip?.some((pattern) => pattern.test(path))) return;
  const isListed = isDirectory ? includeDirs : includeFiles || !isFile;
  const hasEnding = exts === undefined ||
    exts.some((ext) => path.endsWith(ext.startsWith(".") ? ext : `.${ext}`));
  if (isListed && hasEnding) yield entry;
  if (!isDirectory || maxDepth < 1) return;
  for (const found of Deno.readDirSync(path)) {
    const below = { ...found, path: `${path.replace(/\/$/, "")}/${found.name}` };
    yield* walk(below, { ...options, maxDepth: maxDepth - 1 });
  }
}
