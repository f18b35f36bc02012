/**
 * Perfetto's trace format: tracks of processes and threads with slices of regions, and counter tracks.
 * perfetto.dev, "Synthetic trace events"; fields by the numbers of its trace_packet.proto.
 *
 * A file is a row of packets, each whole in itself, so files of several hosts can be joined by `cat`.
 * Times are ns from the run's zero on, one second added; a clock snapshot at the top gives the time
 * of the day of that moment.
 * @module
 */
import { regionHash } from "../core/hash.ts";
import { ProtoWriter } from "./protobuf.ts";

const PACKET = 1;
/** Field numbers of TracePacket. */
const CLOCKS = 6, TIMESTAMP = 8, SEQUENCE = 10, EVENT = 11, INTERNED = 12, FLAGS = 13, TRACK = 60;
/** Field numbers of TrackDescriptor. */
const PROCESS = 3, THREAD = 4, COUNTER_TRACK = 8;
/** Field numbers of TrackEvent: type, track, name, value, annotation. */
const TYPE = 9, TRACK_UUID = 11, NAME_ID = 10, DOUBLE_VALUE = 44, ANNOTATION = 4;
const SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3, COUNTER = 4;
const STATE_CLEARED = 1, NEEDS_STATE = 2;
const CLOCK_REALTIME = 1, CLOCK_BOOTTIME = 6;
/** The only sequence of a file. */
const OWN_SEQUENCE = 1;
const ORIGIN_NS = 1e9;
/** Tracks of a host; numbers of tracks are one for the whole trace. */
const TRACKS_MAX = 2 ** 20;

/** Packets of one host, gathered until they are read. */
export class PerfettoWriter {
  readonly #out = new ProtoWriter();
  readonly #names = new Map<string, number>();
  readonly #firstTrack: number;
  #tracks = 0;
  #isFirst = true;

  constructor(host: string) {
    this.#firstTrack = regionHash(host) * TRACKS_MAX + 1;
  }

  /** Packets since the last {@linkcode clear}. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#out.bytes;
  }

  clear(): void {
    this.#out.clear();
  }

  /** Writes the time of day of the run's zero. @param zeroS Seconds since the epoch. */
  clock(zeroS: number): void {
    const out = this.#out;
    const packet = out.begin(PACKET);
    const clocks = out.begin(CLOCKS);
    this.#clock(CLOCK_BOOTTIME, ORIGIN_NS);
    // A double has whole microseconds of our days.
    this.#clock(CLOCK_REALTIME, Math.round(zeroS * 1e6) * 1000 + ORIGIN_NS);
    out.end(clocks);
    out.uint(SEQUENCE, OWN_SEQUENCE);
    out.end(packet);
  }

  #clock(id: number, ns: number): void {
    const at = this.#out.begin(1);
    this.#out.uint(1, id);
    this.#out.uint(2, ns);
    this.#out.end(at);
  }

  /** The track of a process. @returns Its number. */
  process(pid: number, name: string): number {
    return this.#track(0, name, PROCESS, (out) => {
      out.uint(1, pid);
      out.text(6, name);
    });
  }

  /** The track of a thread, where its nested regions are. */
  thread(pid: number, tid: number, parent: number): number {
    return this.#track(parent, "", THREAD, (out) => {
      out.uint(1, pid);
      out.uint(2, tid);
    });
  }

  /** A further row below a track, for what does not nest with the rest of it. */
  row(name: string, parent: number): number {
    return this.#track(parent, name);
  }

  /** The track of a counter. */
  counter(name: string, unit: string): number {
    return this.#track(0, name, COUNTER_TRACK, (out) => out.text(6, unit));
  }

  begin(timeS: number, track: number, name: string): void {
    this.#event(timeS, track, SLICE_BEGIN, { name });
  }

  end(timeS: number, track: number): void {
    this.#event(timeS, track, SLICE_END);
  }

  /** A moment, with facts. */
  instant(timeS: number, track: number, name: string, facts: Record<string, number> = {}): void {
    this.#event(timeS, track, INSTANT, { name, facts });
  }

  /** A counter has a value from now on. */
  value(timeS: number, track: number, value: number): void {
    this.#event(timeS, track, COUNTER, { value });
  }

  /** @param kind Field of what `describe` writes. @default none */
  #track(parent: number, name: string, kind = 0, describe?: (out: ProtoWriter) => void): number {
    const track = this.#firstTrack + this.#tracks++;
    const out = this.#out;
    const packet = out.begin(PACKET);
    out.uint(SEQUENCE, OWN_SEQUENCE);
    const at = out.begin(TRACK);
    out.uint(1, track);
    if (name !== "") out.text(2, name);
    if (parent !== 0) out.uint(5, parent);
    if (describe !== undefined) {
      const described = out.begin(kind);
      describe(out);
      out.end(described);
    }
    out.end(at);
    out.end(packet);
    return track;
  }

  #event(
    timeS: number,
    track: number,
    type: number,
    more: { name?: string; value?: number; facts?: Record<string, number> } = {},
  ): void {
    const out = this.#out;
    const packet = out.begin(PACKET);
    out.uint(TIMESTAMP, Math.max(0, Math.round(timeS * 1e9)) + ORIGIN_NS);
    out.uint(SEQUENCE, OWN_SEQUENCE);
    out.uint(FLAGS, this.#isFirst ? STATE_CLEARED | NEEDS_STATE : NEEDS_STATE);
    this.#isFirst = false;
    const name = more.name === undefined ? 0 : this.#name(more.name);
    const at = out.begin(EVENT);
    for (const [key, value] of Object.entries(more.facts ?? {})) {
      const annotation = out.begin(ANNOTATION);
      out.text(10, key);
      out.double(5, value);
      out.end(annotation);
    }
    out.uint(TYPE, type);
    if (name !== 0) out.uint(NAME_ID, name);
    out.uint(TRACK_UUID, track);
    if (more.value !== undefined) out.double(DOUBLE_VALUE, more.value);
    out.end(at);
    out.end(packet);
  }

  /** Number of a name; a new one is defined in the open packet. */
  #name(name: string): number {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    const id = this.#names.size + 1;
    this.#names.set(name, id);
    const interned = this.#out.begin(INTERNED);
    const at = this.#out.begin(2);
    this.#out.uint(1, id);
    this.#out.text(2, name);
    this.#out.end(at);
    this.#out.end(interned);
    return id;
  }
}
