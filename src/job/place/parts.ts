/**
 * A job of many nodes, from files alone: every node writes its part, the last one done makes the
 * job's report of them.
 *
 * ```
 * REPORT.parts/HOST.json     first, with no end; again when the node is done: then it counts
 *              HOST.report   the node's own report (HOST.report.partial: the time so far)
 *              HOST.pmc      its readings per step, if a PMC log was asked for
 *              HOST.cali-N   the rows of its processes for a report by Caliper's configuration N
 *              merge.lock    a directory: a node makes the report at this moment
 * ```
 *
 * A node looks who is done only after it has written its own word, by rename. The file server puts
 * the renames in an order, so the last one sees all others, however late it answers. mkdir(2)
 * fails on all nodes but one, over NFS too. Nodes that are done while others are not make the report
 * of what there is, `partial`: every time in small jobs, each time their number has doubled in large
 * ones, so that the work stays linear. A node that never ends leaves such a report behind.
 * @module
 */
import { counted } from "../../core/counted.ts";
import { type Nested, present } from "../../core/report.ts";
import type { ClockPair } from "../merge/clocks.ts";
import { realtimeNanoseconds } from "../../os/clock.ts";
import { statPath } from "../../os/files.ts";
import { makeNewDirectory, removeEmptyDirectory, removeUserFile } from "../../os/output_place.ts";
import { isPlainFile, readFoundText } from "../../os/user_file.ts";
import { asFileName } from "../../core/names.ts";
import { writeDocument } from "../../os/files/whole_file.ts";
import {
  allFacts,
  completeness,
  PART_FORMAT,
  type PartFacts,
  removePart,
  sameJob,
} from "./part_files.ts";
import { claimParts } from "./claim_parts.ts";
import { mergeFiles } from "./merge_parts.ts";
import type { JobNode } from "./place.ts";
import { writePartsPmc } from "./pmc_part.ts";
import type { PmcVersion } from "../../formats/pmc/pmc.ts";

/** Up to this number of nodes, every node that is done makes the report again. */
const SMALL_JOB_NODES = 32;
/** Number of missing nodes below which every finished node makes the report again. */
const LAST_NODES = 4;
/** A node whose checkpoint is older than some periods, or than this, has ended, s. */
const MIN_ALIVE_S = 60, CHECKPOINTS = 3;
/** A lock that is older belonged to a process that has ended. */
const STALE_LOCK_S = 120;

/** Requested outputs of the job. */
export interface JobOutputs {
  readonly report: string;
  readonly pmc?: { readonly file: string; readonly version: PmcVersion };
  /** Time between two checkpoints, s. @default 10 */
  readonly checkpointS?: number;
}

/**
 * Makes something of all nodes.
 *
 * @param read What nodes that are done kept under a name; `report`: their reports.
 * @param complete All nodes are done.
 */
export type MergeListener = (read: (name: string) => Iterable<string>, complete: boolean) => void;

/** One node's side of the job. */
export class JobPart {
  /** Path of the node's own report. */
  reportPath = "";
  /** Path of its readings per step. */
  pmcPath = "";
  /** Suffix of the names of all files of the job: "" or `-2`. */
  readonly suffix: string;
  /** Called when the job's report was made. */
  readonly onMerge: MergeListener[] = [];
  /** Called when the report of the whole job was made, with its text up to the first host. */
  onJob?: (head: string) => void;
  #outputs: JobOutputs;
  #directory = "";
  readonly #startS = wallSeconds();
  readonly #clocks: ClockPair[] = [];

