/** Events of a run that wait until counters are known around them. */

import { lengthened } from "../core/grow.ts";
import type { AttributeEvent } from "../core/event.ts";

/** What waits. */
export const KIND = { processes: 0, enter: 1, exit: 2, attribute: 3, folded: 4, tick: 5 } as const;

/** Events in order of time, a column a field. */
export class WaitingEvents {
  count = 0;
  /** Those before it were told. */
  first = 0;
  kind = new Uint8Array(1024);
  cpu = new Int32Array(1024);
  timeS = new Float64Array(1024);
  process = new Int32Array(1024);
  thread = new Int32Array(1024);
  /** Region, or number among the attributes. */
  what = new Int32Array(1024);
  visits = new Float64Array(1024);
  seconds = new Float64Array(1024);
  #attributes: AttributeEvent[] = [];
  /** Number of the first of them. */
  #firstAttribute = 0;

  add(kind: number, cpu: number, timeS: number, process: number, thread: number): number {
    const at = this.count++;
    if (at >= this.kind.length) this.#grow();
    this.kind[at] = kind;
    this.cpu[at] = cpu;
    this.timeS[at] = timeS;
    this.process[at] = process;
    this.thread[at] = thread;
    return at;
  }

  /** Keeps a copy of an attribute event. @returns Its number. */
  keep(event: AttributeEvent): number {
    return this.#firstAttribute + this.#attributes.push({ ...event }) - 1;
  }

  /** A kept one; those before it are not asked for any more. */
  attribute(number: number): AttributeEvent {
    const at = number - this.#firstAttribute;
    if (at > 1024) {
      this.#attributes.splice(0, at);
      this.#firstAttribute = number;
    }
    return this.#attributes[number - this.#firstAttribute];
  }

  /** Room is made where many were told. */
  forgetTold(): void {
    const { first, count } = this;
    if (first < count && first < 1024) return;
    for (
      const column of [
        ...[this.kind, this.cpu, this.timeS, this.process],
        ...[this.thread, this.what, this.visits, this.seconds],
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
    this.what = lengthened(this.what, length);
    this.visits = lengthened(this.visits, length);
    this.seconds = lengthened(this.seconds, length);
  }
}
