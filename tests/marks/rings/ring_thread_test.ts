/** Records of a ring belong to the thread that wrote them, whoever has the ring when they are read. */
import { assert, assertEquals } from "@std/assert";
import { KIND } from "../../../src/core/events/event_kinds.ts";
import {
  FLAG,
  HEADER,
  RECORD_BYTES,
  RING_MAGIC,
  RING_VERSION,
  THREAD,
} from "../../../src/core/events/ring_layout.ts";
import { RingProcess } from "../../../src/marks/rings/ring_process.ts";
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

Deno.test("a thread that takes an entry over is read, when the look before saw only its number", () => {
  const [threadsAt, ringAt, records] = [4096, 8192, 16];
  const bytes = new Uint8Array(ringAt + records * RECORD_BYTES);
  const view = new DataView(bytes.buffer);
  const long = (at: number, value: number) => view.setBigUint64(at, BigInt(value), true);
  bytes.set(new TextEncoder().encode(RING_MAGIC));
  bytes[7] = RING_VERSION;
  view.setUint32(HEADER.threads, 1, true);
  long(HEADER.threadChunks, threadsAt);
  long(threadsAt + THREAD.ringOffset, ringAt);
  view.setUint32(threadsAt + THREAD.ringRecords, records, true);
  view.setUint32(threadsAt + THREAD.tid, 7, true);
  let head = 0;
  const put = (kind: number, value: number) => {
    const at = ringAt + head++ * RECORD_BYTES;
    long(at, 2000 + head);
    bytes.set([kind, FLAG.nanoseconds], at + 8);
    view.setUint32(at + 12, value, true);
    long(threadsAt + THREAD.head, head);
  };
  const process = RingProcess.open({
    read(offset, into) {
      const part = bytes.subarray(offset, offset + into.length);
      into.set(part);
      return part.length;
    },
    write: (offset, some) => bytes.set(some, offset),
    [Symbol.dispose]() {},
  }, 0n);
  assert(process instanceof RingProcess);
  const take = () => {
    const [thread] = process.threads;
    for (; thread.nextNs !== Infinity; thread.advance()) {
      if (thread.kind === KIND.threadEnd) thread.ended = true;
    }
  };
  put(KIND.threadEnd, 7);
  // Its heir has the same number; the kernel gives numbers out again. Its first record is not there yet.
  view.setUint32(threadsAt + THREAD.state, 1, true);
  view.setUint32(HEADER.takeovers, 1, true);
  assertEquals(process.poll(), 1);
  take();
  assertEquals(process.poll(), 0);
  put(KIND.threadBegin, 7);
  put(0, 0);
  put(KIND.enter, 0);
  put(KIND.exit, 0);
  assertEquals(process.poll(), 4);
});
