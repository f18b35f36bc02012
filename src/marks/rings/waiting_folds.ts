/**
 * Visits that came folded, or were folded as they were read, until their time has come.
 * @module
 */
import type { EventRecord, EventSink } from "../../core/events/event.ts";
import { KIND, type MarkKind } from "../../core/events/event_kinds.ts";
import { TRACK_SHIFT } from "../../core/events/ring_layout.ts";
import type { CollectorCounts } from "./collector_counts.ts";
import type { FoldedPaths } from "./folded_paths.ts";
import type { Follower, Source } from "./marks.ts";
import type { RingEvents } from "./ring_events.ts";
import type { FoldedVisits } from "./ring_slots.ts";
import { meanBucket, NAME_MASK, type ShortVisits } from "./short_visits.ts";

/** Folded visits, each emitted at the time of the first of them. */
export class WaitingFolds {
  readonly #sink: EventSink;
  readonly #event: EventRecord;
  readonly #paths: FoldedPaths;
  readonly #events: RingEvents;
  readonly #counts: CollectorCounts;
  #waiting: { fold: FoldedVisits; source: Source }[] = [];
  /** The earliest of their times. */
  #dueNs = Infinity;

  constructor(
    { sink, event, paths, events, counts }: {
      sink: EventSink;
      event: EventRecord;
      paths: FoldedPaths;
      events: RingEvents;
      counts: CollectorCounts;
    },
  ) {
    [this.#sink, this.#event, this.#paths] = [sink, event, paths];
    [this.#events, this.#counts] = [events, counts];
  }

  add(fold: FoldedVisits, source: Source): void {
    this.#waiting.push({ fold, source });
    // A time that is no number is due now.
    if (!(fold.firstNs >= this.#dueNs)) this.#dueNs = fold.firstNs;
  }

  /** Takes over the sums of a thread, which are empty then. */
  take(sums: ShortVisits, source: Source): void {
    if (sums.regions.size === 0) return;
    let nested = sums.paths.size > 0 ? sums.paths : undefined;
    for (const [value, sum] of sums.regions) {
      // The first one has what is nested in all.
      const [region, track] = [value & NAME_MASK, value >>> TRACK_SHIFT];
      this.add({ thread: source.thread, region, track, ...sum, nested }, source);
      nested = undefined;
    }
    sums.regions.clear();
    if (sums.paths.size > 0) sums.paths = new Map();
  }

  /** Emits what is due. @param fedNs What is earlier, or impossible, is taken as now. */
  feed(limitNs: number, fedNs: number): void {
    if (this.#waiting.length === 0 || limitNs < this.#dueNs) return;
    let kept = 0;
    let dueNs = Infinity;
    for (let i = 0; i < this.#waiting.length; i++) {
      const waiting = this.#waiting[i];
      const { fold, source } = waiting;
      if (fold.firstNs > limitNs || source.follower.handle < 0) {
        this.#waiting[kept++] = waiting;
        if (!(fold.firstNs >= dueNs)) dueNs = fold.firstNs;
      } else this.#emit((fold.firstNs > fedNs ? fold.firstNs : fedNs) * 1e-9, fold, source);
    }
    this.#waiting.length = kept;
    this.#dueNs = dueNs;
  }

  /** A process ended: its last folded visits may seem to be after that, by a small amount. */
  end(follower: Follower, timeS: number): void {
    for (const { fold, source } of this.#waiting) {
      if (source.follower === follower) this.#emit(timeS, fold, source);
    }
    this.#waiting = this.#waiting.filter(({ source }) => source.follower !== follower);
  }

  #emit(timeS: number, fold: FoldedVisits, source: Source): void {
    const region = this.#events.region(timeS, source, fold.region);
    if (region < 0) return;
    const { follower: { handle }, thread: { tid }, ring } = source, event = this.#event;
    // Who folds all visits by path has these there too.
    this.#paths.announce(source, timeS);
    const emit = (kind: MarkKind) => {
      event.cpu = -1;
      this.#sink.receive(event.as(kind, timeS, handle, tid === ring.pid ? 0 : tid));
    };
    event.region = region;
    event.track = fold.track === undefined
      ? this.#events.likelyTrackOf(ring, fold.region)
      : this.#events.trackOf(ring, fold.track);
    event.visits = fold.visits;
    event.seconds = fold.ns * 1e-9;
    emit(KIND.shortVisits);
    this.#counts.folded += fold.visits;
    for (const [path, sum] of fold.nested ?? []) {
      event.path = path;
      Object.assign(event.folded, sum);
      emit(KIND.folded);
      if (sum.count === 0) continue;
      event.number = meanBucket(sum);
      event.visits = sum.count;
      emit(KIND.foldedLengths);
    }
  }
}
