/**
 * Facts about file systems: statvfs(3).
 * @module
 */
import { bindMore } from "./bind.ts";
import { cString } from "./libc.ts";

const STATVFS = {
  statvfs: { parameters: ["buffer", "buffer"], result: "i32" }, // const char*, struct statvfs*
} as const satisfies Deno.ForeignLibraryInterface;

/** Facts about a file system, under the names of struct statvfs without their `f_`. */
export interface FileSystemFacts {
  readonly frsize: number;
  readonly blocks: number;
  readonly bfree: number;
  readonly files: number;
  readonly ffree: number;
}

/** Place of f_flag. */
const FLAG = 9;
const ST_NOEXEC = 8n;

let statvfs: Deno.DynamicLibrary<typeof STATVFS>["symbols"] | undefined;
const statWords = new BigUint64Array(16);
const statBytes = new Uint8Array(statWords.buffer);

/** statvfs(3) of a mount point, or `undefined`. */
export function statFileSystem(path: string): FileSystemFacts | undefined {
  if (!fill(path)) return undefined;
  // f_bsize, f_frsize, f_blocks, f_bfree, f_bavail, f_files, f_ffree: all 64 bits on both machines
  return {
    frsize: Number(statWords[1]),
    blocks: Number(statWords[2]),
    bfree: Number(statWords[3]),
    files: Number(statWords[5]),
    ffree: Number(statWords[6]),
  };
}

/** Does the file system of a path run no program, and load no library? False if that is not known. */
export function isWithoutPrograms(path: string): boolean {
  return fill(path) && (statWords[FLAG] & ST_NOEXEC) !== 0n;
}

function fill(path: string): boolean {
  statvfs ??= bindMore(STATVFS);
  return statvfs !== undefined && statvfs.statvfs(cString(path), statBytes) === 0;
}
