/**
 * Claims a report's name among monitors that run at the same time on this node: a second one never
 * writes the first one's report, it adds `-2`.
 * @module
 */
import { closeFile, linkCount, O, openFile, statPath } from "../../os/files.ts";
import { absolutePath } from "../../os/home.ts";
import { cString, libc } from "../../os/libc.ts";
import { isWrittenInto } from "../../os/output_place.ts";
import { privateBase, privateBases } from "./private_base.ts";
import { checksum } from "../../core/names.ts";

const LOCK_EX_NB = 6, LOCK_SH_NB = 5;
const MAX_SUFFIX = 1000;

/** A name that is ours until it is released, or this process ends. */
export interface Claim {
  readonly path: string;
  /** Others write the first choice at this moment, or have left it. */
  readonly moved: boolean;
  release(): void;
}

/**
 * The path, or the first of `PATH-2`, `PATH-3`, … that no process writes at this moment.
 *
 * @param keepsFiles A path that exists, or has a checkpoint, is left as it is: the job was started again.
 * @param isTaken Does anyone write a path who holds no lock on this node?
 */
export function claimPath(
  path: string,
  keepsFiles = false,
  isTaken: (path: string) => boolean = () => false,
): Claim {
  if (isWrittenInto(path)) return { path, moved: false, release() {} };
  // If the directory has no text, runs in any such one are told apart by the name alone.
  const absolute = absolutePath(path) ?? path;
  for (let n = 1; n <= MAX_SUFFIX; n++) {
    const suffix = n === 1 ? "" : `-${n}`;
    const own = suffixedPath(path, suffix);
    if (keepsFiles && ["", ".partial"].some((end) => isThere(own + end))) continue;
    const file = claimFile(privateBase(), suffixedPath(absolute, suffix));
    const lock = locked(file);
    if (lock === "taken") continue;
    const release = () => {
      // Removed while it is locked: who waits for it notices that it has no name any more.
      if (lock >= 0) libc().unlink(cString(file));
      closeFile(lock);
    };
    if (!isTaken(own)) return { path: own, moved: n > 1, release };
    release();
  }
  return { path, moved: false, release() {} };
}

/** A path with a suffix: before the ending of a page, which a browser recognizes it by. */
export function suffixedPath(path: string, suffix: string): string {
  return path.replace(/(\.html?)?$/i, (end) => suffix + end);
}

/** Line for people: another path than the one that they named is written. */
export function movedText(wanted: string, { path }: Claim, keepsFiles: boolean): string {
  const why = keepsFiles
    ? `this job was started again, and ${wanted} stays as it is`
    : `another run writes ${wanted}`;
  return `${why}; this run writes ${path}`;
}

function isThere(path: string): boolean {
  return statPath(path) !== undefined;
}

/** Directory of a report's parts. */
export function directoryOf(report: string): string {
  return `${report}.parts`;
}

/** Does a process of this user write the path at this moment? */
export function isClaimed(path: string): boolean {
  return privateBases().some((base) => {
    const fd = openFile(claimFile(base, absolutePath(path) ?? path), O.RDONLY | O.NOFOLLOW);
    if (fd < 0) return false;
    const isTaken = libc().flock(fd, LOCK_SH_NB) !== 0;
    closeFile(fd);
    return isTaken;
  });
}

function claimFile(base: string, absolute: string): string {
  return `${base}/claim-${checksum(absolute)}`;
}

/** A locked file, −1 if nothing can be locked and so nothing is contested, or `"taken"`. */
function locked(file: string): number | "taken" {
  for (;;) {
    const fd = openFile(file, O.RDWR | O.CREAT | O.NOFOLLOW, 0o600);
    if (fd < 0) return -1;
    if (libc().flock(fd, LOCK_EX_NB) !== 0) {
      closeFile(fd);
      return "taken";
    }
    if (linkCount(fd) > 0) return fd;
    closeFile(fd);
  }
}
