/** Rows of a tree that add up to the total of the run. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { balance, type Energies } from "../../src/core/balance.ts";
import { Random } from "../../src/core/random.ts";

/** @param joules The determined energy; NaN: the row is coarse. */
function row(depth: number, joules: number, exactJ: number, seJ = NaN, selfJ = NaN) {
  const energy = { joules, exactJ, seJ, selfJ, selfSeJ: seJ, powerW: 10 };
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

Deno.test("balance() has no rest below 0, and no more than the total", () => {
  const rows = [row(0, 12, 12), row(0, NaN, 6)];
  assertEquals(balance("package", rows, { beside: [], totalJ: 9 }), 0);
  assertEquals(rows.map(valueOf), [9, 0]);
});

Deno.test("balance() leaves a coarse row some energy if the others take all of it by chance", () => {
  const rows = [row(0, 60.3, 60, 0.4), row(0, 39.9, 40, 0.1), row(0, NaN, 3)];
  assertEquals(balance("package", rows, { beside: [], totalJ: 100 }), 0);
  const [a, b, coarse] = rows.map(valueOf);
  assertAlmostEquals(a + b + coarse, 100, 1e-9);
  assert(coarse > 0.05 && coarse < 0.5, String(coarse));
  assert(Math.abs(a - 60.3) < 2 * 0.4 && Math.abs(b - 39.9) < 2 * 0.1, `${a} ${b}`);
  assert(60.3 - a > 10 * (39.9 - b), "the less certain row gives more");
});

Deno.test("rows of any tree add up to the total, none is below 0, and none has less than those inside", () => {
  const random = new Random(7), share = () => random.bits() / 2 ** 32;
  for (let i = 0; i < 2000; i++) {
    let depth = -1;
    const rows = Array.from({ length: 1 + random.below(8) }, () => {
      depth = random.below(depth + 2);
      const joules = 10 * share() ** 3 - 0.2;
      const seJ = share() < 0.2 ? 0 : share();
      const selfJ = share() < 0.3 ? joules * share() : NaN;
      if (share() < 0.4) return row(depth, NaN, joules);
      return row(depth, joules, 10 * share(), seJ, selfJ);
    });
    const beside = share() < 0.5 ? [] : [row(0, NaN, share())];
    const totalJ = 0.1 + 20 * share();
    const restJ = balance("package", rows, {
      beside: beside.map(({ energies }) => energies),
      totalJ,
    });
    const tops = [...rows.filter((one) => one.depth === 0), ...beside].map(valueOf);
    const sum = tops.reduce((all, joules) => all + joules, restJ);
    assertAlmostEquals(sum, totalJ, 1e-3 * totalJ, JSON.stringify(tops));
    assert(restJ >= 0 && rows.every((one) => valueOf(one) >= 0));
    rows.forEach((outer, at) => {
      const after = rows.slice(at + 1), end = after.findIndex((one) => one.depth <= outer.depth);
      const inside = after.slice(0, end < 0 ? undefined : end)
        .filter((one) => one.depth === outer.depth + 1);
      const insideJ = inside.reduce((all, one) => all + valueOf(one), 0);
      assert(insideJ <= valueOf(outer) * (1 + 1e-3) + 1e-9, `${insideJ} in ${valueOf(outer)}`);
      const { selfJ } = outer.energies.get("package")!;
      if (Number.isNaN(selfJ) || selfJ === 0) return;
      assert(selfJ + insideJ <= valueOf(outer) * (1 + 1e-5), `${selfJ} and ${insideJ}`);
    });
  }
});

Deno.test("balance() scales coarse energies inside a row to that row", () => {
  const rows = [row(0, 5, 6), row(1, NaN, 4), row(1, 3, 3), row(2, NaN, 2), row(0, NaN, 5)];
  assertEquals(balance("package", rows, { beside: [], totalJ: 10 }), 0);
  assertEquals(rows.map(valueOf), [5, 2, 3, 2, 5]);
});

Deno.test("balance() leaves a scaled row what the rows inside it leave", () => {
  const rows = [row(0, 60, 60, 6, 20), row(1, 40, 40, 0.1, 40), row(0, 50, 50, 0.1, 50)];
  assertEquals(balance("package", rows, { beside: [], totalJ: 100 }), 0);
  const [outer, inner] = rows.map(({ energies }) => energies.get("package")!);
  assertAlmostEquals(outer.joules, 50, 0.01);
  assertAlmostEquals(outer.selfJ + inner.joules, outer.joules, 1e-9);
});

Deno.test("balance() gives coarse rows what a row's own energy leaves, if it has all rows", () => {
  for (const [coarseJ, leftOut, shownJ] of [[5, 0, 10], [25, 0, 10], [5, 1, 5], [25, 1, 10]]) {
    const rows = [row(0, 60, 60, 1, 20), row(1, 30, 30, 1, 30), row(1, NaN, coarseJ)];
    balance("package", rows, { beside: [], totalJ: 60, leftOut });
    assertAlmostEquals(valueOf(rows[2]), shownJ, 0.06);
    const { selfJ } = rows[0].energies.get("package")!;
    assertAlmostEquals(selfJ, 20, 0.06);
  }
});

Deno.test("balance() takes rounding for no rest", () => {
  const rows = [row(0, 0.1, 0), row(0, 0.2, 0)];
  assertEquals(balance("package", rows, { beside: [], totalJ: 0.30000001 }), 0);
});
