/**
 * Numbers as Python's `repr` prints them, for PMC logs.
 * @module
 */

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
