/**
 * One file on its way into the job's report: read, found whole, and taken apart into what decides
 * whether it belongs to the job and what is merged.
 * @module
 */
import { FormatError } from "../../core/errors.ts";
import type { Nested, Report, ReportHost } from "../../core/report.ts";
import { parseWholeReport, stringifyReport } from "../../formats/report.ts";

/** Facts that decide on a report, without its values: small, so that they can travel. */
export interface ReportDigest {
  readonly path: string;
  /** Why it cannot be read; nothing else is known then. */
  readonly failure?: string;
  /** Header without hosts. */
  readonly header?: Report;
  /** The longest runtime of its hosts; absent if none is known. */
  readonly seconds?: number;
  readonly hosts: readonly {
    readonly host: string;
    /** True if the report itself is marked partial. */
    readonly partial: boolean;
    /** Notes of the report, a few. */
    readonly notes: readonly string[];
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

/** Notes of a host that its job's report may have. */
const MAX_NOTES = 8;

const encoder = new TextEncoder();

/** @param text `undefined`: the file could not be read, for the reason in `failure`. */
export function readReport(
  text: string | undefined,
  path: string,
  failure?: string,
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
    ({ report, sections } = parsed(text, path));
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return nothing(`${error.message}. It is left out`);
  }
  return taken(report, path, sections.map((section) => encoder.encode(section)));
}

/**
 * Takes a report apart.
 *
 * @param texts Each host's section. @default none, for a report that is not written
 */
export function taken(
  report: Report,
  path: string,
  texts: readonly Uint8Array<ArrayBuffer>[] = [],
): ReadReport {
  const { hosts, appended: _, ...header } = report;
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
        notes: notesOf(joulemark?.notes),
        bytes: texts[i]?.length ?? 0,
      })),
    },
    hosts,
    texts,
  };
}

function notesOf(notes: Nested | undefined): string[] {
  const list = Array.isArray(notes) ? notes.filter((note) => typeof note === "string") : [];
  return list.slice(0, MAX_NOTES);
}

function parsed(text: string, path: string): { report: Report; sections: string[] } {
  const { report, isLaidOut } = parseWholeReport(text, path);
  const sections = isLaidOut ? hostTexts(text) : [];
  return sections.length === report.hosts.length
    ? { report, sections }
    : { report, sections: report.hosts.map((host) => written(report, host)) };
}

/** One host's section as stringifyReport has it. */
function written(report: Report, host: ReportHost): string {
  const { hosts: _hosts, appended: _appended, ...header } = report;
  const text = stringifyReport({ ...header, hosts: [host] });
  return hostTexts(text)[0];
}

const HOSTS = "\nHosts:\n";

/** Unchanged texts of the hosts in the order of the file, each with its heading, ending in LF. */
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
