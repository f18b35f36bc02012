/**
 * All processes of a run, in order of start and in order of pid.
 * @module
 */
import type { ProcessEnd, TrackedProcess } from "./process.ts";
import type { RegionTable } from "./region_table.ts";
import type { RunTimes } from "./run_times.ts";

/** One process, as reports list it. */
export interface ProcessSummary {
  /** The kernel's number of the process. */
  readonly pid: number;
  /** CPUs that it is bound to. */
  readonly cpus: readonly number[];
  /** Start, in seconds of the run. */
  readonly startS: number;
  /** NaN while it runs. */
  readonly endS: number;
  /** State of the process: running, or how it ended. */
  readonly end: ProcessEnd;
  /** Epochs that it marked. */
  readonly epochs: number;
  /** Seconds that marking cost it. */
  readonly overheadS: number;
  /** True if it is the launched command, which recorded nothing. */
  readonly command: boolean;
  /** Name of the region it was in when it ended. */
  readonly openRegion?: string;
}

/** The processes of a run. */
export class ProcessList {
  /** In order of start; a handle is a place here. */
  readonly all: TrackedProcess[] = [];
  /** Processes that may have records left, by pid. */
  live: TrackedProcess[] = [];
  /** Processes that count: all but a withdrawn command. */
  counted = 0;
  #isStartNoted = false;

  /** @returns Handle. */
  add(process: TrackedProcess): number {
    this.counted++;
    const at = this.live.findIndex((other) => other.pid > process.pid);
    this.live.splice(at < 0 ? this.live.length : at, 0, process);
    return this.all.push(process) - 1;
  }

  /** Processes that means are over: those that marked anything, or all if none did. */
  get marking(): number {
    const { length } = markingOf(this.all);
    return length > 0 ? length : this.counted;
  }

  /** The launched command, while nothing has taken its place; it can only be the first. */
  get command(): TrackedProcess | undefined {
    const first = this.all[0];
    return first?.command && first.end !== "withdrawn" ? first : undefined;
  }

  withdraw(process: TrackedProcess): void {
    process.end = "withdrawn";
    this.counted--;
    this.live = this.live.filter((other) => other !== process);
  }

  /** The first step: who marks and is here now is from the start. */
  noteStart(): void {
    if (this.#isStartNoted || this.counted === 0) return;
    this.#isStartNoted = true;
    for (const process of this.all) process.isFromStart = !process.command;
  }

  /** Lets go of processes that ended, once their last records are taken. */
  dropEnded(): void {
    let ended = false;
    for (let i = 0; i < this.live.length; i++) ended ||= this.live[i].end !== "running";
    if (ended) this.live = this.live.filter((p) => p.end === "running");
  }

  /** Have all that ever connected ended? False before the first. */
  get finished(): boolean {
    if (this.counted === 0) return false;
    for (let i = 0; i < this.live.length; i++) if (this.live[i].end === "running") return false;
    return true;
  }

  /** Last stop − first start; up to the last step while a process runs or if one died. */
  runtimeS(times: RunTimes): number {
    let lastNs = -Infinity;
    for (const p of this.all) {
      if (p.end === "withdrawn") continue;
      if (p.end !== "shutdown") return times.elapsedS;
      lastNs = Math.max(lastNs, p.endNs);
    }
    return lastNs === -Infinity ? times.elapsedS : times.sinceZero(lastNs);
  }

  /** Own time of the marker library, mean over processes. */
  get overheadS(): number {
    let total = 0;
    for (const p of this.all) if (p.end !== "withdrawn") total += p.overheadS;
    return total / Math.max(1, this.counted);
  }

  summaries(times: RunTimes, table: RegionTable): ProcessSummary[] {
    return this.all.map((p) => ({
      pid: p.pid,
      cpus: [...p.track.cpus],
      startS: times.absoluteS(p.startNs),
      endS: times.absoluteS(p.endNs),
      end: p.end,
      epochs: p.epochs,
      overheadS: p.overheadS,
      command: p.command,
      ...(p.lastOpen >= 0 ? { openRegion: table.name(p.lastOpen) } : {}),
    }));
  }
}

/**
 * Processes that recorded something, and those from the start; none if nothing was recorded. A parent that attached
 * later and waits for others recorded nothing.
 */
export function markingOf(processes: readonly TrackedProcess[]): TrackedProcess[] {
  if (!processes.some((process) => process.hasMarked)) return [];
  return processes.filter(({ end, hasMarked, isFromStart }) => {
    return end !== "withdrawn" && (hasMarked || isFromStart);
  });
}
