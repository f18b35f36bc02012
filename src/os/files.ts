/**
 * Small file work through libc: open, read whole, list, link targets, identity.
 *
 * For kernel files and for the private directory of a run; everything else (reports, recordings)
 * uses Deno's own file API and its permissions.
 * @module
 */
import { grown } from "../core/grow.ts";
import { AccessError } from "../core/errors.ts";
import { awaitPipe, leaveOut } from "./pipes.ts";
import { cString, ERRNO, errno, errorText, fromBytes, isPassing, libc, SYSCALLS } from "./libc.ts";

/** Flags of open(2): the same on x86-64 and aarch64, except O_DIRECTORY and O_NOFOLLOW. */
const ARM = Deno.build.arch === "aarch64";
export const O = {
  RDONLY: 0,
  WRONLY: 1,
  RDWR: 2,
  CREAT: 0o100,
  EXCL: 0o200,
  TRUNC: 0o1000,
  APPEND: 0o2000,
  NONBLOCK: 0o4000,
  DIRECTORY: ARM ? 0o40000 : 0o200000,
  NOFOLLOW: ARM ? 0o100000 : 0o400000,
  CLOEXEC: 0o2000000,
  PATH: 0o10000000,
} as const;

/** Opens a file; a descriptor, or −errno. Always closed on exec. */
export function openFile(path: string, flags: number, mode = 0): number {
  const name = cString(path);
  let fd = libc().open(name, flags | O.CLOEXEC, mode);
  if (fd >= 0) return fd;
  const first = errno();
  if (!isPassing(first)) return -first;
  fd = libc().open(name, flags | O.CLOEXEC, mode);
  return fd >= 0 ? fd : -(errno() || ERRNO.EIO);
}

/**
 * Opens a regular file of this user, and nothing else of that name: a link is not followed, and a pipe or
 * a device never makes us wait.
 *
 * @returns A descriptor, or why not.
 */
export function openOwnFile(path: string, flags: number): number | string {
  const fd = openFile(path, flags | O.NOFOLLOW | O.NONBLOCK);
  if (fd < 0) return -fd === ERRNO.ELOOP ? "a link" : errorText(-fd);
  const facts = statOpen(fd);
  const kind = facts === undefined ? 0 : facts.mode & 0o170000;
  if (kind === 0o100000 && facts!.uid === libc().geteuid()) return fd;
  closeFile(fd);
  if (kind === 0o100000) return `a file of user ${facts!.uid}`;
  const word = KINDS[kind] ?? "not a file";
  return facts === undefined ? word : `${word} of user ${facts.uid}`;
}

const KINDS: Record<number, string> = {
  0o010000: "a pipe",
  0o020000: "a device",
  0o040000: "a directory",
  0o060000: "a device",
};

/** Closes a descriptor. */
export function closeFile(fd: number): void {
  if (fd >= 0) libc().close(fd);
}

/** Maximum number of bytes read from a file. */
const MAX_FILE_BYTES = 1 << 24;

/** The whole of a small file, or `undefined`; kernel files give their size only by reading. */
export function readWhole(path: string, limit = MAX_FILE_BYTES): Uint8Array | undefined {
  const fd = openFile(path, O.RDONLY | O.NONBLOCK);
  return fd < 0 ? undefined : readOpen(fd, path, limit)?.slice();
}

/** Buffer for small files, used by one after the other: a start reads hundreds. */
const small = new Uint8Array(4096);
/** A pipe gives its bytes once, and some are read twice. */
const ofPipes = new Map<string, Uint8Array>();

/** Content of an open file; valid until the next call. */
function readOpen(fd: number, path: string, limit: number): Uint8Array | undefined {
  try {
    let bytes = ofPipes.get(path) ?? small;
    if (bytes !== small) return bytes;
    let length = 0;
    for (let waited = false; length < limit;) {
      if (length === bytes.length) bytes = grown(bytes);
      const n = Number(libc().read(fd, bytes.subarray(length), BigInt(bytes.length - length)));
      if (n < 0 ? errno() === ERRNO.EAGAIN : n === 0 && length === 0 && !waited && isPipe(fd)) {
        waited = true;
        if (awaitPipe(fd)) continue;
        leaveOut(path);
        return undefined;
      }
      if (n < 0) return undefined;
      if (n === 0) break;
      length += n;
    }
    if (isPipe(fd)) ofPipes.set(path, bytes.slice(0, length));
    return bytes.subarray(0, length);
  } finally {
    closeFile(fd);
  }
}

function isPipe(fd: number): boolean {
  return ((statOpen(fd)?.mode ?? 0) & 0o170000) === 0o010000;
}

const decoder = new TextDecoder();

/** The whole text of a small file, or `undefined`. */
export function readText(path: string): string | undefined {
  const fd = openFile(path, O.RDONLY | O.NONBLOCK);
  return fd < 0 ? undefined : readOpenText(fd, path);
}

/** Text of an open file, read without blocking; the file is closed then. */
export function readOpenText(fd: number, path: string): string | undefined {
  const bytes = readOpen(fd, path, MAX_FILE_BYTES);
  return bytes === undefined ? undefined : decoder.decode(bytes);
}

const PIECE_BYTES = 65536;

/** Texts of an open file, one of each read(2): the kernel's have whole lines. The file is closed then. */
export function* readPieces(fd: number): Generator<string> {
  const bytes = new Uint8Array(PIECE_BYTES);
  try {
    for (;;) {
      const n = Number(libc().read(fd, bytes, BigInt(PIECE_BYTES)));
      if (n <= 0) return;
      yield decoder.decode(bytes.subarray(0, n));
    }
  } finally {
    closeFile(fd);
  }
}

