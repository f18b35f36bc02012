/**
 * Places that a running monitor still opens, as declared by its readers, its outputs and its
 * session.
 * @module
 */
import type { Reader } from "../../core/machine/host.ts";
import type { Session } from "../../job/place/session.ts";
import { Confiner } from "../../os/confinement/confine.ts";
import type { ConfineCode } from "../../os/inherited.ts";
import { bindForRunning } from "../../os/libc.ts";
import { dropPermissions } from "../../os/confinement/drop_permissions.ts";
import type { Places } from "../../os/confinement/landlock.ts";
import type { RunReport } from "../outputs/run_report.ts";

/** Processes and counters start and end; the kernel decides which may be read. */
const ALWAYS = ["/proc", "/sys"];

/** The parts of a run that declare their needs. */
export interface RunToConfine {
  /** `root`: the tree that is read in place of the machine; empty: none. */
  readonly request: {
    readonly root: string;
    readonly preload: { readonly dialects: readonly string[] };
  };
  readonly session: Pick<Session, "base">;
  readonly batch: { readonly sources: ReadonlySet<string> };
  readonly readers: readonly Reader[];
  /** Files that outputs open. */
  readonly reads: readonly string[];
  /** More samples will be read. */
  readonly goesOn: boolean;
  /** Names of files that are written from here on. */
  readonly site: { readonly written: Iterable<string> };
}

/**
 * Gives up, for good, what a run needs no more; called again, what was not done in time before.
 *
 * @returns Whether all is done.
 */
export function confineRun(
  code: ConfineCode,
  report: Pick<RunReport, "dropped" | "confinement" | "written">,
  run: RunToConfine,
): boolean {
  const isFirst = report.confinement === undefined;
  if (isFirst) bindForRunning();
  report.confinement ??= new Confiner(
    code,
    placesOf(run, [...run.site.written, ...report.written]),
  );
  const isDone = report.confinement.goOn();
  // Code for calls is compiled while the command runs; of one that has ended by then none is needed.
  if (isFirst && run.goesOn) return false;
  report.dropped ??= dropPermissions(run.goesOn);
  return isDone;
}

/** The places of a run. Loops alone: this runs once, and each function more is one to compile. */
export function placesOf(
  run: Omit<RunToConfine, "site" | "goesOn">,
  outputs: readonly string[],
): Places {
  const { readers, batch, request: { root, preload }, session: { base } } = run;
  const reads = [...ALWAYS, ...run.reads], devices: string[] = [], own = [base];
  for (const { name, needs } of readers) {
    if (!batch.sources.has(name)) continue;
    for (const path of needs.files) {
      // Libraries of vendors are in a process of their own.
      if (!path.startsWith("/dev/") || path === "/dev/") continue;
      (path.endsWith("/") ? reads : devices).push(path);
    }
  }
  if (root !== "") reads.push(root);
  // pm_mpi_open(3) names its log when the program calls it, and may name any place.
  if (preload.dialects.includes("pm_mpi")) own.push("/");
  return { reads, devices, own, outputs };
}
