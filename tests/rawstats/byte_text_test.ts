/** Numbers as bytes: the same digits as JavaScript's own. */
import { assertEquals } from "@std/assert";
import { ByteText } from "../../src/rawstats/byte_text.ts";
import { Random } from "../../src/sim/random.ts";

function written(values: Iterable<number>): string[] {
  const decoder = new TextDecoder();
  let text = "";
  const out = new ByteText((bytes) => text += decoder.decode(bytes));
  for (const value of values) {
    out.number(value);
    out.char(10);
  }
  out.flush();
  return text.trimEnd().split("\n");
}

function* neighbours(value: number): Generator<number> {
  const bits = new BigUint64Array(1);
  const double = new Float64Array(bits.buffer);
  for (const step of [-2n, -1n, 0n, 1n, 2n]) {
    double[0] = value;
    bits[0] += step;
    yield double[0];
  }
}

function* values(): Generator<number> {
  const source = new Random(1);
  const random = () => source.bits() / 2 ** 32 + source.bits() / 2 ** 64;
  // what becomes of counts: rates, and decimals
  for (let i = 0; i < 60_000; i++) {
    const magnitude = 2 ** Math.floor(random() * 60);
    const count = Math.floor(random() * magnitude);
    yield count / (9.999 + random() / 100);
    yield count / 10 ** Math.floor(random() * 12);
    yield random() * 2 ** (75 * random() - 22);
  }
  for (let power = -25; power < 60; power++) yield* neighbours(2 ** power);
  for (let power = -8; power < 22; power++) {
    for (let digit = 1; digit < 10; digit++) yield* neighbours(Number(`${digit}e${power}`));
  }
  for (let i = 0; i < 1000; i++) yield* neighbours(i + 0.5);
  yield* [0, 0.1, 0.3, 2 / 3, 1e21, 5e-324, 1.7976931348623157e308, 4503599627370495.5];
  yield* [6239.150000000001, 1421052120.250264, -1.5, -3, 9007199254740993, 0.30000000000000004];
}

Deno.test("ByteText.number() writes the digits that JavaScript writes", () => {
  const all = [...values()];
  assertEquals(written(all).filter((text, i) => text !== String(all[i])), []);
});
