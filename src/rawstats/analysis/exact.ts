/**
 * Counts that are exact beyond 2^53.
 *
 * @module
 */
import { EXACT_BELOW } from "../format/columns.ts";

/** Numbers below 2^53 as such, others exact. */
export type Exact = number | bigint;

/** A count times the factor of its unit. */
export function scaled(count: Exact, scale: number): Exact {
  if (typeof count === "bigint") {
    return Number.isInteger(scale) ? count * BigInt(scale) : Number(count) * scale;
  }
  const product = count * scale;
  if (product < EXACT_BELOW || !Number.isInteger(scale)) return product;
  return BigInt(count) * BigInt(scale);
}

/** A sum, exact if both are whole. */
export function addExact(a: Exact, b: Exact): Exact {
  if (typeof a === "number" && typeof b === "number" && a + b < EXACT_BELOW) return a + b;
  return isWhole(a) && isWhole(b) ? BigInt(a) + BigInt(b) : Number(a) + Number(b);
}

function isWhole(value: Exact): boolean {
  return typeof value === "bigint" || Number.isInteger(value);
}
