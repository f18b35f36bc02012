/**
 * Visits that clients folded by path, from the rings to the sink: read at each drain, emitted when the
 * sample is settled that the drain was made for.
 * @module
 */
import type { EventRecord, EventSink } from "../../core/events/event.ts";
import { KIND, type MarkKind } from "../../core/events/event_kinds.ts";
import { lengthened } from "../../core/grow.ts";
import { OTHER_NAME } from "../../core/events/ring_layout.ts";
import type { Follower, Marks, Source } from "./marks.ts";
import type { RingPaths } from "./ring_paths.ts";

/** The handle of a path that the sink has not returned yet. */
const UNKNOWN = -2;

/** Visits that were added to paths and are not emitted yet; columns, oldest first. */
class WaitingPaths {
  count = 0;
  dueNs = new Float64Array(256);
  path = new Int32Array(256);
  visits = new Float64Array(256);
  ns = new Float64Array(256);
  squares = new Float64Array(256);
  selfNs = new Float64Array(256);
  readonly sources: Source[] = [];

  add(): number {
    const at = this.count++;
    if (at < this.dueNs.length) return at;
    const length = at * 2;
    this.dueNs = lengthened(this.dueNs, length);
    this.path = lengthened(this.path, length);
    this.visits = lengthened(this.visits, length);
    this.ns = lengthened(this.ns, length);
    this.squares = lengthened(this.squares, length);
    this.selfNs = lengthened(this.selfNs, length);
    return at;
  }

  /** Moves one to another place, before it. */
  move(from: number, to: number): void {
    this.dueNs[to] = this.dueNs[from];
    this.path[to] = this.path[from];
    this.visits[to] = this.visits[from];
    this.ns[to] = this.ns[from];
    this.squares[to] = this.squares[from];
    this.selfNs[to] = this.selfNs[from];
    this.sources[to] = this.sources[from];
  }
}

/** Nested visits of a thread whose order was requested, and that came too fast for it. */
export interface OutOfOrder {
  readonly pid: number;
  readonly thread: number;
  visits: number;
  /** The looks that found the first and the last of them, s since the origin. */
  readonly fromS: number;
  untilS: number;
}

