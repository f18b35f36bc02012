/**
 * Records of rings that carry values: attributes, and calls of pm_mpi_lib.
 * @module
 */
import type { EventRecord } from "../../core/events/event.ts";
import { KIND, type MarkKind } from "../../core/events/event_kinds.ts";
import { PM, PM_LOG_NAME, PROPERTY } from "../../core/events/ring_layout.ts";
import { DEPTH_MAX, openOn, type Source } from "./marks.ts";
import { keepValue, valueOf } from "./ring_values.ts";

/** Puts them into the event that is emitted. */
export class RingCalls {
  readonly #event: EventRecord;
  /** The log that the next call of pm_mpi_lib opens. */
  #logPath: string | undefined;
  #logLinked = false;

  constructor(event: EventRecord) {
    this.#event = event;
  }

  /** An attribute, and keeps what is open. @returns False if it is none to be emitted. */
  attribute(source: Source, id: number, kind: MarkKind): boolean {
    const { thread, ring } = source;
    const event = this.#event, isEnd = kind === KIND.attributeEnd;
    event.kind = kind;
    event.name = ring.names[thread.value].name;
    event.type = isEnd ? 0 : thread.extraLow;
    event.properties = isEnd ? 0 : thread.extraHigh;
    event.value = isEnd ? "" : valueOf(event.type, thread.payloadLow, thread.payloadHigh, ring);
    if (event.name === PM_LOG_NAME) {
      this.#logPath = String(event.value);
      this.#logLinked = (event.properties & PM.linked) !== 0;
      return false;
    }
    if ((event.properties & PROPERTY.ofSnapshot) !== 0) return true;
    keepValue(openOn(source, id).attributes ??= new Map(), event, DEPTH_MAX);
    return true;
  }

  pm({ thread, follower }: Source, kind: MarkKind): void {
    const call = this.#event.pm;
    if (kind === KIND.pmOpen) call.version = thread.value;
    else if (kind === KIND.pmRecord) {
      call.step = thread.payloadLow | 0;
      call.substep = thread.payloadHigh | 0;
      call.sync = (thread.extraLow & PM.sync) !== 0;
      call.initial = (thread.extraLow & PM.initial) !== 0;
      call.after = (thread.extraLow & PM.after) !== 0;
    }
    call.rank = follower.rank === undefined ? undefined : Number(follower.rank);
    call.path = this.#logPath;
    call.linked = this.#logLinked;
    this.#logPath = undefined;
  }
}
