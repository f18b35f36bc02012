import { assertAlmostEquals, assertEquals } from "@std/assert";
import { Counters } from "../../../src/core/machine/counter.ts";
import {
  applyFunction,
  bits,
  type FieldFunction,
  sevenBitFloat,
} from "../../../src/core/machine/msr_field.ts";
import vectors from "../../vectors/geopm/msr_fields.json" with { type: "json" };

function halves(raw: string): [high: number, low: number] {
  const value = BigInt(raw);
  return [Number(value >> 32n), Number(value & 0xffffffffn)];
}

for (const v of vectors.cases) {
  Deno.test(`msr field ${v.name} reads as GEOPM reads it`, () => {
    const fn = v.function as FieldFunction;
    const width = v.end_bit - v.begin_bit + 1;
    // A whole range may be a wrap here: GEOPM knows no reset.
    const counters = new Counters(1, { range: 2 ** width, wrapShare: 1 });
    v.raw.forEach((raw, i) => {
      const field = bits(...halves(raw), v.begin_bit, v.end_bit);
      const single = applyFunction(fn, field) * v.scalar;
      const high = Math.floor(field / 2 ** 32);
      const batch = fn === "overflow"
        ? counters.update(0, high, field - high * 2 ** 32, i) * v.scalar
        : single;
      assertAlmostEquals(single, v.expect.single[i], 1e-12 * Math.abs(single));
      assertAlmostEquals(batch, v.expect.batch[i], 1e-12 * Math.abs(batch));
    });
  });
}

Deno.test("bits() takes fields of either half and across both", () => {
  const [high, low] = halves("0xfedcba9876543210");
  assertEquals(bits(high, low, 0, 31), 0x76543210);
  assertEquals(bits(high, low, 32, 63), 0xfedcba98);
  assertEquals(bits(high, low, 28, 35), 0x87);
  assertEquals(bits(high, low, 63, 63), 1);
  assertEquals(bits(high, low, 0, 47), 0xba9876543210);
});

Deno.test("sevenBitFloat() gives the window of the field 0x2f as 40 s with a unit of 2^−10 s", () => {
  assertEquals(sevenBitFloat(0x2f) / 1024, 40);
});
