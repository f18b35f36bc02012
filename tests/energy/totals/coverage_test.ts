/** Timelines: one row a step; energies of two parts, the region that the step begins in. */
import { assertAlmostEquals, assertEquals } from "@std/assert";
import {
  Coverage,
  type FigureCoverage,
  type PartSource,
} from "../../../src/energy/totals/coverage.ts";
import { HASH_APPLICATION, HASH_EPOCH } from "../../../src/core/hash.ts";

const A = 1, B = 2;

/** TIME, REGION_HASH, EPOCH_COUNT, parts. */
type Row = readonly [timeS: number, region: number, epoch: number, ...parts: number[]];

function follow(
  rows: readonly Row[],
  behavior: "monotone" | "variable" = "monotone",
  [name, updatePeriodS]: readonly [string, number?] = ["CPU_ENERGY"],
) {
  let row: readonly number[] = [];
  const places: Record<string, number> = { TIME: 0, REGION_HASH: 1, EPOCH_COUNT: 2 };
  const source: PartSource = {
    pushSignal: (name) => places[name],
    updatePeriodS: () => updatePeriodS,
    isDerived: () => false,
    pushParts: () => rows[0].slice(3).map((_, i) => 3 + i),
    sample: (handle) => row[handle],
    behavior: () => behavior,
  };
  const coverage = new Coverage(source);
  const figure = coverage.watch(name, "board", 0) as FigureCoverage;
  const run = () => {
    for (row of rows) coverage.step();
    return figure;
  };
  run();
  // A run that begins anew is as a new one.
  coverage.restart();
  return run();
}

function lost(figure: FigureCoverage): number[] {
  return [A, B, HASH_EPOCH, HASH_APPLICATION].map((hash) => figure.lostS(hash));
}

Deno.test("Coverage knows nothing of a counter that was read once, or never", () => {
  const why = "the measured time was shorter than the update period of the counter";
  for (const behavior of ["monotone", "variable"] as const) {
    const figure = follow([[3, A, 1, 100, 7]], behavior);
    const { value, share, losses } = figure.known();
    assertEquals([value, share, losses.map(({ isStill }) => isStill)], [NaN, 0, [true, true]]);
    assertEquals([figure.isStill, figure.isWhole(HASH_APPLICATION)], [true, false]);
    assertEquals(figure.stillReason, why);
  }
  const limit = follow([[3, A, 1, 100]], "variable", ["CPU_POWER_LIMIT_CONTROL"]);
  assertEquals(limit.isStill, false);
});

Deno.test("Coverage knows nothing of a machine's counter that never changes", () => {
  const rows: Row[] = [[0, A, 1, 100, 7], [1, A, 1, 110, 7], [2, B, 1, 130, 7], [3, B, 1, 150, 7]];
  const figure = follow(rows);
  assertEquals(lost(figure), [2, 1, 3, 3]);
  const { value, share, losses } = figure.known();
  assertEquals([value, share, losses.map(({ part }) => part)], [50, 0.5, [1]]);
  assertEquals(figure.isStill, false);
  const dead = follow(rows.map(([t, region, epoch]) => [t, region, epoch, 7, 7]));
  assertEquals([dead.isStill, dead.known().value, dead.known().share], [true, NaN, 0]);
  assertEquals(dead.stillReason, "the counter did not change in the whole run");
  const slow = follow(rows.map(([t]) => [t, A, 0, 7]), "monotone", ["CPU_ENERGY", 5]);
  assertEquals(
    slow.stillReason,
    "the measured time was shorter than the update period of the counter (5 s)",
  );
});

Deno.test("Coverage knows a constant power, and nothing of a meter at 0 W", () => {
  const rows = (watts: number): Row[] => [0, 1, 2].map((t) => [t, A, 0, watts]);
  const of = (watts: number, name: string) => follow(rows(watts), "variable", [name]);
  assertEquals([of(300, "BOARD_POWER").known().value, of(300, "BOARD_POWER").isStill], [
    300,
    false,
  ]);
  const dead = of(0, "BOARD_POWER");
  assertEquals([dead.known().value, dead.known().share, dead.stillReason], [
    NaN,
    0,
    "the power was 0 W in the whole run",
  ]);
  // A limit of 0 W is none.
  assertEquals(of(0, "CNL::POWER_CAP").known().value, 0);
});

