/**
 * Numbers as C prints and scans them: `%f` and `%g` with six digits, strtoll, strtod.
 *
 * Reports and `.cali` streams of Caliper are printed by C's rules, which differ from
 * ECMAScript's in three places: ties round to even (printf(3)), `-0` keeps its sign, and a number
 * is the longest numeric prefix of a text (strtol(3), strtod(3)).
 * 64-bit integers are a plain number while they are exact, else a bigint.
 * @module
 */

/** A 64-bit integer: a number within ±(2^53 - 1), else a bigint. */
export type Int64 = number | bigint;

const INT64_MAX = 0x7fffffffffffffffn;
const INT64_MIN = -0x8000000000000000n;
const UINT64_MAX = 0xffffffffffffffffn;

/** The number form where it is exact, else the bigint itself. */
export function narrow(value: bigint): Int64 {
  return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;
}

/** `printf("%f")`: six decimals, ties to even, never an exponent. */
export function formatFixed(x: number): string {
  if (!Number.isFinite(x)) return x !== x ? "nan" : x > 0 ? "inf" : "-inf";
  if (x < 0 || Object.is(x, -0)) return "-" + fixedPositive(-x);
  return fixedPositive(x);
}

function fixedPositive(x: number): string {
  // Quarters are exact, and frequent among watts and seconds; toFixed is slow.
  if (x < 1e9) {
    const whole = Math.floor(x), rest = x - whole;
    if (rest === 0) return whole + ".000000";
    if (rest === 0.5) return whole + ".500000";
    if (rest === 0.25) return whole + ".250000";
    if (rest === 0.75) return whole + ".750000";
  }
  // Above 2^53 every double is an integer; toFixed would switch to an exponent at 1e21.
  if (x >= 9007199254740992) return BigInt(x).toString() + ".000000";
  // A tie at the sixth decimal needs 10^6 x = k + 1/2, so x is an odd multiple of 2^-7.
  const scaled = x * 128;
  if (scaled % 2 === 1) {
    const digits = x.toFixed(7); // exact, and it ends in 5
    const kept = digits.slice(0, -1);
    return (kept.charCodeAt(kept.length - 1) & 1) === 0 ? kept : x.toFixed(6);
  }
  return x.toFixed(6);
}

/** `printf("%g")`: six significant digits, no trailing zeros, exponent below 1e-4 and from 1e6. */
export function formatGeneral(x: number): string {
  if (!Number.isFinite(x)) return x !== x ? "nan" : x > 0 ? "inf" : "-inf";
  if (x === 0) return Object.is(x, -0) ? "-0" : "0";
  let digits = Math.abs(x).toExponential(5);
  const longer = Math.abs(x).toExponential(6);
  const at = longer.indexOf("e");
  // A tie: seven digits ending in 5 are the whole value. printf rounds it to even.
  if (longer.charCodeAt(at - 1) === 53 && /^0*$/.test(exactTail(Math.abs(x)))) {
    const kept = longer.slice(0, at - 1);
    if ((kept.charCodeAt(kept.length - 1) & 1) === 0) digits = kept + longer.slice(at);
  }
  const split = digits.indexOf("e");
  const exponent = Number(digits.slice(split + 1));
  const mantissa = digits.slice(0, split).replace(".", "");
  const sign = x < 0 ? "-" : "";
  if (exponent < -4 || exponent >= 6) {
    const tail = mantissa.slice(1).replace(/0+$/, "");
    const size = Math.abs(exponent);
    return sign + mantissa[0] + (tail === "" ? "" : "." + tail) + "e" +
      (exponent < 0 ? "-" : "+") + (size < 10 ? "0" : "") + size;
  }
  if (exponent < 0) {
    return sign + "0." + "0".repeat(-exponent - 1) + mantissa.replace(/0+$/, "");
  }
  const tail = mantissa.slice(exponent + 1).replace(/0+$/, "");
  return sign + mantissa.slice(0, exponent + 1) + (tail === "" ? "" : "." + tail);
}

/** Digits after the seventh significant one; 60 are enough to see any tie of a double. */
function exactTail(x: number): string {
  const long = x.toExponential(60);
  return long.slice(8, long.indexOf("e"));
}

/** strtoll(3), base 10: longest prefix, saturating; null where there is no digit. */
export function scanInt64(text: string): Int64 | null {
  const found = /^[ \t\n\v\f\r]*([+-]?[0-9]+)/.exec(text);
  if (found === null) return null;
  if (found[1].length <= 15) return Number(found[1]) + 0; // + 0 turns -0 into 0
  const wide = BigInt(found[1].replace("+", ""));
  return narrow(wide > INT64_MAX ? INT64_MAX : wide < INT64_MIN ? INT64_MIN : wide);
}

/** Leading decimal digits, modulo 2^64; null where there is none. No sign, no blanks. */
export function scanUint64(text: string): Int64 | null {
  const found = /^[0-9]+/.exec(text);
  if (found === null) return null;
  return found[0].length <= 15
    ? Number(found[0])
    : narrow(BigInt.asUintN(64, BigInt(found[0].slice(-400))));
}

/** strtoull(3), base 16; null where there is no digit or the value needs more than 64 bits. */
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

/** strtod(3): longest prefix, with inf, nan and hexadecimal; null where nothing is a number. */
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
