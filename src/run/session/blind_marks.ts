/**
 * Marks that drive the power of a simulated node, and that nobody else sees: so functions have known energies and
 * are found from samples alone.
 * @module
 */
import type { EventRecord, EventSink } from "../../core/events/event.ts";
import { EventCalls } from "../../core/events/event_calls.ts";
import { KIND } from "../../core/events/event_kinds.ts";
import { OrderedEvents } from "../../marks/tracker/ordered_events.ts";
import type { RegionTracker } from "../../marks/tracker/tracker.ts";

/** Kinds that say when processes and threads live, and where. */
const LIFE: ReadonlySet<number> = new Set([
  ...[KIND.start, KIND.startCommand, KIND.threadCpus, KIND.shutdown, KIND.died],
  ...[KIND.threadBegin, KIND.threadEnd],
]);

/** All events for a hidden tracker; the run gets those of processes and threads. */
export class BlindMarks extends EventCalls {
  readonly #run: EventSink;
  readonly #hidden: OrderedEvents;

  constructor(run: EventSink, hidden: RegionTracker) {
    super();
    this.#run = run;
    this.#hidden = new OrderedEvents(hidden);
  }

  receive(event: EventRecord): number {
    const { timeS } = event;
    const handle = LIFE.has(event.kind) ? this.#run.receive(event) : undefined;
    event.timeS = timeS;
    const own = this.#hidden.receive(event);
    return handle ?? own;
  }

  track(name: string): number {
    return this.#hidden.track(name);
  }

  regionPath(parent: number, name: string, track: string, attribute: string): number {
    return this.#hidden.regionPath(parent, name, track, attribute);
  }
}
