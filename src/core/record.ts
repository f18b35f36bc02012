/**
 * Records: what a process did in one step of the loop, in the order it did it.
 *
 * Event numbers and names are those of GEOPM's record log and of the profile trace that
 * geopmlaunch(1) describes under `--geopm-trace-profile`.
 * @module
 */

import { lengthened } from "./grow.ts";

/** Event numbers. */
export const EVENT = {
  REGION_ENTRY: 0,
  REGION_EXIT: 1,
  EPOCH_COUNT: 2,
  SHORT_REGION: 3,
  AFFINITY: 9,
  START_PROFILE: 10,
  STOP_PROFILE: 11,
  OVERHEAD: 12,
} as const;

/** Names of events in the profile trace; the prefix is missing on the first three there too. */
export const EVENT_NAMES: Readonly<Record<number, string>> = Object.fromEntries(
  Object.entries(EVENT).map(([name, event]) => [event, event < 3 ? name : `EVENT_${name}`]),
);

/**
 * A growing list of records, kept as columns so that a step allocates nothing after warm-up.
 *
 * `signal` is the hash of the region or profile, the epoch's number, the CPU, or seconds of
 * overhead. A short region has its completed visits and their whole time beside it.
 */
export class RecordList {
  length = 0;
  /** Nanoseconds since the tracker's origin. */
  timeNs: Float64Array;
  /** Process id; a thread's id for the regions of a thread. */
  process: Float64Array;
  event: Uint8Array;
  signal: Float64Array;
  visits: Float64Array;
  totalNs: Float64Array;

  constructor(capacity = 16) {
    this.timeNs = new Float64Array(capacity);
    this.process = new Float64Array(capacity);
    this.event = new Uint8Array(capacity);
    this.signal = new Float64Array(capacity);
    this.visits = new Float64Array(capacity);
    this.totalNs = new Float64Array(capacity);
  }

  /** Appends a record. @returns Its index. */
  push(timeNs: number, process: number, event: number, signal: number): number {
    const i = this.length;
    if (i === this.event.length) this.#grow();
    this.timeNs[i] = timeNs;
    this.process[i] = process;
    this.event[i] = event;
    this.signal[i] = signal;
    this.visits[i] = 0;
    this.totalNs[i] = 0;
    this.length = i + 1;
    return i;
  }

  /** Appends a copy of a record of another list. */
  copy(from: RecordList, index: number): void {
    const i = this.push(
      from.timeNs[index],
      from.process[index],
      from.event[index],
      from.signal[index],
    );
    this.visits[i] = from.visits[index];
    this.totalNs[i] = from.totalNs[index];
  }

  #grow(): void {
    const capacity = this.event.length * 2;
    this.timeNs = lengthened(this.timeNs, capacity);
    this.process = lengthened(this.process, capacity);
    this.event = lengthened(this.event, capacity);
    this.signal = lengthened(this.signal, capacity);
    this.visits = lengthened(this.visits, capacity);
    this.totalNs = lengthened(this.totalNs, capacity);
  }
}