/** Passes on what threads folded by path. */
export class FoldedPaths {
  /** The earliest time at which visits of a thread that keeps its order are due. */
  dueNs = Infinity;
  /** By thread: what is reported without its order although the order was requested. */
  readonly outOfOrder: OutOfOrder[] = [];
  readonly #sink: EventSink;
  readonly #waiting = new WaitingPaths();
  /** The sink's handles of a thread's paths. */
  readonly #handles = new Map<RingPaths, Int32Array>();
  readonly #event: EventRecord;
  #nowNs = 0;
  #source!: Source;
  readonly #add = (
    path: number,
    added: { count: number; ns: number; squares: number; selfNs: number },
  ): void => {
    const waiting = this.#waiting, at = waiting.add();
    waiting.dueNs[at] = this.#nowNs;
    if (this.#source.thread.paths?.folding !== true) this.#source.foldedNs ??= this.#nowNs;
    waiting.path[at] = path;
    waiting.visits[at] = added.count;
    waiting.ns[at] = added.ns;
    waiting.squares[at] = added.squares;
    waiting.selfNs[at] = added.selfNs;
    waiting.sources[at] = this.#source;
  };

  constructor(sink: EventSink, event: EventRecord) {
    this.#sink = sink;
    this.#event = event;
  }

  /** Reads what a thread has added. @param nowNs A moment before this call, since the origin. */
  drain(source: Source, nowNs: number): void {
    const { paths } = source.thread;
    if (paths === undefined) return;
    this.#nowNs = nowNs;
    this.#source = source;
    const waiting = this.#waiting, first = waiting.count;
    paths.read(nowNs, this.#add);
    if (paths.folding || waiting.count === first) return;
    // What the ring had no room for came while nothing was written into it: before what came next.
    let needNs = 0;
    for (let i = first; i < waiting.count; i++) {
      if (waiting.visits[i] > 0) needNs += waiting.selfNs[i];
    }
    const dueNs = Math.min(source.thread.pauseEndNs(needNs, nowNs) - 1, nowNs);
    for (let i = first; i < waiting.count; i++) waiting.dueNs[i] = dueNs;
    if (!(source.foldedNs! < dueNs)) source.foldedNs = dueNs;
    if (dueNs < this.dueNs) this.dueNs = dueNs;
  }

  /** Emits once for a thread that all of its visits are folded. */
  announce(source: Source, timeS: number): void {
    const { thread, follower, ring } = source;
    if (thread.paths?.folding !== true || source.folds === thread.tid) return;
    source.folds = thread.tid;
    this.#emit(KIND.folding, timeS, follower, idOf(ring, thread.tid));
  }

  /**
   * Before a record of a thread is emitted: the visits that had no room before it. Their time lies between
   * this record and the one before.
   */
  precede(source: Source, ns: number): void {
    this.announce(source, ns * 1e-9);
    if (source.foldedNs === undefined || !(source.foldedNs < ns)) return;
    source.foldedNs = undefined;
    this.#feed(ns, ns, (i) => {
      if (this.#waiting.sources[i] !== source) return false;
      const isDue = this.#waiting.dueNs[i] < ns;
      if (!isDue) source.foldedNs ??= this.#waiting.dueNs[i];
      return isDue;
    });
  }

  /**
   * The thread's record has its current path. Paths up to it were entered before: they are emitted
   * first, without a visit, since outputs list regions in the order of their first visit.
   */
  moveTo(source: Source, id: number, timeS: number): void {
    const { thread, follower } = source, { folded } = this.#event;
    const path = thread.value, last = Math.min(path, (thread.paths?.count ?? 0) - 1);
    for (let before = source.pathsEmitted ?? 1; before <= last; before++) {
      this.#event.path = this.handleOf(source, before);
      folded.count =
        folded.sumNs =
        folded.sumSquareNs2 =
        folded.selfNs =
          0;
      [folded.minNs, folded.maxNs] = [Infinity, -Infinity];
      this.#emit(KIND.folded, timeS, follower, id);
      source.pathsEmitted = before + 1;
    }
    this.#event.path = this.handleOf(source, path);
    this.#emit(KIND.inPath, timeS, follower, id);
  }

  /** Emits what is due up to a moment. @param fedNs Nothing is emitted before it. */
  feed(limitNs: number, fedNs: number): void {
    this.#feed(fedNs, fedNs, (i) => this.#waiting.dueNs[i] <= limitNs);
  }

  /** Emits visits of threads that keep their order, at their time among the events of all threads. */
  feedOrdered(limitNs: number, fedNs: number): void {
    if (this.dueNs > limitNs) return;
    const { sources, dueNs } = this.#waiting;
    this.#feed(
      fedNs,
      limitNs,
      (i) => dueNs[i] <= limitNs && sources[i].thread.paths?.folding !== true,
    );
  }

  /** @param fedNs Nothing is emitted before it. @param untilNs And nothing after it. */
  #feed(fedNs: number, untilNs: number, isDue: (at: number) => boolean): void {
    const waiting = this.#waiting;
    let kept = 0, dueNs = Infinity, ns = fedNs;
    for (let i = 0; i < waiting.count; i++) {
      if (isDue(i) && waiting.sources[i].follower.handle >= 0) {
        ns = Math.min(untilNs, Math.max(ns, waiting.dueNs[i]));
        this.#emitFolded(i, ns * 1e-9);
        continue;
      }
      if (waiting.sources[i].thread.paths?.folding !== true) {
        dueNs = Math.min(dueNs, waiting.dueNs[i]);
      }
      waiting.move(i, kept++);
    }
    waiting.count = waiting.sources.length = kept;
    this.dueNs = dueNs;
  }

  /** A process ended, at this time: emits all that is not emitted yet, and its histograms. */
  end(follower: Follower, sources: readonly Source[], timeS: number): void {
    const own = sources.filter((source) => source.follower === follower);
    for (const source of own) this.drain(source, follower.endNs);
    const { sources: all } = this.#waiting;
    this.#feed(follower.endNs, follower.endNs, (i) => all[i].follower === follower);
    for (const source of own) this.#endThread(source, timeS);
  }

  #endThread(source: Source, timeS: number): void {
    const { thread: { paths, tid }, ring, follower } = source;
    if (paths === undefined) return;
    const id = idOf(ring, tid), event = this.#event;
    for (let path = 0; path < paths.count; path++) {
      paths.readBuckets(path, (bucket, visits) => {
        event.path = this.handleOf(source, path);
        event.number = bucket;
        event.visits = visits;
        this.#emit(KIND.foldedLengths, timeS, follower, id);
      });
    }
    this.#handles.delete(paths);
  }

  #emitFolded(i: number, timeS: number): void {
    const waiting = this.#waiting, { folded } = this.#event;
    const source = waiting.sources[i], { thread, ring, follower } = source;
    const path = waiting.path[i], paths = thread.paths!;
    this.announce(source, timeS);
    this.#event.path = this.handleOf(source, path);
    folded.count = waiting.visits[i];
    folded.sumNs = waiting.ns[i];
    folded.sumSquareNs2 = waiting.squares[i];
    folded.selfNs = waiting.selfNs[i];
    folded.minNs = folded.count > 0 ? paths.least[path] : Infinity;
    folded.maxNs = folded.count > 0 ? paths.most[path] : -Infinity;
    this.#emit(KIND.folded, timeS, follower, idOf(ring, thread.tid));
    if (!paths.folding && folded.count > 0) {
      this.#note(source, folded.count, waiting.dueNs[i] * 1e-9);
    }
  }

  #emit(kind: MarkKind, timeS: number, { handle }: Follower, thread: number): void {
    this.#sink.receive(this.#event.as(kind, timeS, handle, thread));
  }

  #note({ thread: { tid }, follower: { pid } }: Source, visits: number, timeS: number): void {
    const known = this.outOfOrder.find((one) => one.pid === pid && one.thread === tid);
    if (known === undefined) {
      this.outOfOrder.push({ pid, thread: tid, visits, fromS: timeS, untilS: timeS });
      return;
    }
    known.visits += visits;
    known.untilS = timeS;
  }

  /** Nested visits of a process that are reported nowhere, so far; 0 if its client folds all. */
  lostVisits(ring: Marks): number {
    if (ring.threads.some(({ paths }) => paths?.folding)) return 0;
    const kept = this.outOfOrder.filter(({ pid }) => pid === ring.pid);
    const pathless = ring.threads.reduce((sum, { paths }) => sum + (paths?.lost ?? 0), 0);
    const emitted = kept.reduce((sum, { visits }) => sum + visits, 0);
    return Math.max(0, ring.skipped.nested - emitted - pathless);
  }

  /** The sink's handle of a thread's own number of a path; 0 if it makes no sense. */
  handleOf(source: Source, path: number): number {
    const { thread: { paths }, ring } = source;
    if (paths === undefined || path <= 0 || path >= paths.count) return 0;
    let handles = this.#handles.get(paths);
    if (handles === undefined || path >= handles.length) {
      handles = lengthened(handles ?? new Int32Array(0), Math.max(16, path + 1, 2 * path), UNKNOWN);
      this.#handles.set(paths, handles);
    }
    if (handles[path] === UNKNOWN) {
      const parent = this.handleOf(source, paths.parent[path]);
      const track = paths.trackOf(path), attribute = paths.attribute[path];
      handles[path] = this.#sink.regionPath(
        parent,
        nameOf(ring, paths.nameOf(path)),
        track === 0 ? "" : ring.trackName?.(track) ?? "",
        attribute === 0 ? "" : nameOf(ring, attribute),
      );
    }
    return handles[path];
  }
}

/** Names of the regions that a thread is in, the outermost first; it folds all of its visits. */
export function positionOf({ thread: { paths }, ring }: Source): string[] {
  const names: string[] = [];
  for (let path = paths?.position ?? 0; path > 0; path = paths!.parent[path]) {
    names.unshift(nameOf(ring, paths!.nameOf(path)));
  }
  return names;
}

function nameOf(ring: Marks, number: number): string {
  return ring.hasName(number) ? ring.names[number].name : OTHER_NAME;
}

/** Thread as the sink has it: 0 is the process's own. */
function idOf(ring: Marks, tid: number): number {
  return tid === ring.pid ? 0 : tid;
}