Deno.test("Coverage of a rate is whole, though it has no value before the second reading", () => {
  const rows: Row[] = [[0, A, 1, NaN], [1, A, 1, 50], [2, B, 1, 60], [3, B, 1, 70]];
  const whole = follow(rows, "variable", ["CPU_POWER"]);
  assertEquals([lost(whole), whole.known().value, whole.known().share], [[0, 0, 0, 0], 60, 1]);
  // Of a slow counter the second reading is that after its next update, which may be late.
  const late: Row[] = [[0, A, 1, NaN], [1, A, 1, NaN], [2, A, 1, 50], [3, B, 1, 70]];
  const slow = follow(late, "variable", ["RATE::BOARD_ENERGY", 1]);
  assertEquals([slow.lostS(HASH_APPLICATION), slow.known().share], [0, 1]);
  assertEquals(follow(late, "variable", ["RATE::BOARD_ENERGY", 0.5]).lostS(HASH_APPLICATION), 2);
  const gap = follow([...rows, [4, B, 1, NaN], [5, B, 1, 70]], "variable", ["CPU_POWER"]);
  assertEquals([gap.isWhole(HASH_APPLICATION), gap.isWhole(A)], [false, true]);
});

Deno.test("a total is rough where its counter changed rarely, at few of the samples", () => {
  const rows = (changes: number, samples: number): Row[] =>
    Array.from({ length: samples + 1 }, (_, i) => [i, A, 0, Math.floor(i * changes / samples), i]);
  const rare = (changes: number, samples: number) => follow(rows(changes, samples)).rareChanges;
  assertEquals([rare(1, 30), rare(19, 60), rare(20, 60)], [1, 19, undefined]);
  // One that changes about as often as it is read may change far more often.
  assertEquals([rare(10, 20), rare(10, 21)], [undefined, 10]);
  // One that is gone at the end is no matter of the run's length.
  const gone: Row[] = [...rows(10, 30), [31, A, 0, NaN, 31]];
  assertEquals(follow(gone).rareChanges, undefined);
  // A counter that does not count at all is not measured, which is another matter.
  assertEquals([rare(0, 60), follow(rows(1, 30), "variable").rareChanges], [undefined, undefined]);
});

Deno.test("Coverage is whole where every part grows from step to step, or stands still a while", () => {
  const figure = follow([
    [0, A, 0, 100, 500],
    [1, A, 0, 110, 500],
    [2, B, 1, 110, 520],
    [3, B, 1, 130, 520],
  ]);
  assertEquals(lost(figure), [0, 0, 0, 0]);
  const { value, powerW, share, parts, losses } = figure.known();
  assertEquals([value, share, parts, losses.length], [50, 1, 2, 0]);
  assertAlmostEquals(powerW, 50 / 3);
});

Deno.test("Coverage bridges a gap of a counter that went on", () => {
  const figure = follow([
    [0, A, 0, 100, 500],
    [1, B, 0, 110, NaN],
    [2, B, 0, 120, NaN],
    [3, B, 0, 130, 530],
  ]);
  assertEquals(lost(figure), [0, 0, 0, 0]);
  assertEquals(figure.known().value, 60);
});

Deno.test("Coverage knows a lost part up to its last change, and the other one", () => {
  const figure = follow([
    [0, A, 0, 100, 500],
    [1, A, 1, 110, 510],
    [2, B, 1, 120, NaN],
    [4, B, 1, 140, NaN],
  ]);
  // The step that began in A at 1 s ends without the second part.
  assertEquals(lost(figure), [1, 2, 3, 3]);
  const { value, powerW, share, losses } = figure.known();
  assertEquals([value, powerW], [50, 20]);
  assertEquals(share, 5 / 8);
  assertEquals(losses, [{ part: 1, fromS: 0, untilS: 1, lostS: 0, restarts: 0, isStill: false }]);
});

