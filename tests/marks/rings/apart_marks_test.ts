import { assertEquals } from "@std/assert";
import { ApartMarks } from "../../../src/marks/rings/apart_marks.ts";
import type { RingCalls } from "../../../src/marks/rings/ring_calls.ts";
import type { RingSpans } from "../../../src/marks/rings/ring_spans.ts";

/** Looks, in ms: when, records since the last one, was there a span; and for how long there is room then. */
function rooms(looks: readonly (readonly [atMs: number, records: number, came: boolean])[]) {
  const spans = { came: false };
  const apart = new ApartMarks(spans as RingSpans, {} as RingCalls);
  let lastNs = -Infinity;
  return looks.map(([atMs, records, came]) => {
    const nowNs = atMs * 1e6, tookNs = nowNs - lastNs;
    lastNs = nowNs;
    spans.came ||= came;
    const roomMs = apart.takeRoomNs(records, tookNs, nowNs) / 1e6;
    assertEquals(spans.came, false);
    return Number(roomMs.toFixed(2));
  });
}

Deno.test("takeRoomNs() leaves three quarters of a ring to a monitor that is late", () => {
  // 400,000 begins and ends a second, of two records each: a ring of 16,384 is full in 20 ms.
  assertEquals(rooms([[0, 0, false], [5, 4000, true], [10, 4000, true], [15, 4000, true]]), [
    ...[Infinity, 5.12, 5.12, 5.12],
  ]);
});

Deno.test("takeRoomNs() after a look that finds nothing, right behind another, is as before", () => {
  assertEquals(rooms([[0, 0, true], [10, 8000, true], [10.1, 0, false], [10.2, 0, false]]), [
    ...[20, 5.12, 5.12, 5.12],
  ]);
});

Deno.test("takeRoomNs() keeps a rate for a program that is kept from its CPU, and makes up for it at once", () => {
  // 16 ms without a mark, then as fast as before: a quarter of the ring is still for what is late.
  const looks = [[0, 0, true], [5, 4000, true], [10, 0, false], [15, 0, false], [
    21,
    0,
    false,
  ]] as const;
  const room = rooms(looks).at(-1)!;
  assertEquals(room, 7.64);
  assertEquals(room * 800 < 16_384 / 2, true);
});

Deno.test("takeRoomNs() forgets a rate by and by, and spans after a second", () => {
  assertEquals(rooms([[0, 0, true], [5, 4000, true], [10, 0, false], [20, 0, false]]), [
    ...[20, 5.12, 5.85, 6.69],
  ]);
  const quiet = Array.from({ length: 12 }, (_, i) => [15 + 10 * i, 0, false] as const);
  assertEquals(rooms([[0, 0, true], [5, 4000, true], ...quiet]).at(-1), 20);
  assertEquals(
    rooms([[0, 0, true], [5, 4000, true], [600, 10, true], [1599, 0, false]]).at(-1),
    6.69,
  );
  assertEquals(
    rooms([[0, 0, true], [5, 4000, true], [600, 10, true], [1601, 0, false]]).at(-1),
    Infinity,
  );
  assertEquals(rooms([[0, 0, true], [5, 1e6, true]]).at(-1), 2, "it never does nothing else");
});
