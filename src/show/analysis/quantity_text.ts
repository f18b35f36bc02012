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

/** So many significant digits, without an exponent where it can be. */
export function figures(value: number, digits: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(digits))) : "-";
}
