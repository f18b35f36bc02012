/** When samples are due (src/sources/signals/pace.ts). */
import { assertEquals } from "@std/assert";
import { Schedule } from "../../../src/sources/signals/pace.ts";

const PERIOD_NS = 5e6;
const plain = () => 0.5;

Deno.test("Schedule: a sample a period, however long each takes, as long as none is late", () => {
  const schedule = new Schedule(1e9, plain), counts = { missed: 0 };
  const takes = [1e6, 4e6, 0];
  const due = takes.map((ns, i) => schedule.next(1e9 + i * PERIOD_NS + ns, PERIOD_NS, counts));
  assertEquals(due, [1e9 + 5e6, 1e9 + 10e6, 1e9 + 15e6]);
  assertEquals(counts.missed, 0);
});

Deno.test("Schedule: samples whose time has passed are counted, and the next one keeps its distance", () => {
  const schedule = new Schedule(0, plain), counts = { missed: 0 };
  // One was due at 5 ms, the next at 10: the distance from 7 to 10 ms is more than half a period.
  assertEquals(schedule.next(7e6, PERIOD_NS, counts), 10e6);
  assertEquals(counts.missed, 1);
  // Due at 15 ms, and 40 has passed: 15 to 40 are missed, and 45 is next.
  assertEquals(schedule.next(41e6, PERIOD_NS, counts), 45e6);
  assertEquals(counts.missed, 7);
  // Of 20 ms only 1 is left: that sample is left out, too.
  assertEquals(schedule.next(54e6, PERIOD_NS, counts), 60e6);
  assertEquals(counts.missed, 9);
});

Deno.test("Schedule: the dither is a quarter of a period either way, a half of a short one, and does not add up", () => {
  for (const [periodNs, part] of [[PERIOD_NS, 0.25], [1e6, 0.5]]) {
    const values = [0, 1, 0.5, 1];
    const schedule = new Schedule(0, () => values.shift()!), counts = { missed: 0 };
    const due = [1, 2, 3, 4].map(() => schedule.next(0, periodNs, counts) / periodNs);
    assertEquals(due, [1 - part, 2 + part, 3, 4 + part]);
  }
});

Deno.test("Schedule: samples that were slept through count, and the next one is due a period later", () => {
  const schedule = new Schedule(0, plain), counts = { missed: 0, steps: 0, sleptThrough: 0 };
  assertEquals(schedule.next(0, PERIOD_NS, counts), 5e6);
  // Slept until 32 ms: 5 is taken then, 10 to 30 passed.
  schedule.pass(32e6, PERIOD_NS, counts);
  assertEquals(counts, { missed: 0, steps: 5, sleptThrough: 5 });
  assertEquals(schedule.next(32e6, PERIOD_NS, counts), 35e6);
  // Something woke it before the one that was due.
  schedule.pass(33e6, PERIOD_NS, counts);
  assertEquals(counts, { missed: 0, steps: 5, sleptThrough: 5 });
  assertEquals(schedule.next(33e6, PERIOD_NS, counts), 40e6);
});
