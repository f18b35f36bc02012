/**
 * Keeps events in order: one steady line of time, and none before a step that is already settled.
 *
 * A late event is emitted at the earliest time that is still open, and counted. What goes
 * to the tracker goes to the recording too, so a replay sees the same.
 * @module
 */
import type { EventReceiver, EventRecord } from "../../core/events/event.ts";
import { EventCalls } from "../../core/events/event_calls.ts";
import { EVENT_KINDS, KIND_INFO } from "../../core/events/event_kinds.ts";
import type { RegionTracker } from "./tracker.ts";

/** Just after a settled step. */
const NEXT_S = 1e-9;

/** Stamps of two CPUs, of cycles and of the clock, agree to no better than this. */
const SAME_MOMENT_S = 1e-6;

/** By kind, 1: it summarizes the past. Not late, but never before an event that was emitted already. */
const SUMS_UP = new Uint8Array(KIND_INFO.length);
for (const { code, sumsUp } of EVENT_KINDS) SUMS_UP[code] = sumsUp === true ? 1 : 0;

/**
 * Passes events on in order of time.
 *
 * @example
 * ```ts
 * import { buildCatalogue, Engine, openHost, PlatformTopology, RegionTracker } from "joulemark";
 *
 * const topology = PlatformTopology.regular({
 *   packages: 1,
 *   coresPerPackage: 2,
 *   threadsPerCore: 1,
 * });
 * const tracker = new RegionTracker({ topology, profile: "example" });
 * const table = buildCatalogue({ host: openHost(""), readers: [], application: [tracker] });
 * using engine = new Engine({
 *   topology,
 *   tracker,
 *   table,
 *   host: "node01",
 *   profile: "example",
 *   startTime: "2024-10-24T08:00:00.000000000+0000",
 *   version: "3.1.0",
 * });
 * engine.events.closeStep(1);
 * engine.events.start(0.5, 4711, [0]);
 * if (engine.events.late !== 1) throw new Error("expected a late event");
 * ```
 */
export class OrderedEvents extends EventCalls {
  /** Events emitted later than they happened. */
  late = 0;
  /** The most that one was late. */
  mostLateS = 0;
  readonly #tracker: RegionTracker;
  readonly #listener: EventReceiver | undefined;
  #earliestS = -Infinity;

  /** Orders events for a tracker, and for what else gets them. */
  constructor(tracker: RegionTracker, listener?: EventReceiver) {
    super();
    this.#tracker = tracker;
    this.#listener = listener;
  }

  /** Events are past this time from now on. */
  closeStep(timeS: number): void {
    if (timeS + NEXT_S > this.#earliestS) this.#earliestS = timeS + NEXT_S;
  }

  /** Passes an event on, at the earliest time that is still open if it is late. */
  receive(event: EventRecord): number {
    event.timeS = SUMS_UP[event.kind] === 1
      ? Math.max(event.timeS, this.#earliestS)
      : this.#inOrder(event.timeS);
    if (this.#listener !== undefined) this.#listener.receive(event);
    return this.#tracker.receive(event);
  }

  /** The tracker's handle of a track. */
  track(name: string): number {
    return this.#tracker.track(name);
  }

  /** The tracker's handle of a path of regions. */
  regionPath(parent: number, name: string, track: string, attribute: string): number {
    return this.#tracker.regionPath(parent, name, track, attribute);
  }

  #inOrder(timeS: number): number {
    if (timeS >= this.#earliestS) return this.#earliestS = timeS;
    const lateS = this.#earliestS - timeS;
    if (lateS < SAME_MOMENT_S) return this.#earliestS;
    this.late++;
    if (lateS > this.mostLateS) this.mostLateS = lateS;
    return this.#earliestS;
  }
}
