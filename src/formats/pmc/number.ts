/**
 * Numbers as C's `%f` and Python's `repr` print them, for PMC logs.
 * @module
 */

/** Doubles that lie exactly between two decimals of six places are odd multiples of 1/128. */
const TIE = 128;

/** C's `%f`: six decimals, exact ties to the even digit (JavaScript takes them away from zero). */
export function formatF(value: number): string {
  if (value !== value) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (Math.abs(value) >= 1e21) return `${BigInt(value)}.000000`;
  const scaled = value * TIE;
  if (Number.isInteger(scaled) && Math.abs(scaled % 2) === 1) return tied(value);
  const text = value.toFixed(6);
  return value === 0 && Object.is(value, -0) ? `-${text}` : text;
}

/** A mean over 128 nodes may end in seven decimals, the last one a 5. */
function tied(value: number): string {
  const exact = value.toFixed(7);
  const cut = exact.slice(0, -1);
  if ((cut.charCodeAt(cut.length - 1) & 1) === 0) return cut;
  return value.toFixed(6);
}

/** Python's `repr` of a float: the shortest decimal that reads back, always with a point. */
export function formatRepr(value: number): string {
  if (value !== value) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) {
    const [mantissa, exponent] = value.toExponential().split("e");
    const digits = exponent.slice(1).padStart(2, "0");
    return `${mantissa}e${exponent[0]}${digits}`;
  }
  const text = Object.is(value, -0) ? "-0" : String(value);
  return text.includes(".") ? text : `${text}.0`;
}
