/**
 * Spans of a run: how often each was, and how long in all. They may overlap, and begin and end on
 * any thread, so no CPU is in a span, and none has energy of its own.
 * @module
 */
import { compareTexts } from "../../core/names.ts";
import type { EventRecord } from "../../core/events/event.ts";
import { KIND } from "../../core/events/event_kinds.ts";

/** Spans of one name and track. */
export interface SpanTotal {
  /** Name of the spans. */
  readonly name: string;
  /** Track of the spans: API or API/domain; "" is the program's own. */
  readonly track: string;
  /** Number of ended spans, over all processes. */
  readonly count: number;
  /** Sum of the span times, s: longer than the run if spans overlap. */
  readonly timeS: number;
}

interface Sum {
  readonly name: string;
  readonly track: string;
  count: number;
  ns: number;
}

/** Adds spans up. */
export class Spans {
  readonly #sums = new Map<string, Map<string, Sum>>();
  /** Open ones by process and number. */
  readonly #open: Map<number, { sum: Sum; ns: number }>[] = [];

  /** A span begins or ends, or some are told as a number and a time. @returns False if an end fits no begin. */
  add(ns: number, event: EventRecord): boolean {
    if (event.kind === KIND.shortSpans) {
      const sum = this.#sum(event);
      sum.count += event.visits;
      sum.ns += Math.round(event.seconds * 1e9);
      return true;
    }
    const open = this.#open[event.process] ??= new Map();
    if (event.kind === KIND.spanBegin) {
      open.set(event.number, { sum: this.#sum(event), ns });
      return true;
    }
    const began = open.get(event.number);
    if (began === undefined) return false;
    open.delete(event.number);
    began.sum.count++;
    began.sum.ns += Math.max(0, ns - began.ns);
    return true;
  }

  /** In order of names. What was never ended does not count. */
  totals(): SpanTotal[] {
    return [...this.#sums.values()].flatMap((tracks) => [...tracks.values()])
      .filter(({ count }) => count > 0)
      .map(({ name, track, count, ns }) => ({ name, track, count, timeS: ns * 1e-9 }))
      .sort((a, b) => compareTexts(a.name, b.name) || compareTexts(a.track, b.track));
  }

  #sum({ name, trackName: track }: EventRecord): Sum {
    let tracks = this.#sums.get(name);
    if (tracks === undefined) this.#sums.set(name, tracks = new Map());
    let sum = tracks.get(track);
    if (sum === undefined) tracks.set(track, sum = { name, track, count: 0, ns: 0 });
    return sum;
  }
}
