/**
 * From ring files to events in order of time: who is there, what they did, when they ended.
 *
 * Every tick: `drain` copies what is new out of the rings, `feed` hands on what happened up to a
 * moment, merged over all threads. The moment lies one tick back, so that an event whose writer
 * was interrupted between its stamp and its record still finds its place. What comes later than
 * that is moved to the present and counted.
 * @module
 */
import type { EventSink } from "../core/event.ts";
import { FLAG, KIND } from "../core/ring_layout.ts";
import { closeFile, listDirectory, modifiedAt, O, openFile } from "../os/files.ts";
import { isAlive } from "../os/process.ts";
import { RingFileMemory } from "../os/ring_file.ts";
import { type FoldedVisits, RingProcess } from "../regions/ring_process.ts";
import type { RingThread } from "../regions/ring_thread.ts";
import { LAUNCH_PREFIX } from "./election.ts";

/** Ticks between two looks at whether processes are still there. */
const ALIVE_EVERY = 10;
/** More files than this in the directory are somebody's mischief. */
const FILES_MAX = 8192;

/** What went wrong, or was limited, so far. */
export interface CollectorCounts {
  /** Events that came later than a tick after they happened; moved to the present. */
  late: number;
  /** Records, names and files that made no sense. */
  garbage: number;
  /** Visits that processes folded since their ring was full. */
  folded: number;
  /** Visits to names beyond the limit, told as one region. */
  other: number;
  /** Changes of hint by nested regions that found no room. */
  nested: number;
  /** Files that were not ours to read: why, by file. */
  refusedFiles: string[];
}

/** One process as the collector follows it; a second image of it after exec is another one. */
interface Follower {
  readonly pid: number;
  readonly execId: string;
  readonly rings: RingProcess[];
  handle: number;
  ended: boolean;
  /** When it stopped in good order or was missed, ns since the origin; NaN while it runs. */
  endNs: number;
  died: boolean;
}

interface Source {
  readonly thread: RingThread;
  readonly ring: RingProcess;
  readonly follower: Follower;
  bound: boolean;
}

/** What the collector needs to know. */
export interface CollectorOptions {
  directory: string;
  /** CLOCK_MONOTONIC_RAW that counts as 0. */
  originNs: bigint;
  sink: EventSink;
}

/** See the module. */
export class Collector {
  readonly counts: CollectorCounts = {
    late: 0,
    garbage: 0,
    folded: 0,
    other: 0,
    nested: 0,
    refusedFiles: [],
  };
  readonly #options: CollectorOptions;
  readonly #watch: number;
  readonly #known = new Set<string>();
  readonly #pending = new Set<string>();
  readonly #noted = new Set<number>();
  readonly #followers: Follower[] = [];
  readonly #sources: Source[] = [];
  readonly #folds: { fold: FoldedVisits; source: Source }[] = [];
  /** Tracker's handles of names, by ring and the ring's own numbers. */
  readonly #regions = new Map<RingProcess, Int32Array>();
  #changedAt = -2;
  #relook = 0;
  #tick = 0;
  /** Everything up to here has been handed on. */
  #fedNs = 0;
  #turnNs = NaN;

  constructor(options: CollectorOptions) {
    this.#options = options;
    this.#watch = openFile(options.directory, O.RDONLY | O.DIRECTORY);
  }

