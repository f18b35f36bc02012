import { assertEquals } from "@std/assert";
import type { EventSink } from "../../src/core/event.ts";
import { eventListeners } from "../../src/core/event_listeners.ts";

/** A listener that hears these events and notes what it hears. */
function listener(name: string, heard: string[], ...events: string[]): EventSink {
  const made: Record<string, unknown> = { mark: name };
  for (const event of events) {
    made[event] = function (this: { mark: string }, ...args: unknown[]) {
      heard.push(`${this.mark} ${event} ${args.slice(0, 2).join(" ")}`);
      return 7;
    };
  }
  return made as unknown as EventSink;
}

Deno.test("eventListeners() of none or one is that one itself", () => {
  const one = listener("a", [], "enter");
  assertEquals(eventListeners([]), undefined);
  assertEquals(eventListeners([undefined, undefined]), undefined);
  assertEquals(eventListeners([undefined, one]) === one, true);
});

Deno.test("eventListeners() tells everybody in order, each as a method of its own", () => {
  const heard: string[] = [];
  const both = eventListeners([
    listener("a", heard, "enter", "exit"),
    undefined,
    listener("b", heard, "enter", "attribute"),
  ])!;
  both.enter!(1, 2, 3, 0, 0);
  both.exit!(4, 5, 6, 0);
  both.attribute!(7, 8, 0, { kind: "end", name: "x", type: 0, properties: 0, value: "" });
  assertEquals(heard, [
    ...["a enter 1 2", "b enter 1 2", "a exit 4 5", "b attribute 7 8"],
  ]);
});

Deno.test("eventListeners() has no method for what nobody hears, so that nobody prepares it", () => {
  const both = eventListeners([listener("a", [], "enter"), listener("b", [], "at")])!;
  assertEquals(typeof both.enter, "function");
  assertEquals(typeof both.at, "function");
  assertEquals(
    [both.attribute, both.pm, both.exit],
    [undefined, undefined, undefined] as unknown[],
  );
});

Deno.test("handles that listeners answer with are nobody's", () => {
  const both = eventListeners([listener("a", [], "start"), listener("b", [], "start")])!;
  assertEquals(both.start!(0, 1, []), -1);
});
