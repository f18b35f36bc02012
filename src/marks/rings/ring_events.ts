/**
 * Events from the records of a ring, with the sink's own handles.
 *
 * Ends that fit no begin are repaired here, as the clients repair them: the end of an outer region
 * ends those inside it, an end of a region that is not open changes nothing. Each is counted with
 * its offenders.
 * @module
 */
import { Diagnostics } from "../../core/diagnostics.ts";
import type { EventRecord, EventSink } from "../../core/events/event.ts";
import { KIND, type MarkKind } from "../../core/events/event_kinds.ts";
import { lengthened } from "../../core/grow.ts";
import {
  CPU_UNKNOWN,
  FLAG,
  OTHER_NAME,
  TRACK_SHIFT,
  TRACKS_MAX,
} from "../../core/events/ring_layout.ts";
import { type FoldedPaths, positionOf } from "./folded_paths.ts";
import {
  DEPTH_MAX,
  type Follower,
  levelOf,
  type Marks,
  openOn,
  type OpenRegions,
  type Source,
} from "./marks.ts";
import { ApartMarks } from "./apart_marks.ts";
import { RingCalls } from "./ring_calls.ts";
import { PROBE_TRACK } from "./probe_marks.ts";
import { RingSpans } from "./ring_spans.ts";
import type { ProcessContextNow } from "./answers.ts";
import { NAME_MASK, type PathWithin } from "./short_visits.ts";
import { floatOf } from "./ring_values.ts";

/** The handle of a name that the sink has not returned yet. */
const UNKNOWN = -2;

/** An application can make up any number of names. */
const MISTAKES = { maxEntries: 50, others: "more of other names and threads" };

/** Turns records of rings into events. */
export class RingEvents {
  /** Numbers that name nothing. */
  garbage = 0;
  /** Marks that were not in order. */
  readonly mistakes = new Diagnostics(MISTAKES);
  readonly #sink: EventSink;
  readonly #spans: RingSpans;
  readonly #paths: FoldedPaths;
  /** The sink's handles of names, by ring and the ring's own numbers. */
  readonly #regions = new Map<Marks, Int32Array>();
  /** Handles of tracks by ring and number. */
  readonly #tracks = new Map<Marks, Int32Array>();
  readonly #trackNames: string[] = [""];
  /** By ring and name: the ring's own number of the track of all visits so far; 0 if of several. */
  readonly #onlyTracks = new Map<Marks, Int32Array<ArrayBuffer>>();
  /** The ring of the last event, and its entry there. */
  #seenRing: Marks | undefined;
  #seenTracks = new Int32Array(0);
  readonly #within = new Map<Marks, { within: PathWithin }>();
  /** Names by the sink's handles. */
  readonly #names: string[] = [];
  /** The one record of all events from rings. */
  readonly #event: EventRecord;
  readonly #calls: RingCalls;
  /** Records that need no order. */
  readonly apart: ApartMarks;

