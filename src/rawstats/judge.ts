/**
 * A counter that went backwards: did it wrap, was it reset, or did the kernel show it torn?
 *
 * The hpcperfstats manual warns of both: counters roll over at their declared width, and "some
 * event counters (from ib_sw, numa, and possibly others) suffer from occasional dips", which a naive
 * correction turns into a huge delta. With d = cur − prev below zero:
 *
 * - W < 64, in this order: cur < prev/1000 and d + 2^W > bound → reset, delta = cur;
 *   |d| < max(1000, prev/100) → dip, delta 0, and prev stays the baseline until it is passed;
 *   else wrap, delta = d + 2^W. The bound is 2^(W−1); for energies what twice the nameplate power
 *   could have counted.
 * - W = 64 → 2^64 is never added: dip as above, else reset.
 * @module
 */

/** What a step backwards was. */
export type RawCorrectionKind = "wrap" | "reset" | "dip";

/** What happened to the counter, and how much it counted. */
export interface RawJudgement {
  readonly kind: RawCorrectionKind;
  /** Counts, never below zero. */
  readonly delta: bigint;
}

/**
 * Judges a step backwards.
 *
 * @param prev The baseline, above `cur`.
 * @param bound Largest plausible number of counts in the time between. @default 2^(W−1)
 *
 * @example
 * ```ts
 * import { judgeStep } from "./judge.ts";
 * console.log(judgeStep(4294960000n, 1200n, 32)); // { kind: "wrap", delta: 8496n }
 * ```
 */
export function judgeStep(
  prev: bigint,
  cur: bigint,
  widthBits: number,
  bound = 2 ** (widthBits - 1),
): RawJudgement {
  const back = prev - cur;
  const isDip = back < 1000n || back * 100n < prev;
  if (widthBits >= 64) return isDip ? { kind: "dip", delta: 0n } : { kind: "reset", delta: cur };
  const range = 1n << BigInt(widthBits);
  if (cur * 1000n < prev && Number(range - back) > bound) return { kind: "reset", delta: cur };
  if (isDip) return { kind: "dip", delta: 0n };
  // A sum of counters that wrap by themselves may fall by more than one range.
  return { kind: "wrap", delta: (range - back % range) % range };
}
