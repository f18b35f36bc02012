/**
 * Reports by the names that a user gives: a file, a run's directory of parts, or a directory of
 * runs.
 * @module
 */
import { FormatError, UsageError } from "../../core/errors.ts";
import { type Report, type ReportHost, RUN_GOES_ON } from "../../core/report.ts";
import { reportText } from "../../formats/journal.ts";
import { parseLayout, parseReport, parseWholeReport } from "../../formats/report.ts";
import { type JobFacts, ReportMerger } from "../merge/merge.ts";
import { type ReadReport, readReport, taken } from "../merge/read_report.ts";
import { listRefusal, statPath } from "../../os/files.ts";
import { isThisHost } from "../../os/host_name.ts";
import { libc } from "../../os/libc.ts";
import { isDirectory, OsError, UserFile } from "../../os/user_file.ts";
import { isClaimed } from "./claim.ts";
import { jobFacts, partFacts, reportsIn } from "./part_files.ts";

/** A run's report. */
export interface NamedRun {
  /** The path, as the user gave it. */
  readonly name: string;
  readonly report: Report;
}

/** Options for reading reports. */
export interface ReadRunsOptions {
  /** A report that is cut is read up to the cut, and marked partial. @default it is refused */
  readonly repair?: boolean;
}

/**
 * The runs of a path: of a file one; of a directory whose name ends in `.parts` one, of several
 * hosts; of another directory one for each of its reports.
 *
 * @throws {UsageError} If there is none, or one cannot be read.
 * @throws {FormatError} If one is no report, or is cut.
 */
export function readRuns(path: string, options: ReadRunsOptions = {}): NamedRun[] {
  const name = path.replace(/(.)\/+$/, "$1");
  if (statPath(name) === undefined) throw wrong(name, "nothing there");
  if (!isDirectory(name)) return [{ name, report: readOne(name, options) }];
  // The parts of a run are beside its report, which is made of them.
  const files = reportsIn(name);
  if (files.length === 0) throw wrong(name, listRefusal(name) ?? "none in it");
  if (name.endsWith(".parts")) return [mergedRun(name, files)];
  return files.map((file) => ({ name: file, report: readOne(file, options) }));
}

/**
 * The reports of a job's hosts as one run, with the job's totals, tree and statistics; what does not
 * belong to it is left out, and listed in the report.
 *
 * @throws {UsageError} If nothing could be merged.
 */
export function mergedRun(name: string, files: readonly string[]): NamedRun {
  const parts = files.map((file) => partFacts(file)).filter((facts) => facts !== undefined);
  const reads = files.map((file) => readReport(readText(file), file));
  return { name, report: mergedReport(name, reads, parts.length === 0 ? {} : jobFacts(parts)) };
}

/** Report merged from parsed reports. @throws {UsageError} If nothing could be merged. */
export function mergedReport(name: string, reads: readonly ReadReport[], facts: JobFacts): Report {
  const merger = new ReportMerger();
  const hosts = reads.flatMap((read) => {
    const kept = merger.add(read);
    return read.hosts.filter((_, i) => kept[i]);
  });
  if (hosts.length === 0) throw wrong(name, merger.leftOut[0] ?? "none in it");
  return { ...parseReport(merger.head(facts), name), hosts };
}

function readText(path: string): string {
  try {
    using file = UserFile.read(path);
    return reportText(file.readAll());
  } catch (error) {
    if (!(error instanceof OsError)) throw error;
    throw wrong(path, error.message);
  }
}

function readOne(path: string, { repair = false }: ReadRunsOptions): Report {
  const text = readText(path);
  try {
    return withTotals(asOfNow(parseWholeReport(text, path).report, path), path);
  } catch (error) {
    if (!(error instanceof FormatError) || !repair) throw error;
    return withTotals(repairReport(text, path, error), path);
  }
}

/** A checkpoint, with what has become of its run. */
function asOfNow(report: Report, path: string): Report {
  const { joulemark, hosts } = report;
  if (!String(joulemark?.partial).startsWith(RUN_GOES_ON)) return report;
  const partial = runState(path, hosts);
  return {
    ...report,
    joulemark: { ...joulemark, partial },
    hosts: hosts.map((host) => ({ ...host, joulemark: { ...host.joulemark, partial } })),
  };
}

/** A run that goes on holds the name of its report; of a copy, or on another node, nothing is known. */
function runState(path: string, hosts: readonly ReportHost[]): string {
  const [, wanted] = /^(.*)\.partial$/s.exec(path) ?? [];
  const isOurs = statPath(path)?.uid === libc().geteuid() &&
    hosts.every(({ host }) => isThisHost(host));
  if (wanted === undefined || !isOurs) return "as of the last checkpoint";
  return isClaimed(wanted) ? RUN_GOES_ON : "cut off: no end was written";
}

/** A report of several hosts without the job's totals and statistics, as GEOPM writes, gets them. */
function withTotals(report: Report, path: string): Report {
  const { hosts, joulemark, appended } = report;
  if (hosts.length < 2 || joulemark?.totals !== undefined) return report;
  const merged = mergedReport(path, [taken(report, path)], {});
  return { ...merged, joulemark: { ...merged.joulemark, ...joulemark }, appended };
}

function wrong(target: string, found: string): UsageError {
  const expected = "a report, or a directory with reports";
  return new UsageError({ action: "read", target, expected, found });
}

/** A host that was cut before it has no totals: its regions are kept. */
const NO_TOTALS = ["    Application Totals:", "      runtime (s): nan"];
/** Each try leaves at least a line away. */
const MAX_TRIES = 200;

/**
 * Reads what is whole of a report that was cut, as a killed program or a full disk leaves it, and states in
 * the header where the rest is missing.
 *
 * @throws {FormatError} The first one, if nothing of a report can be kept.
 */
export function repairReport(text: string, path: string, first: FormatError): Report {
  // The last line may be cut in the middle of a number.
  let lines = text.split("\n").slice(0, -1);
  for (let i = 0; i < MAX_TRIES && lines.includes("Hosts:"); i++) {
    const host = lines.findLastIndex((line) => /^ {2}\S/.test(line));
    if (host < 0) break;
    const isTotal = lines.indexOf(NO_TOTALS[0], host) >= 0;
    const tried = isTotal ? lines : [...lines, ...NO_TOTALS];
    try {
      const report = parseLayout(`${tried.join("\n")}\n`, path);
      const partial = `${path} is truncated or damaged; it was read up to line ${lines.length}`;
      return { ...report, joulemark: { ...report.joulemark, partial } };
    } catch (error) {
      if (!(error instanceof FormatError) || error.line < 1) throw error;
      lines = lines.slice(0, Math.min(lines.length - 1, error.line - 1));
    }
  }
  throw first;
}
