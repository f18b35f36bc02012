/**
 * Events of a run that wait until counters are known around them.
 * @module
 */
import type { AttributeEvent, EventRecord, FoldedEvent } from "../../core/events/event.ts";
import { KIND } from "../../core/events/event_kinds.ts";
import { lengthened } from "../../core/grow.ts";

/** Beside the kinds of events: a sample was settled. */
export const SAMPLE = 0;

/** Attribute events by kind. */
const ATTRIBUTE_CHANGES = new Map<number, AttributeEvent["kind"]>([
  [KIND.attributeBegin, "begin"],
  [KIND.attributeSet, "set"],
  [KIND.attributeEnd, "end"],
]);

/** By kind, 1: the CPU on which it happened counts. */
const HAS_CPU = new Uint8Array(64);
for (const kind of [KIND.enter, KIND.exit, KIND.shortVisits, ...ATTRIBUTE_CHANGES.keys()]) {
  HAS_CPU[kind] = 1;
}

type Kept = AttributeEvent | FoldedEvent;

/** Events in order of time, a column a field. */
export class WaitingEvents {
  count = 0;
  /** Index of the first event that was not emitted yet. */
  first = 0;
  kind = new Uint8Array(1024);
  cpu = new Int32Array(1024);
  timeS = new Float64Array(1024);
  process = new Int32Array(1024);
  thread = new Int32Array(1024);
  track = new Int32Array(1024);
  /** Region, path, or number among what is kept. */
  what = new Int32Array(1024);
  visits = new Float64Array(1024);
  seconds = new Float64Array(1024);
  #kept: Kept[] = [];
  /** Number of the first of them. */
  #firstKept = 0;

  /** A sample was settled. */
  addSample(timeS: number): void {
    const at = this.#next();
    this.kind[at] = SAMPLE;
    this.timeS[at] = timeS;
  }

  /** An event; the caller copies what a channel needs. */
  add(event: EventRecord): void {
    const at = this.#next(), { kind } = event;
    this.kind[at] = kind;
    this.cpu[at] = HAS_CPU[kind] === 1 ? event.cpu : -1;
    this.timeS[at] = event.timeS;
    this.process[at] = event.process;
    this.thread[at] = event.thread;
    this.track[at] = event.track;
    this.what[at] = this.#what(event);
    this.visits[at] = event.visits;
    this.seconds[at] = event.seconds;
  }

  #what(event: EventRecord): number {
    const { name, type, properties, value, path } = event;
    const change = ATTRIBUTE_CHANGES.get(event.kind);
    if (change !== undefined) return this.#keep({ kind: change, name, type, properties, value });
    if (event.kind === KIND.folded) return this.#keep({ path, ...event.folded });
    return event.kind === KIND.inPath ? path : event.region;
  }

  #next(): number {
    const at = this.count++;
    if (at >= this.kind.length) this.#grow();
    return at;
  }

  #keep(event: Kept): number {
    return this.#firstKept + this.#kept.push(event) - 1;
  }

  /** A kept one; those before it are not asked for any more. */
  kept<T extends Kept>(number: number): T {
    const at = number - this.#firstKept;
    if (at > 1024) {
      this.#kept.splice(0, at);
      this.#firstKept = number;
    }
    return this.#kept[number - this.#firstKept] as T;
  }

  /** Room is made if many were emitted. */
  dropEmitted(): void {
    const { first, count } = this;
    if (first < count && first < 1024) return;
    for (
      const column of [
        ...[this.kind, this.cpu, this.timeS, this.process],
        ...[this.thread, this.track, this.what, this.visits, this.seconds],
      ]
    ) column.copyWithin(0, first, count);
    this.count = count - first;
    this.first = 0;
  }

  #grow(): void {
    const length = this.kind.length * 2;
    this.kind = lengthened(this.kind, length);
    this.cpu = lengthened(this.cpu, length);
    this.timeS = lengthened(this.timeS, length);
    this.process = lengthened(this.process, length);
    this.thread = lengthened(this.thread, length);
    this.track = lengthened(this.track, length);
    this.what = lengthened(this.what, length);
    this.visits = lengthened(this.visits, length);
    this.seconds = lengthened(this.seconds, length);
  }
}
