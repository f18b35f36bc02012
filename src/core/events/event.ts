/**
 * Events of applications: one record for all kinds, from the ring or a recording to the tracker and
 * the outputs. {@linkcode KIND} has the kinds; `event_kinds.ts` is their table.
 *
 * Times are seconds on one steady clock; processes, regions, tracks and paths are small handles of
 * the sink. A sink never throws on a call that GEOPM would answer with an error: it notes, counts
 * and ignores it.
 * @module
 */

import { KIND, type MarkKind } from "./event_kinds.ts";
import { HINT_UNKNOWN } from "../hints.ts";
import type { FoldedStats } from "../path_stats.ts";

/** A value beside the regions, Caliper's `attribute:value`: begun, set or ended. */
export interface AttributeEvent {
  /** Change of the value. */
  kind: "begin" | "set" | "end";
  /** The attribute's name. */
  name: string;
  /** TYPE of core/events/ring_layout.ts; 0 if it ended. */
  type: number;
  /** Caliper's property bits. */
  properties: number;
  /** A number that no double holds comes as its digits. */
  value: number | string;
}

/**
 * A span: begun here, ended on any thread, in any order. It is no region: hash, hint, runtime and
 * count of regions know nothing of it.
 */
export interface SpanEvent {
  /** Change of the span. */
  kind: "begin" | "end";
  /** Number of the span within its process; a number that was ended may come again. */
  id: number;
  /** Name of the span; of an end, the name that it began with. */
  name: string;
  /** Track of the span: see `track`; "" is the program's own. */
  track: string;
}

/**
 * Additions to a path's visits since the last time. `selfNs` may be below 0 if the earlier count
 * was too high.
 */
export interface FoldedEvent extends FoldedStats {
  /** The path: see `regionPath`. */
  path: number;
}

/** A call of pm_mpi_lib. */
export interface PmEvent {
  /** Kind of the call. */
  kind: "open" | "record" | "close";
  /** Rank of the process in its job; absent outside of jobs. */
  rank?: number;
  /** The log that the program opens, as a whole path. */
  path?: string;
  /** The real library is linked: it writes that log, if it can. */
  linked?: boolean;
  /** Version of the library that the program was written for, × 10. */
  version: number;
  /** The program's label of the step. */
  step: number;
  /** The program's label within the step. */
  substep: number;
  /** The call requests a barrier. */
  sync: boolean;
  /** The reading before the barrier is logged too. */
  initial: boolean;
  /** True for no call: the barrier of the record before it is over. */
  after: boolean;
}

const NO_CPUS: readonly number[] = [];

/**
 * One event. A producer reuses one record for all of its events, and sets what the kind needs; the
 * other fields hold what an earlier event left there. A sink that keeps a record copies it.
 *
 * @example
 * ```ts
 * import { EventRecord, KIND, PlatformTopology, RegionTracker } from "joulemark";
 *
 * const topology = PlatformTopology.regular({
 *   packages: 1,
 *   coresPerPackage: 2,
 *   threadsPerCore: 1,
 * });
 * const tracker = new RegionTracker({ topology, profile: "example" });
 * const event = new EventRecord();
 * event.number = 4711;
 * event.cpus = [0, 1];
 * const process = tracker.receive(event.as(KIND.start, 0, -1, 0));
 * if (tracker.process(process).pid !== 4711) throw new Error("expected the process");
 * ```
 */
export class EventRecord {
  /** Kind of the event: one of `KIND`. */
  kind: MarkKind = KIND.enter;
  /** Time of the event. A sink that orders events may move it. */
  timeS: number = NaN;
  /** Handle of the process; of a start nothing yet. */
  process: number = -1;
  /** Id of a thread with regions of its own; 0 or below: the process itself. */
  thread: number = 0;
  /** Track of an enter, an exit or short visits, see `EventSink.track`; 0: the program's own. */
  track: number = 0;
  /** The CPU on which it happened; below 0: unknown. Of a unit of work then the process's first. */
  cpu: number = -1;
  /** Handle of the region. */
  region: number = -1;
  /** Hint of the region; −1: none given. */
  hint: number = HINT_UNKNOWN;
  /** Handle of the path: of `inPath`, `folded` and `foldedLengths`. */
  path: number = 0;
  /**
   * A start's process id; an epoch's number within the process, 0: the next one; units of work; the
   * number of a span; the bucket of `foldedLengths`, see `bucketOf`.
   */
  number: number = 0;
  /** Visits: of `shortVisits` and `foldedLengths`; how many spans `shortSpans` are. */
  visits: number = 0;
  /** Time of `shortVisits` and `shortSpans`; what marking has cost the process, of `overhead`. */
  seconds: number = 0;
  /** CPUs of a process or thread that starts. */
  cpus: readonly number[] = NO_CPUS;
  /** A region's, attribute's or span's name. */
  name: string = "";
  /** Name of the span's track. */
  trackName: string = "";
  /** An attribute's value. */
  value: number | string = 0;
  /** Type of the value, TYPE of core/events/ring_layout.ts. */
  type: number = 0;
  /** Caliper's bits of it. */
  properties: number = 0;
  /** Visits of a path: the one in `path`. */
  readonly folded: FoldedStats = {
    count: 0,
    sumNs: 0,
    sumSquareNs2: 0,
    minNs: Infinity,
    maxNs: -Infinity,
    selfNs: 0,
  };
  /** A call of pm_mpi_lib. */
  readonly pm: Omit<PmEvent, "kind"> = {
    rank: undefined,
    path: undefined,
    linked: undefined,
    version: 0,
    step: 0,
    substep: 0,
    sync: false,
    initial: false,
    after: false,
  };

  /** Sets what every event has. @returns The record itself. */
  as(kind: MarkKind, timeS: number, process: number, thread: number): this {
    this.kind = kind;
    this.timeS = timeS;
    this.process = process;
    this.thread = thread;
    return this;
  }
}

/** Receives events. */
export interface EventReceiver {
  /**
   * An event, in order of time.
   * @param event Reused by the caller: copy what is kept.
   * @returns The handle of a process that starts and of a region that is registered, −1 if it
   * was refused; of other kinds and of mere listeners nothing.
   */
  receive(event: EventRecord): number;
}

/** Receives events in order of time, and gives handles to what they name. */
export interface EventSink extends EventReceiver {
  /**
   * Handle of a track, as `API` or `API/domain`: an end matches a begin of its own track; 0 is the
   * program's own.
   */
  track(name: string): number;
  /**
   * A path of regions: one of them within another path.
   * @param parent 0: outside of all regions.
   * @param attribute Caliper's attribute under which it was begun; "": a plain region.
   * @returns Its handle.
   */
  regionPath(parent: number, name: string, track: string, attribute: string): number;
}
