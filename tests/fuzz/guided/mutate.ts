/**
 * Changes of an input: bytes, numbers, stretches, and parts of another one.
 *
 * @module
 */
import type { Random } from "../random.ts";

const BYTES = [
  0,
  9,
  10,
  13,
  27,
  32,
  34,
  35,
  37,
  39,
  40,
  41,
  44,
  45,
  46,
  47,
  48,
  57,
  58,
  59,
  61,
  91,
  92,
]
  .concat([93, 95, 123, 124, 125, 127, 128, 192, 239, 255]);
const NUMBERS = [
  "0",
  "-1",
  "1e308",
  "1e999",
  "nan",
  "-0",
  "255",
  "65536",
  "4294967296",
  "0x7fffffff",
]
  .concat(["9007199254740993", "18446744073709551615", "-9223372036854775809", "0.1", "1e-400"]);

const join = (...parts: Uint8Array[]) => {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
};

/** An input that is some changes away from another. */
export function mutated(random: Random, input: Uint8Array, other: Uint8Array): Uint8Array {
  let bytes: Uint8Array = input.slice();
  for (let n = 1 + random.size(12); n > 0; n--) bytes = changed(random, bytes, other);
  return bytes;
}

function changed(random: Random, bytes: Uint8Array, other: Uint8Array): Uint8Array {
  const at = random.below(bytes.length + 1);
  const length = Math.min(1 + random.size(80), bytes.length - at);
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at + length)];
  switch (random.below(9)) {
    case 0:
      return join(
        before,
        Uint8Array.of(random.pick(BYTES)),
        bytes.subarray(Math.min(bytes.length, at + 1)),
      );
    case 1:
      return join(before, Uint8Array.of(random.pick(BYTES)), bytes.subarray(at));
    case 2:
      return join(before, after);
    case 3:
      return join(before, bytes.subarray(at, at + length), bytes.subarray(at));
    case 4: {
      const from = random.below(other.length + 1);
      return join(before, other.subarray(from, from + 1 + random.size(200)), after);
    }
    case 5:
      return join(before, new TextEncoder().encode(random.pick(NUMBERS)), after);
    case 6: {
      const copy = bytes.slice();
      if (at < copy.length) copy[at] ^= 1 << random.below(8);
      return copy;
    }
    case 7: {
      // A word of four bytes, as binary files have them.
      const copy = bytes.slice();
      if (at + 4 <= copy.length) {
        new DataView(copy.buffer).setUint32(
          at & ~3,
          random.pick([0, 1, 2, 255, 4096, 2 ** 31, 2 ** 32 - 1]),
          true,
        );
      }
      return copy;
    }
    default:
      return random.once(3) ? before.slice() : swapped(random, bytes);
  }
}

/** Two lines change places, or one is there twice. */
function swapped(random: Random, bytes: Uint8Array): Uint8Array {
  const lines = new TextDecoder("latin1").decode(bytes).split("\n");
  const [a, b] = [random.below(lines.length), random.below(lines.length)];
  if (random.once(2)) [lines[a], lines[b]] = [lines[b], lines[a]];
  else lines.splice(a, 0, lines[b]);
  return Uint8Array.from(lines.join("\n"), (c) => c.charCodeAt(0));
}
