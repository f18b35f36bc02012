/** Changes of a counter: windows, update periods, stamps, and everything that may be wrong. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import {
  CHANGE,
  type ChangeOptions,
  CounterChanges,
} from "../../../../src/energy/edges/intervals/counter_changes.ts";

/** Steps of 5 ms; `reading` gives the value at a step. */
function follow(
  options: ChangeOptions,
  steps: number,
  reading: (t: number, k: number) => number,
  stamp: (t: number) => number = () => NaN,
) {
  const changes = new CounterChanges(options);
  const seen: { what: number; t: number; a: number; v: number }[] = [];
  const take = () => {
    for (let what = changes.next(); what !== CHANGE.NONE; what = changes.next()) {
      seen.push({ what, t: changes.timeS, a: changes.windowS, v: changes.valueJ });
    }
  };
  for (let k = 0; k < steps; k++) {
    const t = k * 0.005;
    changes.observe(t, reading(t, k), stamp(t));
    take();
  }
  changes.settle();
  take();
  return { changes, seen };
}

Deno.test("observe() gives windows of the update period where it is shorter than a step", () => {
  const { changes, seen } = follow({ updatePeriodS: 0.001 }, 200, (t) => 100 * t);
  // The first reading begins: steps are no shorter than the period, so it is as good as a change.
  assertEquals(seen.length, 200);
  assertEquals(seen[0].what, CHANGE.BREAK);
  assert(seen.slice(1).every(({ what }) => what === CHANGE.SEEN));
  assertEquals(changes.updatePeriodS, 0.001);
  assertAlmostEquals(seen.at(-1)!.a, 0.001, 1e-12);
  assertAlmostEquals(changes.totalJ, 100 * 199 * 0.005, 1e-9);
});

Deno.test("next() keeps the first changes until the period is known, and loses none", () => {
  const { seen } = follow({ updatePeriodS: 0.001 }, 200, (t) => 100 * t);
  // Windows of the first ones are those of the later ones.
  assert(seen.every(({ a }) => Math.abs(a - 0.001) < 1e-12));
  const slow = follow({}, 300, (t) => Math.floor(t / 0.1 + 1e-9));
  assertEquals(slow.seen.length, 14);
  assertAlmostEquals(slow.changes.updatePeriodS, 0.1, 1e-9);
  const stamped = follow(
    { stamped: true },
    1000,
    (t) => Math.floor(t / 0.1),
    (t) => 1e9 + Math.floor(t / 0.1) * 0.1,
  );
  assert(stamped.seen.every(({ a }) => a === 0));
});

Deno.test("observe() finds the update period of a slow counter, whatever was told", () => {
  for (const updatePeriodS of [undefined, 0.001]) {
    // By no whole number of joules: that may also be a unit which the energy fills (below).
    const reading = (t: number) => {
      const updates = Math.floor(t / 0.1 + 1e-9);
      return updates + Math.sin(updates) / 20;
    };
    const { changes, seen } = follow({ updatePeriodS }, 1000, reading);
    assertEquals(seen.length, 49);
    assertAlmostEquals(changes.updatePeriodS, 0.1, 1e-9);
    assertAlmostEquals(seen.at(-1)!.a, 0.005, 1e-9);
  }
});

Deno.test("observe() moves stamps to the clock of the steps", () => {
  const lateS = 0.0013;
  const stamp = (t: number) => 1.7e9 + Math.floor((t - lateS) / 0.1) * 0.1;
  const reading = (t: number) => Math.floor((t - lateS) / 0.1);
  const { seen } = follow({ updatePeriodS: 0.1, stamped: true }, 4000, reading, stamp);
  const late = seen.slice(40);
  assert(late.every(({ a }) => a === 0));
  for (let k = 1; k < late.length; k++) assertAlmostEquals(late[k].t - late[k - 1].t, 0.1, 1e-6);
});

Deno.test("observe() survives stamps of a clock that is set", () => {
  const stamp = (t: number) => Math.floor(t / 0.1) * 0.1 + (t < 10 ? 1e9 : 5e8);
  const reading = (t: number) => Math.floor(t / 0.1);
  const { seen } = follow({ updatePeriodS: 0.1, stamped: true }, 4000, reading, stamp);
  for (let k = 1; k < seen.length; k++) {
    assert(Number.isFinite(seen[k].t) && seen[k].t > seen[k - 1].t, String(k));
    assert(seen[k].t < 20);
  }
});

Deno.test("observe() begins anew after NaN, a fall, a leap and a stall, and keeps the total sane", () => {
  const reading = (t: number, k: number) => {
    if (k === 100) return NaN;
    if (k >= 200 && k < 300) return 100 * t - 15; // restarted
    if (k >= 300 && k < 310) return 1e9 + 100 * t; // leapt
    return 100 * t;
  };
  const { changes, seen } = follow({ updatePeriodS: 0.001 }, 500, reading);
  assertEquals(seen.filter(({ what }) => what === CHANGE.BREAK).length, changes.breaks);
  assertEquals(changes.breaks, 5);
  assert(changes.totalJ > 0 && changes.totalJ <= 100 * 2.5 + 16, String(changes.totalJ));

  const stalled = (t: number) => t > 3 && t < 8 ? 300 : 100 * t;
  assertEquals(follow({ updatePeriodS: 0.001 }, 2000, stalled).changes.breaks, 2);
});

Deno.test("observe() ignores steps whose time does not go on", () => {
  const changes = new CounterChanges();
  changes.observe(1, 10);
  changes.observe(1, 20);
  changes.observe(0.5, 30);
  changes.settle();
  assertEquals(changes.next(), CHANGE.NONE);
  changes.observe(1.1, 40);
  changes.settle();
  assertEquals(changes.next(), CHANGE.BREAK);
  assertEquals(changes.next(), CHANGE.SEEN);
  assertEquals(changes.next(), CHANGE.NONE);
  assertEquals(changes.totalJ, 30);
});

Deno.test("a counter that moves by large units has boundaries at a pace, not where a unit was full", () => {
  // 100 W and 300 W in turn, whole joules, updated each millisecond.
  const joules = (t: number) => 100 * t + 200 * (Math.floor(t) + Math.min(1, 2 * (t % 1))) / 2;
  const { changes, seen } = follow({ updatePeriodS: 0.001 }, 4000, (t) => Math.floor(joules(t)));
  assertEquals(changes.updatePeriodS, 0.001);
  assertEquals(changes.totalJ, Math.floor(joules(3999 * 0.005)));
  assert(seen.every(({ a }) => a <= 0.001 + 1e-12));
  const late = seen.slice(20);
  const gaps = late.slice(1).map(({ t }, k) => t - late[k].t);
  assert(
    Math.max(...gaps) - Math.min(...gaps) <= 0.005 + 1e-9,
    `${Math.min(...gaps)} ${Math.max(...gaps)}`,
  );
  for (const { t, v } of late) assert(Math.abs(v - joules(t)) <= 1, `${t}: ${v}`);
});
