/**
 * What the records of a ring mean: calls of an event sink, with the sink's own handles.
 * @module
 */
import type { EventSink } from "../core/event.ts";
import { FLAG, KIND } from "../core/ring_layout.ts";
import type { RingProcess } from "../regions/ring_process.ts";
import type { RingThread } from "../regions/ring_thread.ts";

/** One process as the collector follows it; a second image of it after exec is another one. */
export interface Follower {
  readonly pid: number;
  readonly execId: string;
  readonly rings: RingProcess[];
  /** The sink's handle; −1 before it was told of it. */
  handle: number;
  /** When it stopped in good order or was missed, ns since the origin; NaN while it runs. */
  endNs: number;
  died: boolean;
  /** Epochs told so far. */
  epochs: number;
}

/** A thread whose events are to be told. */
export interface Source {
  readonly thread: RingThread;
  readonly ring: RingProcess;
  readonly follower: Follower;
  /** The sink knows which CPUs it is bound to. */
  bound: boolean;
}

/** Not told yet which handle a name has. */
const UNKNOWN = -2;

/** See the module. */
export class RingEvents {
  /** Numbers that name nothing. */
  garbage = 0;
  readonly #sink: EventSink;
  /** The sink's handles of names, by ring and the ring's own numbers. */
  readonly #regions = new Map<RingProcess, Int32Array>();

  constructor(sink: EventSink) {
    this.#sink = sink;
  }

  /** Tells the event that stands next in a thread. @param ns Its time, since the origin. */
  tell(source: Source, ns: number): void {
    const { thread, ring, follower } = source;
    const sink = this.#sink;
    const handle = follower.handle;
    const timeS = ns * 1e-9;
    const id = (thread.flags & FLAG.process) !== 0 ? 0 : thread.tid;
    if (id !== 0 && !source.bound) {
      source.bound = true;
      if (thread.boundTo.length > 0) sink.threadCpus(timeS, handle, id, thread.boundTo);
    }
    switch (thread.kind) {
      case KIND.enter: {
        const region = this.region(timeS, source, thread.value);
        if (region >= 0) sink.enter(timeS, handle, region, ring.names[thread.value].hint, id);
        break;
      }
      case KIND.exit: {
        const region = this.region(timeS, source, thread.value);
        if (region >= 0) sink.exit(timeS, handle, region, id);
        break;
      }
      case KIND.epoch:
        sink.epoch(timeS, handle, ++follower.epochs);
        break;
      case KIND.tprofInit:
        sink.tprofInit(timeS, handle, thread.value);
        break;
      case KIND.tprofPost:
        sink.tprofPost(timeS, handle, thread.cpu === 0xffff ? -1 : thread.cpu);
        break;
      case KIND.overhead: {
        const seconds = float(thread.payloadLow, thread.payloadHigh);
        if (seconds >= 0 && seconds < 1e9) sink.overhead(timeS, handle, seconds);
        else this.garbage++;
        break;
      }
      default:
        // Attributes and step records have no listener yet.
        break;
    }
  }

  /** The sink's handle of a process's own number of a name; −1 when it makes no sense. */
  region(timeS: number, source: Source, local: number): number {
    const { ring, follower } = source;
    let map = this.#regions.get(ring);
    if (map === undefined || local >= map.length) {
      if (local >= ring.names.length) {
        this.garbage++;
        return -1;
      }
      const grown = new Int32Array(Math.max(ring.names.length, (map?.length ?? 0) * 2)).fill(
        UNKNOWN,
      );
      if (map !== undefined) grown.set(map);
      map = grown;
      this.#regions.set(ring, map);
    }
    if (map[local] === UNKNOWN) {
      if (local >= ring.names.length) {
        this.garbage++;
        return -1;
      }
      const { name, hint } = ring.names[local];
      map[local] = this.#sink.region(timeS, follower.handle, name, hint);
    }
    return map[local];
  }

  /** The ring's process is over. */
  forget(ring: RingProcess): void {
    this.#regions.delete(ring);
  }
}

const floatWords = new Uint32Array(2);
const floatValue = new Float64Array(floatWords.buffer);

function float(low: number, high: number): number {
  floatWords[0] = low;
  floatWords[1] = high;
  return floatValue[0];
}
