import { assertEquals } from "@std/assert";
import { Counters, STEP } from "../../../src/core/machine/counter.ts";

/** Feeds readings one second apart; gives the counts and the verdicts. */
function feed(counters: Counters, readings: readonly number[], stepS = 1) {
  return readings.map((raw, i) => [counters.update(0, 0, raw, i * stepS), counters.step]);
}

Deno.test("Counters unwraps 32 bits and starts at the raw value", () => {
  const c = new Counters(1, { range: 2 ** 32 });
  assertEquals(feed(c, [0xfffffff0, 0x10, 0x20]), [
    [0xfffffff0, STEP.FIRST],
    [0x100000010, STEP.WRAPPED],
    [0x100000020, STEP.FORWARD],
  ]);
});

Deno.test("Counters takes a step back by less than a wrap for a reset and adds nothing", () => {
  const c = new Counters(1, { range: 2 ** 32 });
  assertEquals(feed(c, [1000, 1500, 1400, 1450]), [
    [1000, STEP.FIRST],
    [1500, STEP.FORWARD],
    [1500, STEP.RESET],
    [1550, STEP.FORWARD],
  ]);
});

Deno.test("Counters distinguishes a glitch from a reset by the reading after it", () => {
  const c = new Counters(1, { range: 2 ** 32 });
  assertEquals(feed(c, [1_000_000, 5, 1_000_100]).at(-1), [1_000_100, STEP.FORWARD]);
  const same = new Counters(1, { range: 2 ** 32 });
  assertEquals(feed(same, [1_000_000, 5, 1_000_000, 1_000_001]).at(-1)![0], 1_000_001);
});

Deno.test("Counters judges by the fastest growth possible where it is known", () => {
  const kind = { range: 2 ** 32, maxPerSecond: 1e6 };
  // Half of the range in a second is no wrap at 10^6 counts a second, whatever the distance.
  assertEquals(feed(new Counters(1, kind), [3_000_000_000, 100])[1], [3_000_000_000, STEP.RESET]);
  assertEquals(feed(new Counters(1, kind), [2 ** 32 - 10, 5])[1], [2 ** 32 + 5, STEP.WRAPPED]);
  assertEquals(feed(new Counters(1, kind), [0, 9e6, 9e6 + 5]), [
    [0, STEP.FIRST],
    [0, STEP.LEAP],
    [5, STEP.FORWARD],
  ]);
});

Deno.test("Counters without a range never wraps", () => {
  const c = new Counters(1, { range: Infinity });
  assertEquals(feed(c, [100, 90, 95]), [[100, STEP.FIRST], [100, STEP.RESET], [105, STEP.FORWARD]]);
});

Deno.test("Counters reports once that a counter is frozen, and again after it moved", () => {
  const c = new Counters(1, { range: 2 ** 32, stallAfterS: 2 });
  const steps = feed(c, [5, 5, 5, 5, 5, 6, 6, 6, 6, 6]).map(([, step]) => step);
  assertEquals(steps.filter((s) => s === STEP.STALLED).length, 2);
});

Deno.test("Counters adds nothing over a reported restart, up or down", () => {
  const c = new Counters(1, { range: Infinity });
  c.update(0, 0, 5000, 0);
  c.update(0, 0, 5100, 1);
  c.restart(0);
  assertEquals(c.update(0, 0, 900_000, 2), 5100);
  assertEquals(c.update(0, 0, 900_010, 3), 5110);
});

Deno.test("Counters keeps differences of 64-bit values exact, step after step", () => {
  const c = new Counters(1, { range: Infinity, base: 2 ** 32 });
  // 2^53 counts and more: adding 3 to such a double would change nothing.
  const first = c.update(0, 0x7fffffff, 0xfffffff0, 0);
  let last = first;
  for (let i = 1; i <= 4096; i++) {
    const low = 0xfffffff0 + 3 * i;
    last = c.update(0, 0x7fffffff + Math.floor(low / 2 ** 32), low % 2 ** 32, i);
  }
  assertEquals(last - first, 3 * 4096);
});

Deno.test("Counters is right modulo 2^W for any growth below half the range", () => {
  // A small generator, seeded: the property holds for every walk.
  let seed = 20240229;
  const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
  for (const width of [32, 40, 48]) {
    const range = 2 ** width;
    const c = new Counters(1, { range });
    let truth = Math.floor(random() * range);
    const start = c.update(0, 0, truth, 0);
    assertEquals(start, truth);
    for (let i = 1; i < 200; i++) {
      truth += Math.floor(random() * (range / 2));
      const raw = truth % range;
      const high = Math.floor(raw / 2 ** 32);
      assertEquals(
        c.update(0, high, raw - high * 2 ** 32, i),
        truth,
        `seed ${seed}, width ${width}`,
      );
    }
  }
});

Deno.test("Counters of an energy shows what is not known: NaN in doubt, then a count back", () => {
  const kind = { range: 2 ** 32, showsGaps: true };
  assertEquals(feed(new Counters(1, kind), [1000, 1500, 1400, 1450, 1475]), [
    [1000, STEP.FIRST],
    [1500, STEP.FORWARD],
    [NaN, STEP.RESET],
    [1499, STEP.RESTARTED],
    [1524, STEP.FORWARD],
  ]);
  // A glitch is bridged.
  assertEquals(feed(new Counters(1, kind), [1_000_000, 5, 1_000_100]), [
    [1_000_000, STEP.FIRST],
    [NaN, STEP.RESET],
    [1_000_100, STEP.FORWARD],
  ]);
  const seen = feed(new Counters(1, kind), [1000, 1010, 3, 3, 4, 1020, 1030], 0.01);
  assertEquals(seen.map(([total]) => total), [1000, 1010, NaN, NaN, NaN, 1020, 1030]);
  const bound = { ...kind, maxPerSecond: 1e6 };
  assertEquals(feed(new Counters(1, bound), [0, 9e6, 9e6 + 5]), [
    [0, STEP.FIRST],
    [NaN, STEP.LEAP],
    [-1, STEP.RESTARTED],
  ]);
  const frozen = feed(
    new Counters(1, { ...kind, stallAfterS: 2 }),
    [5, 5, 5, 5, 5, 9, 9, 9, 9, 9, 20, 21],
  );
  assertEquals(frozen.filter(([, step]) => step === STEP.STALLED).length, 2);
  assertEquals(frozen.map(([total]) => total), [5, 5, 5, NaN, NaN, 4, 4, 4, NaN, NaN, 3, 4]);
  const told = new Counters(1, kind);
  told.update(0, 0, 5100, 1);
  told.restart(0);
  assertEquals(told.update(0, 0, 900_000, 2), 5099);
  assertEquals(told.update(0, 0, 900_010, 3), 5109);
});

Deno.test("Counters judges growth by the time since the last change, not the last look", () => {
  const rare = [0, ...Array.from({ length: 8 }, () => 0), 9e6];
  const kind = { range: 2 ** 32, maxPerSecond: 1e6 };
  assertEquals(feed(new Counters(1, kind), rare).at(-1), [9e6, STEP.FORWARD]);
});
