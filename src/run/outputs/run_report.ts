/**
 * The report of a run: claimed before it starts, kept in a journal while it goes on, written and
 * summarized at its end.
 * @module
 */
import { baseName } from "../../core/names.ts";
import type { Host } from "../../core/machine/host.ts";
import type { AccessError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import { type Nested, present, type Report, RUN_GOES_ON } from "../../core/report.ts";
import { parseReport, reportPieces } from "../../formats/report.ts";
import type { Confiner } from "../../os/confinement/confine.ts";
import { statPath } from "../../os/files.ts";
import { absolutePath } from "../../os/home.ts";
import { Reserve } from "../../os/files/reserve.ts";
import { isWrittenInto, removeUserFile } from "../../os/output_place.ts";
import { machineFacts } from "./machine_facts.ts";
import { type Claim, claimPath, movedText } from "../../job/place/claim.ts";
import { Journal } from "../../job/place/journal.ts";
import { journalPath, keepLeftover, nameReport } from "../../job/place/recover.ts";
import type { Collector } from "../../marks/rings/collector.ts";
import { type FactSources, hostFacts, type RunFacts } from "./facts.ts";
import { addNotes, findings } from "./findings.ts";
import { summaryFacts } from "../../show/analysis/summary_facts.ts";
import type { LoopFigures } from "./loop_figures.ts";
import { probeDocument, unwritable, writeDocument } from "../../os/files/whole_file.ts";
import { isOnServer } from "../../os/files/server_mount.ts";
import { OsError } from "../../os/user_file.ts";
import { JobShare } from "./job_share.ts";
import { timelinePath } from "../../job/place/part_files.ts";
import type { JobPart } from "../../job/place/parts.ts";
import type { RunOwner } from "../../job/place/place.ts";
import type { RunIdle } from "./run_idle.ts";
import { type EntryKind, RunJournal } from "./run_journal.ts";
import type { ReportExtras, ReportPlace } from "./run_view.ts";

const S_IFLNK = 0o120000;
/** Kept free on the disk for the report at the end: some hundred regions with their fields. */
const RESERVED_BYTES = 1 << 20;
/** Time between two entries of the journal at most, s, if the report is not on a file server. */
const JOURNAL_S = 0.9;

/** Parts of the report. */
export interface RunReportOptions extends RunFacts {
  /** `3.1.0+joulemark.X.Y.Z`. */
  readonly version: string;
  /** Part of this node in a job of several. */
  readonly part?: JobPart;
  /** Do nodes of a job make this report? */
  isJobReport(path: string): boolean;
  /** Owner of the run. */
  readonly owner: RunOwner;
  /** The idle baseline that was asked for. */
  readonly idle?: RunIdle;
  readonly node: Host;
  /** Lines that are not in the files of outputs, by file. */
  lostLines?(): Record<string, number>;
  log(line: string): void;
  /** Called while a long report is being made, to show that the monitor is alive. */
  alive?(): void;
  /** The journal has its first entry, in this file. */
  kept?(path: string): void;
  /** Prints the summary of a report, below the command's own output. @param path Where the report is. */
  show(report: Report, path: string | undefined, pagePath: string | undefined): void;
}

/** Pieces as given; `says` is called before the first one and after each. */
export function* whileAlive(
  pieces: Iterable<string>,
  says: (() => void) | undefined,
): Generator<string, void, undefined> {
  says?.();
  for (const piece of pieces) {
    yield piece;
    says?.();
  }
}

/** Why the report cannot be written: the system's reason, if there is one. */
function cannotWrite(path: string, failure: AccessError): string {
  const { message = "" } = failure.cause instanceof Error ? failure.cause : {};
  if (!/^(No such|Permission|Is a|Not a|Read-only|No space)/.test(message)) return failure.message;
  const cause = message.startsWith("No such file") ? "no such directory" : message;
  return `cannot write ${printable(path)}: ${cause[0].toLowerCase()}${cause.slice(1)}`;
}

/** Writes the report of one run. */
export class RunReport {
  /** Permissions that were given back after the start. */
  dropped: readonly string[] | undefined;
  /** Restrictions by the kernel since the first sample. */
  confinement: Confiner | undefined;
  readonly #options: RunReportOptions;
  #collector!: Collector;
  #share: JobShare | undefined;
  #machine: Nested = {};
  #journal: RunJournal | undefined;
  readonly #claimed: Claim;
  /** The job was started again: a report of the start before stays. */
  readonly #keepsFiles: boolean;
  readonly #path: string | undefined;
  /** The report is on a file server. */
  #onServer = false;
  /** An entry of the journal could not be written. */
  #hasFailed = false;
  #outcome: { [key: string]: Nested | undefined } = {};
  #isKept = false;
  #reserve: Reserve | undefined;

  constructor(options: RunReportOptions) {
    this.#options = options;
    const path = options.part?.reportPath ?? options.request.reportPath;
    this.#keepsFiles = options.part === undefined && options.owner?.restarts !== undefined;
    this.#claimed = claimPath(path, this.#keepsFiles, options.isJobReport);
    this.#path = this.#probe(path);
    if (this.#path !== undefined) this.#reserve = new Reserve(this.#path, RESERVED_BYTES);
    options.idle?.attach(options.engine, options.catalogue);
  }

  /**
   * Takes the idle baseline, where one was asked for.
   *
   * @returns The signal that ended it, 0 for none.
   */
  beforeRun(
    nowNs: () => number,
    sleep: (untilNs: number) => number,
    simulation?: { publish(timeNs: number): void },
  ): number {
    const { idle, node, catalogue, log } = this.#options;
    const publish = (timeNs: number) => simulation?.publish(timeNs);
    return idle?.prepare({ host: node, table: catalogue, nowNs, sleep, publish, log }) ?? 0;
  }

  /** Files that are still to be written when the run goes on. */
  get written(): string[] {
    const { part, request } = this.#options;
    const path = this.#path;
    // A report by a link of the user's is in another directory than the files beside its name.
    const isLink = path !== undefined && (statPath(path, false)?.mode ?? 0) >> 12 === S_IFLNK >> 12;
    const beside = path === undefined || !isLink ? [] : [journalPath(path), timelinePath(path)];
    const own = path === undefined ? [] : [path, ...beside];
    return part === undefined ? own : [...own, request.reportPath];
  }

  /** The report for people: the job's, where it has several nodes; `undefined`: it cannot be written. */
  get shownPath(): string | undefined {
    const { part, request } = this.#options;
    return part === undefined ? this.#path : request.reportPath;
  }

  /**
   * The command has been launched, on these CPUs.
   *
   * @param directory The session's.
   */
  launched(collector: Collector, cpus: readonly number[], directory: string): void {
    this.#collector = collector;
    // A device or a pipe has no place beside it.
    const path = this.#path === undefined || isWrittenInto(this.#path)
      ? undefined
      : absolutePath(this.#path);
    if (path !== undefined) {
      this.#onServer = isOnServer(path.slice(0, path.lastIndexOf("/") + 1));
      const options = { syncs: this.#onServer };
      keepLeftover(path, this.#options.log);
      const session = baseName(directory);
      this.#journal = new RunJournal(this.#options.engine, () => {
        const journal = new Journal(journalPath(path), session, options);
        this.#nameReport(directory, path);
        return journal;
      });
    }
    this.#machine = machineFacts(this.#options.node);
    this.#share = JobShare.begin(this.#options.node, cpus);
  }

  #nameReport(directory: string, path: string): void {
    try {
      nameReport(directory, path);
    } catch (error) {
      // Without room in memory only a user can name the journal to recover.
      this.#options.log((error as Error).message);
    }
  }

  /** Time between two entries of the journal, s; each goes to the file server at once, if the report is on one. */
  journalS(checkpointS: number): number {
    return this.#onServer ? checkpointS : Math.min(JOURNAL_S, checkpointS);
  }

  /**
   * Writes what a killed monitor leaves: the report of the time so far.
   *
   * @param kind `urgent`: a signal came that may end the run. @default due
   */
  journal(loop: LoopFigures, kind: EntryKind = "due"): void {
    const { engine, alive, kept, log } = this.#options;
    if (this.#journal === undefined || engine.steps === 0) return;
    alive?.();
    try {
      const make = (extras: ReportExtras) => this.#report(this.#facts(loop, true), extras);
      const report = this.#journal.entry(make, kind);
      if (kind === "urgent") engine.cutOff(report, this.#place(this.#path));
    } catch (error) {
      // Logged once, and retried: a full disk may have room later.
      const failure = error instanceof OsError
        ? unwritable(journalPath(this.#path!), error)
        : error as Error;
      if (!this.#hasFailed) log(failure.message);
      this.#hasFailed = true;
    }
    if (!this.#isKept && this.#journal.isThere) {
      kept?.(journalPath(this.#path!));
      this.#isKept = true;
    }
    alive?.();
  }

  /**
   * Writes the report and shows the summary.
   *
   * @param outcome How the command ended, with the keys of the report.
   */
  finish(loop: LoopFigures, outcome: { [key: string]: Nested | undefined }): void {
    const { request, part, log, engine, show } = this.#options;
    this.#outcome = outcome;
    const report = this.#report(this.#facts(loop, false));
    let written = this.#path;
    if (written !== undefined) {
      this.#reserve?.[Symbol.dispose]();
      try {
        writeDocument(written, whileAlive(reportPieces(report), this.#options.alive), {
          survives: true,
        });
        // A short run never had one.
        removeUserFile(journalPath(written));
      } catch (error) {
        log((error as Error).message);
        if (this.#isKept && statPath(journalPath(written)) !== undefined) {
          log(`${journalPath(written)} has the values up to the last checkpoint`);
        }
        written = undefined;
      }
    }
    this.#options.engine.reported(report, this.#place(written));
    const shown = part === undefined ? written : request.reportPath;
    if (!request.quiet) show(report, shown, engine.pagePath);
    if (part === undefined) return;
    // The node that completes the job prints the totals of the job.
    if (!(request.quietJob ?? request.quiet)) {
      part.onJob = (head) => show(parseReport(head + "\n"), request.reportPath, engine.pagePath);
    }
    part.finish(log);
  }

  #place(path: string | undefined): ReportPlace {
    return { path, rankOf: (pid) => this.#collector.rankOf(pid) };
  }

  #facts(loop: LoopFigures, partial: boolean): FactSources {
    const { dropped = [], confinement } = this;
    return { ...this.#options, collector: this.#collector, loop, dropped, confinement, partial };
  }

  #report(facts: FactSources, extras: ReportExtras = {}): Report {
    const { engine, version, part, idle } = this.#options;
    const lost = this.#options.lostLines?.() ?? {};
    const host = engine.report({
      memoryKib: facts.loop.memoryKib,
      partial: facts.partial,
      ...extras,
      joulemark: {
        ...hostFacts(facts),
        machine: this.#machine,
        ...(Object.keys(lost).length > 0 ? { "lines lost": lost } : {}),
        ...part?.facts,
      },
    });
    idle?.addTo(host);
    const hasPackage = facts.catalogue.info("CPU_ENERGY")?.state.ok === true;
    this.#share?.addTo(host, hasPackage, this.#collector.launchedCpus);
    const { late, mostLateS } = engine.events;
    const { loop, collector, request: { periodS, preload, phases } } = facts;
    // The root is a path. A region that never ended has a path, but no section.
    const isHeard = engine.tracker.regionPaths.table.length > 1 ||
      (host.regions ?? []).length > 0 || engine.tracker.spans().length > 0;
    const unheard = isHeard ? [] : preload?.dialects ?? [];
    const own = {
      version: version.replace(/^.*joulemark\./, ""),
      ...this.#options.owner,
      ...(part === undefined ? {} : { job: part.node.job }),
      simulated: facts.simulated,
      bench: benchPlace(facts.request.values.get("bench-place")?.text),
      partial: facts.partial ? RUN_GOES_ON : undefined,
      ...(facts.partial ? {} : this.#outcome),
    };
    const report = engine.document([host], present(own));
    addNotes(
      host,
      findings({
        engine,
        late: { count: late, mostS: mostLateS },
        live: {
          loop,
          collector,
          periodS,
          unheard,
          ...isHeard ? {} : { unmatched: phases },
          ...phases === undefined ? {} : { phases: host.regions },
        },
        idle: idle?.notes(),
        ...facts.partial ? {} : { values: summaryFacts(report) },
      }),
    );
    return report;
  }

  /** Gives the report's name free. */
  [Symbol.dispose](): void {
    this.#reserve?.[Symbol.dispose]();
    this.#claimed.release();
    this.#journal?.[Symbol.dispose]();
  }

  #probe(wanted: string): string | undefined {
    const { log } = this.#options;
    const { path, moved } = this.#claimed;
    if (moved) log(movedText(wanted, this.#claimed, this.#keepsFiles));
    const failure = probeDocument(path);
    if (failure === undefined) return path;
    log(`${cannotWrite(path, failure)}. The command runs; no report will be written.`);
    return undefined;
  }
}

/** Place of the run in a benchmark: SET,BLOCK,POSITION,SEED. */
function benchPlace(text: string | undefined): Nested | undefined {
  if (text === undefined) return undefined;
  const [set, ...numbers] = text.split(",");
  const [block, position, seed] = numbers.map(Number);
  return { set, block, position, seed };
}
