/**
 * The most that a counter of energy can grow by: what no node draws was not drawn.
 *
 * The bound is twice the highest power limit that the node itself names for the part, since limits
 * hold over a time window and are passed within it; if it names none, a power that no part has.
 * @module
 */
import type { Host } from "../../../core/machine/host.ts";

/** Raw values by which meters and their firmware report an error, whatever the unit: −1 in 32 bits, scaled or not. */
const ERROR_VALUES = [0xffffffff, 0xffffffff * 1e3, 0xffffffff * 1e6];

/** Why a reading of a meter is no power; "": it may be one. */
export function noPower(raw: number, watts: number, mostW: number): string {
  if (ERROR_VALUES.includes(raw)) {
    return `${raw} is the error value of a meter (0xFFFFFFFF), no power`;
  }
  return watts > mostW ? `${watts} W is more than is possible` : "";
}

const MARGIN = 2;
/** A limit that was set to almost 0 bounds nothing: kernels and firmware round it up. */
const MIN_W = 100;

/**
 * Power limits if a node names none, W: of a package, memory or GPU, and of a domain that holds
 * several of them.
 */
export const FALLBACK_W = { part: 10_000, node: 100_000 } as const;

/**
 * The bound of a part, W.
 *
 * @param limitsW Power limits and design powers that the node names; 0 and NaN name none.
 */
export function boundW(limitsW: readonly number[], fallbackW: number): number {
  const highest = Math.max(0, ...limitsW.filter((watts) => watts > 0));
  return highest === 0 ? fallbackW : Math.min(fallbackW, Math.max(MIN_W, MARGIN * highest));
}

/**
 * Maximum rate in counts per second; `undefined`, no bound, for a tree whose frames do not follow
 * the clock: minutes of energy may be between two of them.
 */
export function fastest(host: Host, watts: number, joulesPerCount: number): number | undefined {
  return host.live ? watts / joulesPerCount : undefined;
}
