/**
 * What the records of a ring mean: calls of an event sink, with the sink's own handles.
 *
 * Ends that fit no begin are mended here, as the clients mend them: the end of an outer region ends
 * those inside it, an end of what is not open changes nothing. Each is counted with its offenders.
 * @module
 */
import { Diagnostics } from "../core/diagnostics.ts";
import type { AttributeEvent, EventSink, PmEvent } from "../core/event.ts";
import {
  CPU_UNKNOWN,
  FLAG,
  KIND,
  PM,
  PM_LOG_NAME,
  REMARK_NAME,
  TRACK_SHIFT,
  TRACKS_MAX,
} from "../core/ring_layout.ts";
import {
  type Follower,
  levelOf,
  type Marks,
  openOn,
  type OpenRegions,
  type Source,
} from "./marks.ts";
import { RingSpans } from "./ring_spans.ts";
import { NAME_MASK } from "./ring_thread.ts";
import type { ProcessContextNow } from "./answers.ts";
import { floatOf, keepValue, valueOf } from "./ring_values.ts";

/** Not told yet which handle a name has. */
const UNKNOWN = -2;
/** Nobody nests deeper; what a broken ring says beyond is left out. */
const DEPTH_MAX = 4096;
const REMARKS_MAX = 20;

/** An application can make up any number of names. */
const MISTAKES = { maxEntries: 50, others: "more of other names and threads" };

