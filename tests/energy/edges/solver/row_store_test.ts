/** Rows that come back as they came in, those of classes without CPU time too. */
import { assert, assertEquals } from "@std/assert";
import type { Columns } from "../../../../src/aggregate/attribution/solver/columns.ts";
import { LAG_GRID, ZERO_LAG } from "../../../../src/aggregate/attribution/solver/lag_curve.ts";
import { LagRow } from "../../../../src/aggregate/attribution/solver/lag_row.ts";
import { RowStore } from "../../../../src/aggregate/attribution/solver/row_store.ts";
import { CONSTANTS } from "../../../../src/energy/edges/visit_terms.ts";
import { Random } from "../../../../src/sources/sim/random.ts";
import { testSeed } from "../_seed.ts";

const LAGS = LAG_GRID.length, CLASSES = 20, WIDTH = LAGS * (1 + CONSTANTS.length);

/** Some classes with CPU time, and more without, of which something fades in one course. */
function entries(random: Random) {
  const classes = Int32Array.from({ length: CLASSES }, (_, c) => c).filter(() =>
    random.uniform() < 0.8
  );
  const tau = new Float64Array(classes.length * WIDTH);
  const course = Float64Array.from({ length: WIDTH }, () => random.uniform(0.5, 2));
  for (let m = 0; m < CONSTANTS.length; m++) course[(m + 1) * LAGS + ZERO_LAG] = 1;
  classes.forEach((_, i) => {
    const isIn = random.uniform() < 0.2;
    for (let m = -1; m < CONSTANTS.length; m++) {
      const amount = random.uniform(0, 0.1);
      for (let l = 0; l < LAGS; l++) {
        const at = (m + 1) * LAGS + l;
        tau[i * WIDTH + at] = isIn ? random.uniform(0, 0.1) : m < 0 ? 0 : amount * course[at];
      }
    }
  });
  return { count: classes.length, classes, tau };
}

Deno.test("what classes without CPU time have left is in rows as it came, in joined ones too", () => {
  const random = new Random(testSeed("rows"));
  const store = new RowStore(WIDTH, ZERO_LAG);
  const came: Float64Array[] = [];
  let full = 0;
  for (let i = 0; i < 300; i++) {
    const isJoined = i > 0 && random.uniform() < 0.2;
    const row = entries(random), interval = { energyJ: 1, lengthS: 1, fresh: false, beginS: i };
    if (isJoined) store.extend(row, interval);
    else {
      store.push(row, interval);
      came.push(new Float64Array(CLASSES * WIDTH));
    }
    full += row.count;
    row.classes.forEach((c, k) => {
      for (let n = 0; n < WIDTH; n++) {
        came[came.length - 1][c * WIDTH + n] += row.tau[k * WIDTH + n];
      }
    });
  }
  const watts = Float64Array.from({ length: store.count }, () => random.uniform(1, 50));
  const carried = CONSTANTS.map((_, m) => store.count + m);
  const columns = { carried, pairOf: [], orderOf: [] } as unknown as Columns;
  assertEquals(store.rows, came.length);
  const isNear = (one: number, other: number) => Math.abs(one - other) < 2e-5;
  let kept = 0;
  for (let i = 0; i < store.rows; i++) {
    const { start } = store.block(i), place = i % 128;
    kept += start[place + 1] - start[place];
    for (let l = 0; l < LAGS; l++) {
      const lagRow = new LagRow(l), at = (c: number, m: number) => c * WIDTH + (m + 1) * LAGS + l;
      for (let m = -1; m < CONSTANTS.length; m++) {
        lagRow.takeSlow(store, i, m);
        const got = new Float64Array(store.count);
        for (let k = 0; k < lagRow.length; k++) got[lagRow.numbers[k]] += lagRow.values[k];
        store.fitOf.slice(0, CLASSES).forEach((own, c) => {
          assert(isNear(own < 0 ? 0 : got[own], came[i][at(c, m)]), `${i} ${l} ${m} ${c}`);
        });
      }
      lagRow.take(store, i, { now: watts, first: watts }, columns);
      carried.forEach((number, m) => {
        let joules = 0;
        for (let c = 0; c < CLASSES; c++) {
          const own = store.fitOf[c];
          if (own >= 0) joules += watts[own] * (came[i][at(c, m)] - came[i][at(c, -1)]);
        }
        const got = lagRow.values[lagRow.numbers.indexOf(number)];
        assert(isNear(got, joules), `${i} ${l} ${m}: ${got} ${joules}`);
      });
    }
  }
  // Few have all of their numbers.
  assert(kept < 0.5 * full, `${kept} of ${full}`);
});
