/**
 * Reports of hosts into one report of their job: takes them in one by one, in any order, and keeps
 * only sums and names. The hosts' own sections go through as they stand.
 *
 * The first report says which job it is; of two reports with one host name the first is kept. What
 * is left out is told in a line each, and the report then says `partial`.
 * @module
 */
import { FormatError } from "../core/errors.ts";
import type { Nested, Report } from "../core/report.ts";
import { parseReport, stringifyReport } from "../formats/report.ts";
import { type ClockFacts, clockNotes } from "./clocks.ts";
import { HostStatistics } from "./host_statistics.ts";
import { standingOut } from "./outliers.ts";
import { acrossHosts, listed } from "./print_statistics.ts";
import { hostTexts } from "./sections.ts";

/** One host's section on its way. */
export interface HostText {
  readonly host: string;
  readonly text: string;
}

/** What a merger may be given. */
export interface MergerOptions {
  /** Reads what is not laid out as a report; throws what the user is to be told. */
  readonly otherwise?: (text: string, path: string) => Report;
}

/** What the caller knows beside the reports. */
export interface JobFacts {
  /** Nodes that the job has, where that is known. */
  readonly nodes?: number;
  /** What is missing where the number of nodes is not known. */
  readonly incomplete?: string;
  /** Names of the nodes that left no part. */
  readonly missing?: readonly string[];
  readonly clocks?: readonly ClockFacts[];
}

/** The last lines of GEOPM's own last section. */
const LAST_KEY = "geopmctl network BW (B/s)";
/** Lines that the report itself keeps; all are told. */
const KEPT_LINES = 100;

/** See the module. */
export class ReportMerger {
  readonly statistics = new HostStatistics();
  /** What was left out and why, a line each. */
  readonly leftOut: string[] = [];
  /** Hosts whose own report says partial. */
  readonly partialHosts: string[] = [];
  readonly #seen = new Map<string, string>();
  readonly #otherwise: MergerOptions["otherwise"];
  #first: { report: Report; path: string } | undefined;
  #startTime = "";
  #simulated: Nested | undefined;

  constructor(options: MergerOptions = {}) {
    this.#otherwise = options.otherwise;
  }

  /** Takes in one report. @returns Sections to keep: none when it was left out. */
  add(text: string, path: string): HostText[] {
    let report: Report;
    let texts: string[];
    try {
      ({ report, texts } = this.#read(text, path));
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      this.leftOut.push(error.message);
      return [];
    }
    const stranger = this.#stranger(report, path);
    if (stranger !== undefined) {
      this.leftOut.push(stranger);
      return [];
    }
    this.#first ??= { report: { ...report, hosts: [] }, path };
    if (this.#startTime === "" || report.startTime < this.#startTime) {
      this.#startTime = report.startTime;
    }
    this.#simulated ??= report.joulemark?.simulated;
    const kept: HostText[] = [];
    report.hosts.forEach((host, i) => {
      const before = this.#seen.get(host.host);
      if (before !== undefined) {
        this.leftOut.push(`${path}: host ${host.host} is in ${before} already; left out`);
        return;
      }
      this.#seen.set(host.host, path);
      const isPartial = host.joulemark?.partial ?? report.joulemark?.partial;
      if (isPartial !== undefined && isPartial !== false) this.partialHosts.push(host.host);
      this.statistics.add(host);
      kept.push({ host: host.host, text: texts[i] });
    });
    return kept;
  }

  /** Hosts taken in. */
  get hosts(): number {
    return this.#seen.size;
  }

  /** Does the job's report say less than it should? */
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
    const { report } = this.#first!;
    const { statistics } = this;
    const own: { [key: string]: Nested } = {};
    for (const key of ["version", "job"]) {
      const value = report.joulemark?.[key];
      if (value !== undefined) own[key] = value;
    }
    if (this.#simulated !== undefined) own.simulated = this.#simulated;
    if (this.isPartial(facts)) own.partial = this.#partial(facts);
    own.hosts = this.hosts;
    if (facts.missing !== undefined && facts.missing.length > 0) {
      own["hosts missing"] = bounded([...facts.missing].sort());
    }
    if (this.partialHosts.length > 0) own["hosts partial"] = bounded([...this.partialHosts].sort());
    if (this.leftOut.length > 0) own["left out"] = bounded(this.leftOut);
    const clocks = clockNotes(facts.clocks ?? []);
    if (clocks !== undefined) own.clocks = clocks;
    if (this.hosts > 1) {
      const { stragglers, outliers } = standingOut(statistics);
      own.stragglers = listed(stragglers);
      own.outliers = listed(outliers);
      own["across hosts"] = acrossHosts(statistics);
    }
    return own;
  }

  #partial(facts: JobFacts): string {
    const parts: string[] = [];
    const { nodes } = facts;
    if (nodes !== undefined && this.hosts < nodes) parts.push(`${this.hosts} of ${nodes} hosts`);
    if (facts.incomplete !== undefined) parts.push(facts.incomplete);
    if (this.leftOut.length > 0) parts.push(`${this.leftOut.length} reports left out`);
    if (this.partialHosts.length > 0) {
      parts.push(`${this.partialHosts.length} hosts that are partial themselves`);
    }
    return parts.join(", ");
  }

