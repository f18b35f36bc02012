/**
 * Region hints: what a region is bound by. Names and numbers are those of geopm_prof(3).
 * @module
 */

/** Names at the index that GEOPM numbers them with. */
export const HINTS = [
  "UNSET",
  "UNKNOWN",
  "COMPUTE",
  "MEMORY",
  "NETWORK",
  "IO",
  "SERIAL",
  "PARALLEL",
  "IGNORE",
  "INACTIVE",
  "SPIN",
] as const;

/** Outside every region. */
export const HINT_UNSET = 0;
/** Hint that was not given. */
export const HINT_UNKNOWN = 1;
/** Number of hints; numbers from here up are refused. */
export const HINT_COUNT = HINTS.length;

/** The hints that a report has a `time-hint-…` field for, in its order. */
export const REPORTED_HINTS = [
  "NETWORK",
  "IGNORE",
  "COMPUTE",
  "MEMORY",
  "IO",
  "SERIAL",
  "PARALLEL",
  "UNKNOWN",
  "UNSET",
  "SPIN",
] as const;

/**
 * A hint written by name (`COMPUTE`) or number.
 *
 * @returns Its number, which may be out of range; −1 for a text that is neither.
 */
export function parseHint(text: string): number {
  const index = (HINTS as readonly string[]).indexOf(text);
  if (index >= 0) return index;
  return /^[0-9]{1,9}$/.test(text) ? Number(text) : -1;
}

/** The hint that entering a region with this one sets: GEOPM reads "unset" as "unknown". */
export function hintOnEntry(hint: number): number {
  return hint > 0 && hint < HINT_COUNT ? hint : HINT_UNKNOWN;
}
