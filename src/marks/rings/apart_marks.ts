/**
 * Marks that need no order, if they come too fast to be emitted one by one and no output asks for
 * them: epochs and spans are added up, of values the last one is kept.
 * @module
 */
import { KIND } from "../../core/events/event_kinds.ts";
import { FLAG, PM_LOG_NAME, RING_RECORDS } from "../../core/events/ring_layout.ts";
import type { Follower, Source } from "./marks.ts";
import type { RingCalls } from "./ring_calls.ts";
import type { RingSpans } from "./ring_spans.ts";

/**
 * Spans have no sums in their ring, if what finds no room is lost: as fast as they came they may take a quarter of
 * it, so that a monitor that comes to its CPU late by three times as much loses none.
 */
const SPAN_RECORDS = RING_RECORDS / 4, MIN_ROOM_NS = 2e6, MAX_ROOM_NS = 20e6;
/** A rate is that of so long, and after the last span more are waited for so long. */
const LOOK_NS = 1e6, KEPT_NS = 1e9;
/**
 * Factor by which the maximum rate falls at each look. It falls slowly: a program that was kept from
 * its CPU catches up all at once.
 */
const FADING = 7 / 8;

/** Takes them out of the order. */
export class ApartMarks {
  readonly #spans: RingSpans;
  readonly #calls: RingCalls;
  /** Time of the last span, ns since the origin. */
  #cameNs = -Infinity;
  /** Records per ns, of the fastest of the last looks; and those since the last one. */
  #rate = 0;
  #records = 0;
  #tookNs = 0;

  constructor(spans: RingSpans, calls: RingCalls) {
    this.#spans = spans;
    this.#calls = calls;
  }

  /** Takes the next record of a thread. @returns False: it has to be emitted in its order. */
  take(source: Source): boolean {
    const { thread, follower, ring } = source;
    const id = (thread.flags & FLAG.process) !== 0 ? 0 : thread.tid;
    if (id !== 0 && !source.bound) return false;
    switch (thread.kind) {
      case KIND.epoch:
        follower.waitingEpochs++;
        return true;
      case KIND.spanBegin:
      case KIND.spanEnd:
        return this.#spans.sumUp(source);
      case KIND.inPath:
        // Paths up to it were emitted in the order of their first visits.
        return thread.value < (source.pathsEmitted ?? 1);
      case KIND.attributeBegin:
      case KIND.attributeSet:
      case KIND.attributeEnd:
        if (!ring.hasName(thread.value) || ring.names[thread.value].name === PM_LOG_NAME) {
          return false;
        }
        if (!thread.isSetAgain()) this.#calls.attribute(source, id, thread.kind);
        return true;
    }
    return false;
  }

  /**
   * For how long rings have room for spans, if any came of late; else for ever.
   *
   * @param records New ones, of the process with most. @param tookNs Since the last call, which was at `nowNs`.
   */
  takeRoomNs(records: number, tookNs: number, nowNs: number): number {
    if (this.#spans.came) this.#cameNs = nowNs;
    this.#spans.came = false;
    // Two looks one right after the other tell no rate, and the second one finds nothing.
    this.#records += records;
    this.#tookNs += tookNs;
    if (this.#tookNs >= LOOK_NS) {
      this.#rate = Math.max(this.#rate * FADING, this.#records / this.#tookNs);
      this.#records = this.#tookNs = 0;
    }
    if (!(nowNs - this.#cameNs < KEPT_NS)) return Infinity;
    return Math.max(MIN_ROOM_NS, Math.min(MAX_ROOM_NS, SPAN_RECORDS / this.#rate));
  }

  /** Emits sums of spans. @param of Of this process alone. */
  feed(timeS: number, of?: Follower): void {
    this.#spans.feed(timeS, of);
  }
}
