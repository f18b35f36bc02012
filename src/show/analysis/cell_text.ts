/**
 * Cells of energies in the tables of a summary.
 * @module
 */
import { plainDigits } from "./quantity_text.ts";
import type { Look } from "./text_layout.ts";

const UNITS: readonly (readonly [from: number, factor: number, unit: string])[] = [
  [1e11, 1e9, "GJ"],
  [1e8, 1e6, "MJ"],
  [1e5, 1e3, "kJ"],
];

/** The factor and unit of a column of energies. */
export function unitOf(joules: readonly number[]): [factor: number, unit: string] {
  const largest = Math.max(...joules.map((value) => value || 0));
  const [, factor, unit] = UNITS.find(([from]) => largest >= from) ?? [0, 1, "J"];
  return [factor, unit];
}

/** Energies with their errors, and one number of decimals: two digits of the middle error; empty where unknown. */
export function errorCells(
  values: readonly { readonly joules: number; readonly seJ: number }[],
  look: Look,
): { readonly unit: string; readonly cells: string[] } {
  const pm = look.ascii ? "+-" : "±", known = values.filter(({ seJ }) => seJ > 0);
  const [factor, unit] = unitOf(values.map(({ joules }) => joules));
  const errors = known.map(({ seJ }) => seJ / factor).sort((a, b) => a - b);
  const decimals = decimalsOf(errors[(errors.length - 1) >> 1] ?? 1, 2);
  const cells = values.map(({ joules, seJ }) => {
    if (!Number.isFinite(joules)) return "";
    return `${fixed(joules / factor, decimals)} ${pm} ${fixed(seJ / factor, decimals)}`;
  });
  return { unit, cells };
}

/** Decimals that show so many digits. */
export function decimalsOf(value: number, digits: number): number {
  return Math.max(0, Math.min(4, digits - 1 - Math.floor(Math.log10(value || 1) + 1e-12)));
}

/** A value below half of the last digit is smaller than that digit. */
export function fixed(value: number, decimals: number): string {
  const text = value.toFixed(decimals);
  return value > 0 && Number(text) === 0 ? `<${plainDigits(10 ** -decimals, 1)}` : text;
}
