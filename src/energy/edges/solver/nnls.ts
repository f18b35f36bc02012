/**
 * Least squares with powers that are not negative, and columns beside them of either sign, by active set. Lawson, Hanson: "Solving Least
 * Squares Problems", chapter 23; started from the free solution, which is nearly always it.
 * @module
 */
import { Cholesky } from "./cholesky.ts";
import { triangle } from "./triangle.ts";

/** What came out, by class. */
export interface Solution {
  /** W per CPU, not negative; 0 for classes that were held or never seen. */
  readonly power: Float64Array;
  /** 1 for classes that the rows determine. */
  readonly seen: Uint8Array;
  /** Classes whose power would be negative. */
  readonly held: ReadonlySet<number>;
  /** Factor of the free classes' system. */
  readonly factor: Cholesky;
  /** q − 2cᵀπ + πᵀAπ, and λπ² of the columns, not negative. */
  readonly rss: number;
  /** λ by number, 0 for classes. */
  readonly ridge: Float64Array;
  /** Of each part held at 0: half of what `rss` would grow by per unit of it, and its λ. */
  readonly slopes: readonly { readonly slope: number; readonly lambda: number }[];
  /** The place of the solution between two columns; `undefined`: not requested. */
  readonly between: (Between & { readonly part: number }) | undefined;
}

/**
 * A mixture of two columns, 1 − part of the one and part of the other, that is taken off what is
 * explained.
 */
export interface Between {
  /** Number of a column; −1: nothing at all. */
  readonly low: number;
  readonly high: number;
  /** @default found, without any bound */
  readonly part?: number;
}

/** What is known beside the rows. */
export interface Known {
  /** Numbers that are columns, not classes. @default none */
  readonly isColumn?: Uint8Array;
  /** λ by number: what a column's square costs; Infinity: it is left out. @default 0 */
  readonly ridge?: Float64Array;
  readonly between?: Between | undefined;
  /** Columns that are not negative either, where they are no part of a mixture. @default none */
  readonly parts?: readonly number[];
}

/** Sums of so many rows; see `NormalSums`. */
interface System extends Known {
  readonly a: Float64Array;
  readonly c: Float64Array;
  readonly q: number;
  readonly rows: number;
  readonly classes: number;
}

/**
 * Minimises πᵀAπ − 2cᵀπ + q over π ≥ 0. Classes that the rows determine less well than that their power is
 * about the mean, by twice, are left out: nothing is seen of them.
 *
 * @param start Classes to hold at first.
 */
export function nonNegative(system: System, start: Iterable<number> = []): Solution {
  const { classes, isColumn, ridge = new Float64Array(classes) } = system;
  const seen: number[] = [];
  const a = system.a.slice(0, triangle(classes));
  for (let i = 0; i < classes; i++) {
    if (ridge[i] === Infinity) continue;
    // A column without any prior is one of another choice.
    if (isColumn?.[i] === 1 && !(ridge[i] > 0)) continue;
    if (a[triangle(i) + i] > 0) seen.push(i);
    a[triangle(i) + i] += ridge[i];
  }
  const { between } = system;
  const whole = { ...system, a, ridge };
  if (between !== undefined) {
    Object.assign(whole, mixed(whole, between));
    if (between.part === undefined && a[triangle(between.high) + between.high] > 0) {
      seen.push(between.high);
      seen.sort((x, y) => x - y);
    }
  }
  const solution = solve(whole, seen, start);
  const known = seen.filter(isKnown(system, solution));
  return known.length === seen.length ? solution : solve(whole, known, solution.held);
}

/** Takes a mixture off what is explained, in place; the higher column is then what its part adds. */
function mixed(
  { a, c: whole, q: all, classes }: System,
  { low, high, part }: Between,
): { c: Float64Array; q: number } {
  const c = whole.slice();
  let q = all;
  const at = (i: number, j: number) => i > j ? triangle(i) + j : triangle(j) + i;
  const taken: [number, number][] = part === undefined
    ? [[low, 1]]
    : [[low, 1 - part], [high, part]];
  for (const [i, share] of taken) {
    if (i < 0 || share === 0) continue;
    q += share * (share * a[at(i, i)] - 2 * c[i]);
    for (let j = 0; j < classes; j++) c[j] -= share * a[at(i, j)];
  }
  if (part === undefined && low >= 0) {
    const square = a[at(high, high)] - 2 * a[at(high, low)] + a[at(low, low)];
    for (let j = 0; j < classes; j++) if (j !== high) a[at(high, j)] -= a[at(low, j)];
    a[at(high, high)] = square;
    c[high] -= c[low];
  }
  return { c, q };
}

