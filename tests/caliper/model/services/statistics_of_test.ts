import { assert, assertEquals } from "@std/assert";
import { Statistics } from "../../../../src/caliper/model/services/statistics_of.ts";
import {
  addVariant,
  divideVariant,
  EMPTY,
  extremeVariant,
  TYPE,
  type Value,
  type Variant,
} from "../../../../src/caliper/model/variant.ts";
import { Random } from "../../../run/session/_random.ts";

/** The same by variants alone, one value after the other. */
function naive(values: readonly Variant[]): Record<string, Variant> {
  let min = EMPTY, max = EMPTY, sum = EMPTY;
  for (const { type, value } of values) {
    min = extremeVariant(min, type, value, -1);
    max = extremeVariant(max, type, value, 1);
    sum = addVariant(sum, type, value);
  }
  return { min, max, sum, avg: divideVariant(sum, values.length) };
}

function resultsOf(values: readonly Variant[]): Record<string, Variant> {
  const statistics = new Statistics();
  for (const { type, value } of values) statistics.add(type, value);
  return Object.fromEntries(statistics.results());
}

const of = (type: number, ...values: Value[]) => values.map((value) => ({ type, value }));

/** What `Object.is` tells apart must be equal as well. */
function assertSame(values: readonly Variant[]): void {
  const ours = resultsOf(values), wanted = naive(values);
  assertEquals(ours, wanted, JSON.stringify(values, (_, v) => typeof v === "bigint" ? `${v}n` : v));
  for (const word of Object.keys(wanted)) {
    assert(
      Object.is(ours[word].value, wanted[word].value),
      `${word} ${String(ours[word].value)} is not ${String(wanted[word].value)}`,
    );
  }
}

Deno.test("Statistics of whole numbers are exact up to the ends of 64 bits", () => {
  const limit = Number.MAX_SAFE_INTEGER;
  assertEquals(resultsOf(of(TYPE.uint, limit, 1, 1)), {
    min: { type: TYPE.uint, value: 1 },
    max: { type: TYPE.uint, value: limit },
    sum: { type: TYPE.uint, value: 2n ** 53n + 1n },
    avg: { type: TYPE.uint, value: Number((2n ** 53n + 1n) / 3n) },
  });
  assertEquals(resultsOf(of(TYPE.int, -limit, -7)).sum.value, -(2n ** 53n) - 6n);
  // As the machine's own sums do, they wrap around.
  assertEquals(resultsOf(of(TYPE.uint, 2n ** 64n - 1n, 2)).sum.value, 1);
});

Deno.test("Statistics of doubles keep NaN, infinities and the sign of zero", () => {
  assertSame(of(TYPE.double, -0));
  assertSame(of(TYPE.double, -0, 0));
  assertSame(of(TYPE.double, Infinity, -Infinity, 1));
  assertSame(of(TYPE.double, -Infinity));
  assertSame(of(TYPE.double, 1, NaN, 3));
  assertSame(of(TYPE.double, NaN, 2));
  assertEquals(resultsOf(of(TYPE.double, 1, 2, 4.5)), {
    min: { type: TYPE.double, value: 1 },
    max: { type: TYPE.double, value: 4.5 },
    sum: { type: TYPE.double, value: 7.5 },
    avg: { type: TYPE.double, value: 2.5 },
  });
});

Deno.test("Statistics of mixed types stay in the type of the first", () => {
  const mixed = [...of(TYPE.int, 5), ...of(TYPE.double, 2.9), ...of(TYPE.uint, 1)];
  assertEquals(resultsOf(mixed), {
    min: { type: TYPE.int, value: 1 },
    max: { type: TYPE.int, value: 5 },
    sum: { type: TYPE.int, value: 8 },
    avg: { type: TYPE.int, value: 2 },
  });
  assertSame([...of(TYPE.string, "x"), ...of(TYPE.int, 5)]);
  assertSame([...of(TYPE.bool, 1), ...of(TYPE.bool, 0)]);
  assertSame([]);
});

Deno.test("Statistics are those of variants for any values", () => {
  const numbers: Value[] = [
    ...[0, 1, 2, 1000, Number.MAX_SAFE_INTEGER, 2n ** 53n, 2n ** 63n - 1n],
    2n ** 63n + 5n,
  ];
  const pools: [type: number, pool: readonly Value[]][] = [
    [TYPE.uint, [...numbers, 2n ** 64n - 1n]],
    [TYPE.int, [...numbers.slice(0, -1), -1, -5, -Number.MAX_SAFE_INTEGER, -(2n ** 63n)]],
    [TYPE.double, [0, -0, 0.1, -2.5, 1e300, -1e300, Infinity, -Infinity, NaN, 7]],
    [TYPE.string, ["", "x"]],
  ];
  for (let seed = 1; seed <= 2000; seed++) {
    const random = new Random(seed), mostly = random.pick(pools);
    const values = Array.from({ length: random.int(1, 8) }, () => {
      const [type, pool] = random.next() < 0.9 ? mostly : random.pick(pools);
      return { type, value: random.pick(pool) };
    });
    assertSame(values);
  }
});
