/**
 * Place of an output: a directory that is held open, and a name in it.
 *
 * As root we write where other users may write too. A link that one of them made must not lead us
 * to a file of ours, so no link is followed by its name: each part of a path is opened by itself,
 * and a link is read only if its directory belongs to us or root alone, or if the link does.
 * All later steps, the new file and the rename, happen in the open directory, which cannot be
 * exchanged.
 *
 * Whole files appear by rename; a device, a pipe or a descriptor of ours is written into. Renaming
 * over `/dev/null` would take it from everybody.
 * @module
 */
import { closeFile, type FileFacts, O, openFile, statOpen, statPath } from "./files.ts";
import { cString, ERRNO, errno, isPassing, libc, SYSCALLS } from "./libc.ts";
import { isDescriptor, isMissing, kindOf, OsError, UserFile } from "./user_file.ts";

const S_IFMT = 0o170000, S_IFDIR = 0o040000, S_IFREG = 0o100000, S_IFLNK = 0o120000;
const AT_FDCWD = -100, AT_SYMLINK_FOLLOW = 0x400, AT_REMOVEDIR = 0x200;
const COPIED_BYTES = 65536;
const WRITABLE_BY_OTHERS = 0o022;
const RESOLVE_NO_SYMLINKS = 4n;
/** Maximum number of links, as in the kernel: path_resolution(7). */
const LINKS_MAX = 40;
/** New names that are tried; each has 48 random bits. */
const MAX_NEW_NAMES = 8;
const TMPFILE = 0o20000000 | O.DIRECTORY;
/** Name of standard output on the command line. */
const STDOUT = "-";
const DIRECTORY = O.PATH | O.DIRECTORY | O.NOFOLLOW;

/** Something that another user put where we were to write. */
export class PlantedError extends OsError {
  constructor(what: string, owner: number, directory: FileFacts) {
    super(ERRNO.ELOOP);
    this.name = "PlantedError";
    const mode = (directory.mode & 0o7777).toString(8);
    this.message = `${what} of user ${owner}, in a directory that others may write to ` +
      `(owner ${directory.uid}, mode ${mode})`;
  }
}

/** Is output to this name written into an existing file? Only a first look: opening it checks more. */
export function isWrittenInto(path: string): boolean {
  if (path === STDOUT) return true;
  if (isDescriptor(path)) return true;
  const facts = statPath(path);
  return facts !== undefined && !isFileOrDirectory(facts);
}

/** A directory that is held open, and what is to be written there. */
export class OutputPlace implements Disposable {
  /** True if the existing file is written into; else a new file takes the name. */
  readonly direct: boolean;
  readonly #directory: number;
  readonly #name: string;
  readonly #found: FileFacts | undefined;
  #beside = "";
  #nameless = -1;

  /** @throws {OsError} If there is no such directory, or another user put a link there. */
  constructor(path: string) {
    const { directory, name, found } = find(path);
    if (name === "." || name === "..") {
      closeFile(directory);
      throw new OsError(ERRNO.EISDIR);
    }
    this.#directory = directory;
    this.#name = name;
    this.#found = found;
    // A directory cannot be an output; the failing rename is the clear message.
    this.direct = directory < 0 || (found !== undefined && !isFileOrDirectory(found));
  }

