/**
 * Reports of hosts in a directory, and the files of each: parts of a job are in `REPORT.parts/` as
 * `HOST.report`, `HOST.pmc`, `HOST.json`.
 * @module
 */
import { UsageError } from "../../core/errors.ts";
import { listDirectory, readWhole, statPath } from "../../os/files.ts";
import { removeUserFile } from "../../os/output_place.ts";
import { isDirectory, otherKind, readFoundText } from "../../os/user_file.ts";
import type { ClockPair } from "../merge/clocks.ts";
import type { JobFacts } from "../merge/merge.ts";
import type { JobNode } from "./place.ts";

/** Facts about a job's launch in a node's part. */
type Launched = Pick<JobNode, "job" | "nodes" | "hosts" | "rank" | "localRanks" | "ranks">;

/** A node's `HOST.json`. */
export interface PartFacts extends Launched {
  readonly format: typeof PART_FORMAT;
  readonly host: string;
  readonly startS: number;
  /** 0 while it runs. */
  readonly endS: number;
  /** Process of the monitor. */
  readonly pid?: number;
  /** Time without a new file after which the node has ended, s. */
  readonly aliveS?: number;
  readonly clocks: readonly ClockPair[];
  /** The job's PMC log, if one was asked for. */
  readonly pmc?: { readonly file: string; readonly version: string };
}

/** The value of `format:`. */
export const PART_FORMAT = "joulemark-part/1";

/** End of the file with what counters beyond 2^53 have more than the doubles of `HOST.pmc` hold. */
export const PMC_RESTS = "pmc-rests";
/** Ending of the file with a run over time, which is beside its report. */
export const TIMELINE = "timeline";
/** Name of that file for people. */
export const BESIDE_REPORT = "the timeline beside the report (see --no-timeline)";

/** `X.report` → `X.timeline`; other names get `.timeline` added. */
export function timelinePath(reportPath: string): string {
  return `${reportPath.replace(/\.report$/, "")}.${TIMELINE}`;
}

/** Name of a report; a run that found its name taken added a number. */
export const IS_REPORT = /\.report(-\d+)?$/;
/** Bytes in which the head of a report lies. */
const HEAD_BYTES = 65_536;
/** Suffix of the directory with the parts of a report. */
const PARTS = ".parts";
/** Suffix of the file that a node leaves if it never finishes. */
const CHECKPOINT = ".report.partial";

/** Are two paths one file? */
function isSameFile(a: string, b: string): boolean {
  if (a === b) return true;
  const [own, other] = [statPath(a), statPath(b)];
  return own !== undefined && other !== undefined && own.inode === other.inode &&
    own.device === other.device;
}

/**
 * Refuses a result among what it is made from.
 *
 * @throws {UsageError} Before anything is read.
 */
export function refuseOutputAmongInputs(
  named: readonly string[],
  out: string | undefined,
  action = "merge into",
): void {
  const same = out === undefined ? undefined : named.find((path) => isSameFile(path, out));
  if (out === undefined || same === undefined) return;
  throw new UsageError({
    action,
    target: out,
    expected: "a file that is not one of the inputs",
    found: same === out ? "it among them" : `${same}, which is the same file`,
    remedy: "choose another name after -o",
  });
}

/**
 * Reports in what the user named: files as they are; a directory's `*.report`,
 * `*.report-N` and `*.parts/*.report`, sorted, and checkpoints of hosts that left nothing else.
 * Beside its parts the report of a job is left out, since it is made of them.
 *
 * A name without a file stays in the list, so that its reader tells it: the report of a node that was lost.
 *
 * @param out Left out: an earlier result may be among its parts.
 * @param log Called with a line about it.
 * @throws {UsageError} If nothing that was named exists.
 */
export function reportFiles(
  named: readonly string[],
  out: string,
  log: (line: string) => void = () => {},
): string[] {
  if (named.every((path) => statPath(path) === undefined)) {
    throw new UsageError({
      action: "merge",
      target: named[0],
      expected: "a report, or a directory with reports",
      found: "nothing there",
    });
  }
  const found = named.flatMap((path) => isDirectory(path) ? withParts(path, log) : [path]);
  return found.filter((path) => {
    const isOut = isSameFile(path, out);
    if (!isOut) return true;
    if (!isMerged(path)) refuseOutputAmongInputs([path], out);
    log(`${path}: left out, because it is the earlier result`);
    return false;
  });
}

/** Is a report the result of a merge? Its head says of how many hosts. */
function isMerged(path: string): boolean {
  const head = readWhole(path, HEAD_BYTES);
  return head !== undefined && /^ {2}hosts: \d+$/m.test(new TextDecoder().decode(head));
}

