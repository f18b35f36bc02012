/** Events of a run that wait until counters are known around them. */

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
    const larger = <T extends Uint8Array | Int32Array | Float64Array>(old: T): T => {
      const grown = new (old.constructor as { new (length: number): T })(length);
      grown.set(old);
      return grown;
    };
    this.kind = larger(this.kind);
    this.cpu = larger(this.cpu);
    this.timeS = larger(this.timeS);
    this.process = larger(this.process);
    this.thread = larger(this.thread);
    this.what = larger(this.what);
    this.visits = larger(this.visits);
    this.seconds = larger(this.seconds);
  }
}
