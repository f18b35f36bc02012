/**
 * Number formats: C's `%g` and `%f` in reports, and the format that each signal declares in traces.
 *
 * geopm_report(7) prints six significant digits; traces and geopmread(1) use `%.16g`, `%g`, a whole
 * number, `0x%08x`, or the bit pattern.
 * @module
 */
import type { SignalFormat } from "./signal.ts";

/** A number with so many significant digits: six, as the rest of a report has them. */
export function rounded(value: number, digits = 6): number {
  return Number(value.toPrecision(digits));
}

/**
 * A number as C's `%.{digits}g` prints it.
 *
 * @param digits Significant digits, 1 to 17.
 * @returns `nan`, `inf` and `-inf` as the C library has them.
 */
export function formatG(value: number, digits = 6): string {
  if (value !== value) return "nan";
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const size = Math.abs(value);
  if (size === Infinity) return value > 0 ? "inf" : "-inf";
  // Small whole numbers are what most rows consist of.
  if (size < 100000 && Math.trunc(value) === value && digits >= 5) return String(value);
  if (size < 1e-3 || size >= 999999 && size >= 10 ** (digits - 1)) {
    return fromExponential(evenOnTie(value, value.toExponential(digits - 1), digits), digits);
  }
  return stripZeros(evenOnTie(value, value.toPrecision(digits), digits));
}

/** Digits that decide whether a double is exactly between two shorter decimals. */
const TIE_DIGITS = 60;

/** JavaScript rounds an exact tie away from zero, C to the even digit. */
function evenOnTie(value: number, text: string, digits: number): string {
  const at = text.indexOf("e");
  const end = at < 0 ? text.length : at;
  if ((text.charCodeAt(end - 1) & 1) === 0) return text;
  const longer = value.toExponential(digits);
  if (longer.charCodeAt(longer.indexOf("e") - 1) !== 53) return text;
  const exact = value.toExponential(TIE_DIGITS - 1);
  const behind = exact.slice(exact.indexOf(".") + digits, exact.indexOf("e"));
  if (!/^50*$/.test(behind)) return text;
  // Rounded up to an odd digit: one less is the even one, and never borrows.
  const even = String.fromCharCode(text.charCodeAt(end - 1) - 1);
  return text.slice(0, end - 1) + even + text.slice(end);
}

/** C decides by the exponent after rounding, JavaScript's own forms have other limits. */
function fromExponential(text: string, digits: number): string {
  const at = text.indexOf("e");
  const exponent = Number(text.slice(at + 1));
  const mantissa = text.slice(0, at);
  if (exponent < -4 || exponent >= digits) {
    const size = Math.abs(exponent);
    return `${stripZeros(mantissa)}e${exponent < 0 ? "-" : "+"}${size < 10 ? "0" : ""}${size}`;
  }
  const sign = mantissa.startsWith("-") ? "-" : "";
  const figures = mantissa.replace("-", "").replace(".", "");
  if (exponent < 0) return `${sign}${stripZeros(`0.${"0".repeat(-exponent - 1)}${figures}`)}`;
  return sign + stripZeros(`${figures.slice(0, exponent + 1)}.${figures.slice(exponent + 1)}`);
}

function stripZeros(text: string): string {
  if (!text.includes(".")) return text;
  let end = text.length;
  while (text.charCodeAt(end - 1) === 48) end--;
  if (text.charCodeAt(end - 1) === 46) end--;
  return text.slice(0, end);
}

/** A region hash or hint: `0x` and at least eight hex digits; `NAN` for NaN. */
export function formatHex(value: number): string {
  if (value !== value) return "NAN";
  return "0x" + Math.trunc(value).toString(16).padStart(8, "0");
}

/** The value cut to a whole number; `nan` for NaN. */
export function formatInteger(value: number): string {
  if (value !== value) return "nan";
  const whole = Math.trunc(value);
  if (Math.abs(whole) < 1e21) return whole === 0 ? "0" : String(whole);
  return Number.isFinite(whole) ? BigInt(whole).toString() : formatG(whole);
}

const bits = new DataView(new ArrayBuffer(8));

/** The 64 bits of the value as a whole register. */
function formatRaw64(value: number): string {
  bits.setFloat64(0, value);
  return "0x" + bits.getBigUint64(0).toString(16).padStart(16, "0");
}

/** A value in the format its signal declares. */
export function formatSignal(value: number, format: SignalFormat): string {
  switch (format) {
    case "double":
      return formatG(value, 16);
    case "float":
      return formatG(value, 6);
    case "integer":
      return formatInteger(value);
    case "hex":
      return formatHex(value);
    case "raw64":
      return formatRaw64(value);
  }
}

/** A number as C's `%f` prints it: six decimals, ties to even, never an exponent. */
export function formatF(x: number): string {
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
