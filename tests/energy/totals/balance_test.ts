/** Rows of a tree that add up to the total of the run. */
import { assertAlmostEquals, assertEquals } from "@std/assert";
import { balance, type Energies } from "../../../src/energy/totals/balance.ts";

/** @param joules The determined energy; NaN: the row is coarse. */
function row(depth: number, joules: number, exactJ: number) {
  const energy = { joules, exactJ, seJ: NaN, selfJ: NaN, selfSeJ: NaN, powerW: 10 };
  const energies: Energies = new Map([["package", energy]]);
  return { depth, energies };
}

function valueOf({ energies }: { energies: Energies }): number {
  const { joules, exactJ } = energies.get("package")!;
  return Number.isNaN(joules) ? exactJ : joules;
}

Deno.test("balance() leaves what is determined, and has the rest as undetermined", () => {
  const rows = [row(0, 5, 6), row(0, NaN, 3)];
  const beside = row(0, 1, 2);
  const restJ = balance("package", rows, { beside: [beside.energies], totalJ: 10 });
  assertAlmostEquals(restJ, 1, 1e-12);
  assertEquals([...rows, beside].map(valueOf), [5, 3, 1]);
});

Deno.test("balance() scales coarse energies that exceed what is left, and no other", () => {
  const rows = [row(0, 5, 6), row(0, NaN, 6), row(0, NaN, 2)];
  assertEquals(balance("package", rows, { beside: [], totalJ: 9 }), 0);
  assertEquals(rows.map(valueOf), [5, 3, 1]);
  assertEquals(rows.map(({ energies }) => energies.get("package")!.powerW), [10, 5, 5]);
});

Deno.test("balance() never has a rest below 0", () => {
  const rows = [row(0, 12, 12), row(0, NaN, 6)];
  assertEquals(balance("package", rows, { beside: [], totalJ: 9 }), 0);
  assertEquals(rows.map(valueOf), [12, 0]);
});

Deno.test("balance() scales coarse energies inside a row to that row", () => {
  const rows = [row(0, 5, 6), row(1, NaN, 4), row(1, 3, 3), row(2, NaN, 2), row(0, NaN, 5)];
  assertEquals(balance("package", rows, { beside: [], totalJ: 10 }), 0);
  assertEquals(rows.map(valueOf), [5, 2, 3, 2, 5]);
});

Deno.test("balance() takes rounding for no rest", () => {
  const rows = [row(0, 0.1, 0), row(0, 0.2, 0)];
  assertEquals(balance("package", rows, { beside: [], totalJ: 0.30000001 }), 0);
});
