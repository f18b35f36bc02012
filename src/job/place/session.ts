/**
 * The session of a node's monitor: the private directory where the processes that it measures leave
 * their rings. The guardian elects the monitor and makes the directory (src/job/guardian/election.h defines
 * the layout); its runtime removes it.
 *
 * The kernel drops the lock with its holders, so a killed monitor leaves nothing but files, and the
 * next elected one, or the next monitor of any job before its command starts, removes those.
 * @module
 */
import { ORDER, SESSION, SESSION_FILE } from "../../core/events/ring_layout.ts";
import { closeFile, listDirectory, O, openFile, removeTree, statPath } from "../../os/files.ts";
import { cString, libc } from "../../os/libc.ts";
import { isPrivate } from "../../os/trusted_file.ts";
import { recoverSession } from "./recover.ts";
import { sweep, sweepQueries } from "./sweep.ts";

/** Maximum time that the application waits while leftovers of other runs are removed, ns. */
const SWEEP_NS = 2e8;

/** The session that this process's guardian was elected for. */
export class Session {
  /** The directory of all sessions of this user. */
  readonly base: string;
  readonly #job: string;
  readonly #lock: number;
  #isSwept = false;

  /**
   * @param directory Absolute path of the session directory.
   * @param lock The descriptor of the job's lock, held by the guardian too.
   */
  constructor(readonly directory: string, lock: number) {
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
    sweepQueries(this.base.slice(0, this.base.lastIndexOf("/")));
  }

  /** Makes the reports that killed monitors of the same job left in journals, and removes the rest. */
  removeOthers(log: (line: string) => void): void {
    for (const path of this.#others()) {
      const { done, report } = recoverSession(path, true);
      if (report !== undefined) log(`a monitor was killed; its report is ${report}`);
      if (done) removeSession(path);
    }
  }

  /**
   * Removes the guardian's files for the start (guardian/code_cache.h), which have been read: their
   * memory is given back before the command may need it for its annotations.
   */
  removeCodeCache(): void {
    removeTree(`${this.directory}/deno`);
  }

  /** Publishes to the processes whether nested visits are to be recorded in their order. */
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

  /** Takes the session off the board, so that no process joins any more. */
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

function removeSession(directory: string): void {
  if (isPrivate(directory)) removeTree(directory);
}
