/**
 * Marks that need no order, where they come too fast to be emitted one by one and no output asks for
 * them: epochs and spans are added up, of values the last one is kept.
 * @module
 */
import { KIND } from "../core/events/event_kinds.ts";
import { FLAG, PM_LOG_NAME } from "../core/events/ring_layout.ts";
import type { Follower, Source } from "./marks.ts";
import type { RingCalls } from "./ring_calls.ts";
import type { RingSpans } from "./ring_spans.ts";

/** Takes them out of the order. */
export class ApartMarks {
  readonly #spans: RingSpans;
  readonly #calls: RingCalls;

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

  /** Were there spans since the last call? */
  takeHadSpans(): boolean {
    const had = this.#spans.came;
    this.#spans.came = false;
    return had;
  }

  /** Emits sums of spans. @param of Of this process alone. */
  feed(timeS: number, of?: Follower): void {
    this.#spans.feed(timeS, of);
  }
}
