/**
 * Numbers for people: one unit with a prefix, and as many digits as the standard error allows. The static part of
 * a page and its script write the same texts.
 * @module
 */

type Prefix = readonly [factor: number, symbol: string];

const PREFIXES: readonly Prefix[] = [
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
  [1, ""],
  [1e-3, "m"],
  [1e-6, "µ"],
  [1e-9, "n"],
];
/** A number of more digits has groups of three. */
const UNGROUPED_DIGITS = 4;
const THIN_SPACE = "\u2009";
/** Between a number and its unit. */
const NARROW_SPACE = "\u202f";
const MINUS = "\u2212";
/** A value that is not available in a cell of a table. */
export const NOT_AVAILABLE = "–";
/** Below it a value is `<0.001`. */
const SMALL = 5e-4;
const MAX_DECIMALS = 6;

/** A value that may be absent. */
export type Value = number | null | undefined;

/** Is it a number? */
function isKnown(value: Value): value is number {
  return value !== null && value !== undefined && Number.isFinite(value);
}

/** The prefix for values up to one. @param floor The smallest prefix that may be used. */
export function prefixOf(largest: number, floor = 1): Prefix {
  return PREFIXES.find(([factor]) => largest >= factor * 0.9995 && factor >= floor) ??
    PREFIXES.find(([factor]) => factor === floor)!;
}

/** Decimals for two digits of the error, or without one for so many digits of the value. */
function decimalsFor(value: number, error: Value, digits = 4): number {
  const size = Math.abs(value);
  const byValue = size > 0 ? digits - 1 - Math.floor(Math.log10(size)) : 0;
  const byError = isKnown(error) && error > 0 ? 1 - Math.floor(Math.log10(error)) : byValue;
  return Math.max(0, Math.min(MAX_DECIMALS, byValue, byError));
}

/** A number with a thin space between groups of digits. */
export function grouped(value: number, decimals = 0): string {
  const [whole, part] = Math.abs(value).toFixed(decimals).split(".");
  const groups = whole.length > UNGROUPED_DIGITS
    ? whole.replace(/\B(?=(\d{3})+$)/g, THIN_SPACE)
    : whole;
  return (value < 0 ? MINUS : "") + groups + (part === undefined ? "" : `.${part}`);
}

/** A number without its unit, for a column that has the unit in its heading. */
export function cellText(value: Value, error?: Value, digits = 4): string {
  if (!isKnown(value)) return NOT_AVAILABLE;
  if (value > 0 && value < SMALL) return "<0.001";
  const decimals = decimalsFor(value, error, digits);
  return grouped(value, Math.abs(value) < 0.1 ? Math.min(3, decimals) : decimals);
}

/** A number with its unit. @param floor The smallest prefix that may be used. */
export function withUnit(value: Value, unit: string, floor = 1, error?: Value): string {
  if (!isKnown(value)) return "not available";
  if (value === 0) return `0${NARROW_SPACE}${unit}`;
  const [factor, symbol] = prefixOf(Math.abs(value), floor);
  const scaled = isKnown(error) ? error / factor : undefined;
  return `${cellText(value / factor, scaled)}${NARROW_SPACE}${symbol}${unit}`;
}

/** An energy. */
export function joules(value: Value, error?: Value): string {
  return withUnit(value, "J", 1e-6, error);
}

/** A power. */
export function watts(value: Value): string {
  return withUnit(value, "W", 1e-3);
}

/** A time; from two minutes on in minutes or hours. */
export function seconds(value: Value): string {
  if (!isKnown(value)) return NOT_AVAILABLE;
  const whole = Math.round(value);
  if (whole >= 7200) {
    return `${Math.floor(whole / 3600)} h ${Math.round(whole % 3600 / 60)} min`;
  }
  if (whole >= 120) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return withUnit(value, "s", 1e-9);
}

/** A duration with at most three digits: `4.57 ms`. */
export function duration(value: Value, digits = 3): string {
  if (!isKnown(value)) return NOT_AVAILABLE;
  const [factor, symbol] = prefixOf(value * (1 + 1e-7), 1e-9);
  return `${Number((value / factor).toPrecision(digits))}${NARROW_SPACE}${symbol}s`;
}

/** A share as per cent. */
export function percent(share: Value): string {
  if (!isKnown(share)) return NOT_AVAILABLE;
  return `${grouped(100 * share, Math.abs(share) >= 0.0995 ? 0 : 1)}${NARROW_SPACE}%`;
}
