/**
 * Events as calls, for programs that mark by hand: one method per call of geopm_prof(3) and per
 * kind of event beside them. Each fills the one record and hands it to `receive`.
 * @module
 */
import {
  type AttributeEvent,
  EventRecord,
  type EventSink,
  type FoldedEvent,
  type PmEvent,
  type SpanEvent,
} from "./event.ts";
import { KIND, type MarkKind } from "./event_kinds.ts";

const ATTRIBUTE_KINDS = {
  begin: KIND.attributeBegin,
  set: KIND.attributeSet,
  end: KIND.attributeEnd,
};
const PM_KINDS = { open: KIND.pmOpen, record: KIND.pmRecord, close: KIND.pmClose };

/**
 * A sink with a method for each kind of event.
 *
 * @example
 * ```ts
 * import { EventCalls, type EventRecord, KIND } from "joulemark";
 *
 * class Epochs extends EventCalls {
 *   count = 0;
 *   receive(event: EventRecord): number {
 *     if (event.kind === KIND.epoch) this.count++;
 *     return -1;
 *   }
 *   track(): number {
 *     return 0;
 *   }
 *   regionPath(): number {
 *     return 0;
 *   }
 * }
 * const epochs = new Epochs();
 * epochs.epoch(1.5, 0, 1);
 * if (epochs.count !== 1) throw new Error("expected one epoch");
 * ```
 */
export abstract class EventCalls implements EventSink {
  readonly #event = new EventRecord();

  abstract receive(event: EventRecord): number;

  abstract track(name: string): number;

  abstract regionPath(parent: number, name: string, track: string, attribute: string): number;

  /** A process connects. @returns Its handle. */
  start(timeS: number, pid: number, cpus: readonly number[]): number {
    this.#event.number = pid;
    this.#event.cpus = cpus;
    return this.#receive(KIND.start, timeS, -1, 0);
  }

  /**
   * The launched command, counted as the one process of a run that marks nothing. If it connects
   * by itself later it goes on as it is; another process replaces it, and the run restarts.
   * @returns Its handle.
   */
  startCommand(timeS: number, pid: number, cpus: readonly number[]): number {
    this.#event.number = pid;
    this.#event.cpus = cpus;
    return this.#receive(KIND.startCommand, timeS, -1, 0);
  }

  /** The CPUs that a thread of the process is bound to; unbound, they are the process's. */
  threadCpus(timeS: number, process: number, thread: number, cpus: readonly number[]): void {
    this.#event.cpus = cpus;
    this.#receive(KIND.threadCpus, timeS, process, thread);
  }

  /** Registers a name; a known one keeps its first hint. @returns Its handle, −1 when refused. */
  region(timeS: number, process: number, name: string, hint: number): number {
    this.#event.name = name;
    this.#event.hint = hint;
    return this.#receive(KIND.region, timeS, process, 0);
  }

  /**
   * A region begins.
   * @param thread Id of a thread with regions of its own; 0 or below: the process itself.
   * @param track Whose marks these are; left out: the program's own.
   */
  enter(
    timeS: number,
    process: number,
    region: number,
    hint: number,
    thread: number,
    track = 0,
  ): void {
    this.#event.region = region;
    this.#event.hint = hint;
    this.#event.track = track;
    this.#receive(KIND.enter, timeS, process, thread);
  }

  /**
   * A region ends. Of the program's own marks it is the innermost, as GEOPM has it; of another
   * track it is that track's innermost one of this name.
   */
  exit(timeS: number, process: number, region: number, thread: number, track = 0): void {
    this.#event.region = region;
    this.#event.track = track;
    this.#receive(KIND.exit, timeS, process, thread);
  }

  /** A step of the outer loop begins. @param number The epoch's number within the process; 0: the next one. */
  epoch(timeS: number, process: number, number: number): void {
    this.#event.number = number;
    this.#receive(KIND.epoch, timeS, process, 0);
  }

  /** A region announces its units of work. */
  tprofInit(timeS: number, process: number, units: number): void {
    this.#event.number = units;
    this.#receive(KIND.tprofInit, timeS, process, 0);
  }

  /** A unit of work is done. @param cpu Where the unit was done; below 0: the first CPU of the process. */
  tprofPost(timeS: number, process: number, cpu: number): void {
    this.#event.cpu = cpu;
    this.#receive(KIND.tprofPost, timeS, process, 0);
    this.#event.cpu = -1;
  }