  /** Claims the report's name, makes the directory, records that this node has begun. @throws If it cannot be written. */
  constructor(readonly node: JobNode, readonly host: string, outputs: JobOutputs) {
    this.#outputs = outputs;
    const report = claimParts(outputs.report, {
      host,
      isRequeued: node.isRequeued,
      isOurs: (part) => this.#isOurs(part),
      begin: (directory) => this.#begin(directory),
    });
    const { pmc } = outputs;
    this.suffix = report.slice(outputs.report.length);
    const ownPmc = pmc && { file: pmc.file + this.suffix, version: pmc.version };
    this.#outputs = { report, pmc: ownPmc, checkpointS: outputs.checkpointS };
    for (const part of allFacts(this.#directory)) {
      // What earlier jobs of this name left is theirs no more once this one writes its report.
      const done = part.endS > 0 && part.endS < this.#startS;
      if (done && !this.#isOurs(part)) removePart(this.#pathOf(part.host));
    }
    this.#noteClock();
    this.#write(0);
  }

  /** The job's report. */
  get jobReport(): string {
    return this.#outputs.report;
  }

  /** Own files are in a directory, where only earlier jobs left any. */
  #begin(directory: string): void {
    this.#directory = directory;
    const stem = `${directory}/${asFileName(this.host)}`;
    this.reportPath = `${stem}.report`;
    this.pmcPath = `${stem}.pmc`;
    removePart(this.reportPath);
    this.#write(0);
  }

  /** Keeps a text of this node for what the job's last one makes of all. */
  keep(name: string, text: string): void {
    writeDocument(this.reportPath.replace(/report$/, name), text);
  }

  /** The calls of pm_mpi_lib have named the job's log, which nobody did before. */
  logsStepsTo(file: string, version: PmcVersion): void {
    this.#outputs = { ...this.#outputs, pmc: { file, version } };
  }

  /** For the node's `joulemark:` mapping. */
  get facts(): { [key: string]: Nested } {
    const { rank, localRanks, ranks } = this.node;
    return { ranks: present({ lowest: rank, "on this node": localRanks, "of the job": ranks }) };
  }

  /**
   * The node's files are written: records it, and makes the job's report if this is the moment.
   *
   * @param log Logs one line for the user.
   */
  finish(log: (line: string) => void): void {
    this.#noteClock();
    this.#write(wallSeconds());
    for (let merged = -1;;) {
      const done = this.#parts().filter(isDone);
      if (done.length <= merged) return;
      const state = completeness(done);
      if (!state.complete && !isWorthAReport(done.length, state.nodes)) return;
      if (!this.#lock()) return;
      try {
        merged = this.#merge(log);
      } finally {
        this.#unlock();
      }
      // Who came while the lock was held went away again: we look once more for them.
    }
  }

  /** Makes the job's report. @returns How many nodes were done by then. */
  #merge(log: (line: string) => void): number {
    const parts = this.#parts(), done = parts.filter(isDone);
    const files = parts.map((part) => this.#fileOf(part)).filter((path) => path !== undefined);
    const { report, pmc } = this.#outputs;
    const state = completeness(done);
    const facts = () => ({ ...state, clocks: parts });
    const outcome = mergeFiles(files.sort(), report, { facts });
    for (const line of outcome.leftOut) log(line);
    if (pmc !== undefined) {
      const reports = done.map((part) => this.#pathOf(part.host)).sort();
      for (const line of writePartsPmc(reports, pmc.file, pmc.version)) log(line);
    }
    for (const listen of this.onMerge) listen((name) => this.#kept(done, name), state.complete);
    if (state.complete) this.onJob?.(outcome.head);
    const rest = (state.nodes ?? 0) - done.length;
    // Of a large job's nodes only the last ones log what is missing.
    if (state.complete || rest < LAST_NODES) {
      const word = outcome.partial ? `, partial so far${missingText(state.missing)}` : "";
      log(`${report}: ${counted(outcome.hosts, "host")}${word}`);
    }
    return done.length;
  }

  #parts(): PartFacts[] {
    return allFacts(this.#directory).filter((part) => this.#isOurs(part));
  }

  #isOurs(part: PartFacts): boolean {
    return sameJob(part, { job: this.node.job, weak: this.node.weak, startS: this.#startS });
  }

  #pathOf(host: string): string {
    return `${this.#directory}/${asFileName(host)}.report`;
  }

  /** Texts that nodes kept under a name. */
  *#kept(parts: readonly PartFacts[], name: string): Generator<string, void, undefined> {
    const paths = parts.map((part) => this.#pathOf(part.host).replace(/report$/, name)).sort();
    for (const path of paths) if (isPlainFile(path)) yield readFoundText(path);
  }

  /** The node's report, else what it left of it. */
  #fileOf(part: PartFacts): string | undefined {
    const path = this.#pathOf(part.host);
    return [path, `${path}.partial`].find(isPlainFile);
  }

  /** Gets the file server's time: the time of a new file. */
  #noteClock(): void {
    const path = `${this.#directory}/${asFileName(this.host)}.clock`;
    try {
      const beforeS = wallSeconds();
      writeDocument(path, "");
      const afterS = wallSeconds();
      const sharedS = Number(statPath(path)!.modifiedNs) / 1e9;
      removeUserFile(path);
      this.#clocks.push({ beforeS, afterS, sharedS });
    } catch {
      // Then this node's clock stays unknown.
    }
  }

  #write(endS: number): void {
    const { job, nodes, hosts, rank, localRanks, ranks } = this.node;
    const facts: PartFacts = {
      format: PART_FORMAT,
      host: this.host,
      job,
      nodes,
      hosts,
      rank,
      localRanks,
      ranks,
      startS: this.#startS,
      endS,
      pid: Deno.pid,
      aliveS: Math.max(MIN_ALIVE_S, CHECKPOINTS * (this.#outputs.checkpointS ?? 0)),
      clocks: this.#clocks,
      pmc: this.#outputs.pmc,
    };
    const path = this.reportPath.replace(/\.report$/, ".json");
    writeDocument(path, JSON.stringify(facts, null, 1) + "\n");
  }

  #lock(): boolean {
    const path = `${this.#directory}/merge.lock`;
    for (let attempt = 0; attempt < 2; attempt++) {
      if (makeNewDirectory(path)) return true;
      const held = statPath(path);
      // By the server's clock, not by ours: both times are its own.
      const nowS = this.#clocks.at(-1)?.sharedS ?? 0;
      if (held === undefined || nowS - Number(held.modifiedNs) / 1e9 < STALE_LOCK_S) return false;
      removeEmptyDirectory(path);
    }
    return false;
  }

  #unlock(): void {
    removeEmptyDirectory(`${this.#directory}/merge.lock`);
  }
}

function isDone({ endS }: PartFacts): boolean {
  return endS > 0;
}

/** Numbers of done nodes at which the report is made again before all are done. */
function isWorthAReport(done: number, nodes: number | undefined): boolean {
  return done <= SMALL_JOB_NODES || (nodes !== undefined && nodes - done < LAST_NODES) ||
    (done & (done - 1)) === 0;
}

function missingText(missing: readonly string[]): string {
  if (missing.length === 0) return "";
  const named = missing.slice(0, 5).join(", ");
  return `, without ${named}${missing.length > 5 ? ` and ${missing.length - 5} more` : ""}`;
}

function wallSeconds(): number {
  return Number(realtimeNanoseconds()) / 1e9;
}
