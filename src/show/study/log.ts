/**
 * Finished runs of a study, a line of JSON per run, which `--resume` reads. Lines are written
 * whole; the run of a line that is truncated, as the study was killed, is repeated.
 * @module
 */
import { AccessError, UsageError } from "../../core/errors.ts";
import { closeFile, O, openFile } from "../../os/files.ts";
import { errorText, libc } from "../../os/libc.ts";
import { isMissing, OsError, readFoundText } from "../../os/user_file.ts";
import { writeDocument } from "../../os/files/whole_file.ts";
import type { PlannedRun } from "./plan.ts";

/** First line: what the study is. */
export interface StudyHead {
  readonly format: typeof STUDY_FORMAT;
  readonly command: readonly string[];
  readonly varied: readonly string[];
  readonly repeats: number;
}

/** One run that is done. */
export interface StudyResult extends Pick<PlannedRun, "file" | "label" | "repeat"> {
  /** Exit status of the command. */
  readonly status: number;
  /** Energy of the report, J; null if nothing could be measured. */
  readonly energyJ: number | null;
  readonly runtimeS: number;
  /** Parts that the energy is made of: `package + memory`, for example. */
  readonly source: string;
  readonly simulated: boolean;
}

/** The value of `format`. */
export const STUDY_FORMAT = "joulemark-study/1";

/**
 * Reads the log.
 *
 * @returns What is done, by file; `undefined` when there is none.
 * @throws {UsageError} If it is another study's.
 */
export function readStudy(path: string, head: StudyHead): Map<string, StudyResult> | undefined {
  let text: string;
  try {
    text = readFoundText(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (!(error instanceof OsError)) throw error;
    throw new AccessError({ action: "use", target: path, found: error.message, cause: error });
  }
  const lines = text.split("\n").map(parsed).filter((line) => line !== undefined);
  const [first, ...rest] = lines;
  if (JSON.stringify(first) !== JSON.stringify(head)) {
    throw new UsageError({
      action: "resume",
      target: path,
      expected: "a study of the same command, settings and repeats",
      found: first === undefined ? "no study" : "another one",
      remedy: "give another directory with --dir, or remove this one",
    });
  }
  const done = new Map<string, StudyResult>();
  for (const line of rest as unknown as StudyResult[]) {
    if (typeof line.file === "string") done.set(line.file, line);
  }
  return done;
}

/** Rewrites a log, with the runs that are done already. @throws {AccessError} */
export function beginStudy(path: string, head: StudyHead, done: Iterable<StudyResult>): void {
  writeDocument(path, [head, ...done].map((line) => JSON.stringify(line) + "\n").join(""));
}

/** Adds a run that is done, in one write. @throws {AccessError} */
export function noteResult(path: string, result: StudyResult): void {
  const fd = openFile(path, O.WRONLY | O.APPEND);
  const line = new TextEncoder().encode(JSON.stringify(result) + "\n");
  const written = fd < 0 ? -1n : libc().write(fd, line, BigInt(line.length));
  closeFile(fd);
  if (written === BigInt(line.length)) return;
  throw new AccessError({
    action: "write",
    target: path,
    expected: "a log file to which lines can be added",
    found: fd < 0 ? errorText(-fd) : "no room for a line",
  });
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    return line === "" ? undefined : JSON.parse(line);
  } catch {
    return undefined;
  }
}
