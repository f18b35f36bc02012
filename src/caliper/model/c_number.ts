/**
 * Numbers as C scans them: strtoll, strtod. How it prints them: core/number_format.ts.
 *
 * A number is the longest numeric prefix of a text (strtol(3), strtod(3)).
 * 64-bit integers are a plain number while they are exact, else a bigint.
 * @module
 */

/** A 64-bit integer: a number within ±(2^53 - 1), else a bigint. */
export type Int64 = number | bigint;

const INT64_MAX = 0x7fffffffffffffffn;
const INT64_MIN = -0x8000000000000000n;
const UINT64_MAX = 0xffffffffffffffffn;

/** The number form if it is exact, else the bigint itself. */
export function narrow(value: bigint): Int64 {
  return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;
}

/** strtoll(3), base 10: longest prefix, saturating; null if there is no digit. */
export function scanInt64(text: string): Int64 | null {
  const found = /^[ \t\n\v\f\r]*([+-]?[0-9]+)/.exec(text);
  if (found === null) return null;
  if (found[1].length <= 15) return Number(found[1]) + 0; // + 0 turns -0 into 0
  const wide = BigInt(found[1].replace("+", ""));
  return narrow(wide > INT64_MAX ? INT64_MAX : wide < INT64_MIN ? INT64_MIN : wide);
}

/** Leading decimal digits, modulo 2^64; null if there is none. No sign, no blanks. */
export function scanUint64(text: string): Int64 | null {
  const found = /^[0-9]+/.exec(text);
  if (found === null) return null;
  return found[0].length <= 15
    ? Number(found[0])
    : narrow(BigInt.asUintN(64, BigInt(found[0].slice(-400))));
}

/** strtoull(3), base 16; null if there is no digit or the value needs more than 64 bits. */
export function scanHex64(text: string): Int64 | null {
  const found = /^[ \t\n\v\f\r]*([+-]?)(?:0x(?=[0-9a-f]))?([0-9a-f]+)/i.exec(text);
  if (found === null) return null;
  const digits = found[2].replace(/^0+(?=.)/, "");
  if (digits.length > 16) return null;
  const wide = BigInt("0x" + digits);
  return narrow(found[1] === "-" ? BigInt.asUintN(64, -wide) : wide & UINT64_MAX);
}

const DOUBLE =
  /^[ \t\n\v\f\r]*([+-]?)(?:(inf(?:inity)?)|(nan)|0x([0-9a-f]*)(?:\.([0-9a-f]*))?(?:p([+-]?[0-9]+))?|((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?))/i;

/** strtod(3): longest prefix, with inf, nan and hexadecimal; null if nothing is a number. */
export function scanDouble(text: string): number | null {
  const found = DOUBLE.exec(text);
  if (found === null) return null;
  const sign = found[1] === "-" ? -1 : 1;
  if (found[2] !== undefined) return sign * Infinity;
  if (found[3] !== undefined) return NaN;
  if (found[7] !== undefined) return sign * Number(found[7]);
  const whole = found[4] ?? "", fraction = found[5] ?? "";
  if (whole === "" && fraction === "") return sign * 0; // "0x" alone is the zero before it
  let value = 0;
  for (const digit of whole + fraction) value = value * 16 + parseInt(digit, 16);
  return sign * value * 2 ** (Number(found[6] ?? 0) - 4 * fraction.length);
}
