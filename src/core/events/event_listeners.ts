/**
 * One receiver that stands for several: recording, PMC log, Caliper's channels.
 * @module
 */
import type { EventReceiver, EventRecord } from "./event.ts";

/** Passes events on to all, in their order; one alone gets them itself. */
export function eventListeners(
  wanted: readonly (EventReceiver | undefined)[],
): EventReceiver | undefined {
  const all = wanted.filter((receiver) => receiver !== undefined);
  return all.length < 2 ? all[0] : new Listeners(all);
}

class Listeners implements EventReceiver {
  readonly #all: readonly EventReceiver[];

  constructor(all: readonly EventReceiver[]) {
    this.#all = all;
  }

  receive(event: EventRecord): number {
    for (let i = 0; i < this.#all.length; i++) this.#all[i].receive(event);
    return -1;
  }
}
