/**
 * Which files of a directory are reports of hosts, and what stands beside them: parts of a job lie
 * in `REPORT.parts/` as `HOST.report`, `HOST.pmc`, `HOST.json`.
 * @module
 */
import { UsageError } from "../core/errors.ts";
import type { ClockPair } from "../merge/clocks.ts";

/** What a node's `HOST.json` says. */
export interface PartFacts {
  readonly format: typeof PART_FORMAT;
  readonly host: string;
  /** Scheduler job and step, or MPI launch. */
  readonly job: string;
  /** Nodes of the job, where its launcher says. */
  readonly nodes?: number;
  /** Their names, where its launcher says. */
  readonly hosts?: readonly string[];
  /** Lowest rank on the node, how many ranks it has, and how many the job has. */
  readonly rank: number;
  readonly localRanks?: number;
  readonly ranks?: number;
  readonly startS: number;
  readonly endS: number;
  readonly clocks: readonly ClockPair[];
  /** The job's PMC log, where one was asked for. */
  readonly pmc?: { readonly file: string; readonly version: string };
}

/** What `format:` says. */
export const PART_FORMAT = "joulemark-part/1";

/** What a node left behind that never finished. */
const CHECKPOINT = ".report.partial";

/**
 * Reports in what the user named: files as they are; a directory's `*.report` and
 * `*.parts/*.report`, sorted, and checkpoints of hosts that left nothing else.
 *
 * @param out Left out: an earlier result may lie among its parts.
 * @throws {UsageError} If something is not there.
 */
export function reportFiles(named: readonly string[], out: string): string[] {
  const found = named.flatMap((path) => {
    const facts = stat(path);
    if (facts === undefined) {
      throw new UsageError({
        action: "merge",
        target: path,
        expected: "a report, or a directory with reports",
        found: "nothing there",
      });
    }
    return facts.isDirectory ? inDirectory(path, true) : [path];
  });
  const own = stat(out);
  return found.filter((path) => {
    if (path === out) return false;
    const facts = own === undefined ? undefined : stat(path);
    return facts === undefined || facts.ino !== own!.ino || facts.dev !== own!.dev;
  });
}

function inDirectory(directory: string, deeper: boolean): string[] {
  const names = [...Deno.readDirSync(directory)].map(({ name }) => name).sort();
  const whole = names.filter((name) => name.endsWith(".report"));
  const done = new Set(whole);
  const paths = whole.map((name) => `${directory}/${name}`);
  for (const name of names) {
    if (deeper && name.endsWith(".parts") && stat(`${directory}/${name}`)?.isDirectory) {
      paths.push(...inDirectory(`${directory}/${name}`, false));
    }
    if (!name.endsWith(CHECKPOINT) || !directory.endsWith(".parts")) continue;
    if (!done.has(name.slice(0, -".partial".length))) paths.push(`${directory}/${name}`);
  }
  return paths;
}

/** `HOST.json` beside a report; `undefined` where there is none, or none of ours. */
export function partFacts(reportPath: string): PartFacts | undefined {
  return readFacts(reportPath.replace(/\.report(\.partial)?$/, ".json"));
}

/** All of a directory, by file name. */
export function allFacts(directory: string): PartFacts[] {
  return [...Deno.readDirSync(directory)].filter(({ name }) => name.endsWith(".json"))
    .map(({ name }) => readFacts(`${directory}/${name}`)).filter((facts) => facts !== undefined);
}

function readFacts(path: string): PartFacts | undefined {
  try {
    const data = JSON.parse(Deno.readTextFileSync(path));
    return data?.format === PART_FORMAT && typeof data.host === "string" ? data : undefined;
  } catch {
    return undefined;
  }
}

/** How many nodes a job has left parts of, and whether those are all. */
export function completeness(parts: readonly PartFacts[]): {
  nodes?: number;
  complete: boolean;
  missing: string[];
} {
  const nodes = Math.max(...parts.map((part) => part.nodes ?? 0), 0);
  const ranks = Math.max(...parts.map((part) => part.ranks ?? 0), 0);
  const here = parts.reduce((sum, part) => sum + (part.localRanks ?? 0), 0);
  const names = new Set(parts.map((part) => part.host));
  const listed = parts.find((part) => part.hosts !== undefined)?.hosts ?? [];
  return {
    ...(nodes > 0 ? { nodes } : {}),
    complete: nodes > 0 ? parts.length >= nodes : ranks > 0 && here >= ranks,
    missing: listed.filter((name) => !names.has(name) && !names.has(name.split(".")[0])),
  };
}

function stat(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(path);
  } catch {
    return undefined;
  }
}
