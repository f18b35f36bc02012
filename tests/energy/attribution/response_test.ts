/** How a counter answers: closed forms against sums, and what intervals show of pieces. */
import { assert, assertAlmostEquals } from "@std/assert";
import {
  longer,
  prepared,
  pureLag,
  ramp,
  respond,
} from "../../../src/energy/attribution/response.ts";
import { Random } from "../../../src/core/random.ts";

Deno.test("ramp() is the integral of the averaged step response", () => {
  const step = (x: number, w: number, tau: number) => {
    if (x <= 0) return 0;
    if (tau > 0) return 1 - Math.exp(-x / tau);
    return w > 0 ? Math.min(1, x / w) : 1;
  };
  for (
    const [a, w, tau] of [[0.001, 0, 0], [0.001, 0.004, 0], [0.005, 0.001, 0], [0.001, 0, 0.002]]
  ) {
    for (const x of [0.0003, 0.001, 0.003, 0.006, 0.05]) {
      let sum = 0;
      const parts = 400;
      for (let i = 0; i < parts; i++) {
        const from = x - a * (i + 0.5) / parts;
        for (let j = 0; j < parts; j++) {
          sum += step(from * (j + 0.5) / parts, w, tau) * Math.max(from, 0);
        }
      }
      assertAlmostEquals(
        ramp(x, a, w, tau),
        sum / parts / parts,
        2e-3 * x,
        `${a} ${w} ${tau} ${x}`,
      );
    }
  }
});

Deno.test("intervals show all of each piece between them, by any answer", () => {
  const random = new Random(3), y: number[] = [];
  for (let t = 0.002; t < 2; t += random.uniform(0.003, 0.007)) y.push(t);
  const edges = {
    count: y.length,
    yS: Float64Array.from(y),
    aS: new Float64Array(y.length).fill(0.001),
  };
  const starts: number[] = [];
  for (let t = 0; t < 2; t += random.uniform(0.001, 0.02)) starts.push(t);
  const spans = {
    count: starts.length,
    startS: Float64Array.from(starts),
    endS: Float64Array.from([...starts.slice(1), 2.1]),
  };
  const lag = pureLag(0.0004);
  const kernels = [
    lag,
    { ...lag, meanS: 0.01 },
    { ...lag, orderS: 0.003, loadS: 0.003 },
    longer({ ...lag, orderS: 0.003, loadS: 0.003 }, 2),
  ];
  for (const kernel of kernels) {
    const { interval, partS, begin } = respond(spans, prepared(edges, kernel));
    const shown = new Float64Array(y.length - 1);
    for (let k = 0; k < begin[spans.count]; k++) shown[interval[k]] += partS[k];
    for (let k = 20; k < shown.length; k++) assertAlmostEquals(shown[k], y[k + 1] - y[k], 1e-9);
  }
});

Deno.test("a part-time window shows the end of an interval as if all of it were like that", () => {
  const edges = { count: 3, yS: Float64Array.of(0.1, 0.2, 0.3), aS: new Float64Array(3) };
  const spans = { count: 2, startS: Float64Array.of(0, 0.18), endS: Float64Array.of(0.18, 0.4) };
  const { interval, partS, begin } = respond(
    spans,
    prepared(edges, { ...pureLag(0), windowS: 0.04 }),
  );
  const of = (piece: number, k: number) => {
    let sum = 0;
    for (let i = begin[piece]; i < begin[piece + 1]; i++) if (interval[i] === k) sum += partS[i];
    return sum;
  };
  assertAlmostEquals(of(0, 0), 0.05, 1e-9);
  assertAlmostEquals(of(1, 0), 0.05, 1e-9);
  assertAlmostEquals(of(1, 1), 0.1, 1e-9);
  assert(of(0, 1) === 0);
});
