/**
 * The report of a run whose monitor was killed, from the journal in its session directory.
 *
 * A session whose processes still run stays: they mark into it, and nothing of it is lost.
 * @module
 */
import { FormatError } from "../../core/errors.ts";
import type { Report, ReportRegion } from "../../core/report.ts";
import { parseReport, reportPieces } from "../../formats/report.ts";
import { writeDocument } from "../../os/files/whole_file.ts";
import { realtimeNanoseconds } from "../../os/clock.ts";
import { listDirectory, readWhole, statPath } from "../../os/files.ts";
import { isAlive } from "../../os/process.ts";
import { removeUserFile } from "../../os/output_place.ts";
import { journalReportPath, readJournal } from "./journal.ts";

/** Outcome for a session: `report` is where its report was written. */
export interface Recovered {
  /** Nothing of it is needed any more. */
  readonly done: boolean;
  readonly report?: string;
  /** Why there is no report. */
  readonly reason?: string;
  /** The directory of its report, which does not exist. */
  readonly missing?: string;
}

/**
 * Time that a session without a place for its report is kept, s: a week, as it takes memory of the
 * node.
 */
const KEPT_S = 7 * 86400;

/** Time since the journal was written last, s; NaN: there is none. */
function ageS(directory: string): number {
  const written = statPath(`${directory}/journal`, false)?.modifiedNs;
  return written === undefined ? NaN : Number(realtimeNanoseconds() - written) * 1e-9;
}

/**
 * Makes the report of a session that no monitor holds.
 *
 * @param beside Writes `REPORT.recovered` even if there is no report: a run will write that.
 */
export function recoverSession(directory: string, beside: boolean): Recovered {
  const members = listDirectory(directory).flatMap((name) => {
    const found = /^(\d+)\.(\d+|sh)$/.exec(name);
    return found === null ? [] : [Number(found[1])];
  });
  if (members.some((pid) => marksInto(pid, directory))) {
    return { done: false, reason: "its processes still run" };
  }
  const isThere = (path: string) => statPath(path) !== undefined;
  const folderOf = (path: string) => path.slice(0, path.lastIndexOf("/") + 1);
  // Kept for some time: its directory may come back. Until then every run would fail to make it.
  const waits = (folder: string) => ({
    done: ageS(directory) > KEPT_S,
    reason: `${folder}: nothing there`,
    missing: folder,
  });
  const early = journalReportPath(directory);
  if (early !== undefined && !isThere(folderOf(early))) return waits(folderOf(early));
  const journal = readJournal(directory);
  if (journal === undefined) return { done: true, reason: "there is no journal" };
  const wanted = journal.reportPath;
  if (!isThere(folderOf(wanted))) return waits(folderOf(wanted));
  const report = parsed(journal.report, wanted);
  if (typeof report === "string") return { done: true, reason: report };
  const words = "the monitor was killed; values end at most one second before that";
  report.joulemark = { ...report.joulemark, partial: words, recovered: words };
  for (const host of report.hosts) {
    host.regions?.sort((a, b) => runtimeOf(b) - runtimeOf(a) || (a.region < b.region ? -1 : 1));
    host.joulemark = { recovered: words, ...host.joulemark, partial: words };
  }
  // A node's part of a job is taken for the time so far: the job's report counts it as that.
  const isPart = /\.parts\/[^/]+$/.test(wanted);
  let path = isPart
    ? `${wanted}.partial`
    : !beside && !isThere(wanted)
    ? wanted
    : `${wanted}.recovered`;
  for (let n = 2; !isPart && path !== wanted && isThere(path); n++) {
    path = `${wanted}.recovered-${n}`;
  }
  try {
    writeDocument(path, reportPieces(report), { survives: true });
  } catch (error) {
    // Kept: room may be made.
    return { done: false, reason: (error as Error).message };
  }
  // The journal is never older.
  if (!isPart) removeUserFile(`${wanted}.partial`);
  return { done: true, report: path };
}

/**
 * Parsed journal. A text that is no report was not written by a monitor, but by the measured
 * program.
 */
function parsed(text: string, path: string): Report | string {
  try {
    return parseReport(text, path);
  } catch (error) {
    if (error instanceof FormatError) return "its journal is not a report";
    throw error;
  }
}

function runtimeOf({ fields }: ReportRegion): number {
  return Number(fields["runtime (s)"]);
}

/** Does a process mark into a session? Its number alone may be another one's by now. */
function marksInto(pid: number, directory: string): boolean {
  if (!isAlive(pid)) return false;
  // A client maps its ring, and has the name of the directory from its environment.
  const texts = ["maps", "environ"].map((name) => readWhole(`/proc/${pid}/${name}`));
  // What a confined process may not look at is taken for one that does.
  if (texts.every((bytes) => bytes === undefined)) return true;
  return texts.some((bytes) => new TextDecoder().decode(bytes).includes(directory));
}
