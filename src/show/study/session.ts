/**
 * A benchmark as a session of blocks: one run of each command a block, in random order, until there are enough.
 *
 * The order is random because a node changes slowly: in an order that is fixed the interval covers the truth too
 * seldom. Without a clock and processes of its own, so that tests simulate thousands of sessions.
 * @module
 */
import { Random } from "../../core/random.ts";
import { difference, LEVEL } from "../analysis/difference.ts";
import { summarize } from "../analysis/statistics.ts";
import { studentQuantile } from "../analysis/student.ts";

/** Blocks if neither a number nor a precision is given. */
export const MAX_BLOCKS = 30;
/** Before this block the width of the interval decides nothing: it would stop by chance too often. */
export const FIRST_LOOK = 10;

/** Limits of a session. */
export interface SessionPlan {
  /** Commands. */
  readonly sets: number;
  /** @default as many as fit, at most {@linkcode MAX_BLOCKS} */
  readonly blocks?: number;
  /** Time after which no new block starts, s. @default no limit */
  readonly maxTimeS?: number;
  /** Runs of each command that are not counted. */
  readonly warmup: number;
  /** Half-width of the interval that is enough, 0.02 for 2 %. */
  readonly precision?: number;
  /** Level of the interval. @default {LEVEL} */
  readonly level?: number;
  readonly seed: number;
}

/** One run of a session. */
export interface SessionRun {
  /** Number of its command, from 0 on. */
  readonly set: number;
  /** From 1 on; of a warm-up the number of that. */
  readonly block: number;
  /** From 1 on. */
  readonly position: number;
  readonly isWarmup: boolean;
}

/** Steps of a session. */
export interface SessionSteps {
  /** Any clock, s. */
  nowS(): number;
  /** Blocks with values that can be compared: which parts of the energy all runs have may change with each run. */
  comparable?(blocks: readonly SessionBlock[]): readonly SessionBlock[];
  /** A block is done. */
  done?(blocks: readonly SessionBlock[]): void;
}

/** The metric of each command. */
export interface SessionBlock {
  readonly block: number;
  readonly values: readonly number[];
}

/**
 * The runs of a session, one after another. Each gives back its metric; `undefined`: it failed, and its block is
 * left out.
 *
 * @returns The blocks that are whole.
 */
export function* sessionRuns(
  plan: SessionPlan,
  steps: SessionSteps,
): Generator<SessionRun, readonly SessionBlock[], number | undefined> {
  const { sets, warmup, maxTimeS = Infinity, precision, level = LEVEL } = plan;
  const random = new Random(plan.seed);
  const startS = steps.nowS();
  for (let block = 1; block <= warmup; block++) {
    for (let set = 0; set < sets; set++) {
      yield { set, block, position: set + 1, isWarmup: true };
    }
  }
  const most = plan.blocks ?? (precision === undefined ? MAX_BLOCKS : Infinity);
  let blocks: readonly SessionBlock[] = [];
  for (let block = 1; block <= most && steps.nowS() - startS < maxTimeS; block++) {
    const values: (number | undefined)[] = [];
    for (const [i, set] of shuffled(sets, random).entries()) {
      values[set] = yield { set, block, position: i + 1, isWarmup: false };
    }
    if (values.every((value) => value !== undefined)) {
      const all = [...blocks, { block, values }];
      blocks = steps.comparable?.(all) ?? all;
    }
    steps.done?.(blocks);
    const isLook = precision !== undefined && blocks.length >= FIRST_LOOK;
    if (isLook && halfWidth(blocks, level) <= precision) break;
  }
  return blocks;
}

function shuffled(count: number, random: Random): number[] {
  const list = Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [list[i], list[j]] = [list[j], list[i]];
  }
  return list;
}

/** Half-width of the widest interval against the first command, or of the mean of a single one, as a share. */
function halfWidth(blocks: readonly SessionBlock[], level: number): number {
  const of = (set: number) => blocks.map(({ values }) => values[set]);
  const sets = blocks[0]?.values.length ?? 0;
  if (sets > 1) {
    const widths = Array.from({ length: sets - 1 }, (_, i) => {
      const { low, high } = difference(of(0), of(i + 1), { level, blocks: true });
      return Math.expm1((Math.log1p(high) - Math.log1p(low)) / 2);
    });
    return Math.max(...widths);
  }
  const { count, deviation } = summarize(of(0).map((value) => value > 0 ? Math.log(value) : NaN));
  if (count < 2) return NaN;
  return Math.expm1(studentQuantile((1 + level) / 2, count - 1) * deviation / Math.sqrt(count));
}
