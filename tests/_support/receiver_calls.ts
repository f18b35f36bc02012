/** Calls for tests of what receives events and gives no handles. */
import { EventCalls } from "../../src/core/events/event_calls.ts";
import type { EventReceiver, EventRecord } from "../../src/core/events/event.ts";

/** Hands each call to a receiver. */
export class ReceiverCalls extends EventCalls {
  readonly #receiver: EventReceiver;
  #cpu = -1;

  constructor(receiver: EventReceiver) {
    super();
    this.#receiver = receiver;
  }

  /** The CPU on which the next event happens. */
  at(cpu: number): void {
    this.#cpu = cpu;
  }

  receive(event: EventRecord): number {
    event.cpu = this.#cpu;
    this.#cpu = -1;
    return this.#receiver.receive(event);
  }

  track(): number {
    return 0;
  }

  regionPath(): number {
    return 0;
  }
}
