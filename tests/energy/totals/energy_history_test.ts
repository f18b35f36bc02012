import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { EnergyHistory } from "../../../src/energy/totals/energy_history.ts";

Deno.test("an energy history knows any moment of a long run, recent ones exactly", () => {
  const history = new EnergyHistory(2), valuesJ = new Float64Array(2);
  // An hour at 200 samples a second; the second counter fails once.
  for (let i = 0; i <= 720_000; i++) {
    const timeS = i * 0.005;
    valuesJ[0] = 100 * timeS;
    valuesJ[1] = i === 1000 ? NaN : 20 * timeS;
    history.sample(timeS, valuesJ);
  }
  assertEquals(history.lastS, 3600);
  assertAlmostEquals(history.between(0, 3599.9975, 3600), 0.25, 1e-6);
  assertAlmostEquals(history.between(0, 1, 3600), 359_900, 1e-6);
  assertAlmostEquals(history.between(1, 100.001, 3600), 69_999.98, 1e-6);
  assert(Number.isNaN(history.between(1, 2, 3600)), "a reading was missing meanwhile");
  assert(Number.isNaN(history.between(0, 1, 3601)), "later than the last sample");
});
