/**
 * The directory of a host's raw stats files, which the daemon opens by their names again and again: as root
 * it takes one that no other user can put names into.
 * @module
 */
import { AccessError } from "../../core/errors.ts";
import { closeFile, O, openFile, readLinkTarget, statOpen } from "../../os/files.ts";
import { ERRNO, errno, errorText, libc } from "../../os/libc.ts";
import { makeDirectories, openForOutput } from "../../os/output_place.ts";
import { safeDirectory } from "../../os/trusted_file.ts";

const MODE = 0o755, WRITABLE_BY_OTHERS = 0o022, LOCK_EX_NB = 6;

/**
 * Makes `DIR/HOST` if it is not there.
 *
 * @returns Its path without links.
 * @throws {AccessError} If it cannot be made, another user made a link on the way, or root would write
 * where another user can.
 */
export function storeDirectory(dir: string, host: string): string {
  const path = `${dir.replace(/\/+$/, "")}/${host}`;
  // A link of another user on the way is refused before anything is made behind it.
  const way = openForOutput(path);
  closeFile(way);
  if (way < 0 && way !== -ERRNO.ENOENT) throw refused(path, reasonOf(way));
  try {
    makeDirectories(path, MODE);
  } catch (error) {
    throw refused(path, (error as Error).message);
  }
  const fd = openForOutput(`${path}/current`);
  if (fd < 0) throw refused(path, reasonOf(fd));
  const real = readLinkTarget(`/proc/self/fd/${fd}`), facts = statOpen(fd);
  closeFile(fd);
  if (real === undefined || facts === undefined) throw refused(path, "a directory without a path");
  if (libc().geteuid() !== 0) return real;
  const safe = safeDirectory(real);
  if ("why" in safe) throw refused(path, safe.why);
  if (facts.uid !== 0) throw refused(path, `it belongs to user ${facts.uid}`);
  if ((facts.mode & WRITABLE_BY_OTHERS) !== 0) {
    throw refused(path, `others may write to it, mode ${(facts.mode & 0o7777).toString(8)}`);
  }
  return real;
}

/**
 * Locks a host's directory against a second monitor, until it is closed.
 *
 * @throws {AccessError} If another monitor writes there.
 */
export function lockDirectory(path: string): Disposable {
  const fd = openFile(path, O.RDONLY | O.DIRECTORY);
  const isTaken = fd >= 0 && libc().flock(fd, LOCK_EX_NB) !== 0 && errno() === ERRNO.EAGAIN;
  // Some file systems have no locks.
  if (!isTaken) return { [Symbol.dispose]: () => closeFile(fd) };
  closeFile(fd);
  throw new AccessError({
    action: "write to",
    target: path,
    found: "another monitor writes there",
    remedy: "stop it, or choose another directory with --dir",
  });
}

function reasonOf(result: number): string {
  return result === -ERRNO.ELOOP ? "a link that another user made" : errorText(-result);
}

function refused(target: string, found: string): AccessError {
  return new AccessError({
    action: "write to",
    target,
    expected: libc().geteuid() === 0
      ? "a directory of root's that no other user can write to"
      : "a directory that this user can write to",
    found,
    remedy: "choose another with --dir",
  });
}
