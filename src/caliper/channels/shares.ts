/**
 * Use of the node's counters by a process, at any moment between two steps.
 *
 * A counter is assumed to grow evenly between two readings; one that changes rarely, between two
 * changes: events in between are then emitted only after the next change. The growth belongs to the
 * processes that run, each by the CPUs it may use, of those of the counter's domain; a CPU that
 * several may use is shared equally. The shares of all processes therefore add up to the node's use
 * while any of them ran. docs/reference/caliper.md.
 * @module
 */
import type { ProcessSummary } from "../../marks/tracker/process_list.ts";
import type { RegionTracker } from "../../marks/tracker/tracker.ts";

/** A process as the shares see it. */
export type Sharer = Pick<ProcessSummary, "startS" | "endS" | "cpus">;

/** A process as the recorder sees it. Times in seconds, as events have them. */
export interface KnownProcess extends Sharer {
  readonly pid: number;
  /**
   * The launched command stands for all processes while none has annotations; `withdrawn`: another one took
   * its place. @default a process with annotations
   */
  readonly role?: "command" | "withdrawn";
}

/** Counters that change at longer intervals than this are read between their changes, s. */
const RARE_S = 0.02;
/** After this number of intervals without a change the counter has stopped. */
const STOPPED_AFTER_INTERVALS = 3;

/** The use of one counter of the node by its processes. */
export class CounterShare {
  /** The CPUs of its domain; `undefined`: the whole node. */
  readonly #cpus: ReadonlySet<number> | undefined;
  /** Readings that count, oldest first, as far back as they may be needed. */
  readonly #timesS: number[] = [];
  readonly #values: number[] = [];
  /** The value up to which everything is shared out. */
  #shared = NaN;
  /** By process. */
  readonly #used: number[] = [];
  #weights: readonly number[] = [];
  /** Changes after the last reading: when, and the parts from then on. */
  #changes: { readonly timeS: number; readonly weights: readonly number[] }[] = [];

  /** Time that a reading may stay the same before it counts, s; 0: every reading counts. */
  readonly #patienceS: number;
  /** The latest reading that does not count yet, because nothing has changed. */
  #sameS = NaN;

  /** @param updatePeriodS Between two changes of the counter, if known. */
  constructor(cpus?: readonly number[], updatePeriodS = 0) {
    this.#cpus = cpus === undefined ? undefined : new Set(cpus);
    this.#patienceS = updatePeriodS > RARE_S ? STOPPED_AFTER_INTERVALS * updatePeriodS : 0;
  }

  /** A new reading; NaN, none: the growth meanwhile is in the next one. */
  take(timeS: number, value: number): void {
    if (Number.isNaN(value)) return;
    const same = value === this.#values.at(-1) && timeS - this.#lastS < this.#patienceS;
    if (same) this.#sameS = timeS;
    else this.#point(timeS, value);
  }

