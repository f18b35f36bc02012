import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { PeakPower } from "../../../src/energy/totals/peak_power.ts";

/** Samples every 5 ms of a counter that is brought up to date every so many seconds. */
function peak(watts: (t: number) => number, updateS: number, whole = false): number | undefined {
  const power = new PeakPower(["package", "package", "node"]);
  let joules = 0, shown = 0, at = 0;
  for (let k = 0; k < 2000; k++) {
    const t = k * 0.005;
    joules += watts(t) * 0.005;
    if (t >= at) [shown, at] = [whole ? Math.floor(joules) : joules, at + updateS];
    power.sample(t, Float64Array.of(shown / 2, shown / 2, NaN));
  }
  assertEquals(power.watts.has("node"), false);
  return power.watts.get("package");
}

Deno.test("PeakPower is the greatest mean over a second, wherever it lies", () => {
  assertAlmostEquals(peak(() => 200, 0.001)!, 200, 1e-9);
  assertAlmostEquals(peak((t) => t > 8.8 ? 400 : 100, 0.001)!, 400, 1);
  assertAlmostEquals(peak((t) => t > 4 && t < 4.5 ? 500 : 100, 0.001)!, 300, 3);
});

Deno.test("PeakPower takes no step of a slow counter for power", () => {
  const found = peak(() => 200, 0.1, true)!;
  assert(found >= 199 && found < 203, String(found));
});

Deno.test("PeakPower is none of a short run, and no counter that begins again is power", () => {
  const power = new PeakPower(["package"]);
  for (let k = 0; k < 100; k++) power.sample(k * 0.005, Float64Array.of(k));
  assertEquals(power.watts.size, 0);
  for (let k = 0; k < 1000; k++) {
    power.sample(1 + k * 0.005, Float64Array.of(k < 500 ? 1e9 + k : k));
  }
  assertAlmostEquals(power.watts.get("package")!, 200, 3);
});
