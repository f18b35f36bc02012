/**
 * Keeps events in order: one steady line of time, and none before a step that is already settled.
 *
 * An event that comes late is told at the earliest time that is still open, and counted. What goes
 * to the tracker goes to the recording too, so a replay sees the same.
 * @module
 */
import type { AttributeEvent, EventSink, PmEvent, SpanEvent } from "../core/event.ts";
import type { RegionTracker } from "../regions/tracker.ts";

/** Just after a settled step. */
const NEXT_S = 1e-9;

/** Stamps of two CPUs, of cycles and of the clock, agree to no better than this. */
const SAME_MOMENT_S = 1e-6;

/**
 * Passes events on in order of time.
 *
 * @example
 * ```ts
 * import { buildCatalogue, Engine, openHost, PlatformTopology, RegionTracker } from "joulemark";
 *
 * const topology = PlatformTopology.regular({
 *   ...{ packages: 1, coresPerPackage: 2, threadsPerCore: 1 },
 * });
 * const tracker = new RegionTracker({ topology, profile: "example" });
 * const table = buildCatalogue({ host: openHost(""), readers: [], application: [tracker] });
 * using engine = new Engine({
 *   ...{ topology, tracker, table, host: "node01", profile: "example" },
 *   ...{ startTime: "2024-10-24T08:00:00.000000000+0000", version: "3.1.0" },
 * });
 * engine.events.closeStep(1);
 * engine.events.start(0.5, 4711, [0]);
 * if (engine.events.late !== 1) throw new Error("expected a late event");
 * ```
 */
export class OrderedEvents implements EventSink {
  /** Events told later than they happened. */
  late = 0;
  /** The most that one was late. */
  mostLateS = 0;
  /** Hears of what the tracker does not: attributes and calls of pm_mpi_lib. */
  others: Pick<EventSink, "attribute" | "pm"> | undefined;
  /** Only where somebody wants to know. */
  readonly at?: (cpu: number) => void;
  readonly #tracker: RegionTracker;
  readonly #recorder: Partial<EventSink> | undefined;
  #earliestS = -Infinity;

  /** Orders events for a tracker, and for what else gets them. */
  constructor(tracker: RegionTracker, recorder?: Partial<EventSink>) {
    this.#tracker = tracker;
    this.#recorder = recorder;
    if (recorder?.at !== undefined) this.at = (cpu) => recorder.at!(cpu);
  }

  /** Events are past this time from now on. */
  closeStep(timeS: number): void {
    if (timeS + NEXT_S > this.#earliestS) this.#earliestS = timeS + NEXT_S;
  }

  start(timeS: number, pid: number, cpus: readonly number[]): number {
    const t = this.#inOrder(timeS);
    this.#recorder?.start?.(t, pid, cpus);
    return this.#tracker.start(t, pid, cpus);
  }

  startCommand(timeS: number, pid: number, cpus: readonly number[]): number {
    const t = this.#inOrder(timeS);
    this.#recorder?.startCommand?.(t, pid, cpus);
    return this.#tracker.startCommand(t, pid, cpus);
  }

  threadCpus(timeS: number, process: number, thread: number, cpus: readonly number[]): void {
    const t = this.#inOrder(timeS);
    this.#recorder?.threadCpus?.(t, process, thread, cpus);
    this.#tracker.threadCpus(t, process, thread, cpus);
  }

  region(timeS: number, process: number, name: string, hint: number): number {
    const t = this.#inOrder(timeS);
    this.#recorder?.region?.(t, process, name, hint);
    return this.#tracker.region(t, process, name, hint);
  }

  track(name: string): number {
    return this.#tracker.track(name);
  }

  enter(
    timeS: number,
    process: number,
    region: number,
    hint: number,
    thread: number,
    track = 0,
  ): void {
    const t = this.#inOrder(timeS);
    this.#recorder?.enter?.(t, process, region, hint, thread, track);
    this.#tracker.enter(t, process, region, hint, thread, track);
  }

  exit(timeS: number, process: number, region: number, thread: number, track = 0): void {
    const t = this.#inOrder(timeS);
    this.#recorder?.exit?.(t, process, region, thread, track);
    this.#tracker.exit(t, process, region, thread, track);
  }

  epoch(timeS: number, process: number, number: number): void {
    const t = this.#inOrder(timeS);
    this.#recorder?.epoch?.(t, process, number);
    this.#tracker.epoch(t, process, number);
  }

  tprofInit(timeS: number, process: number, units: number): void {
    const t = this.#inOrder(timeS);
    this.#recorder?.tprofInit?.(t, process, units);
    this.#tracker.tprofInit(t, process, units);
  }

  tprofPost(timeS: number, process: number, cpu: number): void {
    const t = this.#inOrder(timeS);
    this.#recorder?.tprofPost?.(t, process, cpu);
    this.#tracker.tprofPost(t, process, cpu);
  }

  overhead(timeS: number, process: number, seconds: number): void {
    const t = this.#inOrder(timeS);
    this.#recorder?.overhead?.(t, process, seconds);
    this.#tracker.overhead(t, process, seconds);
  }

  shortVisits(
    timeS: number,
    process: number,
    region: number,
    count: number,
    seconds: number,
    thread: number,
  ): void {
    // They tell of the past by their nature: not late, but never before what was told already.
    const t = Math.max(timeS, this.#earliestS);
    this.#recorder?.shortVisits?.(t, process, region, count, seconds, thread);
    this.#tracker.shortVisits(t, process, region, count, seconds, thread);
  }

  threadEnd(timeS: number, process: number, thread: number): void {
    // All of its regions have ended: recordings need not know.
    this.#tracker.threadEnd(this.#inOrder(timeS), process, thread);
  }

  shutdown(timeS: number, process: number): void {
    const t = this.#inOrder(timeS);
    this.#recorder?.shutdown?.(t, process);
    this.#tracker.shutdown(t, process);
  }

  died(timeS: number, process: number): void {
    const t = this.#inOrder(timeS);
    this.#recorder?.died?.(t, process);
    this.#tracker.died(t, process);
  }

  attribute(timeS: number, process: number, thread: number, event: AttributeEvent): void {
    const t = this.#inOrder(timeS);
    this.#recorder?.attribute?.(t, process, thread, event);
    this.others?.attribute?.(t, process, thread, event);
  }

  span(timeS: number, process: number, thread: number, event: SpanEvent): void {
    const t = this.#inOrder(timeS);
    this.#recorder?.span?.(t, process, thread, event);
    this.#tracker.span(t, process, thread, event);
  }

  pm(timeS: number, process: number, event: PmEvent): void {
    const t = this.#inOrder(timeS);
    this.#recorder?.pm?.(t, process, event);
    this.others?.pm?.(t, process, event);
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