  #read(text: string, path: string): { report: Report; texts: string[] } {
    let report: Report;
    try {
      report = parseReport(text, path);
    } catch (error) {
      if (!(error instanceof FormatError) || this.#otherwise === undefined) throw error;
      // Cut in the middle, it is no better as YAML.
      if (!text.endsWith("\n")) throw torn(path, text);
      report = this.#otherwise(text, path);
      return { report, texts: report.hosts.map((host) => written(report, host)) };
    }
    const whole = text.endsWith("\n\n") || report.appended !== undefined ||
      (text.endsWith("\n") && report.hosts.at(-1)?.application[LAST_KEY] !== undefined);
    if (!whole) throw torn(path, text);
    if (report.hosts.length === 0) {
      const complaint = { action: "merge", expected: "a report with a host", found: "none" };
      throw new FormatError(path, 0, complaint);
    }
    const texts = hostTexts(text);
    return texts.length === report.hosts.length
      ? { report, texts }
      : { report, texts: report.hosts.map((host) => written(report, host)) };
  }

  /** Why a report is none of this job; `undefined`: it is. */
  #stranger(report: Report, path: string): string | undefined {
    if (this.#first === undefined) return undefined;
    const first = this.#first.report;
    const differs = (what: string, own: unknown, wanted: unknown) =>
      `${path}: ${what} ${JSON.stringify(own)}, the first report (${this.#first!.path}) has ` +
      `${JSON.stringify(wanted)}; left out`;
    if (report.version !== first.version) return differs("version", report.version, first.version);
    if (report.profile !== first.profile) return differs("profile", report.profile, first.profile);
    if (report.agent !== first.agent) return differs("agent", report.agent, first.agent);
    const [own, wanted] = [report.joulemark?.job, first.joulemark?.job];
    if (own !== undefined && wanted !== undefined && own !== wanted) {
      return differs("job", own, wanted);
    }
    return undefined;
  }
}

function torn(path: string, text: string): FormatError {
  return new FormatError(path, text.split("\n").length, {
    action: "merge",
    expected: "a whole report, which ends in an empty line",
    found: "one that is cut there",
    remedy: "it is left out",
  });
}

/** One host's section as stringifyReport has it. */
function written(report: Report, host: Report["hosts"][number]): string {
  const { hosts: _hosts, appended: _appended, ...header } = report;
  const text = stringifyReport({ ...header, hosts: [host] });
  return hostTexts(text)[0];
}

function bounded(lines: readonly string[]): string[] {
  if (lines.length <= KEPT_LINES) return [...lines];
  return [...lines.slice(0, KEPT_LINES), `and ${lines.length - KEPT_LINES} more`];
}
