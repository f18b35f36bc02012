/**
 * From ring files to events in order of time: the processes, their marks, their ends.
 *
 * Every tick: `drain` copies what is new out of the rings, `feed` hands on what happened up to a
 * moment, merged over all threads. The moment is one tick back, so that an event whose writer
 * was interrupted between its stamp and its record still finds its place. What comes later than
 * that is moved to the present and counted.
 * @module
 */
import { EventRecord, type EventSink } from "../../core/events/event.ts";
import { KIND, type MarkKind } from "../../core/events/event_kinds.ts";
import { HINT_UNKNOWN } from "../../core/hints.ts";
import { FLAG, OTHER_NAME } from "../../core/events/ring_layout.ts";
import { affinityOf } from "../../os/host.ts";
import type { NewNames } from "../../os/new_names.ts";
import { ProcessWatch } from "../../os/process_watch.ts";
import type { RingThread } from "./ring_thread.ts";
import { ShortVisits } from "./short_visits.ts";
import { answer, type FunctionsNow } from "./answers.ts";
import { addCounts, noCounts } from "./collector_counts.ts";
import { DueSources } from "./due_sources.ts";
import { FoldedPaths, type OutOfOrder } from "./folded_paths.ts";
import { rankOf, statusOf } from "../../job/place/process_rank.ts";
import { SHORT_NS } from "../../core/budget.ts";
import { UNMATCHED } from "./processes/host_pids.ts";
import { type DirectoryListener, RingDirectory } from "./ring_directory.ts";
import { endUnmatched, endUnsaid, followerOf, joinImages } from "./marks.ts";
import type { Follower, Marks, Source } from "./marks.ts";
import type { Probes } from "./probes.ts";
import { ClientMessages } from "./client_messages.ts";
import { RingEvents } from "./ring_events.ts";
import { WaitingFolds } from "./waiting_folds.ts";

/** Options of the collector. */
export interface CollectorOptions {
  directory: string;
  /** CLOCK_MONOTONIC_RAW that counts as 0. */
  originNs: bigint;
  sink: EventSink;
  /** Functions whose calls are marks. */
  probes?: Probes;
  /**
   * Nobody needs each mark: if more of them come a second they are folded as they are read. Absent: none
   * is folded.
   */
  foldAbove?: number;
  /** The time, since the origin. */
  nowNs(): number;
  /** Energies that a process of the sink used since a moment, by signal, J. @default none is known */
  energiesSince?(process: number, fromS: number): { [signal: string]: number };
  /** Samples of functions since the last question of a process. @default none are taken */
  functionsSince?(asker: string): FunctionsNow | { readonly absent: string };
}

const MAX_RANKS = 65_536; // of processes that are kept
/** Records that may come at once, whatever their rate is afterwards. */
const BURST = 5000;
const NOTHING: readonly never[] = [];

/** Collects the marks of all processes of a run. */
export class Collector implements DirectoryListener {
  readonly counts = noCounts();
  /** Messages of clients other than records. */
  readonly messages = new ClientMessages();
  /** Complete visits up to this length are folded as they are read, ns; 0: none. */
  foldBelowNs = 0;
  /** Visits that were folded so: they are among `counts.folded` too. */
  foldedHere = 0;
  /** Time when a process last ended without reporting its end. */
  lastEndNs = -Infinity;
  /** Time when a process that reported its own end last ended. */
  lastStopNs = -Infinity;
  /** Rings are to be emptied within this time, or what cannot be folded in them is lost. */
  roomForNs = Infinity;
  readonly #options: CollectorOptions;
  readonly #directory: RingDirectory;
  /** Processes that were handed over and run; they may mark later. */
  readonly #noted = new Set<number>();
  /** CPUs that processes may use which were handed over. */
  readonly launchedCpus = new Set<number>();
  readonly #processes = new ProcessWatch(statusOf);
  readonly #watched = new Set<number>();
  /** Processes that run, or whose end has not been handed on yet. */
  readonly #followers: Follower[] = [];
  /** Ranks by process, those that ended included. */
  readonly #ranks = new Map<number, string>();
  readonly #sources: Source[] = [];
  readonly #sourceOf = new Map<RingThread, Source>();
  /** Visits of one thread that are being folded. */
  readonly #shortVisits = new ShortVisits();
  /** The one record of all events from rings. */
  readonly #event = new EventRecord();
  readonly #paths: FoldedPaths;
  readonly #events: RingEvents;
  readonly #folds: WaitingFolds;
  readonly #due = new DueSources();
  #drainedNs = -Infinity;
  /** Records that may still come before they are too many; below 0: they are. */
  #room = BURST;
  /** The thread that is being folded. */
  #folded!: Source;
  readonly #takeApart = () => this.#events.apart.take(this.#folded);
  /** Everything up to here has been handed on. */
  #fedNs = -Infinity;
  /** The last look that found no source of events. */
  #quietNs = -Infinity;
  #turnNs = NaN;

