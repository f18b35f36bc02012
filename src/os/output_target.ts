/**
 * Where output to a name goes: whole files appear by rename beside the real file, whatever links lead
 * there; a device, a pipe or a descriptor of ours is written into. Renaming over `/dev/null` would
 * take it from everybody.
 * @module
 */
import { readLinkTarget, statPath } from "./files.ts";

const S_IFMT = 0o170000, S_IFDIR = 0o040000, S_IFREG = 0o100000, S_IFLNK = 0o120000;
/** As many links as the kernel follows: path_resolution(7). */
const LINKS_MAX = 40;
/** Names of descriptors, whatever is behind them. */
const DESCRIPTOR = /^\/dev\/(?:stdout|stderr|stdin|fd\/)|^\/proc\//;

/** What is behind the name of an output. */
export interface OutputTarget {
  /** What to open: the file itself, not a link to it. */
  readonly path: string;
  /** It is written into; else a new file is made beside it and renamed. */
  readonly direct: boolean;
}

/** Looks at what is there. */
export function outputTarget(path: string): OutputTarget {
  if (DESCRIPTOR.test(path)) return { path, direct: true };
  const facts = statPath(path);
  const kind = facts === undefined ? S_IFREG : facts.mode & S_IFMT;
  // A directory is nobody's output; that the rename fails is the clear answer.
  if (kind !== S_IFREG && kind !== S_IFDIR) return { path, direct: true };
  let at = path;
  for (let links = 0; links < LINKS_MAX; links++) {
    const own = statPath(at, false);
    if (own === undefined || (own.mode & S_IFMT) !== S_IFLNK) break;
    const target = readLinkTarget(at);
    if (target === undefined) break;
    at = target.startsWith("/") ? target : at.slice(0, at.lastIndexOf("/") + 1) + target;
  }
  return { path: at, direct: false };
}
