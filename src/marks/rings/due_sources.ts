/**
 * Threads whose next events are due, the earliest first: a heap, so that an event costs the same among
 * ten threads and among ten thousand.
 * @module
 */
import type { Source } from "./marks.ts";

/** Heap of the sources that have an event up to a given time. */
export class DueSources {
  readonly #heap: Source[] = [];
  /** Indices of the sources among all; equal times keep this order. */
  readonly #places: number[] = [];

  /**
   * Fills the heap again.
   *
   * @param limitNs Later events are not due.
   */
  fill(sources: readonly Source[], limitNs: number): void {
    const heap = this.#heap, places = this.#places;
    let count = 0;
    for (let i = 0; i < sources.length; i++) {
      if (!(sources[i].thread.nextNs <= limitNs)) continue;
      heap[count] = sources[i];
      places[count++] = i;
    }
    // To set a length takes long, also to what it is.
    if (heap.length !== count) heap.length = places.length = count;
    for (let at = (count >> 1) - 1; at >= 0; at--) this.#sink(at);
  }

  /** The one whose event is next, the first of equal ones. */
  get first(): Source | undefined {
    return this.#heap[0];
  }

  /** Time of the next event of any other source; Infinity: none is due. */
  get secondNs(): number {
    const heap = this.#heap;
    if (heap.length < 2) return Infinity;
    const ns = heap[1].thread.nextNs;
    return heap.length > 2 ? Math.min(ns, heap[2].thread.nextNs) : ns;
  }

  /** The first one's next event is another one now. */
  moved(limitNs: number): void {
    const heap = this.#heap;
    if (!(heap[0].thread.nextNs <= limitNs)) {
      const last = heap.pop()!, place = this.#places.pop()!;
      if (heap.length === 0) return;
      heap[0] = last;
      this.#places[0] = place;
    }
    this.#sink(0);
  }

  #sink(from: number): void {
    const heap = this.#heap, places = this.#places;
    const source = heap[from], place = places[from], ns = source.thread.nextNs;
    let at = from;
    for (let child = 2 * at + 1; child < heap.length; child = 2 * at + 1) {
      let childNs = heap[child].thread.nextNs;
      if (child + 1 < heap.length) {
        const otherNs = heap[child + 1].thread.nextNs;
        if (otherNs < childNs || (otherNs === childNs && places[child + 1] < places[child])) {
          child++;
          childNs = otherNs;
        }
      }
      if (ns < childNs || (ns === childNs && place < places[child])) break;
      heap[at] = heap[child];
      places[at] = places[child];
      at = child;
    }
    heap[at] = source;
    places[at] = place;
  }
}
