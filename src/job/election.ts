/**
 * One monitor per node and job, by a lock: no rank, no MPI, no message.
 *
 * ```
 * BASE/joulemark-UID/            mode 0700, ours
 *   JOB/lock                     flock(2), held as long as the monitor lives
 *   JOB/current                  name of the session directory, written before anything else
 *   JOB/s-PID-TIME/              mode 0700: session file, a ring file per process, launch notes
 * ```
 *
 * The kernel drops the lock with its holder, so a killed monitor leaves nothing to clean up but
 * files, and the next winner, or the next monitor of any job that ends, removes those. Nothing but libc is loaded before the winner is known:
 * hundreds of processes may come here at once.
 * @module
 */
import { AccessError } from "../core/errors.ts";
import {
  LAUNCH_PREFIX,
  RING_VERSION,
  SESSION,
  SESSION_FILE,
  SESSION_MAGIC,
} from "../core/ring_layout.ts";
import { monotonicNanoseconds, rawNanoseconds, sleepUntil } from "../os/clock.ts";
import {
  closeFile,
  linkCount,
  listDirectory,
  O,
  openFile,
  readText,
  removeTree,
  statPath,
  writeNew,
} from "../os/files.ts";
import { cString, ERRNO, errno, errorText, libc } from "../os/libc.ts";
import { asFileName } from "../core/names.ts";
import type { JobIdentity } from "./job_key.ts";
import { sweep } from "./sweep.ts";

const LOCK_EX_NB = 6;
const LOCK_SH_NB = 5;
/** How long a loser waits for the winner's session; the winner needs microseconds. */
const PATIENCE_NS = 5e9;

/** This process is the node's monitor. */
export interface Elected {
  readonly role: "monitor";
  /** Absolute path of the session directory. */
  readonly directory: string;
  /** Takes the session off the board, so that nobody joins any more. */
  close(): void;
  /** Drops the lock and removes the files. */
  release(): void;
}

/** Another one is; the process goes to the application with this session. */
export interface Joined {
  readonly role: "member";
  readonly directory: string;
}

/** See the module. @throws {AccessError} If there is no private place for the files. */
export function elect(job: JobIdentity | undefined, cycles: boolean): Elected | Joined {
  const base = privateBase();
  const own = `own-${libc().getpid()}-${rawNanoseconds()}`;
  const jobDirectory = `${base}/${asFileName(job?.key ?? own)}`;
  const deadline = monotonicNanoseconds() + PATIENCE_NS;
  for (;;) {
    makePrivate(jobDirectory);
    const lock = openFile(`${jobDirectory}/lock`, O.RDWR | O.CREAT | O.NOFOLLOW, 0o600);
    // A monitor that ended took the directory with it just now.
    if (lock === -ERRNO.ENOENT) continue;
    if (lock < 0) throw refused(`${jobDirectory}/lock`, -lock);
    if (libc().flock(lock, LOCK_EX_NB) === 0) {
      if (linkCount(lock) > 0) return becomeMonitor(base, jobDirectory, lock, cycles);
      closeFile(lock);
      continue;
    }
    closeFile(lock);
    const directory = currentSession(jobDirectory);
    if (directory !== undefined) {
      noteLaunch(directory);
      return { role: "member", directory };
    }
    const now = monotonicNanoseconds();
    if (now > deadline) {
      throw new AccessError({
        action: "join the monitor of this node",
        target: jobDirectory,
        expected: "a session within 5 s",
        found: "none",
      });
    }
    sleepUntil(now + 1e6);
  }
}

/** Joins the session that an outer `run` put into the environment; `undefined` when it is gone. */
export function joinOuter(directory: string): Joined | undefined {
  const parent = directory.slice(0, directory.lastIndexOf("/"));
  if (!directory.startsWith("/") || !isPrivate(directory)) return undefined;
  const lock = openFile(`${parent}/lock`, O.RDONLY | O.NOFOLLOW);
  if (lock < 0) return undefined;
  // The monitor lives as long as nobody else can have its lock.
  const free = libc().flock(lock, LOCK_SH_NB) === 0;
  closeFile(lock);
  if (free) return undefined;
  noteLaunch(directory);
  return { role: "member", directory };
}

function becomeMonitor(
  base: string,
  jobDirectory: string,
  lock: number,
  cycles: boolean,
): Elected {
  for (const name of listDirectory(jobDirectory)) {
    if (name.startsWith("s-")) removeSession(`${jobDirectory}/${name}`);
  }
  const name = `s-${libc().getpid()}-${rawNanoseconds()}`;
  const directory = `${jobDirectory}/${name}`;
  makePrivate(directory);
  const session = new Uint8Array(SESSION.bytes);
  session.set(new TextEncoder().encode(SESSION_MAGIC));
  session[7] = RING_VERSION;
  session[SESSION.cycles] = cycles ? 1 : 0;
  writeNew(`${directory}/${SESSION_FILE}`, session);
  const fresh = `${jobDirectory}/current.new`;
  libc().unlink(cString(fresh));
  writeNew(fresh, new TextEncoder().encode(name + "\n"));
  libc().rename(cString(fresh), cString(`${jobDirectory}/current`));
  return {
    role: "monitor",
    directory,
    close() {
      libc().unlink(cString(`${jobDirectory}/current`));
    },
    release() {
      libc().unlink(cString(`${jobDirectory}/current`));
      removeSession(directory);
      libc().unlink(cString(`${jobDirectory}/lock`));
      libc().rmdir(cString(jobDirectory));
      closeFile(lock);
      sweep(base);
    },
  };
}

/** The session of the monitor that holds the lock, once it has made one. */
function currentSession(jobDirectory: string): string | undefined {
  const name = readText(`${jobDirectory}/current`)?.trim();
  if (name === undefined || !/^s-\d+-\d+$/.test(name)) return undefined;
  const directory = `${jobDirectory}/${name}`;
  return isPrivate(directory) ? directory : undefined;
}

/** Tells the monitor of this pid, which stays the same through execve(2). */
function noteLaunch(directory: string): void {
  const path = `${directory}/${LAUNCH_PREFIX}${libc().getpid()}`;
  libc().unlink(cString(path));
  writeNew(path, new Uint8Array());
}

/** Our private directory where the kernel keeps files in memory; the rest for machines without /dev/shm. */
export function privateBase(): string {
  const uid = libc().getuid();
  let failure: unknown;
  for (const parent of ["/dev/shm", `/run/user/${uid}`, "/tmp"]) {
    const path = `${parent}/joulemark-${uid}`;
    try {
      makePrivate(path);
      return path;
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

function makePrivate(path: string): void {
  if (libc().mkdir(cString(path), 0o700) !== 0) {
    const number = errno();
    if (number !== ERRNO.EEXIST) throw refused(path, number);
  }
  if (!isPrivate(path)) {
    throw new AccessError({
      action: "use",
      target: path,
      expected: "a directory of this user that nobody else can enter",
      found: "something else in its place",
      remedy: "remove it, or ask its owner to",
    });
  }
}

/** A real directory, ours, closed to everybody else. */
function isPrivate(path: string): boolean {
  const facts = statPath(path, false);
  return facts !== undefined && (facts.mode & 0o170000) === 0o040000 &&
    facts.uid === libc().geteuid() && (facts.mode & 0o077) === 0;
}

function removeSession(directory: string): void {
  if (isPrivate(directory)) removeTree(directory);
}

function refused(path: string, number: number): AccessError {
  return new AccessError({
    action: "make",
    target: path,
    expected: "a private directory for the run",
    found: errorText(number),
  });
}
