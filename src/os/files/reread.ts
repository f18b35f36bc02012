/**
 * Pipes that are read more than once: their kind is found by the first bytes, and then a reader of that kind
 * begins at the first one again. memfd_create(2).
 * @module
 */
import { statPath } from "../files.ts";
import { kindOf, UserFile } from "../user_file.ts";
import { cString, libc, SYSCALLS } from "../libc.ts";

const MFD_CLOEXEC = 1;

/**
 * The path itself, or that of a copy in memory if it is a pipe, as `<(…)` of a shell is. The copy lasts as long as
 * this process.
 *
 * @throws {OsError} If the pipe cannot be read.
 */
export function rereadable(path: string): string {
  if (kindOf(statPath(path)?.mode ?? 0) !== "a pipe") return path;
  using pipe = UserFile.read(path);
  const bytes = pipe.readAll(), name = cString("joulemark");
  const fd = Number(libc().memfdCreate(SYSCALLS.memfdCreate, name, MFD_CLOEXEC));
  if (fd < 0) return path;
  UserFile.of(fd).writeAll(bytes);
  return `/dev/fd/${fd}`;
}
