/**
 * Removes what killed monitors left in the memory file system: session directories, locks, claims;
 * after their reports were made of their journals.
 *
 * A lock that can be taken has no owner. A process that waits for a file that is removed here notices
 * that it has no name any more, and starts again: `elect`, `claimPath`.
 * @module
 */
import { monotonicNanoseconds } from "../../os/clock.ts";
import {
  closeFile,
  linkCount,
  listDirectory,
  O,
  openFile,
  removeTree,
  statPath,
} from "../../os/files.ts";
import { cString, libc } from "../../os/libc.ts";
import { isAlive } from "../../os/process.ts";
import { recoverSession } from "./recover.ts";

const LOCK_EX_NB = 6;
/** A run that ends does not clean up for hundreds of others. */
const MAX_REMOVED = 64;

/**
 * @param base The directory of all jobs of this user.
 * @param patienceNs When it has taken so long, the rest stays.
 * @returns Whether all was looked at.
 */
export function sweep(base: string, patienceNs = Infinity): boolean {
  let removed = 0;
  const by = monotonicNanoseconds() + patienceNs;
  for (const name of listDirectory(base)) {
    if (removed >= MAX_REMOVED || monotonicNanoseconds() > by) return false;
    const path = `${base}/${name}`;
    const isClaim = name.startsWith("claim-");
    if (removeUnlocked(path, isClaim ? path : `${path}/lock`)) removed++;
  }
  return true;
}

/** Removes what was laid for starts of queries that were killed in them (guardian/code_cache.h), beside the base. */
export function sweepQueries(parent: string): void {
  for (const name of listDirectory(parent)) {
    const query = /^joulemark-q-(\d+)$/.exec(name);
    if (query === null || isAlive(Number(query[1]))) continue;
    const path = `${parent}/${name}`, facts = statPath(path, false);
    // Anybody may write there, and what is another user's is his; nor is a link a directory of ours.
    const isOurs = facts?.uid === libc().geteuid() && (facts.mode & 0o170000) === 0o040000;
    if (isOurs) removeTree(path);
  }
}

/** @returns False if a process holds the lock, or there is none. */
function removeUnlocked(path: string, lockPath: string): boolean {
  const lock = openFile(lockPath, O.RDWR | O.NOFOLLOW);
  if (lock < 0) return false;
  const free = libc().flock(lock, LOCK_EX_NB) === 0 && linkCount(lock) > 0;
  if (free && (path === lockPath || recovered(path))) {
    // Its name goes first: from then on no process takes it as a lock.
    libc().unlink(cString(lockPath));
    if (path !== lockPath) removeTree(path);
  }
  closeFile(lock);
  return free;
}

/** Makes the reports of a job's sessions. @returns Whether nothing of them is needed any more. */
function recovered(job: string): boolean {
  const sessions = listDirectory(job).filter((name) => name.startsWith("s-"));
  return sessions.map((name) => recoverSession(`${job}/${name}`, true).done).every((done) => done);
}
