/** Records of a ring belong to the thread that wrote them, whoever has the ring when they are read. */
import { assertEquals } from "@std/assert";
import { KIND } from "../../../src/core/events/event_kinds.ts";
import { FLAG } from "../../../src/core/events/ring_layout.ts";
import { RingThread } from "../../../src/marks/rings/ring_thread.ts";
import { StampClock } from "../../../src/marks/rings/stamp_clock.ts";

/** The ID of the first thread of a ring that thread 9 has when these records are read first. */
function firstThread(...records: [kind: number, value: number, ...payload: number[]][]): number {
  const thread = new RingThread(9, [], new StampClock(0n));
  const words = records.flatMap(([kind, value, ...payload], i) => {
    return [1000 + i, 0, kind | FLAG.nanoseconds << 8, value, ...payload];
  });
  thread.reserve(words.length / 4).set(new Uint8Array(Uint32Array.from(words).buffer));
  thread.filled(words.length / 4);
  return thread.tid;
}

Deno.test("the first records of a ring are those of the thread whose end comes first", () => {
  const visit: [number, number][] = [[KIND.enter, 1], [KIND.exit, 1]];
  const begin: [number, number, ...number[]] = [KIND.threadBegin, 8, 0, 0, 0, 0];
  assertEquals(firstThread(...visit), 9);
  assertEquals(firstThread(...visit, [KIND.threadEnd, 7]), 7);
  assertEquals(firstThread(...visit, [KIND.threadEnd, 7], begin, [KIND.threadEnd, 8]), 7);
  // A ring without room for the end of its first thread.
  assertEquals(firstThread(...visit, begin, [KIND.threadEnd, 8]), 9);
  // A payload that looks like an end.
  const overhead: [number, number, ...number[]] = [KIND.overhead, 0, 0, 0, KIND.threadEnd, 6];
  assertEquals(firstThread(overhead, ...visit, [KIND.threadEnd, 7]), 7);
});
