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
  after: "power depends on what ran before",
  slow: "power follows the load late",
} as const;

/** Words for why nothing is tested. */
export const UNTESTED = {
  few: "too few changes of the counter",
  period: "the counter's update period is not known",
  regions: "too many regions",
  visits: "too many visits a second",
  folded: "visits came without their times",
  alone: "one region alone, with too few visits",
} as const;

/** One of them. */
export type Untested = typeof UNTESTED[keyof typeof UNTESTED];

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
