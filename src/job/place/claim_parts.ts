/**
 * The report's name of a job of several nodes: all nodes of a launch get the same one, and no other launch that
 * runs at the same time has it. The first node of a launch claims the name by its `HOST.json`, while it holds a
 * lock on the first choice; the others find that file.
 * @module
 */
import { listDirectory, statPath } from "../../os/files.ts";
import { makeDirectories, makeNewDirectory, removeEmptyDirectory } from "../../os/output_place.ts";
import { monotonicNanoseconds, sleepUntil } from "../../os/clock.ts";
import { isAlive } from "../../os/process.ts";
import { directoryOf, isClaimed } from "./claim.ts";
import { allFacts, completeness, type PartFacts } from "./part_files.ts";

const LOCK = "claim.lock", MAX_NAMES = 1000;
/** Wait for the lock at most, and between two looks. */
const PATIENCE_NS = 5e9, LOOK_NS = 20e6;
/** A node without a checkpoint of late has ended. */
const STALE_NODE_S = 60;

/** A launch that wants a name. */
export interface Claimant {
  /** Is a part one of the same launch? */
  isOurs(part: PartFacts): boolean;
  readonly host: string;
  /** The job was started again: files of earlier starts stay. */
  readonly isRequeued: boolean;
  /** Records in the directory that this node has begun. */
  begin(directory: string): void;
}

/** @returns The report's name: the wanted one, or it with `-2`, `-3`, … */
export function claimParts(wanted: string, claimant: Claimant): string {
  const first = directoryOf(wanted), lock = `${first}/${LOCK}`;
  makeDirectories(first);
  for (const endNs = monotonicNanoseconds() + PATIENCE_NS;;) {
    const ours = names(wanted).find((name) => isOf(claimant, allFacts(directoryOf(name))));
    if (ours !== undefined) {
      claimant.begin(directoryOf(ours));
      return ours;
    }
    // A lock that is held for so long belonged to a process that has ended.
    if (makeNewDirectory(lock) || monotonicNanoseconds() > endNs) {
      try {
        // The file server's clock says how old the files there are.
        return claimFree(wanted, claimant, timeS(lock) || Date.now() / 1000);
      } finally {
        removeEmptyDirectory(lock);
      }
    }
    sleepUntil(monotonicNanoseconds() + LOOK_NS);
  }
}

/** Do the nodes of a job make this report, as far as this host can see? */
export function isJobReport(report: string, host: string): boolean {
  const directory = directoryOf(report);
  return runs(allFacts(directory), host, { directory, nowS: Date.now() / 1000 });
}

function claimFree(wanted: string, claimant: Claimant, nowS: number): string {
  for (const name of names(wanted, true)) {
    const directory = directoryOf(name), parts = allFacts(directory);
    if (isClaimed(name)) {
      // The other nodes look on behind a name that has a directory.
      makeDirectories(directory);
      continue;
    }
    if (!isOf(claimant, parts)) {
      const isOld = parts.length > 0 || statPath(name) !== undefined;
      if (claimant.isRequeued && isOld || runs(parts, claimant.host, { directory, nowS })) continue;
    }
    makeDirectories(directory);
    claimant.begin(directory);
    return name;
  }
  return wanted;
}

/** Are parts of this launch among these? Launches without a name of their own differ by a node that runs both. */
function isOf(claimant: Claimant, parts: readonly PartFacts[]): boolean {
  const here = parts.find(({ host }) => host === claimant.host);
  return parts.some((part) => claimant.isOurs(part)) && !(here !== undefined && runsHere(here));
}

/** Does a part's monitor run on this host? */
function runsHere({ endS, pid }: PartFacts): boolean {
  return endS === 0 && pid !== undefined && pid !== Deno.pid && isAlive(pid);
}

/** Names that have parts, and the first one that has none if that is wanted too. */
function* names(wanted: string, withNext = false): Generator<string> {
  for (let n = 1; n <= MAX_NAMES; n++) {
    const name = n === 1 ? wanted : `${wanted}-${n}`;
    const isThere = () => statPath(directoryOf(name)) !== undefined;
    if (withNext || isThere()) yield name;
    if (!isThere()) return;
  }
}

/** Is any launch that left these parts still running, as far as this node can see? */
function runs(
  parts: readonly PartFacts[],
  host: string,
  { directory, nowS }: { directory: string; nowS: number },
): boolean {
  return [...Map.groupBy(parts, ({ job }) => job).values()].some((launch) => {
    if (completeness(launch).complete) return false;
    return launch.some((part) => {
      if (part.endS > 0) return false;
      if (part.host === host && part.pid !== undefined) return runsHere(part);
      const own = listDirectory(directory).filter((name) => name.startsWith(`${part.host}.`));
      const sinceS = nowS - (part.aliveS ?? STALE_NODE_S);
      return own.some((name) => timeS(`${directory}/${name}`) > sinceS);
    });
  });
}

/** Time when a file was changed last, s; NaN: it is not there. */
function timeS(path: string): number {
  const facts = statPath(path);
  return facts === undefined ? NaN : Number(facts.modifiedNs) / 1e9;
}
