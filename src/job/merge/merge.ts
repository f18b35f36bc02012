/**
 * Reports of hosts into one report of their job: takes them in one by one, in any order, and keeps
 * only sums and names. The hosts' own sections are copied unchanged.
 *
 * The first report defines the job; of two reports with one host name the first is kept. What
 * is left out is logged in a line each, and the report is then marked `partial`.
 * @module
 */
import { HostNotes } from "../../core/finding.ts";
import { spreadsToNested } from "../../core/process_spread.ts";
import { treeToNested } from "../../core/region_tree.ts";
import { type Nested, present, type Report } from "../../core/report.ts";
import { startSeconds } from "../../core/start_time.ts";
import { stringifyReport } from "../../formats/report.ts";
import { type ClockFacts, clockNotes } from "./clocks.ts";
import { HostStatistics } from "./host_statistics.ts";
import { jobProcesses } from "./job_processes.ts";
import { jobOverhead, jobTotals, jobTree } from "./job_totals.ts";
import { standingOut } from "./outliers.ts";
import { acrossHosts, listed } from "./print_statistics.ts";
import type { ReadReport, ReportDigest } from "./read_report.ts";

/** The caller's facts beside the reports. */
export interface JobFacts {
  /** Number of nodes of the job, if it is known. */
  readonly nodes?: number;
  /** Text on missing parts if the number of nodes is not known. */
  readonly incomplete?: string;
  /** Names of the nodes that left no part. */
  readonly missing?: readonly string[];
  readonly clocks?: readonly ClockFacts[];
}

/** Lines that the report itself keeps; all are logged. */
const KEPT_LINES = 100;
/** Maximum time between the runs of a job's nodes, s: clocks differ, and a launch may be slow. */
const MAX_GAP_S = 60;
/** Maximum time between reports of the same job number, s: a scheduler uses numbers again. */
const MAX_GAP_OF_JOB_S = 86_400;

/** Merges the reports of one job. */
export class ReportMerger {
  /** Left out reports with the reason, a line each. */
  readonly leftOut: string[] = [];
  #leftOutPath = "";
  /** Hosts whose own report is marked partial. */
  readonly partialHosts: string[] = [];
  /** Reports of different runs that were joined by force, a line each. */
  readonly forced: string[] = [];
  readonly #seen = new Map<string, string>();
  #first: { report: Report; path: string } | undefined;
  #startTime = "";
  /** From the first start to the last end of what was taken in; `undefined`: not known. */
  #span: Span | undefined;
  readonly #notes = new HostNotes();
  #simulated: Nested | undefined;
  #exitStatus: Nested | undefined;
  #endedBy: Nested | undefined;

  /**
   * @param statistics Where figures are summed up.
   * @param force Are reports joined that do not belong together?
   */
  constructor(readonly statistics: HostStatistics = new HostStatistics(), readonly force = false) {}

  /** Takes in one report with its figures. @returns Which of its hosts are kept. */
  add(read: ReadReport): boolean[] {
    const kept = this.admit(read.digest);
    read.hosts.forEach((host, i) => kept[i] && this.statistics.add(host));
    return kept;
  }

  /** Decides about one report; its figures come another way. @returns Which hosts are kept. */
  admit(digest: ReportDigest): boolean[] {
    const { path, header } = digest;
    if (header === undefined) {
      this.#leaveOut(path, digest.failure!);
      return digest.hosts.map(() => false);
    }
    const reason = this.#stranger(header, digest);
    if (reason !== undefined && !this.force) {
      this.#leaveOut(path, `${reason}; left out (--force merges it)`);
      return digest.hosts.map(() => false);
    }
    if (reason !== undefined) this.forced.push(`${reason}; joined by --force`);
    const report = header;
    this.#span = spanning(this.#span, runSpan(report, digest.seconds));
    this.#first ??= { report, path };
    if (this.#startTime === "" || report.startTime < this.#startTime) {
      this.#startTime = report.startTime;
    }
    this.#simulated ??= report.joulemark?.simulated;
    this.#endedBy ??= report.joulemark?.["ended by"];
    // The job's is the first one that is not 0.
    this.#exitStatus ||= report.joulemark?.["exit status"];
    return digest.hosts.map(({ host, partial, notes }) => {
      const before = this.#seen.get(host);
      if (before !== undefined) {
        this.#leaveOut(path, `${path}: host ${host} is in ${before} already; left out`);
        return false;
      }
      this.#seen.set(host, path);
      if (partial) this.partialHosts.push(host);
      this.#notes.add(host, notes);
      return true;
    });
  }

  /** Hosts taken in. */
  get hosts(): number {
    return this.#seen.size;
  }

  /** Is the job's report incomplete? */
  isPartial(facts: JobFacts): boolean {
    const lost = facts.nodes !== undefined && this.hosts < facts.nodes;
    return lost || facts.incomplete !== undefined ||
      this.leftOut.length + this.partialHosts.length > 0;
  }