Deno.test("Coverage leaves out the time before a step back", () => {
  const figure = follow([
    [0, A, 0, 100],
    [1, A, 0, 110],
    [2, B, 0, NaN],
    [3, A, 0, 109],
    [4, A, 0, 119],
  ]);
  assertEquals(lost(figure), [1, 1, 0, 2]);
  const { value, powerW, losses } = figure.known();
  assertEquals([value, powerW], [20, 10]);
  assertEquals(losses, [{ part: 0, fromS: 0, untilS: 4, lostS: 2, restarts: 1, isStill: false }]);
});

Deno.test("Coverage knows what the other part has while one is lost", () => {
  const figure = follow([
    [0, A, 1, 100, 500],
    [1, A, 1, 110, 510],
    [2, B, 1, NaN, 520],
    [3, B, 0, 109, 530],
    [4, B, 0, 119, 540],
  ]);
  assertEquals(lost(figure), [1, 1, 2, 2]);
  // A sum over the parts has nothing at 2 s, and then 20 J of the one and −1 J of the other, all of it for A.
  assertEquals([A, B, HASH_EPOCH].map((hash) => figure.lostJ(hash)), [19, 0, 19]);
});

Deno.test("Coverage of a long step is lost for every region that it was in, or known after all", () => {
  const rows: number[][] = [[0, A, 0], [1, A, 10], [9, A, NaN]];
  let row = rows[0];
  const places: Record<string, number> = { TIME: 0, REGION_HASH: 1, EPOCH_COUNT: 3 };
  const coverage = new Coverage({
    pushSignal: (name) => places[name],
    updatePeriodS: () => undefined,
    isDerived: () => false,
    pushParts: () => [2],
    sample: (handle) => row[handle] ?? NaN,
    behavior: () => "monotone",
  });
  const figure = coverage.watch("CPU_ENERGY", "board", 0)!;
  for (row of rows) coverage.step(row[0] === 9 ? new Map([[A, 5], [B, 3]]) : undefined);
  assertEquals([figure.isWhole(A), figure.isWhole(B)], [false, false]);
  // That of the region that the step began in is all of it.
  assertEquals([figure.lostS(A), figure.besideS(A)], [8, 0]);
  assertEquals([figure.lostS(B), figure.besideS(B)], [0, 3]);
  row = [10, A, 30];
  coverage.step();
  assertEquals([figure.isWhole(A), figure.isWhole(B)], [true, true]);
});

Deno.test("Coverage begins late where a part does", () => {
  const figure = follow([[0, A, 0, NaN], [1, B, 0, NaN], [3, B, 0, 7], [4, B, 0, 17]]);
  assertEquals(lost(figure), [1, 2, 0, 3]);
  const { value, powerW, losses } = figure.known();
  assertEquals([value, powerW], [10, 10]);
  assertEquals(losses, [{ part: 0, fromS: 3, untilS: 4, lostS: 0, restarts: 0, isStill: false }]);
});

Deno.test("Coverage of a part that never came is none", () => {
  const figure = follow([[0, A, 0, NaN, 1], [1, A, 0, NaN, 2]]);
  const { value, share, losses } = figure.known();
  assertEquals([value, share], [1, 0.5]);
  assertEquals(losses.length, 1);
  assertEquals(losses[0].fromS, NaN);
});

Deno.test("Coverage of nothing is NaN, not 0", () => {
  const { value, powerW, share } = follow([[0, A, 0, NaN], [1, A, 0, NaN]]).known();
  assertEquals([value, powerW, share], [NaN, NaN, 0]);
});

Deno.test("Coverage of a power has no bridges", () => {
  const figure = follow([[0, A, 0, 50], [1, A, 0, 50], [2, B, 0, NaN], [3, B, 0, 70]], "variable");
  assertEquals(lost(figure), [1, 1, 0, 2]);
  const { value, powerW } = figure.known();
  assertEquals([value, powerW], [50, 50]);
});
