/**
 * From ring files to events in order of time: who is there, what they did, when they ended.
 *
 * Every tick: `drain` copies what is new out of the rings, `feed` hands on what happened up to a
 * moment, merged over all threads. The moment lies one tick back, so that an event whose writer
 * was interrupted between its stamp and its record still finds its place. What comes later than
 * that is moved to the present and counted.
 * @module
 */
import { EventRecord, type EventSink } from "../core/events/event.ts";
import { KIND, type MarkKind } from "../core/events/event_kinds.ts";
import { HINT_UNKNOWN } from "../core/hints.ts";
import { FLAG, OTHER_NAME } from "../core/events/ring_layout.ts";
import { ProcessWatch } from "../os/process_watch.ts";
import type { FoldedVisits } from "./ring_slots.ts";
import type { RingThread } from "./ring_thread.ts";
import { answer } from "./answers.ts";
import { addCounts, noCounts } from "./collector_counts.ts";
import { FoldedPaths, type OutOfOrder } from "./folded_paths.ts";
import { rankOf } from "../job/process_rank.ts";
import { type DirectoryListener, RingDirectory } from "./ring_directory.ts";
import { type Follower, followerOf, isOneImage, type Marks, type Source } from "./marks.ts";
import type { Probes } from "./probes.ts";
import { RingEvents } from "./ring_events.ts";

/** What the collector needs to know. */
export interface CollectorOptions {
  directory: string;
  /** CLOCK_MONOTONIC_RAW that counts as 0. */
  originNs: bigint;
  sink: EventSink;
  /** Functions whose calls are marks. */
  probes?: Probes;
  /** The time, since the origin. */
  nowNs(): number;
}

/** Processes whose ranks are kept. */
const MOST_RANKS = 65_536;