/** Puts the part of a mixture into the solution. */
function placed(between: Between | undefined, power: Float64Array): Solution["between"] {
  if (between === undefined) return undefined;
  const { low, high } = between;
  if (between.part !== undefined) power[high] = between.part;
  const part = power[high];
  if (low >= 0) power[low] = 1 - part;
  return { ...between, part };
}

/** Is the error of a class's power, were it alone, below the mean power? */
function isKnown({ a, rows, isColumn }: System, { power, rss }: Solution): (i: number) => boolean {
  let weighted = 0;
  let weights = 0;
  for (let i = 0; i < power.length; i++) {
    if (isColumn?.[i] === 1) continue;
    const weight = a[triangle(i) + i];
    weighted += weight * power[i];
    weights += weight;
  }
  const mean = weighted / weights;
  const s2 = rss / Math.max(1, rows);
  return (i) => isColumn?.[i] === 1 || a[triangle(i) + i] * mean * mean >= s2;
}

function solve(
  system: System & { ridge: Float64Array },
  seen: readonly number[],
  start: Iterable<number>,
): Solution {
  const { a, c, q, classes, isColumn, ridge, between, parts = [] } = system;
  const isSigned = isColumn?.slice();
  if (between === undefined) {
    for (const part of parts) if (isSigned !== undefined) isSigned[part] = 0;
  }
  const held = new Set<number>(start);
  const power = new Float64Array(classes);
  const freed = new Set<number>();
  let factor = new Cholesky(a, seen.filter((i) => !held.has(i)), isColumn);
  for (let round = 0; round < 3 * classes; round++) {
    power.fill(0);
    factor.solve(c, power);
    const worst = mostNegative(power, factor.members, isSigned);
    if (worst >= 0) {
      // Many classes: all negative ones at once, and back one by one where that was too many.
      if (classes > 32 && round < 3) {
        for (const i of factor.members) if (power[i] < 0 && isSigned?.[i] !== 1) held.add(i);
      } else held.add(worst);
    } else {
      const back = mostWanted(system, power, held, freed);
      if (back < 0) break;
      held.delete(back);
      freed.add(back);
    }
    factor = new Cholesky(a, seen.filter((i) => !held.has(i)), isColumn);
  }
  for (let i = 0; i < classes; i++) if (power[i] < 0 && isSigned?.[i] !== 1) power[i] = 0;
  let rss = q;
  for (let i = 0; i < classes; i++) {
    if (power[i] !== 0) rss += power[i] * (rowTimes(a, i, power) - 2 * c[i]);
  }
  const slopes = parts.filter((i) => between === undefined && held.has(i))
    .map((i) => ({ slope: rowTimes(a, i, power) - c[i], lambda: ridge[i] }));
  const isSeen = new Uint8Array(classes);
  for (const i of seen) isSeen[i] = 1;
  return {
    power,
    seen: isSeen,
    held,
    factor,
    rss: Math.max(0, rss),
    ridge,
    slopes,
    between: placed(between, power),
  };
}

/** Which of two leaves less unexplained. */
export function lesser(one: Solution, other: Solution): Solution {
  return other.rss < one.rss ? other : one;
}

/** Element i of A·x. */
export function rowTimes(a: Float64Array, i: number, x: Float64Array): number {
  let sum = 0;
  const row = triangle(i);
  for (let j = 0; j <= i; j++) sum += a[row + j] * x[j];
  for (let j = i + 1; j < x.length; j++) sum += a[triangle(j) + i] * x[j];
  return sum;
}

function mostNegative(
  power: Float64Array,
  members: readonly number[],
  isSigned: Uint8Array | undefined,
): number {
  let worst = -1;
  for (const i of members) {
    if (power[i] < 0 && isSigned?.[i] !== 1 && (worst < 0 || power[i] < power[worst])) worst = i;
  }
  return worst;
}

/** The held class whose power would grow most; each comes back once, so that it ends. */
function mostWanted(
  { a, c }: { a: Float64Array; c: Float64Array },
  power: Float64Array,
  held: ReadonlySet<number>,
  freed: ReadonlySet<number>,
): number {
  let best = -1;
  let most = 0;
  for (const i of held) {
    if (freed.has(i) || i >= power.length || !(a[triangle(i) + i] > 0)) continue;
    const gradient = (c[i] - rowTimes(a, i, power)) / Math.sqrt(a[triangle(i) + i]);
    if (gradient > most * (1 + 1e-9) && gradient > 1e-9 * Math.abs(c[i])) {
      most = gradient;
      best = i;
    }
  }
  return best;
}