/** Turns records of rings into calls of a sink. */
export class RingEvents {
  /** Numbers that name nothing. */
  garbage = 0;
  /** Marks that were not in order. */
  readonly mistakes = new Diagnostics(MISTAKES);
  /** What clients have to say about their programs. */
  readonly remarks = new Set<string>();
  readonly #sink: EventSink;
  readonly #spans: RingSpans;
  /** The sink's handles of names, by ring and the ring's own numbers. */
  readonly #regions = new Map<Marks, Int32Array>();
  /** The same of tracks. */
  readonly #tracks = new Map<Marks, Int32Array>();
  readonly #trackNames: string[] = [""];
  /** Names by the sink's handles. */
  readonly #names: string[] = [];
  readonly #attribute: AttributeEvent = {
    kind: "set",
    name: "",
    type: 0,
    properties: 0,
    value: 0,
  };
  readonly #pm: PmEvent = {
    kind: "open",
    version: 0,
    step: 0,
    substep: 0,
    sync: false,
    initial: false,
  };

  constructor(sink: EventSink) {
    this.#sink = sink;
    this.#spans = new RingSpans(sink, this.mistakes);
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
    if (sink.at !== undefined && thread.cpu !== CPU_UNKNOWN) sink.at(thread.cpu);
    switch (thread.kind) {
      case KIND.enter: {
        const name = thread.value & NAME_MASK;
        const region = this.region(timeS, source, name);
        if (region < 0) break;
        const { regions, tracks } = openOn(source, id);
        if (regions.length >= DEPTH_MAX) {
          this.garbage++;
          break;
        }
        const track = this.#trackOf(ring, thread.value >>> TRACK_SHIFT);
        regions.push(region);
        tracks.push(track);
        sink.enter(timeS, handle, region, ring.names[name].hint, id, track);
        break;
      }
      case KIND.exit: {
        const region = this.region(timeS, source, thread.value & NAME_MASK);
        if (region < 0) break;
        const track = this.#trackOf(ring, thread.value >>> TRACK_SHIFT);
        const open = openOn(source, id);
        if (open.regions.at(-1) !== region || open.tracks.at(-1) !== track) {
          this.#mend(timeS, source, { region, track }, open);
        } else {
          open.regions.pop();
          open.tracks.pop();
          sink.exit(timeS, handle, region, id, track);
        }
        break;
      }
      case KIND.epoch:
        sink.epoch(timeS, handle, ++follower.epochs);
        break;
      case KIND.tprofInit:
        sink.tprofInit(timeS, handle, thread.value);
        break;
      case KIND.tprofPost:
        sink.tprofPost(timeS, handle, thread.cpu === CPU_UNKNOWN ? -1 : thread.cpu);
        break;
      case KIND.overhead: {
        const seconds = floatOf(thread.payloadLow, thread.payloadHigh);
        if (seconds >= 0 && seconds < 1e9) sink.overhead(timeS, handle, seconds);
        else this.garbage++;
        break;
      }
      case KIND.attributeBegin:
      case KIND.attributeSet:
      case KIND.attributeEnd:
        this.#tellAttribute(timeS, source, id);
        break;
      case KIND.spanBegin:
      case KIND.spanEnd:
        if (!this.#spans.tell(timeS, source, id)) this.garbage++;
        break;
      case KIND.threadEnd:
        this.#endThread(timeS, source);
        break;
      case KIND.threadBegin:
        if (!thread.ended) this.#endThread(timeS, source);
        this.#beginThread(source);
        break;
      default:
        this.#tellPm(timeS, source);
    }
  }

  /** A thread ended: what it left open ends with it, and is the fault of its marks. */
  #endThread(timeS: number, source: Source): void {
    const { thread, follower } = source;
    thread.ended = true;
    if (source.own !== undefined) this.#close(timeS, follower, source.own);
    this.#sink.threadEnd?.(timeS, follower.handle, thread.tid);
    follower.open.splice(
      1,
      follower.open.length,
      ...follower.open.filter((o, i) => {
        return i > 0 && o !== source.own;
      }),
    );
    source.own = undefined;
  }

  /** Another thread takes over an entry whose thread ended. */
  #beginThread(source: Source): void {
    const { thread, ring } = source;
    const bound = thread.payloadLow !== 0;
    thread.tid = thread.value;
    thread.ended = false;
    thread.boundTo = !bound
      ? []
      : thread.cpu !== CPU_UNKNOWN
      ? [thread.cpu]
      : ring.boundNow?.(thread) ?? [];
    source.bound = false;
  }

  /** The process executed another image: nothing of this one is open any more. */
  replaced(timeS: number, follower: Follower, sources: readonly Source[]): void {
    for (const open of follower.open) this.#close(timeS, follower, open);
    for (const { thread, follower: f } of sources) {
      if (f === follower) this.#sink.threadEnd?.(timeS, follower.handle, thread.tid);
    }
  }

  #close(timeS: number, follower: Follower, { id, regions, tracks }: OpenRegions): void {
    while (regions.length > 0) {
      const region = regions.pop()!;
      const track = tracks.pop()!;
      this.#neverEnded(follower, { id, region, track });
      this.#sink.exit(timeS, follower.handle, region, id, track);
    }
  }

  #neverEnded(follower: Follower, what: { id: number; region: number; track: number }): void {
    const who = this.#offender(follower, what.id, what.track);
    this.mistakes.add("", `${this.#quoted(what.region)} was never ended: ${who}`);
  }

  /** The process ended in good order: what it left open is the fault of its marks. */
  leftOpen(follower: Follower): void {
    for (const { id, regions, tracks } of follower.open) {
      regions.forEach((region, i) => this.#neverEnded(follower, { id, region, track: tracks[i] }));
      regions.length = 0;
      tracks.length = 0;
    }
    this.#spans.leftOpen(follower);
  }

  /** The sink's handle of a process's own number of a name; −1 when it makes no sense. */
  region(timeS: number, source: Source, local: number): number {
    const { ring, follower } = source;
    let map = this.#regions.get(ring);
    if (map === undefined || local >= map.length) {
      if (!ring.knowsName(local)) {
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
      if (!ring.knowsName(local)) {
        this.garbage++;
        return -1;
      }
      const { name, hint } = ring.names[local];
      const handle = map[local] = this.#sink.region(timeS, follower.handle, name, hint);
      if (handle >= 0) this.#names[handle] = name;
    }
    return map[local];
  }

  /** What is open in a process at this moment. */
  contextOf({ pid, rank, open }: Follower): ProcessContextNow {
    const threads = open.map(({ id, regions, attributes }) => ({
      thread: id === 0 ? pid : id,
      regions: regions.map((region) => this.#names[region] ?? "?"),
      attributes: Object.fromEntries(
        [...attributes ?? []].map(([name, values]) => [name, values.at(-1)!]),
      ),
    }));
    return { pid, ...(rank === undefined ? {} : { rank }), threads };
  }

  /** The ring's process is over. */
  forget(ring: Marks): void {
    this.#regions.delete(ring);
    this.#tracks.delete(ring);
  }

  /** The sink's handle of a process's own number of a track. */
  #trackOf(ring: Marks, local: number): number {
    if (local === 0) return 0;
    let map = this.#tracks.get(ring);
    if (map === undefined) this.#tracks.set(ring, map = new Int32Array(TRACKS_MAX).fill(UNKNOWN));
    if (map[local] === UNKNOWN) {
      const name = ring.trackName?.(local) ?? "";
      map[local] = name === "" ? 0 : this.#sink.track?.(name) ?? 0;
      this.#trackNames[map[local]] = name;
    }
    return map[local];
  }

  #mend(
    timeS: number,
    source: Source,
    { region, track }: { region: number; track: number },
    open: OpenRegions,
  ): void {
    const { follower, thread } = source;
    const { regions, tracks } = open;
    const ended = this.#quoted(region);
    const who = this.#offender(follower, open.id, track);
    const alone = (thread.flags & FLAG.alone) !== 0;
    const at = levelOf(open, track, region);
    if (at >= 0) {
      for (let level = regions.length - 1; level >= at; level--) {
        if (level > at && (alone || tracks[level] !== track)) continue;
        const inner = regions[level];
        if (level > at) {
          this.mistakes.add(
            "",
            `${this.#quoted(inner)} was still open when ${ended} ended: ${who}`,
          );
        }
        this.#take(timeS, follower, open, level);
      }
      return;
    }
    const elsewhere = follower.open.find((o) => levelOf(o, track, region) >= 0);
    const inner = levelOf(open, track);
    if (elsewhere !== undefined) {
      this.mistakes.add(
        "",
        `${ended} was begun by thread ${elsewhere.id || follower.pid} and ended by another: ${who}`,
      );
      const there = levelOf(elsewhere, track);
      if (elsewhere.regions[there] === region) this.#take(timeS, follower, elsewhere, there);
    } else if (inner >= 0) {
      const around = this.#quoted(regions[inner]);
      this.mistakes.add("", `${ended} ended in ${around} without having begun: ${who}`);
    } else {
      this.mistakes.add("", `${ended} ended without having begun: ${who}`);
      // A call that GEOPM would refuse: it belongs among those.
      this.#sink.exit(timeS, follower.handle, region, open.id, track);
    }
  }

  /** Ends one open region of a thread, wherever it lies. */
  #take(timeS: number, follower: Follower, open: OpenRegions, level: number): void {
    const [region] = open.regions.splice(level, 1);
    const [track] = open.tracks.splice(level, 1);
    this.#sink.exit(timeS, follower.handle, region, open.id, track);
  }

  #tellAttribute(timeS: number, source: Source, id: number): void {
    const { thread, ring, follower } = source;
    if (!ring.knowsName(thread.value)) {
      this.garbage++;
      return;
    }
    const event = this.#attribute;
    event.name = ring.names[thread.value].name;
    event.kind = thread.kind === KIND.attributeBegin
      ? "begin"
      : thread.kind === KIND.attributeSet
      ? "set"
      : "end";
    event.type = event.kind === "end" ? 0 : thread.extraLow;
    event.properties = event.kind === "end" ? 0 : thread.extraHigh;
    event.value = event.kind === "end"
      ? ""
      : valueOf(event.type, thread.payloadLow, thread.payloadHigh, ring);
    if (event.name === REMARK_NAME) {
      if (this.remarks.size < REMARKS_MAX) this.remarks.add(String(event.value));
      return;
    }
    if (event.name === PM_LOG_NAME) {
      this.#pm.path = String(event.value);
      return;
    }
    keepValue(openOn(source, id).attributes ??= new Map(), event, DEPTH_MAX);
    this.#sink.attribute?.(timeS, follower.handle, id, event);
  }

  #tellPm(timeS: number, { thread, follower }: Source): void {
    const event = this.#pm;
    if (thread.kind === KIND.pmOpen) {
      event.kind = "open";
      event.version = thread.value;
    } else if (thread.kind === KIND.pmRecord) {
      event.kind = "record";
      event.step = thread.payloadLow | 0;
      event.substep = thread.payloadHigh | 0;
      event.sync = (thread.extraLow & PM.sync) !== 0;
      event.initial = (thread.extraLow & PM.initial) !== 0;
    } else event.kind = "close";
    this.#sink.pm?.(timeS, follower.handle, event);
    event.path = undefined;
  }

  #quoted(region: number): string {
    const name = this.#names[region] ?? "?";
    return `"${name.length > 80 ? name.slice(0, 77) + "..." : name}"`;
  }

  #offender({ pid, rank }: Follower, id: number, track: number): string {
    const process = rank === undefined ? `process ${pid}` : `process ${pid} (rank ${rank})`;
    const where = id === 0 ? process : `${process}, thread ${id}`;
    return track === 0 ? where : `${where}, ${this.#trackNames[track]}`;
  }
}