  constructor(sink: EventSink, event: EventRecord, paths: FoldedPaths) {
    this.#sink = sink;
    this.#event = event;
    this.#paths = paths;
    this.#spans = new RingSpans(sink, event, this.mistakes);
    this.#calls = new RingCalls(event);
    this.apart = new ApartMarks(this.#spans, this.#calls);
  }

  /** Emits the next event of a thread. @param ns Its time, since the origin. */
  emit(source: Source, ns: number): void {
    const { thread, follower } = source;
    const timeS = ns * 1e-9;
    const id = (thread.flags & FLAG.process) !== 0 ? 0 : thread.tid;
    const event = this.#event;
    event.cpu = thread.cpu === CPU_UNKNOWN ? -1 : thread.cpu;
    if (id !== 0 && !source.bound) {
      source.bound = true;
      event.cpus = thread.boundTo;
      if (thread.boundTo.length > 0) this.#emit(KIND.threadCpus, timeS, follower, id);
    }
    switch (thread.kind) {
      case KIND.enter:
        this.#enter(timeS, source, id);
        break;
      case KIND.exit:
        this.#exit(timeS, source, id);
        break;
      case KIND.epoch:
        event.number = ++follower.epochs;
        this.#emit(KIND.epoch, timeS, follower, 0);
        break;
      case KIND.tprofInit:
        event.number = thread.value;
        this.#emit(KIND.tprofInit, timeS, follower, 0);
        break;
      case KIND.tprofPost:
        this.#emit(KIND.tprofPost, timeS, follower, 0);
        break;
      case KIND.overhead:
        event.seconds = floatOf(thread.payloadLow, thread.payloadHigh);
        if (event.seconds >= 0 && event.seconds < 1e9) {
          this.#emit(KIND.overhead, timeS, follower, 0);
        } else this.garbage++;
        break;
      case KIND.attributeBegin:
      case KIND.attributeSet:
      case KIND.attributeEnd:
        this.#attribute(timeS, source, id, thread.kind);
        break;
      case KIND.inPath:
        this.#paths.moveTo(source, id, timeS);
        break;
      case KIND.spanBegin:
      case KIND.spanEnd:
        if (!this.#spans.emit(timeS, source, id)) this.garbage++;
        break;
      case KIND.threadEnd:
        this.#endThread(timeS, source);
        break;
      case KIND.threadBegin:
        if (!thread.isOver) this.#endThread(timeS, source);
        this.#beginThread(source);
        break;
      case KIND.pmOpen:
      case KIND.pmRecord:
      case KIND.pmClose:
        this.#calls.pm(source, thread.kind);
        this.#emit(thread.kind, timeS, follower, 0);
    }
  }

  #emit(kind: MarkKind, timeS: number, follower: Follower, thread: number): number {
    return this.#sink.receive(this.#event.as(kind, timeS, follower.handle, thread));
  }

  #enter(timeS: number, source: Source, id: number): void {
    const { thread, ring, follower } = source;
    const name = thread.value & NAME_MASK;
    const region = this.region(timeS, source, name);
    if (region < 0) return;
    const { regions, tracks } = openOn(source, id);
    if (regions.length >= DEPTH_MAX) {
      this.garbage++;
      return;
    }
    const local = thread.value >>> TRACK_SHIFT;
    const track = this.trackOf(ring, local);
    this.#seeTrack(ring, name, local);
    regions.push(region);
    tracks.push(track);
    const event = this.#event;
    event.region = region;
    event.hint = ring.names[name].hint;
    event.track = track;
    this.#emit(KIND.enter, timeS, follower, id);
  }