  constructor(options: CollectorOptions) {
    this.#options = options;
    this.#paths = new FoldedPaths(options.sink, this.#event);
    this.#events = new RingEvents(options.sink, this.#event, this.#paths);
    this.#folds = new WaitingFolds({
      sink: options.sink,
      event: this.#event,
      paths: this.#paths,
      events: this.#events,
      counts: this.counts,
    });
    this.#directory = new RingDirectory(options.directory, options.originNs);
  }

  /** Copies new records; notices processes that came and went. @param overNs When the run ended. @default not yet */
  drain(overNs?: number): void {
    const nowNs = this.#options.nowNs();
    this.#directory.look(this);
    this.#options.probes?.drain(nowNs, this);
    const tookNs = nowNs - this.#drainedNs;
    let records = 0, most = 0;
    for (let i = 0; i < this.#followers.length; i++) {
      const f = this.#followers[i];
      const before = records;
      for (let k = 0; k < f.rings.length; k++) records += this.#drainRing(f, f.rings[k]);
      most = Math.max(most, records - before);
      this.#noticeStop(f);
    }
    this.#checkAlive();
    if (this.#isQuiet) this.#quietNs = nowNs;
    if (overNs !== undefined) endUnmatched(this.#followers, overNs);
    for (let i = 0; i < this.#sources.length; i++) this.#paths.drain(this.#sources[i], nowNs);
    const belowNs = Math.max(this.#isFlood(records, nowNs) ? SHORT_NS : 0, this.foldBelowNs);
    if (belowNs > 0 && records > 0) {
      for (let i = 0; i < this.#sources.length; i++) this.#foldShort(this.#sources[i], belowNs);
    }
    this.roomForNs = this.#events.apart.takeRoomNs(most, tookNs, nowNs);
  }

  /** Are there more records than can be emitted one by one? */
  #isFlood(records: number, nowNs: number): boolean {
    const { foldAbove = Infinity } = this.#options;
    const more = Math.min(BURST, foldAbove * 1e-9 * (nowNs - this.#drainedNs));
    this.#drainedNs = nowNs;
    if (foldAbove === Infinity) return false;
    this.#room = Math.min(BURST, Math.max(-BURST, this.#room + more - records));
    return this.#room < 0;
  }

  /** Folds what comes first in a thread: short visits outside of all regions, and what needs no order. */
  #foldShort(source: Source, belowNs: number): void {
    const { thread } = source;
    if (thread.nextNs === Infinity) return;
    const open = (thread.flags & FLAG.process) !== 0 ? source.follower.open[0] : source.own;
    const isInside = open !== undefined && open.regions.length > 0;
    const sums = this.#shortVisits, before = thread.tid;
    sums.of(this.#events.pathsOf(source));
    this.#folded = source;
    this.foldedHere += thread.foldShort(isInside ? -1 : belowNs, sums, this.#takeApart);
    if (thread.tid !== before) source.bound = false;
    this.#folds.take(sums, source);
  }

  /** Hands on every event with a time up to `limitNs`, in order. */
  feed(limitNs: number): void {
    const due = this.#due;
    due.fill(this.#sources, limitNs);
    let turn = this.#nextTurn(limitNs);
    for (;;) {
      const best = due.first;
      const bestNs = best === undefined ? limitNs : best.thread.nextNs;
      // A process starts before the other events of its moment, and ends after them.
      const first = turn !== undefined && (best === undefined || this.#turnNs < bestNs ||
        (turn.handle < 0 && this.#turnNs === bestNs));
      if (first) {
        this.#folds.feed(this.#turnNs, this.#fedNs);
        if (turn!.handle < 0) this.#start(turn!);
        else {
          this.#end(turn!);
          due.fill(this.#sources, limitNs);
        }
        turn = this.#nextTurn(limitNs);
        continue;
      }
      this.#folds.feed(bestNs, this.#fedNs);
      this.#paths.feedOrdered(bestNs, this.#fedNs);
      if (best === undefined) break;
      const turnNs = turn === undefined ? Infinity : this.#turnNs;
      const until = Math.min(limitNs, due.secondNs, turnNs, this.#paths.dueNs);
      const thread = best.thread;
      do {
        this.#emitNext(best);
        thread.advance();
      } while (thread.nextNs <= until);
      due.moved(limitNs);
    }
    if (limitNs > this.#fedNs) this.#fedNs = limitNs;
    this.#paths.feed(limitNs, this.#fedNs);
    for (let i = 0; i < this.#followers.length; i++) {
      const f = this.#followers[i];
      if (f.handle < 0) continue;
      this.#feedFoldedEpochs(f, this.#fedNs * 1e-9);
      this.#feedLost(f, this.#fedNs * 1e-9);
    }
    this.#events.apart.feed(this.#fedNs * 1e-9);
  }

  /**
   * The process that comes or goes next, not after `limitNs`; when, in `#turnNs`. Of those at one
   * moment one that starts, so that its events of that moment find it.
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
    let isFirst = true;
    this.#processes.ended((pid, bySignal) => {
      // It may have executed something else since this look began. Now it has all of its files.
      if (isFirst) this.#directory.look(this);
      isFirst = false;
      this.#options.probes?.drain(Infinity, this);
      this.#watched.delete(pid);
      this.#noted.delete(pid);
      for (const f of this.#followers) {
        if (f.pid !== pid || f.isUnmatched || !Number.isNaN(f.endNs)) continue;
        // What it wrote before it went is drained first.
        for (const ring of f.rings) this.#drainRing(f, ring);
        this.#noticeStop(f);
        if (!Number.isNaN(f.endNs)) continue;
        // Later than all its marks: it may have started, marked and ended since this look began.
        endUnsaid(f, this.#options.nowNs(), bySignal);
        this.lastEndNs = Math.max(this.lastEndNs, f.endNs);
      }
    });
  }

  /** Records, names and files that made no sense. */
  get garbage(): number {
    return this.counts.garbage + this.#events.garbage + this.messages.garbage;
  }

  /** Marks that were not in order. */
  get mistakes(): RingEvents["mistakes"] {
    return this.#events.mistakes;
  }

  /** By thread: nested visits that are reported without their order although the order was requested. */
  get outOfOrder(): readonly OutOfOrder[] {
    return this.#paths.outOfOrder;
  }

  /** Rank of a process within its MPI job, if it has one. */
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
      this.#followers.some((f) => Number.isNaN(f.endNs) && !f.isUnmatched);
  }

  /** Nobody marks, and who begins to has to make a file first: what tells of it. `undefined`: not so. */
  awaitMarks(): NewNames | undefined {
    return this.#isQuiet ? this.#directory.awaitNames() : undefined;
  }

  get #isQuiet(): boolean {
    return this.#followers.length === 0 && this.#options.probes === undefined && !this.busy;
  }

  /** All events up to here were handed on. Without a source of events there are none up to the last look. */
  get knownNs(): number {
    return Math.max(this.#fedNs, this.#quietNs);
  }

  [Symbol.dispose](): void {
    this.#processes[Symbol.dispose]();
    this.#directory[Symbol.dispose]();
  }

  /** A process was handed over. */
  launched(pid: number): void {
    this.#noted.add(pid);
    for (const cpu of affinityOf(pid)) this.launchedCpus.add(cpu);
    this.#follow(pid);
  }

  asked(name: string): void {
    const running = this.#followers.filter((f) => f.handle >= 0);
    const nowNs = this.#options.nowNs();
    const all = () =>
      running.map((f) =>
        this.#events.contextOf(f, this.#sources, (thread, sinceNs) => {
          const energies = thread !== 0
            ? {}
            : this.#options.energiesSince?.(f.handle, sinceNs * 1e-9);
          return { "time.duration.ns": Math.round(nowNs - sinceNs), ...energies };
        })
      );
    answer(this.#options.directory, name, (asker, wantsFunctions) => {
      const functions = wantsFunctions ? this.#options.functionsSince?.(asker) : undefined;
      return { processes: all(), functions };
    });
  }

  #follow(pid: number): void {
    if (this.#watched.has(pid)) return;
    this.#watched.add(pid);
    this.#processes.add(pid);
  }

  /** A process made its ring file. */
  ring(opened: Marks, host = opened.pid): void {
    const follower = followerOf(opened, host, host === UNMATCHED ? undefined : rankOf(host));
    if (joinImages(this.#followers, follower, opened)) return;
    this.#followers.push(follower);
    if (follower.rank !== undefined && this.#ranks.size < MAX_RANKS) {
      this.#ranks.set(follower.pid, follower.rank);
    }
    if (host !== UNMATCHED) this.#follow(host);
  }

  #drainRing(follower: Follower, ring: Marks): number {
    const before = ring.threads.length;
    const records = ring.poll();
    for (let i = before; i < ring.threads.length; i++) {
      const source = { thread: ring.threads[i], ring, follower, bound: false };
      this.#sources.push(source);
      this.#sourceOf.set(source.thread, source);
    }
    for (const message of ring.takeMessages?.() ?? NOTHING) this.messages.hear(message);
    for (const fold of ring.takeFolds?.() ?? NOTHING) {
      const source = this.#sourceOf.get(fold.thread);
      if (source !== undefined) this.#folds.add(fold, source);
    }
    return records;
  }

  /** A process that ended in good order reported when. */
  #noticeStop(f: Follower): void {
    if (!Number.isNaN(f.endNs)) return;
    let lastNs = -Infinity;
    for (const ring of f.rings) {
      const ns = ring.stopNs();
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
    this.#events.apart.feed(timeS, f);
    this.#folds.end(f, timeS);
    this.#paths.end(f, this.#sources, timeS);
    if (f.succeeded !== true) {
      this.#feedFoldedEpochs(f, timeS);
      // How it ended is not known: a process inside a region did not end on purpose.
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
    event.track = 0;
    event.visits = lost - f.lost;
    event.seconds = 0;
    if (event.region >= 0) this.#emit(KIND.shortVisits, timeS, f);
    this.counts.lost += lost - f.lost;
    f.lost = lost;
  }

  /** Epochs that found no room in a ring: their number is all that is known. */
  #feedFoldedEpochs(f: Follower, timeS: number): void {
    for (let i = 0; i < f.rings.length; i++) {
      for (const { count } of f.rings[i].takeFoldedEpochs?.() ?? NOTHING) f.waitingEpochs += count;
    }
    if (f.waitingEpochs === 0) return;
    f.epochs += f.waitingEpochs;
    f.waitingEpochs = 0;
    this.#event.number = f.epochs;
    this.#emit(KIND.epoch, timeS, f);
  }

  /** A late event keeps its time: the receiver moves it to the present and counts it. */
  #emitNext(source: Source): void {
    const ns = source.thread.nextNs;
    if (ns > this.#fedNs) this.#fedNs = ns;
    if (source.follower.handle < 0) return;
    this.#paths.precede(source, ns);
    this.#events.emit(source, ns);
  }

  #emit(kind: MarkKind, timeS: number, { handle }: Follower, thread = 0): number {
    this.#event.cpu = -1;
    return this.#options.sink.receive(this.#event.as(kind, timeS, handle, thread));
  }
}
