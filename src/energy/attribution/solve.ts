/**
 * The full fit with one kernel: contexts, and columns by which lag and shape move (Gauss-Newton).
 * @module
 */
import type { Contexts } from "./contexts.ts";
import type { Domain } from "./domain.ts";
import { clamp } from "./linear.ts";
import {
  COLUMNS_AT_ONCE,
  type Effects,
  FAMILY,
  type Fit,
  fitRows,
  type Noise,
  type Priors,
  Rows,
  stretchesOf,
} from "./model.ts";
import { familyOf, type Kernel, longer } from "./response.ts";

/** Standard deviation of the logarithm of a shape's length: members of the grid are a factor of two apart. */
const LOG_LENGTH_SD = 0.5;
/** Differences for the columns: U/50 of the lag, 5 % of the length. */
const LAG_STEPS = 50, MIN_LAG_STEP_S = 1e-5;
export const LENGTH_STEP = 1.05;
/** Steps of the lag: at most U/4, and 0.25 ms at least. */
const LAG_ROOM = 4, MIN_LAG_ROOM_S = 0.00025;
/** A lag or length that moves by less than this part of its error stays; a length by less than 2 %. */
const STILL = 0.3, STILL_LENGTH = 0.02;
/** A window is a part of the period. */
const MAX_WINDOW = 0.95;
/** Times that a kernel moves. */
const MOVES = 3;
/** Powers of the first fit are at least this part of the mean. */
const MIN_POWER = 0.1;

/** A fit with its kernel. */
export interface Solution {
  readonly fit: Fit;
  /** By column, those of lag and shape included. */
  readonly families: Int8Array;
  readonly kernel: Kernel;
  /** Column after column, without lag and shape, in units of their own. */
  readonly z: Float64Array;
  readonly isWhole: Uint8Array;
  readonly rows: Rows;
  /** By column of `z`: joules if its coefficient is 1. */
  readonly scale: Float64Array;
  /** Columns of lag and shape, J. */
  readonly moves: readonly Float64Array[];
  /** Remaining lag by the lag's column, and its standard error, s. */
  readonly lagS: number;
  readonly lagSeS: number;
  /** Powers that effects are parts of, W. */
  readonly powers: Float64Array;
}

/** Starting point of a fit. */
export interface Start {
  readonly noise: Noise;
  readonly effects: Effects;
  /** Variance of the noise, J². @default a part of the energies' squares */
  readonly s2?: number;
  /** W by class. @default those of a first fit */
  readonly powers?: Float64Array;
  /** Joules of each column by another kernel's fit. @default by fits without lag and shape */
  readonly knownJ?: Float64Array;
  /** Times that the kernel moves. @default 3 */
  readonly moves?: number;
  /** If −2 ln likelihood is above this, the kernel moves no more. @default it moves */
  readonly mostDeviance?: number;
}

/** Joules if a column's coefficient is 1, per CPU-second. */
function scalesOf(
  { meanW }: Domain,
  { columns, pairs }: Contexts,
  powers: Float64Array,
): Float64Array {
  let pair = 0;
  return Float64Array.from(columns.classes, (c, j) => {
    const family = columns.families[j];
    if (family === FAMILY.own || family === FAMILY.common) return meanW;
    if (family !== FAMILY.beside) return powers[c];
    const { a, b } = pairs!.list[pair++];
    return Math.sqrt(powers[a] * powers[b]);
  });
}

/** Joules of each column of `z`, by a fit. */
export function joulesOf(scale: Float64Array, { theta }: Pick<Fit, "theta">): Float64Array {
  return scale.map((s, j) => s * theta[j]);
}

/** Zv, column after column. */
function* combined(
  z: Float64Array,
  n: number,
  v: Float64Array,
): Generator<void, Float64Array> {
  const out = new Float64Array(n);
  for (const [j, x] of v.entries()) {
    if (j % COLUMNS_AT_ONCE === 0) yield;
    if (x === 0) continue;
    for (let k = 0, o = j * n; k < n; k++) out[k] += x * z[o + k];
  }
  return out;
}

