/**
 * Finds sessions without a monitor under a directory, makes their reports, and removes them.
 * @module
 */
import { baseName } from "../../core/names.ts";
import { counted } from "../../core/counted.ts";
import { AccessError, UsageError } from "../../core/errors.ts";
import { closeFile, listDirectory, O, openFile, removeTree, statPath } from "../../os/files.ts";
import { libc } from "../../os/libc.ts";
import { isPrivate, safeDirectory } from "../../os/trusted_file.ts";
import { type Recovered, recoverSession } from "./recover.ts";

const LOCK_EX_NB = 6;

/**
 * Makes the reports of all sessions in a directory: a session, a job's directory, or a user's.
 *
 * @returns Names of the reports.
 * @throws {UsageError} If there is no such directory.
 * @throws {AccessError} If others may change it.
 */
export function recoverAll(directory: string, log: (line: string) => void): string[] {
  const facts = statPath(directory);
  if (facts === undefined || (facts.mode & 0o170000) !== 0o040000) {
    throw new UsageError({
      action: "recover",
      target: directory,
      expected: "a session, a job's directory, or /dev/shm/joulemark-UID",
      found: facts === undefined ? "nothing there" : "a file",
    });
  }
  const path = privateAlone(directory);
  const last = baseName(path);
  const reports: string[] = [], failed: Failure[] = [];
  const site = { reports, failed, log };
  if (last.startsWith("s-")) recoverJob(path.slice(0, path.lastIndexOf("/")), last, site);
  else if (statPath(`${path}/lock`) !== undefined) recoverJob(path, undefined, site);
  else {
    for (const name of listDirectory(path)) {
      if (statPath(`${path}/${name}/lock`) === undefined) continue;
      recoverJob(`${path}/${name}`, undefined, site);
    }
  }
  const kinds = Map.groupBy(failed, ({ why }) => why.replaceAll(/"[^"]*"/g, ""));
  for (const [{ why, example, advice }, ...more] of kinds.values()) {
    const count = counted(1 + more.length, "session");
    log(
      `${path}: ${count} without a report: ${why} (for example ${example})` +
        (advice ? `. ${advice}` : ""),
    );
  }
  return reports;
}

/** A session without a report. */
interface Failure {
  readonly why: string;
  readonly example: string;
  readonly advice?: string;
}

function failureOf(session: string, { reason, advice, missing }: Recovered): Failure | undefined {
  if (missing !== undefined) {
    const advice = "Make this directory, and run joulemark recover again within a week";
    return { why: "the directory of the report does not exist", example: missing, advice };
  }
  if (reason === undefined || session.endsWith("-node")) return undefined;
  return { why: reason, example: session, advice };
}

/** Results of a search. */
interface Found {
  readonly reports: string[];
  /** Sessions without a report. */
  readonly failed: Failure[];
  log(line: string): void;
}

/**
 * The directory without links, where no other user can have made what lies in it: a journal says where
 * its report is written.
 */
function privateAlone(directory: string): string {
  const safe = safeDirectory(directory);
  const isOurs = "path" in safe && isPrivate(safe.path);
  if (isOurs) return safe.path;
  const { uid = 0, mode = 0 } = statPath(directory) ?? {};
  const isOfOther = uid !== libc().geteuid();
  throw new AccessError({
    action: "recover",
    target: directory,
    expected: "a directory that only this user may access (mode 700)",
    found: "why" in safe
      ? safe.why
      : `a directory of user ${uid}, mode ${(mode & 0o7777).toString(8)}`,
    remedy: isOfOther
      ? "run joulemark recover as the user who started the run"
      : "give a directory of a run, such as /dev/shm/joulemark-UID",
  });
}

/** @param only One session of it. */
function recoverJob(
  job: string,
  only: string | undefined,
  { reports, failed, log }: Found,
): void {
  const lock = openFile(`${job}/lock`, O.RDWR | O.NOFOLLOW);
  try {
    if (lock >= 0 && libc().flock(lock, LOCK_EX_NB) !== 0) {
      log(`${job}: skipped, because its monitor is running`);
      return;
    }
    for (const name of listDirectory(job)) {
      if (!name.startsWith("s-") || (only !== undefined && name !== only)) continue;
      const recovered = recoverSession(`${job}/${name}`, false);
      const failure = failureOf(`${job}/${name}`, recovered);
      if (recovered.report !== undefined) reports.push(recovered.report);
      else if (failure !== undefined) failed.push(failure);
      if (recovered.done) removeTree(`${job}/${name}`);
    }
  } finally {
    if (lock >= 0) closeFile(lock);
  }
}
