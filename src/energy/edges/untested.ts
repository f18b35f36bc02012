/**
 * Why it is not tested what powers depend on beside the region, in words. docs/how-sure.md.
 * @module
 */

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
