/** Exposures against a plain numeric average over the window. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { EdgeLog } from "../../../../src/energy/edges/intervals/edge_log.ts";
import { Exposure } from "../../../../src/energy/edges/intervals/exposure.ts";
import { Random } from "../../../../src/core/random.ts";
import { testSeed } from "../../attribution/_seed.ts";

/** CPU-seconds of a class up to a time, from a list of edges. */
function plainExposure(
  edges: readonly { s: number; c: number; n: number }[],
  c: number,
  y: number,
): number {
  return edges.reduce((sum, e) => e.c === c && e.s < y ? sum + e.n * (y - e.s) : sum, 0);
}

Deno.test("Exposure averages over windows like a plain sum over all edges", () => {
  const random = new Random(testSeed("exposure"));
  const log = new EdgeLog();
  const exposure = new Exposure(log);
  const edges: { s: number; c: number; n: number }[] = [];
  const of = new Int32Array(4).fill(0);
  log.move(0, -1, 0, 4);
  edges.push({ s: 0, c: 0, n: 4 });
  let s = 0;
  let known = 0.02;
  let before: { t: number; a: number } | undefined;
  for (let k = 0; k < 300; k++) {
    const t = known;
    const a = k % 5 === 0 ? 0 : random.uniform(0.0001, 0.006);
    while (s < t + 0.005) {
      s += random.uniform(0, 0.004);
      const cpu = random.below(4);
      const to = random.below(6);
      if (to === of[cpu]) continue;
      log.move(s, of[cpu], to, 1);
      edges.push({ s, c: of[cpu], n: -1 }, { s, c: to, n: 1 });
      of[cpu] = to;
    }
    exposure.fold(t - a - 0.01);
    log.release(exposure.cursor);
    exposure.boundary(t, a);
    if (before !== undefined) {
      let sum = 0;
      for (let c = 0; c < 6; c++) {
        const average = ({ t, a }: { t: number; a: number }) => {
          if (a === 0) return plainExposure(edges, c, t);
          let total = 0;
          const parts = 2000;
          for (let i = 0; i < parts; i++) {
            total += plainExposure(edges.slice(-400), c, t - a * (i + 0.5) / parts);
          }
          return total / parts;
        };
        const place = exposure.classes.subarray(0, exposure.count).indexOf(c);
        const got = place < 0 ? 0 : exposure.tau[place];
        sum += got;
        if (k > 20 && k % 60 !== 0 || edges.length > 390) continue;
        assertAlmostEquals(got, average({ t, a }) - average(before), 2e-8, `class ${c}`);
      }
      const length = t - a / 2 - (before.t - before.a / 2);
      assertAlmostEquals(sum, 4 * length, 1e-12);
    }
    before = { t, a };
    known = t + random.uniform(0.006, 0.03);
  }
  assertEquals(log.owned, 4);
});

Deno.test("EdgeLog keeps what readers have not taken up, and knows exposures of each class", () => {
  const log = new EdgeLog();
  log.move(1, -1, 0, 8);
  // The first CPUs were unmarked a while before they came: see `LEAD_IN_S`.
  assertAlmostEquals(log.exposure(0, 1), 1.6, 1e-9);
  for (let k = 0; k < 1000; k++) {
    log.move(1 + k * 0.001, k % 2, (k + 1) % 2, 8);
    if (k % 100 === 50) log.release(log.next - 3);
  }
  assert(log.mask < 512);
  assertAlmostEquals(log.exposure(0, 2) + log.exposure(1, 2), 9.6, 1e-9);
  assertAlmostEquals(log.exposure(1, 2), 4, 1e-2);
  assertEquals(log.exposure(7, 2), 0);
  // A clock that steps back stands still.
  log.move(0.5, 0, 1, 8);
  assertAlmostEquals(log.exposure(0, 2) + log.exposure(1, 2), 9.6, 1e-9);
});
