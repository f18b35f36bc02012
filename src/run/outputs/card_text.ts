/**
 * Figures as the card shows them: units for people, no exponents.
 * @module
 */

const PREFIXES: readonly (readonly [size: number, prefix: string])[] = [
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
];
/** From here on thousands: 9,999 J is shorter than 10.00 kJ, and exact. */
const KILO_FROM = 1e4;

function scaleOf(value: number): readonly [size: number, prefix: string] {
  const size = Math.abs(value);
  const large = PREFIXES.find(([from]) => size >= from * (1 - 5e-5));
  return large ?? (size >= KILO_FROM * (1 - 5e-5) ? [1e3, "k"] : [1, ""]);
}

/** Four digits and a unit: `210.2 kJ`, `2.5 J`, `-` of nothing. */
export function quantity(value: number, unit: string): string {
  if (!Number.isFinite(value)) return "-";
  const [size, prefix] = scaleOf(value);
  return `${plain(value / size)} ${prefix}${unit}`;
}

/** An energy and its standard error, both to the error's second digit: `210.24 ± 0.11 kJ`. */
export function withError(value: number, error: number, unit: string): string {
  if (!(error > 0)) return quantity(value, unit);
  const [size, prefix] = scaleOf(value);
  const digits = Math.min(4, Math.max(0, 1 - Math.floor(Math.log10(error / size))));
  return `${(value / size).toFixed(digits)} ± ${(error / size).toFixed(digits)} ${prefix}${unit}`;
}

/** A time: `12.4 µs`, `3.389 s`, `1 h 02 min`. */
export function time(seconds: number): string {
  if (!Number.isFinite(seconds)) return "-";
  if (seconds >= 3600) {
    const minutes = Math.round(seconds / 60);
    return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
  }
  if (seconds >= 1 || seconds === 0) return `${plain(seconds)} s`;
  const [size, prefix] = seconds >= 1e-3
    ? [1e-3, "m"]
    : seconds >= 1e-6
    ? [1e-6, "µ"]
    : [1e-9, "n"];
  return `${plain(seconds / size)} ${prefix}s`;
}

/** Visits: `1,234`, `2.5` of a mean, `12.3 M`. */
export function count(value: number): string {
  if (!Number.isFinite(value)) return "-";
  if (value >= 1e7) return `${plain(value / 1e6)} M`;
  const rounded = Math.round(value * 100) / 100;
  return rounded >= 1e4 ? String(Math.round(rounded)) : String(rounded);
}

/** Four significant digits without an exponent. */
function plain(value: number): string {
  if (value === 0) return "0";
  const digits = Math.max(0, 3 - Math.floor(Math.log10(Math.abs(value)) + 1e-12));
  return value.toFixed(Math.min(12, digits));
}
