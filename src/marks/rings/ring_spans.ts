/**
 * Spans of rings: begun on one thread, ended on any, by their numbers.
 * @module
 */
import type { Diagnostics } from "../../core/diagnostics.ts";
import type { EventReceiver, EventRecord } from "../../core/events/event.ts";
import { KIND } from "../../core/events/event_kinds.ts";
import { TRACK_SHIFT } from "../../core/events/ring_layout.ts";
import type { Follower, Marks, Source, SpanSum } from "./marks.ts";
import { NAME_MASK } from "./short_visits.ts";

/** Numbers have 48 bits, and their spaces the few above. */
const HIGH_MASK = 0xffff;
const TWO_32 = 4294967296;
const TWO_48 = 281474976710656;
const SPACES = 16;
/** The most open at a time; a broken ring's data beyond it are left out. */
const MAX_OPEN_SPANS = 1_000_000;

/** Turns their records into events. */
export class RingSpans {
  /** There was one; cleared by who looks. */
  came = false;
  readonly #sink: EventReceiver;
  readonly #mistakes: Diagnostics;
  readonly #event: EventRecord;
  /** By ring, by the name and track of a record. */
  readonly #sums = new Map<Marks, { follower: Follower; sums: Map<number, SpanSum> }>();
  /** Ring and value of the last lookup, and its result. */
  #lastRing: Marks | undefined;
  #lastValue = -1;
  #lastSum: SpanSum | undefined;
  /** Has one of them something to emit? */
  #isWaiting = false;

  constructor(sink: EventReceiver, event: EventRecord, mistakes: Diagnostics) {
    this.#sink = sink;
    this.#event = event;
    this.#mistakes = mistakes;
  }

  /** Emits the span's record that is next in a thread. @returns False if it is not valid. */
  emit(timeS: number, { thread, ring, follower }: Source, id: number): boolean {
    const { spans } = follower;
    this.came = true;
    if (thread.extraLow >= SPACES) return false;
    const number = numberOf(thread);
    const event = this.#event;
    event.number = number;
    if (thread.kind === KIND.spanBegin) {
      const name = thread.value & NAME_MASK;
      if (spans.size >= MAX_OPEN_SPANS || !ring.hasName(name)) return false;
      const open = {
        name: ring.names[name].name,
        track: ring.trackName?.(thread.value >>> TRACK_SHIFT) ?? "",
      };
      const before = spans.get(number);
      if (before !== undefined) {
        this.#add(follower, before, "was begun again before its end", timeS);
      }
      spans.set(number, open);
      event.name = open.name;
      event.trackName = open.track;
      this.#sink.receive(event.as(KIND.spanBegin, timeS, follower.handle, id));
      return true;
    }
    const open = spans.get(number);
    if (open === undefined) {
      const track = ring.trackName?.(thread.value >>> TRACK_SHIFT) ?? "";
      const what = `a span ended without having begun: ${whose(follower, track)}`;
      this.#mistakes.add("", what, `at ${timeS.toFixed(3)} s`);
      return true;
    }
    spans.delete(number);
    // Its begin was not emitted.
    if (open.sum !== undefined) {
      this.#count(open.sum, thread.nextNs - open.beganNs!);
      return true;
    }
    event.name = open.name;
    event.trackName = open.track;
    this.#sink.receive(event.as(KIND.spanEnd, timeS, follower.handle, id));
    return true;
  }

  /**
   * Adds up spans that began and ended here, when they come too fast to be emitted one by one.
   *
   * @returns False: this span has to be emitted.
   */
  sumUp(source: Source): boolean {
    const { thread, follower: { spans } } = source;
    this.came = true;
    if (thread.extraLow >= SPACES) return false;
    if (thread.isWholeSpan()) {
      const sum = this.#sumOf(source);
      if (sum === undefined) return false;
      const beganNs = thread.nextNs;
      thread.advance();
      this.#count(sum, thread.nextNs - beganNs);
      return true;
    }
    const number = numberOf(thread), open = spans.get(number);
    if (thread.kind === KIND.spanBegin) {
      const isNew = open === undefined && spans.size < MAX_OPEN_SPANS;
      const sum = isNew ? this.#sumOf(source) : undefined;
      if (sum === undefined) return false;
      spans.set(number, { name: sum.name, track: sum.track, beganNs: thread.nextNs, sum });
      return true;
    }
    if (open?.sum === undefined) return false;
    this.#count(open.sum, thread.nextNs - open.beganNs!);
    spans.delete(number);
    return true;
  }

  #count(sum: SpanSum, ns: number): void {
    sum.count++;
    sum.ns += Math.max(0, ns);
    this.#isWaiting = true;
  }

  #sumOf({ thread: { value }, ring, follower }: Source): SpanSum | undefined {
    if (this.#lastRing === ring && this.#lastValue === value) return this.#lastSum;
    const sum = this.#findSum(value, ring, follower);
    [this.#lastRing, this.#lastValue, this.#lastSum] = [ring, value, sum];
    return sum;
  }

  #findSum(value: number, ring: Marks, follower: Follower): SpanSum | undefined {
    let own = this.#sums.get(ring);
    if (own === undefined) this.#sums.set(ring, own = { follower, sums: new Map() });
    let sum = own.sums.get(value);
    if (sum !== undefined) return sum;
    const name = value & NAME_MASK;
    if (!ring.hasName(name)) return undefined;
    const track = ring.trackName?.(value >>> TRACK_SHIFT) ?? "";
    own.sums.set(value, sum = { name: ring.names[name].name, track, count: 0, ns: 0 });
    return sum;
  }

  /** Emits what was added up. @param of Of this process alone. */
  feed(timeS: number, of?: Follower): void {
    if (!this.#isWaiting) return;
    const event = this.#event;
    event.cpu = -1;
    let isWaiting = false;
    for (const { follower, sums } of this.#sums.values()) {
      for (const sum of sums.values()) {
        if (sum.count === 0) continue;
        if (follower.handle < 0 || (of !== undefined && follower !== of)) {
          isWaiting = true;
          continue;
        }
        event.name = sum.name;
        event.trackName = sum.track;
        event.visits = sum.count;
        event.seconds = sum.ns * 1e-9;
        this.#sink.receive(event.as(KIND.shortSpans, timeS, follower.handle, 0));
        sum.count = sum.ns = 0;
      }
    }
    this.#isWaiting = isWaiting;
  }

  /** The ring's process is over. */
  forget(ring: Marks): void {
    this.#sums.delete(ring);
    if (this.#lastRing === ring) this.#lastRing = undefined;
  }

  /** The process ended in good order, or went on as another image, which has none of them. */
  leftOpen(follower: Follower, what = "was never ended"): void {
    for (const open of follower.spans.values()) this.#add(follower, open, what);
    follower.spans.clear();
  }

  #add(
    follower: Follower,
    { name, track }: { name: string; track: string },
    what: string,
    timeS?: number,
  ): void {
    const shown = name.length > 80 ? name.slice(0, 77) + "..." : name;
    const place = timeS === undefined ? "" : `at ${timeS.toFixed(3)} s`;
    this.#mistakes.add("", `span "${shown}" ${what}: ${whose(follower, track)}`, place);
  }
}

function numberOf({ payloadLow, payloadHigh, extraLow }: Source["thread"]): number {
  return payloadLow + (payloadHigh & HIGH_MASK) * TWO_32 + extraLow * TWO_48;
}

function whose({ pid, rank }: Follower, track: string): string {
  const process = rank === undefined ? `process ${pid}` : `process ${pid} (rank ${rank})`;
  return track === "" ? process : `${process}, ${track}`;
}