function withParts(directory: string, log: (line: string) => void): string[] {
  const parts = listDirectory(directory).map((name) => `${directory}/${name}`)
    .filter((path) => path.endsWith(PARTS) && isDirectory(path))
    .map((path) => [path.slice(0, -PARTS.length), reportsIn(path, log)] as const)
    .filter(([, reports]) => reports.length > 0);
  const made = new Set(parts.map(([report]) => report));
  const whole = reportsIn(directory, log).filter((path) => !made.has(path));
  return [...whole, ...parts.flatMap(([, reports]) => reports)];
}

/** Reports in a directory itself, sorted; of parts also checkpoints of hosts that left nothing else. */
export function reportsIn(directory: string, log: (line: string) => void = () => {}): string[] {
  const names = listDirectory(directory);
  const isFile = (name: string) => {
    const path = `${directory}/${name}`;
    const kind = otherKind(path);
    if (kind !== undefined) log(`${path}: left out, because it is ${kind}`);
    return kind === undefined;
  };
  const whole = names.filter((name) => IS_REPORT.test(name) && isFile(name));
  const done = new Set(whole);
  const paths = whole.map((name) => `${directory}/${name}`);
  for (const name of names) {
    if (!name.endsWith(CHECKPOINT) || !directory.endsWith(PARTS)) continue;
    const report = name.slice(0, -".partial".length);
    if (!done.has(report) && isFile(name)) paths.push(`${directory}/${name}`);
  }
  return paths;
}

/** `HOST.json` beside a report; `undefined` if there is none, or none of ours. */
export function partFacts(reportPath: string): PartFacts | undefined {
  return readFacts(reportPath.replace(/\.report(\.partial)?$/, ".json"));
}

/** All of a directory, by file name. */
export function allFacts(directory: string): PartFacts[] {
  return listDirectory(directory).filter((name) => name.endsWith(".json"))
    .map((name) => readFacts(`${directory}/${name}`)).filter((facts) => facts !== undefined);
}

/** A job by its key, and by time if the key may be another one's too. */
export interface JobMark {
  readonly job: string;
  readonly weak: boolean;
  readonly startS: number;
}

/** Clocks of nodes may differ, and nodes may start apart. */
const APART_S = 600;

/** Is a part of that job? */
export function sameJob(part: PartFacts, mark: JobMark): boolean {
  if (part.job !== mark.job) return false;
  return !mark.weak || Math.abs(part.startS - mark.startS) < APART_S &&
      (part.endS === 0 || part.endS > mark.startS - 1);
}

/** Removes what a host left, the report's name given. */
export function removePart(reportPath: string): void {
  const stem = reportPath.replace(/\.report$/, "");
  const ends = ["report", "report.partial", "pmc", PMC_RESTS, TIMELINE, "json"];
  for (const end of ends) removeUserFile(`${stem}.${end}`);
  for (let i = 0; statPath(`${stem}.cali-${i}`) !== undefined; i++) {
    removeUserFile(`${stem}.cali-${i}`);
  }
}

function readFacts(path: string): PartFacts | undefined {
  try {
    const data = JSON.parse(readFoundText(path));
    return data?.format === PART_FORMAT && typeof data.host === "string" ? data : undefined;
  } catch {
    return undefined;
  }
}

/** Number of a job's finished nodes, and if these are all. */
export function completeness(parts: readonly PartFacts[]): {
  nodes?: number;
  complete: boolean;
  /** Text on missing parts, if nodes are not known. */
  incomplete?: string;
  missing: string[];
} {
  parts = parts.filter((part) => part.endS > 0);
  const nodes = Math.max(...parts.map((part) => part.nodes ?? 0), 0);
  const ranks = Math.max(...parts.map((part) => part.ranks ?? 0), 0);
  const here = parts.reduce((sum, part) => sum + (part.localRanks ?? 0), 0);
  const names = new Set(parts.map((part) => part.host));
  const listed = parts.find((part) => part.hosts !== undefined)?.hosts ?? [];
  const isMissingRanks = nodes === 0 && ranks > 0 && here < ranks;
  return {
    ...(nodes > 0 ? { nodes } : {}),
    ...(isMissingRanks ? { incomplete: `nodes of ${here} of ${ranks} ranks` } : {}),
    complete: nodes > 0 ? parts.length >= nodes : ranks > 0 && here >= ranks,
    missing: listed.filter((name) => !names.has(name) && !names.has(name.split(".")[0])),
  };
}

/** The job's facts from all its parts; nothing if they are of several jobs. */
export function jobFacts(parts: readonly PartFacts[]): JobFacts {
  const own = parts.filter((part) => part.job === parts[0].job);
  if (own.length === 0) return {};
  return { ...completeness(own), clocks: own };
}
