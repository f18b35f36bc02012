/**
 * The report of a run whose monitor was killed, from the journal beside the report that it would have.
 *
 * A session directory has the path of that report. A session whose processes still run stays: they mark into it.
 * @module
 */
import { baseName } from "../../core/names.ts";
import { FormatError, UsageError } from "../../core/errors.ts";
import type { Report, ReportRegion } from "../../core/report.ts";
import { parseReport, reportPieces } from "../../formats/report.ts";
import { unquoted } from "../../formats/scalar.ts";
import { writeDocument } from "../../os/files/whole_file.ts";
import { realtimeNanoseconds } from "../../os/clock.ts";
import { listDirectory, O, openOwnFile, readWhole, statPath, writeNew } from "../../os/files.ts";
import { isThisHost } from "../../os/host_name.ts";
import { isAlive } from "../../os/process.ts";
import { removeUserFile } from "../../os/output_place.ts";
import { OsError, UserFile } from "../../os/user_file.ts";
import { parseJournal, reportText } from "../../formats/journal.ts";
import { isClaimed } from "./claim.ts";

/** Outcome for a session: `report` is where its report was written. */
export interface Recovered {
  /** Nothing of it is needed any more. */
  readonly done: boolean;
  readonly report?: string;
  /** Why there is no report. */
  readonly reason?: string;
  /** The cause of that, and what to do. */
  readonly advice?: string;
  /** The directory of its report, which does not exist. */
  readonly missing?: string;
}

/** Time that a session without a place for its report is kept, s: a week. */
const KEPT_S = 7 * 86400;

/** Name of the file in a session directory with the path of its report. */
const NAME = "report";
const MAX_NAME_BYTES = 8192;
/** Time without an entry of the journal after which a run of another node has ended, s. */
const GOES_ON_S = 60;

/** The journal of a run with this report. */
export function journalPath(report: string): string {
  return `${report}.partial`;
}

/** Writes the path of its report into a session directory. @throws {AccessError} */
export function nameReport(directory: string, report: string): void {
  writeNew(`${directory}/${NAME}`, new TextEncoder().encode(report));
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}

/** Time since a session had the name of its report, s. */
function ageS(directory: string): number {
  const written = statPath(`${directory}/${NAME}`, false)?.modifiedNs;
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
  const name = readWhole(`${directory}/${NAME}`, MAX_NAME_BYTES);
  const nothing = {
    done: true,
    reason: "there is no journal",
    advice: "The monitor ended before it wrote one, or REPORT.partial was removed. " +
      "If you need the report, run the command again",
  };
  if (name === undefined) return nothing;
  const wanted = new TextDecoder().decode(name);
  const folder = folderOf(wanted);
  if (statPath(folder) === undefined) {
    // Kept for some time: its directory may come back. Until then every run would fail to make it.
    return {
      done: ageS(directory) > KEPT_S,
      reason: `${folder}: nothing there`,
      missing: folder,
    };
  }
  const file = ownFile(journalPath(wanted));
  const journal = typeof file === "string" ? undefined : parseJournal(file);
  // Another run has the name since.
  if (journal?.session !== baseName(directory)) return nothing;
  return recoverText(journal.report, wanted, beside);
}

/**
 * Makes a report of what a killed run left under a name that the next one takes: of a run of another node, or
 * one whose processes still run.
 */
export function keepLeftover(report: string, log: (line: string) => void): void {
  const path = journalPath(report), file = ownFile(path);
  if (typeof file === "string") return;
  const text = reportText(file), host = runElsewhere(text, path);
  if (host !== undefined) return log(`a run on ${host} writes ${report}, too`);
  const { report: made, reason } = recoverText(text, report, true);
  if (made !== undefined) log(`${path} was left by another run; its report is ${made}`);
  else log(`${path} is overwritten: ${reason}`);
}

/**
 * Makes the report of a killed run from its journal.
 *
 * @param path A name that ends in `.partial`.
 * @returns Name of the report.
 * @throws {UsageError} If it is no journal, or its run goes on.
 */
export function recoverFile(path: string): string {
  const [, wanted] = /^(.*)\.partial$/s.exec(path) ?? [];
  const refused = (found: string) => {
    const expected = "a directory of a run, or the REPORT.partial of a run that was killed";
    return new UsageError({ action: "recover", target: path, expected, found });
  };
  if (wanted === undefined) throw refused("another file");
  if (isClaimed(wanted)) throw refused("one of a run that goes on");
  const file = ownFile(path);
  if (typeof file === "string") throw refused(file);
  const text = reportText(file), host = runElsewhere(text, path);
  if (host !== undefined) throw refused(`one that ${host} wrote less than ${GOES_ON_S} s ago`);
  const { report, reason } = recoverText(text, wanted, false);
  if (report === undefined) throw refused(reason!);
  return report;
}

/** Content of a file of this user; a text: why it is none. */
function ownFile(path: string): Uint8Array | string {
  const fd = openOwnFile(path, O.RDONLY);
  if (typeof fd === "string") return fd;
  using file = UserFile.of(fd);
  try {
    return file.readAll();
  } catch (error) {
    if (error instanceof OsError) return error.message;
    throw error;
  }
}

/** The other node whose run may go on, by the age of its journal. */
function runElsewhere(text: string, path: string): string | undefined {
  const [, key] = /^Hosts:\n {2}(.+):$/m.exec(text) ?? [];
  // In quotes where YAML could take it for another type, such as a container's `3f29c0`.
  const host = key?.startsWith('"') ? unquoted(key) : key;
  const isFresh =
    Number(realtimeNanoseconds() - (statPath(path)?.modifiedNs ?? 0n)) < GOES_ON_S * 1e9;
  return host !== undefined && isFresh && !isThisHost(host) ? host : undefined;
}

/** @param wanted The report that the run would have written. */
function recoverText(text: string, wanted: string, beside: boolean): Recovered {
  const report = parsed(text, wanted);
  if (typeof report === "string") return { done: true, reason: report };
  const words = "the monitor was killed; values end at its last checkpoint";
  report.joulemark = { ...report.joulemark, partial: words, recovered: words };
  for (const host of report.hosts) {
    host.regions?.sort((a, b) => runtimeOf(b) - runtimeOf(a) || (a.region < b.region ? -1 : 1));
    host.joulemark = { recovered: words, ...host.joulemark, partial: words };
  }
  // A node's part of a job is taken for the time so far: the job's report counts it as that.
  const isPart = /\.parts\/[^/]+$/.test(wanted);
  const isThere = (path: string) => statPath(path) !== undefined;
  let path = isPart
    ? journalPath(wanted)
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
  if (!isPart) removeUserFile(journalPath(wanted));
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
