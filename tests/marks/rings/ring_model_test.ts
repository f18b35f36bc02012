/** The ring protocol in every interleaving: what is true of it, and that seeded mistakes are found. */
import { assert, assertEquals } from "@std/assert";
import {
  FLAG,
  HEADER,
  RECORD_BYTES,
  RING_MAGIC,
  RING_VERSION,
  THREAD,
} from "../../../src/core/events/ring_layout.ts";
import { KIND } from "../../../src/core/events/event_kinds.ts";
import { RingProcess } from "../../../src/marks/rings/ring_process.ts";
import { explorePaths, PATH_MISTAKES } from "./model/paths.ts";
import { exploreRing, RING_MISTAKES, type RingMistake, type RingScene } from "./model/ring.ts";

const ONE_EACH: RingScene = { visits: [1, 1], tids: [1, 2] };
const SAME_NUMBER: RingScene = { visits: [1, 1], tids: [7, 7] };
const TWO_AND_ONE: RingScene = { visits: [2, 1], tids: [1, 2] };

for (const scene of [ONE_EACH, SAME_NUMBER, TWO_AND_ONE, { ...ONE_EACH, neverFrees: true }]) {
  Deno.test(`every visit is emitted once or folded once: ${JSON.stringify(scene)}`, () => {
    const { states, wrong, steps } = exploreRing(scene);
    assertEquals(wrong, undefined, steps.slice(-60).join("\n"));
    console.log(`${states} states`);
    assert(states > 10_000);
  });
}

/** Where a mistake shows that the smallest scene does not have. */
const SCENES: { [mistake in RingMistake]?: RingScene } = {
  "visits before their time": TWO_AND_ONE,
  "end believed at once": SAME_NUMBER,
  "heir's entry not looked at": SAME_NUMBER,
};

for (const mistake of RING_MISTAKES) {
  Deno.test(`the model finds a seeded mistake: ${mistake}`, () => {
    const { wrong, steps } = exploreRing(SCENES[mistake] ?? ONE_EACH, mistake);
    assert(wrong !== undefined && steps.length > 0);
  });
}

Deno.test("a visit that is folded by path is emitted with its time, and the time around it", () => {
  const { states, wrong, steps } = explorePaths();
  assertEquals(wrong, undefined, steps.slice(-60).join("\n"));
  console.log(`${states} states`);
  assert(states > 10_000);
});

for (const mistake of PATH_MISTAKES) {
  Deno.test(`the model of paths finds a seeded mistake: ${mistake}`, () => {
    const { wrong, steps } = explorePaths(mistake);
    assert(wrong !== undefined && steps.length > 0);
  });
}

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
