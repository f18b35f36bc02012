/**
 * What applications tell about themselves: marker calls, as the ring and recordings deliver them.
 *
 * One method per call of geopm_prof(3), with times as numbers of seconds on one steady clock, and
 * small handles for processes and regions. A sink never throws on a call that GEOPM would answer
 * with an error: it notes, counts and ignores it.
 * @module
 */

/** A value beside the regions, Caliper's `attribute:value`: begun, set or ended. Reused. */
export interface AttributeEvent {
  /** What happens to the value. */
  kind: "begin" | "set" | "end";
  /** The attribute's name. */
  name: string;
  /** TYPE of core/ring_layout.ts; 0 where it ended. */
  type: number;
  /** Caliper's property bits. */
  properties: number;
  /** A number that no double holds comes as its digits. */
  value: number | string;
}

/**
 * A span: begun here, ended on any thread, in any order. It is no region: hash, hint, runtime and
 * count of regions know nothing of it. Reused.
 */
export interface SpanEvent {
  /** What happens to it. */
  kind: "begin" | "end";
  /** Number of the span within its process; a number that was ended may come again. */
  id: number;
  /** Its name; of an end, what it began with. */
  name: string;
  /** Whose it is: see `track`; "" is the program's own. */
  track: string;
}

/** A call of pm_mpi_lib. Reused. */
export interface PmEvent {
  /** Which call it is. */
  kind: "open" | "record" | "close";
  /** The log that the program opens, as a whole path; absent where the real library writes it. */
  path?: string;
  /** Version of the library that the program was written for, × 10. */
  version: number;
  /** The program's label of the step. */
  step: number;
  /** The program's label within the step. */
  substep: number;
  /** The call asks for a barrier. */
  sync: boolean;
  /** The reading before the barrier is logged too. */
  initial: boolean;
}

/** Receives events in order of time. Handles come from `start` and `region`. */
export interface EventSink {
  /** A process connects. @returns Its handle. */
  start(timeS: number, pid: number, cpus: readonly number[]): number;
  /**
   * The launched command, counted as the one process of a run that marks nothing. If it connects
   * by itself later it goes on as it is; another process takes its place, and the run begins anew.
   * @returns Its handle.
   */
  startCommand(timeS: number, pid: number, cpus: readonly number[]): number;
  /** The CPUs that a thread of the process is bound to; unbound, they are the process's. */
  threadCpus(timeS: number, process: number, thread: number, cpus: readonly number[]): void;
  /** Registers a name; a known one keeps its first hint. @returns Its handle, −1 when refused. */
  region(timeS: number, process: number, name: string, hint: number): number;
  /**
   * Whose marks some are, as `dialect` or `dialect/domain`: an end fits a begin of its own track.
   * @returns Its handle; 0 is the program's own.
   */
  track?(name: string): number;
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
    track?: number,
  ): void;
  /** A region ends. */
  exit(timeS: number, process: number, region: number, thread: number, track?: number): void;
  /** A step of the outer loop begins. @param number The epoch's number within the process; 0: the next one. */
  epoch(timeS: number, process: number, number: number): void;
  /** A region announces its units of work. */
  tprofInit(timeS: number, process: number, units: number): void;
  /** A unit of work is done. @param cpu Where the unit was done; below 0: the first CPU of the process. */
  tprofPost(timeS: number, process: number, cpu: number): void;
  /** Time that marking itself has cost the process. */
  overhead(timeS: number, process: number, seconds: number): void;
  /** Completed outermost visits that the ring itself folded, at the time of the first one. */
  shortVisits(
    timeS: number,
    process: number,
    region: number,
    count: number,
    seconds: number,
    thread: number,
  ): void;
  /** A thread with regions of its own ended, outside of all. Needed only to let go of it. */
  threadEnd?(timeS: number, process: number, thread: number): void;
  /** The process ended its marks. */
  shutdown(timeS: number, process: number): void;
  /** The process ended without a shutdown. */
  died(timeS: number, process: number): void;
  /** The CPU on which the next event happened. Needed only where there is a listener. */
  at?(cpu: number): void;
  /** Needed only where there is a listener. @param thread 0 or below: the process itself. */
  attribute?(timeS: number, process: number, thread: number, event: Readonly<AttributeEvent>): void;
  /** A span begins or ends. @param thread Where it does; 0 or below: the process itself. */
  span?(timeS: number, process: number, thread: number, event: Readonly<SpanEvent>): void;
  /** A call of pm_mpi_lib. Needed only where there is a listener. */
  pm?(timeS: number, process: number, event: Readonly<PmEvent>): void;
}