  /** Copies new records; notices processes that came and went. @param nowNs Since the origin. */
  drain(nowNs: number): void {
    this.#look();
    for (let i = 0; i < this.#followers.length; i++) {
      const f = this.#followers[i];
      if (f.ended) continue;
      for (let k = 0; k < f.rings.length; k++) this.#drainRing(f, f.rings[k]);
      this.#noticeStop(f);
    }
    if (this.#tick++ % ALIVE_EVERY === 0) this.checkAlive(nowNs);
  }

  /** Hands on every event with a time up to `limitNs`, in order. */
  feed(limitNs: number): void {
    for (;;) {
      const turn = this.#nextTurn(limitNs);
      let best: Source | undefined;
      let bestNs = limitNs;
      let secondNs = Infinity;
      for (let i = 0; i < this.#sources.length; i++) {
        const ns = this.#sources[i].thread.nextNs;
        if (ns <= bestNs && (best === undefined || ns < bestNs)) {
          secondNs = best === undefined ? secondNs : bestNs;
          best = this.#sources[i];
          bestNs = ns;
        } else if (ns < secondNs) secondNs = ns;
      }
      // A process comes before whatever happens at that moment, and goes after it.
      const first = turn !== undefined && (best === undefined || this.#turnNs < bestNs ||
        (turn.handle < 0 && this.#turnNs === bestNs));
      if (first) {
        this.#feedFolds(this.#turnNs);
        if (turn.handle < 0) this.#start(turn);
        else this.#end(turn);
        continue;
      }
      this.#feedFolds(best === undefined ? limitNs : bestNs);
      if (best === undefined) break;
      const until = Math.min(limitNs, secondNs, turn === undefined ? Infinity : this.#turnNs);
      const thread = best.thread;
      do {
        this.#emit(best);
        thread.advance();
      } while (thread.nextNs <= until);
    }
    if (limitNs > this.#fedNs) this.#fedNs = limitNs;
  }

  /** The process that comes or goes next, not after `limitNs`; when, in `#turnNs`. */
  #nextTurn(limitNs: number): Follower | undefined {
    let next: Follower | undefined;
    this.#turnNs = limitNs;
    for (let i = 0; i < this.#followers.length; i++) {
      const f = this.#followers[i];
      if (f.ended) continue;
      const ns = f.handle < 0 ? f.rings[0].startNs : f.endNs;
      if (ns < this.#turnNs || (ns === this.#turnNs && next === undefined)) {
        next = f;
        this.#turnNs = ns;
      }
    }
    return next;
  }

  /** Notices processes that ended without a word. @param nowNs Since the origin. */
  checkAlive(nowNs: number): void {
    for (const f of this.#followers) {
      if (!Number.isNaN(f.endNs) || isAlive(f.pid)) continue;
      // What it wrote before it went is drained first.
      for (const ring of f.rings) this.#drainRing(f, ring);
      this.#noticeStop(f);
      if (!Number.isNaN(f.endNs)) continue;
      f.endNs = nowNs;
      f.died = true;
    }
    for (const pid of this.#noted) if (!isAlive(pid)) this.#noted.delete(pid);
  }

  /** Is any process left that this monitor must wait for? */
  get busy(): boolean {
    return this.#pending.size > 0 || this.#noted.size > 0 ||
      this.#followers.some((f) => Number.isNaN(f.endNs));
  }

  /** Processes that mark and run, at this moment. */
  get running(): number {
    return this.#followers.filter((f) => !f.ended).length;
  }

  [Symbol.dispose](): void {
    closeFile(this.#watch);
    for (const f of this.#followers) {
      if (!f.ended) { for (const ring of f.rings) ring[Symbol.dispose](); }
    }
  }

  #look(): void {
    const changed = modifiedAt(this.#watch);
    // The directory's time is coarse: what comes within the same jiffy is found by looking again.
    if (changed !== this.#changedAt) this.#relook = 3;
    this.#changedAt = changed;
    if (this.#relook === 0 && this.#pending.size === 0) return;
    if (this.#relook > 0) this.#relook--;
    for (const name of listDirectory(this.#options.directory)) {
      if (this.#known.has(name) || this.#known.size > FILES_MAX) continue;
      if (name.startsWith(LAUNCH_PREFIX)) {
        this.#known.add(name);
        const pid = Number(name.slice(LAUNCH_PREFIX.length));
        if (Number.isInteger(pid) && pid > 0) this.#noted.add(pid);
      } else if (/^\d+\.\d+$/.test(name)) {
        this.#adopt(name);
      }
    }
  }

  #adopt(name: string): void {
    const memory = RingFileMemory.open(`${this.#options.directory}/${name}`);
    const opened = memory === undefined
      ? { refused: "cannot be opened" }
      : RingProcess.open(memory, this.#options.originNs);
    if (opened === "wait") {
      memory?.[Symbol.dispose]();
      // Its maker may have died over it.
      if (isAlive(Number(name.split(".")[0]))) this.#pending.add(name);
      else this.#pending.delete(name);
      return;
    }
    this.#known.add(name);
    this.#pending.delete(name);
    if (!(opened instanceof RingProcess)) {
      memory?.[Symbol.dispose]();
      this.counts.refusedFiles.push(`${name}: ${opened.refused}`);
      return;
    }
    const same = this.#followers.find((f) => f.pid === opened.pid && !f.ended);
    if (same !== undefined && same.execId === opened.execId) {
      same.rings.push(opened);
      return;
    }
    if (same !== undefined) {
      // The process executed something else: what it was ended there.
      same.endNs = opened.startNs;
      same.died = false;
    }
    this.#followers.push({
      pid: opened.pid,
      execId: opened.execId,
      rings: [opened],
      handle: -1,
      ended: false,
      endNs: NaN,
      died: false,
    });
  }

  #drainRing(follower: Follower, ring: RingProcess): void {
    const before = ring.threads.length;
    ring.poll();
    for (let i = before; i < ring.threads.length; i++) {
      this.#sources.push({ thread: ring.threads[i], ring, follower, bound: false });
    }
    const folds = ring.takeFolds();
    for (let i = 0; i < folds.length; i++) {
      const source = this.#sources.find((s) => s.thread === folds[i].thread);
      if (source !== undefined) this.#folds.push({ fold: folds[i], source });
    }
  }

  /** A process that ended in good order said when. */
  #noticeStop(f: Follower): void {
    if (!Number.isNaN(f.endNs)) return;
    let lastNs = -Infinity;
    for (const ring of f.rings) {
      const ns = ring.stopNs(this.#options.originNs);
      if (Number.isNaN(ns)) return;
      if (ns > lastNs) lastNs = ns;
    }
    // Its last words may have come between our look at its threads and at its state.
    for (const ring of f.rings) this.#drainRing(f, ring);
    f.endNs = lastNs;
  }

  #start(f: Follower): void {
    const ring = f.rings[0];
    f.handle = this.#options.sink.start(this.#present(ring.startNs) * 1e-9, f.pid, ring.cpus);
  }

  #end(f: Follower): void {
    const timeS = this.#present(f.endNs) * 1e-9;
    if (f.handle >= 0) {
      for (const ring of f.rings) {
        for (const { count } of ring.takeFoldedEpochs()) {
          for (let i = 0; i < count; i++) this.#options.sink.epoch(timeS, f.handle, 0);
        }
      }
      if (f.died) this.#options.sink.died(timeS, f.handle);
      else this.#options.sink.shutdown(timeS, f.handle);
    }
    f.ended = true;
    for (const ring of f.rings) {
      this.counts.garbage += ring.garbage + ring.threads.reduce((n, t) => n + t.garbage, 0);
      this.counts.other += ring.otherVisits;
      this.counts.nested += ring.skipped.nested;
      this.#regions.delete(ring);
      ring[Symbol.dispose]();
    }
    for (let i = this.#sources.length - 1; i >= 0; i--) {
      if (this.#sources[i].follower === f) this.#sources.splice(i, 1);
    }
  }

  /** Times never step back: what comes too late happens now. */
  #present(ns: number): number {
    if (ns >= this.#fedNs) return ns;
    this.counts.late++;
    return this.#fedNs;
  }

  #emit(source: Source): void {
    const { thread, ring, follower } = source;
    if (follower.handle < 0) return;
    const sink = this.#options.sink;
    const handle = follower.handle;
    const ns = thread.nextNs >= this.#fedNs ? thread.nextNs : this.#present(thread.nextNs);
    this.#fedNs = ns;
    const timeS = ns * 1e-9;
    const id = (thread.flags & FLAG.process) !== 0 ? 0 : thread.tid;
    if (id !== 0 && !source.bound) {
      source.bound = true;
      if (thread.boundTo.length > 0) sink.threadCpus(timeS, handle, id, thread.boundTo);
    }
    switch (thread.kind) {
      case KIND.enter: {
        const region = this.#region(timeS, source, thread.value);
        if (region >= 0) sink.enter(timeS, handle, region, ring.names[thread.value].hint, id);
        break;
      }
      case KIND.exit: {
        const region = this.#region(timeS, source, thread.value);
        if (region >= 0) sink.exit(timeS, handle, region, id);
        break;
      }
      case KIND.epoch:
        sink.epoch(timeS, handle, 0);
        break;
      case KIND.tprofInit:
        sink.tprofInit(timeS, handle, thread.value);
        break;
      case KIND.tprofPost:
        sink.tprofPost(timeS, handle, thread.cpu === 0xffff ? -1 : thread.cpu);
        break;
      case KIND.overhead:
        sink.overhead(timeS, handle, float(thread.payloadLow, thread.payloadHigh));
        break;
      default:
        // Attributes and step records have no listener yet.
        break;
    }
  }

  #region(timeS: number, source: Source, local: number): number {
    const { ring, follower } = source;
    let map = this.#regions.get(ring);
    if (map === undefined || local >= map.length) {
      if (local >= ring.names.length) {
        this.counts.garbage++;
        return -1;
      }
      const grown = new Int32Array(Math.max(ring.names.length, (map?.length ?? 0) * 2)).fill(-2);
      if (map !== undefined) grown.set(map);
      map = grown;
      this.#regions.set(ring, map);
    }
    if (map[local] === -2) {
      if (local >= ring.names.length) {
        this.counts.garbage++;
        return -1;
      }
      const { name, hint } = ring.names[local];
      map[local] = this.#options.sink.region(timeS, follower.handle, name, hint);
    }
    return map[local];
  }

  #feedFolds(limitNs: number): void {
    for (let i = 0; i < this.#folds.length;) {
      const { fold, source } = this.#folds[i];
      // A time that cannot be, or that lies behind us, is as good as now.
      const ns = fold.firstNs > this.#fedNs ? fold.firstNs : this.#fedNs;
      if (ns > limitNs || source.follower.handle < 0) {
        i++;
        continue;
      }
      this.#folds.splice(i, 1);
      const region = this.#region(ns * 1e-9, source, fold.region);
      if (region < 0) continue;
      const id = source.thread.tid === source.ring.pid ? 0 : source.thread.tid;
      this.#options.sink.shortVisits(
        ns * 1e-9,
        source.follower.handle,
        region,
        fold.visits,
        fold.ns * 1e-9,
        id,
      );
      this.counts.folded += fold.visits;
    }
  }
}

const floatWords = new Uint32Array(2);
const floatValue = new Float64Array(floatWords.buffer);

function float(low: number, high: number): number {
  floatWords[0] = low;
  floatWords[1] = high;
  return floatValue[0];
}