/** Fits one kernel to some intervals; the lag and the length move until they stay. */
export function* solve(
  domain: Domain,
  contexts: Contexts,
  first: Kernel,
  start: Start,
  isUsed: Uint8Array,
): Generator<void, Solution> {
  const { boundaries: { periodS }, classes, energyJ, lengthS, meanW } = domain,
    { columns } = contexts;
  const stepS = Math.max(periodS / LAG_STEPS, MIN_LAG_STEP_S);
  const isShaped = familyOf(first) !== "lag", moving = isShaped ? 2 : 1;
  const fixed = { [FAMILY.lag]: periodS / 2, [FAMILY.common]: 0.5, [FAMILY.shape]: LOG_LENGTH_SD };
  const own: Priors = { families: columns.families, fixed };
  const families = Int8Array.from([
    ...columns.families,
    FAMILY.lag,
    ...(isShaped ? [FAMILY.shape] : []),
  ]);
  const { at, stretches } = stretchesOf(isUsed);
  const { noise, effects, s2 } = start;
  let { powers } = start, kernel = first, fit: Fit | undefined;
  for (let move = 0;; move++) {
    const { z, isWhole } = yield* domain.design(kernel, columns);
    yield;
    const rows = new Rows(z, domain.intervals, columns.width, energyJ, lengthS, at, stretches);
    let scale = scalesOf(domain, contexts, powers ?? new Float64Array(classes).fill(meanW));
    if (fit === undefined && start.knownJ === undefined) {
      // Fits without the lag give what its column is made from.
      const of = { more: [], priors: own };
      fit = yield* fitRows(rows, { ...of, scale }, { noise, effects, s2, filters: 2, rounds: 5 });
      yield;
      if (powers === undefined) {
        powers = fit.theta.slice(0, classes).map((x) => Math.max(x * meanW, MIN_POWER * meanW));
        scale = scalesOf(domain, contexts, powers);
        fit = yield* fitRows(rows, { ...of, scale }, { ...fit, filters: 1, rounds: 5 });
        yield;
      }
    }
    const known = fit === undefined ? start.knownJ! : joulesOf(scale, fit);
    const now = yield* combined(z, domain.intervals, known);
    const moved = function* (to: Kernel, by: number): Generator<void, Float64Array> {
      return (yield* domain.along(to, columns, known)).map((x, k) => (x - now[k]) / by);
    };
    yield;
    const moves = [yield* moved({ ...kernel, lagS: kernel.lagS + stepS }, stepS)];
    if (isShaped) moves.push(yield* moved(longer(kernel, LENGTH_STEP), Math.log(LENGTH_STEP)));
    yield;
    const priors = { families, fixed };
    fit = yield* fitRows(rows, { scale, more: moves, priors }, {
      ...(fit ?? { noise, effects, s2 }),
      filters: 2,
      rounds: 8,
    });
    yield;
    const p = families.length, atLag = p - moving, lagS = fit.theta[atLag];
    const lagSeS = Math.sqrt(fit.v[atLag * p + atLag]);
    const room = Math.max(periodS / LAG_ROOM, MIN_LAG_ROOM_S);
    let next = { ...kernel, lagS: Math.max(0, kernel.lagS + clamp(lagS, -room, room)) };
    let isStill = Math.abs(next.lagS - kernel.lagS) < Math.max(STILL * lagSeS, 1e-7);
    if (isShaped) {
      let factor = Math.exp(clamp(fit.theta[p - 1], -LOG_LENGTH_SD, LOG_LENGTH_SD));
      if (kernel.windowS > 0 && kernel.windowS * factor > MAX_WINDOW * periodS) factor = 1;
      next = longer(next, factor);
      const still = Math.max(STILL * Math.sqrt(fit.v[p * p - 1]), STILL_LENGTH);
      isStill &&= Math.abs(Math.log(factor)) < still;
    }
    const { moves: mostMoves = MOVES, mostDeviance = Infinity } = start;
    if (isStill || move === mostMoves - 1 || fit.deviance > mostDeviance) {
      return {
        fit,
        families,
        kernel,
        z,
        isWhole,
        rows,
        scale,
        moves,
        lagS,
        lagSeS,
        powers: powers!,
      };
    }
    kernel = next;
  }
}