  /** Time that marking itself has cost the process. */
  overhead(timeS: number, process: number, seconds: number): void {
    this.#event.seconds = seconds;
    this.#receive(KIND.overhead, timeS, process, 0);
  }

  /**
   * Completed outermost visits that the ring itself folded, at the time of the first one.
   * @param track Whose marks these are; left out: the program's own.
   */
  shortVisits(
    timeS: number,
    process: number,
    region: number,
    count: number,
    seconds: number,
    thread: number,
    track = 0,
  ): void {
    this.#event.region = region;
    this.#event.track = track;
    this.#event.visits = count;
    this.#event.seconds = seconds;
    this.#receive(KIND.shortVisits, timeS, process, thread);
  }

  /**
   * From here on all visits of a thread are folded by path: `enter` and `exit` report its outermost
   * visits and changes of the hint only, and all of these are in its paths too.
   */
  folding(timeS: number, process: number, thread: number): void {
    this.#receive(KIND.folding, timeS, process, thread);
  }

  /**
   * Visits of a thread that were folded by path, since the last time. If the thread does not fold
   * all of its visits, these are the ones for which the ring had no room.
   */
  folded(timeS: number, process: number, thread: number, event: Readonly<FoldedEvent>): void {
    const { path, ...stats } = event;
    this.#event.path = path;
    Object.assign(this.#event.folded, stats);
    this.#receive(KIND.folded, timeS, process, thread);
  }

  /** Visits of a path by length, once, when their process is over: see `bucketOf`. */
  foldedLengths(
    timeS: number,
    process: number,
    thread: number,
    event: { readonly path: number; readonly bucket: number; readonly visits: number },
  ): void {
    this.#event.path = event.path;
    this.#event.number = event.bucket;
    this.#event.visits = event.visits;
    this.#receive(KIND.foldedLengths, timeS, process, thread);
  }

  /** Receives the path of an aggregating thread, when its next attribute begins, is set or ends. */
  inPath(timeS: number, process: number, thread: number, path: number): void {
    this.#event.path = path;
    this.#receive(KIND.inPath, timeS, process, thread);
  }

  /** A thread with regions of its own ended, outside of all. Needed only to forget it. */
  threadEnd(timeS: number, process: number, thread: number): void {
    this.#receive(KIND.threadEnd, timeS, process, thread);
  }

  /** A thread ran outside of all regions, where the fit assumes that it waits. @param thread 0: the main thread. */
  ranOutside(timeS: number, process: number, thread: number, seconds: number): void {
    this.#event.seconds = seconds;
    this.#receive(KIND.ranOutside, timeS, process, thread);
  }

  /** The process ended its marks. */
  shutdown(timeS: number, process: number): void {
    this.#receive(KIND.shutdown, timeS, process, 0);
  }

  /** The process ended without a shutdown. */
  died(timeS: number, process: number): void {
    this.#receive(KIND.died, timeS, process, 0);
  }

  /** An attribute begins, is set or ends. @param thread 0 or below: the process itself. */
  attribute(
    timeS: number,
    process: number,
    thread: number,
    event: Readonly<AttributeEvent>,
  ): void {
    const { kind, ...fields } = event;
    Object.assign(this.#event, fields);
    this.#receive(ATTRIBUTE_KINDS[kind], timeS, process, thread);
  }

  /** A span begins or ends. @param thread Where it does; 0 or below: the process itself. */
  span(timeS: number, process: number, thread: number, event: Readonly<SpanEvent>): void {
    this.#event.number = event.id;
    this.#event.name = event.name;
    this.#event.trackName = event.track;
    this.#receive(
      event.kind === "begin" ? KIND.spanBegin : KIND.spanEnd,
      timeS,
      process,
      thread,
    );
  }

  /** A call of pm_mpi_lib. */
  pm(timeS: number, process: number, event: Readonly<PmEvent>): void {
    const { kind, ...call } = event;
    Object.assign(this.#event.pm, { rank: undefined, path: undefined }, call);
    this.#receive(PM_KINDS[kind], timeS, process, 0);
  }

  #receive(kind: MarkKind, timeS: number, process: number, thread: number): number {
    return this.receive(this.#event.as(kind, timeS, process, thread));
  }
}