  /** Writes into the device, the pipe, the descriptor. @throws {OsError} */
  into(): UserFile {
    if (this.#directory < 0) return UserFile.into((flags) => openFile(this.#name, flags));
    const directory = statOpen(this.#directory)!;
    const found = this.#found!;
    if (isShared(directory) && !isTrusted(found.uid)) {
      throw new PlantedError(kindOf(found.mode), found.uid, directory);
    }
    return UserFile.into((flags) => openAt(this.#directory, this.#name, flags | O.NOFOLLOW));
  }

  /**
   * A new file in the directory, to write and to read: without a name if the file system has such, so
   * that nothing of it stays if this process is killed; else with a random one. @throws {OsError}
   */
  beside(): UserFile {
    const fd = this.nameless(0o666);
    if (fd < 0) return this.besideByName();
    this.#nameless = fd;
    return UserFile.of(fd);
  }

  /** A new file in the directory with a random name, which {@linkcode rename} changes. @throws {OsError} */
  besideByName(): UserFile {
    for (let tries = 1;; tries++) {
      this.#beside = this.#randomName();
      const flags = O.RDWR | O.CREAT | O.EXCL | O.NOFOLLOW;
      const fd = openAt(this.#directory, this.#beside, flags, 0o666);
      if (fd >= 0) return UserFile.of(fd);
      this.#beside = "";
      if (fd !== -ERRNO.EEXIST || tries === MAX_NEW_NAMES) throw new OsError(-fd);
    }
  }

  /** Closes the new file and gives it its name, over an existing file. @throws {OsError} */
  finish(file: UserFile): void {
    const isNamed = this.#nameless >= 0 && this.#link(file);
    // If it cannot be closed its end may be missing: then it goes again.
    if (isNamed) this.#beside = this.#name;
    file.close();
    if (isNamed) this.#beside = "";
    else this.rename();
  }

  /** Gives the new file its name, over an existing file; it may stay open. @throws {OsError} */
  rename(): void {
    const [from, to] = [cString(this.#beside), cString(this.#name)];
    const done = libc().renameat(this.#directory, from, this.#directory, to);
    if (done !== 0) throw new OsError(errno() || ERRNO.EIO);
    this.#beside = "";
  }

  /**
   * Links the file that has no name: by its own name, or by a random one if that is taken.
   *
   * @returns True if it has its own name.
   */
  #link(file: UserFile): boolean {
    const from = cString(`/proc/self/fd/${this.#nameless}`);
    const link = (name: string) => {
      const { linkat } = libc();
      const done = linkat(AT_FDCWD, from, this.#directory, cString(name), AT_SYMLINK_FOLLOW);
      return done === 0 ? 0 : errno() || ERRNO.EIO;
    };
    let failed = link(this.#name);
    if (failed === 0) return true;
    for (let tries = 1; failed === ERRNO.EEXIST && tries <= MAX_NEW_NAMES; tries++) {
      const name = this.#randomName();
      failed = link(name);
      if (failed === 0) this.#beside = name;
    }
    // FUSE may have files without a name and no links; a container may have no /proc.
    if (failed !== 0) this.#copy(file);
    return false;
  }

  #copy(file: UserFile): void {
    using copy = this.besideByName();
    const block = new Uint8Array(COPIED_BYTES), size = statOpen(this.#nameless)!.size;
    for (let at = 0; at < size; at += block.length) {
      const part = block.subarray(0, Math.min(block.length, size - at));
      file.readAt(part, at);
      copy.writeAll(part);
    }
    copy.sync();
  }

  #randomName(): string {
    return `${this.#name}.${crypto.getRandomValues(new Uint8Array(6)).toHex()}.new`;
  }

  /** Removes the name of the new file, if it still has that one. */
  forget(): void {
    if (this.#beside !== "") libc().unlinkat(this.#directory, cString(this.#beside), 0);
    this.#beside = "";
  }

  /** Nothing has the name yet. */
  get isNew(): boolean {
    return this.#directory >= 0 && this.#found === undefined;
  }

  /** The file itself, made if there is none: it grows where it is, and keeps its content so far. @throws {OsError} */
  grow(): UserFile {
    const flags = O.WRONLY | O.CREAT | O.NOFOLLOW | O.NONBLOCK;
    // One that we make is ours, though a file server may give it another owner.
    const made = openAt(this.#directory, this.#name, flags | O.EXCL, 0o666);
    if (made >= 0) return UserFile.of(made);
    const fd = made === -ERRNO.EEXIST ? openAt(this.#directory, this.#name, flags, 0o666) : made;
    if (fd < 0) throw new OsError(-fd);
    const file = UserFile.of(fd);
    try {
      const facts = statOpen(fd)!;
      const directory = statOpen(this.#directory)!;
      const isOurs = facts.uid === libc().geteuid() && facts.links === 1;
      if ((facts.mode & S_IFMT) !== S_IFREG || (isShared(directory) && !isOurs)) {
        throw new PlantedError(kindOf(facts.mode), facts.uid, directory);
      }
      return file;
    } catch (error) {
      file[Symbol.dispose]();
      throw error;
    }
  }

  /**
   * A file without a name in the directory; negative if the file system has none.
   *
   * @param mode Without the bits of the umask. @default of this user alone
   */
  nameless(mode = 0o600): number {
    return this.direct ? -1 : openAt(this.#directory, ".", O.RDWR | TMPFILE, mode);
  }

  [Symbol.dispose](): void {
    this.forget();
    closeFile(this.#directory);
  }
}

/**
 * Opens where an output of this name will be made: its directory, or the device, the pipe or the file
 * where it is written into one.
 *
 * @returns A descriptor (O_PATH), or −errno.
 */
export function openForOutput(path: string): number {
  try {
    const { directory, name, found } = find(path);
    if (directory < 0) return openFile(name, O.PATH);
    if (found === undefined || isFileOrDirectory(found)) return directory;
    const fd = openAt(directory, name, O.PATH | O.NOFOLLOW);
    closeFile(directory);
    return fd;
  } catch (error) {
    // The write that follows gives the reason.
    return -(error instanceof OsError ? error.errno : ERRNO.EIO);
  }
}

/** The place where an output of this name is made, links followed: equal for two names of one place. */
export function placeOf(path: string): string {
  try {
    const { directory, name } = find(path.replace(/(?<=.)\/+$/, ""));
    const facts = directory < 0 ? statPath(name) : statOpen(directory);
    closeFile(directory);
    return `${facts?.device}:${facts?.inode}/${directory < 0 ? "" : name}`;
  } catch (error) {
    if (!(error instanceof OsError)) throw error;
    // The write that follows gives the reason.
    return path;
  }
}

/** Gives a file another name, over an existing file; no link on the way is followed. @throws {OsError} */
export function renameOutput(from: string, to: string): void {
  const [a, b] = [find(from), find(to)];
  const done = libc().renameat(a.directory, cString(a.name), b.directory, cString(b.name));
  const number = done === 0 ? 0 : errno() || ERRNO.EIO;
  closeFile(a.directory);
  closeFile(b.directory);
  if (number !== 0) throw new OsError(number);
}

/**
 * Makes a directory and those above it; an existing one is no error. No link is followed but as for a file.
 *
 * @param mode Of the directory itself, without the bits of the umask.
 * @throws {OsError}
 */
export function makeDirectories(path: string, mode = 0o777): void {
  const bare = path.replace(/(?<=.)\/+$/, "");
  if (bare === "/") return;
  let place: Found;
  try {
    place = find(bare);
  } catch (error) {
    const slash = bare.lastIndexOf("/");
    if (!isMissing(error) || slash <= 0) throw error;
    makeDirectories(bare.slice(0, slash));
    place = find(bare);
  }
  const { directory, name, found } = place;
  const done = found === undefined ? libc().mkdirat(directory, cString(name), mode) : -1;
  const number = done === 0 ? 0 : found === undefined ? errno() : ERRNO.EEXIST;
  closeFile(directory);
  const isThere = found === undefined ? number === ERRNO.EEXIST : isDirectoryMode(found.mode);
  if (done !== 0 && !isThere) throw new OsError(number || ERRNO.EIO);
}

/** Makes a link; none on the way is followed. @throws {OsError} */
export function makeLink(target: string, path: string): void {
  const number = errnoOf(path, (directory, name) => {
    return libc().symlinkat(cString(target), directory, name);
  });
  if (number !== 0) throw new OsError(number);
}

/** Removes a file, or a link itself; none on the way is followed. @returns false: nothing was removed. */
export function removeUserFile(path: string): boolean {
  return isDone(path, (directory, name) => libc().unlinkat(directory, name, 0));
}

/** Makes a directory that was not there; no link on the way is followed. @returns false: it was, or cannot be made. */
export function makeNewDirectory(path: string): boolean {
  return isDone(path, (directory, name) => libc().mkdirat(directory, name, 0o777));
}

/** Removes an empty directory; no link on the way is followed. @returns false: nothing was removed. */
export function removeEmptyDirectory(path: string): boolean {
  return isDone(path, (directory, name) => libc().unlinkat(directory, name, AT_REMOVEDIR));
}

type NameCall = (directory: number, name: Uint8Array<ArrayBuffer>) => number;

/** Does something with a name, itself if it is a link; the errno, or 0. @throws {OsError} */
function errnoOf(path: string, call: NameCall): number {
  const { directory, name } = find(path, false);
  const done = call(directory, cString(name));
  const number = done === 0 ? 0 : errno() || ERRNO.EIO;
  closeFile(directory);
  return number;
}

function isDone(path: string, call: NameCall): boolean {
  try {
    return errnoOf(path, call) === 0;
  } catch (error) {
    if (error instanceof OsError) return false;
    throw error;
  }
}

interface Found {
  /** −1: the name is one of the runtime's own descriptors. */
  readonly directory: number;
  readonly name: string;
  /** Facts about the file that has the name; about a link only if the last link is not followed. */
  readonly found?: FileFacts;
}

/** Opens the directory of a path, link by link. */
function find(path: string, follows = true): Found {
  if (path === STDOUT) return find("/dev/stdout");
  if (isDescriptor(path)) return { directory: -1, name: path };
  const slash = path.lastIndexOf("/");
  if (slash === path.length - 1) throw new OsError(path === "" ? ERRNO.ENOENT : ERRNO.EISDIR);
  // One call if no directory on the way is a link.
  let directory = withoutLinks(slash < 0 ? "." : path.slice(0, slash) || "/");
  const parts = directory >= 0 ? [path.slice(slash + 1)] : partsOf(path);
  if (directory < 0) directory = start(path);
  try {
    for (let links = 0;;) {
      const name = parts.shift();
      if (name === undefined) throw new OsError(ERRNO.EISDIR);
      const isLast = parts.length === 0;
      const next = openAt(directory, name, isLast ? O.PATH | O.NOFOLLOW : DIRECTORY);
      if (next >= 0 && !isLast) {
        closeFile(directory);
        directory = next;
        continue;
      }
      if (next === -ERRNO.ENOENT && isLast) return { directory, name };
      const fd = next >= 0 ? next : openAt(directory, name, O.PATH | O.NOFOLLOW);
      if (fd < 0) throw new OsError(-fd);
      const found = statOpen(fd)!;
      const isLink = (found.mode & S_IFMT) === S_IFLNK;
      const target = isLink ? linkTarget(fd) : "";
      closeFile(fd);
      if (isLast && (!isLink || !follows)) return { directory, name, found };
      if (!isLink) throw new OsError(ERRNO.ENOTDIR);
      refusePlanted(found, statOpen(directory)!, isLast);
      if (++links > LINKS_MAX) throw new OsError(ERRNO.ELOOP);
      if (isLast && isDescriptor(target)) {
        closeFile(directory);
        return { directory: -1, name: target };
      }
      if (target.startsWith("/")) {
        closeFile(directory);
        directory = start(target);
      }
      parts.unshift(...partsOf(target));
    }
  } catch (error) {
    closeFile(directory);
    throw error;
  }
}

/**
 * A link that another user made. As no root, we follow directories of links that the owner of their
 * directory made: project directories are laid out so, and a name of ours stays the name.
 */
function refusePlanted(link: FileFacts, directory: FileFacts, isLast: boolean): void {
  if (!isShared(directory) || isTrusted(link.uid)) return;
  if (!isLast && libc().geteuid() !== 0 && link.uid === directory.uid) return;
  throw new PlantedError("a link", link.uid, directory);
}

/** May another user make names in it? */
function isShared(directory: FileFacts): boolean {
  return !isTrusted(directory.uid) || (directory.mode & WRITABLE_BY_OTHERS) !== 0;
}

function isTrusted(uid: number): boolean {
  return uid === 0 || uid === libc().geteuid();
}

function isFileOrDirectory({ mode }: FileFacts): boolean {
  return (mode & S_IFMT) === S_IFREG || isDirectoryMode(mode);
}

function isDirectoryMode(mode: number): boolean {
  return (mode & S_IFMT) === S_IFDIR;
}

function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".");
}

function start(path: string): number {
  const fd = openFile(path.startsWith("/") ? "/" : ".", O.PATH | O.DIRECTORY);
  if (fd < 0) throw new OsError(-fd);
  return fd;
}

function openAt(directory: number, name: string, flags: number, mode = 0): number {
  const fd = libc().openat(directory, cString(name), flags | O.CLOEXEC, mode);
  if (fd >= 0) return fd;
  const first = errno();
  if (!isPassing(first)) return -first;
  const again = libc().openat(directory, cString(name), flags | O.CLOEXEC, mode);
  return again >= 0 ? again : -(errno() || ERRNO.EIO);
}

/** A directory by openat2(2); negative if a link is on the way, or the kernel has no such call. */
function withoutLinks(path: string): number {
  const how = new BigUint64Array([
    BigInt(O.PATH | O.DIRECTORY | O.CLOEXEC),
    0n,
    RESOLVE_NO_SYMLINKS,
  ]);
  const bytes = new Uint8Array(how.buffer);
  return Number(
    libc().openat2(SYSCALLS.openat2, AT_FDCWD, cString(path), bytes, BigInt(bytes.length)),
  );
}

function linkTarget(fd: number): string {
  const bytes = new Uint8Array(4096);
  const n = Number(libc().readlinkat(fd, cString(""), bytes, 4096n));
  if (n < 0) throw new OsError(errno() || ERRNO.EIO);
  return new TextDecoder().decode(bytes.subarray(0, n));
}
