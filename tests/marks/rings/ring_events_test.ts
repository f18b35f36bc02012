/** Kinds of events in rings: what the table has, the reader takes. */
import { assertEquals } from "@std/assert";
import { EVENT_KINDS } from "../../../src/core/events/event_kinds.ts";

const SOURCE = new URL("../../../src/marks/rings/ring_events.ts", import.meta.url);

Deno.test("RingEvents has a case for each kind that a ring has", () => {
  const text = Deno.readTextFileSync(SOURCE);
  // RingThread takes pairs of clocks itself.
  const kinds = EVENT_KINDS.filter(({ name, ring }) => ring !== undefined && name !== "clock");
  const left = kinds.filter(({ name }) => !text.includes(`case KIND.${name}:`));
  assertEquals(left.map(({ name }) => name), []);
});
