/**
 * Files that decide what this process does: accepted only if no other user could have written them.
 * @module
 */
import {
  closeFile,
  type FileFacts,
  O,
  openFile,
  readLinkTarget,
  readWhole,
  statOpen,
  statPath,
} from "./files.ts";
import { ERRNO, errorText, libc } from "./libc.ts";

const S_IFMT = 0o170000, S_IFREG = 0o100000;
const WRITABLE_BY_OTHERS = 0o022, WRITABLE_BY_ALL = 0o002, STICKY = 0o1000;
/** A configuration file has a few lines. */
const BYTES_MAX = 1 << 20;

/** A file that was looked for: its text, why it is not taken, or neither if there is none. */
export interface TrustedText {
  readonly text?: string;
  readonly refused?: string;
}

/**
 * Reads a file of root or of this user, in a directory of theirs; no other user may write to them.
 *
 * In a user namespace without root of the node, files of root show the overflow user: user_namespaces(7).
 * In a directory right below "/", which has the same owner as "/", only root puts files.
 */
export function readTrusted(path: string): TrustedText {
  const directory = folderOf(path);
  return readIf(path, (facts) => {
    const root = directory.lastIndexOf("/") === 0 ? unmappedRoot() : undefined;
    return distrust("it", facts, root) ??
      distrust("its directory", statPath(directory), root);
  });
}

/**
 * Reads a file that nobody named, of where this process works: not one of another user, who need not be
 * trusted there. As no root we take one of whom the directory belongs to: links are followed there too.
 */
export function readFound(path: string): TrustedText {
  return readIf(path, ({ uid, mode }) => {
    const own = libc().geteuid(), isOurs = [0, own, unmappedRoot()].includes(uid);
    const isHosts = own !== 0 && uid === statPath(folderOf(path))?.uid;
    if (!isOurs && !isHosts) return `it belongs to user ${uid}`;
    return (mode & WRITABLE_BY_ALL) === 0 ? undefined : "everybody may write to it: chmod o-w";
  });
}

function folderOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? "." : path.slice(0, slash) || "/";
}

/** @param refuse Why it is not taken. */
function readIf(path: string, refuse: (facts: FileFacts) => string | undefined): TrustedText {
  const fd = openFile(path, O.RDONLY | O.NONBLOCK);
  if (fd === -ERRNO.ENOENT || fd === -ERRNO.ENOTDIR) return {};
  // A file that this user may not read is not for them, for example below another user's HOME.
  if (fd === -ERRNO.EACCES && statPath(path) === undefined) return {};
  if (fd < 0) return { refused: errorText(-fd) };
  try {
    const facts = statOpen(fd)!;
    if ((facts.mode & S_IFMT) !== S_IFREG) return { refused: "it is not a file" };
    if (facts.size > BYTES_MAX) return { refused: `it is longer than ${BYTES_MAX} bytes` };
    const why = refuse(facts);
    if (why !== undefined) return { refused: why };
    const bytes = readWhole(`/proc/self/fd/${fd}`, BYTES_MAX);
    return bytes === undefined
      ? { refused: "it cannot be read" }
      : { text: new TextDecoder().decode(bytes) };
  } finally {
    closeFile(fd);
  }
}

/** @param root Who else stands for root. */
function distrust(
  what: string,
  facts: FileFacts | undefined,
  root: number | undefined,
): string | undefined {
  if (facts === undefined) return `${what} is gone`;
  if (![0, libc().geteuid(), root].includes(facts.uid)) {
    return `${what} belongs to user ${facts.uid}`;
  }
  if ((facts.mode & WRITABLE_BY_OTHERS) === 0) return undefined;
  return `others may write to ${what}: chmod go-w`;
}

/** A real directory, ours, closed to everybody else. */
export function isPrivate(path: string): boolean {
  const facts = statPath(path, false);
  return facts !== undefined && (facts.mode & 0o170000) === 0o040000 &&
    facts.uid === libc().geteuid() && (facts.mode & 0o077) === 0;
}

/**
 * May another user exchange what a path leads to? Each directory on the way is root's or this user's, and
 * where others may write they may rename nothing of ours (sticky).
 *
 * @returns The path without links; or who may, for a message.
 */
export function safeDirectory(path: string): { readonly path: string } | { readonly why: string } {
  const fd = openFile(path, O.PATH | O.DIRECTORY);
  if (fd < 0) return { why: errorText(-fd) };
  const real = readLinkTarget(`/proc/self/fd/${fd}`);
  closeFile(fd);
  if (real === undefined || !real.startsWith("/")) return { why: "a directory without a path" };
  const root = unmappedRoot(), own = libc().geteuid();
  for (let at = real.length; at >= 0; at = at === 0 ? -1 : real.lastIndexOf("/", at - 1)) {
    const directory = real.slice(0, at) || "/";
    const facts = statPath(directory, false);
    if (facts === undefined) return { why: `${directory}: nothing there` };
    if (![0, own, root].includes(facts.uid)) {
      return { why: `${directory} belongs to user ${facts.uid}` };
    }
    const isOpen = (facts.mode & WRITABLE_BY_ALL) !== 0 && (facts.mode & STICKY) === 0;
    if (isOpen) return { why: `${directory} can be changed by everybody` };
  }
  return { path: real };
}

/** The owner of "/" if it is no user of this user namespace; `undefined`: it is one. */
function unmappedRoot(): number | undefined {
  const owner = statPath("/")?.uid, map = readWhole("/proc/self/uid_map");
  if (owner === undefined || map === undefined) return undefined;
  const ranges = new TextDecoder().decode(map).trim().split("\n").map((line) =>
    line.trim().split(/\s+/).map(Number)
  );
  const isMapped = ranges.some(([first, , count]) => owner >= first && owner < first + count);
  return isMapped ? undefined : owner;
}
