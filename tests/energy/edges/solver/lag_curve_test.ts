/** The curve through what is left unexplained at each lag. */
import { assert, assertAlmostEquals } from "@std/assert";
import { leastOf, spreadAround } from "../../../../src/aggregate/attribution/solver/lag_curve.ts";

Deno.test("leastOf() finds the least of a parabola between the lags, and what it is worth", () => {
  for (const at of [-1.7, -0.3, 0, 0.42, 1.9]) {
    const { x, value, bend } = leastOf([-2, -1, 0, 1, 2].map((k) => 5 + 100 * (k - at) ** 2));
    assertAlmostEquals(x, at, 1e-6);
    assertAlmostEquals(value, 5, 1e-6);
    assertAlmostEquals(bend, 200, 1e-3);
  }
});

Deno.test("leastOf() does not dive below equal values because another one soars", () => {
  // Through these the curve of fourth degree has 5658 at its least: no lag explains that much.
  const { value } = leastOf([5946, 5964, 6133, 11274, 23244]);
  assert(value > 5930, String(value));
});

Deno.test("spreadAround() is a number where a run is explained without rest", () => {
  const spread = spreadAround([4, 1, 0, 1, 4], { x: 0.01, value: 0, fromX: -2 }, () => -Infinity);
  assert(spread.every((one) => one === 0), spread.join());
});
