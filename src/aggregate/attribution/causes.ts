/**
 * What the fit found that powers depend on beside the region, in words. docs/how-sure.md.
 * @module
 */
import { FAMILY } from "./solver/columns.ts";

/** From here on a cause is named. */
const SURE = 0.95;

/** Words for causes. */
export const CAUSES = {
  length: "power depends on the length of visits",
  beside: "power depends on what other CPUs do",
  slow: "power follows the load late",
} as const;

/** What a fit says of its own lack. */
export interface LackOfFit {
  /** Causes that the data name. */
  readonly causes: readonly string[];
  /** There was enough data to look for any. */
  readonly tested: boolean;
  /** Time constant with which power follows the load, s; 0: at once. */
  readonly constantS: number;
}

/** @param odds How likely each family of columns is wanted, in the order of `FAMILY`; `visits`: any of the first three. */
export function namedCauses(odds: Float64Array, visits: number): string[] {
  return [
    ...(visits >= SURE ? [CAUSES.length] : []),
    ...(odds[FAMILY.BESIDE] >= SURE ? [CAUSES.beside] : []),
    ...(odds[FAMILY.CARRIED] >= SURE ? [CAUSES.slow] : []),
  ];
}
