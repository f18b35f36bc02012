import { assertEquals } from "@std/assert";
import { reportText, TYPE } from "../../../src/caliper/model/variant.ts";
import {
  MAX_NUMBER_BYTES,
  numberLength,
  putNumber,
} from "../../../src/caliper/query/number_bytes.ts";
import { Random } from "../../../src/core/random.ts";

const bytes = new Uint8Array(MAX_NUMBER_BYTES);

function textOf(type: number, value: number): string {
  const end = putNumber(bytes, 0, type, value);
  assertEquals(numberLength(type, value), end);
  return String.fromCharCode(...bytes.subarray(0, end));
}

Deno.test("putNumber() prints whole numbers of all lengths", () => {
  for (let digits = 1; digits <= 16; digits++) {
    for (const off of [-1, 0, 1]) {
      const value = Math.min(10 ** digits + off, Number.MAX_SAFE_INTEGER);
      assertEquals(textOf(TYPE.uint, value), String(value));
      assertEquals(textOf(TYPE.int, -value), String(-value));
    }
  }
  assertEquals(textOf(TYPE.int, 0), "0");
  assertEquals(textOf(TYPE.bool, 1), "true");
  assertEquals(textOf(TYPE.inv, 0), "");
});

Deno.test("putNumber() rounds doubles as C's %f does, ties and their neighbours too", () => {
  const odd = [
    0,
    -0,
    NaN,
    Infinity,
    -Infinity,
    5e-324,
    -1e-7,
    5e-7,
    1.5e-6,
    2.5e-6,
    1e300,
    2 ** 53,
  ];
  const random = new Random(1), values = odd.slice();
  for (let i = 0; i < 20_000; i++) {
    const size = 10 ** (random.uniform() * 20 - 8), value = random.uniform() * size;
    const tie = Math.floor(value * 128) / 128, near = Math.round(value * 1e6) / 1e6 + 5e-7;
    values.push(value, -value, tie, near, near * (1 + Number.EPSILON), Math.round(value));
  }
  for (const value of values) {
    assertEquals(textOf(TYPE.double, value), reportText(TYPE.double, value));
  }
});
