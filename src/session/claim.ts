/**
 * Claims a report's name among monitors that run at the same time on this node: a second one never
 * writes the first one's report, it adds `-2`.
 * @module
 */
import { closeFile, O, openFile } from "../os/files.ts";
import { libc } from "../os/libc.ts";
import { privateBase } from "./election.ts";
import { checksum } from "./job_key.ts";

const LOCK_EX_NB = 6;
const MOST = 1000;

/** A name that is ours as long as this process lives. */
export interface Claim {
  readonly path: string;
  /** Others write the first choice at this moment. */
  readonly moved: boolean;
}

/** The path, or the first of `PATH-2`, `PATH-3`, … that nobody writes at this moment. */
export function claimPath(path: string): Claim {
  const absolute = path.startsWith("/") ? path : `${Deno.cwd()}/${path}`;
  for (let n = 1; n <= MOST; n++) {
    const suffix = n === 1 ? "" : `-${n}`;
    const lock = openFile(
      `${privateBase()}/claim-${checksum(absolute + suffix)}`,
      O.RDWR | O.CREAT | O.NOFOLLOW,
      0o600,
    );
    // Where nothing can be claimed nothing is contested either.
    if (lock < 0) return { path, moved: false };
    // The lock ends with the process; the file stays, since removing it would race.
    if (libc().flock(lock, LOCK_EX_NB) === 0) return { path: path + suffix, moved: n > 1 };
    closeFile(lock);
  }
  return { path, moved: false };
}