  /** The report up to its first host, whose text follows directly. */
  head(facts: JobFacts = {}): string {
    const { report } = this.#first!;
    const own = this.#own(facts);
    const text = stringifyReport({
      ...report,
      startTime: this.#startTime,
      joulemark: own,
      hosts: [],
      appended: undefined,
    });
    // stringifyReport closes the list of hosts with one empty line.
    return text.slice(0, -1);
  }

  #own(facts: JobFacts): { [key: string]: Nested } {
    const { statistics } = this;
    const { version, job, cluster, user, bench } = this.#first!.report.joulemark ?? {};
    const totals = jobTotals(statistics);
    const standing = this.hosts > 1 ? standingOut(statistics) : undefined;
    const spreads = jobProcesses(statistics), tree = jobTree(statistics);
    return present({
      version,
      job,
      cluster,
      user,
      simulated: this.#simulated,
      bench,
      "exit status": this.#exitStatus,
      "ended by": this.#endedBy,
      partial: this.isPartial(facts) ? this.#partial(facts) : undefined,
      hosts: this.hosts,
      "hosts missing": bounded([...facts.missing ?? []].sort()),
      "hosts partial": bounded([...this.partialHosts].sort()),
      "left out": bounded(this.leftOut),
      "joined by force": bounded(this.forced),
      totals,
      overhead: jobOverhead(statistics),
      notes: bounded(this.#notes.lines()),
      clocks: clockNotes(facts.clocks ?? []),
      stragglers: standing && listed(standing.stragglers),
      outliers: standing && listed(standing.outliers),
      "across hosts": standing && acrossHosts(statistics),
      "across processes": spreads.length > 0 ? spreadsToNested(spreads) : undefined,
      tree: tree && treeToNested(tree),
    });
  }

  #leaveOut(path: string, line: string): void {
    this.leftOut.push(line);
    this.#leftOutPath = path;
  }

  #partial(facts: JobFacts): string {
    const parts: string[] = [];
    const { nodes } = facts;
    if (nodes !== undefined && this.hosts < nodes) parts.push(`${this.hosts} of ${nodes} hosts`);
    if (facts.incomplete !== undefined) parts.push(facts.incomplete);
    const leftOut = this.leftOut.length;
    if (leftOut === 1) parts.push(`1 report left out: ${this.#leftOutPath}`);
    if (leftOut > 1) parts.push(`${leftOut} reports left out`);
    if (this.partialHosts.length > 0) {
      const hosts = this.partialHosts.length;
      parts.push(hosts === 1 ? "1 partial host" : `${hosts} partial hosts`);
    }
    return parts.join(", ");
  }

  /** Why a report is none of this job; `undefined`: it is. */
  #stranger(report: Report, { path, seconds }: ReportDigest): string | undefined {
    if (this.#first === undefined) return undefined;
    const first = this.#first.report;
    const differs = (what: string, own: unknown, wanted: unknown) =>
      `${path}: ${what} ${JSON.stringify(own)}, the first report (${this.#first!.path}) has ` +
      JSON.stringify(wanted);
    if (report.version !== first.version) return differs("version", report.version, first.version);
    if (report.profile !== first.profile) return differs("profile", report.profile, first.profile);
    if (report.agent !== first.agent) return differs("agent", report.agent, first.agent);
    const [own, wanted] = [report.joulemark?.job, first.joulemark?.job];
    const sameJob = own !== undefined && own === wanted;
    if (own !== undefined && wanted !== undefined && !sameJob) return differs("job", own, wanted);
    const gap = gapS(this.#span, runSpan(report, seconds));
    if (gap <= (sameJob ? MAX_GAP_OF_JOB_S : MAX_GAP_S)) return undefined;
    return `${differs("start time", report.startTime, first.startTime)}: ` +
      `${Math.round(gap)} s lie between the runs`;
  }
}

/** `undefined`: there are none. */
function bounded(lines: readonly string[]): string[] | undefined {
  if (lines.length <= KEPT_LINES) return lines.length > 0 ? [...lines] : undefined;
  return [...lines.slice(0, KEPT_LINES), `and ${lines.length - KEPT_LINES} more`];
}

/** Time span of a run, in seconds since 1970. */
interface Span {
  readonly fromS: number;
  readonly toS: number;
}

/**
 * From start to end; `undefined` if the report has no time that can be read.
 *
 * @param seconds How long it ran. @default 0, if it is not known
 */
function runSpan({ startTime }: Report, seconds = 0): Span | undefined {
  const fromS = startSeconds(startTime);
  return fromS === fromS ? { fromS, toS: fromS + seconds } : undefined;
}

/** Span of both; unknown ones are ignored. */
function spanning(a: Span | undefined, b: Span | undefined): Span | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return { fromS: Math.min(a.fromS, b.fromS), toS: Math.max(a.toS, b.toS) };
}

/** Time between two runs, s; 0 if they overlap, or if it is not known. */
function gapS(a: Span | undefined, b: Span | undefined): number {
  if (a === undefined || b === undefined) return 0;
  return Math.max(0, a.fromS - b.toS, b.fromS - a.toS);
}
