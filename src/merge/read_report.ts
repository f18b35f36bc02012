/**
 * One file on its way into the job's report: read, found whole, and taken apart into what decides
 * whether it belongs to the job and what is merged.
 * @module
 */
import { FormatError } from "../core/errors.ts";
import type { Nested, Report, ReportHost } from "../core/report.ts";
import { parseReport, stringifyReport } from "../formats/report.ts";

/** Reads what is not laid out as a report; throws the error for the user. */
export type OtherReader = (text: string, path: string) => Report;

/** What decides about a report, without its figures: small, so that it can travel. */
export interface ReportDigest {
  readonly path: string;
  /** Why it cannot be read; nothing else is known then. */
  readonly failure?: string;
  /** Without hosts. */
  readonly header?: Report;
  /** The longest runtime of its hosts; absent where none is known. */
  readonly seconds?: number;
  readonly hosts: readonly {
    readonly host: string;
    /** Its own report is marked partial. */
    readonly partial: boolean;
    /** Bytes of its section. */
    readonly bytes: number;
  }[];
}

/** A report, taken apart. */
export interface ReadReport {
  readonly digest: ReportDigest;
  readonly hosts: readonly ReportHost[];
  /** Each host's section unchanged, in UTF-8. */
  readonly texts: readonly Uint8Array<ArrayBuffer>[];
}

/** The last line of GEOPM's own last section. */
const LAST_KEY = "geopmctl network BW (B/s)";
const encoder = new TextEncoder();

/** @param text `undefined`: the file could not be read, for the reason in `failure`. */
export function readReport(
  text: string | undefined,
  path: string,
  { otherwise, failure }: { otherwise?: OtherReader; failure?: string } = {},
): ReadReport {
  const nothing = (reason: string) => ({
    digest: { path, failure: reason, hosts: [] },
    hosts: [],
    texts: [],
  });
  if (text === undefined) return nothing(`${path}: ${failure ?? "cannot be read"}; left out`);
  let report: Report;
  let sections: string[];
  try {
    ({ report, sections } = parsed(text, path, otherwise));
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return nothing(error.message);
  }
  const { hosts, appended: _, ...header } = report;
  const texts = sections.map((section) => encoder.encode(section));
  const isSet = (value: Nested | undefined) => value !== undefined && value !== false;
  const seconds = hosts.map(({ application }) => Number(application["runtime (s)"]))
    .filter((value) => value >= 0);
  const whole = isSet(report.joulemark?.partial);
  return {
    digest: {
      path,
      header: { ...header, hosts: [] },
      ...(seconds.length === 0 ? {} : { seconds: Math.max(...seconds) }),
      hosts: hosts.map(({ host, joulemark }, i) => ({
        host,
        partial: whole || isSet(joulemark?.partial),
        bytes: texts[i].length,
      })),
    },
    hosts,
    texts,
  };
}

function parsed(
  text: string,
  path: string,
  otherwise: OtherReader | undefined,
): { report: Report; sections: string[] } {
  let report: Report;
  try {
    report = parseReport(text, path);
  } catch (error) {
    if (!(error instanceof FormatError) || otherwise === undefined) throw error;
    // Cut in the middle, it is no better as YAML.
    if (!text.endsWith("\n")) throw torn(path, text);
    report = otherwise(text, path);
    return { report, sections: report.hosts.map((host) => written(report, host)) };
  }
  if (!isWhole(text, report)) throw torn(path, text);
  if (report.hosts.length === 0) {
    const complaint = { action: "merge", expected: "a report with a host", found: "none" };
    throw new FormatError(path, 0, complaint);
  }
  const sections = hostTexts(text);
  return sections.length === report.hosts.length
    ? { report, sections }
    : { report, sections: report.hosts.map((host) => written(report, host)) };
}

/** Does the text end as a report does? One that is cut may be read without an error. */
export function isWhole(text: string, report: Report): boolean {
  if (text.endsWith("\n\n") || report.appended !== undefined) return true;
  // Copies of GEOPM's own may lack the empty line; after ours there is more than its last key.
  return text.endsWith("\n") && !report.version.includes("+joulemark") &&
    report.hosts.at(-1)?.application[LAST_KEY] !== undefined;
}

function torn(path: string, text: string): FormatError {
  return cutReport(path, text, { action: "merge", remedy: "it is left out" });
}

/** The error for a report that is cut. */
export function cutReport(
  path: string,
  text: string,
  complaint: { action: string; remedy?: string },
): FormatError {
  return new FormatError(path, text.split("\n").length, {
    expected: "a whole report, which ends in an empty line",
    found: "one that is cut there",
    ...complaint,
  });
}

/** One host's section as stringifyReport has it. */
function written(report: Report, host: ReportHost): string {
  const { hosts: _hosts, appended: _appended, ...header } = report;
  const text = stringifyReport({ ...header, hosts: [host] });
  return hostTexts(text)[0];
}

const HOSTS = "\nHosts:\n";

/** Unchanged texts of the hosts, since what is not changed is not printed again, in the order of the file, each with its heading, ending in LF. */
export function hostTexts(text: string): string[] {
  const start = text.indexOf(HOSTS) + HOSTS.length;
  const from: number[] = [];
  let end = text.length;
  for (let at = start; at < text.length;) {
    // A heading is two blanks deep, everything of its host deeper.
    if (text.charCodeAt(at) !== 32) {
      end = at;
      break;
    }
    if (text.charCodeAt(at + 2) !== 32) from.push(at);
    const next = text.indexOf("\n", at);
    if (next < 0) break;
    at = next + 1;
  }
  return from.map((at, i) => text.slice(at, from[i + 1] ?? end));
}