const entries = new Uint8Array(32768);
const entriesView = new DataView(entries.buffer);

/** Names in a directory, sorted, without "." and ".."; empty when it cannot be listed. */
export function listDirectory(path: string): string[] {
  const fd = openFile(path, O.RDONLY | O.DIRECTORY);
  if (fd < 0) return [];
  const names: string[] = [];
  for (;;) {
    const n = Number(libc().getdents(SYSCALLS.getdents64, fd, entries, 32768n));
    if (n <= 0) break;
    // struct linux_dirent64: inode 8, offset 8, length 2, type 1, name
    for (let at = 0; at < n; at += entriesView.getUint16(at + 16, true)) {
      const name = fromBytes(entries.subarray(at + 19, at + entriesView.getUint16(at + 16, true)));
      if (name !== "." && name !== "..") names.push(name);
    }
  }
  closeFile(fd);
  return names.sort();
}

/** Why the kernel does not list a directory; `undefined`: it does. */
export function listRefusal(path: string): string | undefined {
  const fd = openFile(path, O.RDONLY | O.DIRECTORY);
  if (fd < 0) return errorText(-fd);
  closeFile(fd);
  return undefined;
}

/** Target of a symbolic link, or `undefined`. */
export function readLinkTarget(path: string): string | undefined {
  const bytes = new Uint8Array(4096);
  const n = Number(libc().readlink(cString(path), bytes, 4096n));
  return n < 0 ? undefined : decoder.decode(bytes.subarray(0, n));
}

/** The fields of stat(2) that are used here. */
export interface FileFacts {
  inode: number;
  device: number;
  links: number;
  mode: number;
  uid: number;
  size: number;
  modifiedNs: bigint;
}

const AT_FDCWD = -100;
const AT_SYMLINK_NOFOLLOW = 0x100;
const statBytes = new Uint8Array(144);
const statView = new DataView(statBytes.buffer);

function facts(): FileFacts {
  return {
    device: Number(statView.getBigUint64(0, true)),
    inode: Number(statView.getBigUint64(8, true)),
    links: ARM ? statView.getUint32(20, true) : Number(statView.getBigUint64(16, true)),
    mode: statView.getUint32(ARM ? 16 : 24, true),
    uid: statView.getUint32(ARM ? 24 : 28, true),
    size: Number(statView.getBigInt64(48, true)),
    modifiedNs: statView.getBigInt64(88, true) * 1_000_000_000n + statView.getBigInt64(96, true),
  };
}

/** stat(2) of a path, or `undefined`; `follow: false` looks at a link itself. */
export function statPath(path: string, follow = true): FileFacts | undefined {
  const flags = follow ? 0 : AT_SYMLINK_NOFOLLOW;
  const r = libc().fstatat(SYSCALLS.newfstatat, AT_FDCWD, cString(path), statBytes, flags);
  return r === 0n ? facts() : undefined;
}

/** fstat(2) of what is open, or `undefined`. */
export function statOpen(fd: number): FileFacts | undefined {
  return libc().fstat(SYSCALLS.fstat, fd, statBytes) === 0n ? facts() : undefined;
}

/** Number of names an open file still has: 0 once it was replaced or removed. No allocation. */
export function linkCount(fd: number): number {
  if (libc().fstat(SYSCALLS.fstat, fd, statBytes) !== 0n) return 0;
  return statView.getUint32(ARM ? 20 : 16, true);
}

/** Time when an open file or directory last changed, in nanoseconds; of the seconds the lower 22 bits. −1: unknown. */
export function modifiedAt(fd: number): number {
  if (libc().fstat(SYSCALLS.fstat, fd, statBytes) !== 0n) return -1;
  return (statView.getUint32(88, true) & 0x3fffff) * 1e9 + statView.getUint32(96, true);
}

/**
 * Writes a file that must not exist yet, for this user alone.
 *
 * @throws {AccessError} If it exists, or nothing can be written there.
 */
export function writeNew(path: string, bytes: Uint8Array): void {
  const fd = openFile(path, O.WRONLY | O.CREAT | O.EXCL | O.NOFOLLOW, 0o600);
  if (fd < 0) {
    throw new AccessError({ action: "make", target: path, found: errorText(-fd) });
  }
  const n = libc().write(fd, bytes as Uint8Array<ArrayBuffer>, BigInt(bytes.length));
  closeFile(fd);
  if (n !== BigInt(bytes.length)) {
    throw new AccessError({ action: "write", target: path, found: errorText(errno()) });
  }
}

/** pread(2): bytes read at a place, below 0: errno says why. */
export function readAt(fd: number, into: Uint8Array, at: number): number {
  const bytes = into as Uint8Array<ArrayBuffer>;
  return Number(libc().preadAt(fd, bytes, BigInt(bytes.length), BigInt(at)));
}

/** pwrite(2), likewise. */
export function writeAt(fd: number, content: Uint8Array, at: number): number {
  const bytes = content as Uint8Array<ArrayBuffer>;
  return Number(libc().pwriteAt(fd, bytes, BigInt(bytes.length), BigInt(at)));
}

/** Removes a directory of our own with all that is in it; links are removed, not followed. */
export function removeTree(path: string): void {
  for (const name of listDirectory(path)) {
    const inside = `${path}/${name}`;
    const facts = statPath(inside, false);
    if (facts !== undefined && (facts.mode & 0o170000) === 0o040000) removeTree(inside);
    else libc().unlink(cString(inside));
  }
  libc().rmdir(cString(path));
}
