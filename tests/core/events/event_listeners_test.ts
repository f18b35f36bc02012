import { assertEquals } from "@std/assert";
import { type EventReceiver, EventRecord } from "../../../src/core/events/event.ts";
import { KIND } from "../../../src/core/events/event_kinds.ts";
import { eventListeners } from "../../../src/core/events/event_listeners.ts";

/** A receiver that notes what it gets, and answers 7. */
class Listener implements EventReceiver {
  readonly #name: string;
  readonly #heard: string[];

  constructor(name: string, heard: string[]) {
    this.#name = name;
    this.#heard = heard;
  }

  receive({ kind, timeS, process }: EventRecord): number {
    return this.#heard.push(`${this.#name} ${kind} ${timeS} ${process}`) && 7;
  }
}

Deno.test("eventListeners() of none or one is that one itself", () => {
  const one = new Listener("a", []);
  assertEquals(eventListeners([]), undefined);
  assertEquals(eventListeners([undefined, undefined]), undefined);
  assertEquals(eventListeners([undefined, one]) === one, true);
});

Deno.test("eventListeners() passes each event to all, in their order", () => {
  const heard: string[] = [];
  const both = eventListeners([new Listener("a", heard), undefined, new Listener("b", heard)])!;
  const event = new EventRecord();
  both.receive(event.as(KIND.enter, 1, 2, 0));
  both.receive(event.as(KIND.exit, 4, 5, 0));
  assertEquals(heard, ["a 2 1 2", "b 2 1 2", "a 3 4 5", "b 3 4 5"]);
});

Deno.test("eventListeners() of several answers no handle", () => {
  const both = eventListeners([new Listener("a", []), new Listener("b", [])])!;
  assertEquals(both.receive(new EventRecord().as(KIND.start, 0, -1, 0)), -1);
});
