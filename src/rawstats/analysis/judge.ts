/**
 * A counter that went backwards: did it wrap, was it reset, or did the kernel show it torn?
 *
 * The hpcperfstats manual warns of both: counters roll over at their declared width, and "some
 * event counters (from ib_sw, numa, and possibly others) suffer from occasional dips", which a naive
 * correction turns into a huge delta. With d = cur − prev below zero, the first that fits:
 *
 * - next ≥ prev: dip, delta 0, and prev stays the baseline until it is passed. A wrap at a steady rate
 *   looks the same and is none;
 * - W < 64, cur < prev/1000 and d + 2^W > bound: reset, delta = cur;
 * - |d| < max(1000, prev/100): dip;
 * - W < 64 and d + 2^W ≤ bound: wrap, delta = d + 2^W;
 * - cur ≤ bound: reset, delta = cur;
 * - the last record: dip; else reset, delta 0.
 *
 * The bound is the largest number of counts that is possible in the time, else 2^(W−1). A fall of an
 * energy register is a wrap whenever its usual power allows that, but not to 0 and back. 2^64 is never added.
 * @module
 */

/** Kind of a step backwards. */
export type RawCorrectionKind = "wrap" | "reset" | "dip";

/** Judgement of a step: its kind and the counts. */
export interface RawJudgement {
  readonly kind: RawCorrectionKind;
  /** Counts, never below zero. */
  readonly delta: bigint;
}

/** Facts about a step backwards. */
export interface RawStep {
  /** Largest possible number of counts in the time between. @default 2^(W−1) */
  readonly bound?: number;
  /** Usual number of counts in that time, by usual power, for energy registers. */
  readonly usual?: number;
  /** Value of the next record. */
  readonly next?: bigint;
  /** Seconds to the next record over seconds since the one before. @default 1 */
  readonly ratio?: number;
  /** Counts in the time between at the rate of the interval before; NaN: not known. */
  readonly expected?: number;
}

const DIP: RawJudgement = { kind: "dip", delta: 0n };

/** Rates of two intervals of one counter differ by no more, if it wrapped in the first one. */
const STEADY_FACTOR = 2;

/**
 * Judges a step backwards.
 *
 * @param prev The baseline, above `cur`.
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
  { bound = 2 ** (widthBits - 1), usual, next, ratio = 1, expected = NaN }: RawStep = {},
): RawJudgement {
  const back = prev - cur;
  const range = 1n << BigInt(widthBits);
  // A sum of counters that wrap by themselves may fall by more than one range.
  const wrap = widthBits < 64 ? (range - back % range) % range : undefined;
  const canWrap = wrap !== undefined && Number(wrap) <= bound;
  const isUsual = wrap !== undefined && usual !== undefined && Number(wrap) <= usual;
  if (next !== undefined && next >= prev) {
    const isSteady = canWrap && isNear(Number(wrap) * ratio, Number(next - cur)) &&
      (expected !== expected || isNear(Number(wrap), expected));
    // a register that cannot be read is written as 0
    if (!isSteady && (!isUsual || cur === 0n)) return DIP;
  }
  if (widthBits < 64 && !canWrap && cur * 1000n < prev) return { kind: "reset", delta: cur };
  const isSmall = back < 1000n || back * 100n < prev;
  if (isSmall && !isUsual) return DIP;
  if (canWrap) return { kind: "wrap", delta: wrap };
  if (Number(cur) <= bound) return { kind: "reset", delta: cur };
  return next === undefined ? DIP : { kind: "reset", delta: 0n };
}

function isNear(a: number, b: number): boolean {
  return a <= STEADY_FACTOR * b && b <= STEADY_FACTOR * a;
}
