/**
 * Sizes of mounted file systems: statvfs(3).
 *
 * @module
 */
import { bindMore } from "../bind.ts";
import { cString } from "../libc.ts";

const SYMBOLS = {
  statvfs: { parameters: ["buffer", "buffer"], result: "i32" }, // const char*, struct statvfs*
} as const satisfies Deno.ForeignLibraryInterface;

/** What is asked of a file system, under the names of struct statvfs without their `f_`. */
export interface FileSystemFacts {
  readonly frsize: number;
  readonly blocks: number;
  readonly bfree: number;
  readonly files: number;
  readonly ffree: number;
}

let opened: Deno.DynamicLibrary<typeof SYMBOLS>["symbols"] | undefined;
const words = new BigUint64Array(16);
const bytes = new Uint8Array(words.buffer);

/** Facts of the file system at a mount point, or `undefined`. */
export function statFileSystem(path: string): FileSystemFacts | undefined {
  opened ??= bindMore(SYMBOLS);
  if (opened === undefined || opened.statvfs(cString(path), bytes) !== 0) return undefined;
  // f_bsize, f_frsize, f_blocks, f_bfree, f_bavail, f_files, f_ffree: all 64 bits on both machines
  return {
    frsize: Number(words[1]),
    blocks: Number(words[2]),
    bfree: Number(words[3]),
    files: Number(words[5]),
    ffree: Number(words[6]),
  };
}
