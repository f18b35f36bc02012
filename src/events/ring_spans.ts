/**
 * Spans of rings: begun on one thread, ended on any, by their numbers.
 * @module
 */
import type { Diagnostics } from "../core/diagnostics.ts";
import type { EventReceiver, EventRecord } from "../core/events/event.ts";
import { KIND } from "../core/events/event_kinds.ts";
import { TRACK_SHIFT } from "../core/events/ring_layout.ts";
import type { Follower, Source } from "./marks.ts";
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
  readonly #sink: EventReceiver;
  readonly #mistakes: Diagnostics;
  readonly #event: EventRecord;

  constructor(sink: EventReceiver, event: EventRecord, mistakes: Diagnostics) {
    this.#sink = sink;
    this.#event = event;
    this.#mistakes = mistakes;
  }

  /** Emits the span's record that is next in a thread. @returns False where it is not valid. */
  tell(timeS: number, { thread, ring, follower }: Source, id: number): boolean {
    const { spans } = follower;
    if (thread.extraLow >= SPACES) return false;
    const number = thread.payloadLow + (thread.payloadHigh & HIGH_MASK) * TWO_32 +
      thread.extraLow * TWO_48;
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
    event.name = open.name;
    event.trackName = open.track;
    this.#sink.receive(event.as(KIND.spanEnd, timeS, follower.handle, id));
    return true;
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

function whose({ pid, rank }: Follower, track: string): string {
  const process = rank === undefined ? `process ${pid}` : `process ${pid} (rank ${rank})`;
  return track === "" ? process : `${process}, ${track}`;
}
