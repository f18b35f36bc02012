/**
 * Files that hold code, and texts about it: they belong to anybody, and are read piece by piece.
 * @module
 */
import { closeFile, O, openFile, openOwnFile, readAt, readOpenText, statOpen } from "../files.ts";
import { ERRNO, errorText } from "../libc.ts";

const FILE_TYPE = 0o170000, REGULAR_FILE = 0o100000;

/** A file that is open. */
export interface CodeFile {
  readonly inode: number;
  read(offset: number, length: number): Uint8Array;
  close(): void;
}

/** Opens a program or a library; a reason if it cannot be. */
export function openCodeFile(path: string): CodeFile | { readonly refused: string } {
  return codeFileOf(openFile(path, O.RDONLY | O.NONBLOCK));
}

/** A program or a library that is open; a reason if it is none. @param fd Or −errno. */
export function codeFileOf(fd: number): CodeFile | { readonly refused: string } {
  if (fd < 0) return { refused: -fd === ERRNO.ENOENT ? "no such file" : errorText(-fd) };
  const facts = statOpen(fd);
  if (facts === undefined || (facts.mode & FILE_TYPE) !== REGULAR_FILE) {
    closeFile(fd);
    return { refused: "not a file" };
  }
  const { size, inode } = facts;
  return {
    inode,
    read: (offset, length) => readPiece(fd, offset, Math.min(length, size - offset)),
    close: () => closeFile(fd),
  };
}

/** Bytes of an open file; fewer at its end. */
export function readPiece(fd: number, offset: number, length: number): Uint8Array {
  const bytes = new Uint8Array(Math.max(0, length));
  let done = 0;
  while (done < length) {
    const n = readAt(fd, bytes.subarray(done), offset + done);
    if (n <= 0) break;
    done += n;
  }
  return bytes.subarray(0, done);
}

/** The text of a file of this user; empty: there is none. */
export function ownText(path: string): string {
  const fd = openOwnFile(path, O.RDONLY);
  return typeof fd === "string" ? "" : readOpenText(fd, path) ?? "";
}