/** Collects the marks of all processes of a run. */
export class Collector implements DirectoryListener {
  readonly counts = noCounts();
  /** Complete visits up to this length are folded as they are read, ns; 0: none. */
  foldBelowNs = 0;
  /** Visits that were folded so: they are among `counts.folded` too. */
  foldedHere = 0;
  /** When the last process ended that ended without a word. */
  lastEndNs = -Infinity;
  /** When the last process ended that said so itself. */
  lastStopNs = -Infinity;
  readonly #options: CollectorOptions;
  readonly #directory: RingDirectory;
  /** Processes that were handed over and run; they may mark later. */
  readonly #noted = new Set<number>();
  readonly #processes = new ProcessWatch();
  readonly #watched = new Set<number>();
  /** Those that run, or whose end has not been handed on yet. */
  readonly #followers: Follower[] = [];
  /** Ranks by process, those that ended included. */
  readonly #ranks = new Map<number, string>();
  readonly #sources: Source[] = [];
  readonly #sourceOf = new Map<RingThread, Source>();
  /** Folded visits that wait for their time, and the earliest of these times. */
  #folds: { fold: FoldedVisits; source: Source }[] = [];
  #foldsDueNs = Infinity;
  /** Visits of one thread that are being folded, by region. */
  readonly #shortVisits = new Map<number, { firstNs: number; visits: number; ns: number }>();
  readonly #addShort = (region: number, ns: number, lengthNs: number) => {
    const sum = this.#shortVisits.get(region);
    if (sum === undefined) this.#shortVisits.set(region, { firstNs: ns, visits: 1, ns: lengthNs });
    else {
      sum.visits++;
      sum.ns += lengthNs;
    }
  };
  /** The one record of all events from rings. */
  readonly #event = new EventRecord();
  readonly #paths: FoldedPaths;
  readonly #events: RingEvents;
  /** Everything up to here has been handed on. */
  #fedNs = -Infinity;
  #turnNs = NaN;

  constructor(options: CollectorOptions) {
    this.#options = options;
    this.#paths = new FoldedPaths(options.sink, this.#event);
    this.#events = new RingEvents(options.sink, this.#event, this.#paths);
    this.#directory = new RingDirectory(options.directory, options.originNs);
  }

  /** Copies new records; notices processes that came and went. */
  drain(): void {
    const nowNs = this.#options.nowNs();
    this.#directory.look(this);
    this.#options.probes?.drain(nowNs, this);
    for (let i = 0; i < this.#followers.length; i++) {
      const f = this.#followers[i];
      for (let k = 0; k < f.rings.length; k++) this.#drainRing(f, f.rings[k]);
      this.#noticeStop(f);
    }
    this.#checkAlive();
    for (let i = 0; i < this.#sources.length; i++) this.#paths.drain(this.#sources[i], nowNs);
    if (this.foldBelowNs > 0) {
      for (let i = 0; i < this.#sources.length; i++) this.#foldShort(this.#sources[i]);
    }
  }

  /** Folds short visits of a thread that is outside all regions. */
  #foldShort(source: Source): void {
    const { thread } = source;
    const open = (thread.flags & FLAG.process) !== 0 ? source.follower.open[0] : source.own;
    if (open !== undefined && open.regions.length > 0) return;
    const sums = this.#shortVisits;
    this.foldedHere += thread.foldShort(this.foldBelowNs, this.#addShort);
    for (const [region, { firstNs, visits, ns }] of sums) {
      this.#folds.push({ fold: { thread, region, firstNs, visits, ns }, source });
      if (!(firstNs >= this.#foldsDueNs)) this.#foldsDueNs = firstNs;
    }
    if (sums.size > 0) sums.clear();
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
        this.#tell(best);
        thread.advance();
      } while (thread.nextNs <= until);
    }
    if (limitNs > this.#fedNs) this.#fedNs = limitNs;
    this.#paths.feed(limitNs, this.#fedNs * 1e-9);
    for (let i = 0; i < this.#followers.length; i++) {
      const f = this.#followers[i];
      if (f.handle < 0) continue;
      this.#feedFoldedEpochs(f, this.#fedNs * 1e-9);
      this.#feedLost(f, this.#fedNs * 1e-9);
    }
  }

  /**
   * The process that comes or goes next, not after `limitNs`; when, in `#turnNs`. Of those at one
   * moment one that comes, lest what it does at that moment finds nobody.
   */
  #nextTurn(limitNs: number): Follower | undefined {
    let next: Follower | undefined;
    this.#turnNs = limitNs;
    for (let i = 0; i < this.#followers.length; i++) {
      const f = this.#followers[i];
      const ns = f.handle < 0 ? f.rings[0].startNs : f.endNs;
      if (
        ns < this.#turnNs ||
        (ns === this.#turnNs && (next === undefined || (f.handle < 0 && next.handle >= 0)))
      ) {
        next = f;
        this.#turnNs = ns;
      }
    }
    return next;
  }

  /** Notices processes that ended without a word. */
  #checkAlive(): void {
    this.#processes.ended((pid, bySignal) => {
      this.#options.probes?.drain(Infinity, this);
      this.#watched.delete(pid);
      this.#noted.delete(pid);
      for (const f of this.#followers) {
        if (f.pid !== pid || !Number.isNaN(f.endNs)) continue;
        // What it wrote before it went is drained first.
        for (const ring of f.rings) this.#drainRing(f, ring);
        this.#noticeStop(f);
        if (!Number.isNaN(f.endNs)) continue;
        // Later than whatever it did: it may have come, marked and gone since this look began.
        f.endNs = this.#options.nowNs();
        if (f.endNs > this.lastEndNs) this.lastEndNs = f.endNs;
        f.died = bySignal === true && !f.rings.every((ring) => ring.endsSilently);
        f.silent = bySignal === undefined && !f.rings.every((ring) => ring.endsSilently);
      }
    });
  }

  /** Records, names and files that made no sense. */
  get garbage(): number {
    return this.counts.garbage + this.#events.garbage;
  }

  /** Marks that were not in order, and what clients have to say. */
  get events(): Pick<RingEvents, "mistakes" | "remarks" | "mpi" | "openmp"> {
    return this.#events;
  }

  /** By thread: nested visits that are told without their order although that was wanted. */
  get outOfOrder(): readonly OutOfOrder[] {
    return this.#paths.outOfOrder;
  }

  /** Rank of a process within its MPI job, where it has one. */
  rankOf(pid: number): string | undefined {
    return this.#ranks.get(pid);
  }

  /** Files in the directory that were not ours to read, and why. */
  get refusedFiles(): readonly string[] {
    return this.#directory.refused;
  }

  /** Is any process left that this monitor must wait for? */
  get busy(): boolean {
    return this.#directory.waiting || this.#noted.size > 0 || this.#options.probes?.waiting ||
      this.#followers.some((f) => Number.isNaN(f.endNs));
  }

  [Symbol.dispose](): void {
    this.#processes[Symbol.dispose]();
    this.#directory[Symbol.dispose]();
  }

  /** A process was handed over. */
  launched(pid: number): void {
    this.#noted.add(pid);
    this.#follow(pid);
  }

  asked(name: string): void {
    const running = this.#followers.filter((f) => f.handle >= 0);
    const all = () => running.map((f) => this.#events.contextOf(f, this.#sources));
    answer(this.#options.directory, name, all);
  }

  #follow(pid: number): void {
    if (this.#watched.has(pid)) return;
    this.#watched.add(pid);
    this.#processes.add(pid);
  }

  /**
   * A process made its ring file. Files are found in no order that means anything: of two images
   * that one look finds, the second may come first.
   */
  ring(opened: Marks): void {
    let before: Follower | undefined;
    let after: Follower | undefined;
    for (const f of this.#followers) {
      if (f.pid !== opened.pid) continue;
      if (isOneImage(f, opened)) {
        // The first one tells when the process began.
        if (f.handle < 0 && opened.startNs < f.rings[0].startNs) f.rings.unshift(opened);
        else f.rings.push(opened);
        return;
      }
      const startNs = f.rings[0].startNs;
      if (startNs <= opened.startNs) {
        if (before === undefined || startNs > before.rings[0].startNs) before = f;
      } else if (after === undefined || startNs < after.rings[0].startNs) after = f;
    }
    const follower = followerOf(opened, rankOf(opened.pid));
    if (after !== undefined) follower.endNs = after.rings[0].startNs;
    if (before !== undefined && !(before.endNs <= opened.startNs)) {
      // The process executed something else: the same process goes on as that.
      before.endNs = opened.startNs;
      follower.before = before;
      before.succeeded = true;
    }
    if (after !== undefined && after.handle < 0) {
      after.before = follower;
      follower.succeeded = true;
    }
    this.#followers.push(follower);
    if (follower.rank !== undefined && this.#ranks.size < MOST_RANKS) {
      this.#ranks.set(follower.pid, follower.rank);
    }
    this.#follow(opened.pid);
  }

  #drainRing(follower: Follower, ring: Marks): void {
    const before = ring.threads.length;
    ring.poll();
    for (let i = before; i < ring.threads.length; i++) {
      const source = { thread: ring.threads[i], ring, follower, bound: false };
      this.#sources.push(source);
      this.#sourceOf.set(source.thread, source);
    }
    for (const said of ring.takeSaid?.() ?? []) this.#events.hear(said);
    for (const fold of ring.takeFolds()) {
      const source = this.#sourceOf.get(fold.thread);
      if (source === undefined) continue;
      this.#folds.push({ fold, source });
      if (!(fold.firstNs >= this.#foldsDueNs)) this.#foldsDueNs = fold.firstNs;
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
    if (lastNs > this.lastStopNs) this.lastStopNs = lastNs;
  }

  #start(f: Follower): void {
    const ring = f.rings[0];
    if (f.before !== undefined && f.before.handle >= 0) {
      const timeS = ring.startNs * 1e-9;
      this.#feedFoldedEpochs(f.before, timeS);
      this.#events.replaced(timeS, f.before, this.#sources);
      f.handle = f.before.handle;
      f.epochs = f.before.epochs;
      return;
    }
    this.#event.number = f.pid;
    this.#event.cpus = ring.cpus;
    f.handle = this.#emit(KIND.start, ring.startNs * 1e-9, f);
  }

  #end(f: Follower): void {
    const timeS = f.endNs * 1e-9;
    this.#feedLost(f, timeS);
    // What it folded last may seem to lie behind its end, by a trace.
    for (const waiting of this.#folds) {
      if (waiting.source.follower === f) this.#feedFold(timeS, waiting.fold, waiting.source);
    }
    this.#folds = this.#folds.filter(({ source }) => source.follower !== f);
    this.#paths.end(f, this.#sources, timeS);
    if (f.succeeded !== true) {
      this.#feedFoldedEpochs(f, timeS);
      // How it ended is not known: whoever is in a region did not mean to go.
      if (f.silent === true) f.died = f.open.some(({ regions }) => regions.length > 0);
      if (!f.died) this.#events.leftOpen(timeS, f);
      this.#emit(f.died ? KIND.died : KIND.shutdown, timeS, f);
    } else this.#events.leftByExec(f);
    for (const ring of f.rings) {
      addCounts(this.counts, ring, this.#paths);
      this.#events.forget(ring);
      this.#directory.remove(ring);
    }
    this.#followers.splice(this.#followers.indexOf(f), 1);
    let kept = 0;
    for (const source of this.#sources) {
      if (source.follower === f) this.#sourceOf.delete(source.thread);
      else this.#sources[kept++] = source;
    }
    this.#sources.length = kept;
  }

  /** Visits of threads that found no room for a ring: that they were is all that is known. */
  #feedLost(f: Follower, timeS: number): void {
    let lost = 0;
    for (const ring of f.rings) lost += ring.lostVisits ?? 0;
    if (!(lost > f.lost)) return;
    const event = this.#event;
    event.name = OTHER_NAME;
    event.hint = HINT_UNKNOWN;
    event.region = this.#emit(KIND.region, timeS, f);
    event.visits = lost - f.lost;
    event.seconds = 0;
    if (event.region >= 0) this.#emit(KIND.shortVisits, timeS, f);
    this.counts.lost += lost - f.lost;
    f.lost = lost;
  }

  /** Epochs that found no room in a ring: their number is all that is known. */
  #feedFoldedEpochs(f: Follower, timeS: number): void {
    for (let i = 0; i < f.rings.length; i++) {
      for (const { count } of f.rings[i].takeFoldedEpochs()) {
        f.epochs += count;
        this.#event.number = f.epochs;
        this.#emit(KIND.epoch, timeS, f);
      }
    }
  }

  /** What comes too late keeps its time: whoever takes it moves it to the present and counts. */
  #tell(source: Source): void {
    const ns = source.thread.nextNs;
    if (ns > this.#fedNs) this.#fedNs = ns;
    if (source.follower.handle < 0) return;
    this.#paths.announce(source, ns * 1e-9);
    this.#events.tell(source, ns);
  }

  #feedFolds(limitNs: number): void {
    // A time that is no number is due now.
    if (this.#folds.length === 0 || limitNs < this.#foldsDueNs) return;
    let kept = 0;
    let dueNs = Infinity;
    for (let i = 0; i < this.#folds.length; i++) {
      const waiting = this.#folds[i];
      const { fold, source } = waiting;
      // A time that cannot be, or that lies behind us, is as good as now.
      const ns = fold.firstNs > this.#fedNs ? fold.firstNs : this.#fedNs;
      if (fold.firstNs > limitNs || source.follower.handle < 0) {
        this.#folds[kept++] = waiting;
        if (!(fold.firstNs >= dueNs)) dueNs = fold.firstNs;
      } else this.#feedFold(ns * 1e-9, fold, source);
    }
    this.#folds.length = kept;
    this.#foldsDueNs = dueNs;
  }

  #feedFold(timeS: number, fold: FoldedVisits, source: Source): void {
    const region = this.#events.region(timeS, source, fold.region);
    if (region < 0) return;
    const { follower, thread, ring } = source, event = this.#event;
    event.region = region;
    event.visits = fold.visits;
    event.seconds = fold.ns * 1e-9;
    this.#emit(KIND.shortVisits, timeS, follower, thread.tid === ring.pid ? 0 : thread.tid);
    this.counts.folded += fold.visits;
  }

  #emit(kind: MarkKind, timeS: number, { handle }: Follower, thread = 0): number {
    this.#event.cpu = -1;
    return this.#options.sink.receive(this.#event.as(kind, timeS, handle, thread));
  }
}
