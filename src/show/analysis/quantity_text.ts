/**
 * Joules and seconds for people: `1.92 ± 0.02 MJ`.
 * @module
 */

const PREFIXES: readonly [number, string][] = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]];

/** A figure and its deviation, to two digits of the deviation. Steps below 1 are left alone. */
export function withDeviation(value: number, deviation: number, unit: string): string {
  const [factor, prefix] = unit === "s"
    ? [1, ""] as const
    : PREFIXES.find(([size]) => Math.abs(value) >= size) ?? [1, ""] as const;
  const [mean, spread] = [value / factor, deviation / factor];
  if (!(spread > 0)) return `${figures(mean, 4)} ${prefix}${unit}`;
  const decimals = Math.min(9, Math.max(0, 1 - Math.floor(Math.log10(spread))));
  return `${mean.toFixed(decimals)} ± ${spread.toFixed(decimals)} ${prefix}${unit}`;
}

/** Number with this many significant digits, without an exponent if possible. */
export function figures(value: number, digits: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(digits))) : "-";
}

const SMALL: readonly [number, string][] = [[1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];
const LARGE: readonly [number, string][] = [[1e15, "P"], [1e12, "T"], ...PREFIXES];
/** A value from here on is written with the next prefix: 999.95 is 1.000 k. */
const ALMOST = 0.9995;

/** A value with its unit, without an exponent: `6.963 kJ`; "-" if it is not known. */
export function quantity(value: number, unit: string, digits = 4): string {
  if (!Number.isFinite(value)) return "-";
  const size = Math.abs(value);
  const [factor, prefix] = LARGE.find(([from]) => size >= from * ALMOST) ?? [1, ""];
  return `${plainDigits(value / factor, digits)} ${prefix}${unit}`;
}

/** Energy of a sentence: three digits. */
export function energyText(joules: number): string {
  return quantity(joules, "J", 3);
}

/** Power of a sentence: three digits. */
export function powerText(watts: number): string {
  return quantity(watts, "W", 3);
}

/** A time: `12.4 µs`, `24.92 s`, `1 h 02 min`. */
export function timeText(seconds: number, digits = 3): string {
  if (!Number.isFinite(seconds)) return "-";
  if (seconds >= 3600) {
    const minutes = Math.round(seconds / 60);
    return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
  }
  if (seconds >= ALMOST || seconds === 0) return `${plainDigits(seconds, digits)} s`;
  const [factor, prefix] = SMALL.find(([from]) => seconds >= from * ALMOST) ?? SMALL[2];
  return `${plainDigits(seconds / factor, digits)} ${prefix}s`;
}

/** Significant digits without an exponent, and at most four decimals. */
export function plainDigits(value: number, digits: number): string {
  if (value === 0) return "0";
  const decimals = digits - 1 - Math.floor(Math.log10(Math.abs(value)) + 1e-12);
  return value.toFixed(Math.min(4, Math.max(0, decimals)));
}