  #exit(timeS: number, source: Source, id: number): void {
    const { thread, ring, follower } = source;
    const region = this.region(timeS, source, thread.value & NAME_MASK);
    if (region < 0) return;
    const track = this.trackOf(ring, thread.value >>> TRACK_SHIFT);
    const open = openOn(source, id), last = open.regions.length - 1;
    if (last < 0 || open.regions[last] !== region || open.tracks[last] !== track) {
      return this.#repair(timeS, source, { region, track }, open);
    }
    open.regions.pop();
    open.tracks.pop();
    this.#emitExit(timeS, follower, open.id, region, track);
  }

  #emitExit(timeS: number, follower: Follower, id: number, region: number, track: number): void {
    this.#event.region = region;
    this.#event.track = track;
    this.#emit(KIND.exit, timeS, follower, id);
  }

  /** A thread ended: what it left open ends with it, and is the fault of its marks. */
  #endThread(timeS: number, source: Source): void {
    const { thread, follower } = source;
    thread.ended = thread.isOver = true;
    if (source.own !== undefined) this.#close(timeS, follower, source.own, "thread's end");
    this.#emit(KIND.threadEnd, timeS, follower, thread.tid);
    if (source.own === undefined) return;
    follower.open.splice(follower.open.indexOf(source.own), 1);
    source.spare = source.own;
    source.own = undefined;
  }

  /** Another thread takes over an entry whose thread ended. */
  #beginThread(source: Source): void {
    const { thread, ring } = source;
    const bound = thread.payloadLow !== 0;
    thread.begin(
      !bound ? [] : thread.cpu !== CPU_UNKNOWN ? [thread.cpu] : ring.boundNow?.(thread) ?? [],
    );
    source.bound = false;
  }

  /** The process executed another image: nothing of this one is open any more. */
  replaced(timeS: number, follower: Follower, sources: readonly Source[]): void {
    this.#event.cpu = -1;
    for (const open of follower.open) this.#close(timeS, follower, open, "exec");
    for (const { thread, follower: f } of sources) {
      if (f === follower) this.#emit(KIND.threadEnd, timeS, follower, thread.tid);
    }
  }

  #close(
    timeS: number,
    follower: Follower,
    { id, regions, tracks }: OpenRegions,
    at: string,
  ): void {
    while (regions.length > 0) {
      const region = regions.pop()!;
      const track = tracks.pop()!;
      this.#neverEnded(follower, { id, region, track }, at);
      this.#emitExit(timeS, follower, id, region, track);
    }
  }

  #neverEnded(
    follower: Follower,
    what: { id: number; region: number; track: number },
    at: string,
  ): void {
    const who = this.#offender(follower, what.id, what.track);
    const kind = `${this.#quoted(what.region)} was never ended: ${who}`;
    if (this.mistakes.again("", kind)) return;
    this.mistakes.add("", kind, `its time goes to the ${at}`);
  }

  /** The process executed something else: its spans have no owner from here on. */
  leftByExec(follower: Follower): void {
    this.#spans.leftOpen(follower, "was open when the process executed something else");
  }

  /** The process ended in good order: what it left open is the fault of its marks. */
  leftOpen(timeS: number, follower: Follower): void {
    for (const { id, regions, tracks } of follower.open) {
      for (let i = regions.length - 1; i >= 0; i--) {
        const [region, track] = [regions[i], tracks[i]];
        // A function that ends the process does not return, by right.
        if (this.#trackNames[track] === PROBE_TRACK) {
          this.#emitExit(timeS, follower, id, region, track);
        } else this.#neverEnded(follower, { id, region, track }, "process's end");
      }
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
      if (!ring.hasName(local)) {
        this.garbage++;
        return -1;
      }
      map ??= new Int32Array(0);
      map = lengthened(map, Math.max(ring.names.length, map.length * 2), UNKNOWN);
      this.#regions.set(ring, map);
    }
    if (map[local] === UNKNOWN) {
      if (!ring.hasName(local)) {
        this.garbage++;
        return -1;
      }
      const { name, hint } = ring.names[local];
      this.#event.name = name;
      this.#event.hint = hint;
      const handle = map[local] = this.#emit(KIND.region, timeS, follower, 0);
      if (handle >= 0) this.#names[handle] = name;
    }
    return map[local];
  }

  /** The sink's paths of a process's own numbers; the same answer each time. */
  pathsOf({ ring }: Source): { within: PathWithin } {
    let paths = this.#within.get(ring);
    if (paths === undefined) {
      const within: PathWithin = (parent, value) => {
        const name = value & NAME_MASK;
        if (!ring.hasName(name)) return parent;
        const track = ring.trackName?.(value >>> TRACK_SHIFT) ?? "";
        return this.#sink.regionPath(parent, ring.names[name].name, track, "");
      };
      this.#within.set(ring, paths = { within });
    }
    return paths;
  }

  /**
   * Open regions and attributes of a process now.
   *
   * @param valuesSince Values of a thread, 0 for the process's own, since its last annotation, ns since the origin.
   */
  contextOf(
    follower: Follower,
    sources: readonly Source[],
    valuesSince: (thread: number, sinceNs: number) => Record<string, number>,
  ): ProcessContextNow {
    const { pid, rank, open, rings: [{ startNs }] } = follower;
    const own = sources.filter((source) => source.follower === follower);
    const threads = open.map(({ id, regions, attributes }) => {
      const thread = id === 0 ? pid : id;
      const source = own.find(({ thread: { tid } }) => tid === thread);
      const paths = source?.thread.paths;
      const sinceNs = Math.max(startNs, source?.thread.handedNs || startNs, paths?.sinceNs ?? 0);
      return {
        thread,
        regions: paths?.folding === true
          ? positionOf(source!)
          : regions.map((region) => this.#names[region] ?? "?"),
        attributes: Object.fromEntries(
          [...attributes ?? []].map(([name, values]) => [name, values.at(-1)!]),
        ),
        values: valuesSince(id, sinceNs),
      };
    });
    return { pid, ...(rank === undefined ? {} : { rank }), threads };
  }

  /** The ring's process is over. */
  forget(ring: Marks): void {
    this.#regions.delete(ring);
    this.#tracks.delete(ring);
    this.#onlyTracks.delete(ring);
    if (ring === this.#seenRing) this.#seenRing = undefined;
    this.#within.delete(ring);
    this.#spans.forget(ring);
  }

  /** The sink's handle of a process's own number of a track. */
  trackOf(ring: Marks, local: number): number {
    if (local === 0) return 0;
    let map = this.#tracks.get(ring);
    if (map === undefined) this.#tracks.set(ring, map = new Int32Array(TRACKS_MAX).fill(UNKNOWN));
    if (map[local] === UNKNOWN) {
      const name = ring.trackName?.(local) ?? "";
      map[local] = name === "" ? 0 : this.#sink.track(name);
      this.#trackNames[map[local]] = name;
    }
    return map[local];
  }

  /**
   * The sink's handle of the track of visits whose track the ring does not tell: the only one that
   * other visits of the name were on.
   */
  likelyTrackOf(ring: Marks, name: number): number {
    return this.trackOf(ring, Math.max(0, this.#onlyTracks.get(ring)?.[name] ?? 0));
  }

  #seeTrack(ring: Marks, name: number, local: number): void {
    if (ring !== this.#seenRing) {
      this.#seenRing = ring;
      this.#seenTracks = this.#onlyTracks.get(ring) ?? new Int32Array(0);
    }
    const seen = this.#seenTracks;
    if (seen[name] === local) return;
    if (name < seen.length) return void (seen[name] = seen[name] === UNKNOWN ? local : 0);
    const names = Math.max(ring.names.length, 2 * seen.length);
    this.#onlyTracks.set(ring, this.#seenTracks = lengthened(seen, names, UNKNOWN));
    this.#seenTracks[name] = local;
  }

  /** Counts a mistake; the first of its kind with its place: when, and in which regions. */
  #note(timeS: number, open: OpenRegions, kind: string): void {
    if (this.mistakes.again("", kind)) return;
    // The innermost give its place.
    const path = open.regions.slice(-4).map((region) => this.#quoted(region)).join(" > ");
    const where = path === "" ? "outside of regions" : `in ${path}`;
    this.mistakes.add("", kind, `at ${timeS.toFixed(3)} s, ${where}`);
  }

  #repair(
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
          const kind = `${this.#quoted(inner)} was still open when ${ended} ended: ${who}`;
          this.#note(timeS, open, kind);
        }
        this.#take(timeS, follower, open, level);
      }
      return;
    }
    const elsewhere = follower.open.find((o) => levelOf(o, track, region) >= 0);
    const inner = levelOf(open, track);
    if (elsewhere !== undefined) {
      const by = elsewhere.id || follower.pid;
      this.#note(timeS, open, `${ended} was begun by thread ${by} and ended by another: ${who}`);
      const there = levelOf(elsewhere, track);
      if (elsewhere.regions[there] === region) this.#take(timeS, follower, elsewhere, there);
    } else if (inner >= 0) {
      const around = this.#quoted(regions[inner]);
      this.#note(timeS, open, `${ended} ended in ${around} without having begun: ${who}`);
    } else {
      this.#note(timeS, open, `${ended} ended without having begun: ${who}`);
      // A call that GEOPM would refuse: it belongs among those.
      this.#emitExit(timeS, follower, open.id, region, track);
    }
  }

  /** Ends one open region of a thread, at any depth. */
  #take(timeS: number, follower: Follower, open: OpenRegions, level: number): void {
    const [region] = open.regions.splice(level, 1);
    const [track] = open.tracks.splice(level, 1);
    this.#emitExit(timeS, follower, open.id, region, track);
  }

  #attribute(timeS: number, source: Source, id: number, kind: MarkKind): void {
    const { thread, ring, follower } = source;
    if (!ring.hasName(thread.value)) {
      this.garbage++;
      return;
    }
    if (this.#calls.attribute(source, id, kind)) this.#emit(kind, timeS, follower, id);
  }

  #quoted(region: number): string {
    const name = this.#names[region] ?? "?";
    // The end of whatever is innermost has none; nor has an unknown handle.
    if (name === OTHER_NAME) return "a region without a name";
    return `"${name.length > 80 ? name.slice(0, 77) + "..." : name}"`;
  }

  #offender({ pid, rank }: Follower, id: number, track: number): string {
    const process = rank === undefined ? `process ${pid}` : `process ${pid} (rank ${rank})`;
    const where = id === 0 ? process : `${process}, thread ${id}`;
    return track === 0 ? where : `${where}, ${this.#trackNames[track]}`;
  }
}
