/**
 * What the fit found that powers depend on beside the region, in words. docs/how-sure.md.
 * @module
 */
import { FAMILY } from "./solver/columns.ts";
import type { Untested } from "./untested.ts";

/** From here on a cause is named. */
const SURE = 0.95;

/** Words for causes. */
export const CAUSES = {
  length: "power depends on the length of visits",
  beside: "power depends on what other CPUs do",
  after: "power depends on what ran before",
  slow: "power follows the load late",
} as const;

/** The causes of a fit's lack of fit. */
export interface LackOfFit {
  /** Causes that the data name. */
  readonly causes: readonly string[];
  /** There was enough data to look for any, and not too much. */
  readonly tested: boolean;
  /** Why not. */
  readonly why?: Untested;
  /** Time constant with which power follows the load, s; 0: at once. */
  readonly constantS: number;
}

/** @param odds Probability that each family of columns is needed, in the order of `FAMILY`; `visits`: any of the first three. */
export function namedCauses(odds: Float64Array, visits: number): string[] {
  return [
    ...(visits >= SURE ? [CAUSES.length] : []),
    ...(odds[FAMILY.BESIDE] >= SURE ? [CAUSES.beside] : []),
    ...(odds[FAMILY.AFTER] >= SURE ? [CAUSES.after] : []),
    ...(odds[FAMILY.CARRIED] >= SURE ? [CAUSES.slow] : []),
  ];
}
