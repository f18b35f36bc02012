import { assertAlmostEquals, assertEquals } from "@std/assert";
import { countCommand, PERF_READ, PerfCounter } from "../../../src/os/devices/perf_event.ts";

const CYCLES = { type: 0, config: 0, cpu: 0 };
const PAGE_FAULTS = { type: 1, config: 2, cpu: -1, commands: true };

/** A reading as the kernel gives it: three u64, low half first. */
function reading(count: bigint, enabled: bigint, running: bigint): Uint32Array {
  return new Uint32Array(BigUint64Array.of(count, enabled, running).buffer);
}

Deno.test("PerfCounter.take() adds what grew, exact above 2^53", () => {
  using counter = new PerfCounter(-1, CYCLES);
  assertEquals(counter.take(reading(2n ** 60n, 10n, 10n)), PERF_READ.OK);
  const before = counter.total[0];
  for (let i = 1n; i <= 3n; i++) counter.take(reading(2n ** 60n + i * 4096n, 10n + i, 10n + i));
  assertAlmostEquals(counter.total[0] - before, 3 * 4096);
  assertEquals(counter.share, 1);
});

Deno.test("PerfCounter.take() scales an interval by its own turns, and never goes backwards", () => {
  using counter = new PerfCounter(-1, CYCLES);
  counter.take(reading(1000n, 100n, 100n));
  assertEquals(counter.total[0], 1000);
  // Counted for half of the next 100: 500 counts stand for 1000.
  counter.take(reading(1500n, 200n, 150n));
  assertEquals(counter.total[0], 2000);
  // No turn at all: nothing is known of the interval.
  counter.take(reading(1500n, 300n, 150n));
  assertEquals(counter.total[0], 2000);
  assertEquals(counter.share, 0.5);
  counter.take(reading(1600n, 400n, 250n));
  assertEquals(counter.total[0], 2100);
});

Deno.test("PerfCounter.take() reports what never counted, and what went backwards", () => {
  using counter = new PerfCounter(-1, CYCLES);
  assertEquals(counter.take(reading(0n, 0n, 0n)), PERF_READ.NEVER_COUNTED);
  assertEquals(counter.share, 0);
  counter.take(reading(50n, 10n, 10n));
  assertEquals(counter.take(reading(40n, 20n, 20n)), PERF_READ.BACKWARDS);
  counter.take(reading(45n, 30n, 30n));
  assertEquals(counter.total[0], 55);
});

Deno.test("PerfCounter.take() uses the count of a software event, for any times", () => {
  using counter = new PerfCounter(-1, PAGE_FAULTS);
  assertEquals(counter.take(reading(0n, 0n, 0n)), PERF_READ.NEVER_COUNTED);
  // The kernel notes the time that it ran a moment after the time that it was switched on.
  assertEquals(counter.take(reading(120n, 10n, 0n)), PERF_READ.OK);
  assertEquals(counter.total[0], 120);
  assertEquals(counter.take(reading(320n, 40n, 20n)), PERF_READ.OK);
  assertEquals(counter.total[0], 320);
  assertEquals(counter.share, 1);
});

Deno.test("PerfCounter.take() has 0 for a command that waits to start", () => {
  countCommand(1);
  try {
    using counter = new PerfCounter(-1, { ...CYCLES, commands: true });
    assertEquals(counter.take(reading(0n, 0n, 0n)), PERF_READ.OK);
    assertEquals(counter.total[0], 0);
    assertEquals(counter.share, 1);
    assertEquals(counter.take(reading(0n, 10n, 0n)), PERF_READ.NEVER_COUNTED);
  } finally {
    countCommand(0);
  }
});
