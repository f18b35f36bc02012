/** Short visits are added up as they are read: of whole threads too, and none is lost. */
import { assertEquals } from "@std/assert";
import { KIND } from "../../../src/core/events/event_kinds.ts";
import { FLAG, TRACK_SHIFT } from "../../../src/core/events/ring_layout.ts";
import { RingThread } from "../../../src/marks/rings/ring_thread.ts";
import { ShortVisits } from "../../../src/marks/rings/short_visits.ts";
import { StampClock } from "../../../src/marks/rings/stamp_clock.ts";

const SHORT_NS = 1e6;

/** A thread with these records; each is 10 ns after the one before. */
function threadWith(records: readonly (readonly [kind: number, value: number, ns?: number])[]) {
  const thread = new RingThread(1, [], new StampClock(0n));
  const all = records.flatMap(([kind, value, ns = NaN], i) => {
    const stamp = Number.isNaN(ns) ? 1000 + 10 * i : ns;
    const record = [stamp, 0, kind | FLAG.nanoseconds << 8, value];
    return kind === KIND.threadBegin ? [...record, 0, 0, 0, 0] : record;
  });
  thread.reserve(all.length / 4).set(new Uint8Array(Uint32Array.from(all).buffer));
  thread.filled(all.length / 4);
  return thread;
}

/** What is left of a thread: kinds and values. */
function rest(thread: RingThread): number[][] {
  const left: number[][] = [];
  for (; thread.nextNs !== Infinity; thread.advance()) left.push([thread.kind, thread.value]);
  return left;
}

const visit = (value: number) => [[KIND.enter, value], [KIND.exit, value]] as [number, number][];
const thread = (tid: number, ...inside: [number, number, number?][]) =>
  [[KIND.threadBegin, tid], ...inside, [KIND.threadEnd, tid]] as [number, number, number?][];

Deno.test("foldShort() takes whole threads that took a ring over, and the last one's end stays", () => {
  const sums = new ShortVisits();
  const ring = threadWith([
    ...visit(5),
    [KIND.threadEnd, 1],
    ...thread(2, ...visit(5), ...visit(6)),
    ...thread(3),
    ...thread(4, ...visit(5)),
  ]);
  assertEquals(ring.foldShort(SHORT_NS, sums), 4);
  assertEquals([...sums.regions].map(([region, { visits, ns }]) => [region, visits, ns]), [
    [5, 3, 30],
    [6, 1, 10],
  ]);
  assertEquals([ring.tid, ...rest(ring)], [1, [KIND.threadEnd, 4]]);
});

Deno.test("foldShort() leaves a thread that is not here whole, or has more than short visits", () => {
  const begun: [number, number][] = [[KIND.threadEnd, 1], [KIND.threadBegin, 2], ...visit(5)];
  const others: [number, number, number?][][] = [
    begun,
    [[KIND.threadEnd, 1], ...thread(2, [KIND.epoch, 0])],
    [[KIND.threadEnd, 1], ...thread(2, [KIND.enter, 5, 2000], [KIND.exit, 5, 2000 + 2 * SHORT_NS])],
    [[KIND.threadEnd, 1], ...thread(2, [KIND.enter, 5], [KIND.exit, 6])],
  ];
  for (const records of others) {
    const ring = threadWith(records);
    assertEquals(ring.foldShort(SHORT_NS, new ShortVisits()), 0);
    assertEquals(rest(ring), records.map(([kind, value]) => [kind, value]));
  }
});

Deno.test("foldShort() adds up nested visits by path, with the time in each itself", () => {
  const sums = new ShortVisits();
  const made = new Map([["0 5", 1], ["1 6", 2], ["2 6", 3]]);
  sums.of({ within: (parent, value) => made.get(`${parent} ${value}`)! });
  const ring = threadWith([
    [KIND.enter, 5, 100],
    [KIND.enter, 6, 110],
    [KIND.enter, 6, 120],
    [KIND.exit, 6, 150],
    [KIND.exit, 6, 180],
    [KIND.enter, 6, 190],
    [KIND.exit, 6, 200],
    [KIND.exit, 5, 300],
  ]);
  assertEquals(ring.foldShort(SHORT_NS, sums), 1);
  const nothing = { count: 0, sumNs: 0, sumSquareNs2: 0, minNs: Infinity, maxNs: -Infinity };
  assertEquals(Object.fromEntries(sums.paths), {
    1: { ...nothing, selfNs: -80 },
    2: { count: 2, sumNs: 80, sumSquareNs2: 5000, minNs: 10, maxNs: 70, selfNs: 50 },
    3: { count: 1, sumNs: 30, sumSquareNs2: 900, minNs: 30, maxNs: 30, selfNs: 30 },
  });
});

Deno.test("foldShort() keeps outermost visits of each track apart", () => {
  const sums = new ShortVisits(), other = 5 | 2 << TRACK_SHIFT;
  const made = new Map([[`0 ${other}`, 1], ["1 6", 2]]);
  sums.of({ within: (parent, value) => made.get(`${parent} ${value}`)! });
  const ring = threadWith([
    ...visit(5),
    ...visit(other),
    [KIND.enter, other],
    ...visit(6),
    [KIND.exit, other],
  ]);
  assertEquals(ring.foldShort(SHORT_NS, sums), 3);
  assertEquals([...sums.regions].map(([value, { visits, ns }]) => [value, visits, ns]), [
    [5, 1, 10],
    [other, 2, 40],
  ]);
  assertEquals([...sums.paths.keys()], [2, 1]);
});