  /** Up to when it is known what it grew, at this time; Infinity: as far as it ever will be. */
  horizonS(timeS: number): number {
    if (this.#patienceS === 0) return Infinity;
    return Number.isNaN(this.#lastS) ? timeS - this.#patienceS : Math.max(
      this.#lastS,
      timeS - this.#patienceS,
    );
  }

  /** Ends the readings: a counter that has not changed since has not grown. */
  close(): void {
    if (this.#sameS > this.#lastS) this.#point(this.#sameS, this.#values.at(-1)!);
  }

  /** Values before this moment are not needed any more. */
  forget(timeS: number): void {
    let gone = 0;
    while (gone < this.#timesS.length - 2 && this.#timesS[gone + 1] < timeS) gone++;
    if (gone === 0) return;
    this.#timesS.splice(0, gone);
    this.#values.splice(0, gone);
  }

  /** Time of the latest reading that counts; NaN before the first. */
  get #lastS(): number {
    return this.#timesS.at(-1) ?? NaN;
  }

  #point(timeS: number, value: number): void {
    this.#timesS.push(timeS);
    this.#values.push(value);
    if (Number.isNaN(this.#shared)) this.#shared = value;
    const covered = this.#changes.findIndex((change) => change.timeS > timeS);
    const now = this.#changes.splice(0, covered < 0 ? Infinity : covered);
    for (const change of now) this.#change(change.timeS, change.weights);
  }

  /** From this moment on these processes run. Processes are numbered as in the list. */
  processes(timeS: number, all: readonly Sharer[]): void {
    const then = weights(timeS, all, this.#cpus);
    // The counter's value at that time is known only from the next reading.
    if (timeS > this.#lastS) this.#changes.push({ timeS, weights: then });
    else this.#change(timeS, then);
  }

  #change(timeS: number, weights: readonly number[]): void {
    this.#advance(timeS);
    this.#weights = weights;
  }

  /** Shares out what grew up to this moment. */
  #advance(timeS: number): void {
    const now = this.#at(timeS);
    if (Number.isNaN(now)) return;
    const grown = now - this.#shared;
    this.#shared = now;
    if (!(grown > 0)) return;
    for (let i = 0; i < this.#weights.length; i++) {
      const weight = this.#weights[i];
      if (weight > 0) this.#used[i] = (this.#used[i] ?? 0) + grown * weight;
    }
  }

  /** Use of the process since it began; NaN: not known at that moment. */
  used(process: number, timeS: number): number {
    const now = this.#at(timeS);
    if (Number.isNaN(now) || Number.isNaN(this.#shared)) return NaN;
    const grown = Math.max(0, now - this.#shared);
    return (this.#used[process] ?? 0) + grown * (this.#weights[process] ?? 0);
  }

  /** The counter at a moment between two readings that count; NaN: not known. */
  #at(timeS: number): number {
    const times = this.#timesS, values = this.#values;
    let i = times.length - 1;
    if (!(timeS <= times[i])) return NaN;
    while (i >= 0 && times[i] > timeS) i--;
    if (i < 0) return NaN;
    if (times[i] === timeS) return values[i];
    const part = (timeS - times[i]) / (times[i + 1] - times[i]);
    return values[i] + part * (values[i + 1] - values[i]);
  }
}

/**
 * The part of each process at this moment, by its CPUs.
 *
 * @param domain CPUs that count. @default all
 */
export function weights(
  timeS: number,
  all: readonly Sharer[],
  domain?: ReadonlySet<number>,
): number[] {
  const users = new Map<number, number>();
  const running = all.map((p) => p.startS <= timeS && !(p.endS <= timeS));
  const counted = all.map((p, i) =>
    running[i] ? p.cpus.filter((cpu) => domain === undefined || domain.has(cpu)) : []
  );
  for (const cpus of counted) {
    for (const cpu of cpus) users.set(cpu, (users.get(cpu) ?? 0) + 1);
  }
  return counted.map((cpus) => {
    return cpus.reduce((sum, cpu) => sum + 1 / users.get(cpu)!, 0) / Math.max(1, users.size);
  });
}

/** Process with a handle. A command that another process took the place of uses nothing. */
export function known(tracker: RegionTracker, handle: number): KnownProcess | undefined {
  const process = tracker.process(handle);
  if (process === undefined) return undefined;
  const { pid, track, startNs, endNs, end } = process, isWithdrawn = end === "withdrawn";
  const cpus = isWithdrawn ? [] : [...track.cpus];
  const role = isWithdrawn ? "withdrawn" : process.command ? "command" : undefined;
  return { pid, role, cpus, startS: tracker.absoluteS(startNs), endS: tracker.absoluteS(endNs) };
}

/** All processes of a run, by their handles. */
export function allProcesses(tracker: RegionTracker): KnownProcess[] {
  const all: KnownProcess[] = [];
  for (;;) {
    const process = known(tracker, all.length);
    if (process === undefined) return all;
    all.push(process);
  }
}
