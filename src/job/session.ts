/**
 * The session of a node's monitor: the private directory where the processes that it measures leave
 * their rings. The guardian elects the monitor and makes the directory (src/guardian/election.h says
 * what lies where); its runtime tidies up.
 *
 * The kernel drops the lock with its holders, so a killed monitor leaves nothing but files, and the
 * next elected one, or the next monitor of any job that ends, removes those.
 * @module
 */
import { AccessError } from "../core/errors.ts";
import { ORDER, SESSION, SESSION_FILE } from "../core/events/ring_layout.ts";
import { closeFile, listDirectory, O, openFile, removeTree, statPath } from "../os/files.ts";
import { cString, ERRNO, errno, errorText, libc } from "../os/libc.ts";
import { recoverSession } from "./recover.ts";
import { sweep } from "./sweep.ts";

/** So long the application may wait for what others left. */
const SWEEP_NS = 2e8;

/** The session that this process's guardian was elected for. */
export class Session {
  /** Absolute path of the session directory. */
  readonly directory: string;
  /** Where all sessions of this user lie. */
  readonly base: string;
  readonly #job: string;
  readonly #lock: number;
  #isSwept = false;

  /** @param lock The descriptor of the job's lock, held by the guardian too. */
  constructor(directory: string, lock: number) {
    this.directory = directory;
    this.#job = directory.slice(0, directory.lastIndexOf("/"));
    this.base = this.#job.slice(0, this.#job.lastIndexOf("/"));
    this.#lock = lock;
  }

  /**
   * Removes what killed monitors of other jobs left: before paths are closed, since their reports go to
   * any place, and before the application runs, since a report that is kept for sure takes tenths of a
   * second.
   */
  sweep(): void {
    // What is left then is for the end.
    this.#isSwept = sweep(this.base, SWEEP_NS);
  }

  /** Makes the reports that killed monitors of the same job left in journals, and removes the rest. */
  removeOthers(tell: (line: string) => void): void {
    for (const path of this.#others()) {
      const { done, report } = recoverSession(path, true);
      if (report !== undefined) tell(`a monitor was killed; its report: ${report}`);
      if (done) removeSession(path);
    }
  }

  /** Says to the processes whether nested visits are to be told in their order. */
  keepOrder(kept: boolean): void {
    const bytes = new Uint8Array(4);
    bytes[0] = kept ? ORDER.kept : ORDER.folded;
    const fd = openFile(`${this.directory}/${SESSION_FILE}`, O.WRONLY | O.NOFOLLOW);
    if (fd < 0) return;
    libc().pwriteAt(fd, bytes, 4n, BigInt(SESSION.order));
    closeFile(fd);
  }

  #others(): string[] {
    return listDirectory(this.#job).filter((name) => name.startsWith("s-"))
      .map((name) => `${this.#job}/${name}`).filter((path) => path !== this.directory);
  }

  /** Takes the session off the board, so that nobody joins any more. */
  close(): void {
    libc().unlink(cString(`${this.#job}/current`));
  }

  /**
   * Gives the name of the lock free and removes the files.
   *
   * @param reported The report was left: else what the journal has of it is.
   */
  release(reported: boolean): void {
    this.close();
    if (reported || recoverSession(this.directory, false).done) removeSession(this.directory);
    // What is left for recover is found by its lock.
    if (this.#others().length === 0 && statPath(this.directory) === undefined) {
      libc().unlink(cString(`${this.#job}/lock`));
      libc().rmdir(cString(this.#job));
    }
    closeFile(this.#lock);
    if (!this.#isSwept) sweep(this.base);
  }
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
      expected: "a directory of this user that no other user can enter",
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
