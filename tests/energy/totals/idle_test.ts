import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { busySeconds, cpuShare } from "../../../src/energy/totals/cpu_share.ts";
import { IdleMeter, netEnergy } from "../../../src/energy/totals/idle.ts";

Deno.test("IdleMeter counts from the first change to the last", () => {
  const meter = new IdleMeter();
  // 10 Hz in whole joules at 90 W, looked at every 7 ms.
  for (let t = 0.033; t < 2; t += 0.007) meter.add(t, 100 + 9 * Math.floor(t * 10));
  assertAlmostEquals(meter.powerW, 90, 1);
  assertEquals(meter.changes, 19);
});

Deno.test("IdleMeter has no power where the counter stands, is missing, or has just fallen", () => {
  const still = new IdleMeter();
  for (const t of [0, 1, 2, 3]) still.add(t, 5);
  assertEquals(still.powerW, NaN);
  const missing = new IdleMeter();
  for (const t of [0, 1, 2, 3]) missing.add(t, NaN);
  assertEquals(missing.powerW, NaN);
  const fell = new IdleMeter();
  [10, 20, 30, 40, 1, 2].forEach((joules, t) => fell.add(t, joules));
  assertEquals(fell.powerW, NaN);
  [4, 7, 10].forEach((joules, t) => fell.add(6 + t, joules));
  assertAlmostEquals(fell.powerW, (10 - 2) / 3, 1e-12);
});

Deno.test("netEnergy() is gross less idle, below 0 too, and nothing where a figure is missing", () => {
  assertEquals(netEnergy(1000, 90, 10), { grossJ: 1000, idleJ: 900, netJ: 100 });
  assertEquals(netEnergy(800, 90, 10)!.netJ, -100);
  assertEquals(netEnergy(NaN, 90, 10), undefined);
  assertEquals(netEnergy(1000, NaN, 10), undefined);
});

Deno.test("cpuShare() goes by busy time, else by CPUs, and only below the whole node", () => {
  const all = [0, 1, 2, 3];
  assertEquals(cpuShare(new Set([0, 1]), all, [3, 2, 4, 1]), { share: 0.5, by: "busy time" });
  assertEquals(cpuShare(new Set([0]), all, [9, 0, 0, 3]), { share: 0.75, by: "busy time" });
  assertEquals(cpuShare(new Set([0]), all, undefined), { share: 0.25, by: "CPUs" });
  assertEquals(cpuShare(new Set([0]), all, [0.1, 0, 0, 0]), { share: 0.25, by: "CPUs" });
  // A CPU that went offline has no busy time.
  assertEquals(cpuShare(new Set([0]), all, [9, 1, 1]), { share: 0.25, by: "CPUs" });
  assertEquals(cpuShare(new Set(all), all, [1, 1, 1, 1]), undefined);
  assertEquals(cpuShare(new Set([7]), all, [1, 1, 1, 1]), undefined);
});

Deno.test("busySeconds() leaves out idle, iowait, steal and guests", () => {
  const stat =
    "cpu  9 9 9 9\ncpu0 100 20 30 999 50 5 45 7 60 0\ncpu2 1 1 1 4 0 1 1 0 0 0\nintr 1\n";
  const busy = busySeconds(stat);
  assertEquals(busy.length, 3);
  assertAlmostEquals(busy[0], 2, 1e-12);
  assert(!(1 in busy));
  assertAlmostEquals(busy[2], 0.05, 1e-12);
});
